"""Make variants of a labelled page, so that a network sees more sites than the training data has.

A network that is trained on a thousand pages memorises the class names, tags and boxes of their
sites. In a variant, some class names are scrambled, some sectioning tags become plain ones, some
elements are left out, and boxes from other pages are inserted. The body text does not change.
"""

import re
import zlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAGS
from bodytext.page.tables import Page, tag_mask

Edit = tuple[int, int, bytes]  # start, end, replacement

SCRAMBLE = 0.5  # chance that a page's class names and ids are scrambled
SCRAMBLED_SHARES = (0.3, 0.6, 1.0)  # of the names
PLAIN = 0.5  # chance that some sectioning tags become <div>
PLAIN_SHARE = 0.35  # of the sectioning tags
PLAIN_PARAGRAPHS = 0.1  # chance that every <p> becomes a <div>
LEAVE_OUT = 0.6  # chance that elements are left out
MOST_LEFT_OUT = 4
LEFT_OUT_SHARE = 0.25  # of the page's words: the most in an element that is left out
PUT_IN = 0.6  # chance that boxes are inserted
MOST_PUT_IN = 4
NO_META = 0.1  # chance that a <meta> is removed
NO_LINKED_DATA = 0.25  # chance that JSON-LD is removed
BOX_WORDS = (8, 300)
BOXES_A_PAGE = 12
MOST_NODES = 800  # of a box
MOST_INSIDE = 3_000  # nodes of an element that is left out

_NAMES = re.compile(rb"""(\s(?:class|id)\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)
_CLOSING = re.compile(rb"\s*</([a-zA-Z0-9]+)\s*>")
_SCRIPT = re.compile(rb"<script[^>]*+(?:>|\Z)", re.IGNORECASE)
_SCRIPT_END = re.compile(rb"</script>", re.IGNORECASE)
_SECTIONS = ("main", "article", "section", "header", "footer", "nav", "aside")
_BOXES = tag_mask("div section aside ul footer nav form header")
_PLACES = tag_mask("p div section h2 h3 h4 ul table figure")
_VOID = tag_mask("br img hr input meta link source wbr")
_CLOSED_BY_OTHERS = frozenset(["li", "p", "td", "tr", "th", "dd", "dt", "tbody", "thead", "option"])
_OPAQUE = tag_mask("script style iframe textarea title noscript select svg")


def vary(page: Page, boxes: Sequence[bytes], random: np.random.Generator) -> str:
    """A variant of the page, as HTML."""
    rename = _scrambler(random)
    edits = list(_leave_out(page, random)) if random.random() < LEAVE_OUT else []
    plain = _choose_plain(random)
    edits += _retag(page, rename, plain, random)
    if boxes and random.random() < PUT_IN:
        edits += _put_in(page, boxes, rename, random)
    source = _apply(page.source, edits)
    for name in plain:
        source = re.sub(
            rb"</" + name.encode() + rb"(?=[\s>])", b"</div", source, flags=re.IGNORECASE
        )
    if random.random() < NO_LINKED_DATA:
        source = _without_linked_data(source)
    return source.decode("utf-8", "replace")


def _without_linked_data(source: bytes) -> bytes:
    """A page without its JSON-LD."""
    kept: list[bytes] = []
    start = position = 0
    while script := _SCRIPT.search(source, position):
        position = script.end()
        if b"ld+json" not in script[0].lower():
            continue
        end = _SCRIPT_END.search(source, position)
        if not end:
            break
        kept.append(source[start : script.start()])
        start = position = end.end()
    return b"".join((*kept, source[start:]))


def _choose_plain(random: np.random.Generator) -> set[str]:
    """The tags that become <div>."""
    plain = set()
    if random.random() < PLAIN:
        plain = {name for name in _SECTIONS if random.random() < PLAIN_SHARE}
    if random.random() < PLAIN_PARAGRAPHS:
        plain.add("p")
    return plain


def find_boxes(
    page: Page, content: npt.NDArray[np.bool_], random: np.random.Generator
) -> list[bytes]:
    """Elements of a page without content, as well-formed HTML, to be inserted into other pages."""
    nodes, marked = page.nodes, np.zeros(len(page.runs.start), dtype=np.int32)
    for block in np.flatnonzero(content).tolist():
        marked[page.blocks.first_run[block] : page.blocks.stop_run[block]] = 1
    words = page.per_node(page.runs.words)
    fits = (
        (page.per_node(marked) == 0)
        & (words >= BOX_WORDS[0])
        & (words <= BOX_WORDS[1])
        & _BOXES[nodes.tag]
    )
    chosen = random.permutation(np.flatnonzero(fits))[:BOXES_A_PAGE]
    return [box for box in (_write_element(page, int(node)) for node in chosen) if box]


def _scrambler(random: np.random.Generator) -> Callable[[bytes], bytes]:
    """A function that scrambles the names in a tag; equal names stay equal."""
    share = float(random.choice(SCRAMBLED_SHARES)) if random.random() < SCRAMBLE else 0.0
    salt = random.bytes(4)

    def rename(name: bytes) -> bytes:
        mark = zlib.crc32(name + salt)
        return b"q%x" % mark if mark % 100 < 100 * share else name

    def replace(match: re.Match[bytes]) -> bytes:
        quote = match[2][:1] if match[2][:1] in b"\"'" else b""
        return match[1] + quote + b" ".join(map(rename, match[2].strip(b"\"'").split())) + quote

    return lambda tag: _NAMES.sub(replace, tag) if share else tag


def _retag(
    page: Page, rename: Callable[[bytes], bytes], plain: set[str], random: np.random.Generator
) -> Iterator[Edit]:
    nodes = page.nodes
    for tag, start, end in zip(
        nodes.tag.tolist(), nodes.start.tolist(), nodes.end.tolist(), strict=True
    ):
        if end <= start:
            continue
        old, name = page.source[start:end], TAGS[tag]
        new = rename(old)
        if name in plain:
            new = b"<div" + new[1 + len(name) :]
        if name == "meta" and random.random() < NO_META:
            new = b""
        if new != old:
            yield start, end, new


def _leave_out(page: Page, random: np.random.Generator) -> Iterator[Edit]:
    words = page.per_node(page.runs.words)
    small = (
        (words > 3)
        & (words < LEFT_OUT_SHARE * page.runs.words.sum())
        & (page.nodes.end > page.nodes.start)
    )
    for node in random.permutation(np.flatnonzero(small))[
        : random.integers(1, MOST_LEFT_OUT + 1)
    ].tolist():
        end = _find_end(page, node)
        if end:
            yield int(page.nodes.start[node]), end, b""


def _put_in(
    page: Page,
    boxes: Sequence[bytes],
    rename: Callable[[bytes], bytes],
    random: np.random.Generator,
) -> Iterator[Edit]:
    nodes = page.nodes
    places = np.flatnonzero(
        _PLACES[nodes.tag] & (nodes.end > nodes.start) & (nodes.stop_run > nodes.first_run)
    )
    if not len(places):
        return
    for _ in range(random.integers(1, MOST_PUT_IN + 1)):
        box = boxes[int(random.integers(len(boxes)))]
        start = int(nodes.start[random.choice(places)])
        yield start, start, rename(box) if random.random() < 0.5 else box


def _apply(source: bytes, edits: list[Edit]) -> bytes:
    parts, position = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
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


def _find_end(page: Page, node: int) -> int:
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


def _write_element(page: Page, node: int) -> bytes:
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
