"""Read the tags and texts of small elements, fast: metadata needs hundreds of them in a page."""

from bisect import bisect_right

import numpy as np

from bodytext.kernel import find_tags
from bodytext.kernel.html import TAG, Flag
from bodytext.kernel.table_columns import BlockColumn, NodeColumn, RunColumn
from bodytext.kernel.tokens import unescape
from bodytext.page.tables import Page

# As plain numbers: testing a flag takes a microsecond.
_FIRST_RUN, _STOP_RUN = int(NodeColumn.FIRST_RUN), int(NodeColumn.STOP_RUN)
_START, _END, _FLAGS = _COLUMNS = [
    int(column) for column in (RunColumn.START, RunColumn.END, RunColumn.FLAGS)
]
_BLOCK_START = int(BlockColumn.FIRST_RUN)
_VERBATIM = int(Flag.VERBATIM)
_APART = int(Flag.SPACE | Flag.LINE)
UNSEEN = int(Flag.HIDDEN | Flag.TEMPLATE | Flag.SVG | Flag.SELECT | Flag.NOSCRIPT)
ASIDE = int(Flag.BUTTON | Flag.SPOKEN)  # what may be in a headline and is not part of it
_LINK = (TAG["a"],)
_MOST_LINKS = 10_000  # that are searched
_FEW_PLACES = 10  # are looked up one by one
_MOST_RUNS = 60  # of a short text; an element with more is neither a headline nor a byline


def text_of(page: Page, node: int, *, without: int = UNSEEN) -> str:
    """The visible text of a small element, white space folded; empty for an element with many runs.

    `without` has the flags of runs that are left out.
    """
    first, stop = runs_of(page, node)
    return runs_text(page, first, stop, without=without) if stop - first <= _MOST_RUNS else ""


def runs_of(page: Page, node: int) -> tuple[int, int]:
    """The first run of an element, and the one after its last."""
    item = page.tables[0].item
    return item(_FIRST_RUN, node), item(_STOP_RUN, node)


def runs_text(page: Page, first: int, stop: int, *, without: int = UNSEEN) -> str:
    """The visible text of some runs, white space folded; a space separates blocks and lines."""
    if first >= stop:
        return ""
    runs = page.tables[1]
    if stop - first == 1:
        flag = runs.item(_FLAGS, first)
        if flag & without:
            return ""
        text = page.source[runs.item(_START, first) : runs.item(_END, first)].decode(
            "utf-8", "replace"
        )
        return " ".join((text if flag & _VERBATIM else unescape(text)).split())
    starts, ends, flags = runs[_COLUMNS, first:stop].tolist()
    begins = page.tables[2][_BLOCK_START].data
    block = bisect_right(begins, first)  # the first that begins inside
    parts: list[str] = []
    for run, start, end, flag in zip(range(first, stop), starts, ends, flags, strict=True):
        if block < len(begins) and run == begins[block]:
            block += 1
            parts.append(" ")
        if flag & without:
            continue
        if flag & _APART:
            parts.append(" ")
        text = page.source[start:end].decode("utf-8", "replace")
        parts.append(text if flag & _VERBATIM else unescape(text))
    return " ".join("".join(parts).split())


def find_links(page: Page, mark: bytes, start: int) -> list[int]:
    """The <a> elements from an offset on whose opening tags hold a mark, in order."""
    links = find_tags(page.source, page.tables[0], _LINK, (mark,), _MOST_LINKS)
    starts = page.nodes.start.data
    return [node for node in links if starts[node] >= start]


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
