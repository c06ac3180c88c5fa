"""The documents that can be written: objects with these properties, such as `bodytext.Document`."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bodytext.page.tables import Page
    from bodytext.views.comments import Post
    from bodytext.views.media import Medium
    from bodytext.views.metadata import Metadata
    from bodytext.views.paragraphs import Paragraph
    from bodytext.views.structure import Element


class Readable(Protocol):
    """A document."""

    @property
    def url(self) -> str:
        """The address of the page."""

    @property
    def title(self) -> str:
        """The text of <title>."""

    @property
    def text(self) -> str:
        """The body text."""

    @property
    def paragraphs(self) -> "Iterable[Paragraph]":
        """The kept blocks of the page."""

    @property
    def reason(self) -> str:
        """Why the text is empty or doubtful, or nothing."""

    @property
    def page_type(self) -> str:
        """Article, forum, product ...; empty if unknown."""

    @property
    def confidence(self) -> float | None:
        """The F1 that the method expects of its answer."""

    @property
    def origin(self) -> str:
        """Where hidden text was found, or nothing."""

    @property
    def structure(self) -> "Element":
        """The tree of headings, paragraphs, lists ..."""

    @property
    def metadata(self) -> "Metadata":
        """The title, authors, dates ... of the page."""

    @property
    def media(self) -> "Sequence[Medium]":
        """The images, videos, sounds and embeds."""

    @property
    def comments(self) -> "Sequence[Post]":
        """The comments of the page."""

    @property
    def page(self) -> "Page | None":
        """The page that the text was found in."""

    @property
    def blocks(self) -> "npt.NDArray[np.intp]":
        """The numbers of the kept blocks in the page."""
