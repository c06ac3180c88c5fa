"""Define a rule of quality: a figure of a text, and the bounds that it must keep."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bodytext.corpus.stages.tokens import TextTokens

Bounds = tuple[float, float]
NO_BOUND = float("inf")


class QualitySample(TextTokens):
    """A text, its language, and the figures that rules share."""

    def __init__(self, text: str, language: str) -> None:
        super().__init__(text)
        self.language = language

    @cached_property
    def lowered(self) -> str:
        """The text in small letters."""
        return self.text.lower()


@dataclass(frozen=True)
class QualityRule:
    """A published rule: what is measured, and the bounds of good text."""

    name: str
    measure: Callable[[QualitySample], float | None]  # None if the rule has no meaning for a text
    bounds: Bounds
    exceptions: Mapping[str, Bounds] = field(default_factory=dict)  # by language

    def find_fault(self, sample: QualitySample) -> str:
        """The figure if it is out of bounds, else an empty string."""
        value = self.measure(sample)
        if value is None:
            return ""
        least, most = self.exceptions.get(sample.language, self.bounds)
        if least <= value <= most:
            return ""
        return f"{value:.4g}" if value >= 100 else f"{value:.2f}"
