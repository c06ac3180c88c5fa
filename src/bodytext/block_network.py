"""The network of the learned method: Features -> a logit for each block, and how likely each kind of page is.

Rows of features go through one dense layer, four layers that mix each block with those 1, 2, 4 and 8 places before and
behind it, and one that mixes it with means over the blocks that are alike, over the element around it and over the
page. In between every block looks at all groups of like blocks (attention), and learns what kind of page it stands on.
Work is linear in the blocks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext._kernel import layers
from bodytext.features import Features

Matrix = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int32]
Arrays = Mapping[str, Matrix]

PAGE_TYPES = ("article", "service", "product", "collection", "forum", "listing", "documentation")
STEPS = (1, 2, 4, 8)  # how far the layers look before and behind a block
POOL_BEFORE = 2  # the layer in front of which means are mixed in
LOOK_AFTER = 2  # the layer behind which a block looks at all groups
MOST_GROUPS = 48  # groups that are looked at: those with the most words
GROUP_WEIGHT = 0.3  # of the logarithm of a group's words in the attention
LIMIT = 5.0  # standard deviations; features beyond are cut
PAGE_LIMIT = 4.0
MOST_MULTIPLICATIONS = 1 << 18  # in one product; OpenBLAS starts threads above
STRETCH = 4_096  # blocks at a time, so that memory stays small on pages of millions
LEAST_WORDS = 0.1  # of a block in means over words, so that they are never of nothing
AT_A_TIME = 256  # rows of features
OVERLAP = 16  # blocks on either side that a stretch looks at, more than the layers reach
_NO_LIFT = np.zeros(len(PAGE_TYPES), dtype=np.float32)


class Reading(NamedTuple):
    """What the network makes of a page."""

    logits: Matrix  # of each block being content
    types: Matrix  # how likely each of PAGE_TYPES is


@dataclass(frozen=True, slots=True)
class Plan:
    """Which blocks are pooled with which, worked out once for a page or a stretch of one. Rows without gaps."""

    alike: Numbers  # group of each block, by class; without gaps from 0 on
    path: Numbers  # the same, by tags alone
    first: Numbers
    stop: Numbers
    words: Matrix


def read_blocks(arrays: Arrays, features: Features, words: Matrix) -> Reading:
    """A logit for every block, and the kinds of page."""
    page = features.page.copy()
    layers.standardise(page, arrays["page.mean"], arrays["page.scale"], PAGE_LIMIT)
    if features.count <= STRETCH:
        return _read(arrays, features, page, words, range(features.count))
    logits = np.empty(features.count, dtype=np.float32)
    types = np.zeros(len(PAGE_TYPES), dtype=np.float32)
    for start in range(0, features.count, STRETCH):
        stop = min(start + STRETCH, features.count)
        first, last = max(start - OVERLAP, 0), min(stop + OVERLAP, features.count)
        reading = _read(arrays, features, page, words, range(first, last))
        logits[start:stop] = reading.logits[start - first : stop - first]
        types += reading.types * np.float32((stop - start) / features.count)
    return Reading(logits, types)


def _read(arrays: Arrays, features: Features, page: Matrix, words: Matrix, blocks: range) -> Reading:
    """Rows are made and multiplied a few at a time: they are wide, and so stay in the processor's cache."""
    weights = arrays["input.weights"]
    values = np.empty((len(blocks), weights.shape[1]), dtype=np.float32)
    for first in range(blocks.start, blocks.stop, AT_A_TIME):
        stop = min(first + AT_A_TIME, blocks.stop)
        rows = features.rows(first, stop)
        layers.standardise(rows, arrays["mean"], arrays["scale"], LIMIT)
        values[first - blocks.start : stop - blocks.start] = _product(rows, weights)
    return _go_on(arrays, values, page, make_plan(features, words, blocks))


def make_plan(features: Features, words: Matrix, blocks: range) -> Plan:
    """What is pooled with what, among some consecutive blocks."""
    first, stop = blocks.start, blocks.stop
    words = words[first:stop] + np.float32(LEAST_WORDS)
    if len(blocks) == features.count:
        return Plan(features.groups[0], features.groups[2], features.around[0], features.around[1], words)
    _, alike = np.unique(features.groups[0, first:stop], return_inverse=True)
    _, path = np.unique(features.groups[2, first:stop], return_inverse=True)
    around = np.clip(features.around[:, first:stop] - first, 0, stop - first)
    return Plan(_number(alike), _number(path), _number(around[0]), _number(around[1]), words)


def run(arrays: Arrays, rows: Matrix, page: Matrix, plan: Plan) -> Reading:
    """The forward pass over standardised rows."""
    return _go_on(arrays, _product(rows, arrays["input.weights"]), page, plan)


def _go_on(arrays: Arrays, values: Matrix, page: Matrix, plan: Plan) -> Reading:
    """The forward pass from the product of rows and weights on."""
    told = np.maximum(layers.dense(page, arrays["page.weights"], arrays["page.bias"]), 0)
    shares = _shares(plan.words)
    layers.rectify(values, layers.dense(told, arrays["input.page"], arrays["input.bias"]))
    for layer, step in enumerate(STEPS):
        if layer == POOL_BEFORE:
            _pool(arrays, values, told, shares, plan)
        _mix(arrays, values, layer, step)
        if layer == 0:
            types = _tell_type(arrays, _product(shares, values), told)
            values += layers.dense(types, arrays["type.early"], arrays["type.early.bias"])
        if layer == LOOK_AFTER:
            _look(arrays, values, plan)
    means = _product(shares, values)
    types = _tell_type(arrays, means, told)
    bias = layers.dense(types, arrays["type.late"], arrays["last.bias"])
    lift = float(_tell(arrays, means, told, "lift")[0, 0] + arrays["output.bias"][0])
    last = _product(values, arrays["last.weights"])
    return Reading(layers.sum_rectified(last, bias, arrays["output.weights"], lift), types[0])


def _product(values: Matrix, weights: Matrix) -> Matrix:
    """A matrix product in pieces too small for the linear-algebra library to start threads for.

    Threads gain nothing on matrices of this size, and where several processes extract they cost five times the work.
    """
    found = np.empty((len(values), *weights.shape[1:]), dtype=np.float32)
    rows = max(MOST_MULTIPLICATIONS // max(weights.size, 1), 1)
    for first in range(0, len(values), rows):
        np.matmul(values[first : first + rows], weights, out=found[first : first + rows])
    return found


def _number(column: npt.NDArray[np.integer]) -> Numbers:
    return np.ascontiguousarray(column, dtype=np.int32)


def _shares(words: Matrix) -> Matrix:
    """Two rows: the weight of each block in the mean over blocks, and in the mean over words."""
    shares = np.empty((2, len(words)), dtype=np.float32)
    shares[0] = 1 / max(len(words), 1)
    np.multiply(words, np.float32(1) / words.sum(), out=shares[1])
    return shares


def _mix(arrays: Arrays, values: Matrix, layer: int, step: int) -> None:
    """Add to each block what it makes of those `step` places before and behind it."""
    name = f"mix{layer}"
    mixed = layers.mix(values, arrays[f"{name}.before"], arrays[f"{name}.own"], arrays[f"{name}.behind"], step)
    layers.add_rectified(values, _product(mixed, arrays[f"{name}.weights"]), arrays[f"{name}.bias"])


def _pool(arrays: Arrays, values: Matrix, told: Matrix, shares: Matrix, plan: Plan) -> None:
    """Add what the means over like blocks, the element around and the page say of each block."""
    evenly = np.ones(len(values), dtype=np.float32)
    around, owner = layers.means_between(values, plan.first, plan.stop)
    alike, _ = layers.group_means(values, plan.alike, evenly)
    path, _ = layers.group_means(values, plan.path, evenly)
    bias = layers.dense(told, arrays["pool.page"], arrays["pool.bias"])
    layers.add_pooled(
        values,
        layers.dense(_product(shares[:1], values), arrays["pool.whole"], bias),
        (_product(around, arrays["pool.around"]), owner),
        (_product(alike, arrays["pool.alike"]), plan.alike),
        (_product(path, arrays["pool.path"]), plan.path),
    )


def _look(arrays: Arrays, values: Matrix, plan: Plan) -> None:
    """Attention of each block to the groups of like blocks with the most words."""
    means, words = layers.group_means(values, plan.alike, plan.words)
    if len(words) > MOST_GROUPS:
        chosen = np.argpartition(-words, MOST_GROUPS - 1)[:MOST_GROUPS]
        means, words = means[chosen], words[chosen]
    key = _product(means, arrays["look.key"])
    key += arrays["look.key.bias"]
    # The query is a product with the blocks: with the key it is one small matrix, and one number for each group.
    likeness = _product(values, _product(arrays["look.query"], key.T))
    scale = float(key.shape[1] ** -0.5)
    lift: Matrix = np.log(words) * np.float32(GROUP_WEIGHT)
    lift += _product(key, arrays["look.query.bias"]) * np.float32(scale)
    layers.soften(likeness, scale, lift)
    layers.add_rectified(values, _product(likeness, _product(means, arrays["look.value"])), arrays["look.value.bias"])


def _tell(arrays: Arrays, means: Matrix, told: Matrix, head: str) -> Matrix:
    """What a head says of the page as a whole: from the mean of its blocks, by number and by words."""
    weights = arrays[f"{head}.weights"]
    return layers.dense(told, weights[means.size :], layers.dense(means, weights[: means.size], arrays[f"{head}.bias"]))


def _tell_type(arrays: Arrays, means: Matrix, told: Matrix) -> Matrix:
    """How likely each kind of page is."""
    types = _tell(arrays, means, told, "type")
    layers.soften(types, 1, _NO_LIFT)
    return types
