"""Page + an element -> its attributes and its text, read fast: metadata looks at hundreds of small elements a page."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from bodytext._kernel.tokens import unescape
from bodytext.markup import Flag
from bodytext.page import Page

Numbers = npt.NDArray[np.intp]

# Every attribute matches, with a value or without, so that a flood of names is read once. Quotes of a tag are closed.
_ATTRIBUTE = re.compile(
    r"""([^\s"'>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>][^\s>]*+)))?+""",
)
_APART = int(Flag.SPACE | Flag.LINE)
_UNSEEN = int(Flag.HIDDEN | Flag.TEMPLATE | Flag.SVG | Flag.SELECT | Flag.NOSCRIPT)
_MOST_RUNS = 60  # of a short text; a node with more is no headline and no byline


def read_attributes(page: Page, node: int) -> dict[str, str]:
    """The attributes of an element, names in lower case; of duplicates the first counts."""
    found = attributes_of([page.source[page.nodes.start[node] : page.nodes.end[node]]])
    return found[0] if found else {}


def attributes_of(tags: list[bytes]) -> list[dict[str, str]]:
    """The attributes of opening tags, read in one go.

    >>> attributes_of([b'<meta name=a CONTENT="b &amp; c" hidden>', b"<br>"])
    [{'name': 'a', 'content': 'b & c', 'hidden': ''}, {}]
    """
    found: list[dict[str, str]] = []
    own: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(b" ".join(tags).decode("utf-8", "replace")):
        if name[0] == "<":
            own = {}
            found.append(own)
        elif (key := name.lower()) not in own:
            value = double or single or bare
            own[key] = unescape(value) if "&" in value else value
    return found


def tags_with(tags: list[bytes], marks: Iterable[bytes]) -> list[int]:
    """Which of some tags hold any of the marks, whatever their case; all tags are searched in one go."""
    joined = b"\n".join(tags).lower()
    ends = list(accumulate(len(tag) + 1 for tag in tags))
    places = [place for mark in marks for place in find_places(joined, mark, len(tags))]
    return sorted({bisect_right(ends, place) for place in places})


def text_of(page: Page, node: int, *, hidden: bool = False) -> str:
    """What a reader sees of a small element, or all of its text, white space folded; nothing of one with many runs."""
    first, stop = int(page.nodes.first_run[node]), int(page.nodes.stop_run[node])
    return runs_text(page, first, stop, hidden=hidden) if stop - first <= _MOST_RUNS else ""


def runs_text(page: Page, first: int, stop: int, *, hidden: bool = False) -> str:
    """What a reader sees of some runs, white space folded; blocks and lines are apart by a space."""
    if first >= stop:
        return ""
    runs = page.runs
    if stop - first == 1:
        flag = int(runs.flags[first])
        text = page.source[runs.start[first] : runs.end[first]].decode("utf-8", "replace")
        if flag & _UNSEEN and not hidden:
            return ""
        return " ".join((text if flag & Flag.VERBATIM else unescape(text)).split())
    starts, ends = runs.start[first:stop].tolist(), runs.end[first:stop].tolist()
    flags = runs.flags[first:stop].tolist()
    blocks = np.searchsorted(page.blocks.first_run, np.arange(first, stop), side="right").tolist()
    parts: list[str] = []
    block = blocks[0]
    for start, end, flag, own in zip(starts, ends, flags, blocks, strict=True):
        if flag & _UNSEEN and not hidden:
            continue
        if flag & _APART or own != block:
            parts.append(" ")
        block = own
        text = page.source[start:end].decode("utf-8", "replace")
        parts.append(text if flag & Flag.VERBATIM else unescape(text))
    return " ".join("".join(parts).split())


def find_nodes(page: Page, mark: bytes, most: int, start: int = 0) -> list[int]:
    """The elements in whose opening tag some bytes stand, in order; of these places the first `most` are looked at."""
    found = nodes_at(page, find_places(page.source, mark, most, start))
    return [node for node in dict.fromkeys(found) if node >= 0]


def nodes_at(page: Page, places: list[int]) -> list[int]:
    """For places in the source, the element whose opening tag holds each; -1 where none does."""
    if not places:
        return []
    start = page.nodes.start
    order = np.argsort(start, kind="stable")  # an element that was opened anew has its old offset
    found = order[np.searchsorted(start[order], places, side="right") - 1]
    return np.where((start[found] <= places) & (page.nodes.end[found] > places), found, -1).tolist()  # type: ignore[no-any-return]


def find_places(source: bytes, mark: bytes, most: int, start: int = 0) -> list[int]:
    """Where some bytes stand, the first `most` times."""
    places: list[int] = []
    place = source.find(mark, start)
    while place >= 0 and len(places) < most:
        places.append(place)
        place = source.find(mark, place + len(mark))
    return places
