"""Row: what a corpus keeps of one record (type), and the stage, a function from rows to rows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass


@dataclass(slots=True)
class Row:
    """The text of one record and what is known about it; of a record that is dropped or failed, why."""

    url: str = ""
    time: str = ""  # when the page was fetched or captured: ISO 8601, UTC
    title: str = ""
    text: str = ""  # plain text, or Markdown where that was asked for
    metadata: str = ""  # a JSON object of what the page says about itself
    language: str = ""  # a code such as "vi"
    confidence: float | None = None  # the F1 that is expected of the text; nothing where it was not judged
    page_type: str = ""
    source: str = ""  # the file or feed that the record came from
    offset: int = 0  # where in it: bytes in an archive, else the number of the row
    dropped: str = ""  # the reason, "NAME: detail" with the name of the rule; empty while the row is kept
    error: str = ""  # why there is no text: the record could not be read, or its extraction failed

    @property
    def kept(self) -> bool:
        """Whether the row is neither dropped nor in error."""
        return not self.dropped and not self.error


# Yields every row that it is given, in order, exactly once; a row that is dropped or in error passes untouched.
Stage = Callable[[Iterable[Row]], Iterator[Row]]
