"""Terms and how many documents of a language have them -> how rare each is, from the very first document on.

A term's share of documents is counted in what is stored, and where little is stored, guessed from the term's length:
short words are frequent in every language (Zipf's law of abbreviation). The guess counts as much as `_GUESSED`
documents would. So there are no lists of stop words: what most documents have is one.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

# The mean share of the 711 articles of wcxb-dev (English) that have a word of another of them, by its letters.
_SHARE_BY_LENGTH = (0.0, 0.54, 0.69, 0.43, 0.36, 0.22, 0.14, 0.13, 0.11, 0.09, 0.08, 0.07, 0.06)
_SHARE_UNSPACED = 0.05  # of what is cut out of a script without spaces, and of numbers: they tell nothing by length
_GUESSED = 10  # documents that the guess counts as much as
LEAST_RARITY = -math.log(0.25)  # a term that more than a quarter of the documents have says nothing about any of them


class Weigher(Protocol):
    """Who knows how rare terms are."""

    def weigh(self, terms: Iterable[str]) -> dict[str, float]:
        """The rarity of each term."""
        ...


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How many documents of a language there are, and how many have each term; terms that none has may be missing."""

    documents: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def share(self, term: str) -> float:
        """The share of documents that are to be expected to have a term."""
        return (self.counts.get(term, 0) + _GUESSED * _guess(term)) / (self.documents + _GUESSED)

    def rarity(self, term: str) -> float:
        """The term's inverse document frequency: 0 of what all documents have."""
        return -math.log(min(self.share(term), 1.0))

    def weigh(self, terms: Iterable[str]) -> dict[str, float]:
        """The rarity of each term, in the order in which they come first."""
        return {term: self.rarity(term) for term in dict.fromkeys(terms)}


def _guess(term: str) -> float:
    if term.isalpha() and not "\u2e80" <= term[0] <= "\u9fff" and not "\u0e00" <= term[0] <= "\u109f":
        return _SHARE_BY_LENGTH[min(len(term), len(_SHARE_BY_LENGTH) - 1)]
    return _SHARE_UNSPACED
