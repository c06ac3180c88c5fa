"""Describe the media among the nodes of a page."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bodytext.kernel.html import TAG
from bodytext.kernel.images import (
    TEXTS,
    Attributes,
    is_called_decoration,
    is_portrait,
    is_tiny,
    read_size,
)
from bodytext.page.tables import Column
from bodytext.page.urls import absolute
from bodytext.views.media.captions import Captions, read_text
from bodytext.views.media.embeds import embed_address, find_name, first_address, read_parts
from bodytext.views.media.medium import Medium, MediumKind
from bodytext.views.media.pictures import Pictures
from bodytext.views.media.placement import PlacedMedium

_IMG = TAG["img"]
_IMAGE = MediumKind.IMAGE
# What the tag of a medium says: kind, source, text, caption, width and height
_Found = tuple[MediumKind, str, str, str, int | None, int | None]


@dataclass(frozen=True, slots=True)
class MediaReader:
    """Reads the media of a page."""

    pictures: Pictures

    def describe(
        self, placed: Sequence[PlacedMedium], paragraphs: list[int], *, has_decoration: bool
    ) -> list[Medium]:
        """Describe media in order, each source once; a lazy image and its copy in a <noscript> are one.

        `paragraphs` are the first runs of the kept ones, to give each medium its place among them.
        """
        nodes, captions = self.pictures.page.nodes, Captions(self.pictures.page)
        stated = {node: caption for node, _, _, caption in placed}
        media: dict[str, Medium] = {}
        for node, found in self._find(placed).items():
            kind, source, text, own, width, height = found
            if source in media or not (has_decoration or self._is_shown(node, found)):
                continue
            caption = captions[stated[node]] or own
            place = bisect_left(paragraphs, nodes.first_run.item(node)) if paragraphs else None
            start = nodes.start.item(node)
            media[source] = Medium(kind, source, text, caption, start, width, height, place)
        return list(media.values())

    def _find(self, placed: Sequence[PlacedMedium]) -> dict[int, _Found]:
        """The media by node, in order."""
        nodes = self.pictures.page.nodes
        tags = nodes.tag.data
        self.pictures.read([medium[0] for medium in placed if tags[medium[0]] == _IMG])
        copies = [medium for medium in placed if medium[1]]
        if not copies:  # most
            return self._find_each(placed, {})
        others = [medium for medium in placed if not medium[1]]
        partners = _partners(nodes.first_run, others, copies)
        return dict(sorted(self._find_each([*others, *copies], partners).items()))

    def _find_each(
        self, placed: Iterable[PlacedMedium], partners: dict[int, int]
    ) -> dict[int, _Found]:
        media: dict[int, _Found] = {}
        for node, _, holder, _ in placed:
            if holder in media or partners.get(node) in media:
                continue
            if found := self._read(node):
                media[node] = found
        return media

    def _read(self, node: int) -> _Found | None:
        """Read the medium of a node; None where a reader sees none."""
        page, picture = self.pictures.page, self.pictures.get(node)  # most are images
        tag = "img" if picture else find_name(page, node)
        if tag == "img":
            source, width, height, _, _, _, text, caption = picture or self.pictures[node]
            return (_IMAGE, source, text, caption, width, height) if source else None
        attributes = page.attributes(node)
        width, height = read_size(attributes)
        if tag != "audio" and is_tiny(width, height):
            return None
        kind, source = self._find_source(node, tag, attributes)
        if not source:
            return None
        text = read_text(page, node) if tag == "blockquote" else _first_text(attributes)
        caption = " ".join(attributes.get("data-caption", "").split())
        return kind, source, text, caption, width, height

    def _find_source(self, node: int, tag: str, attributes: Attributes) -> tuple[MediumKind, str]:
        """The kind and the address of a medium; a video without an address is its poster."""
        page, base = self.pictures.page, self.pictures.base
        if tag in {"video", "audio"}:
            if source := first_address([attributes, *read_parts(page, node)], base):
                return MediumKind(tag), source
            return _IMAGE, absolute(attributes.get("poster", ""), base)
        stated = attributes.get("type", "").partition("/")[0].strip().lower()
        kind = MediumKind(stated) if stated in {"image", "video", "audio"} else MediumKind.EMBED
        return kind, embed_address(page, node, tag, attributes, base)

    def _is_shown(self, node: int, found: _Found) -> bool:
        """Whether a medium is no decoration; an image may be the poster of a video."""
        if picture := self.pictures.get(node):  # most
            return not picture.is_decoration
        kind, source, _, _, *size = found
        if kind != _IMAGE:
            return True
        if is_tiny(*size) or is_portrait(*size):
            return False
        return not is_called_decoration(self.pictures.page.attributes(node), source)


def _partners(
    first_run: Column, others: Sequence[PlacedMedium], copies: Iterable[PlacedMedium]
) -> dict[int, int]:
    """The medium that each one in a <noscript> copies: right before it, or else right after it."""
    plain, places = [medium[0] for medium in others], first_run.data
    partners: dict[int, int] = {}
    for node, *_ in copies:
        place = bisect_left(plain, node)
        beside = plain[max(place - 1, 0) : place + 1]
        near = [medium for medium in beside if places[medium] == places[node]]
        if near:
            partners[node] = near[0]
    return partners


def _first_text(attributes: Attributes) -> str:
    """The text that stands for a medium."""
    for name in TEXTS:
        if name in attributes and (folded := " ".join(attributes[name].split())):
            return folded
    return ""
