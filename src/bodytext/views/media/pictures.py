"""Read the images of a page, each once: its structure and its media ask for the same ones."""

from collections.abc import Iterable
from functools import cached_property, partial

from bodytext.kernel import read_images
from bodytext.kernel.images import Picture
from bodytext.page.tables import Page
from bodytext.page.urls import absolute, base_address, find_root

_as_picture = partial(tuple.__new__, Picture)  # `Picture._make` without its checks


class Pictures(dict[int, Picture]):
    """The images of a page by node; looking one up reads it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @cached_property
    def base(self) -> str:
        """The address that relative ones start from."""
        return base_address(self.page)

    @cached_property
    def root(self) -> str | None:
        """What comes before an address from the root; None if it needs care."""
        return find_root(self.base)

    def resolve(self, value: str) -> str:
        """An address in the page, made absolute; or nothing."""
        return absolute(value, self.base)

    def read(self, nodes: Iterable[int]) -> None:
        """Read some images that were not read before."""
        numbers = [node for node in nodes if node not in self]
        if not numbers:
            return
        found = read_images(self.page.source, self.page.nodes, numbers, self)
        self.update(zip(numbers, map(_as_picture, found), strict=True))

    def __missing__(self, node: int) -> Picture:
        self.read([node])
        return self[node]
