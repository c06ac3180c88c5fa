"""Make variants of a page, so that a network sees more sites than the training data has.

A network that is trained on a thousand pages memorises the class names, tags and boxes of their
sites. In a variant, some class names are scrambled or left out, some sectioning tags become plain
ones, paragraphs become line breaks and layouts tables, some elements are left out, and boxes from
other pages are inserted. The body text does not change; `content_variants` has variants whose body
text does.
"""

import re
import zlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAGS
from bodytext.page.tables import Page, tag_mask
from bodytext.studio.training.page_edits import (
    Edit,
    apply_edits,
    find_end,
    mark_runs,
    write_element,
)

SCRAMBLE = 0.5  # chance that a page's class names and ids are scrambled
SCRAMBLED_SHARES = (0.3, 0.6, 1.0)  # of the names
SILENT = 0.12  # chance that nothing but the layout tells: no names, sectioning tags or metadata
PLAIN = 0.5  # chance that some sectioning tags become <div>
PLAIN_SHARE = 0.35  # of the sectioning tags
PLAIN_PARAGRAPHS = 0.1  # chance that every <p> becomes a <div>
BREAKS = 0.06  # chance that every <p> becomes two line breaks
TABLES = 0.06  # chance that every section and <div> becomes a table of one cell
LEAVE_OUT = 0.6  # chance that elements are left out
MOST_LEFT_OUT = 4
LEFT_OUT_SHARE = 0.25  # of the page's words: the most in an element that is left out
PUT_IN = 0.6  # chance that boxes are inserted
MOST_PUT_IN = 4
NO_META = 0.1  # chance that a <meta> is removed
NO_LINKED_DATA = 0.25  # chance that JSON-LD is removed
BOX_WORDS = (8, 300)
BOXES_A_PAGE = 12

Rename = Callable[[bytes], bytes]

_NAMES = re.compile(rb"""(\s(?:class|id)\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)
_SCRIPT = re.compile(rb"<script[^>]*+(?:>|\Z)", re.IGNORECASE)
_SCRIPT_END = re.compile(rb"</script>", re.IGNORECASE)
_SECTIONS = ("main", "article", "section", "header", "footer", "nav", "aside")
_BOXES = tag_mask("div section aside ul footer nav form header")
_PLACES = tag_mask("p div section h2 h3 h4 ul table figure")
# What opening and closing tags become; the rest of the opening tag follows its first part.
_PLAIN_TAG = (b"<div", b"</div>")
_BREAK_TAG = (b"<br><br ", b"")
_TABLE_TAG = (b"<table><tr><td", b"</td></tr></table>")


def vary(
    page: Page, boxes: Sequence[bytes], random: np.random.Generator, edits: Sequence[Edit] = ()
) -> str:
    """A variant of the page, as HTML; `edits` are changes to its body text that were chosen before."""
    is_silent = random.random() < SILENT
    rename = _drop_names if is_silent else _choose_names(random)
    changes = [*edits]
    if random.random() < LEAVE_OUT:
        changes += _leave_out(page, random)
    tags = _choose_tags(random)
    if is_silent:
        tags = dict.fromkeys(_SECTIONS, _PLAIN_TAG) | tags
    changes += _retag(page, rename, tags, random, 1.0 if is_silent else NO_META)
    if boxes and random.random() < PUT_IN:
        changes += _put_in(page, boxes, rename, random)
    source = apply_edits(page.source, changes)
    for name, (_, closing) in tags.items():
        source = re.sub(rb"</" + name.encode() + rb"[\s>]>?", closing, source, flags=re.IGNORECASE)
    if is_silent or random.random() < NO_LINKED_DATA:
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


def _choose_tags(random: np.random.Generator) -> dict[str, tuple[bytes, bytes]]:
    """The tags that become others."""
    tags = {}
    if random.random() < PLAIN:
        tags = {name: _PLAIN_TAG for name in _SECTIONS if random.random() < PLAIN_SHARE}
    if random.random() < TABLES:
        tags = dict.fromkeys((*_SECTIONS, "div"), _TABLE_TAG)
    if random.random() < PLAIN_PARAGRAPHS:
        tags["p"] = _PLAIN_TAG
    if random.random() < BREAKS:
        tags["p"] = _BREAK_TAG
    return tags


def find_boxes(
    page: Page, content: npt.NDArray[np.bool_], random: np.random.Generator
) -> list[bytes]:
    """Elements of a page without content, as well-formed HTML, to be inserted into other pages."""
    nodes, marked = page.nodes, mark_runs(page, content).astype(np.int32)
    words = page.per_node(page.runs.words)
    fits = (
        (page.per_node(marked) == 0)
        & (words >= BOX_WORDS[0])
        & (words <= BOX_WORDS[1])
        & _BOXES[nodes.tag]
    )
    chosen = random.permutation(np.flatnonzero(fits))[:BOXES_A_PAGE]
    return [box for box in (write_element(page, int(node)) for node in chosen) if box]


def _drop_names(tag: bytes) -> bytes:
    return _NAMES.sub(b"", tag)


def _choose_names(random: np.random.Generator) -> Rename:
    """A function that scrambles some of the names in a tag; equal names stay equal."""
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
    page: Page,
    rename: Rename,
    tags: dict[str, tuple[bytes, bytes]],
    random: np.random.Generator,
    no_meta: float,
) -> Iterator[Edit]:
    nodes = page.nodes
    for tag, start, end in zip(
        nodes.tag.tolist(), nodes.start.tolist(), nodes.end.tolist(), strict=True
    ):
        if end <= start:
            continue
        old, name = page.source[start:end], TAGS[tag]
        new = rename(old)
        if name in tags:
            new = tags[name][0] + new[1 + len(name) :]
        if name == "meta" and random.random() < no_meta:
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
        end = find_end(page, node)
        if end:
            yield int(page.nodes.start[node]), end, b""


def _put_in(
    page: Page,
    boxes: Sequence[bytes],
    rename: Rename,
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
