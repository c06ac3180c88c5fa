"""The media of a document: images, videos, sounds and embeds."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bodytext.page.tables import Page
from bodytext.views.media.decoration import is_decoration
from bodytext.views.media.images import image_address
from bodytext.views.media.media_nodes import describe_media
from bodytext.views.media.medium import Medium, MediumKind
from bodytext.views.media.placement import MOST_MEDIA, media_among, media_near

__all__ = ["MOST_MEDIA", "Medium", "MediumKind", "find_media", "image_address", "place_media"]


def find_media(page: Page, first_run: int, stop_run: int) -> list[Medium]:
    """Find the media in and right next to an interval of runs, in order, each source once.

    Left out are tracking pixels, icons, placeholders, hidden media, the fallbacks inside another
    medium, frames that are not players, and media without an http, https or relative address. A
    video without an address gives its poster, as an image. Only the first 1,000 elements that could
    be media count (MOST_MEDIA).
    """
    if stop_run <= first_run:
        return []
    numbers = media_near(page, first_run, stop_run)
    return _once(describe_media(page, numbers).values()) if len(numbers) else []


def place_media(page: Page, blocks: npt.NDArray[np.intp]) -> tuple[Medium, ...]:
    """Find the media of kept blocks, each with its place among them.

    Besides those that `find_media` leaves out, pictures of teasers, portraits, logos and the like
    are left out.
    """
    if not len(blocks):
        return ()
    numbers = media_among(page, blocks)
    if not len(numbers):
        return ()
    starts = page.blocks.first_run[blocks]
    placed = [
        replace(medium, paragraph=int(np.searchsorted(starts, page.nodes.first_run[node])))
        for node, medium in describe_media(page, numbers).items()
        if medium.kind != MediumKind.IMAGE
        or not is_decoration(page.attributes(node), medium.source)
    ]
    return tuple(_once(placed))


def _once(media: Iterable[Medium]) -> list[Medium]:
    by_source: dict[str, Medium] = {}
    for medium in media:
        by_source.setdefault(medium.source, medium)
    return list(by_source.values())
