"""Describe the media among the nodes of a page."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bodytext.kernel.html import TAG
from bodytext.kernel.images import TEXTS, Attributes, is_tiny, read_size
from bodytext.page.tables import Column, Page
from bodytext.page.urls import absolute
from bodytext.views.media.captions import read_captions, read_text
from bodytext.views.media.embeds import embed_address, first_address, read_parts, tag_name
from bodytext.views.media.medium import Medium, MediumKind
from bodytext.views.media.pictures import Pictures
from bodytext.views.media.placement import PlacedMedium

_IMG = TAG["img"]


@dataclass(frozen=True, slots=True)
class _MediaContext:
    """What the rest of a page says about its media."""

    page: Page
    pictures: Pictures
    captions: dict[int, str]
    custom: dict[int, str]
    paragraphs: list[int]  # the first runs of the kept ones


def describe_media(
    pictures: Pictures,
    placed: Sequence[PlacedMedium],
    custom: dict[int, str],
    paragraphs: list[int],
) -> dict[int, Medium]:
    """Describe the media by node, in order; a lazy image and its copy in a <noscript> are one.

    `paragraphs` are the first runs of the kept ones, to give each medium its place among them.
    """
    page = pictures.page
    tags = page.nodes.tag.data
    pictures.read([medium.node for medium in placed if tags[medium.node] == _IMG])
    context = _MediaContext(page, pictures, read_captions(page, placed), custom, paragraphs)
    copies = [medium for medium in placed if medium.is_copy]
    if not copies:  # most
        return _describe_each(context, placed, {})
    others = [medium for medium in placed if not medium.is_copy]
    partners = _partners(page.nodes.first_run, others, copies)
    return dict(sorted(_describe_each(context, [*others, *copies], partners).items()))


def _describe_each(
    context: _MediaContext, placed: Iterable[PlacedMedium], partners: dict[int, int]
) -> dict[int, Medium]:
    media: dict[int, Medium] = {}
    for node, _, _, holder, _ in placed:
        if holder in media or partners.get(node) in media:
            continue
        if medium := _describe(context, node):
            media[node] = medium
    return media


def _partners(
    first_run: Column, others: Sequence[PlacedMedium], copies: Iterable[PlacedMedium]
) -> dict[int, int]:
    """The medium that each one in a <noscript> copies: right before it, or else right after it."""
    plain, places = [medium.node for medium in others], first_run.data
    partners: dict[int, int] = {}
    for node, *_ in copies:
        place = bisect_left(plain, node)
        beside = plain[max(place - 1, 0) : place + 1]
        near = [medium for medium in beside if places[medium] == places[node]]
        if near:
            partners[node] = near[0]
    return partners


def _describe(context: _MediaContext, node: int) -> Medium | None:
    """Describe the medium of a node; None where a reader sees none."""
    page = context.page
    tag = tag_name(page, node, context.custom)
    if tag == "img":  # most
        source, width, height, _, _, _, text, caption = context.pictures[node]
        kind = MediumKind.IMAGE
    else:
        attributes = page.attributes(node)
        width, height = read_size(attributes)
        if tag != "audio" and is_tiny(width, height):
            return None
        kind, source = _find_source(context, node, tag, attributes)
        caption = " ".join(attributes.get("data-caption", "").split())
        text = ""
        if source:
            text = read_text(page, node) if tag == "blockquote" else _first_text(attributes)
    if not source:
        return None
    caption = context.captions.get(node, "") or caption
    paragraph = None
    if context.paragraphs:
        paragraph = bisect_left(context.paragraphs, page.nodes.first_run.item(node))
    start = page.nodes.start.item(node)
    return Medium(kind, source, text, caption, start, width, height, paragraph)


def _first_text(attributes: Attributes) -> str:
    """The text that stands for a medium."""
    for name in TEXTS:
        if name in attributes and (folded := " ".join(attributes[name].split())):
            return folded
    return ""


def _find_source(
    context: _MediaContext, node: int, tag: str, attributes: Attributes
) -> tuple[MediumKind, str]:
    """The kind and the address of a medium; a video without an address is its poster."""
    page, base = context.page, context.pictures.base
    if tag in {"video", "audio"}:
        if source := first_address([attributes, *read_parts(page, node)], base):
            return MediumKind(tag), source
        return MediumKind.IMAGE, absolute(attributes.get("poster", ""), base)
    stated = attributes.get("type", "").partition("/")[0].strip().lower()
    kind = MediumKind(stated) if stated in {"image", "video", "audio"} else MediumKind.EMBED
    return kind, embed_address(page, node, tag, attributes, base)
