"""Find the text in the elements of a page that a reader does not see.

Some pages have their text in elements that a script shows later (`<div hidden>`, `display:none`),
or in <noscript> and <template>. Parsed alone, without the tag that hides it, that text is an
ordinary page. Everything else is replaced by blanks, byte for byte, so offsets in it are offsets in
the page.
"""

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from bodytext.kernel import count_unseen, nearest_marked
from bodytext.kernel.html import TAG, Flag, NodeFlag
from bodytext.page.tables import Page


class Hiding(StrEnum):
    """How markup can be unseen."""

    NOSCRIPT = "noscript"
    HIDDEN = "hidden"
    TEMPLATE = "template"


_FLAGS = tuple(int(Flag[hiding.name]) for hiding in Hiding)


def unseen_words(page: Page) -> list[int]:
    """How many words of prose are in unseen elements of each kind; menus and buttons do not count."""
    return count_unseen(page.tables, _FLAGS)


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
