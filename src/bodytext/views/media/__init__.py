"""The media of a document: images, videos, sounds and embeds."""

from bodytext.kernel.placement import MOST_MEDIA
from bodytext.page.tables import Page
from bodytext.views.media.kept_media import KeptMedia, Numbers
from bodytext.views.media.media_nodes import MediaReader
from bodytext.views.media.medium import Medium, MediumKind
from bodytext.views.media.pictures import Pictures
from bodytext.views.media.placement import media_near

__all__ = [
    "MOST_MEDIA",
    "KeptMedia",
    "Medium",
    "MediumKind",
    "Pictures",
    "find_media",
    "place_media",
]


def find_media(page: Page, first_run: int, stop_run: int) -> list[Medium]:
    """Find the media in and right next to an interval of runs, in order, each source once.

    Left out are tracking pixels, icons, placeholders, hidden media, the fallbacks inside another
    medium, frames that are not players, and media without an http, https or relative address. A
    video without an address gives its poster, as an image. Only the first 1,000 elements that could
    be media count (MOST_MEDIA).
    """
    if stop_run <= first_run:
        return []
    placed = media_near(page, first_run, stop_run)
    reader = MediaReader(Pictures(page))
    return reader.describe(placed, reader.find(placed, has_decoration=True), [])


def place_media(page: Page, blocks: Numbers) -> tuple[Medium, ...]:
    """Find the media of kept blocks, each with its place among them.

    Besides those that `find_media` leaves out, pictures of teasers, portraits, logos and the like
    are left out. The images among them are those that the structure of the blocks has.
    """
    return KeptMedia(page, blocks).describe()
