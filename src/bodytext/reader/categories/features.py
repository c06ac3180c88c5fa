"""Compute the hashed and weighted features of an article.

A feature is a term (see `analysis.terms`), two terms in a row, or, of long words, the first letters
(the stem in many languages) and the last (the noun in German and Dutch compounds). The title counts
more than the text, of which only the beginning counts: news puts the most important first. The
place of an article on its site (host and first folders of the address) and the categories that its
feed gives it are features too, so that corrections teach the meaning of a site's own sections.
"""

import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from bodytext.reader.analysis.languages import list_all_common_words
from bodytext.reader.analysis.terms import find_terms

MOST_CHARACTERS = 2_500  # of the text
TITLE_COUNT = 2  # times that a word in the title counts
_STEM, _TAIL = 5, 6  # letters of the beginning and the end of a long word
_LONG = 8  # letters
_STEM_WEIGHT, _TAIL_WEIGHT, _PAIR_WEIGHT = 0.6, 0.4, 0.3
_PLACE_WEIGHT = 0.5  # of a site's section or a feed's category; the whole text has 1
_MOST_FEED_CATEGORIES = 10
_FOLDERS = 2  # of an address

Numbers = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class ArticleFeatures:
    """The numbers of features and their values; no number occurs twice."""

    numbers: Keys
    values: Numbers

    @property
    def norm(self) -> float:
        """The square of the vector's length."""
        return float(self.values @ self.values)


def find_features(
    title: str, text: str, url: str = "", feed_categories: Sequence[str] = ()
) -> ArticleFeatures:
    """Compute the features of an article."""
    counts: dict[str, float] = {}
    _count([term.name for term in find_terms(title)], TITLE_COUNT, counts)
    _count([term.name for term in find_terms(text, 0, MOST_CHARACTERS)], 1, counts)
    weights = {name: 1 + math.log(count) if count > 1 else count for name, count in counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    values: dict[int, float] = {}
    for name, weight in weights.items():
        _add(values, name, weight / length)
    for place in list_places(url, feed_categories):
        _add(values, place, _PLACE_WEIGHT)
    numbers = np.fromiter(values, np.uint32, len(values))
    return ArticleFeatures(numbers, np.fromiter(values.values(), np.float32, len(values)))


def list_places(url: str, feed_categories: Iterable[str]) -> list[str]:
    """List an article's places as features: its site's sections and feed's categories."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return []
    names = parts.path.lower().split("/")[:-1]
    folders = [name for name in names if name and not name.isdigit()][:_FOLDERS]
    places = [f"/{host}/{'/'.join(folders[:depth])}" for depth in range(1, len(folders) + 1)]
    categories = list(feed_categories)[:_MOST_FEED_CATEGORIES]
    return places + [f"#{host}#{name.casefold()[:60]}" for name in categories]


def _count(names: list[str], times: float, counts: dict[str, float]) -> None:
    """Count the features of consecutive terms; words common in all news separate them."""
    common = list_all_common_words()
    previous = ""
    for name in names:
        if name in common or len(name) < 2 or name.isdigit():
            previous = ""
            continue
        counts[name] = counts.get(name, 0.0) + times
        if previous:
            pair = f"{previous} {name}"
            counts[pair] = counts.get(pair, 0.0) + times * _PAIR_WEIGHT
        if len(name) >= _LONG and name.isalpha():
            stem, tail = f"{name[:_STEM]}-", f"-{name[-_TAIL:]}"
            counts[stem] = counts.get(stem, 0.0) + times * _STEM_WEIGHT
            counts[tail] = counts.get(tail, 0.0) + times * _TAIL_WEIGHT
        previous = name


def _add(values: dict[int, float], name: str, value: float) -> None:
    number = zlib.crc32(name.encode("utf-8", "replace"))
    values[number] = values.get(number, 0.0) + value
