"""Drop rows with too few words."""

from dataclasses import dataclass

from bodytext.corpus.row import Row
from bodytext.corpus.stages.stage import DropReason, Stage, option
from bodytext.corpus.stages.tokens import TextTokens

_LEAST_WORDS = 50  # as Rae et al. (2021) ask of a page
_GENEROUS_LENGTH = 15  # characters of a word and its space; most texts have fewer


@dataclass(frozen=True)
class Length(Stage):
    """Keep rows with enough words. docs/page.md says how words are counted."""

    name = "length"
    description = "drops texts with too few words"
    position = 20
    reasons = (DropReason("too short"),)

    words: int = option(_LEAST_WORDS, "words that a text needs", metavar="N")

    def __post_init__(self) -> None:
        if self.words < 0:
            raise ValueError(
                f"a text cannot have {self.words} words; 0 keeps texts of every length"
            )

    def inspect(self, row: Row) -> None:
        """Drop a row that is too short."""
        # The beginning of a long text is enough to see that it is long.
        if TextTokens(row.text[: self.words * _GENEROUS_LENGTH]).words >= self.words:
            return
        words = TextTokens(row.text).words
        if words < self.words:
            row.dropped = f"too short: {words} words" if words != 1 else "too short: 1 word"
