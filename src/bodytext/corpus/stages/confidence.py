"""Rows in, rows out; those whose text is likely not the page's body are dropped."""

from dataclasses import dataclass

from bodytext.corpus.run.row import Row
from bodytext.corpus.stages.inspection import Inspection

_LEAST = 0.5  # the F1 below which more of a text is wrong or missing than right


@dataclass(frozen=True)
class Confidence(Inspection):
    """Keeps rows whose expected F1 is high enough, and those of methods that expect nothing."""

    least: float = _LEAST

    def __post_init__(self) -> None:
        if not 0 <= self.least <= 1:
            raise ValueError(f"a confidence lies between 0 and 1, {self.least} does not")

    def inspect(self, row: Row) -> None:
        """Drop a row whose text is doubtful."""
        if row.confidence is not None and row.confidence < self.least:
            row.dropped = f"low confidence: {row.confidence:.2f}"
