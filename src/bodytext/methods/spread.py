"""The descent by spread: go down into the child that holds the text until the text is spread evenly.

After "Getting useful content of the Web page" (an article with a Perl demonstration, undated). From the body: L(i) is
the text length of child i, FTL that of the node, LV the linear variance of L, and

    K = 100 * LV / FTL.

With K below 5 the node is the content; otherwise the child with the longest text is looked at in the same way. A node
with one child that holds text is passed through.

Settled here: linear variance is the mean absolute deviation from the mean. A child is a block-level element; text that
stands directly in a node, inline elements included, counts as a child of its own, so that it is never lost silently.
Children without text do not count. The document's own weak case is a page of one long paragraph: the descent never
ends below the last element with more than one text-bearing child, unless there is none on its path.

The document says that other measures and other stop values can serve: `measure` is "absolute" (its own) or "square"
(the standard deviation), `stop` is its 5 per cent.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.markup import RULES, TAG, Rule
from bodytext.page import Column, Page
from bodytext.selection import Scores

_HOLDS = np.array([bool(rules & Rule.SPECIAL) for rules in RULES])
_MEASURES = ("absolute", "square")


@dataclass(frozen=True, slots=True)
class Spread:
    """down the tree into the longest text until it is spread evenly (text-spread descent)"""

    stop: float = 5.0
    measure: str = "absolute"

    def __post_init__(self) -> None:
        if self.measure not in _MEASURES:
            raise ValueError(f"measure must be one of {', '.join(_MEASURES)}, not {self.measure!r}")

    def score(self, page: Page) -> Scores:
        """1 for the blocks inside the element where the descent ends."""
        if not len(page):
            return np.zeros(0, dtype=np.float32)
        end = self.descend(page)[-1][0]
        first, stop = page.nodes.first_run[end], page.nodes.stop_run[end]
        inside = (page.blocks.first_run >= first) & (page.blocks.stop_run <= stop) & page.seen
        return inside.astype(np.float32)

    def descend(self, page: Page) -> list[tuple[int, float]]:
        """The nodes on the way down from the body, each with its K; the last one is the content."""
        tree = _Tree(page, square=self.measure == "square")
        path: list[tuple[int, float]] = []
        node, content = tree.root, 0
        while True:
            spread = tree.spread[node]
            path.append((node, spread))
            if tree.children[node] > 1:
                content = len(path)
                if spread < self.stop:
                    break
            if tree.longest[node] < 0:
                break
            node = tree.longest[node]
        return path[: content or len(path)]


class _Tree:
    """For each block-level node: how many children hold text, how evenly, and which element holds most (or -1)."""

    def __init__(self, page: Page, *, square: bool) -> None:
        nodes, blocks = page.nodes, page.blocks
        seen = page.seen
        length = np.where(seen, page.per_block(page.runs.chars), 0).astype(np.int64)
        holder = _nearest_holder(nodes.tag, nodes.parent)
        inside = np.zeros(len(page.runs.chars) + 1, dtype=np.int64)
        np.cumsum(np.bincount(blocks.first_run, length, minlength=len(page.runs.chars)), out=inside[1:])
        text = inside[nodes.stop_run] - inside[nodes.first_run]
        elements = np.flatnonzero(_HOLDS[nodes.tag] & (text > 0) & (nodes.parent >= 0))
        parent = np.concatenate((holder[nodes.parent[elements]], blocks.node[seen & (length > 0)]))
        lengths = np.concatenate((text[elements], length[seen & (length > 0)]))
        self._spread_out(parent, lengths, text, square=square)
        self.longest = _longest_child(parent[: len(elements)], elements, text)
        bodies = np.flatnonzero(nodes.tag == TAG["body"])
        self.root = int(bodies[0]) if len(bodies) else 0

    def _spread_out(
        self, parent: Column, lengths: npt.NDArray[np.int64], text: npt.NDArray[np.int64], *, square: bool
    ) -> None:
        count = np.bincount(parent, minlength=len(text))
        present = np.maximum(count, 1)
        mean = np.bincount(parent, lengths, minlength=len(text)) / present
        deviation = np.abs(lengths - mean[parent])
        if square:
            variance = np.sqrt(np.bincount(parent, deviation**2, minlength=len(text)) / present)
        else:
            variance = np.bincount(parent, deviation, minlength=len(text)) / present
        self.children = count.tolist()
        self.spread = (100 * variance / np.maximum(text, 1)).tolist()


def _nearest_holder(tag: Column, parent: Column) -> Column:
    """For each node the nearest block-level node at or above it."""
    holder = np.where(_HOLDS[tag], np.arange(len(tag)), np.maximum(parent, 0))
    while True:
        above = holder[holder]
        if np.array_equal(above, holder):
            return holder.astype(np.int32)
        holder = above


def _longest_child(parent: Column, elements: npt.NDArray[np.intp], text: npt.NDArray[np.int64]) -> list[int]:
    """For each node the child element with the longest text (of equals the first), or -1."""
    longest = np.full(len(text), -1, dtype=np.int64)
    order = np.lexsort((-elements, text[elements]))
    longest[parent[order]] = elements[order]  # of several assignments the last one stays: the longest, then the first
    return longest.tolist()
