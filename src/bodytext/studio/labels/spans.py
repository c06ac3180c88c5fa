"""Convert between labelled spans of a page's source and labels of its blocks.

A block takes the label of the larger part of its text, counted in bytes of the source without
markup. In a tie, content or comment wins over neither, and content wins over comment.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bodytext.page.tables import Page
from bodytext.studio.labels.labelling import COMMENT, CONTENT, NEITHER, Span

LABELS = (NEITHER, CONTENT, COMMENT)  # a block's label is an index into this tuple
BlockLabels = npt.NDArray[np.uint8]
_Offsets = npt.NDArray[np.int64]
_Numbers = npt.NDArray[np.integer[Any]]


def label_blocks(page: Page, spans: Sequence[Span]) -> BlockLabels:
    """The label of each block."""
    if not len(page):
        return np.zeros(0, dtype=np.uint8)
    size = page.per_block(page.runs.end - page.runs.start)
    content, comment = (
        _cover(page, [(span.start, span.end) for span in spans if span.label == label])
        for label in (CONTENT, COMMENT)
    )
    chosen = np.where(content >= comment, LABELS.index(CONTENT), LABELS.index(COMMENT))
    return np.where(2 * (content + comment) >= size, chosen, LABELS.index(NEITHER)).astype(np.uint8)


def cover_blocks(page: Page, ranges: Sequence[tuple[int, int]]) -> npt.NDArray[np.float64]:
    """The share of each block's text that is in ranges of the source."""
    return _cover(page, ranges) / page.per_block(page.runs.end - page.runs.start)


def _cover(page: Page, ranges: Sequence[tuple[int, int]]) -> npt.NDArray[np.int32]:
    """The bytes of each block's text in ranges, which are in order and do not overlap."""
    bounds = np.array([offset for bound in ranges for offset in bound], dtype=np.int64)
    length = np.where(np.arange(len(bounds)) % 2, np.diff(bounds, prepend=0), 0)
    covered = np.concatenate(([0], np.cumsum(length)))

    def before(offsets: npt.NDArray[np.int32]) -> _Offsets:
        place = np.searchsorted(bounds, offsets, "right")
        inside = place % 2 == 1
        start = (
            bounds[np.maximum(place - 1, 0)] if len(bounds) else np.zeros(len(offsets), np.int64)
        )
        total: _Offsets = covered[place] + np.where(inside, offsets - start, 0)
        return total

    return page.per_block((before(page.runs.end) - before(page.runs.start)).astype(np.int32))


def find_ranges(page: Page) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Where each range of the source starts and ends that is of one block, and the block, in order.

    A block has one range. It has several if others are between: text beside the cells of a table is
    one block with the text before the table.
    """
    if not len(page):
        return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.intp)
    order = np.argsort(page.runs.start, kind="stable")
    length = page.blocks.stop_run - page.blocks.first_run
    block = np.repeat(np.arange(len(page)), length)[order]
    first = np.flatnonzero(np.diff(block, prepend=-1))
    last = np.append(first[1:], len(block)) - 1
    return page.runs.start[order[first]], page.runs.end[order[last]], block[first]


def mark_spans(page: Page, labels: BlockLabels, before: Sequence[Span] = ()) -> tuple[Span, ...]:
    """Spans that give the blocks these labels; unchanged blocks keep their spans as they are.

    So an edit changes only the blocks that were edited, even after a change to the rules that make
    blocks.
    """
    if len(labels) != len(page):
        raise ValueError(f"expected {len(page)} labels, one for each block, not {len(labels)}")
    is_changed = labels != label_blocks(page, before)
    edits = [
        (start, end, int(labels[block]))
        for start, end, block in zip(
            *(column.tolist() for column in find_ranges(page)), strict=True
        )
        if is_changed[block]
    ]
    kept = _cut_out(before, edits)
    added = (Span(first, stop, LABELS[label]) for first, stop, label in edits if label)
    return tuple(sorted((*kept, *added)))


def _cut_out(spans: Sequence[Span], holes: Sequence[tuple[int, int, int]]) -> Iterator[Span]:
    """The parts of the spans that lie outside the holes; both are in order."""
    index = 0
    for start, end, label in spans:
        while index < len(holes) and holes[index][1] <= start:
            index += 1
        at, hole = start, index
        while hole < len(holes) and holes[hole][0] < end:
            if at < holes[hole][0]:
                yield Span(at, holes[hole][0], label)
            at = max(at, holes[hole][1])
            hole += 1
        if at < end:
            yield Span(at, end, label)
