"""Find the text in the elements of a page that a reader does not see.

Some pages have their text in elements that a script shows later (`<div hidden>`, `display:none`),
or in <noscript> and <template>. Parsed alone, without the tag that hides it, that text is an
ordinary page. Everything else is replaced by blanks, byte for byte, so offsets in it are offsets in
the page.
"""

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from bodytext.kernel import join_flags, nearest_marked
from bodytext.kernel.html import TAG, Flag, NodeFlag
from bodytext.kernel.table_columns import RunColumn
from bodytext.page.tables import Page


class Hiding(StrEnum):
    """How markup can be unseen."""

    NOSCRIPT = "noscript"
    HIDDEN = "hidden"
    TEMPLATE = "template"


_COLUMN = int(RunColumn.FLAGS)
_FLAGS = {hiding: int(Flag[hiding.name]) for hiding in Hiding}
_ANY = sum(_FLAGS.values())
_LEAST_WORDS = 10  # of a block of prose


def find_hidings(page: Page) -> list[Hiding]:
    """The ways in which texts of a page are unseen; none, on most pages."""
    joined = join_flags(page.tables[1][_COLUMN])
    if not joined & _ANY:
        return []
    return [hiding for hiding, flag in _FLAGS.items() if joined & flag]


def unseen_words(page: Page, hiding: Hiding) -> int:
    """How many words of prose are in unseen elements of a kind; menus and buttons do not count."""
    runs = page.runs
    is_unseen = (runs.flags & _FLAGS[hiding]) != 0
    if not is_unseen.any():
        return 0
    words, chars, linked = map(page.per_block, (runs.words, runs.chars, runs.linked))
    unseen = page.per_block(np.where(is_unseen, runs.chars, 0))
    is_prose = (words >= _LEAST_WORDS) & (linked * 2 < chars)
    return int(words[(unseen * 2 > chars) & is_prose].sum())


def unseen_markup(page: Page, hiding: Hiding) -> bytes:
    """The source with blanks for everything outside such elements and for their own tags."""
    runs, nodes = page.runs, page.nodes
    kept = bytearray(b" ") * len(page.source)
    for node in _outermost(page, hiding).tolist():
        if nodes.first_run[node] < nodes.stop_run[node]:
            start, end = int(nodes.end[node]), int(runs.end[nodes.stop_run[node] - 1])
            kept[start:end] = page.source[start:end]
    return bytes(kept)


def _outermost(page: Page, hiding: Hiding) -> npt.NDArray[np.intp]:
    """The elements of a kind that are inside no other of it."""
    nodes = page.nodes
    marked = (nodes.flags & int(NodeFlag.HIDDEN)) != 0
    if hiding is not Hiding.HIDDEN:
        marked = nodes.tag == TAG[hiding.value]
    above = nearest_marked(marked, nodes.parent)
    inside = np.where(nodes.parent >= 0, above[nodes.parent], -1) >= 0
    return np.flatnonzero(marked & ~inside)
