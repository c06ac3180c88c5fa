"""Count the features of a page, in numpy: the specification of `survey_native.pyx`.

The learned method names the columns, in the order in which they are filled here: `block_names` and
`page_names`.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.class_names import TOPIC_NAMES
from bodytext.kernel.clues import read_names, read_shapes
from bodytext.kernel.feature_columns import (
    CHARACTER_COLUMNS,
    COPY,
    COPY_WIDTH,
    COUNTED,
    COUNTED_AROUND,
    COUNTED_AS,
    ELEMENT_WIDTH,
    FIRST_CHARACTER_SHARE,
    FIRST_COUNTED_LEVEL,
    FIRST_COUNTED_SUM,
    FIRST_SHAPE_SUM,
    FLAG_BITS,
    GROUP,
    GROUP_OF,
    GROUP_WIDTH,
    HEADING_LEVEL,
    HOLDER,
    HOLDER_WIDTH,
    LEVEL,
    LEVEL_WIDTH,
    LEVELS,
    LOGGED,
    MOST_A_WORD,
    MOST_HEADINGS,
    MOST_SPREAD,
    OWN,
    OWN_WIDTH,
    PLACE,
    PLACE_WIDTH,
    SECTION,
    SECTION_WIDTH,
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
from bodytext.kernel.table_columns import RunColumn

Matrix = npt.NDArray[np.float32]
Column = npt.NDArray[np.int32]
Columns = Sequence[Column] | Column
Bits = npt.NDArray[np.uint64]

_LOGGED = [SUM[name] for name in LOGGED]
_WORDS, _CHARS, _LINKED, _PROSE = SUM["words"], SUM["chars"], SUM["linked"], SUM["prose words"]
_CHARACTER_SUMS = slice(FIRST_SHAPE_SUM, FIRST_SHAPE_SUM + len(CHARACTER_COLUMNS))
_CHARACTER_SHARES = slice(FIRST_CHARACTER_SHARE, FIRST_CHARACTER_SHARE + len(CHARACTER_COLUMNS))
_SHAPE_SUMS = slice(FIRST_SHAPE_SUM, FIRST_SHAPE_SUM + len(SHAPE_COLUMNS))
_COUNTED_SUMS = slice(FIRST_COUNTED_SUM, FIRST_COUNTED_SUM + len(COUNTED))
_AROUND_SUMS = slice(FIRST_COUNTED_SUM, FIRST_COUNTED_SUM + len(COUNTED_AROUND))
_AROUND_LEVELS = slice(FIRST_COUNTED_LEVEL, FIRST_COUNTED_LEVEL + len(COUNTED_AROUND))
_GROUP_OF = np.array(GROUP_OF, dtype=np.int32)
_COUNTED_AS = np.array(COUNTED_AS, dtype=np.int32)
_HEADING_LEVEL = np.array(HEADING_LEVEL, dtype=np.float32)
_FLAG_BITS = np.array(FLAG_BITS, dtype=np.int32)
_ONE_GROUP = np.eye(len(TAG_GROUPS) + 1, dtype=np.float32)
_ONE_KIND = np.eye(len(Kind), dtype=np.float32)


class Survey:
    """The features of a page: its row, the groups of like blocks, and on demand the rows of blocks.

    `tables` are the columns of its nodes, runs and blocks, `told` its title, description and
    structured data. `more` features of the page come at the end of its row.
    """

    def __init__(
        self,
        source: bytes,
        tables: tuple[Columns, Columns, Columns],
        told: Sequence[bytes],
        more: Sequence[float] = (),
    ) -> None:
        nodes, runs, blocks = map(tuple, tables)
        self._tag, self._parent, self._first_run, self._stop_run = nodes[:4]
        self._block_first, self._block_stop, self._kind, self._node = blocks
        self._near, self._far, self._signature, self._up = read_names(source, nodes[:6])
        self._end, self._flags = runs[RunColumn.END], runs[RunColumn.FLAGS]
        self._shapes = read_shapes(source, runs[RunColumn.START], self._end, told)
        self._count = len(self._kind)
        sizes = self._block_stop - self._block_first
        numbers = np.arange(self._count, dtype=np.int32)
        self._block_of = np.append(np.repeat(numbers, sizes), np.int32(self._count))
        self._sums = self._add_up(runs, np.repeat(self._kind, sizes))
        self._own = self._sums[self._block_stop] - self._sums[self._block_first]
        self._words = self._own[:, _WORDS].astype(np.float32)
        self.words, self.topics = self._words, self._far  # of blocks, and around nodes
        self._total = np.float32(max(int(self._sums[-1, _WORDS]), 1))
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
        row = np.append(self._read_page(len(source)), np.array(more, dtype=np.float32))
        self.page: Matrix = row[None]

    @property
    def count(self) -> int:
        """The number of blocks."""
        return self._count

    @property
    def blocks(self) -> Matrix:
        """The rows of all blocks. A row has 1.2 KB, so a hostile page needs gigabytes."""
        return self.rows(0, self._count)

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
                self._read_levels(chosen),
                shared[:, places:],
                self._read_holders(chosen),
                (self._flags[self._block_first[chosen]][:, None] >> _FLAG_BITS & 1).astype(
                    np.float32
                ),
                _ONE_KIND[self._kind[chosen]],
                *tags,
                _unpack(near)[:, TOPIC_BITS],
                _unpack(self._far[node])[:, TOPIC_BITS],
            ),
            1,
        )

    def _add_up(self, runs: Columns, kind: Column) -> Column:
        """Return running sums of what is counted, a row a run."""
        _, _, tags, words, chars, size, _, flags = runs
        rows, width = len(words), len(COUNTED)
        table = np.zeros((rows + 1, len(SUMS)), dtype=np.int32)
        link = (flags & int(Flag.LINK)) != 0
        columns = table[1:]
        columns[:, _WORDS], columns[:, _CHARS], columns[:, _LINKED] = words, chars, chars * link
        columns[:, SUM["bytes"]], columns[:, SUM["tags"]], columns[:, SUM["link runs"]] = (
            size,
            tags,
            link,
        )
        columns[:, _PROSE] = words * ((kind == Kind.PARAGRAPH) & ~link)
        columns[:, SUM["unseen words"]] = words * ((flags & UNSEEN) != 0)
        columns[:, _SHAPE_SUMS] = self._shapes[:, : len(SHAPE_COLUMNS)]
        counted = _COUNTED_AS[self._tag]
        at = np.flatnonzero(counted >= 0) if rows else np.zeros(0, dtype=np.intp)
        places = np.minimum(self._first_run[at], rows - 1).astype(np.int64) * width + counted[at]
        columns[:, _COUNTED_SUMS] = np.bincount(places, minlength=rows * width).reshape(rows, width)
        np.cumsum(table, axis=0, out=table)
        return table

    def _read_own(self, chosen: slice) -> Matrix:
        """Count what is in the block."""
        own = self._own[chosen].astype(np.float32)
        words, chars = np.maximum(own[:, _WORDS], 1), np.maximum(own[:, _CHARS], 1)
        first, last = self._block_first[chosen] - 1, self._block_stop[chosen] - 1
        # negative after what comes from further down in the source
        size = np.maximum(self._end[last] - np.where(first >= 0, self._end[first], 0), 0)
        size = size.astype(np.float32)
        table = np.empty((len(own), OWN_WIDTH), dtype=np.float32)
        table[:, : len(LOGGED)] = np.log1p(own[:, _LOGGED])
        table[:, OWN["link share"]] = own[:, _LINKED] / chars
        table[:, OWN["word length"]] = chars / words / 8
        table[:, OWN["text share of source"]] = np.minimum(
            own[:, SUM["bytes"]] / np.maximum(size, 1), 1
        )
        table[:, _CHARACTER_SHARES] = own[:, _CHARACTER_SUMS] / chars[:, None]
        table[:, OWN["title share"]] = own[:, SUM["title words"]] / words
        table[:, OWN["description share"]] = own[:, SUM["description words"]] / words
        table[:, OWN["log source"]] = np.log1p(size) / 8
        table[:, OWN["ends a sentence"]] = self._shapes[last, Shape.FINAL]
        table[:, OWN["told share"]] = own[:, SUM["told pairs"]] / words
        table[:, OWN["prose share"]] = own[:, _PROSE] / words
        table[:, OWN["repeated share"]] = own[:, SUM["repeated"]] / words
        return table

    def _read_places(self) -> Matrix:
        """Count where the block is."""
        n, tag = self._count, self._tag[self._node]
        place = np.arange(n, dtype=np.int64)
        before = self._sums[self._block_first, _WORDS].astype(np.float32)
        heading = self._kind == Kind.HEADING
        last = np.maximum.accumulate(np.where(heading, place, -1))
        likeness = self._own[:, SUM["title words"]] * heading * (2 + (tag == TAG["h1"]))
        found = np.zeros((n, PLACE_WIDTH), dtype=np.float32)
        if not n:
            return found
        found[:, PLACE["place"]] = place / n
        found[:, PLACE["words before"]] = before / self._total
        found[:, PLACE["log place"]] = np.log1p(place)
        found[:, PLACE["log places left"]] = np.log1p(n - place)
        found[:, PLACE["heading level"]] = _HEADING_LEVEL[tag]
        found[:, PLACE["blocks since heading"]] = np.log1p(place - last)
        found[:, PLACE["level of last heading"]] = np.where(last >= 0, _HEADING_LEVEL[tag[last]], 0)
        h1 = _distance(place, tag == TAG["h1"])
        (
            found[:, PLACE["has h1"]],
            found[:, PLACE["after h1"]],
            found[:, PLACE["distance to h1"]],
        ) = h1
        title = _distance(place, (likeness == likeness.max()) & (likeness > 0))
        found[:, PLACE["after title heading"]] = title[1]
        found[:, PLACE["distance to title heading"]] = title[2]
        self._read_stretch(place, before, found)
        found[:, PLACE["headings before"]] = (
            np.minimum(np.cumsum(heading), MOST_HEADINGS) / MOST_HEADINGS
        )
        return found

    def _read_stretch(self, place: npt.NDArray[np.int64], before: Matrix, found: Matrix) -> None:
        """Find Finn's stretch over blocks: unlinked words for it, tags against it."""
        own = self._own
        balance = own[:, _WORDS] - own[:, SUM["tags"]] - own[:, _LINKED] // 4
        total = np.cumsum(balance, dtype=np.int64)
        lowest = np.minimum.accumulate(total - balance)
        stop = int(np.argmax(total - lowest))
        start = int(np.searchsorted(-lowest[: stop + 1], -lowest[stop], side="left"))
        words = max(before[stop] + self._words[stop] - before[start], np.float32(1))
        found[:, PLACE["in densest stretch"]] = (place >= start) & (place <= stop)
        found[:, PLACE["distance to stretch start"]] = _log_gap(place - start)
        found[:, PLACE["distance to stretch end"]] = _log_gap(place - stop)
        found[:, PLACE["place in stretch"]] = (before - before[start]) / words

    def _compare_siblings(self) -> Matrix:
        """Count the siblings that are like each node, and how unlike in length they are."""
        used = np.unique(self._around)
        key = self._up[used].astype(np.int64) << 32 | self._signature[used]
        sums = self._sums[:, _WORDS]
        words = (sums[self._stop_run[used]] - sums[self._first_run[used]]).astype(np.float32)
        _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
        mean = np.bincount(inverse, words) / counts
        square = np.bincount(inverse, words * words) / counts
        spread = np.sqrt(np.maximum(square - mean * mean, 0)) / np.maximum(mean, 1)
        found = np.zeros((len(self._tag), 2), dtype=np.float32)
        found[used, 0] = np.log1p(counts - 1)[inverse]
        found[used, 1] = np.minimum(spread, MOST_SPREAD)[inverse]
        return found

    def _read_levels(self, chosen: slice) -> Matrix:
        """Count what is in the elements around the block, the nearest first."""
        around = self._around[:, chosen]
        used, which = np.unique(around, return_inverse=True)
        which = which.reshape(around.shape)
        sums, first_block, blocks = self._measure(used)
        words, chars = np.maximum(sums[:, _WORDS], 1), np.maximum(sums[:, _CHARS], 1)
        table = np.empty((len(used), ELEMENT_WIDTH), dtype=np.float32)
        table[:, LEVEL["log words"]] = np.log1p(sums[:, _WORDS])
        table[:, LEVEL["log blocks"]] = np.log1p(blocks)
        table[:, LEVEL["share of page"]] = sums[:, _WORDS] / self._total
        table[:, LEVEL["link share"]] = sums[:, _LINKED] / chars
        table[:, LEVEL["prose share"]] = sums[:, _PROSE] / words
        table[:, LEVEL["digit share"]] = sums[:, SUM["digits"]] / chars
        table[:, _AROUND_LEVELS] = np.log1p(sums[:, _AROUND_SUMS])
        table[:, LEVEL["like it"]], table[:, LEVEL["spread of words"]] = self._kin[used].T
        table[:, LEVEL["unseen share"]] = sums[:, SUM["unseen words"]] / words
        place = np.arange(chosen.start, chosen.stop) - first_block[which]
        levels = np.empty((*around.shape, LEVEL_WIDTH), dtype=np.float32)
        levels[:, :, :ELEMENT_WIDTH] = table[which]
        levels[:, :, LEVEL["place in it"]] = place / blocks[which]
        levels[:, :, LEVEL["share of it"]] = self._words[chosen] / words[which]
        return levels.transpose(1, 0, 2).reshape(around.shape[1], LEVELS * LEVEL_WIDTH)

    def _measure(self, nodes: npt.NDArray[np.integer]) -> tuple[Matrix, Column, Matrix]:
        """Return the sums of elements, their first blocks, and how many blocks they have."""
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
        copy = _number(
            (texts[self._block_stop] - texts[self._block_first]) * 64 + self._own[:, _WORDS]
        )
        copies = np.empty((self._count, COPY_WIDTH), dtype=np.float32)
        copies[:, COPY["copies"]] = np.log1p(np.bincount(copy) - 1)[copy]
        copies[:, COPY["copy of an earlier one"]] = _first_places(copy)[copy] < np.arange(
            self._count
        )
        return np.concatenate((*found, copies, self._read_sections()), 1)

    def _read_group(self, group: Column) -> Matrix:
        counts, first = np.bincount(group), _first_places(group)
        words, chars = np.bincount(group, self._words), np.bincount(group, self._own[:, _CHARS])
        place = np.arange(self._count)
        last = np.zeros(len(counts), dtype=np.int64)
        last[group] = place
        linked = np.bincount(group, self._own[:, _LINKED])
        found = np.empty((self._count, GROUP_WIDTH), dtype=np.float32)
        found[:, GROUP["how many"]] = np.log1p(counts - 1)[group]
        found[:, GROUP["share of page"]] = (words / self._total)[group]
        found[:, GROUP["mean words"]] = np.log1p(words / counts)[group]
        found[:, GROUP["link share"]] = (linked / np.maximum(chars, 1))[group]
        found[:, GROUP["place"]] = (place - first[group]) / np.maximum(last - first, 1)[group]
        found[:, GROUP["span"]] = ((last - first) / max(self._count, 1))[group]
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
        words, chars = sums[:, _WORDS], sums[:, _CHARS]
        table = np.empty((len(first), SECTION_WIDTH), dtype=np.float32)
        table[:, SECTION["log words"]] = np.log1p(words)
        table[:, SECTION["log blocks"]] = np.log1p(sizes)
        table[:, SECTION["link share"]] = sums[:, _LINKED] / np.maximum(chars, 1)
        table[:, SECTION["prose share"]] = sums[:, _PROSE] / np.maximum(words, 1)
        table[:, SECTION["mean words"]] = np.log1p(words / sizes)
        found: Matrix = table[which]
        return found

    def _find_holders(self) -> list[Column]:
        words = self._sums[self._stop_run, _WORDS] - self._sums[self._first_run, _WORDS]
        holders = []
        for share in SHARES:
            marked = words >= share * self._total
            marked[0] = True  # in a page without words
            holders.append(nearest_marked(marked, self._parent)[self._node])
        return holders

    def _read_holders(self, chosen: slice) -> Matrix:
        """Count what is in the smallest elements that have SHARES of the page's words."""
        found = np.zeros((len(self._words[chosen]), len(SHARES), HOLDER_WIDTH), dtype=np.float32)
        for number, holder in enumerate(self._holders):
            sums, first_block, blocks = self._measure(holder[chosen])
            words, chars = sums[:, _WORDS], sums[:, _CHARS]
            place = np.arange(chosen.start, chosen.stop) - first_block
            columns = found[:, number]
            columns[:, HOLDER["share of page"]] = words / self._total
            columns[:, HOLDER["link share"]] = sums[:, _LINKED] / np.maximum(chars, 1)
            columns[:, HOLDER["prose share"]] = sums[:, _PROSE] / np.maximum(words, 1)
            columns[:, HOLDER["log blocks"]] = np.log1p(blocks)
            columns[:, HOLDER["place in it"]] = place / blocks
            columns[:, HOLDER["share of it"]] = (self._words[chosen] + 1) / (words + 1)
        return found.reshape(len(found), len(SHARES) * HOLDER_WIDTH)

    def _read_page(self, size: int) -> Matrix:
        """Count what is in the page as a whole."""
        total = self._sums[-1].astype(np.float32)
        words = self._own[:, _WORDS]
        share = words / np.float64(self._total)
        sizes = (self._count, len(self._tag), size, words.max(initial=0))
        tags = np.bincount(_GROUP_OF[self._tag], minlength=len(TAG_GROUPS) + 1)
        flags = self._flags[self._block_first][:, None] >> _FLAG_BITS & 1
        ratios = np.minimum(total[1:] / self._total, MOST_A_WORD)
        topics = _unpack(self._far[self._node])[:, : len(TOPIC_NAMES)]
        row: Matrix = np.concatenate(
            (
                np.log1p(sizes),
                np.log1p(total),
                ratios,
                np.log1p(tags),
                share @ flags,
                share @ _ONE_KIND[self._kind],
                share @ topics,
            )
        ).astype(np.float32)
        return row


def _unpack(bits: Bits) -> Matrix:
    """Return 64 columns of 0 and 1."""
    table = np.unpackbits(
        bits.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
    )
    return table.astype(np.float32)


def _distance(
    place: npt.NDArray[np.int64], marked: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Return whether any place is marked, whether the first comes before, and how far off it is."""
    found = np.zeros((3, len(place)))
    if marked.any():
        gap = place - marked.argmax()
        found[0], found[1], found[2] = 1, gap >= 0, _log_gap(gap)
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
