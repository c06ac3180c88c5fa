"""Cut the texts of kept blocks where the marks (bold, a link ...) around them change."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked, write_texts
from bodytext.kernel.html import TAG, Flag, NodeFlag
from bodytext.page.tables import Column, Page, tag_mask

Numbers = npt.NDArray[np.intp]

_MARKING = tag_mask("a b strong i em cite dfn var code tt kbd samp sub sup del s strike mark")
_A, _LINK = TAG["a"], int(NodeFlag.LINK)
_PRE = int(Flag.PRE)
# The second where nothing else remains
_LEFT_OUT = (
    int(Flag.HIDDEN | Flag.SPOKEN),
    int(Flag.HIDDEN),
)


class Segments(NamedTuple):
    """Stretches of the blocks' texts inside the same marks, as columns in the order of the page."""

    runs: list[int]  # the first of each
    marks: list[int]  # the nearest node that marks the text, or -1
    texts: list[str]  # a line break is "\n"
    counts: list[int]  # for each block, how many are its own
    whole: dict[int, str]  # the text of each block that has several
    verbatim: list[bool]  # for each block, whether its white space counts

    def gaps(self, block: int, first: int) -> list[str]:
        """The gap before each segment of a block: nothing, a space, a line break.

        It is read from the text of the whole block, as the kernel writes it: so structure and text
        never differ.
        """
        count = self.counts[block]
        if count < 2:
            return [""]
        text, position, gaps = self.whole[block], 0, []
        for piece in self.texts[first : first + count]:
            gap = ""
            if position and piece and text[position] != piece[0]:
                gap = text[position]
                position += 1
            position += len(piece)
            gaps.append(gap)
        return gaps


def find_marks(page: Page) -> npt.NDArray[np.int32]:
    """For each node, the nearest one at or above it that marks text (bold, a link ...), or -1."""
    nodes = page.nodes
    marking = _MARKING[nodes.tag] & ((nodes.tag != _A) | ((nodes.flags & _LINK) != 0))
    return nearest_marked(marking, nodes.parent)


def cut_segments(
    page: Page, blocks: Numbers, marks: npt.NDArray[np.int32], cuts: Numbers
) -> Segments:
    """The segments of blocks, with cuts before the given runs too."""
    first, stop = page.blocks.first_run[blocks], page.blocks.stop_run[blocks]
    runs, block_of = _shown_runs(page, first, stop)
    mark = marks[page.runs.node[runs]]
    is_cut = np.ones(len(runs), dtype=np.bool_)
    is_cut[1:] = mark[1:] != mark[:-1]
    if len(cuts):
        is_cut[runs.searchsorted(cuts[cuts <= runs[-1]])] = True
    is_verbatim = (page.runs.flags[first] & _PRE) != 0
    if np.count_nonzero(is_verbatim):
        is_cut &= ~is_verbatim[block_of]
    is_cut[1:] |= block_of[1:] != block_of[:-1]
    is_cut[0] = True
    starts = is_cut.nonzero()[0]
    is_last = np.empty_like(is_cut)
    is_last[:-1], is_last[-1] = is_cut[1:], True
    counts = np.bincount(block_of[starts], minlength=len(blocks))
    many = (counts > 1).nonzero()[0]
    firsts = runs[starts]
    texts = _read(
        page, np.concatenate((firsts, first[many])), np.concatenate((runs[is_last] + 1, stop[many]))
    )
    whole = dict(zip(many.tolist(), texts[len(starts) :], strict=True))
    del texts[len(starts) :]
    return Segments(
        firsts.tolist(), mark[starts].tolist(), texts, counts.tolist(), whole, is_verbatim.tolist()
    )


def _shown_runs(page: Page, first: Column, stop: Column) -> tuple[Numbers, Numbers]:
    """The runs of blocks, each with its block's place; hidden ones only if all of a block is."""
    lengths = stop - first
    block_of = np.arange(len(first)).repeat(lengths)
    before = lengths.cumsum() - lengths
    runs = np.arange(len(block_of)) + (first - before)[block_of]
    for left_out in _LEFT_OUT:
        hidden = (page.runs.flags[runs] & left_out) != 0
        if not np.count_nonzero(hidden):
            break
        shown = np.bincount(block_of[~hidden], minlength=len(first)) > 0
        kept = ~(hidden & shown[block_of])
        runs, block_of = runs[kept], block_of[kept]
    return runs, block_of


def _read(page: Page, first: Numbers, stop: Numbers) -> list[str]:
    """The texts of intervals of runs."""
    runs, nothing = page.runs, bytes(len(first))
    chosen = (first.astype(np.int32), stop.astype(np.int32))
    buffer, spans = write_texts(
        page.source, (runs.start, runs.end, runs.flags), chosen, nothing, nothing
    )
    if buffer.isascii():
        text = buffer.decode("ascii")
        return [text[start:end] for start, end in zip(*spans.tolist(), strict=True)]
    return [buffer[start:end].decode("utf-8") for start, end in zip(*spans.tolist(), strict=True)]
