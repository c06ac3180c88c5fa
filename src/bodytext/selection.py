"""select: Page + Scores -> Document."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from bodytext.document import Document, Paragraphs
from bodytext.kernel import nearest_marked
from bodytext.kernel.html import GAPS, Kind
from bodytext.page.tables import Page, tag_mask

Scores = npt.NDArray[np.float32]
Preset = Literal["precision", "balanced", "recall"]
Threshold = float | Preset

BOUNDARY = 0.5  # for every method
# Names for thresholds of the learned method; results/learned has what they give.
PRESETS: dict[Preset, float] = {"precision": 0.8, "balanced": BOUNDARY, "recall": 0.15}
_LEAST = float(np.finfo(np.float32).tiny)  # at threshold 0 a block still needs some score

_BLANK_LINE, _LINE, _TAB = GAPS.index("\n\n"), GAPS.index("\n"), GAPS.index("\t")
_IS_CELL = tag_mask("td th")
_CELL = int(Kind.CELL)
# Kinds that follow each other line by line; all others are apart by a blank line.
_IN_LINES = np.isin(np.arange(len(Kind)), (Kind.ITEM, Kind.TERM, Kind.DEFINITION, Kind.CELL, Kind.CONTROL))


def select(page: Page, scores: Scores, threshold: Threshold = BOUNDARY) -> Document:
    """The blocks that score at least the threshold, in the page's order."""
    cut = read_threshold(threshold)
    if len(scores) != len(page):
        raise ValueError(f"{len(scores)} scores do not fit a page of {len(page)} blocks")
    kept = np.flatnonzero(scores >= max(cut, _LEAST))
    if not page.runs.chars.all():  # a run of white space alone, as there is in <pre>
        kept = kept[page.per_block(page.runs.chars)[kept] > 0]
    gaps, in_row = _part(page, kept)
    buffer, spans = page.write_texts(kept, gaps.tobytes(), in_row.tobytes())
    full = spans[0] < spans[1]
    if not full.all():  # what is shown of the block is white space
        kept, gaps, spans = kept[full], gaps[full], spans[:, full]
    blocks = page.blocks
    offsets = np.empty_like(spans)
    offsets[0], offsets[1] = page.runs.start[blocks.first_run[kept]], page.runs.end[blocks.stop_run[kept] - 1]
    columns = (spans, gaps, blocks.kind[kept], offsets, scores[kept])
    for column in (*columns, kept):
        column.setflags(write=False)
    reason = "" if len(kept) else _reason(page)
    return Document(page.url, page.title, Paragraphs(buffer, *columns), reason, page=page, blocks=kept)


def read_threshold(threshold: float | str) -> float:
    """A threshold from a number or from the name of a preset; what is neither is refused."""
    if isinstance(threshold, str) and threshold in PRESETS:
        return PRESETS[threshold]
    if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        names = ", ".join(PRESETS)
        raise ValueError(f"threshold must be a number between 0 and 1, or one of {names}, not {threshold!r}")
    return threshold


def _part(page: Page, kept: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """What parts each kept block from the one before it, and which blocks share a line with others."""
    gaps = np.full(len(kept), _BLANK_LINE, dtype=np.uint8)
    in_row = np.zeros(len(kept), dtype=np.bool_)
    if not len(kept):
        return gaps, in_row
    kind = page.blocks.kind[kept]
    in_lines = _IN_LINES[kind]
    gaps[1:][in_lines[1:] & in_lines[:-1]] = _LINE
    is_cell = kind == _CELL
    if is_cell.any():
        cell = nearest_marked(_IS_CELL[page.nodes.tag], page.nodes.parent)[page.blocks.node[kept]]
        row = np.where(is_cell, page.nodes.parent[cell], -1)
        beside = (row[1:] == row[:-1]) & (row[1:] >= 0) & (cell[1:] != cell[:-1])
        gaps[1:][beside] = _TAB
        in_row[1:] |= beside
        in_row[:-1] |= beside
    gaps[0] = 0
    return gaps, in_row


def _reason(page: Page) -> str:
    if not page.source.strip():
        return "the page is empty"
    if not len(page):
        return "the page holds no text"
    return "no text in the page was found to be its body"
