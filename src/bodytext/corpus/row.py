"""Define a row: what a corpus keeps of one record."""

from dataclasses import dataclass


@dataclass(slots=True)
class Row:
    """The text of one record and its facts; if the record was dropped or failed, the reason."""

    url: str = ""
    time: str = ""  # when the page was fetched or captured: ISO 8601, UTC
    title: str = ""
    text: str = ""  # plain text or Markdown
    metadata: str = ""  # a JSON object: what the page says about itself
    language: str = ""  # a code such as "vi"
    confidence: float | None = None  # the expected F1 of the text; None if the method does not know
    page_type: str = ""
    source: str = ""  # the file or feed that the record came from
    offset: int = 0  # where in it: bytes in an archive, else the number of the row
    dropped: str = ""  # the reason, "NAME: detail"; empty while the row is kept
    error: str = ""  # why there is no text: the record could not be read, or its extraction failed

    @property
    def kept(self) -> bool:
        """Whether the row is neither dropped nor in error."""
        return not self.dropped and not self.error
