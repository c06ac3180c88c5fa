"""select: Page + Scores -> Document."""

import numpy as np
import numpy.typing as npt

from bodytext.document import Document, Paragraph
from bodytext.markup import TAG, Kind
from bodytext.page import Page, kind_name

Scores = npt.NDArray[np.float32]

BOUNDARY = 0.5  # for every method

_CELL_TAGS = frozenset({TAG["td"], TAG["th"]})
# Kinds that follow each other line by line; all others are apart by a blank line.
_IN_LINES = frozenset({Kind.ITEM, Kind.TERM, Kind.DEFINITION, Kind.CELL, Kind.CONTROL})


def select(page: Page, scores: Scores, threshold: float = BOUNDARY) -> Document:
    """The blocks that score at least the threshold, in the page's order."""
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must lie between 0 and 1, not {threshold}")
    kept = np.flatnonzero(scores >= max(threshold, np.finfo(np.float32).tiny))
    paragraphs = _paragraphs(page, scores, kept)
    return Document(page.url, page.title, paragraphs, "" if paragraphs else _reason(page))


def _paragraphs(page: Page, scores: Scores, kept: npt.NDArray[np.intp]) -> tuple[Paragraph, ...]:
    blocks, runs = page.blocks, page.runs
    columns = (
        page.texts(kept.tolist()),
        blocks.kind[kept].tolist(),
        blocks.node[kept].tolist(),
        runs.start[blocks.first_run[kept]].tolist(),
        runs.end[blocks.stop_run[kept] - 1].tolist(),
        scores[kept].tolist(),
    )
    paragraphs: list[Paragraph] = []
    before = (int(Kind.OTHER), -1)
    for text, kind, node, start, end, score in zip(*columns, strict=True):
        if text:
            gap = _gap(page, before, (kind, node)) if paragraphs else ""
            paragraphs.append(Paragraph(text, _KIND_NAMES[kind], start, end, score, gap))
            before = (kind, node)
    return tuple(paragraphs)


def _gap(page: Page, before: tuple[int, int], here: tuple[int, int]) -> str:
    """What parts two kept blocks, each given by its kind and the element that holds it."""
    (kind_before, cell_before), (kind, cell) = before, here
    if kind not in _IN_LINES or kind_before not in _IN_LINES:
        return "\n\n"
    nodes = page.nodes
    if kind == kind_before == Kind.CELL and cell != cell_before and nodes.parent[cell] == nodes.parent[cell_before]:
        return "\t" if nodes.tag[cell] in _CELL_TAGS and nodes.tag[cell_before] in _CELL_TAGS else "\n"
    return "\n"


def _reason(page: Page) -> str:
    if not page.source.strip():
        return "the page is empty"
    if not len(page):
        return "the page holds no text"
    return "no text in the page was found to be its body"


_KIND_NAMES = [kind_name(kind) for kind in Kind]
