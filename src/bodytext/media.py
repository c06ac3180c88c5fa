"""find_media: Page + an interval of runs -> the images, videos, sounds and embeds that belong to it.

A medium belongs to an article when it stands between its runs, or right beside them: no text that a reader sees lies
between, except the caption of a picture that leads the article.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from bodytext._kernel import nearest_marked
from bodytext.addresses import absolute, base_address
from bodytext.markup import TAG, TAGS, NodeFlag
from bodytext.page import UNSEEN, Column, Page, tag_mask

_Mask = npt.NDArray[np.bool_]
_Numbers = npt.NDArray[np.intp]
_Attributes = dict[str, str]

# Bounds that no honest page comes near: they keep time and memory linear in a hostile one.
MOST_MEDIA = 1_000
_MOST_PARTS = 4 * MOST_MEDIA  # a picture has about four sources
_LONGEST_CAPTION = 10_000  # bytes of source; a longer one is a <figcaption> that was never closed

_LARGEST_ICON = 32  # pixels; tracking pixels are smaller still


_MEDIA = tag_mask("img video audio embed object iframe")
_PARTS = tag_mask("source param")
_HOLDERS = tag_mask("video audio object")  # media inside these are shown only where they themselves cannot be
_FIGURE, _NOSCRIPT, _TEMPLATE = tag_mask("figure"), tag_mask("noscript"), tag_mask("template")
_ASIDE = tag_mask("nav aside footer")

_SRCSETS = ("srcset", "data-srcset", "data-lazy-srcset", "data-original-set")
_LAZY_SOURCES = (
    "data-src", "data-original", "data-lazy-src", "data-original-src", "data-actualsrc", "data-echo",
    "data-hi-res-src", "data-large-file", "data-full-src", "data-image-src",
)  # fmt: skip
_TEXTS = ("alt", "title", "aria-label")
_PARAMETERS = frozenset({"movie", "src", "url", "filename"})

_SPACE = " \t\n\f\r"
_CANDIDATE = re.compile(r"[ \t\n\f\r,]*+([^ \t\n\f\r]++)")
_DESCRIPTOR = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)([wx])")
_PIXELS = re.compile(r"[ \t\n\f\r]*(\d{1,6})(?:\.\d*)?(?:px)?[ \t\n\f\r]*")
_STYLE_PIXELS = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*(\d{1,6})(?:\.\d*)?(?:px)?\s*(?:!important\s*)?(?=;|$)")

_PLACEHOLDER = re.compile(
    r"(?:^|/)(?:spacer|blank|pixel|transparent|clear|placeholder|1x1|grey|loading)\.(?:gif|png|svg|jpg)(?:[?#]|$)",
    re.IGNORECASE,
)
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
    parts: dict[int, list[_Attributes]]  # for a picture, video, audio or object its <source> and <param>
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
    around = _Surroundings(page, base_address(page), _read_parts(page, numbers), _read_captions(page, numbers))
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


def _read_parts(page: Page, numbers: _Numbers) -> dict[int, list[_Attributes]]:
    """Read the attributes of the <source> and <param> elements right in the media, and in the pictures around them."""
    parent = page.nodes.parent
    above = parent[numbers]
    owners = np.concatenate((numbers, above, parent[above]))  # the last: <picture><noscript><img>
    candidates = np.flatnonzero(_PARTS[page.nodes.tag])
    parts: dict[int, list[_Attributes]] = {}
    for part in candidates[np.isin(parent[candidates], owners)][:_MOST_PARTS].tolist():
        parts.setdefault(int(parent[part]), []).append(page.attributes(part))
    return parts


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
        kind, source = MediumKind.IMAGE, _image_source(around, node, attributes)
    elif tag in {"video", "audio"}:
        kind, source = MediumKind(tag), _played_source(around, node, attributes)
        if not source:
            kind, source = MediumKind.IMAGE, around.address(attributes.get("poster", ""))
    else:
        kind, source = _embedded_kind(attributes), _embedded_source(around, node, tag, attributes)
    if not source:
        return None
    text = next((folded for name in _TEXTS if (folded := " ".join(attributes.get(name, "").split()))), "")
    return Medium(kind, source, text, around.captions.get(node, ""), int(around.page.nodes.start[node]))


def _is_tiny(attributes: _Attributes) -> bool:
    """Whether every size that the tag states is an icon's or a tracking pixel's."""
    stated = {name: _PIXELS.fullmatch(attributes.get(name, "")) for name in ("width", "height")}
    sizes = {name: int(match[1]) for name, match in stated.items() if match}
    sizes.update({name: int(size) for name, size in _STYLE_PIXELS.findall(attributes.get("style", "").lower())})
    return bool(sizes) and max(sizes.values()) <= _LARGEST_ICON


def _image_source(around: _Surroundings, node: int, attributes: _Attributes) -> str:
    """Find the largest candidate of the image's own srcset, else of its picture's; else its lazy source; else src."""
    parent = around.page.nodes.parent
    above = int(parent[node])
    if around.page.nodes.tag[above] == TAG["noscript"]:
        above = int(parent[above])
    is_picture = around.page.nodes.tag[above] == TAG["picture"]
    sources = around.parts.get(above, []) if is_picture else []
    for owners in ([attributes], sources):
        candidates = [one for owner in owners for name in _SRCSETS for one in _read_srcset(owner.get(name, ""))]
        for _, address in sorted(candidates, key=lambda candidate: candidate[0], reverse=True):
            if found := _shown(around.address(address)):
                return found
    return _first_address(around, [attributes])


def _read_srcset(srcset: str) -> Iterator[tuple[tuple[bool, float], str]]:
    """Size and address of each candidate, after the HTML standard: an address goes on to the next white space.

    Widths count before densities, because a list has one or the other.

    >>> [address for _, address in _read_srcset("a,b.jpg 300w, c.jpg 600w,d.jpg")]
    ['a,b.jpg', 'c.jpg', 'd.jpg']
    """
    position = 0
    while found := _CANDIDATE.match(srcset, position):
        address, position = found[1].rstrip(","), found.end()
        descriptor = ""
        if not found[1].endswith(","):
            comma = srcset.find(",", position)
            end = comma if comma >= 0 else len(srcset)
            descriptor, position = srcset[position:end].strip(_SPACE), end
        size = _DESCRIPTOR.fullmatch(descriptor.lower())
        yield (size[2] == "w", float(size[1])) if size else (False, 1.0), address


def _played_source(around: _Surroundings, node: int, attributes: _Attributes) -> str:
    return _first_address(around, [attributes, *around.parts.get(node, [])])


def _first_address(around: _Surroundings, owners: Iterable[_Attributes]) -> str:
    """Find the first usable address of tags; the lazy one before src, which holds a placeholder until then."""
    for owner in owners:
        lazy = [value for name in _LAZY_SOURCES if "/" in (value := owner.get(name, "")) or "." in value]
        for value in (*lazy, owner.get("src", "")):
            if found := _shown(around.address(value)):
                return found
    return ""


def _shown(address: str) -> str:
    """Pass an address on, unless its name is one that transparent placeholders have."""
    return "" if _PLACEHOLDER.search(address) else address


def _embedded_kind(attributes: _Attributes) -> MediumKind:
    """Whether an embed is an image, a video or a sound, by its media type."""
    said = attributes.get("type", "").partition("/")[0].strip().lower()
    return MediumKind(said) if said in {"image", "video", "audio"} else MediumKind.EMBED


def _embedded_source(around: _Surroundings, node: int, tag: str, attributes: _Attributes) -> str:
    if tag == "object":
        named = [one for one in around.parts.get(node, []) if one.get("name", "").lower() in _PARAMETERS]
        values = [attributes.get("data", ""), *(one.get("value", "") for one in named)]
        return next((found for value in values if (found := around.address(value))), "")
    source = _first_address(around, [attributes])
    return source if tag == "embed" or _is_player(source) else ""


def _is_player(address: str) -> bool:
    try:
        parts = urlsplit(address)
        labels = (parts.hostname or "").split(".")
    except ValueError:
        return False
    return ".".join(labels[-2:]) in _PLAYER_HOSTS or bool(_PLAYER_PATH.search(parts.path))
