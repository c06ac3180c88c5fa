"""Extract a page into columns. A page that fails says why in a column of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from bodytext import Document, extract
from bodytext.methods import as_method
from bodytext.methods.scores import BOUNDARY, Threshold, read_threshold
from bodytext.output.formats import FORMATS, render
from bodytext.views.metadata.fields import METADATA_FIELDS

ERROR = "error"
NUMBERS = frozenset({"confidence"})  # all other columns are texts
FIELDS = ("title", "page_type", "confidence", "reason")  # the columns by default


def _read_metadata(document: Document, name: str) -> str:
    value: str | tuple[str, ...] = getattr(document.metadata, name)
    return value if isinstance(value, str) else "; ".join(value)


# How the fields of a document are read: all of its metadata, some of which the document itself
# knows better.
_READERS: dict[str, Callable[[Document], Any]] = {
    **{field.name: partial(_read_metadata, name=field.name) for field in METADATA_FIELDS},
    "title": lambda document: document.metadata.title or document.title,
    "page_type": lambda document: document.page_type,
    "confidence": lambda document: document.confidence,
    "reason": lambda document: document.reason,
}


@dataclass(frozen=True, slots=True)
class ExtractedColumns:
    """The columns to fill: `text` in a format, and fields of the document.

    A page that cannot be read, or that is None, has an empty text and a reason in the column
    "error".
    """

    text: str = "text"  # the name of the column
    fields: tuple[str, ...] = FIELDS
    format: str = "text"  # one of bodytext.output.formats
    method: str = "learned"
    threshold: Threshold = BOUNDARY

    def __post_init__(self) -> None:
        unknown = [name for name in self.fields if name not in _READERS]
        if unknown:
            raise ValueError(f"there is no field {unknown[0]!r}; choose from {', '.join(_READERS)}")
        FORMATS.find(self.format)
        read_threshold(self.threshold)
        as_method(self.method)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return (self.text, *self.fields, ERROR)

    def fill(self, html: Any, url: Any = "", charset: str | None = None) -> dict[str, Any]:
        """Extract one page."""
        values: dict[str, Any] = {name: None if name in NUMBERS else "" for name in self.names}
        if html is None:
            return values | {ERROR: "there is no HTML"}
        if not isinstance(html, bytes | str):
            return values | {ERROR: f"HTML as {type(html).__name__}"}
        address = url if isinstance(url, str) else ""
        try:
            document = extract(
                html, url=address, method=self.method, threshold=self.threshold, charset=charset
            )
            values[self.text] = render(document, self.format)
            for name in self.fields:
                values[name] = _READERS[name](document)
        except Exception as error:  # one page must not end a job over millions
            values[ERROR] = f"{type(error).__name__}: {error}"
        return values
