"""The network of the learned method and how its logits are cut, in numpy: the specification of `layers.pyx`.

Rows of features go through one dense layer, four layers that mix each block with those 1, 2, 4 and 8 places before and
behind it, and one that mixes it with means over the blocks that are alike, over the element around it and over the
page. In between every block looks at all groups of like blocks (attention), and learns what kind of page it stands on.
Work is linear in the blocks.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Column = npt.NDArray[np.int32]
Arrays = Mapping[str, Matrix]
Rows = Callable[[int, int], Matrix]

STEPS = (1, 2, 4, 8)  # how far the layers look before and behind a block
POOL_BEFORE = 2  # the layer in front of which means are mixed in
LOOK_AFTER = 2  # the layer behind which a block looks at all groups
MOST_GROUPS = 48  # groups that are looked at: those with the most words, of equals the earlier
GROUP_WEIGHT = 0.3  # of the logarithm of a group's words in the attention
LIMIT = 5.0  # standard deviations; features beyond are cut
PAGE_LIMIT = 4.0
AT_A_TIME = 256  # rows of features
MOST_MULTIPLICATIONS = 1 << 18  # in one product; OpenBLAS starts threads above
SURE = 50.0  # logits beyond are certain in the numbers at hand
CERTAIN = 12.0  # logits beyond are as good as certain
MOST_BETWEEN = 2.0  # logits from the last block that is kept to the first that is not, where the cut is laid between
TOP = 4.0  # above the cut, where the likeliest block of a page stands at least: a high threshold leaves the surest


class PoolingPlan(NamedTuple):
    """Which blocks are pooled with which, worked out once for a page or a stretch of one. Rows without gaps."""

    alike: Column  # group of each block, by class; without gaps from 0 on
    path: Column  # the same, by tags alone
    first: Column  # of the blocks in a larger element around each
    stop: Column
    words: Matrix


class BlockNetwork:
    """The weights of a network, ready to be run."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays

    def run(self, rows: Rows, page: Matrix, plan: PoolingPlan) -> tuple[Matrix, Matrix]:
        """A logit for each block, and how likely each kind of page is. `rows` gives those from a first to a stop."""
        arrays, count = self.arrays, len(plan.words)
        page = _standardise(page.reshape(1, -1), arrays["page.mean"], arrays["page.scale"], PAGE_LIMIT)
        told = np.maximum(page @ arrays["page.weights"] + arrays["page.bias"], 0)
        weights = arrays["input.weights"]
        values = np.empty((count, weights.shape[1]), dtype=np.float32)
        for first in range(0, count, AT_A_TIME):
            stop = min(first + AT_A_TIME, count)
            part = _standardise(rows(first, stop), arrays["mean"], arrays["scale"], LIMIT)
            values[first:stop] = _product(part, weights)
        values += told @ arrays["input.page"] + arrays["input.bias"]
        np.maximum(values, 0, out=values)
        return self._go_on(values, told, plan)

    def _go_on(self, values: Matrix, told: Matrix, plan: PoolingPlan) -> tuple[Matrix, Matrix]:
        """All that follows the first layer."""
        arrays, shares = self.arrays, _shares(plan.words)
        for layer, step in enumerate(STEPS):
            if layer == POOL_BEFORE:
                self._pool(values, told, plan)
            self._mix(values, layer, step)
            if layer == 0:
                types = _soften(self._tell(shares @ values, told, "type"))
                values += types @ arrays["type.early"] + arrays["type.early.bias"]
            if layer == LOOK_AFTER:
                self._look(values, plan)
        means = shares @ values
        types = _soften(self._tell(means, told, "type"))
        lift = self._tell(means, told, "lift") + arrays["output.bias"]
        last = _product(values, arrays["last.weights"]) + (types @ arrays["type.late"] + arrays["last.bias"])
        logits: Matrix = np.maximum(last, 0) @ arrays["output.weights"].reshape(-1) + lift[0, 0]
        return logits, types[0]

    def _mix(self, values: Matrix, layer: int, step: int) -> None:
        """Add to each block what it makes of those `step` places before and behind it."""
        before, own, behind, weights, bias = (
            self.arrays[f"mix{layer}.{part}"] for part in ("before", "own", "behind", "weights", "bias")
        )
        mixed = values * own
        mixed[step:] += values[:-step] * before
        mixed[:-step] += values[step:] * behind
        values += np.maximum(_product(mixed, weights) + bias, 0)

    def _pool(self, values: Matrix, told: Matrix, plan: PoolingPlan) -> None:
        """Add what the means over like blocks, the element around and the page say of each block."""
        arrays, evenly = self.arrays, np.ones(len(values), dtype=np.float32)
        around, owner = _means_between(values, plan.first, plan.stop)
        alike, _ = _group_means(values, plan.alike, evenly)
        path, _ = _group_means(values, plan.path, evenly)
        bias = told @ arrays["pool.page"] + arrays["pool.bias"] + values.mean(0) @ arrays["pool.whole"]
        pooled = _product(around, arrays["pool.around"])[owner]
        pooled += _product(alike, arrays["pool.alike"])[plan.alike]
        pooled += _product(path, arrays["pool.path"])[plan.path]
        values += np.maximum(pooled + bias, 0)

    def _look(self, values: Matrix, plan: PoolingPlan) -> None:
        """Attention of each block to the groups of like blocks with the most words."""
        arrays = self.arrays
        means, words = _group_means(values, plan.alike, plan.words)
        chosen = np.argsort(-words, kind="stable")[:MOST_GROUPS]
        means, words = means[chosen], words[chosen]
        key = means @ arrays["look.key"] + arrays["look.key.bias"]
        query = _product(values, arrays["look.query"]) + arrays["look.query.bias"]
        scale, lift = np.float32(key.shape[1] ** -0.5), np.log(words) * np.float32(GROUP_WEIGHT)
        shares = _soften(_product(query, key.T) * scale + lift)
        found = _product(shares, means @ arrays["look.value"])
        values += np.maximum(found + arrays["look.value.bias"], 0)

    def _tell(self, means: Matrix, told: Matrix, head: str) -> Matrix:
        """What a head says of the page as a whole: from the mean of its blocks, by number and by words."""
        found: Matrix = np.concatenate((means.reshape(1, -1), told), 1) @ self.arrays[f"{head}.weights"]
        return found + self.arrays[f"{head}.bias"]


def _standardise(rows: Matrix, mean: Matrix, scale: Matrix, limit: float) -> Matrix:
    """Distances from the mean in standard deviations, cut at the limit on both sides."""
    found: Matrix = np.clip((rows - mean) * scale, np.float32(-limit), np.float32(limit))
    return found


def _product(values: Matrix, weights: Matrix) -> Matrix:
    """A matrix product in pieces too small for the linear-algebra library to start threads for.

    Threads gain nothing on matrices of this size, and where several processes extract they cost five times the work.
    """
    found = np.empty((len(values), weights.shape[1]), dtype=np.float32)
    rows = max(MOST_MULTIPLICATIONS // max(weights.size, 1), 1)
    for first in range(0, len(values), rows):
        np.matmul(values[first : first + rows], weights, out=found[first : first + rows])
    return found


def _shares(words: Matrix) -> Matrix:
    """Two rows: the weight of each block in the mean over blocks, and in the mean over words."""
    return np.stack((np.full(len(words), 1 / len(words), dtype=np.float32), words / words.sum()))


def _group_means(values: Matrix, group: Column, weights: Matrix) -> tuple[Matrix, Matrix]:
    """The weighted mean of the rows of each group, and the groups' weights."""
    sums = np.bincount(group, weights).astype(np.float32)
    means = np.zeros((len(sums), values.shape[1]), dtype=np.float32)
    np.add.at(means, group, values * weights[:, None])
    means /= np.where(sums > 0, sums, np.float32(np.inf))[:, None]
    return means, sums


def _means_between(values: Matrix, first: Column, stop: Column) -> tuple[Matrix, Column]:
    """The mean of the rows first to stop for each pair of them, equal neighbours once; and which mean is whose."""
    total = np.zeros((len(values) + 1, values.shape[1]), dtype=np.float32)
    np.cumsum(values, axis=0, out=total[1:])
    new = np.ones(len(first), dtype=np.bool_)
    new[1:] = (np.diff(first) != 0) | (np.diff(stop) != 0)
    low, high = first[new], stop[new]
    means: Matrix = (total[high] - total[low]) / np.maximum(high - low, 1).astype(np.float32)[:, None]
    return means, np.cumsum(new, dtype=np.int32) - np.int32(1)


def _soften(values: Matrix) -> Matrix:
    """Shares that sum to 1: exp(values) by row over their sum."""
    powers = np.exp(values - values.max(1, keepdims=True))
    shares: Matrix = powers / powers.sum(1, keepdims=True)
    return shares


class CutRule(NamedTuple):
    """How chances are cut."""

    weight: float  # of all words that may be content, beside those that are kept, in the expected F1
    least: float  # chance of the likeliest block: where it is below, nothing is kept
    lean: float  # how far above the best point the cut lies, in logits


def decide(
    logits: Matrix, words: Matrix, original: npt.NDArray[np.intp], rule: CutRule
) -> tuple[Matrix, Matrix, float]:
    """The chance of each block, its score, which is the chance moved so that the cut lies at 0.5; the expected F1.

    A block whose original is another one has neither: what was said of it is said of the original.
    """
    copies = np.flatnonzero(original != np.arange(len(original)))
    best = logits.copy()
    np.maximum.at(best, original[copies], logits[copies])
    best[copies] = -CERTAIN
    chances = find_chances(best, SURE)
    chances[copies] = 0
    order = np.argsort(-best, kind="stable")
    likely = np.cumsum((chances * words.astype(np.float64))[order])
    expected = 2 * likely / (np.cumsum(words[order], dtype=np.float64) + 1e-6 + rule.weight * likely[-1])
    last = int(expected.argmax())
    highest = float(best[order[0]])
    if chances[order[0]] < rule.least:
        cut, found = highest + 1, 0.0
    else:
        cut, found = _between(best[order[last : last + 2]].tolist()), float(expected[last])
    above = best - np.float32(cut)
    if 0 < highest - cut < TOP:
        above[above > 0] *= np.float32(TOP / (highest - cut))
    scores = find_chances(above - np.float32(rule.lean), CERTAIN)
    scores[copies] = 0
    return chances, scores, found


def _between(logits: list[float]) -> float:
    """A cut between the logit of the last block that is kept and that of the first that is not, if there is one."""
    here, behind = logits[0], logits[-1] if len(logits) > 1 else -np.inf
    return (here + max(behind, here - MOST_BETWEEN)) / 2


def find_chances(logits: Matrix, limit: float) -> Matrix:
    """1 / (1 + exp(-logits)), of logits cut at the limit on both sides."""
    found: Matrix = np.reciprocal(1 + np.exp(-np.clip(logits, np.float32(-limit), np.float32(limit))))
    return found


def add_up_answer(scores: Matrix, chances: Matrix, words: Matrix, boundary: float) -> tuple[float, float, float, float]:
    """Words of the blocks that score at least the boundary, and of all; likely content in those; doubtful in all."""
    kept, words = scores >= boundary, words.astype(np.float64)
    likely = words * chances
    return float(words @ kept), float(words.sum()), float(likely @ kept), float(likely @ (1 - chances))


Network, Rule = BlockNetwork, CutRule  # until the extensions are built again
