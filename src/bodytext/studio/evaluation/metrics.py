"""A predicted text + the reference -> numbers. Every metric is a pure function of texts."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bodytext.studio.training.alignment import match_in_order

WORD = re.compile(r"\w+")
SHINGLE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean, 0 where both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def compare_words(predicted: str, reference: str) -> Overlap:
    """WCXB's metric: overlap of the multisets of lower-cased words. Two empty texts agree.

    >>> compare_words("The cat sat", "the cat ran away")
    Overlap(precision=0.6666666666666666, recall=0.5)
    """
    return _overlap(Counter(WORD.findall(predicted.lower())), Counter(WORD.findall(reference.lower())))


def compare_shingles(predicted: str, reference: str) -> Overlap:
    """The article benchmark's metric: overlap of the multisets of four-word shingles, case kept."""
    return _overlap(_shingles(predicted), _shingles(reference))


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = WORD.findall(text)
    last = max(len(words) - SHINGLE_WORDS, 0)
    return Counter(tuple(words[start : start + SHINGLE_WORDS]) for start in range(last + 1)) if words else Counter()


def _overlap(predicted: Counter[Any], reference: Counter[Any]) -> Overlap:
    if not predicted and not reference:
        return Overlap(1.0, 1.0)
    shared = (predicted & reference).total()
    return Overlap(shared / max(predicted.total(), 1), shared / max(reference.total(), 1))


def has_words(text: str) -> bool:
    """Whether there is a word in a text."""
    return WORD.search(text) is not None


def is_exact(predicted: str, reference: str) -> bool:
    """The article benchmark's accuracy: the same words in the same order."""
    return WORD.findall(predicted) == WORD.findall(reference)


def compare_sizes(predicted: str, reference: str) -> tuple[float, float]:
    """CUTER's accuracy and noise, in characters of words: kept useful / useful, and 1 - kept useful / kept.

    Where nothing is kept there is no noise to speak of: NaN, so that silence is not the best answer.
    """
    mine, theirs = Counter(WORD.findall(predicted.lower())), Counter(WORD.findall(reference.lower()))
    kept, useful, both = (sum(len(word) * n for word, n in part.items()) for part in (mine, theirs, mine & theirs))
    return both / useful if useful else 1.0, 1 - both / kept if kept else math.nan


def snippet_rates(text: str, present: Iterable[str], absent: Iterable[str]) -> tuple[float, float]:
    """The shares of snippets that are there as they must, and that are there though they must not; NaN without any."""
    folded = _fold(text)
    return _share(folded, present), _share(folded, absent)


def _share(folded: str, snippets: Iterable[str]) -> float:
    found = [_fold(snippet) in folded for snippet in snippets]
    return sum(found) / len(found) if found else float("nan")


def _fold(text: str) -> str:
    return " ".join(text.split())


def rouge_lsum(predicted: str, reference: str) -> float:
    """ROUGE-LSum F1: lines are the sentences; a reference line's hits are the union of its matches with every line.

    A word of the prediction counts as often as it stands there. Lines that stand in both texts match whole, which is
    what nearly all do, so the quadratic part is small.
    """
    mine, theirs = _lines(predicted), _lines(reference)
    left = Counter(word for line in mine for word in line)
    available, total = left.total(), sum(map(len, theirs))
    if not available or not total:
        return 1.0 if available == total else 0.0
    whole = set(mine)
    by_word: dict[str, set[int]] = {}
    for number, line in enumerate(mine):
        for word in line:
            by_word.setdefault(word, set()).add(number)
    hits = 0
    for line in theirs:
        places = range(len(line)) if line in whole else sorted(_union_of_matches(line, mine, by_word))
        for place in places:
            if left[line[place]]:
                left[line[place]] -= 1
                hits += 1
    return Overlap(hits / available, hits / total).f1


def _lines(text: str) -> list[tuple[str, ...]]:
    lines = (tuple(WORD.findall(line)) for line in text.lower().splitlines())
    return [line for line in lines if line]


def _union_of_matches(
    line: tuple[str, ...], others: Sequence[tuple[str, ...]], by_word: dict[str, set[int]], most: int = 40
) -> set[int]:
    """The places of a line's words that a longest common subsequence with any other line uses.

    Only the lines that share most words with it are tried: others can add nothing but chance matches.
    """
    shared = Counter(number for word in set(line) for number in by_word.get(word, ()))
    found: set[int] = set()
    for number, _ in shared.most_common(most):
        matched = match_in_order(line, others[number])
        found.update(place for place, hit in enumerate(matched) if hit)
        if len(found) == len(line):
            break
    return found


def bootstrap_interval(values: Sequence[float], *, samples: int = 2000, seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of the mean by resampling pages. For a difference, give the paired differences."""
    numbers: npt.NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    if len(numbers) < 2:
        return float("nan"), float("nan")
    random = np.random.default_rng(seed)
    means = [numbers[random.integers(0, len(numbers), len(numbers))].mean() for _ in range(samples)]
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)
