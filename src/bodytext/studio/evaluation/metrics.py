"""Compare a predicted text with the reference text; every metric is a pure function of texts."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bodytext.studio.training.alignment import WORD, match_in_order

SHINGLE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Overlap:
    """The precision and recall of a text, and their harmonic mean."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def compare_words(predicted: str, reference: str) -> Overlap:
    """WCXB's metric: the overlap of the multisets of lower-case words. Two empty texts agree.

    A Chinese or Japanese character is a word.

    >>> compare_words("The cat sat", "the cat ran away")
    Overlap(precision=0.6666666666666666, recall=0.5)
    """
    return _overlap(
        Counter(WORD.findall(predicted.lower())), Counter(WORD.findall(reference.lower()))
    )


def compare_shingles(predicted: str, reference: str) -> Overlap:
    """The article benchmark's metric: the overlap of four-word shingles, case-sensitive."""
    return _overlap(_shingles(predicted), _shingles(reference))


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = WORD.findall(text)
    last = max(len(words) - SHINGLE_WORDS, 0)
    return (
        Counter(tuple(words[start : start + SHINGLE_WORDS]) for start in range(last + 1))
        if words
        else Counter()
    )


def _overlap(predicted: Counter[Any], reference: Counter[Any]) -> Overlap:
    if not predicted and not reference:
        return Overlap(1.0, 1.0)
    shared = (predicted & reference).total()
    return Overlap(shared / max(predicted.total(), 1), shared / max(reference.total(), 1))


def has_words(text: str) -> bool:
    """Whether a text has a word."""
    return WORD.search(text) is not None


def is_exact(predicted: str, reference: str) -> bool:
    """The article benchmark's accuracy: whether the words are the same, in the same order."""
    return WORD.findall(predicted) == WORD.findall(reference)


def compare_sizes(predicted: str, reference: str) -> tuple[float, float]:
    """CUTER's accuracy and noise: kept useful / useful, and 1 - kept useful / kept.

    Where nothing is kept the noise is NaN, so that an empty text is not the best answer.
    """
    ours, theirs = (
        Counter(WORD.findall(predicted.lower())),
        Counter(WORD.findall(reference.lower())),
    )
    kept, useful, both = (_count_characters(words) for words in (ours, theirs, ours & theirs))
    accuracy = both / useful if useful else 1.0
    noise = 1 - both / kept if kept else math.nan
    return accuracy, noise


def _count_characters(words: Counter[str]) -> int:
    return sum(len(word) * count for word, count in words.items())


def snippet_rates(text: str, present: Iterable[str], absent: Iterable[str]) -> tuple[float, float]:
    """The shares of wanted and unwanted snippets that are in the text; NaN without any."""
    folded = _fold(text)
    return _share(folded, present), _share(folded, absent)


def _share(folded: str, snippets: Iterable[str]) -> float:
    hits = [_fold(snippet) in folded for snippet in snippets]
    return sum(hits) / len(hits) if hits else math.nan


def _fold(text: str) -> str:
    return " ".join(text.split())


def rouge_lsum(predicted: str, reference: str) -> float:
    """ROUGE-LSum F1, with lines as sentences.

    The hits of a reference line are the union of its matches with all predicted lines. Most lines
    are in both texts and match as a whole, so the quadratic part is small.
    """
    ours, theirs = _lines(predicted), _lines(reference)
    left = Counter(word for line in ours for word in line)
    available, total = left.total(), sum(map(len, theirs))
    if not available or not total:
        return 1.0 if available == total else 0.0
    whole, by_word = set(ours), _lines_by_word(ours)
    hits = 0
    for line in theirs:
        places = (
            range(len(line)) if line in whole else sorted(_union_of_matches(line, ours, by_word))
        )
        for place in places:
            if left[line[place]]:
                left[line[place]] -= 1
                hits += 1
    return Overlap(hits / available, hits / total).f1


def _lines_by_word(lines: Sequence[tuple[str, ...]]) -> dict[str, set[int]]:
    by_word: dict[str, set[int]] = {}
    for number, line in enumerate(lines):
        for word in line:
            by_word.setdefault(word, set()).add(number)
    return by_word


def _lines(text: str) -> list[tuple[str, ...]]:
    lines = (tuple(WORD.findall(line)) for line in text.lower().splitlines())
    return [line for line in lines if line]


def _union_of_matches(
    line: tuple[str, ...],
    others: Sequence[tuple[str, ...]],
    by_word: dict[str, set[int]],
    most: int = 40,
) -> set[int]:
    """The places of words in a longest common subsequence of a line with any other line.

    Only the lines that share most words with it are tried; the others could only add chance
    matches.
    """
    shared = Counter(number for word in set(line) for number in by_word.get(word, ()))
    places: set[int] = set()
    for number, _ in shared.most_common(most):
        matched = match_in_order(line, others[number])
        places.update(place for place, hit in enumerate(matched) if hit)
        if len(places) == len(line):
            break
    return places


def mean_of(values: Iterable[float]) -> float:
    """The mean of the values that are known; NaN if none is."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def bootstrap_interval(
    values: Sequence[float], *, samples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """The 95 % interval of a mean by resampling pages, or of paired differences."""
    numbers: npt.NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    if len(numbers) < 2:
        return float("nan"), float("nan")
    random = np.random.default_rng(seed)
    means = [numbers[random.integers(0, len(numbers), len(numbers))].mean() for _ in range(samples)]
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)
