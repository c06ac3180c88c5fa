"""Change the source of a page: replace pieces of it, find where elements end, write elements out."""

import re
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAGS
from bodytext.page.tables import Page, tag_mask

Edit = tuple[int, int, bytes]  # start, end, replacement

MOST_NODES = 2_000  # of an element that is written out
MOST_INSIDE = 3_000  # nodes of an element whose end is sought

_CLOSING = re.compile(rb"\s*</([a-zA-Z0-9]+)\s*>")
_VOID = tag_mask("br img hr input meta link source wbr")
_CLOSED_BY_OTHERS = frozenset(["li", "p", "td", "tr", "th", "dd", "dt", "tbody", "thead", "option"])
_OPAQUE = tag_mask("script style iframe textarea title noscript select svg")


def apply_edits(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Replace pieces of the source. Of pieces that overlap the earliest counts, then the longest."""
    parts, position = [], 0
    for start, end, new in sorted(edits, key=lambda edit: (edit[0], edit[1] > edit[0], -edit[1])):
        if start >= position:
            parts += [source[position:start], new]
            position = end
    return b"".join([*parts, source[position:]])


def _inside(page: Page, node: int, most: int) -> range:
    """The numbers of an element and of all elements in it; empty where there are too many."""
    parent, last = page.nodes.parent, node + 1
    while last < len(parent) and parent[last] >= node:
        last += 1
        if last - node > most:
            return range(0)
    return range(node, last)


def find_end(page: Page, node: int) -> int:
    """The offset after the closing tag of an element; 0 where it is not certain."""
    inside, nodes, runs = _inside(page, node, MOST_INSIDE), page.nodes, page.runs
    if not inside:
        return 0
    position, innermost = int(nodes.end[inside[-1]]), inside[-1]
    last_run = int(nodes.stop_run[node]) - 1
    if last_run >= nodes.first_run[node] and runs.end[last_run] > position:
        position, innermost = int(runs.end[last_run]), int(runs.node[last_run])
    opened = []
    while innermost >= node:
        if _OPAQUE[nodes.tag[innermost]]:
            return 0
        if not _VOID[nodes.tag[innermost]]:
            opened.append(TAGS[nodes.tag[innermost]])
        innermost = int(nodes.parent[innermost])
    return _close(page.source, position, opened)


def _close(source: bytes, position: int, opened: list[str]) -> int:
    """The offset after the closing tags of these elements; 0 where there are other tags."""
    while opened:
        match = _CLOSING.match(source, position)
        if not match:
            return 0
        name = match[1].decode().lower()
        while opened and opened[0] != name and opened[0] in _CLOSED_BY_OTHERS:
            opened.pop(0)
        if not opened or opened.pop(0) != name:
            return 0
        position = match.end()
    return position


def write_element(page: Page, node: int) -> bytes:
    """An element with every tag in it closed; empty where it has parts that are not plain text."""
    inside, nodes = _inside(page, node, MOST_NODES), page.nodes
    rows = slice(inside.start, inside.stop)
    if not inside or _OPAQUE[nodes.tag[rows]].any() or (nodes.end[rows] <= nodes.start[rows]).any():
        return b""
    parts: list[bytes] = []
    opened: list[int] = []  # elements whose closing tag is not written yet, innermost last
    for parent, element, html in _walk(page, inside):
        while opened and opened[-1] != parent:
            parts.append(_closing_tag(nodes.tag[opened.pop()]))
        parts.append(html)
        if element >= 0 and not _VOID[nodes.tag[element]]:
            opened.append(element)
    return b"".join([*parts, *(_closing_tag(nodes.tag[element]) for element in reversed(opened))])


def _walk(page: Page, inside: range) -> Iterator[tuple[int, int, bytes]]:
    """The parent, number (-1 for a text) and HTML of each tag and text, in order."""
    nodes, runs, source = page.nodes, page.runs, page.source
    pieces = [
        (int(nodes.start[element]), int(nodes.parent[element]), element) for element in inside
    ]
    first, stop = int(nodes.first_run[inside.start]), int(nodes.stop_run[inside.start])
    pieces += [(int(runs.start[run]), int(runs.node[run]), -1 - run) for run in range(first, stop)]
    for _, parent, number in sorted(pieces):
        if number < 0:
            yield parent, -1, source[runs.start[-1 - number] : runs.end[-1 - number]] + b" "
        else:
            yield parent, number, source[nodes.start[number] : nodes.end[number]]


def _closing_tag(tag: int) -> bytes:
    return b"</" + TAGS[tag].encode() + b">"


def mark_runs(page: Page, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Mark the runs of the chosen blocks."""
    sizes = page.blocks.stop_run - page.blocks.first_run
    return np.repeat(chosen, sizes)


def outermost(page: Page, fits: npt.NDArray[np.bool_]) -> list[int]:
    """The elements that fit and are in no element that fits."""
    parent = page.nodes.parent
    return np.flatnonzero(fits & ~(fits[parent] & (parent >= 0))).tolist()
