"""Terms and how many documents of a language have them -> how rare each is, from the very first document on.

A term's share of documents is counted in what is stored, and where little is stored, guessed from the term's length
beside the mean of its text: short words are frequent in every language (Zipf's law of abbreviation). The guess counts
as much as `_GUESSED` documents would. So there are no lists of stop words: what most documents have is one.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

# The mean share of the 711 articles of wcxb-dev (English) that have a word of another of them, by its letters.
_SHARE_BY_LENGTH = (0.0, 0.54, 0.69, 0.43, 0.36, 0.22, 0.14, 0.13, 0.11, 0.09, 0.08, 0.07, 0.06)
_MEAN_LENGTH = 4.7  # letters of a word of these articles; in Vietnamese it is 3.3, in German 5.8
_SCALES = (0.7, 2.0)  # between which other means stretch lengths
_SHARE_UNSPACED = 0.05  # of what is cut out of a script without spaces, and of numbers: they tell nothing by length
_GUESSED = 10  # documents that the guess counts as much as
_KHMER = frozenset(map(chr, range(0x1780, 0x1800)))
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

    def share(self, term: str, scale: float = 1.0) -> float:
        """The share of documents that are to be expected to have a term, of a text whose words are so much shorter."""
        return (self.counts.get(term, 0) + _GUESSED * _guess(term, scale)) / (self.documents + _GUESSED)

    def rarity(self, term: str, scale: float = 1.0) -> float:
        """The term's inverse document frequency: 0 of what all documents have."""
        return -math.log(min(self.share(term, scale), 1.0))

    def weigh(self, terms: Iterable[str]) -> dict[str, float]:
        """The rarity of each term of a text, in the order in which they come first; all the text's terms are wanted."""
        text = list(terms)
        lengths = [len(term) for term in text if _is_word(term)]
        scale = _MEAN_LENGTH * len(lengths) / sum(lengths) if lengths else 1.0
        scale = min(max(scale, _SCALES[0]), _SCALES[1])
        return {term: self.rarity(term, scale) for term in dict.fromkeys(text)}


def _is_word(term: str) -> bool:
    """Whether a term is a word by itself and not a number or cut out of a script without spaces."""
    first = term[0]
    return not (first.isdigit() or "\u2e80" <= first <= "\u9fff" or "\u0e00" <= first <= "\u109f" or first in _KHMER)


def _guess(term: str, scale: float) -> float:
    if not _is_word(term):
        return _SHARE_UNSPACED
    return _SHARE_BY_LENGTH[min(max(int(len(term) * scale), 1), len(_SHARE_BY_LENGTH) - 1)]
