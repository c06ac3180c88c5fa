"""Model: features in, a category and its chance out; features with their category in, a model that knows it out.

The model is linear: a column of weights for each category; an article's score in a category is the sum of its
features' weights. The examples are learnt by ridge regression, language by language, in closed form (a system of as
many equations as there are examples). What is learnt later moves the weights by the passive-aggressive rule (Crammer et
al. 2006, PA-I for several classes): not at all if the right category leads by a margin already, else just so far that
it does, at most by a given step. Nothing is left to chance: the same articles in the same order give the same weights.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import numpy as np

from bodytext.reader.categories_examples import read_examples
from bodytext.reader.categories_features import BITS, Features, Numbers, find_features

RIDGE = 0.3  # how much the examples are smoothed; from 0.1 to 1 it makes no difference that can be told
MARGIN = 1.0  # by which the right category shall lead: examples lead by some 0.3
SHARPNESS = 15.0  # of scores when they become chances: the likeliest on pages of wcxb-dev and news-multilingual
SECTION_SCORE = 0.45  # what the site's own section adds to the category's score
MOST_CATEGORIES = 40


@dataclass(frozen=True, slots=True)
class Model:
    """Categories and their weights, a row a feature, a column a category."""

    names: tuple[str, ...]
    weights: Numbers

    def score(self, features: Features, sections: dict[str, float]) -> Numbers:
        """An article's score in each category."""
        scores = features.values @ self.weights[features.numbers]
        for name, weight in sections.items():
            if name in self.names:
                scores[self.names.index(name)] += SECTION_SCORE * weight
        return scores

    def grow(self, names: Sequence[str]) -> "Model":
        """The same with further categories, of which nothing is known."""
        new = [name for name in dict.fromkeys(names) if name not in self.names]
        if not new:
            return self
        further = np.zeros((len(self.weights), len(new)), np.float32)
        return Model((*self.names, *new), np.hstack([self.weights, further]))


def tell_chances(scores: Numbers) -> Numbers:
    """Scores as chances, which sum up to 1."""
    powers = np.exp(SHARPNESS * (scores - scores.max()))
    return powers / powers.sum()  # type: ignore[no-any-return]


def find_step(features: Features, scores: Numbers, right: int, most: float) -> tuple[int, float]:
    """The category that is nearest to the right one or before it, and how far the weights of both are to move."""
    others = scores.copy()
    others[right] = -np.inf
    rival = int(others.argmax())
    loss = MARGIN - float(scores[right] - scores[rival])
    if loss <= 0 or not features.norm:
        return rival, 0.0
    return rival, min(loss / (2 * features.norm), most)


@cache
def learn_examples() -> Model:
    """The model of the examples alone."""
    known = read_examples()
    names = known.categories
    weights = np.zeros((1 << BITS, len(names)), np.float32)
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
        weights[columns] += rows.T @ dual
    weights.flags.writeable = False
    return Model(names, weights)


def pack(model: Model) -> bytes:
    """A model as bytes: the rows that are not empty."""
    rows = np.flatnonzero(model.weights.any(axis=1))
    file = io.BytesIO()
    np.savez_compressed(
        file, names=np.array(model.names), rows=rows.astype(np.uint32), weights=model.weights[rows].astype(np.float32)
    )
    return file.getvalue()


def unpack(data: bytes) -> Model:
    """A model from bytes; ValueError where they are none."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        names, rows, found = (file[name] for name in ("names", "rows", "weights"))
    if rows.size and int(rows.max()) >= 1 << BITS:
        raise ValueError("the model has more features than it may")
    weights = np.zeros((1 << BITS, len(names)), np.float32)
    weights[rows] = found
    return Model(tuple(str(name) for name in names), weights)
