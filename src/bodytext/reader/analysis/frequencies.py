"""Compute how rare terms are from the number of documents that have them.

A term's share of documents is counted and, where few documents are known, guessed from its length
relative to the mean of its text: short words are frequent in every language (Zipf's law of
abbreviation). The guess counts as much as `_GUESSED` documents. So no lists of stop words are
needed: a stop word is a word that most documents have.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

# The mean share of the 711 articles of wcxb-dev (English) that have a word of another one, by the
# word's length.
_SHARE_BY_LENGTH = (0.0, 0.54, 0.69, 0.43, 0.36, 0.22, 0.14, 0.13, 0.11, 0.09, 0.08, 0.07, 0.06)
_MEAN_LENGTH = 4.7  # letters of a word of these articles; in Vietnamese it is 3.3, in German 5.8
_SCALES = (0.7, 2.0)  # the least and greatest factor by which another mean length scales lengths
# Of terms in scripts without spaces, and of numbers: their length says nothing.
_SHARE_UNSPACED = 0.05
_GUESSED = 10  # documents: the guess counts as much as this many
_KHMER = frozenset(map(chr, range(0x1780, 0x1800)))
# A term in more than a quarter of the documents characterises none of them.
LEAST_RARITY = -math.log(0.25)


class Weigher(Protocol):
    """Knows how rare terms are."""

    def weigh(self, terms: Iterable[str]) -> dict[str, float]:
        """Return the rarity of each term."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """The number of documents of a language, and how many of them have each term."""

    documents: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def share(self, term: str, scale: float = 1.0) -> float:
        """Return the expected share of documents with a term; `scale` corrects its length."""
        return (self.counts.get(term, 0) + _GUESSED * _guess(term, scale)) / (
            self.documents + _GUESSED
        )

    def rarity(self, term: str, scale: float = 1.0) -> float:
        """Return the term's inverse document frequency: 0 if all documents have it."""
        return -math.log(min(self.share(term, scale), 1.0))

    def weigh(self, terms: Iterable[str]) -> dict[str, float]:
        """Return the rarity of each term of a text, in the order of first occurrence."""
        all_terms = list(terms)
        lengths = [len(term) for term in all_terms if _is_word(term)]
        scale = _MEAN_LENGTH * len(lengths) / sum(lengths) if lengths else 1.0
        scale = min(max(scale, _SCALES[0]), _SCALES[1])
        return {term: self.rarity(term, scale) for term in dict.fromkeys(all_terms)}


def _is_word(term: str) -> bool:
    """Whether a term is a whole word, not a number or a piece of a script without spaces."""
    first = term[0]
    return not (
        first.isdigit()
        or "\u2e80" <= first <= "\u9fff"
        or "\u0e00" <= first <= "\u109f"
        or first in _KHMER
    )


def _guess(term: str, scale: float) -> float:
    if not _is_word(term):
        return _SHARE_UNSPACED
    return _SHARE_BY_LENGTH[min(max(int(len(term) * scale), 1), len(_SHARE_BY_LENGTH) - 1)]
