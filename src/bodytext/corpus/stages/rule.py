"""Rule: a figure of a text and the bounds that it must keep (type), and the text with what the rules ask of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bodytext.corpus.stages.tokens import Tokens

Bounds = tuple[float, float]
NO_BOUND = float("inf")


class Sample(Tokens):
    """A text, its language, and the figures that several rules share."""

    def __init__(self, text: str, language: str) -> None:
        super().__init__(text)
        self.language = language

    @cached_property
    def lowered(self) -> str:
        """The text in small letters."""
        return self.text.lower()


@dataclass(frozen=True)
class Rule:
    """A published rule: what is measured, and between which figures a text is good."""

    name: str
    measure: Callable[[Sample], float | None]  # nothing where the rule has no meaning for a text
    bounds: Bounds
    exceptions: Mapping[str, Bounds] = field(default_factory=dict)  # by language, where it is written differently

    def find_fault(self, sample: Sample) -> str:
        """The figure, where it is out of bounds; else nothing."""
        value = self.measure(sample)
        if value is None:
            return ""
        least, most = self.exceptions.get(sample.language, self.bounds)
        return "" if least <= value <= most else f"{value:.4g}" if value >= 100 else f"{value:.2f}"
