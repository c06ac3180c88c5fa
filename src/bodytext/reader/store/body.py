"""Keep the body of an article as a tree of elements; every form of the article is written from it.

The elements are those of `bodytext.views.structure`. Three more are links to media, with their
title as text: "video", "audio" and "embed".
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bodytext import parse
from bodytext.selection import select_all
from bodytext.views.structure.element import INLINE, LINES, Element

LINKED_MEDIA = frozenset({"video", "audio", "embed"})
_MOST_LINKED = 40  # media
_LARGEST_SIDE = 20_000  # pixels
_SURROGATES = re.compile("[\ud800-\udfff]")

Medium = Mapping[str, Any]  # kind, source, text, caption, width, height, paragraph
Pieces = Sequence[Element | str]


def compose_body(structure: Element, media: Iterable[Medium]) -> Element:
    """Add its media to a structure: captions and sizes of images, links to the others."""
    images: dict[str, Medium] = {}
    links: list[tuple[int | None, Element]] = []
    for medium in media:
        if medium.get("kind") == "image":
            images[str(medium.get("source", ""))] = medium
        elif medium.get("kind") in LINKED_MEDIA:
            links.append((medium.get("paragraph"), _make_link(medium)))
    if links:
        structure = Element("body", place_media(structure.children, links[:_MOST_LINKED]))
    return _describe_images(structure, images) if images else structure


def read_body(html: str, media: Iterable[Medium] = ()) -> Element:
    """Return the body that HTML has: all of its text, whatever its tags are."""
    return compose_body(select_all(parse(html)).structure, media)


def split_paragraphs(text: str) -> Element:
    """Return a body of the paragraphs of a plain text, which blank lines separate."""
    parts = (part.strip() for part in text.split("\n\n"))
    return Element("body", [Element("p", [part]) for part in parts if part])


def encode_body(element: Element) -> str:
    """Return a body as JSON: an element is a list of its name, its attributes and its children."""
    text = json.dumps(_to_list(element), ensure_ascii=False, separators=(",", ":"))
    return _SURROGATES.sub("\ufffd", text)


def decode_body(text: str) -> Element:
    """Return the body of what `encode_body` returned."""
    return _from_list(json.loads(text))


def place_media(blocks: Pieces, media: Iterable[tuple[int | None, Element]]) -> list[Element | str]:
    """Put media before the blocks that hold their paragraphs; those without a number go last."""
    waiting = sorted(media, key=lambda item: (item[0] is None, item[0] or 0))
    placed: list[Element | str] = []
    paragraphs = 0
    for block in blocks:
        paragraphs += _count_paragraphs(block)
        while waiting and waiting[0][0] is not None and waiting[0][0] < paragraphs:
            placed.append(waiting.pop(0)[1])
        placed.append(block)
    return placed + [link for _, link in waiting]


def _count_paragraphs(piece: Element | str) -> int:
    """Count the paragraphs of the document that are in a block."""
    if isinstance(piece, str):
        return bool(piece.strip())
    if piece.name in LINES or piece.name == "pre":
        return bool(piece.text)
    line: list[Element | str] = []
    count = 0
    for child in piece.children:
        if isinstance(child, str) or child.name in INLINE:
            line.append(child)
        else:
            count += _count_paragraphs(child)
    return count + bool(Element("p", line).text)


def _make_link(medium: Medium) -> Element:
    text = str(medium.get("caption") or medium.get("text") or "")
    source = str(medium.get("source", ""))
    return Element(str(medium["kind"]), [text] if text else [], {"src": source})


def _describe_images(element: Element, images: dict[str, Medium]) -> Element:
    """Add sizes and captions to the images in an element; a caption is used once."""
    if element.name == "img":
        size = _read_size(images.get(element.attributes["src"], {}))
        return Element("img", [], {**element.attributes, **size})
    children: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str):
            children.append(child)
            continue
        caption = _take_caption(child, images) if element.name != "figure" else ""
        described = _describe_images(child, images)
        if caption:
            described = Element("figure", [*described.children, Element("figcaption", [caption])])
        children.append(described)
    return Element(element.name, children, element.attributes)


def _take_caption(block: Element, images: dict[str, Medium]) -> str:
    """Return the caption of a paragraph that is an image, and forget it."""
    only = block.children[0] if len(block.children) == 1 else None
    if block.name != "p" or not isinstance(only, Element) or only.name != "img":
        return ""
    source = only.attributes["src"]
    medium = images.get(source, {})
    images[source] = {**medium, "caption": ""}
    return str(medium.get("caption", ""))


def _read_size(medium: Medium) -> dict[str, str]:
    """Return the width and height of a medium, as far as they are known."""
    size: dict[str, str] = {}
    for name in ("width", "height"):
        side = medium.get(name)
        if isinstance(side, int) and 0 <= side < _LARGEST_SIDE:
            size[name] = str(side)
    return size


def _to_list(element: Element) -> list[Any]:
    """An element as a list; elements nest no deeper than a structure may."""
    children = [child if isinstance(child, str) else _to_list(child) for child in element.children]
    return [element.name, dict(element.attributes), *children]


def _from_list(values: list[Any]) -> Element:
    name, attributes, *children = values
    pieces = [child if isinstance(child, str) else _from_list(child) for child in children]
    return Element(name, pieces, attributes)
