"""Extract the text of datatrove's documents: an extractor for its pipelines, like Trafilatura's."""

from bodytext.integrations.extracted_columns import ERROR, ExtractedColumns
from bodytext.methods.scores import BOUNDARY, Threshold

try:
    from datatrove.pipeline.extractors.base import BaseExtractor
except ImportError as error:
    raise ImportError("this needs datatrove: pip install datatrove") from error


class Bodytext(BaseExtractor):  # type: ignore[misc]
    """Extracts with bodytext, in the process and within the time that datatrove gives extractors.

    A page that fails raises an error there, and datatrove counts and skips it.
    """

    name = "⛏ bodytext"

    def __init__(
        self,
        method: str = "learned",
        threshold: Threshold = BOUNDARY,
        format: str = "text",  # noqa: A002 - the formats are called so everywhere
        timeout: float = 5,
    ) -> None:
        super().__init__(timeout)
        self.columns = ExtractedColumns(
            fields=(), format=format, method=method, threshold=threshold
        )

    def extract(self, text: str) -> str:
        """Return the body text of a page."""
        values = self.columns.fill(text)
        if values[ERROR]:
            raise ValueError(values[ERROR])
        return str(values[self.columns.text])
