"""Count the features of a page, in numpy: the specification of `survey_native.pyx`.

The learned method names the columns, in the order in which they are filled here: `block_names` and
`page_names`.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.feature_columns import (
    COUNTED,
    COUNTED_AS,
    FLAG_BITS,
    GROUP_OF,
    HEADING_LEVEL,
    HOLDER_WIDTH,
    LEVEL_WIDTH,
    LEVELS,
    MOST_A_WORD,
    MOST_HEADINGS,
    MOST_SPREAD,
    OWN,
    PLACE_WIDTH,
    RUN_COLUMNS,
    SHAPE_COLUMNS,
    SHARES,
    SPAN_LEVEL,
    SUM,
    SUMS,
    TAG_GROUPS,
    TOPIC_BITS,
)
from bodytext.kernel.html import TAG, UNSEEN, Flag, Kind
from bodytext.kernel.letters import Shape
from bodytext.kernel.scanner import nearest_marked

Matrix = npt.NDArray[np.float32]
Column = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]

_OWN = [SUM[name] for name in OWN]
_GROUP_OF = np.array(GROUP_OF, dtype=np.int32)
_COUNTED_AS = np.array(COUNTED_AS, dtype=np.int32)
_HEADING_LEVEL = np.array(HEADING_LEVEL, dtype=np.float32)
_FLAG_BITS = np.array(FLAG_BITS, dtype=np.int32)
_ONE_GROUP = np.eye(len(TAG_GROUPS) + 1, dtype=np.float32)
_ONE_KIND = np.eye(len(Kind), dtype=np.float32)


class Survey:
    """The features of a page: its row, the groups of like blocks, and on demand the rows of blocks.

    `nodes` are tag, parent, first_run and stop_run; `runs` end, tags, words, chars, bytes and
    flags; `blocks` first_run, stop_run, kind and node; `clues` the results of `read_names` and
    `read_shapes`; `size` the page's bytes.
    """

    def __init__(
        self,
        nodes: Sequence[Column],
        runs: Sequence[Column],
        blocks: Sequence[Column],
        clues: tuple[Bits, Bits, npt.NDArray[np.uint32], Column, Column],
        size: int,
    ) -> None:
        self._tag, self._parent, self._first_run, self._stop_run = nodes
        self._block_first, self._block_stop, self._kind, self._node = blocks
        self._near, self._far, self._signature, self._up, self._shapes = clues
        self._end, self._flags = runs[0], runs[5]
        self._count = len(self._kind)
        sizes = self._block_stop - self._block_first
        numbers = np.arange(self._count, dtype=np.int32)
        self._block_of = np.append(np.repeat(numbers, sizes), np.int32(self._count))
        self._sums = self._add_up(runs, np.repeat(self._kind, sizes))
        self._own = self._sums[self._block_stop] - self._sums[self._block_first]
        self._words = self._own[:, 0].astype(np.float32)
        self._total = np.float32(max(int(self._sums[-1, 0]), 1))
        self._around = np.empty((LEVELS, self._count), dtype=np.int32)
        self._around[0] = self._node
        for level in range(1, LEVELS):
            self._around[level] = self._up[self._around[level - 1]]
        self._kin = self._compare_siblings()
        self._holders = self._find_holders()
        self._shared = np.concatenate((self._read_places(), self._read_groups()), 1)
        span = self._around[SPAN_LEVEL]
        self.around = np.stack(
            (self._block_of[self._first_run[span]], self._block_of[self._stop_run[span]])
        )
        self.page = self._read_page(size)

    def rows(self, first: int, stop: int) -> Matrix:
        """Return the features of the blocks from `first` to `stop`."""
        first = min(max(first, 0), self._count)
        chosen = slice(first, min(max(stop, first), self._count))
        around, node, places = self._around[:, chosen], self._node[chosen], PLACE_WIDTH
        near = self._near[around[0]] | self._near[around[1]] | self._near[around[2]]
        tags = _ONE_GROUP[_GROUP_OF[self._tag[around[1:3]]]][:, :, 1:]
        shared = self._shared[chosen]
        return np.concatenate(
            (
                self._read_own(chosen),
                shared[:, :places],
                (self._flags[self._block_first[chosen]][:, None] >> _FLAG_BITS & 1).astype(
                    np.float32
                ),
                _ONE_KIND[self._kind[chosen]],
                *tags,
                self._read_levels(chosen),
                shared[:, places:],
                self._read_holders(chosen),
                _unpack(near)[:, TOPIC_BITS],
                _unpack(self._far[node])[:, TOPIC_BITS],
            ),
            1,
        )

    def _add_up(self, runs: Sequence[Column], kind: Column) -> Column:
        """Return running sums of what is counted, a row a run."""
        _, tags, words, chars, size, flags = runs
        rows, width = len(words), len(COUNTED)
        table = np.zeros((rows + 1, len(SUMS)), dtype=np.int32)
        link = (flags & int(Flag.LINK)) != 0
        columns = table[1:]
        columns[:, 0], columns[:, 1], columns[:, 3], columns[:, 4] = words, chars, size, tags
        columns[:, 2], columns[:, 5] = chars * link, link
        columns[:, 6] = words * ((kind == Kind.PARAGRAPH) & ~link)
        columns[:, 7] = words * ((flags & UNSEEN) != 0)
        first = len(RUN_COLUMNS)
        columns[:, first:-width] = self._shapes[:, : len(SHAPE_COLUMNS)]
        counted = _COUNTED_AS[self._tag]
        at = np.flatnonzero(counted >= 0) if rows else np.zeros(0, dtype=np.intp)
        places = np.minimum(self._first_run[at], rows - 1).astype(np.int64) * width + counted[at]
        columns[:, -width:] = np.bincount(places, minlength=rows * width).reshape(rows, width)
        np.cumsum(table, axis=0, out=table)
        return table

    def _read_own(self, chosen: slice) -> Matrix:
        """Count what is in the block."""
        own = self._own[chosen].astype(np.float32)
        words, chars = np.maximum(own[:, 0], 1), np.maximum(own[:, 1], 1)
        first, last = self._block_first[chosen] - 1, self._block_stop[chosen] - 1
        size = (self._end[last] - np.where(first >= 0, self._end[first], 0)).astype(np.float32)
        ratios = np.empty((len(own), 17), dtype=np.float32)
        ratios[:, 0] = own[:, 2] / chars
        ratios[:, 1] = chars / words / 8
        ratios[:, 2] = np.minimum(own[:, 3] / np.maximum(size, 1), 1)
        ratios[:, 3:10] = own[:, 8:15] / chars[:, None]
        ratios[:, 10] = own[:, SUM["title words"]] / words
        ratios[:, 11] = own[:, SUM["description words"]] / words
        ratios[:, 12] = np.log1p(size) / 8
        ratios[:, 13] = self._shapes[last, Shape.FINAL]
        ratios[:, 14] = own[:, SUM["told pairs"]] / words
        ratios[:, 15] = own[:, 6] / words
        ratios[:, 16] = own[:, SUM["repeated"]] / words
        return np.concatenate((np.log1p(own[:, _OWN]), ratios), 1)

    def _read_places(self) -> Matrix:
        """Count where the block is."""
        n, tag = self._count, self._tag[self._node]
        place = np.arange(n, dtype=np.int64)
        before = self._sums[self._block_first, 0].astype(np.float32)
        heading = self._kind == Kind.HEADING
        last = np.maximum.accumulate(np.where(heading, place, -1))
        likeness = self._own[:, SUM["title words"]] * heading * (2 + (tag == TAG["h1"]))
        found = np.zeros((n, PLACE_WIDTH), dtype=np.float32)
        if not n:
            return found
        found[:, 0], found[:, 1] = place / n, before / self._total
        found[:, 2], found[:, 3] = np.log1p(place), np.log1p(n - place)
        found[:, 4], found[:, 5] = _HEADING_LEVEL[tag], np.log1p(place - last)
        found[:, 6] = np.where(last >= 0, _HEADING_LEVEL[tag[last]], 0)
        found[:, 7:10] = _distance(place, tag == TAG["h1"])
        found[:, 10:12] = _distance(place, (likeness == likeness.max()) & (likeness > 0))[:, 1:]
        found[:, 12:16] = self._read_stretch(place, before)
        found[:, 16] = np.minimum(np.cumsum(heading), MOST_HEADINGS) / MOST_HEADINGS
        return found

    def _read_stretch(self, place: npt.NDArray[np.int64], before: Matrix) -> Matrix:
        """Find Finn's stretch over blocks: unlinked words for it, tags against it."""
        balance = self._own[:, 0] - self._own[:, 4] - self._own[:, 2] // 4
        total = np.cumsum(balance, dtype=np.int64)
        lowest = np.minimum.accumulate(total - balance)
        stop = int(np.argmax(total - lowest))
        start = int(np.searchsorted(-lowest[: stop + 1], -lowest[stop], side="left"))
        found = np.empty((self._count, 4), dtype=np.float32)
        found[:, 0] = (place >= start) & (place <= stop)
        found[:, 1] = _log_gap(place - start)
        found[:, 2] = _log_gap(place - stop)
        found[:, 3] = (before - before[start]) / max(
            before[stop] + self._words[stop] - before[start], np.float32(1)
        )
        return found

    def _compare_siblings(self) -> Matrix:
        """Count the siblings that are like each node, and how unlike in length they are."""
        used = np.unique(self._around)
        key = self._up[used].astype(np.int64) << 32 | self._signature[used]
        words = (self._sums[self._stop_run[used], 0] - self._sums[self._first_run[used], 0]).astype(
            np.float32
        )
        _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
        mean = np.bincount(inverse, words) / counts
        square = np.bincount(inverse, words * words) / counts
        spread = np.sqrt(np.maximum(square - mean * mean, 0)) / np.maximum(mean, 1)
        found = np.zeros((len(self._tag), 2), dtype=np.float32)
        found[used, 0] = np.log1p(counts - 1)[inverse]
        found[used, 1] = np.minimum(spread, MOST_SPREAD)[inverse]
        return found

    def _read_levels(self, chosen: slice) -> Matrix:
        """Count what is in the elements around the block, the nearest first, and how they repeat."""
        around = self._around[:, chosen]
        used, which = np.unique(around, return_inverse=True)
        which = which.reshape(around.shape)
        sums, first_block, blocks = self._measure(used)
        words, chars = np.maximum(sums[:, 0], 1), np.maximum(sums[:, 1], 1)
        table = np.empty((len(used), LEVEL_WIDTH - 2), dtype=np.float32)
        table[:, 0], table[:, 1] = np.log1p(sums[:, 0]), np.log1p(blocks)
        table[:, 2] = sums[:, 0] / self._total
        table[:, 3] = sums[:, 2] / chars
        table[:, 4] = sums[:, 6] / words
        table[:, 5] = sums[:, SUM["ends"]] / words
        table[:, 6] = sums[:, SUM["digits"]] / chars
        table[:, 7] = sums[:, SUM["currencies"]] / blocks
        table[:, 8:15] = np.log1p(sums[:, SUM["images"] :])
        table[:, 15] = sums[:, SUM["images"]] / blocks
        table[:, 16:18] = self._kin[used]
        table[:, 18] = sums[:, SUM["told pairs"]] / words
        table[:, 19] = sums[:, SUM["unseen words"]] / words
        table[:, 20] = sums[:, SUM["repeated"]] / words
        inside = np.empty((*around.shape, 2), dtype=np.float32)
        inside[:, :, 0] = (np.arange(chosen.start, chosen.stop) - first_block[which]) / blocks[
            which
        ]
        inside[:, :, 1] = self._words[chosen] / words[which]
        levels = np.concatenate((table[which], inside), 2)
        return levels.transpose(1, 0, 2).reshape(around.shape[1], LEVELS * LEVEL_WIDTH)

    def _measure(self, nodes: npt.NDArray[np.integer]) -> tuple[Matrix, Column, Matrix]:
        """Return the sums of elements, their first blocks, and their numbers of blocks, at least 1."""
        first, stop = self._first_run[nodes], self._stop_run[nodes]
        first_block = self._block_of[first]
        blocks = np.maximum(self._block_of[stop] - first_block, 1).astype(np.float32)
        return (self._sums[stop] - self._sums[first]).astype(np.float32), first_block, blocks

    def _read_groups(self) -> Matrix:
        """Count what is in like blocks, in copies, and under the same heading."""
        tag = self._tag[self._around[:4]].astype(np.int64)
        signs = self._signature[self._around[:3]].astype(np.int64)
        keys = (
            (signs[0] * 31 + signs[1]) * 31 + signs[2] * 16 + self._kind,
            self._around[2].astype(np.int64) << 16 | tag[0] << 8 | tag[1],
            ((tag[0] << 8 | tag[1]) << 8 | tag[2]) << 8 | tag[3],
        )
        self.groups = np.empty((len(keys), self._count), dtype=np.int32)
        found = []
        for make, key in enumerate(keys):
            self.groups[make] = _number(key)
            found.append(self._read_group(self.groups[make]))
        texts = np.append(np.int64(0), np.cumsum(self._shapes[:, Shape.TEXT], dtype=np.int64))
        copy = _number((texts[self._block_stop] - texts[self._block_first]) * 64 + self._own[:, 0])
        copies = np.empty((self._count, 2), dtype=np.float32)
        copies[:, 0] = np.log1p(np.bincount(copy) - 1)[copy]
        copies[:, 1] = _first_places(copy)[copy] < np.arange(self._count)
        return np.concatenate((*found, copies, self._read_sections()), 1)

    def _read_group(self, group: Column) -> Matrix:
        counts, first = np.bincount(group), _first_places(group)
        words, chars = np.bincount(group, self._words), np.bincount(group, self._own[:, 1])
        place = np.arange(self._count)
        last = np.zeros(len(counts), dtype=np.int64)
        last[group] = place
        found = np.empty((self._count, 6), dtype=np.float32)
        found[:, 0] = np.log1p(counts - 1)[group]
        found[:, 1] = (words / self._total)[group]
        found[:, 2] = np.log1p(words / counts)[group]
        found[:, 3] = (np.bincount(group, self._own[:, 2]) / np.maximum(chars, 1))[group]
        found[:, 4] = (place - first[group]) / np.maximum(last - first, 1)[group]
        found[:, 5] = ((last - first) / max(self._count, 1))[group]
        return found

    def _read_sections(self) -> Matrix:
        """Count what is under the same heading."""
        heading = self._kind == Kind.HEADING
        heading[:1] = True
        first = np.flatnonzero(heading)
        which = np.cumsum(heading) - 1
        bounds = np.append(first, self._count)
        sums = np.diff(
            self._sums[np.append(self._block_first, len(self._end))[bounds]], axis=0
        ).astype(np.float32)
        sizes = np.diff(bounds).astype(np.float32)
        table = np.empty((len(first), 5), dtype=np.float32)
        table[:, 0], table[:, 1] = np.log1p(sums[:, 0]), np.log1p(sizes)
        table[:, 2], table[:, 3] = (
            sums[:, 2] / np.maximum(sums[:, 1], 1),
            sums[:, 6] / np.maximum(sums[:, 0], 1),
        )
        table[:, 4] = np.log1p(sums[:, 0] / sizes)
        found: Matrix = table[which]
        return found

    def _find_holders(self) -> list[Column]:
        words = self._sums[self._stop_run, 0] - self._sums[self._first_run, 0]
        holders = []
        for share in SHARES:
            marked = words >= share * self._total
            marked[0] = True  # in a page without words
            holders.append(nearest_marked(marked, self._parent)[self._node])
        return holders

    def _read_holders(self, chosen: slice) -> Matrix:
        """Count what is in the smallest elements around the block with SHARES of the page's words."""
        found = np.zeros((len(self._words[chosen]), len(SHARES), HOLDER_WIDTH), dtype=np.float32)
        for number, holder in enumerate(self._holders):
            sums, first_block, blocks = self._measure(holder[chosen])
            column = found[:, number]
            column[:, 0] = sums[:, 0] / self._total
            column[:, 1] = sums[:, 2] / np.maximum(sums[:, 1], 1)
            column[:, 2] = sums[:, 6] / np.maximum(sums[:, 0], 1)
            column[:, 3] = np.log1p(blocks)
            column[:, 4] = (np.arange(chosen.start, chosen.stop) - first_block) / blocks
            column[:, 5] = (self._words[chosen] + 1) / (sums[:, 0] + 1)
        return found.reshape(len(found), len(SHARES) * HOLDER_WIDTH)

    def _read_page(self, size: int) -> Matrix:
        """Count what is in the page as a whole."""
        total = self._sums[-1].astype(np.float32)
        share = self._own[:, 0] / np.float64(self._total)
        sizes = (self._count, len(self._tag), size, self._own[:, 0].max(initial=0))
        tags = np.bincount(_GROUP_OF[self._tag], minlength=len(TAG_GROUPS) + 1)
        flags = self._flags[self._block_first][:, None] >> _FLAG_BITS & 1
        ratios = np.minimum(total[1:] / self._total, MOST_A_WORD)
        topics = _unpack(self._far[self._node])
        row: Matrix = np.concatenate(
            (np.log1p(sizes), np.log1p(total), ratios, np.log1p(tags), share @ flags, share @ _ONE_KIND[self._kind],
             share @ topics)
        ).astype(np.float32)  # fmt: skip
        return row


def _unpack(bits: Bits) -> Matrix:
    """Return 64 columns of 0 and 1."""
    table = np.unpackbits(
        bits.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
    )
    return table.astype(np.float32)


def _distance(place: npt.NDArray[np.int64], marked: npt.NDArray[np.bool_]) -> Matrix:
    """Return whether any place is marked, whether the first comes before, and how far off it is."""
    found = np.zeros((len(place), 3), dtype=np.float32)
    if marked.any():
        gap = place - marked.argmax()
        found[:, 0], found[:, 1], found[:, 2] = 1, gap >= 0, _log_gap(gap)
    return found


def _log_gap(gap: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return np.sign(gap) * np.log1p(np.abs(gap))


def _first_places(numbers: Column) -> npt.NDArray[np.intp]:
    """Return where each number is first."""
    return np.unique(numbers, return_index=True)[1]


def _number(keys: npt.NDArray[np.int64]) -> Column:
    """Give equal keys equal numbers, in the order of first appearance."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[inverse]
