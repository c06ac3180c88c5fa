"""Run the network of the learned method over the features of a page.

`bodytext.kernel.layers` defines the network. A long page is handed to it in parts.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel import BlockNetwork
from bodytext.kernel.layers import Matrix, PoolingPlan
from bodytext.methods.learned.features import Features

PAGE_TYPES = ("article", "service", "product", "collection", "forum", "listing", "documentation")
STRETCH = 4_096  # blocks at a time, so that pages of millions need little memory
LEAST_WORDS = 0.1  # added to each block, so that means over words never divide by zero
OVERLAP = 16  # blocks on either side of a part, more than the layers reach


class NetworkOutput(NamedTuple):
    """The output of the network for a page."""

    logits: Matrix  # of each block being content
    types: Matrix  # how likely each of PAGE_TYPES is

    @property
    def page_type(self) -> str:
        """The likeliest page type."""
        types = self.types.tolist()
        return PAGE_TYPES[types.index(max(types))]


def read_blocks(network: BlockNetwork, features: Features, words: Matrix) -> NetworkOutput:
    """Return a logit for every block, and the chance of every page type."""
    if features.count <= STRETCH:
        plan = make_plan(features, words, range(features.count))
        return NetworkOutput(*network.run(features.survey, features.page, plan))
    logits = np.empty(features.count, dtype=np.float32)
    types = np.zeros(len(PAGE_TYPES), dtype=np.float32)
    for start in range(0, features.count, STRETCH):
        stop = min(start + STRETCH, features.count)
        first, last = max(start - OVERLAP, 0), min(stop + OVERLAP, features.count)
        plan = make_plan(features, words, range(first, last))
        reading = run(network, features.rows(first, last), features.page, plan)
        logits[start:stop] = reading.logits[start - first : stop - first]
        types += reading.types * np.float32((stop - start) / features.count)
    return NetworkOutput(logits, types)


def make_plan(features: Features, words: Matrix, blocks: range) -> PoolingPlan:
    """Return which of some consecutive blocks are pooled together."""
    first, stop = blocks.start, blocks.stop
    if len(blocks) == features.count:
        (alike, _, path), (low, high) = features.groups, features.around
        return PoolingPlan(alike, path, low, high, words, LEAST_WORDS)
    _, alike = np.unique(features.groups[0, first:stop], return_inverse=True)
    _, path = np.unique(features.groups[2, first:stop], return_inverse=True)
    around = np.clip(features.around[:, first:stop] - first, 0, stop - first)
    alike, path, low, high = map(_number, (alike, path, *around))
    return PoolingPlan(alike, path, low, high, words[first:stop], LEAST_WORDS)


def run(network: BlockNetwork, rows: Matrix, page: Matrix, plan: PoolingPlan) -> NetworkOutput:
    """Run the network over given rows of features."""
    return NetworkOutput(*network.run(rows, page, plan))


def _number(column: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    return np.ascontiguousarray(column, dtype=np.int32)
