"""Read the tags and texts of small elements, fast: metadata needs dozens of them in a page."""

from bisect import bisect_right

import numpy as np

from bodytext.kernel import find_tags, read_element, read_runs
from bodytext.kernel.html import TAG, Flag
from bodytext.kernel.table_columns import NodeColumn
from bodytext.page.tables import Page

UNSEEN = int(Flag.HIDDEN | Flag.TEMPLATE | Flag.SVG | Flag.SELECT | Flag.NOSCRIPT)
ASIDE = int(Flag.BUTTON | Flag.SPOKEN)  # what may be in a headline and is not part of it
_START = int(NodeColumn.START)  # as a plain number, which is faster
_LINK = (TAG["a"],)
_MOST_LINKS = 10_000  # that are searched
_FEW_PLACES = 10  # are looked up one by one
_MOST_RUNS = 60  # of a short text; an element with more is neither a headline nor a byline


def text_of(page: Page, node: int, *, without: int = UNSEEN) -> str:
    """The visible text of a small element, white space folded; empty for an element with many runs.

    `without` has the flags of runs that are left out.
    """
    return read_element(page.source, page.tables, node, without, _MOST_RUNS)


def runs_text(page: Page, first: int, stop: int) -> str:
    """The visible text of some runs, white space folded; a space separates blocks and lines."""
    return read_runs(page.source, page.tables, first, stop, UNSEEN)


def find_links(page: Page, mark: bytes, start: int) -> list[int]:
    """The <a> elements from an offset on whose opening tags hold a mark, in order."""
    links = find_tags(page.source, page.tables[0], _LINK, (mark,), _MOST_LINKS)
    return [node for node in links if page.tables[0].item(_START, node) >= start]


def nodes_at(page: Page, places: list[int]) -> list[int]:
    """For each place in the source the element whose opening tag holds it, or -1."""
    if len(places) <= _FEW_PLACES:
        starts, ends = page.nodes.start.data, page.nodes.end.data
        found = [bisect_right(starts, place) - 1 for place in places]
        pairs = zip(found, places, strict=True)
        if all(node >= 0 and starts[node] <= place < ends[node] for node, place in pairs):
            return found  # right even if the tags are not quite in the order of their places
    nodes = page.find_nodes(places)
    is_inside = (page.nodes.start[nodes] <= places) & (page.nodes.end[nodes] > places)
    return np.where(is_inside, nodes, -1).tolist()  # type: ignore[no-any-return]
