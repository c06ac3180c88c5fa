"""find_media: Page + an interval of runs -> the images, videos, sounds and embeds that belong to it.

A medium belongs to an article when it stands between its runs, or right beside them: no text that a reader sees lies
between, except the caption of a picture that leads the article.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from bodytext._kernel import nearest_marked
from bodytext.addresses import absolute, base_address
from bodytext.markup import TAG, TAGS, NodeFlag
from bodytext.media.images import Attributes, best_address, first_address, image_address, read_parts
from bodytext.page import UNSEEN, Column, Page, tag_mask

__all__ = ["MOST_MEDIA", "Medium", "MediumKind", "find_media", "image_address"]

_Mask = npt.NDArray[np.bool_]
_Numbers = npt.NDArray[np.intp]

# Bounds that no honest page comes near: they keep time and memory linear in a hostile one.
MOST_MEDIA = 1_000
_LONGEST_CAPTION = 10_000  # bytes of source; a longer one is a <figcaption> that was never closed

_LARGEST_ICON = 32  # pixels; tracking pixels are smaller still


_MEDIA = tag_mask("img video audio embed object iframe")
_HOLDERS = tag_mask("video audio object")  # media inside these are shown only where they themselves cannot be
_FIGURE, _NOSCRIPT, _TEMPLATE = tag_mask("figure"), tag_mask("noscript"), tag_mask("template")
_ASIDE = tag_mask("nav aside footer")

_TEXTS = ("alt", "title", "aria-label")
_PARAMETERS = frozenset({"movie", "src", "url", "filename"})

_PIXELS = re.compile(r"[ \t\n\f\r]*(\d{1,6})(?:\.\d*)?(?:px)?[ \t\n\f\r]*")
_STYLE_PIXELS = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*(\d{1,6})(?:\.\d*)?(?:px)?\s*(?:!important\s*)?(?=;|$)")

_PLAYERS = """
    youtube.com youtube-nocookie.com youtu.be vimeo.com dailymotion.com dai.ly soundcloud.com spotify.com twitch.tv
    tiktok.com bandcamp.com mixcloud.com wistia.com wistia.net brightcove.net brightcove.com jwplatform.com jwplayer.com
    kaltura.com bilibili.com youku.com rutube.ru ok.ru vk.com streamable.com ted.com megaphone.fm acast.com podbean.com
    libsyn.com spreaker.com deezer.com ustream.tv odysee.com rumble.com
"""
_PLAYER_HOSTS = frozenset(_PLAYERS.split())
_PLAYER_PATH = re.compile(r"/(?:embed|player|video)s?(?:[./_-]|$)", re.IGNORECASE)


class MediumKind(StrEnum):
    """What a medium is to a reader."""

    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    EMBED = "embed"


@dataclass(frozen=True, slots=True)
class Medium:
    """An image, a video, a sound or an embed of an article."""

    kind: MediumKind
    source: str  # absolute where the page's address is known
    text: str  # what stands for it where it cannot be shown
    caption: str
    start: int  # offset of its tag in the page's UTF-8 source


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What the tags around a medium say about it."""

    page: Page
    base: str
    captions: dict[int, str]  # for a medium in a figure

    def address(self, value: str) -> str:
        return absolute(value, self.base)


def find_media(page: Page, first_run: int, stop_run: int) -> list[Medium]:
    """Find the media among and right beside the runs, in document order, each source once.

    Left out are tracking pixels, icons, placeholders, hidden media, the fallbacks inside another medium, frames that
    are no players, and whatever has no http, https or relative address. Of a video without an address its poster is
    listed, as an image. Only the first 1,000 elements that could be media are looked at (MOST_MEDIA).
    """
    if stop_run <= first_run:
        return []
    numbers = _near(page, first_run, stop_run)
    if not len(numbers):
        return []
    around = _Surroundings(page, base_address(page), _read_captions(page, numbers))
    found = _describe_all(around, numbers)
    by_source: dict[str, Medium] = {}
    for _, medium in sorted(found.items()):
        by_source.setdefault(medium.source, medium)
    return list(by_source.values())


def _near(page: Page, first_run: int, stop_run: int) -> _Numbers:
    """Find the nodes that could be media of the interval."""
    nodes = page.nodes
    low, high = _widen(page, first_run, stop_run)
    numbers = np.flatnonzero(_MEDIA[nodes.tag] & (nodes.stop_run >= low) & (nodes.first_run <= high))[:MOST_MEDIA]
    if not len(numbers):
        return numbers
    hidden = (nodes.flags & NodeFlag.HIDDEN) != 0
    concealed = _within(page, numbers, hidden | _TEMPLATE[nodes.tag], (first_run, stop_run))
    outside = (nodes.stop_run[numbers] <= first_run) | (nodes.first_run[numbers] >= stop_run)
    elsewhere = outside & _within(page, numbers, _ASIDE[nodes.tag], (first_run, stop_run))
    return numbers[~(concealed | elsewhere)]


def _widen(page: Page, first_run: int, stop_run: int) -> tuple[int, int]:
    """Widen the interval over the runs around it that are no text between it and a medium."""
    unseen = (page.runs.flags & UNSEEN) != 0
    seen = np.flatnonzero(~unseen) if not unseen.all() else np.arange(len(unseen))
    low = _behind_last(seen, first_run)
    captions = np.flatnonzero(page.nodes.tag == TAG["figcaption"])
    leading = captions[(page.nodes.first_run[captions] < low) & (page.nodes.stop_run[captions] >= low)]
    leading = leading[page.nodes.stop_run[leading] <= first_run]
    if len(leading) and _is_short(page, int(leading[-1])):
        low = _behind_last(seen, int(page.nodes.first_run[leading[-1]]))
    after = int(np.searchsorted(seen, stop_run))
    high = int(seen[after]) if after < len(seen) else len(unseen)
    return low, high


def _behind_last(seen: _Numbers, run: int) -> int:
    """Find the run behind the last seen one before a run."""
    before = int(np.searchsorted(seen, run))
    return int(seen[before - 1]) + 1 if before else 0


def _is_short(page: Page, caption: int) -> bool:
    first, stop = int(page.nodes.first_run[caption]), int(page.nodes.stop_run[caption])
    return first < stop and int(page.runs.end[stop - 1]) - int(page.runs.start[first]) <= _LONGEST_CAPTION


def _within(page: Page, numbers: _Numbers, marked: _Mask, interval: tuple[int, int]) -> _Mask:
    """Which nodes stand in a marked one that does not hold the whole interval too."""
    nodes = page.nodes
    marked = marked & ~((nodes.first_run <= interval[0]) & (nodes.stop_run >= interval[1]))
    return nearest_marked(marked, nodes.parent)[numbers] >= 0


def _read_captions(page: Page, numbers: _Numbers) -> dict[int, str]:
    """For each medium in a figure, the text of the figure's first caption."""
    nodes = page.nodes
    captions = np.flatnonzero(nodes.tag == TAG["figcaption"])
    if not len(captions):
        return {}
    figure = nearest_marked(_FIGURE[nodes.tag], nodes.parent)
    owners, firsts = np.unique(figure[captions], return_index=True)
    first_caption = dict(zip(owners.tolist(), captions[firsts].tolist(), strict=True))
    wanted = {number: int(figure[number]) for number in numbers.tolist() if figure[number] >= 0}
    texts = {one: _text(page, first_caption[one]) for one in set(wanted.values()) if one in first_caption}
    return {number: texts[one] for number, one in wanted.items() if one in texts}


def _text(page: Page, caption: int) -> str:
    if not _is_short(page, caption):
        return ""
    first, stop = np.searchsorted(page.blocks.first_run, (page.nodes.first_run[caption], page.nodes.stop_run[caption]))
    blocks = np.arange(first, stop)
    nothing = bytes(len(blocks))
    buffer, spans = page.write_texts(blocks, nothing, nothing)
    return " ".join(" ".join(buffer[start:end].decode("utf-8") for start, end in spans.T.tolist()).split())


def _describe_all(around: _Surroundings, numbers: _Numbers) -> dict[int, Medium]:
    """Describe the media by node; of a lazy image and its copy in a <noscript> one only."""
    nodes = around.page.nodes
    copied = nearest_marked(_NOSCRIPT[nodes.tag], nodes.parent)[numbers] >= 0
    holder = nearest_marked(_HOLDERS[nodes.tag], nodes.parent)[nodes.parent[numbers]]
    inside = dict(zip(numbers.tolist(), holder.tolist(), strict=True))
    partners = _partners(nodes.first_run, numbers, copied)
    found: dict[int, Medium] = {}
    for node in (*numbers[~copied].tolist(), *numbers[copied].tolist()):
        if inside[node] not in found and partners.get(node) not in found and (medium := _describe(around, node)):
            found[node] = medium
    return found


def _partners(first_run: Column, numbers: _Numbers, copied: _Mask) -> dict[int, int]:
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
    attributes = around.page.attributes(node)
    tag = TAGS[around.page.nodes.tag[node]]
    if tag != "audio" and _is_tiny(attributes):
        return None
    if tag == "img":
        kind, source = MediumKind.IMAGE, best_address(around.page, node, attributes, around.base)
    elif tag in {"video", "audio"}:
        kind, source = MediumKind(tag), first_address([attributes, *read_parts(around.page, node)], around.base)
        if not source:
            kind, source = MediumKind.IMAGE, around.address(attributes.get("poster", ""))
    else:
        kind, source = _embedded_kind(attributes), _embedded_source(around, node, tag, attributes)
    if not source:
        return None
    text = next((folded for name in _TEXTS if (folded := " ".join(attributes.get(name, "").split()))), "")
    return Medium(kind, source, text, around.captions.get(node, ""), int(around.page.nodes.start[node]))


def _is_tiny(attributes: Attributes) -> bool:
    """Whether every size that the tag states is an icon's or a tracking pixel's."""
    stated = {name: _PIXELS.fullmatch(attributes.get(name, "")) for name in ("width", "height")}
    sizes = {name: int(match[1]) for name, match in stated.items() if match}
    sizes.update({name: int(size) for name, size in _STYLE_PIXELS.findall(attributes.get("style", "").lower())})
    return bool(sizes) and max(sizes.values()) <= _LARGEST_ICON


def _embedded_kind(attributes: Attributes) -> MediumKind:
    """Whether an embed is an image, a video or a sound, by its media type."""
    said = attributes.get("type", "").partition("/")[0].strip().lower()
    return MediumKind(said) if said in {"image", "video", "audio"} else MediumKind.EMBED


def _embedded_source(around: _Surroundings, node: int, tag: str, attributes: Attributes) -> str:
    if tag == "object":
        named = [one for one in read_parts(around.page, node) if one.get("name", "").lower() in _PARAMETERS]
        values = [attributes.get("data", ""), *(one.get("value", "") for one in named)]
        return next((found for value in values if (found := around.address(value))), "")
    source = first_address([attributes], around.base)
    return source if tag == "embed" or _is_player(source) else ""


def _is_player(address: str) -> bool:
    try:
        parts = urlsplit(address)
        labels = (parts.hostname or "").split(".")
    except ValueError:
        return False
    return ".".join(labels[-2:]) in _PLAYER_HOSTS or bool(_PLAYER_PATH.search(parts.path))
