"""Rows in, rows out; those with too few words are dropped."""

from dataclasses import dataclass

from bodytext.corpus.run.row import Row
from bodytext.corpus.stages.inspection import Inspection
from bodytext.corpus.stages.tokens import Tokens

_LEAST_WORDS = 50  # what Rae et al. (2021) ask of a page
_GENEROUS_LENGTH = 15  # characters of a word with its space, in most texts fewer


@dataclass(frozen=True)
class Length(Inspection):
    """Keeps rows with enough words, counted as docs/page.md says."""

    least_words: int = _LEAST_WORDS

    def __post_init__(self) -> None:
        if self.least_words < 0:
            raise ValueError(f"a text cannot have {self.least_words} words; 0 keeps every length")

    def inspect(self, row: Row) -> None:
        """Drop a row that is too short."""
        # Long texts show soon that they are long enough.
        if Tokens(row.text[: self.least_words * _GENEROUS_LENGTH]).words >= self.least_words:
            return
        words = Tokens(row.text).words
        if words < self.least_words:
            row.dropped = f"too short: {words} words" if words != 1 else "too short: 1 word"
