"""Read the tags of images, in Python: the specification of `images_native.pyx`.

An image has an address, a size, and texts that stand for it. Decoration is not part of an article:
tracking pixels, spacers, icons, emoji, buttons, logos, portraits of authors.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel.addresses import Addresses
from bodytext.kernel.attributes import read_values
from bodytext.kernel.html import TAG
from bodytext.kernel.table_columns import NodeColumn

Attributes = dict[str, str]
Columns = Sequence[npt.NDArray[np.int32]]
Resolve = Callable[[str], str]
Clean = Callable[[str], str]
Make = Callable[..., Any]

SRCSETS = (
    "srcset",
    "data-srcset",
    "data-lazy-srcset",
    "data-original-set",
    "data-flickity-lazyload-srcset",
)
LAZY_SOURCES = (
    "data-src", "data-original", "data-lazy-src", "data-original-src", "data-actualsrc", "data-echo",
    "data-hi-res-src", "data-large-file", "data-full-src", "data-image-src", "data-lazy", "data-lazyload",
)  # fmt: skip
TEXTS = ("alt", "title", "aria-label")
_SRCSET_NAMES, _LAZY_NAMES = frozenset(SRCSETS), frozenset(LAZY_SOURCES)
# <source> and <param> elements are looked for among this many nodes; no honest page comes near
# this bound.
MOST_PARTS = 64
_NOSCRIPT, _PICTURE = TAG["noscript"], TAG["picture"]
_PARTS = (TAG["source"], TAG["param"])

# An address and its size, if it has one; after an address that ends with a comma comes the next
# one. Nothing at all fits too, at the end: a search that fails would begin again at every comma.
_CANDIDATE = re.compile(
    r"[ \t\n\f\r,]*+([^ \t\n\f\r]*+)"
    r"(?>(?:(?<!,)[ \t\n\f\r]*+(?:(\d{1,9}(?:\.\d{1,9})?)([wxWX])[ \t\n\f\r]*+(?=,|\Z))?[^,]*+)?)"
)
_SIZE = itemgetter(0)
_NO_SIZE = (False, 1.0)
_IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|webp|avif|gif)(?:[?#]|$)", re.IGNORECASE)
PLACEHOLDERS = (
    "spacer", "blank", "pixel", "transparent", "clear", "placeholder", "1x1", "grey", "loading", "blank_1x1", "cleardot",
    "clear_dot", "dkgreypixel", "grey-placeholder", "image-placeholder", "lazy_placeholder",
)  # fmt: skip
PLACEHOLDER_ENDINGS = ("gif", "png", "svg", "jpg")
_PLACEHOLDER = re.compile(
    rf"/(?:{'|'.join(PLACEHOLDERS)})\.(?:{'|'.join(PLACEHOLDER_ENDINGS)})(?:[?#]|$)"
)

LARGEST_ICON = 32  # pixels; tracking pixels are smaller still
LARGEST_PORTRAIT = 64  # pixels of a square
MOST_DIGITS = 6
_PIXELS = re.compile(r"[ \t\n\f\r]*(\d{1,6})(?:\.\d*)?(?:px)?[ \t\n\f\r]*")
_STYLE_PIXELS = re.compile(
    r"(?:^|;)\s*(width|height)\s*:\s*(\d{1,6})(?:\.\d*)?(?:px)?\s*(?:!important\s*)?(?=;|$)"
)

_NAMED_WORDS = """
    avatar gravatar userpic headshot icon icons emoji emoticon smiley smilies sprite spinner loader spacer badge
    favicon tracking pixel rating stars captcha chevron arrow zoom loading logo masthead button btn qrcode qrcodes
    flag flags
"""
WORDS = frozenset(_NAMED_WORDS.split())
_WITH_PLURALS = WORDS | {f"{word}s" for word in WORDS}
# Every name with one of the words in it has one of these between signs.
HINTS = frozenset(
    hint.encode() for word in {*WORDS, "qr"} for hint in (word, f"{word}s", word.removesuffix("s"))
)
_SPACED = bytes.maketrans(
    b"/_.-" + ascii_uppercase.encode(), b"    " + ascii_lowercase.encode()
)  # of UTF-8, and in lower case
_NAME_SIGNS = str.maketrans("_-", "  ")
_ADDRESS_SIGNS = str.maketrans("_.-", "///")
LONGEST_ADDRESS = 2_000  # characters that are looked at


class Picture(NamedTuple):
    """What the tag of an image says."""

    address: str  # of its best version; empty for one that is tiny, too
    width: int | None
    height: int | None
    is_small: bool  # it has the size of decoration
    is_decoration: bool  # by its size, or by a word in its class, id or address
    alt: str
    text: str  # to show in its place
    caption: str  # in its own tag


def read_images(
    source: bytes, nodes: Columns, numbers: Iterable[int], addresses: Addresses
) -> list[tuple[object, ...]]:
    """Return what the tags of images say, as the values of `Picture`.

    Arguments:
        source: the page.
        nodes: the columns of its nodes.
        numbers: the nodes of the images.
        addresses: what makes absolute ones.
    """
    start, end = nodes[NodeColumn.START], nodes[NodeColumn.END]
    images = []
    for number in numbers:
        places = [number, *_find_sources(nodes, number)]
        spans = [(start.item(place), end.item(place)) for place in places]
        images.append(read_image(source, spans, addresses.resolve))
    return images


def read_image(
    source: bytes, spans: Sequence[tuple[int, int]], resolve: Resolve
) -> tuple[object, ...]:
    """Return what the tag of an image says; it is the first, after it are those in its <picture>."""
    attributes, *sources = [read_values(source, start, end) for start, end in spans]
    width, height = read_size(attributes)
    address, is_small = "", is_tiny(width, height)
    if not is_small:
        address = _find_address(attributes, sources, resolve)
        is_small = is_portrait(width, height)
    is_decoration = is_small or bool(address and is_called_decoration(attributes, address))
    texts = [" ".join(attributes.get(name, "").split()) for name in (*TEXTS, "data-caption")]
    text = next(filter(None, texts[: len(TEXTS)]), "")
    return (address, width, height, is_small, is_decoration, texts[0], text, texts[-1])


def make_leaves(
    places: Iterable[tuple[int, int]], images: Mapping[int, Picture], make: Make, clean: Clean
) -> list[tuple[int, int, int, int, Any]]:
    """Return images as leaves of a structure.

    Arguments:
        places: of each, the run after it and the block whose line it is in.
        images: what their tags say, by node.
        make: makes an element of a name, its children and its attributes.
        clean: makes an address safe to write anywhere; nothing if there is none. It gives a plain
            one that is absolute or starts from the root back as it is.
    """
    leaves = []
    for (run, owner), (node, picture) in zip(places, images.items(), strict=True):
        if address := clean(picture.address):
            image = make("img", (), {"src": address, "alt": picture.alt})
            leaves.append((run, run, node, owner, image))
    return leaves


def find_parts(nodes: Columns, node: int) -> list[int]:
    """Return the <source> and <param> elements right in an element."""
    stop = min(node + 1 + MOST_PARTS, len(nodes[NodeColumn.TAG]))
    parents = nodes[NodeColumn.PARENT][node + 1 : stop].tolist()
    tags = nodes[NodeColumn.TAG][node + 1 : stop].tolist()
    parts = []
    for part, (parent, tag) in enumerate(zip(parents, tags, strict=True), node + 1):
        if parent < node:
            break
        if parent == node and tag in _PARTS:
            parts.append(part)
    return parts


def _find_sources(nodes: Columns, node: int) -> list[int]:
    """The <source> elements in the <picture> of an image."""
    tag, parent = nodes[NodeColumn.TAG], nodes[NodeColumn.PARENT]
    above = parent.item(node)
    if above >= 0 and tag.item(above) == _NOSCRIPT:
        above = parent.item(above)
    if above < 0 or tag.item(above) != _PICTURE:
        return []
    return find_parts(nodes, above)


# The address


def _find_address(attributes: Attributes, sources: list[Attributes], resolve: Resolve) -> str:
    """The address of the best version of an image, or nothing.

    That is the largest candidate of its own srcset and of its <picture>; else the address that a
    script would load later; else its src; else any data- attribute that names an image file.
    Placeholders do not count.
    """
    if sources or not _SRCSET_NAMES.isdisjoint(attributes):
        address = _find_largest([attributes, *sources], resolve)
        if address:
            return address
    return find_stated(attributes, resolve) or _find_unnamed(attributes, resolve)


def _find_largest(owners: Iterable[Attributes], resolve: Resolve) -> str:
    """The usable address of the largest candidate in the srcsets of tags."""
    srcsets = [owner[name] for owner in owners for name in SRCSETS if name in owner]
    candidates = list(chain.from_iterable(map(read_srcset, srcsets)))
    candidates.sort(key=_SIZE, reverse=True)
    return next(filter(None, (drop_placeholder(resolve(address)) for _, address in candidates)), "")


def find_stated(attributes: Attributes, resolve: Resolve) -> str:
    """Return the usable address of a tag; the lazy one before src, which may hold a placeholder."""
    if not _LAZY_NAMES.isdisjoint(attributes) and (address := _find_lazy(attributes, resolve)):
        return address
    src = attributes.get("src", "")
    if not src or src.startswith("data:"):
        return ""
    return drop_placeholder(resolve(src))


def _find_lazy(attributes: Attributes, resolve: Resolve) -> str:
    """The first address in an attribute that a script loads from."""
    values = [attributes[name] for name in LAZY_SOURCES if name in attributes]
    addresses = (
        drop_placeholder(resolve(value)) for value in values if "/" in value or "." in value
    )
    return next(filter(None, addresses), "")


def read_srcset(srcset: str) -> list[tuple[tuple[bool, float], str]]:
    """Return the size and the address of each candidate; an address ends at white space.

    Widths are larger than densities: a list has one or the other.

    >>> [address for _, address in read_srcset("a,b.jpg 300w, c.jpg 600w,d.jpg")]
    ['a,b.jpg', 'c.jpg', 'd.jpg']
    """
    return [
        ((unit in "wW", float(size)) if unit else _NO_SIZE, address.rstrip(","))
        for address, size, unit in _CANDIDATE.findall(srcset)
        if address
    ]


def _find_unnamed(attributes: Attributes, resolve: Resolve) -> str:
    """The first image file in a data- attribute: every lazy loader has a name of its own."""
    values = (
        value
        for name, value in attributes.items()
        if name.startswith("data-") and _IMAGE_FILE.search(value)
    )
    return next(filter(None, (drop_placeholder(resolve(value)) for value in values)), "")


def drop_placeholder(address: str) -> str:
    """Return the address, unless its name is that of a transparent placeholder."""
    return "" if _PLACEHOLDER.search("/" + address.lower()) else address


# Decoration


def read_size(attributes: Attributes) -> tuple[int | None, int | None]:
    """Return width and height in pixels; an inline style takes precedence over the attributes."""
    width, height = (
        _read_pixels(attributes.get("width", "")),
        _read_pixels(attributes.get("height", "")),
    )
    if "style" in attributes:
        styled = dict(_STYLE_PIXELS.findall(attributes["style"].lower()))
        width = int(styled["width"]) if "width" in styled else width
        height = int(styled["height"]) if "height" in styled else height
    return width, height


def _read_pixels(value: str) -> int | None:
    if value.isdecimal() and len(value) <= MOST_DIGITS:  # most
        return int(value)
    match = _PIXELS.fullmatch(value) if value else None
    return int(match[1]) if match else None


def is_tiny(width: int | None, height: int | None) -> bool:
    """Whether every size that is stated is an icon's or a tracking pixel's."""
    if width is None:
        return height is not None and height <= LARGEST_ICON
    return width <= LARGEST_ICON and (height is None or height <= LARGEST_ICON)


def is_portrait(width: int | None, height: int | None) -> bool:
    """Whether an image is a small square."""
    return width is not None and width == height and width <= LARGEST_PORTRAIT


def is_called_decoration(attributes: Attributes, address: str) -> bool:
    """Whether the class, the id or the address of an image has a word for decoration in it."""
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"[:LONGEST_ADDRESS]
    path = address[:LONGEST_ADDRESS].partition("?")[0]
    path = path.partition("//")[2] or path
    text = f"{names}/{path}".encode("utf-8", "replace").translate(_SPACED)
    if HINTS.isdisjoint(text.split()) and b"gravatar com " not in text and b"s w org " not in text:
        return False  # most images: what follows costs more than this
    return _is_decoration_name(names.lower()) or _is_decoration_address(path.lower())


def _is_decoration_name(names: str) -> bool:
    words = names.replace("qr-code", "qrcode").translate(_NAME_SIGNS).split()
    return not WORDS.isdisjoint(words)


def _is_decoration_address(path: str) -> bool:
    *words, last = path.replace("qr-code", "qrcode").translate(_ADDRESS_SIGNS).split("/")
    if last in WORDS or not _WITH_PLURALS.isdisjoint(words):
        return True
    return "gravatar.com/" in path or "/s.w.org/" in path
