"""The document: the body text of a page, paragraph by paragraph."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from bodytext.kernel import may_have_blank_lines
from bodytext.page.once import once
from bodytext.page.tables import Page
from bodytext.views.paragraphs import Paragraphs

if TYPE_CHECKING:
    from bodytext.output.references import Choice
    from bodytext.views.chunks import Chunk, Counter
    from bodytext.views.comments import Post
    from bodytext.views.media import KeptMedia, Medium
    from bodytext.views.metadata import Metadata
    from bodytext.views.structure import Element

# Two or more, up to the last line end. A repeated group would cost memory for each of them.
_BLANK_LINES = re.compile(r"\n(?=[^\S\n]*+\n[^\S\n]*+\n)\s*\n")


@dataclass(frozen=True, eq=False, repr=False)
class DocumentSource:
    """Where a document comes from: what its properties are read from when they are asked for."""

    page: Page
    kept: bytes  # the numbers of the kept blocks, as `write_kept` of the kernel gives them
    shell: Page | None = None  # the page as it came, if `page` was made of its hidden text
    links: "Choice" = "keep"  # what the document's own writers do with links and images
    images: "Choice" = "keep"
    has_comments: bool = True  # False if comments were not asked for

    @once
    def blocks(self) -> npt.NDArray[np.intp]:
        """The numbers of the kept blocks; the text alone needs no array of them."""
        return np.frombuffer(self.kept, np.intp)

    @once
    def media(self) -> "KeptMedia":
        """The media of the kept blocks, whose images the structure has too."""
        from bodytext.views.media import KeptMedia

        return KeptMedia(self.page, self.blocks)

    @property
    def whole(self) -> Page:
        """The page as it came, which has the metadata and the comments."""
        return self.page if self.shell is None else self.shell


class _LateReason:
    """A sentence, or a function that finds it when it is first asked for.

    Few callers ask, and on a small page the search takes as long as all the rest.
    """

    def __get__(self, document: "Document | None", owner: type) -> str:
        if document is None:
            return ""  # the default
        reason = document.__dict__["reason"]
        if not isinstance(reason, str):
            reason = document.__dict__["reason"] = reason()
        return cast("str", reason)

    def __set__(self, document: "Document", reason: "str | Callable[[], str]") -> None:
        document.__dict__["reason"] = reason


@dataclass(frozen=True, init=False)
class Document:
    """The body text of a page. An empty or doubtful one says why in `reason`; an empty one is false.

    A document is a value. Its structure, media, metadata and comments are views of the page: they are read on first
    access, and they never change.
    """

    url: str
    title: str  # the text of <title> as it is; `metadata.title` is the headline without the site's name
    paragraphs: Paragraphs
    reason: str = cast("str", _LateReason())
    page_type: str = ""  # article, forum, product ...; empty if the method does not classify pages
    confidence: float | None = None  # the F1 that the method expects of its answer
    origin: str = ""  # where hidden text was found: "JSON-LD articleBody", "noscript" ...
    _source: DocumentSource | None = field(default=None, repr=False, compare=False)

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        url: str,
        title: str,
        paragraphs: Paragraphs,
        reason: str = "",
        page_type: str = "",
        confidence: float | None = None,
        origin: str = "",
        _source: DocumentSource | None = None,
    ) -> None:
        # All at once: a frozen dataclass sets one after the other, which takes nearly twice the time.
        self.__dict__.update(
            url=url,
            title=title,
            paragraphs=paragraphs,
            reason=reason,
            page_type=page_type,
            confidence=confidence,
            origin=origin,
            _source=_source,
        )

    def __bool__(self) -> bool:
        """Return whether there is any text."""
        return len(self.paragraphs) > 0

    def __str__(self) -> str:
        """Return the text: a blank line between paragraphs, items on lines of their own, tabs between cells.

        Blank lines never come in runs, not even inside code; a paragraph's own text keeps them.
        """
        buffer = self.paragraphs.buffer
        text = buffer.decode("utf-8")
        return _BLANK_LINES.sub("\n\n", text) if may_have_blank_lines(buffer) else text

    @property
    def text(self) -> str:
        """The text: the same as `str(document)`."""
        return str(self)

    @property
    def page(self) -> Page | None:
        """The page that the paragraphs were found in."""
        return None if self._source is None else self._source.page

    @property
    def whole_page(self) -> Page | None:
        """The page as it came, which differs from `page` where the text was hidden in it."""
        return None if self._source is None else self._source.whole

    @property
    def blocks(self) -> npt.NDArray[np.intp]:
        """The numbers of the kept blocks in the page."""
        return np.zeros(0, np.intp) if self._source is None else self._source.blocks

    @cached_property
    def markdown(self) -> str:
        """The text with its structure as Markdown; `to_markdown` has options."""
        return self.to_markdown()

    @property
    def html(self) -> str:
        """The text as a page of semantic tags alone, safe to show anywhere."""
        return self.render("html")

    @property
    def json(self) -> str:
        """All that is known, as JSON on one line; `to_dict` gives the same as a dictionary."""
        return self.render("json")

    @property
    def xml(self) -> str:
        """The text as CUTER's XML."""
        return self.render("xml")

    @property
    def tei(self) -> str:
        """The text as XML-TEI."""
        return self.render("tei")

    def render(self, name: str, **options: Any) -> str:
        """Write the document in any format.

        Arguments:
            name: text, markdown, html, json, xml, tei, csv, or a format of another package.
            options: those of the format, such as links, images, title, front_matter, source.

        Returns:
            The document as text in that format.

        Raises:
            ValueError: there is no format of this name.

        Example:
            >>> extract("<p>Ships call at night.").render("text")
            'Ships call at night.'
        """
        from bodytext.output.formats import RenderOptions, render

        return render(self, name, RenderOptions(**self._choices | options))

    def to_markdown(
        self,
        *,
        title: bool = False,
        front_matter: bool = False,
        links: "Choice | None" = None,
        images: "Choice | None" = None,
    ) -> str:
        """Write the text with its structure as Markdown.

        Arguments:
            title: put the headline above the text, unless the text begins with it.
            front_matter: put what is known about the page above it, as YAML between two fences.
            links: "keep" them, "drop" them, or list them as "references" at the end; by default as
                `extract` was asked to.
            images: the same for images.

        Returns:
            CommonMark with GFM's tables, footnotes, and TeX between dollar signs.

        Example:
            >>> page = "<title>Harbour</title><p>Ships <b>call</b> at night."
            >>> print(extract(page).to_markdown(title=True))
            # Harbour
            <BLANKLINE>
            Ships **call** at night.
        """
        from bodytext.output.markdown import to_markdown

        asked = {"links": links, "images": images}
        chosen = self._choices | {name: choice for name, choice in asked.items() if choice}
        return to_markdown(self, title=title, front_matter=front_matter, **chosen)

    def to_dict(self) -> dict[str, Any]:
        """Return all that is known as a dictionary of texts, numbers and lists.

        Returns:
            The keys of the JSON format: url, title, text, metadata, paragraphs, structure, media,
            comments, page_type, confidence, reason, origin, source, version.

        Example:
            >>> extract("<p>Ships call at night.").to_dict()["text"]
            'Ships call at night.'
        """
        from bodytext.output.json import describe_document

        return describe_document(self, **self._choices)

    def chunks(
        self,
        *,
        max_words: int | None = None,
        max_tokens: int | None = None,
        counter: "Counter | None" = None,
        overlap: int = 0,
    ) -> "list[Chunk]":
        """Cut the text into chunks for retrieval or for a model's context.

        A heading begins a new chunk. Tables and code are kept whole where they fit; a longer table
        is cut between rows, and its header is repeated.

        Arguments:
            max_words: the most words in a chunk; 300 if nothing else is said. Two characters of
                Chinese or Japanese count as a word, and four of Thai, Lao, Khmer or Burmese.
            max_tokens: the most tokens in a chunk, in place of words.
            counter: a function that counts the tokens of a text.
            overlap: how many words or tokens of a chunk the next one in the section repeats at
                most, in whole sentences.

        Returns:
            A list of `Chunk`: text, kind ("text", "table", "code"), headings above it, start and
            end in the page's source, size.

        Raises:
            ValueError: the arguments do not fit each other.

        Example:
            >>> page = "<h2>Harbour</h2><p>Ships call at night.<h2>Lamp</h2><p>It turns."
            >>> for chunk in extract(page, keep="body").chunks(max_words=50):
            ...     print(chunk.headings, chunk.size)
            ('Harbour',) 5
            ('Lamp',) 3
        """
        from bodytext.views.chunks import cut_chunks, read_limit

        limit = read_limit(max_words, max_tokens, counter, overlap)
        return cut_chunks(self.paragraphs, (self.page, self.blocks), limit)

    def with_choices(
        self, links: "Choice | bool", images: "Choice | bool", *, has_comments: bool = True
    ) -> "Document":
        """Return the same document with other choices for links, images and comments."""
        from bodytext.output.references import check_choices, read_choice

        links, images = read_choice(links), read_choice(images)
        check_choices(links, images)
        if self._source is None:
            return self
        source = replace(self._source, links=links, images=images, has_comments=has_comments)
        return replace(self, _source=source)

    @property
    def _choices(self) -> "dict[str, Choice]":
        """What to do with links and images if a call does not say it."""
        if self._source is None:
            return {}
        return {"links": self._source.links, "images": self._source.images}

    @cached_property
    def structure(self) -> "Element":
        """The tree of headings, paragraphs, lists, tables and quotes, with links and emphasis in them."""
        from bodytext.views.structure import Element, build_structure

        if self._source is None:
            return Element("body")
        source = self._source
        return build_structure(source.page, source.blocks, source.media)

    @cached_property
    def media(self) -> tuple["Medium", ...]:
        """The images, videos, sounds and embeds of the body text, each with the paragraph that it precedes."""
        return () if self._source is None else self._source.media.describe()

    @cached_property
    def metadata(self) -> "Metadata":
        """The title, authors, dates and whatever else the page says about itself, each with its source."""
        from bodytext.views.metadata import Metadata, read_metadata

        return (
            Metadata()
            if self._source is None
            else read_metadata(self._source.whole, self.page_type)
        )

    @cached_property
    def comments(self) -> tuple["Post", ...]:
        """The comments of the page; of a forum page all its posts, including the first."""
        from bodytext.views.comments import find_posts

        if self._source is None or not self._source.has_comments:
            return ()
        return find_posts(self._source.whole, self.page_type)
