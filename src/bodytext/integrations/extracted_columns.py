"""HTML -> the columns that an extraction fills, whatever may be wrong with the page: a page that fails says why."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bodytext import Document, extract
from bodytext.methods import as_method
from bodytext.methods.scores import BOUNDARY, Threshold, read_threshold
from bodytext.output.formats import FORMATS, render

ERROR = "error"
# What can be asked of a document: by the name of the column, how it is read and what type it has.
_READ: dict[str, Callable[[Document], Any]] = {
    "title": lambda document: document.metadata.title or document.title,
    "authors": lambda document: "; ".join(document.metadata.authors),
    "date": lambda document: document.metadata.date,
    "language": lambda document: document.metadata.language,
    "page_type": lambda document: document.page_type,
    "confidence": lambda document: document.confidence,
    "reason": lambda document: document.reason,
}
NUMBERS = frozenset({"confidence"})
FIELDS = ("title", "page_type", "confidence", "reason")


@dataclass(frozen=True, slots=True)
class ExtractedColumns:
    """What is made of a page: `text` in a format, and fields of the document in columns of their names.

    A page that cannot be read, or that is None, gives an empty text and a reason in the column "error".
    """

    text: str = "text"  # the name of the column
    fields: tuple[str, ...] = FIELDS
    format: str = "text"  # or "markdown", "html" ...: bodytext.output.formats has them
    method: str = "learned"
    threshold: Threshold = BOUNDARY

    def __post_init__(self) -> None:
        unknown = [name for name in self.fields if name not in _READ]
        if unknown:
            raise ValueError(f"there is no field {unknown[0]!r}; choose from {', '.join(_READ)}")
        if self.format not in FORMATS:
            raise ValueError(f"there is no format {self.format!r}; there are {', '.join(FORMATS)}")
        read_threshold(self.threshold)
        as_method(self.method)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return (self.text, *self.fields, ERROR)

    def fill(self, html: Any, url: Any = "", charset: str | None = None) -> dict[str, Any]:
        """The columns of one page."""
        values: dict[str, Any] = {name: None if name in NUMBERS else "" for name in self.names}
        if not isinstance(html, bytes | str):
            return values | {ERROR: "there is no HTML" if html is None else f"HTML as {type(html).__name__}"}
        try:
            document = extract(
                html,
                url=url if isinstance(url, str) else "",
                method=self.method,
                threshold=self.threshold,
                charset=charset,
            )
            values[self.text] = render(document, self.format)
            for name in self.fields:
                values[name] = _READ[name](document)
        except Exception as error:  # one page must not end a job over millions
            values[ERROR] = f"{type(error).__name__}: {error}"
        return values
