"""Run the learned method's network, in numpy: the specification of `layers_native.pyx`.

Rows of features go through one dense layer. Four layers mix each block with those 1, 2, 4 and 8
places before and after it. One more mixes it with means over the blocks that are alike, over the
element around it and over the page. In between the groups of like blocks look at each other
(attention), and every block learns the kind of page that it is on. Groups and pages are few, so each
has a wider layer to itself. The work is linear in the blocks.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from bodytext.kernel.network_shape import (
    AT_A_TIME,
    CERTAIN,
    FIRST_ADDRESS,
    GROUP_WEIGHT,
    LEAST_WORDS,
    LIMIT,
    LOOK_AFTER,
    MOST_BETWEEN,
    MOST_GROUPS,
    PAGE_LIMIT,
    POOL_BEFORE,
    STEPS,
    SURE,
    TOP,
)

Matrix = npt.NDArray[np.float32]
Column = npt.NDArray[np.int32]
Arrays = Mapping[str, Matrix]
Sums = tuple[float, float, float, float, float]

MOST_MULTIPLICATIONS = 1 << 18  # in one product; OpenBLAS starts threads above


class RowMaker(Protocol):
    """What makes rows of features on demand, as a survey does."""

    page: Matrix
    words: Matrix
    groups: Column
    around: Column

    def rows(self, first: int, stop: int, /) -> Matrix:
        """Return the rows of the blocks from `first` to `stop`."""


class PoolingPlan(NamedTuple):
    """Which blocks are pooled with which, for a page or a stretch of one. Arrays without gaps."""

    alike: Column  # group of each block, by class; without gaps from 0 on
    path: Column  # the same, by tags alone
    first: Column  # of the blocks in a larger element around each
    stop: Column
    words: Matrix
    least: float = 0.0  # words that are added to each block, so that no mean divides by zero


def plan_whole(survey: RowMaker) -> PoolingPlan:
    """Return which blocks of a whole page are pooled together."""
    (alike, _, path), (first, stop) = survey.groups, survey.around
    return PoolingPlan(alike, path, first, stop, survey.words, LEAST_WORDS)


class BlockNetwork:
    """A network with its weights, ready to run."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays

    def run(
        self, rows: RowMaker | Matrix, page: Matrix | None = None, plan: PoolingPlan | None = None
    ) -> tuple[Matrix, Matrix]:
        """Return a logit for each block, and how likely each kind of page is.

        `rows` are the features of the blocks, or the survey that makes them. Without a page and a
        plan, those of the survey are taken.
        """
        if page is None or plan is None:
            survey = cast("RowMaker", rows)
            page, plan = survey.page, plan_whole(survey)
        arrays, count = self.arrays, len(plan.words)
        plan = plan._replace(words=plan.words + np.float32(plan.least), least=0.0)
        row = page.reshape(1, -1)
        page = _standardise(row, arrays["page.mean"], arrays["page.scale"], PAGE_LIMIT)
        if not row[0, FIRST_ADDRESS]:
            page[:, FIRST_ADDRESS:] = 0
        state = np.maximum(page @ arrays["page.weights"] + arrays["page.bias"], 0)
        weights = arrays["input.weights"]
        values = np.empty((count, weights.shape[1]), dtype=np.float32)
        for first in range(0, count, AT_A_TIME):
            stop = min(first + AT_A_TIME, count)
            part = rows[first:stop] if isinstance(rows, np.ndarray) else rows.rows(first, stop)
            part = _standardise(part, arrays["mean"], arrays["scale"], LIMIT)
            values[first:stop] = _product(part, weights)
        values += state @ arrays["input.page"] + arrays["input.bias"]
        np.maximum(values, 0, out=values)
        return self._run_layers(values, state, plan)

    def _run_layers(
        self, values: Matrix, state: Matrix, plan: PoolingPlan
    ) -> tuple[Matrix, Matrix]:
        """Run all that follows the first layer."""
        arrays, shares = self.arrays, _shares(plan.words)
        for layer, step in enumerate(STEPS):
            if layer == POOL_BEFORE:
                self._pool(values, state, plan)
            self._mix(values, layer, step)
            if layer == 0:
                types = _soften(self._run_head(shares @ values, state, "type"))
                values += types @ arrays["type.early"] + arrays["type.early.bias"]
            if layer == LOOK_AFTER:
                self._look(values, plan)
        means = shares @ values
        types = _soften(self._run_head(means, state, "type"))
        lift = self._run_head(means, state, "lift") + arrays["output.bias"]
        whole = np.maximum(self._run_head(means, state, "whole"), 0)
        told = types @ arrays["type.late"] + whole @ arrays["whole.told"] + arrays["last.bias"]
        last = _product(values, arrays["last.weights"]) + told
        logits: Matrix = np.maximum(last, 0) @ arrays["output.weights"].reshape(-1) + lift[0, 0]
        return logits, types[0]

    def _mix(self, values: Matrix, layer: int, step: int) -> None:
        """Add to each block what it makes of those `step` places before and after it."""
        before, own, after, weights, bias = (
            self.arrays[f"mix{layer}.{part}"]
            for part in ("before", "own", "behind", "weights", "bias")
        )
        mixed = values * own
        mixed[step:] += values[:-step] * before
        mixed[:-step] += values[step:] * after
        values += np.maximum(_product(mixed, weights) + bias, 0)

    def _pool(self, values: Matrix, state: Matrix, plan: PoolingPlan) -> None:
        """Add to each block the means over like blocks, the element around it and the page."""
        arrays, evenly = self.arrays, np.ones(len(values), dtype=np.float32)
        around, owner = _means_between(values, plan.first, plan.stop)
        alike, _ = _group_means(values, plan.alike, evenly)
        path, _ = _group_means(values, plan.path, evenly)
        bias = (
            state @ arrays["pool.page"]
            + arrays["pool.bias"]
            + values.mean(0) @ arrays["pool.whole"]
        )
        pooled = _product(around, arrays["pool.around"])[owner]
        pooled += _product(alike, arrays["pool.alike"])[plan.alike]
        pooled += _product(path, arrays["pool.path"])[plan.path]
        values += np.maximum(pooled + bias, 0)

    def _look(self, values: Matrix, plan: PoolingPlan) -> None:
        """Add to each block what its group makes of itself and of the groups with the most words."""
        arrays = self.arrays
        means, words = _group_means(values, plan.alike, plan.words)
        chosen = np.argsort(-words, kind="stable")[:MOST_GROUPS]
        key = means[chosen] @ arrays["look.key"] + arrays["look.key.bias"]
        query = _product(means, arrays["look.query"]) + arrays["look.query.bias"]
        scale = np.float32(key.shape[1] ** -0.5)
        lift = np.log(words[chosen]) * np.float32(GROUP_WEIGHT)
        shares = _soften(_product(query, key.T) * scale + lift)
        seen = _product(_product(shares, means[chosen]), arrays["look.seen"])
        seen += _product(means, arrays["look.own"]) + arrays["look.seen.bias"]
        told = _product(np.maximum(seen, 0), arrays["look.told"]) + arrays["look.told.bias"]
        values += np.maximum(told, 0)[plan.alike]

    def _run_head(self, means: Matrix, state: Matrix, head: str) -> Matrix:
        """Return what a head makes of the whole page: of its state and of two means of its blocks."""
        output: Matrix = (
            np.concatenate((means.reshape(1, -1), state), 1) @ self.arrays[f"{head}.weights"]
        )
        return output + self.arrays[f"{head}.bias"]


def _standardise(rows: Matrix, mean: Matrix, scale: Matrix, limit: float) -> Matrix:
    """Return distances from the mean in standard deviations, cut at the limit on both sides."""
    distances: Matrix = np.clip((rows - mean) * scale, np.float32(-limit), np.float32(limit))
    return distances


def _product(values: Matrix, weights: Matrix) -> Matrix:
    """Return a matrix product, computed in pieces too small for OpenBLAS to start threads.

    Threads gain nothing on matrices of this size, and if several processes extract they cost five
    times the work.
    """
    product = np.empty((len(values), weights.shape[1]), dtype=np.float32)
    rows = max(MOST_MULTIPLICATIONS // max(weights.size, 1), 1)
    for first in range(0, len(values), rows):
        np.matmul(values[first : first + rows], weights, out=product[first : first + rows])
    return product


def _shares(words: Matrix) -> Matrix:
    """Return the weight of each block in the mean over blocks, and in the mean over words."""
    return np.stack((np.full(len(words), 1 / len(words), dtype=np.float32), words / words.sum()))


def _group_means(values: Matrix, group: Column, weights: Matrix) -> tuple[Matrix, Matrix]:
    """Return the weighted mean of the rows of each group, and the groups' weights."""
    sums = np.bincount(group, weights).astype(np.float32)
    means = np.zeros((len(sums), values.shape[1]), dtype=np.float32)
    np.add.at(means, group, values * weights[:, None])
    means /= np.where(sums > 0, sums, np.float32(np.inf))[:, None]
    return means, sums


def _means_between(values: Matrix, first: Column, stop: Column) -> tuple[Matrix, Column]:
    """Return the means of the rows first to stop, and the number of the mean of each row.

    Neighbours with the same first and stop share one mean.
    """
    total = np.zeros((len(values) + 1, values.shape[1]), dtype=np.float32)
    np.cumsum(values, axis=0, out=total[1:])
    new = np.ones(len(first), dtype=np.bool_)
    new[1:] = (np.diff(first) != 0) | (np.diff(stop) != 0)
    low, high = first[new], stop[new]
    means: Matrix = (total[high] - total[low]) / np.maximum(high - low, 1).astype(np.float32)[
        :, None
    ]
    return means, np.cumsum(new, dtype=np.int32) - np.int32(1)


def _soften(values: Matrix) -> Matrix:
    """Return shares that sum to 1: exp(values) by row over their sum."""
    powers = np.exp(values - values.max(1, keepdims=True))
    shares: Matrix = powers / powers.sum(1, keepdims=True)
    return shares


class CutRule(NamedTuple):
    """How chances are cut."""

    weight: (
        float  # of all words that may be content, against those that are kept, in the expected F1
    )
    least: float  # chance of the likeliest block; if it is below, nothing is kept
    lean: float  # how far above the best point the cut is, in logits


def decide(
    logits: Matrix, words: Matrix, original: npt.NDArray[np.intp], rule: CutRule
) -> tuple[Matrix, Matrix, float]:
    """Return the chance and the score of each block, and the expected F1.

    The score is the chance, moved so that the cut is at 0.5. A block that is a copy has chance and
    score 0; its logit counts for its original.
    """
    copies = np.flatnonzero(original != np.arange(len(original)))
    best = logits.copy()
    np.maximum.at(best, original[copies], logits[copies])
    best[copies] = -CERTAIN
    chances = find_chances(best, SURE)
    chances[copies] = 0
    order = np.argsort(-best, kind="stable")
    likely = np.cumsum((chances * words.astype(np.float64))[order])
    scores_by_cut = (
        2 * likely / (np.cumsum(words[order], dtype=np.float64) + 1e-6 + rule.weight * likely[-1])
    )
    last = int(scores_by_cut.argmax())
    highest = float(best[order[0]])
    if chances[order[0]] < rule.least:
        cut, expected = highest + 1, 0.0
    else:
        cut, expected = (
            _cut_between(best[order[last : last + 2]].tolist()),
            float(scores_by_cut[last]),
        )
    above = best - np.float32(cut)
    if 0 < highest - cut < TOP:
        above[above > 0] *= np.float32(TOP / (highest - cut))
    scores = find_chances(above - np.float32(rule.lean), CERTAIN)
    scores[copies] = 0
    return chances, scores, expected


def _cut_between(logits: list[float]) -> float:
    """Return a cut between the logits of the last block that is kept and the first that is not."""
    kept, lowest = logits[0], logits[0] - MOST_BETWEEN
    if len(logits) > 1:
        lowest = max(logits[1], lowest)
    return (kept + lowest) / 2


def find_chances(logits: Matrix, limit: float) -> Matrix:
    """Return 1 / (1 + exp(-logits)), of logits cut at the limit on both sides."""
    chances: Matrix = np.reciprocal(
        1 + np.exp(-np.clip(logits, np.float32(-limit), np.float32(limit)))
    )
    return chances


def add_up_answer(scores: Matrix, chances: Matrix, words: Matrix, boundary: float) -> Sums:
    """Return the kept words, all words, the likely content of the kept words, the doubt, and the highest chance.

    Words are kept whose block scores at least the boundary.
    """
    kept, words = scores >= boundary, words.astype(np.float64)
    likely = words * chances
    return (
        float(words @ kept),
        float(words.sum()),
        float(likely @ kept),
        float(likely @ (1 - chances)),
        float(chances.max()),
    )
