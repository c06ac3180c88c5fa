"""Run the network of the learned method over the features of a page.

`bodytext.kernel.layers` defines the network. A long page is handed to it in parts.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel import BlockNetwork, Survey
from bodytext.kernel.layers import Matrix, PoolingPlan, plan_whole
from bodytext.kernel.network_shape import LEAST_WORDS, PAGE_TYPES

STRETCH = 4_096  # blocks at a time, so that pages of millions need little memory
OVERLAP = 16  # blocks on either side of a part, more than the layers reach


class NetworkOutput(NamedTuple):
    """The output of the network for a page."""

    logits: Matrix  # of each block being content
    types: Matrix  # how likely each of PAGE_TYPES is


def read_blocks(network: BlockNetwork, features: Survey) -> NetworkOutput:
    """Return a logit for every block, and the chance of every page type."""
    if features.count <= STRETCH:
        return NetworkOutput._make(network.run(features))
    logits = np.empty(features.count, dtype=np.float32)
    types = np.zeros(len(PAGE_TYPES), dtype=np.float32)
    for start in range(0, features.count, STRETCH):
        stop = min(start + STRETCH, features.count)
        first, last = max(start - OVERLAP, 0), min(stop + OVERLAP, features.count)
        plan = make_plan(features, range(first, last))
        reading = run(network, features.rows(first, last), features.page, plan)
        logits[start:stop] = reading.logits[start - first : stop - first]
        types += reading.types * np.float32((stop - start) / features.count)
    return NetworkOutput(logits, types)


def make_plan(features: Survey, blocks: range) -> PoolingPlan:
    """Return which of some consecutive blocks are pooled together."""
    first, stop = blocks.start, blocks.stop
    if len(blocks) == features.count:
        return plan_whole(features)
    _, alike = np.unique(features.groups[0, first:stop], return_inverse=True)
    _, path = np.unique(features.groups[2, first:stop], return_inverse=True)
    around = np.clip(features.around[:, first:stop] - first, 0, stop - first)
    low, high = map(_number, around)
    words = features.words[first:stop]
    return PoolingPlan(_number(alike), _number(path), low, high, words, LEAST_WORDS)


def run(network: BlockNetwork, rows: Matrix, page: Matrix, plan: PoolingPlan) -> NetworkOutput:
    """Run the network over given rows of features."""
    return NetworkOutput(*network.run(rows, page, plan))


def _number(column: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    return np.ascontiguousarray(column, dtype=np.int32)
