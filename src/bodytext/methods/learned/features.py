"""Read the features of a page: a row of numbers for each block, one for the page, and which blocks are alike.

Everything is counted from the flat tables: running sums over the runs serve every block and every element around it.
The words themselves are not read, so a page looks the same in any language. `block_names` and `page_names` name the
columns; `bodytext.kernel.survey` counts them.
"""

import re
from dataclasses import replace
from functools import cache
from unicodedata import normalize

from bodytext.kernel import Survey, read_topics, read_values, search_tags
from bodytext.kernel.class_names import TOPIC_NAMES
from bodytext.kernel.feature_columns import (
    ADDRESS_NAMES,
    BLOCK_NAMES,
    DECLARED,
    DECLARED_NAMES,
    PAGE_NAMES,
)
from bodytext.kernel.html import TAG
from bodytext.page.tables import Page

_THING = {
    name.encode(): number
    for number, names in enumerate(DECLARED.values())
    for name in names.split()
}
_HAS_DATA = DECLARED_NAMES.index("page has json-ld")
_TYPE = re.compile(rb'"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"([A-Za-z:/.]{1,60})"')
_CONTENT = re.compile(
    rb'content\s{0,9}=\s{0,9}(?:"([^"]{0,2000})|\'([^\']{0,2000})|([^\s>]{1,200}))', re.IGNORECASE
)
_META, _SCRIPT, _LINK = TAG["meta"], TAG["script"], TAG["link"]
_Spans = list[tuple[int, int]]

# Limits that no honest page comes near.
_MOST_TAGS = 64  # the most meta elements, and the most scripts, that are read
_MOST_TOLD = 32_768  # bytes of structured data whose words are sought in the text
# In the source of a page that writes letters in parts (NFD): accents, the marks of kana, Hangul. The first byte of each
# is looked for first: few pages have it, and it is found ten times as fast.
_PARTS = {b"\xcc": (b"\xcc",), b"\xe3": (b"\xe3\x82\x99", b"\xe3\x82\x9a"), b"\xe1": (b"\xe1\x84",)}
_WITHOUT_PARTS = bytes(range(0xC3)) + b"\xe2"  # of letters and signs that have no parts
_MOST_LINKS = 64  # <link>s that are searched for the page's own address
_MOST_PATH = 400  # characters of an address whose words are read

_DATED = re.compile(r"/(?:19|20)\d\d[/-]?[01]?\d")
_SEARCHES = (
    (_META, (b"escription", b"og:type"), _MOST_TAGS),
    (_SCRIPT, (b"ld+json",), _MOST_TAGS),
    (_LINK, (b"canonical",), _MOST_LINKS),
)


def read_features(page: Page, *, seeks_address: bool = False) -> Survey:
    """Return the features of a page. An address that is not known can be sought in the page."""
    metas, scripts, links = search_tags(page.source, page.tables[0], _SEARCHES)
    told, things = _read_head(page, metas, scripts)
    things += _read_address(_find_address(page, links) if seeks_address else page.url)
    return Survey(page.source, page.tables, told, things)


def with_address(page: Page) -> Page:
    """Return the page with the canonical address that it names, if its address is not known."""
    address = _find_address(page, *search_tags(page.source, page.tables[0], _SEARCHES[2:]))
    return replace(page, url=address) if address != page.url else page


def _find_address(page: Page, links: _Spans) -> str:
    """Return the page's address or, if it is not known, the one that the first canonical link names."""
    if page.url or not links:
        return page.url
    return read_values(page.source, *links[0]).get("href", "")


def _read_head(
    page: Page, metas: _Spans, scripts: _Spans
) -> tuple[tuple[bytes, bytes, bytes], list[float]]:
    """Return the title, description and structured data of a page, and the kinds of things that it declares."""
    source, things = page.source, [0.0] * len(DECLARED_NAMES)
    description = b""
    told: list[bytes] = []
    left = _MOST_TOLD
    for start, end in metas:
        tag = source[start:end]
        if not description and b"escription" in tag:
            description = _read_content(tag)
        elif b"og:type" in tag:
            _note(things, _read_content(tag))
    for _, end in scripts:
        things[_HAS_DATA] = 1
        stop = source.find(b"</script", end)
        stop = stop if stop >= 0 else len(source)
        told.append(source[end : min(stop, end + left)])
        left -= len(told[-1])
        for name in set(_TYPE.findall(source, end, stop)):
            _note(things, name)
    title, data = page.title.encode(), b"".join(told)
    # To look through the page takes time.
    if (title + description + data).translate(None, _WITHOUT_PARTS) and _has_parts(source):
        title, description, data = map(_in_both_forms, (title, description, data))
    return (title, description, data), things


def _has_parts(source: bytes) -> bool:
    """Return whether a page writes any letters in parts."""
    return any(
        begins in source and any(part in source for part in parts)
        for begins, parts in _PARTS.items()
    )


def _in_both_forms(text: bytes) -> bytes:
    """Return a text with its letters whole, and again with its letters in parts.

    The text of the page may have either form. Its words are found in both.
    """
    told = text.decode("utf-8", "replace")
    return " ".join(normalize(form, told) for form in ("NFC", "NFD")).encode()


def _read_content(tag: bytes) -> bytes:
    match = _CONTENT.search(tag)
    return match[match.lastindex or 0] if match else b""


def _note(things: list[float], name: bytes) -> None:
    thing = _THING.get(name.rpartition(b"/")[2].lower().strip())
    if thing is not None:
        things[thing] = 1


def _read_address(url: str) -> list[float]:
    """Return the features of the page's address: its form, and the topics of its words."""
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
    topics = read_topics(path[:_MOST_PATH].encode("ascii", "replace"))
    return [
        1,
        not steps,
        min(len(steps), 8) / 8,
        min(sum(map(str.isdigit, path)), 12) / 12,
        min(last.count("-"), 12) / 12,
        bool(parts.query),
        bool(_DATED.search(path)),
        "." in last[-6:],
        path.endswith("/"),
        min(len(last), 100) / 100,
        *_spread(topics),
    ]


def _spread(bits: int) -> list[float]:
    """Return 1 for each topic whose bit is set, else 0."""
    topics = [0.0] * len(TOPIC_NAMES)
    while bits:
        topics[bits.bit_length() - 1] = 1
        bits &= (1 << bits.bit_length() - 1) - 1
    return topics


def block_names() -> tuple[str, ...]:
    """Return the names of the columns of a block's features."""
    return BLOCK_NAMES


@cache
def page_names() -> tuple[str, ...]:
    """Return the names of the columns of a page's features: those of the survey, and those read here."""
    return (*PAGE_NAMES, *DECLARED_NAMES, *ADDRESS_NAMES)
