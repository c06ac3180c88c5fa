"""Document: the body text that was found in a page, paragraph by paragraph (type)."""

from dataclasses import dataclass

from bodytext.output.text import to_text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One kept block of the page."""

    text: str
    kind: str  # paragraph, heading, item, cell, caption, term, definition, quote, code, control, other
    start: int  # offsets in the page's UTF-8 source
    end: int
    score: float
    gap: str  # what parts it from the paragraph before it in plain text: a blank line, a line, a tab


@dataclass(frozen=True, slots=True)
class Document:
    """The body text of a page. An empty one says why in `reason`."""

    url: str
    title: str
    paragraphs: tuple[Paragraph, ...]
    reason: str = ""

    def __str__(self) -> str:
        return to_text(self.paragraphs)
