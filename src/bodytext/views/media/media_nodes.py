"""Describe the media among the nodes of a page."""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.kernel.images import TEXTS, Attributes, is_tiny, read_size
from bodytext.page.tables import Column, Page, tag_mask
from bodytext.page.urls import absolute
from bodytext.views.media.captions import read_captions, read_text
from bodytext.views.media.embeds import embed_address, first_address, read_parts, tag_name
from bodytext.views.media.medium import Medium, MediumKind
from bodytext.views.media.pictures import Pictures

Numbers = npt.NDArray[np.intp]

# Media inside these are shown only where they themselves cannot be
_HOLDERS = tag_mask("video audio object")
_NOSCRIPT = tag_mask("noscript")


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
    numbers: Numbers,
    custom: dict[int, str],
    paragraphs: list[int],
) -> dict[int, Medium]:
    """Describe the media by node, in order; a lazy image and its copy in a <noscript> are one.

    `paragraphs` are the first runs of the kept ones, to give each medium its place among them.
    """
    page = pictures.page
    nodes = page.nodes
    captions = read_captions(page, numbers)
    context = _MediaContext(page, pictures, captions, custom, paragraphs)
    copied = nearest_marked(_NOSCRIPT[nodes.tag], nodes.parent)[numbers] >= 0
    holder = nearest_marked(_HOLDERS[nodes.tag], nodes.parent)[nodes.parent[numbers]]
    inside = dict(zip(numbers.tolist(), holder.tolist(), strict=True))
    partners = _partners(nodes.first_run, numbers, copied)
    media: dict[int, Medium] = {}
    for node in (*numbers[~copied].tolist(), *numbers[copied].tolist()):
        if inside[node] in media or partners.get(node) in media:
            continue
        if medium := _describe(context, node):
            media[node] = medium
    return dict(sorted(media.items())) if np.count_nonzero(copied) else media


def _partners(first_run: Column, numbers: Numbers, copied: npt.NDArray[np.bool_]) -> dict[int, int]:
    """The medium that each one in a <noscript> copies: right before it, or else right after it."""
    plain, places = numbers[~copied].tolist(), first_run.data
    partners: dict[int, int] = {}
    for node in numbers[copied].tolist():
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
