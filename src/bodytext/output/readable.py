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
    from bodytext.views.structure import Element


class ReadableParagraph(Protocol):
    """A paragraph of a document."""

    @property
    def text(self) -> str:
        """Its text."""
        ...

    @property
    def kind(self) -> str:
        """What it is: a paragraph, a heading, an item ..."""
        ...

    @property
    def start(self) -> int:
        """Where it starts in the page's source."""
        ...

    @property
    def end(self) -> int:
        """Where it ends in the page's source."""
        ...

    @property
    def score(self) -> float:
        """The method's score."""
        ...


class Readable(Protocol):
    """A document."""

    @property
    def url(self) -> str:
        """The address of the page."""
        ...

    @property
    def title(self) -> str:
        """The text of <title>."""
        ...

    @property
    def text(self) -> str:
        """The body text."""
        ...

    @property
    def paragraphs(self) -> Iterable[ReadableParagraph]:
        """The kept blocks of the page."""
        ...

    @property
    def reason(self) -> str:
        """Why the text is empty or doubtful, or nothing."""
        ...

    @property
    def page_type(self) -> str:
        """Article, forum, product ...; empty if unknown."""
        ...

    @property
    def confidence(self) -> float | None:
        """The F1 that the method expects of its answer."""
        ...

    @property
    def origin(self) -> str:
        """Where hidden text was found, or nothing."""
        ...

    @property
    def structure(self) -> "Element":
        """The tree of headings, paragraphs, lists ..."""
        ...

    @property
    def metadata(self) -> "Metadata":
        """The title, authors, dates ... of the page."""
        ...

    @property
    def media(self) -> "Sequence[Medium]":
        """The images, videos, sounds and embeds."""
        ...

    @property
    def comments(self) -> "Sequence[Post]":
        """The comments of the page."""
        ...

    @property
    def page(self) -> "Page | None":
        """The page that the text was found in."""
        ...

    @property
    def blocks(self) -> "npt.NDArray[np.intp]":
        """The numbers of the kept blocks in the page."""
        ...
