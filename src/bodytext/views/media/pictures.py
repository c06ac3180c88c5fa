"""Read the images of a page, each once: its structure and its media ask for the same ones."""

from functools import cached_property
from typing import NamedTuple

from bodytext.page.tables import Page
from bodytext.page.urls import base_address
from bodytext.views.media.decoration import is_called_decoration, is_portrait, is_tiny, read_size
from bodytext.views.media.images import Attributes, best_address


class Picture(NamedTuple):
    """What the tag of an image says."""

    attributes: Attributes
    width: int | None
    height: int | None
    address: str  # of its best version; empty for one that is tiny, too
    is_small: bool  # it has the size of decoration
    is_decoration: bool  # by its size, or by a word in its class, id or address


class Pictures(dict[int, Picture]):
    """The images of a page by node; looking one up reads it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @cached_property
    def base(self) -> str:
        """The address that relative ones start from."""
        return base_address(self.page)

    def __missing__(self, node: int) -> Picture:
        attributes = self.page.attributes(node)
        width, height = read_size(attributes)
        address, is_small = "", is_tiny(width, height)
        if not is_small:
            address = best_address(self.page, node, attributes, self.base)
            is_small = is_portrait(width, height)
        is_decoration = is_small or bool(address and is_called_decoration(attributes, address))
        picture = Picture(attributes, width, height, address, is_small, is_decoration)
        self[node] = picture
        return picture
