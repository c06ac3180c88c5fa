"""describe_media: Page + nodes -> the Medium that each of them is, where it is one to a reader."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.page.tables import Column, Page, tag_mask
from bodytext.page.urls import absolute, base_address
from bodytext.views.media.captions import read_captions, read_text
from bodytext.views.media.decoration import is_tiny, read_size
from bodytext.views.media.embeds import custom_nodes, embed_address, tag_name
from bodytext.views.media.images import Attributes, best_address, first_address, read_parts
from bodytext.views.media.medium import Medium, MediumKind

Numbers = npt.NDArray[np.intp]

_HOLDERS = tag_mask("video audio object")  # media inside these are shown only where they themselves cannot be
_NOSCRIPT = tag_mask("noscript")
_TEXTS = ("alt", "title", "aria-label")


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What the rest of the page says about a medium."""

    page: Page
    base: str
    captions: dict[int, str]
    custom: dict[int, str]


def describe_media(page: Page, numbers: Numbers) -> dict[int, Medium]:
    """Describe the media by node, in order; of a lazy image and its copy in a <noscript> one only."""
    nodes = page.nodes
    around = _Surroundings(page, base_address(page), read_captions(page, numbers), custom_nodes(page))
    copied = nearest_marked(_NOSCRIPT[nodes.tag], nodes.parent)[numbers] >= 0
    holder = nearest_marked(_HOLDERS[nodes.tag], nodes.parent)[nodes.parent[numbers]]
    inside = dict(zip(numbers.tolist(), holder.tolist(), strict=True))
    partners = _partners(nodes.first_run, numbers, copied)
    found: dict[int, Medium] = {}
    for node in (*numbers[~copied].tolist(), *numbers[copied].tolist()):
        if inside[node] not in found and partners.get(node) not in found and (medium := _describe(around, node)):
            found[node] = medium
    return dict(sorted(found.items()))


def _partners(first_run: Column, numbers: Numbers, copied: npt.NDArray[np.bool_]) -> dict[int, int]:
    """For a medium in a <noscript> the one that it copies: right before it, or else right behind it."""
    plain = numbers[~copied]
    partners: dict[int, int] = {}
    for node in numbers[copied].tolist():
        place = int(np.searchsorted(plain, node))
        beside = [int(one) for one in (*plain[max(place - 1, 0) : place], *plain[place : place + 1])]
        near = [one for one in beside if first_run[one] == first_run[node]]
        if near:
            partners[node] = near[0]
    return partners


def _describe(around: _Surroundings, node: int) -> Medium | None:
    """Describe the medium that a node is; None for what is none to a reader."""
    page = around.page
    attributes = page.attributes(node)
    tag = tag_name(page, node, around.custom)
    width, height = read_size(attributes)
    if tag != "audio" and is_tiny(width, height):
        return None
    kind, source = _find_source(around, node, tag, attributes)
    if not source:
        return None
    text = next((folded for name in _TEXTS if (folded := " ".join(attributes.get(name, "").split()))), "")
    if tag == "blockquote":
        text = read_text(page, node)
    caption = around.captions.get(node, "") or " ".join(attributes.get("data-caption", "").split())
    return Medium(kind, source, text, caption, int(page.nodes.start[node]), width, height)


def _find_source(around: _Surroundings, node: int, tag: str, attributes: Attributes) -> tuple[MediumKind, str]:
    """What kind of medium a node is, and where it comes from. Of a video without address it is the poster."""
    page, base = around.page, around.base
    if tag == "img":
        return MediumKind.IMAGE, best_address(page, node, attributes, base)
    if tag in {"video", "audio"}:
        if source := first_address([attributes, *read_parts(page, node)], base):
            return MediumKind(tag), source
        return MediumKind.IMAGE, absolute(attributes.get("poster", ""), base)
    said = attributes.get("type", "").partition("/")[0].strip().lower()
    kind = MediumKind(said) if said in {"image", "video", "audio"} else MediumKind.EMBED
    return kind, embed_address(page, node, tag, attributes, base)
