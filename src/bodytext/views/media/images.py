"""Find the address of the best version of an image."""

import re
from collections.abc import Iterable
from itertools import chain
from operator import itemgetter

from bodytext.kernel.html import TAG, TAGS
from bodytext.page.tables import Page
from bodytext.page.urls import absolute

Attributes = dict[str, str]

_NOSCRIPT, _PICTURE = TAG["noscript"], TAG["picture"]

# <source> and <param> elements are looked for among this many nodes; no honest page comes near
# this bound.
_MOST_PARTS = 64

_SRCSETS = (
    "srcset",
    "data-srcset",
    "data-lazy-srcset",
    "data-original-set",
    "data-flickity-lazyload-srcset",
)
_LAZY_SOURCES = (
    "data-src", "data-original", "data-lazy-src", "data-original-src", "data-actualsrc", "data-echo",
    "data-hi-res-src", "data-large-file", "data-full-src", "data-image-src", "data-lazy", "data-lazyload",
)  # fmt: skip
_SRCSET_NAMES, _LAZY_NAMES = frozenset(_SRCSETS), frozenset(_LAZY_SOURCES)

# An address and its size, if it has one; after an address that ends with a comma comes the next
# one. Nothing at all fits too, at the end: a search that fails would begin again at every comma.
_CANDIDATE = re.compile(
    r"[ \t\n\f\r,]*+([^ \t\n\f\r]*+)"
    r"(?>(?:(?<!,)[ \t\n\f\r]*+(?:(\d{1,9}(?:\.\d{1,9})?)([wxWX])[ \t\n\f\r]*+(?=,|\Z))?[^,]*+)?)"
)
_SIZE = itemgetter(0)
_NO_SIZE = (False, 1.0)
_IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|webp|avif|gif)(?:[?#]|$)", re.IGNORECASE)

_PLACEHOLDER = re.compile(
    r"/(?:spacer|blank|pixel|transparent|clear|placeholder|1x1|grey|loading)\.(?:gif|png|svg|jpg)(?:[?#]|$)"
)


def image_address(page: Page, node: int, base: str) -> str:
    """The address of the best version of an image, absolute if the base is known; or nothing.

    That is the largest candidate of its own srcset and of its <picture>; else the address that a
    script would load later; else its src; else any data- attribute that names an image file. `base`
    is `bodytext.page.urls.base_address(page)`. Placeholders, and addresses that are not http, https
    or relative, do not count.
    """
    return best_address(page, node, page.attributes(node), base)


def best_address(page: Page, node: int, attributes: Attributes, base: str) -> str:
    """The same for an image whose attributes are known."""
    sources = _picture_sources(page, node)
    if sources or not _SRCSET_NAMES.isdisjoint(attributes):
        address = _largest_address([attributes, *sources], base)
        if address:
            return address
    return first_address([attributes], base) or _unnamed_address(attributes, base)


def _largest_address(owners: Iterable[Attributes], base: str) -> str:
    """The usable address of the largest candidate in the srcsets of tags."""
    srcsets = [owner[name] for owner in owners for name in _SRCSETS if name in owner]
    candidates = list(chain.from_iterable(map(_read_srcset, srcsets)))
    if not candidates:
        return ""
    largest = _shown(absolute(max(candidates, key=_SIZE)[1], base))
    if largest:  # most
        return largest
    candidates.sort(key=_SIZE, reverse=True)
    return next(filter(None, (_shown(absolute(address, base)) for _, address in candidates)), "")


def first_address(owners: Iterable[Attributes], base: str) -> str:
    """The first usable address of tags; the lazy one before src, which may hold a placeholder."""
    for owner in owners:
        if not _LAZY_NAMES.isdisjoint(owner) and (address := _lazy_address(owner, base)):
            return address
        if "src" in owner and (address := _shown(absolute(owner["src"], base))):
            return address
    return ""


def _lazy_address(attributes: Attributes, base: str) -> str:
    """The first address in an attribute that a script loads from."""
    values = [attributes[name] for name in _LAZY_SOURCES if name in attributes]
    addresses = (_shown(absolute(value, base)) for value in values if "/" in value or "." in value)
    return next(filter(None, addresses), "")


def read_parts(page: Page, node: int) -> list[Attributes]:
    """The attributes of the <source> and <param> elements right in a medium."""
    nodes = page.nodes
    stop = min(node + 1 + _MOST_PARTS, len(nodes.tag))
    parents, tags = nodes.parent[node + 1 : stop].tolist(), nodes.tag[node + 1 : stop].tolist()
    parts = []
    for part, (parent, tag) in enumerate(zip(parents, tags, strict=True), node + 1):
        if parent < node:
            break
        if parent == node and TAGS[tag] in {"source", "param"}:
            parts.append(page.attributes(part))
    return parts


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
    """The size and the address of each candidate; an address ends at white space.

    Widths are larger than densities: a list has one or the other.

    >>> [address for _, address in _read_srcset("a,b.jpg 300w, c.jpg 600w,d.jpg")]
    ['a,b.jpg', 'c.jpg', 'd.jpg']
    """
    return [
        ((unit in "wW", float(size)) if unit else _NO_SIZE, address.rstrip(","))
        for address, size, unit in _CANDIDATE.findall(srcset)
        if address
    ]


def _unnamed_address(attributes: Attributes, base: str) -> str:
    """The first image file in a data- attribute: every lazy loader has a name of its own."""
    values = (
        value
        for name, value in attributes.items()
        if name.startswith("data-") and _IMAGE_FILE.search(value)
    )
    return next(filter(None, (_shown(absolute(value, base)) for value in values)), "")


def _shown(address: str) -> str:
    """The address, unless its name is that of a transparent placeholder."""
    return "" if _PLACEHOLDER.search("/" + address.lower()) else address
