"""Model: features in, a category and its chance out; features with their category in, a model that knows it out.

The model is linear: a column of weights for each category; an article's score in a category is the sum of its
features' weights. The examples are learnt by ridge regression, language by language, in closed form (a system of as
many equations as there are examples). What is learnt later moves the weights by the passive-aggressive rule (Crammer et
al. 2006, PA-I for several classes): not at all if the right category leads by a margin already, else just so far that
it does, at most by a given step. Nothing is left to chance: the same articles in the same order give the same weights.
"""

import io
import math
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby

import numpy as np
import numpy.typing as npt

from bodytext.reader.categories.examples import read_examples
from bodytext.reader.categories.features import Features, Keys, Numbers, find_features

RIDGE = 0.3  # how much the examples are smoothed; from 0.1 to 1 it makes no difference that can be told
MARGIN = 1.0  # by which the right category shall lead: examples lead by some 0.3
SHARPNESS = 15.0  # of scores when they become chances: the likeliest on pages of wcxb-dev and news-multilingual
SECTION_SCORE = 0.45  # what the site's own section adds to the category's score
MOST_CATEGORIES = 40
MOST_FEATURES = 60_000  # that are learnt; the examples have 20,000


@dataclass(frozen=True, slots=True)
class Model:
    """Categories and the weights of features that are known: a row a feature, a column a category."""

    names: tuple[str, ...] = ()
    keys: Keys = field(default_factory=lambda: np.zeros(0, np.uint32))  # the numbers of the features, ascending
    weights: Numbers = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def score(self, features: Features) -> dict[str, float]:
        """An article's score in each category."""
        if not len(self.keys):
            return {}
        places, known = self._find(features.numbers)
        scores = features.values[known] @ self.weights[places[known]]
        return dict(zip(self.names, scores.tolist(), strict=True))

    def widen(self, numbers: Keys, names: Sequence[str]) -> "Model":
        """A model that has these features and categories too; itself where it has."""
        wanted = tuple(dict.fromkeys((*self.names, *names)))
        keys = np.union1d(self.keys, numbers)
        if len(keys) == len(self.keys) and wanted == self.names:
            return self
        weights = np.zeros((len(keys), len(wanted)), np.float32)
        weights[np.searchsorted(keys, self.keys), : len(self.names)] = self.weights
        return Model(wanted, keys, weights)

    def move(self, features: Features, right: str, wrong: str, step: float) -> None:
        """Make the weights of features that it has larger by a step for one category, and smaller for another."""
        rows = np.searchsorted(self.keys, features.numbers)
        self.weights[rows, self.names.index(right)] += step * features.values
        self.weights[rows, self.names.index(wrong)] -= step * features.values

    def _find(self, numbers: Keys) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """The rows of features, and which of them are known."""
        places = np.minimum(np.searchsorted(self.keys, numbers), len(self.keys) - 1)
        return places, self.keys[places] == numbers

    def narrow(self) -> "Model":
        """The same without the features that tell least, where there are too many."""
        if len(self.keys) <= MOST_FEATURES:
            return self
        strengths = np.abs(self.weights).max(axis=1)
        kept = np.sort(np.argsort(-strengths, kind="stable")[: MOST_FEATURES * 3 // 4])
        return Model(self.names, self.keys[kept], self.weights[kept])


def tell_chances(scores: dict[str, float]) -> dict[str, float]:
    """Scores as chances, which sum up to 1."""
    top = max(scores.values())
    powers = {name: math.exp(SHARPNESS * (score - top)) for name, score in scores.items()}
    total = sum(powers.values())
    return {name: power / total for name, power in powers.items()}


def find_step(features: Features, scores: dict[str, float], right: str, most: float) -> tuple[str, float]:
    """The category that is nearest to the right one or before it, and how far the weights of both are to move."""
    others = {name: score for name, score in scores.items() if name != right}
    rival = max(others, key=lambda name: others[name])
    loss = MARGIN - scores.get(right, 0.0) + others[rival]
    if loss <= 0 or not features.norm:
        return rival, 0.0
    return rival, min(loss / (2 * features.norm), most)


@cache
def learn_examples() -> Model:
    """The model of the examples alone."""
    known = read_examples()
    names = known.categories
    parts: list[tuple[Keys, Numbers]] = []
    by_language = sorted(known.examples, key=lambda one: one.language)
    for _, group in groupby(by_language, key=lambda one: one.language):
        examples = list(group)
        found = [find_features("", one.text) for one in examples]
        columns = np.unique(np.concatenate([one.numbers for one in found]))
        rows = np.zeros((len(found), len(columns)), np.float32)
        for row, one in zip(rows, found, strict=True):
            row[np.searchsorted(columns, one.numbers)] = one.values
        wanted = np.array([[float(one.category == name) for name in names] for one in examples], np.float32)
        wanted -= 1 / len(names)
        dual = np.linalg.solve(rows @ rows.T + RIDGE * np.eye(len(rows), dtype=np.float32), wanted)
        parts.append((columns, rows.T @ dual))
    keys = np.unique(np.concatenate([columns for columns, _ in parts]))
    weights = np.zeros((len(keys), len(names)), np.float32)
    for columns, found_weights in parts:
        weights[np.searchsorted(keys, columns)] += found_weights
    return Model(names, keys, weights)


def pack(model: Model) -> bytes:
    """A model as bytes."""
    file = io.BytesIO()
    np.savez(file, names=np.array(model.names, dtype=np.str_), keys=model.keys, weights=model.weights)
    return file.getvalue()


def unpack(data: bytes) -> Model:
    """A model from bytes; a ValueError or OSError where they are none."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            names, keys, weights = (file[name] for name in ("names", "keys", "weights"))
    except (KeyError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as problem:
        raise ValueError("these are no weights") from problem
    if weights.shape != (len(keys), len(names)):
        raise ValueError("the weights are not those of the features")
    return Model(tuple(str(name) for name in names), keys.astype(np.uint32), weights.astype(np.float32))
