"""HTML in datatrove's documents -> their body text: an extractor for its pipelines, beside Trafilatura's."""

from bodytext.integrations.extracted_columns import ExtractedColumns
from bodytext.methods.scores import BOUNDARY, Threshold

try:
    from datatrove.pipeline.extractors.base import BaseExtractor
except ImportError as error:
    raise ImportError("this needs datatrove: pip install datatrove") from error


class Bodytext(BaseExtractor):  # type: ignore[misc]
    """Extracts with bodytext, in the process of its own and under the limit of time that datatrove gives extractors.

    A page that fails raises there, and datatrove counts and skips it as it does for every extractor.
    """

    name = "⛏ bodytext"

    def __init__(
        self,
        method: str = "learned",
        threshold: Threshold = BOUNDARY,
        format: str = "text",  # noqa: A002 -- as the formats are called everywhere
        timeout: float = 5,
    ) -> None:
        super().__init__(timeout)
        self.wanted = ExtractedColumns(fields=(), format=format, method=method, threshold=threshold)

    def extract(self, text: str) -> str:
        """The body text of a page."""
        found = self.wanted.fill(text)
        if found["error"]:
            raise ValueError(found["error"])
        return str(found[self.wanted.text])
