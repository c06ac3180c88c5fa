"""Document: the body text that was found in a page, paragraph by paragraph (type)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import GAPS, KIND_NAMES
from bodytext.page.tables import Page

if TYPE_CHECKING:
    from bodytext.views.comments import Post
    from bodytext.views.media import Medium
    from bodytext.views.metadata import Metadata
    from bodytext.views.structure import Element

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*+\n){2,}+")  # possessive: backtracking would cost memory


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One kept block of the page."""

    text: str
    kind: str  # paragraph, heading, item, cell, caption, term, definition, quote, code, control, other
    start: int  # offsets in the page's UTF-8 source; where `origin` names structured data, in what was made of it
    end: int
    score: float
    gap: str  # what parts it from the paragraph before it in plain text: a blank line, a line, a tab


@dataclass(frozen=True, slots=True, eq=False)
class Paragraphs(Sequence[Paragraph]):
    """The kept blocks as columns over one buffer of text; a Paragraph is made when it is asked for.

    A page of millions of tiny paragraphs would else need many times its size in memory.
    """

    buffer: bytes  # UTF-8: every text with its gap before it
    spans: npt.NDArray[np.int32]  # starts and ends of the texts in the buffer
    gaps: npt.NDArray[np.uint8]  # indexes of GAPS
    kinds: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int32]  # starts and ends in the source
    scores: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.gaps)

    @overload
    def __getitem__(self, index: int) -> Paragraph: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Paragraph, ...]: ...
    def __getitem__(self, index: int | slice) -> Paragraph | tuple[Paragraph, ...]:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        start, end = self.spans[:, index]
        return Paragraph(
            self.buffer[start:end].decode("utf-8"),
            KIND_NAMES[self.kinds[index]],
            int(self.offsets[0, index]),
            int(self.offsets[1, index]),
            float(self.scores[index]),
            GAPS[self.gaps[index]],
        )

    def __iter__(self) -> Iterator[Paragraph]:
        columns = (*self.spans, self.kinds, *self.offsets, self.scores, self.gaps)
        for start, end, kind, first, last, score, gap in zip(*(column.tolist() for column in columns), strict=True):
            text = self.buffer[start:end].decode("utf-8")
            yield Paragraph(text, KIND_NAMES[kind], first, last, score, GAPS[gap])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Paragraphs):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(self.buffer)

    def __repr__(self) -> str:
        return f"<{len(self)} paragraphs>"


@dataclass(frozen=True)
class Document:
    """The body text of a page. An empty or doubtful one says why in `reason`; an empty one is false."""

    url: str
    title: str  # the text of <title> as the page has it; `metadata.title` is the headline without the site's name
    paragraphs: Paragraphs
    reason: str = ""
    page_type: str = ""  # article, forum, product ...; nothing where the method does not tell
    confidence: float | None = None  # the F1 that the method expects of its answer
    origin: str = ""  # where the text stood, where the page does not show it: "JSON-LD articleBody", "noscript" ...
    page: Page | None = field(default=None, repr=False, compare=False)  # what the paragraphs were found in
    blocks: npt.NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp), repr=False, compare=False)
    # The page as it came, where `page` is made of what it does not show: it has the metadata and the comments.
    shell: Page | None = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        """Whether there is any text."""
        return len(self.paragraphs) > 0

    @property
    def text(self) -> str:
        """The text: the same as `str(document)`."""
        return str(self)

    @cached_property
    def markdown(self) -> str:
        """The text with its structure as Markdown; `bodytext.output.markdown.to_markdown` has choices."""
        from bodytext.output.markdown import to_markdown

        return to_markdown(self)

    @cached_property
    def media(self) -> tuple["Medium", ...]:
        """The images, videos, sounds and embeds of the body text, each with the paragraph that it stands before."""
        from bodytext.views.media import place_media

        return place_media(self.page, self.blocks) if self.page is not None else ()

    @cached_property
    def metadata(self) -> "Metadata":
        """Title, authors, dates and what else the page says about itself, each with where it was found."""
        from bodytext.views.metadata import Metadata, read_metadata

        page = self.page if self.shell is None else self.shell
        return read_metadata(page, self.page_type) if page is not None else Metadata()

    @cached_property
    def comments(self) -> tuple["Post", ...]:
        """The comments of the page; of a forum page all its posts, the first one too."""
        from bodytext.views.comments import find_posts

        page = self.page if self.shell is None else self.shell
        return find_posts(page, self.page_type) if page is not None else ()

    def __str__(self) -> str:
        """Paragraphs apart by a blank line, items on lines of their own, the cells of a row apart by tabs.

        Blank lines never come in runs, not even inside code; a paragraph's own text has them as they were.
        """
        return _BLANK_LINES.sub("\n\n", self.paragraphs.buffer.decode("utf-8"))

    @cached_property
    def structure(self) -> "Element":
        """What the paragraphs are to each other: headings, lists, tables, quotes, with links and emphasis in them."""
        from bodytext.views.structure import Element, build_structure

        return build_structure(self.page, self.blocks) if self.page is not None else Element("body")
