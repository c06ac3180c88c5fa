"""An article's title, text, address and what its feed calls it in; its features out: hashed and weighted.

A feature is a term (`analysis.terms`: a word; two characters of Han; ...), two terms in a row, or, of long words, the
first letters (which are the stem in many languages) and the last (which are the noun in German and Dutch compounds).
The title counts more than the text, of which the beginning is looked at: news tells the most important first. Where an
article stands on its site (host and first folders of the address) and what its feed calls it are features too, so that
corrections teach what a site's own sections are.
"""

import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from bodytext.reader.analysis.terms import find_terms
from bodytext.reader.categories.examples import read_examples

LOOKED_AT = 2_500  # characters of the text
TITLE_COUNT = 2  # times that a word of the title counts
_STEM, _TAIL = 5, 6  # letters of beginnings and endings
_LONG = 8  # letters from which on a word has them
_STEM_WEIGHT, _TAIL_WEIGHT, _PAIR_WEIGHT = 0.6, 0.4, 0.3
_PLACE_WEIGHT = 0.5  # of a site's section or a feed's category against all of the text, which is 1
_MOST_SAID = 10
_FOLDERS = 2  # of an address

Numbers = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Features:
    """Numbers of features and their values; the same number does not come twice."""

    numbers: Keys
    values: Numbers

    @property
    def norm(self) -> float:
        """The square of their length."""
        return float(self.values @ self.values)


def find_features(title: str, text: str, url: str = "", said: Sequence[str] = ()) -> Features:
    """The features of an article."""
    counts: dict[str, float] = {}
    _count([term.name for term in find_terms(title)], TITLE_COUNT, counts)
    _count([term.name for term in find_terms(text, 0, LOOKED_AT)], 1, counts)
    weights = {name: 1 + math.log(count) if count > 1 else count for name, count in counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    found: dict[int, float] = {}
    for name, weight in weights.items():
        _add(found, name, weight / length)
    for place in list_places(url, said):
        _add(found, place, _PLACE_WEIGHT)
    numbers = np.fromiter(found, np.uint32, len(found))
    return Features(numbers, np.fromiter(found.values(), np.float32, len(found)))


def list_places(url: str, said: Iterable[str]) -> list[str]:
    """Where an article stands, as features: the sections of its site and the categories of its feed there."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return []
    folders = [folder for folder in parts.path.lower().split("/")[:-1] if folder and not folder.isdigit()][:_FOLDERS]
    places = [f"/{host}/{'/'.join(folders[:depth])}" for depth in range(1, len(folders) + 1)]
    return places + [f"#{host}#{name.casefold()[:60]}" for name in list(said)[:_MOST_SAID]]


def _count(names: list[str], times: float, counts: dict[str, float]) -> None:
    """Add the features of terms in a row to the counts; words that all news have part the row."""
    common = read_examples().common
    before = ""
    for name in names:
        if name in common or len(name) < 2 or name.isdigit():
            before = ""
            continue
        counts[name] = counts.get(name, 0.0) + times
        if before:
            pair = f"{before} {name}"
            counts[pair] = counts.get(pair, 0.0) + times * _PAIR_WEIGHT
        if len(name) >= _LONG and name.isalpha():
            stem, tail = f"{name[:_STEM]}-", f"-{name[-_TAIL:]}"
            counts[stem] = counts.get(stem, 0.0) + times * _STEM_WEIGHT
            counts[tail] = counts.get(tail, 0.0) + times * _TAIL_WEIGHT
        before = name


def _add(found: dict[int, float], name: str, value: float) -> None:
    number = zlib.crc32(name.encode("utf-8", "replace"))
    found[number] = found.get(number, 0.0) + value
