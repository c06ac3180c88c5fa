"""image_address: Page + the node of an image -> the address of its best version, and whether it is one to a reader."""

import re
from collections.abc import Iterable
from operator import itemgetter

from bodytext.kernel.html import TAG, TAGS
from bodytext.page.tables import Page
from bodytext.page.urls import absolute

Attributes = dict[str, str]

_NOSCRIPT, _PICTURE = TAG["noscript"], TAG["picture"]

# A bound that no honest page comes near: <source> and <param> elements are looked for among so many nodes.
_MOST_PARTS = 64

_SRCSETS = ("srcset", "data-srcset", "data-lazy-srcset", "data-original-set", "data-flickity-lazyload-srcset")
_LAZY_SOURCES = (
    "data-src", "data-original", "data-lazy-src", "data-original-src", "data-actualsrc", "data-echo",
    "data-hi-res-src", "data-large-file", "data-full-src", "data-image-src", "data-lazy", "data-lazyload",
)  # fmt: skip
_SRCSET_NAMES, _LAZY_NAMES = frozenset(_SRCSETS), frozenset(_LAZY_SOURCES)

# An address and its size, where it has one; behind an address that ends with a comma the next one comes. Nothing at
# all fits too, at the end: a search that fails would begin again at every comma.
_CANDIDATE = re.compile(
    r"[ \t\n\f\r,]*+([^ \t\n\f\r]*+)"
    r"(?:(?<!,)[ \t\n\f\r]*+(?:(\d{1,9}(?:\.\d{1,9})?)([wxWX])[ \t\n\f\r]*+(?=,|\Z))?[^,]*+)?+"
)
_NO_SIZE = (False, 1.0)
_IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|webp|avif|gif)(?:[?#]|$)", re.IGNORECASE)

_PLACEHOLDER = re.compile(
    r"/(?:spacer|blank|pixel|transparent|clear|placeholder|1x1|grey|loading)\.(?:gif|png|svg|jpg)(?:[?#]|$)",
    re.IGNORECASE,
)


def image_address(page: Page, node: int, base: str) -> str:
    """The address of the best version of an image, absolute where the base is known; empty where it has none.

    That is the largest candidate of its own srcset and of its <picture>; else where a script would lazily load it
    from; else its src; else any data- attribute that names an image file. `base` is
    `bodytext.page.urls.base_address(page)`. Addresses that are not http, https or relative are none, and
    neither are placeholders.
    """
    return best_address(page, node, page.attributes(node), base)


def best_address(page: Page, node: int, attributes: Attributes, base: str) -> str:
    """The same for an image whose attributes were read already."""
    candidates: list[tuple[tuple[bool, float], str]] = []
    for owner in (attributes, *_picture_sources(page, node)):
        if not _SRCSET_NAMES.isdisjoint(owner):
            candidates += [one for name in _SRCSETS if name in owner for one in _read_srcset(owner[name])]
    for _, address in sorted(candidates, key=itemgetter(0), reverse=True):
        if found := _shown(absolute(address, base)):
            return found
    return first_address([attributes], base) or _unnamed_address(attributes, base)


def first_address(owners: Iterable[Attributes], base: str) -> str:
    """The first usable address of tags; the lazy one before src, which holds a placeholder until then."""
    for owner in owners:
        lazy = [] if _LAZY_NAMES.isdisjoint(owner) else [owner[name] for name in _LAZY_SOURCES if name in owner]
        for value in lazy:
            if ("/" in value or "." in value) and (found := _shown(absolute(value, base))):
                return found
        if "src" in owner and (found := _shown(absolute(owner["src"], base))):
            return found
    return ""


def read_parts(page: Page, node: int) -> list[Attributes]:
    """The attributes of the <source> and <param> elements right in a medium."""
    nodes = page.nodes
    stop = min(node + 1 + _MOST_PARTS, len(nodes.tag))
    parents, tags = nodes.parent[node + 1 : stop].tolist(), nodes.tag[node + 1 : stop].tolist()
    found = []
    for part, (parent, tag) in enumerate(zip(parents, tags, strict=True), node + 1):
        if parent < node:
            break
        if parent == node and TAGS[tag] in {"source", "param"}:
            found.append(page.attributes(part))
    return found


def _picture_sources(page: Page, node: int) -> list[Attributes]:
    """The attributes of the <source> elements before an image in its <picture>."""
    nodes = page.nodes
    above = nodes.parent.item(node)
    if above >= 0 and nodes.tag.item(above) == _NOSCRIPT:
        above = nodes.parent.item(above)
    if above < 0 or nodes.tag.item(above) != _PICTURE:
        return []
    return read_parts(page, above)


def _read_srcset(srcset: str) -> list[tuple[tuple[bool, float], str]]:
    """Size and address of each candidate, after the HTML standard: an address goes on to the next white space.

    Widths count before densities, because a list has one or the other.

    >>> [address for _, address in _read_srcset("a,b.jpg 300w, c.jpg 600w,d.jpg")]
    ['a,b.jpg', 'c.jpg', 'd.jpg']
    """
    return [
        ((unit in "wW", float(size)) if unit else _NO_SIZE, address.rstrip(","))
        for address, size, unit in _CANDIDATE.findall(srcset)
        if address
    ]


def _unnamed_address(attributes: Attributes, base: str) -> str:
    """The first data- attribute that names an image file: every lazy loader has a name of its own."""
    values = (value for name, value in attributes.items() if name.startswith("data-") and _IMAGE_FILE.search(value))
    return next((found for value in values if (found := _shown(absolute(value, base)))), "")


def _shown(address: str) -> str:
    """Pass an address on, unless its name is one that transparent placeholders have."""
    return "" if _PLACEHOLDER.search("/" + address) else address
