"""Read what a page's head and address say about it, in Python: the specification of `head_native.pyx`."""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.class_names import TOPIC_NAMES
from bodytext.kernel.clues import find_tags, read_topics
from bodytext.kernel.feature_columns import (
    ADDRESS_NAMES,
    DECLARED_NAMES,
    HAS_DATA,
    MOST_HEAD_TAGS,
    MOST_PATH,
    MOST_TOLD,
    THING_OF,
)
from bodytext.kernel.html import TAG, TAGS
from bodytext.kernel.scanner import nearest_marked
from bodytext.kernel.table_columns import NodeColumn
from bodytext.kernel.tokens import unescape

Column = npt.NDArray[np.int32]
Nodes = Sequence[Column] | Column

_TITLE, _SVG = TAG["title"], TAG["svg"]
_SEARCHES = (
    (TAG["meta"], (b"escription", b"og:type")),
    (TAG["script"], (b"ld+json",)),
    (TAG["link"], (b"canonical",)),
)
_CONTENT = re.compile(
    rb'content\s{0,9}=\s{0,9}(?:"([^"]{0,2000})|\'([^\']{0,2000})|([^\s>]{1,200}))', re.IGNORECASE
)
_TYPE = re.compile(rb'"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"([A-Za-z:/.]{1,60})"')
_DATED = re.compile(r"/(?:19|20)\d\d[/-]?[01]?\d")
_AFTER_NAME = frozenset(bytes([byte]) for byte in b"\t\n\f\r />")
_WITHOUT_PARTS = bytes(range(0xC3)) + b"\xe2"  # of letters and signs that have no parts


def find_content(source: bytes, nodes: Nodes, node: int) -> tuple[int, int]:
    """Return where the content of a raw-text element, such as <title> or <script>, starts and ends.

    There are no elements in it. So it ends where the next one starts, if it is never closed.
    """
    starts, start = nodes[NodeColumn.START], int(nodes[NodeColumn.END][node])
    later = node + 1
    while later < len(starts) and starts[later] < start:  # before a table that cannot hold it
        later += 1
    stop = int(starts[later]) if later < len(starts) else len(source)
    return start, _find_close(source, TAGS[nodes[NodeColumn.TAG][node]].encode(), start, stop)


def _find_close(source: bytes, name: bytes, start: int, stop: int) -> int:
    """Return where the first end tag with a name, in small letters, begins, or `stop`."""
    place, size = start, len(name)
    while (place := source.find(b"</", place, stop)) >= 0:
        end = place + 2 + size
        if source[place + 2 : end].lower() == name and source[end : end + 1] in _AFTER_NAME:
            return place
        place += 2
    return stop


def read_title(source: bytes, nodes: Nodes) -> str:
    """Return the text of the first <title> outside of drawings, white space folded; or nothing."""
    tags = np.asarray(nodes[NodeColumn.TAG])
    is_drawn = nearest_marked(tags == _SVG, nodes[NodeColumn.PARENT]) >= 0
    titles = ((tags == _TITLE) & ~is_drawn).nonzero()[0]
    if not len(titles):
        return ""
    start, end = find_content(source, nodes, int(titles[0]))
    text = unescape(source[start:end].decode("utf-8")).replace("\0", "")
    return " ".join(text.split())


def read_head(
    source: bytes, nodes: Nodes
) -> tuple[bytes, bytes, bool, list[float], tuple[int, int]]:
    """Return what the tags of a page's head tell.

    That is its description; its structured data; whether these have letters that may be written in
    parts; which of DECLARED_NAMES it declares; and where its canonical link starts and ends, both 0
    if there is none.
    """
    metas, scripts, links = (_search(source, nodes, *search) for search in _SEARCHES)
    things, description, told = [0.0] * len(DECLARED_NAMES), b"", b""
    for start, end in metas:
        tag = source[start:end]
        if not description and b"escription" in tag:
            description = _read_content(tag)
        elif b"og:type" in tag:
            _note(things, _read_content(tag))
    for _, end in scripts:
        things[HAS_DATA] = 1
        stop = source.find(b"</script", end)
        stop = stop if stop >= 0 else len(source)
        told += source[end : min(stop, end + MOST_TOLD - len(told))]
        for name in _TYPE.findall(source, end, stop):
            _note(things, name)
    may_have_parts = bool((description + told).translate(None, _WITHOUT_PARTS))
    return description, told, may_have_parts, things, links[0] if links else (0, 0)


def _search(source: bytes, nodes: Nodes, tag: int, words: Sequence[bytes]) -> list[tuple[int, int]]:
    """Return where the tags of a name that hold one of the words start and end."""
    found = find_tags(source, nodes, (tag,), words, MOST_HEAD_TAGS)
    starts, ends = nodes[NodeColumn.START], nodes[NodeColumn.END]
    return [(int(starts[node]), int(ends[node])) for node in found]


def _read_content(tag: bytes) -> bytes:
    match = _CONTENT.search(tag)
    return match[match.lastindex or 0] if match else b""


def _note(things: list[float], name: bytes) -> None:
    thing = THING_OF.get(name.rpartition(b"/")[2].lower().strip())
    if thing is not None:
        things[thing] = 1


def read_address(url: str) -> list[float]:
    """Return the features of an address: its form, and the topics of its words."""
    nothing = [0.0] * len(ADDRESS_NAMES)
    if not url:
        return nothing
    from urllib.parse import urlsplit  # a first page without an address should not wait for it

    try:
        parts = urlsplit(url)
    except ValueError:
        return nothing
    path = parts.path
    steps = [step for step in path.split("/") if step]
    last = steps[-1] if steps else ""
    topics = read_topics(path[:MOST_PATH].encode("ascii", "replace"))
    return [
        1.0,
        float(not steps),
        min(len(steps), 8) / 8,
        min(sum(map(str.isdigit, path)), 12) / 12,
        min(last.count("-"), 12) / 12,
        float(bool(parts.query)),
        float(bool(_DATED.search(path))),
        float("." in last[-6:]),
        float(path.endswith("/")),
        min(len(last), 100) / 100,
        *(float(topics >> topic & 1) for topic in range(len(TOPIC_NAMES))),
    ]
