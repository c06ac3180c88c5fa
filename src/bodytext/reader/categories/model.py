"""CategoryModel: a linear model of the categories, and how it learns.

There is a column of weights for each category; an article's score in a category is the sum of its
features' weights. The examples are learnt by ridge regression, language by language, in closed form
(a system with one equation per example). The weights of a few hundred real pages, learnt in the
same way by benchmarks/reader_categories.py, are added to them. Later lessons move the weights by the passive-aggressive
rule (Crammer et al. 2006, PA-I for several classes): not at all if the right category already leads
by a margin, else just far enough that it does, at most by a given step. There is no randomness: the
same articles in the same order give the same weights.
"""

import io
import math
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bodytext.reader.categories.examples import CategoryExample, read_examples
from bodytext.reader.categories.features import ArticleFeatures, Keys, Numbers, find_features

PAGES = Path(__file__).with_name("pages.npz")
RIDGE = 0.3  # regularisation of the examples; from 0.1 to 1 it makes no measurable difference
MARGIN = 1.0  # by which the right category should lead; examples lead by some 0.3
SHARPNESS = 15.0  # of the softmax: the likeliest on pages of wcxb-dev and news-multilingual
SECTION_SCORE = 0.45  # the site's own section adds this to the category's score
ALSO_FITTING = 0.6  # of a page's further categories, as targets; the best has 1
MOST_CATEGORIES = 40
MOST_FEATURES = 60_000  # of a layer; the examples have 20,000
_MOST_BYTES = 32 * 2**20  # of a stored layer, unpacked


@dataclass(frozen=True, slots=True)
class CategoryModel:
    """Categories and weights: one row per known feature, one column per category."""

    names: tuple[str, ...] = ()
    # The numbers of the features, ascending.
    keys: Keys = field(default_factory=lambda: np.zeros(0, np.uint32))
    weights: Numbers = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def score(self, features: ArticleFeatures) -> dict[str, float]:
        """Return an article's score in each category."""
        if not len(self.keys):
            return {}
        rows, known = self._find(features.numbers)
        scores = features.values[known] @ self.weights[rows[known]]
        return dict(zip(self.names, scores.tolist(), strict=True))

    def widen(self, numbers: Keys, names: Sequence[str]) -> "CategoryModel":
        """Return a model that also has these features and categories; itself if it has them."""
        wanted = tuple(dict.fromkeys((*self.names, *names)))
        keys = np.union1d(self.keys, numbers)
        if len(keys) == len(self.keys) and wanted == self.names:
            return self
        weights = np.zeros((len(keys), len(wanted)), np.float32)
        weights[np.searchsorted(keys, self.keys), : len(self.names)] = self.weights
        return CategoryModel(wanted, keys, weights)

    def move(self, features: ArticleFeatures, right: str, wrong: str, step: float) -> None:
        """Raise the weights of features by a step for a category; lower them for another."""
        rows = np.searchsorted(self.keys, features.numbers)
        self.weights[rows, self.names.index(right)] += step * features.values
        self.weights[rows, self.names.index(wrong)] -= step * features.values

    def _find(self, numbers: Keys) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return the rows of features, and which of them are known."""
        rows = np.minimum(np.searchsorted(self.keys, numbers), len(self.keys) - 1)
        return rows, self.keys[rows] == numbers

    def narrow(self) -> "CategoryModel":
        """Return a model without the weakest features, if there are too many."""
        if len(self.keys) <= MOST_FEATURES:
            return self
        strengths = np.abs(self.weights).max(axis=1)
        kept = np.sort(np.argsort(-strengths, kind="stable")[: MOST_FEATURES * 3 // 4])
        return CategoryModel(self.names, self.keys[kept], self.weights[kept])


def to_chances(scores: dict[str, float]) -> dict[str, float]:
    """Turn scores into chances, which sum to 1."""
    top = max(scores.values())
    powers = {name: math.exp(SHARPNESS * (score - top)) for name, score in scores.items()}
    total = sum(powers.values())
    return {name: power / total for name, power in powers.items()}


def find_step(
    features: ArticleFeatures, scores: dict[str, float], right: str, most: float
) -> tuple[str, float]:
    """Return the strongest wrong category, and how far to move the weights of both."""
    others = {name: score for name, score in scores.items() if name != right}
    rival = max(others, key=lambda name: others[name])
    loss = MARGIN - scores.get(right, 0.0) + others[rival]
    if loss <= 0 or not features.norm:
        return rival, 0.0
    return rival, min(loss / (2 * features.norm), most)


@cache
def learn_examples() -> CategoryModel:
    """Learn the model of the examples alone."""
    known = read_examples()
    by_language = sorted(known.examples, key=lambda example: example.language)
    groups = groupby(by_language, key=lambda example: example.language)
    parts = [_learn_language(list(examples), known.categories) for _, examples in groups]
    keys = np.unique(np.concatenate([columns for columns, _ in parts]))
    weights = np.zeros((len(keys), len(known.categories)), np.float32)
    for columns, part_weights in parts:
        weights[np.searchsorted(keys, columns)] += part_weights
    return _add_pages(CategoryModel(known.categories, keys, weights))


def _add_pages(model: CategoryModel) -> CategoryModel:
    """Return the model with the weights that were learnt from real pages."""
    pages = unpack(PAGES.read_bytes())
    model = model.widen(pages.keys, pages.names)
    columns = np.array([model.names.index(name) for name in pages.names])
    model.weights[np.ix_(np.searchsorted(model.keys, pages.keys), columns)] += pages.weights
    return model


def learn_pages(pages: Sequence[tuple[ArticleFeatures, Sequence[str]]]) -> CategoryModel:
    """Learn the weights of real pages, whose fitting categories are given, best first.

    Features of a single page are left out: they are its names, not its category.
    """
    names = read_examples().categories
    features = [vector for vector, _ in pages]
    columns, rows = _make_rows(features)
    targets = np.zeros((len(rows), len(names)), np.float32)
    for target, (_, fitting) in zip(targets, pages, strict=True):
        for place, name in enumerate(fitting):
            target[names.index(name)] = 1.0 if place == 0 else ALSO_FITTING
    targets = targets / targets.sum(axis=1, keepdims=True) - 1 / len(names)
    shared = (rows > 0).sum(axis=0) > 1
    return CategoryModel(names, columns[shared], _solve(rows, targets)[shared])


def _learn_language(examples: list[CategoryExample], names: Sequence[str]) -> tuple[Keys, Numbers]:
    """Learn the examples of one language; return the numbers of their features and the weights."""
    columns, rows = _make_rows([find_features("", example.text) for example in examples])
    is_right = [[float(example.category == name) for name in names] for example in examples]
    targets = np.array(is_right, np.float32)
    targets -= 1 / len(names)
    return columns, _solve(rows, targets)


def _make_rows(features: Sequence[ArticleFeatures]) -> tuple[Keys, Numbers]:
    """Return the numbers of all features, and a row of their values for each article."""
    columns = np.unique(np.concatenate([vector.numbers for vector in features]))
    rows = np.zeros((len(features), len(columns)), np.float32)
    for row, vector in zip(rows, features, strict=True):
        row[np.searchsorted(columns, vector.numbers)] = vector.values
    return columns, rows


def _solve(rows: Numbers, targets: Numbers) -> Numbers:
    """Return the weights of a ridge regression, by its dual form."""
    dual = np.linalg.solve(rows @ rows.T + RIDGE * np.eye(len(rows), dtype=np.float32), targets)
    weights: Numbers = rows.T @ dual
    return weights


def pack(model: CategoryModel, *, small: bool = False) -> bytes:
    """Turn a model into bytes; a small one has weights of three digits."""
    file = io.BytesIO()
    weights = model.weights.astype(np.float16) if small else model.weights
    save = np.savez_compressed if small else np.savez
    save(file, names=np.array(model.names, dtype=np.str_), keys=model.keys, weights=weights)
    return file.getvalue()


def _check_size(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > _MOST_BYTES:
            raise ValueError("the weights are larger than any model")


def unpack(data: bytes) -> CategoryModel:
    """Read a model from bytes, or raise a ValueError, whatever the bytes are."""
    try:
        _check_size(data)
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            names, keys, weights = (file[name] for name in ("names", "keys", "weights"))
    except Exception as error:  # numpy and zipfile raise many kinds for damaged bytes
        raise ValueError("these are not weights") from error
    if (
        keys.ndim != 1
        or names.ndim != 1
        or weights.dtype.kind != "f"
        or keys.dtype.kind not in "ui"
    ):
        raise ValueError("these are not weights")
    if weights.shape != (len(keys), len(names)):
        raise ValueError("the weights do not fit the features")
    return CategoryModel(
        tuple(str(name) for name in names), keys.astype(np.uint32), weights.astype(np.float32)
    )
