"""Drop rows whose text is probably not the page's body."""

from dataclasses import dataclass

from bodytext.corpus.row import Row
from bodytext.corpus.stages.stage import DropReason, Stage, option

_LEAST = 0.5  # below this F1, more of a text is wrong or missing than right


@dataclass(frozen=True)
class Confidence(Stage):
    """Keep rows whose expected F1 is high enough, and rows of methods that expect none."""

    name = "confidence"
    description = "drops texts that are probably not the page's body"
    position = 30
    reasons = (DropReason("low confidence"),)

    confidence: float = option(_LEAST, "F1 that must be expected of a text", metavar="F")

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"a confidence must be between 0 and 1, not {self.confidence}")

    def inspect(self, row: Row) -> None:
        """Drop a row whose text is doubtful."""
        if row.confidence is not None and row.confidence < self.confidence:
            row.dropped = f"low confidence: {row.confidence:.2f}"
