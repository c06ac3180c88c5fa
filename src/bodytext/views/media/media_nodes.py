"""Describe the media among the nodes of a page."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from bodytext.kernel.html import TAG
from bodytext.kernel.images import (
    TEXTS,
    Attributes,
    Picture,
    is_called_decoration,
    is_portrait,
    is_tiny,
    read_size,
)
from bodytext.page.tables import Column
from bodytext.page.urls import absolute
from bodytext.views.media.captions import Captions, read_text
from bodytext.views.media.embeds import (
    embed_address,
    find_name,
    first_address,
    is_plain_quote,
    read_parts,
)
from bodytext.views.media.medium import Medium, MediumKind
from bodytext.views.media.pictures import Pictures
from bodytext.views.media.placement import PlacedMedium

_IMG = TAG["img"]
_IMAGE = MediumKind.IMAGE


class MediaReader:
    """Reads the media of a page."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures = pictures
        self._kinds: dict[int, MediumKind] = {}  # of those that were read, except of images

    def kind_of(self, node: int) -> MediumKind:
        """The kind of a medium that was found."""
        return self._kinds.get(node, _IMAGE)

    def find(self, placed: Sequence[PlacedMedium], *, has_decoration: bool) -> dict[int, Picture]:
        """Find media by node, in order, each source once; a lazy image and its copy in a <noscript> are one.

        Each is what its tag says, as of an image.
        """
        media = self._find_all(placed)
        nodes: dict[str, int] = {}
        for node, picture in media.items():
            if (has_decoration or not picture.is_decoration) and picture.address not in nodes:
                nodes[picture.address] = node
        return {node: media[node] for node in nodes.values()}

    def describe(
        self, placed: Sequence[PlacedMedium], media: Mapping[int, Picture], paragraphs: list[int]
    ) -> list[Medium]:
        """Describe media that were found.

        `paragraphs` are the first runs of the kept ones, to give each medium its place among them.
        """
        nodes, captions = self.pictures.page.nodes, Captions(self.pictures.page)
        stated = {node: caption for node, _, _, caption in placed}
        described: list[Medium] = []
        for node, (source, width, height, _, _, _, text, own) in media.items():
            kind, caption = self.kind_of(node), captions[stated[node]] or own
            place = bisect_left(paragraphs, nodes.first_run.item(node)) if paragraphs else None
            start = nodes.start.item(node)
            described.append(Medium(kind, source, text, caption, start, width, height, place))
        return described

    def _find_all(self, placed: Sequence[PlacedMedium]) -> dict[int, Picture]:
        """The media by node, in order."""
        nodes, pictures = self.pictures.page.nodes, self.pictures
        tags = nodes.tag.data
        images = [medium[0] for medium in placed if tags[medium[0]] == _IMG]
        pictures.read(images)
        copies = [medium for medium in placed if medium[1]]
        if not copies:  # most
            if len(images) == len(placed):  # so no other medium holds one of them
                return {node: pictures[node] for node in images if pictures[node].address}
            return self._find_each(placed, {})
        others = [medium for medium in placed if not medium[1]]
        partners = _partners(nodes.first_run, others, copies)
        return dict(sorted(self._find_each([*others, *copies], partners).items()))

    def _find_each(
        self, placed: Iterable[PlacedMedium], partners: dict[int, int]
    ) -> dict[int, Picture]:
        media: dict[int, Picture] = {}
        pictures = self.pictures
        for node, _, holder, _ in placed:
            if holder in media or (partners and partners.get(node) in media):
                continue
            picture = pictures.get(node) or self._read(node)
            if picture is not None and picture.address:
                media[node] = picture
        return media

    def _read(self, node: int) -> Picture | None:
        """Read the medium of a node that is no <img>; None where a reader sees none."""
        page = self.pictures.page
        tag = find_name(page, node)
        if tag == "img":  # a custom one
            return self.pictures[node]
        if tag == "blockquote" and is_plain_quote(page, node):  # most, without a look at the rest
            return None
        attributes = page.attributes(node)
        width, height = read_size(attributes)
        if tag != "audio" and is_tiny(width, height):
            return None
        kind, source = self._find_source(node, tag, attributes)
        if not source:
            return None
        text = read_text(page, node) if tag == "blockquote" else _first_text(attributes)
        caption = " ".join(attributes.get("data-caption", "").split())
        is_small = is_decoration = False
        if kind == _IMAGE:
            is_small = is_tiny(width, height) or is_portrait(width, height)
            is_decoration = is_small or is_called_decoration(attributes, source)
        else:
            self._kinds[node] = kind
        return Picture(source, width, height, is_small, is_decoration, text, text, caption)

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
