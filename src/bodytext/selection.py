"""Select the blocks of a page that score high enough, and make a document of them."""

import numpy as np
import numpy.typing as npt

from bodytext.document import Document, DocumentSource
from bodytext.kernel import nearest_marked
from bodytext.kernel.html import GAPS, Kind
from bodytext.methods.scores import BOUNDARY, Scores, Threshold, read_threshold
from bodytext.page.tables import Page, tag_mask
from bodytext.views.paragraphs import Paragraphs

EMPTY = "the page is empty"
NO_TEXT = "the page holds no text"
NO_BODY = "no text in the page was found to be its body"

_LEAST = float(np.finfo(np.float32).tiny)  # at threshold 0 a block still needs some score

_BLANK_LINE, _LINE, _TAB = GAPS.index("\n\n"), GAPS.index("\n"), GAPS.index("\t")
_IS_CELL = tag_mask("td th")
_CELL = int(Kind.CELL)
# Kinds that follow each other line by line; a blank line separates all others.
_IN_LINES = np.isin(
    np.arange(len(Kind)), (Kind.ITEM, Kind.TERM, Kind.DEFINITION, Kind.CELL, Kind.CONTROL)
)


def select(page: Page, scores: Scores, threshold: Threshold = BOUNDARY) -> Document:
    """Return a document of the blocks that score at least the threshold, in the page's order.

    Arguments:
        page: a page, as `parse` returns it.
        scores: a number from 0 to 1 for each block, as a method returns them.
        threshold: from 0, which keeps most, to 1; or "precision", "balanced", "recall".

    Returns:
        A `Document`. One without text is false, and `document.reason` says why.

    Raises:
        ValueError: the scores do not fit the page, or the threshold has no meaning.

    Example:
        >>> page = parse("<p>Ships call at night.")
        >>> select(page, METHODS["finn"]().score(page)).text
        'Ships call at night.'
    """
    cut = read_threshold(threshold)
    values = scores.values
    if len(values) != len(page):
        raise ValueError(f"{len(values)} scores do not fit a page of {len(page)} blocks")
    kept = np.flatnonzero(values >= max(cut, _LEAST))
    if not page.runs.chars.all():  # <pre> has runs of white space alone
        kept = kept[page.per_block(page.runs.chars)[kept] > 0]
    gaps, in_row = _separate(page, kept)
    buffer, spans = page.write_texts(kept, gaps.tobytes(), in_row.tobytes())
    full = spans[0] < spans[1]
    if not full.all():  # some blocks show nothing but white space
        kept, gaps, spans = kept[full], gaps[full], spans[:, full]
    blocks = page.blocks
    offsets = np.empty_like(spans)
    offsets[0] = page.runs.start[blocks.first_run[kept]]
    offsets[1] = page.runs.end[blocks.stop_run[kept] - 1]
    columns = (spans, gaps, blocks.kind[kept], offsets, values[kept])
    for column in (*columns, kept):
        column.setflags(write=False)
    return Document(
        page.url,
        page.title,
        Paragraphs(buffer, *columns),
        reason="" if len(kept) else describe_empty(page),
        page_type=scores.page_type,
        confidence=scores.confidence,
        _source=DocumentSource(page, kept),
    )


def select_all(page: Page) -> Document:
    """Return a document of every block of a page."""
    return select(page, Scores(np.ones(len(page), dtype=np.float32)))


def _separate(
    page: Page, kept: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """Return the gap before each kept block, and which blocks share a line with others."""
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


def describe_empty(page: Page) -> str:
    """Return why a page gave no text, by the page alone; `diagnose` looks for better reasons."""
    if not page.source.strip():
        return EMPTY
    if not len(page):
        return NO_TEXT
    return NO_BODY
