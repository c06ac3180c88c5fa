"""The text-spread descent: follow the child with the most text until the text is spread evenly.

After "Getting useful content of the Web page" (an article with a Perl demonstration, undated). From the body: L(i) is
the text length of child i, FTL that of the node, LV the linear variance of L, and

    K = 100 * LV / FTL.

With K below 5 the node is the content; otherwise the child with the longest text is examined in the same way. A node
with only one child that holds text is passed through.

Settled here: linear variance is the mean absolute deviation from the mean. A child is a block-level element. Each block
of text directly in a node, inline elements included, is a child of its own, so that it is never lost silently: if it is
the longest child, the descent ends. Children without text do not count. The document names one weak case, a page of one
long paragraph: the descent never ends below the last element with more than one text-bearing child, unless there is
none on its path.

The document allows other measures and other stop values: `measure` is "absolute" (its own) or "square" (the standard
deviation), `stop` is its 5 per cent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.kernel.html import RULES, TAG, UNSEEN, TagRule
from bodytext.methods.scores import Scores
from bodytext.page.tables import Column, Page

_HOLDS = np.array([bool(rules & TagRule.SPECIAL) for rules in RULES])
_MEASURES = ("absolute", "square")


class Step(NamedTuple):
    """A node on the way down: how many children hold text, and K if there are several."""

    node: int
    children: int
    spread: float


@dataclass(frozen=True, slots=True)
class Spread:
    """Down the tree into the longest text until it is spread evenly (text-spread descent)."""

    stop: float = 5.0
    measure: str = "absolute"

    def __post_init__(self) -> None:
        if not self.stop >= 0:
            raise ValueError(f"stop is a percentage, 0 or more, not {self.stop}")
        if self.measure not in _MEASURES:
            raise ValueError(f"measure must be one of {', '.join(_MEASURES)}, not {self.measure!r}")

    def score(self, page: Page) -> Scores:
        """Score the blocks inside the element where the descent ends 1."""
        if not len(page):
            return Scores(np.zeros(0, dtype=np.float32))
        branching, node = -1, -1
        for node, branch in self._walk(_Tree(self, page)):
            branching = node if branch >= 0 else branching
        end = branching if branching >= 0 else node
        first, stop = page.nodes.first_run[end], page.nodes.stop_run[end]
        inside: npt.NDArray[np.bool_] = (
            (page.blocks.first_run >= first) & (page.blocks.stop_run <= stop) & page.seen
        )
        return Scores(inside.astype(np.float32))

    def descend(self, page: Page) -> Iterator[Step]:
        """Yield the steps from the body to an even node or the last element; the last branching node is the content."""
        tree = _Tree(self, page)
        for node, branch in self._walk(tree):
            yield (
                Step(node, int(tree.count[branch]), float(tree.spread[branch]))
                if branch >= 0
                else Step(node, 1, 0.0)
            )

    def _walk(self, tree: "_Tree") -> Iterator[tuple[int, int]]:
        """Yield the nodes on the way down, each with its branch number or -1. A hostile page has millions."""
        node, branch, longest = tree.root, tree.branch.data, tree.longest.data
        ends = (tree.spread < self.stop).data
        while node >= 0:
            number = branch[node]
            yield node, number
            if number >= 0 and ends[number]:
                return
            node = longest[node]

    def branches(
        self, parent: Column, length: Column
    ) -> tuple[Column, npt.NDArray[np.float64], npt.NDArray[np.intp]]:
        """Return the parents, the K of each, and the number of its children."""
        nodes, which, count = np.unique(parent, return_inverse=True, return_counts=True)
        mean = np.bincount(which, length) / count
        deviation = np.abs(length - mean[which])
        if self.measure == "square":
            variance = np.sqrt(np.bincount(which, deviation**2) / count)
        else:
            variance = np.bincount(which, deviation) / count
        return nodes, 100 * variance / (mean * count), count


class _Tree:
    """What the descent needs: the branching nodes with their K and children, and each node's longest child."""

    def __init__(self, method: Spread, page: Page) -> None:
        chars = _seen_chars(page)
        text = page.per_node(chars)
        parent, child, length = _children(page, chars, text)
        shared = length < text[parent]  # a child with all of its parent's text is passed through
        nodes, self.spread, self.count = method.branches(parent[shared], length[shared])
        self.branch = np.full(len(text), -1, dtype=np.int32)
        self.branch[nodes] = np.arange(len(nodes), dtype=np.int32)
        self.longest = _longest_child(parent, child, length, len(text))
        bodies = np.flatnonzero(page.nodes.tag == TAG["body"])
        self.root = int(bodies[0]) if len(bodies) else 0


def _seen_chars(page: Page) -> Column:
    """Return the characters of the runs that a reader sees; of all runs if the reader sees none."""
    chars = np.where(page.runs.flags & UNSEEN, 0, page.runs.chars)
    return chars if chars.any() else page.runs.chars


def _children(page: Page, chars: Column, text: Column) -> tuple[Column, Column, Column]:
    """Return parent, element and text length of every child with text; direct text has the element -1."""
    nodes, direct = page.nodes, page.per_block(chars)
    elements = np.flatnonzero(_HOLDS[nodes.tag] & (text > 0) & (nodes.parent >= 0)).astype(np.int32)
    blocks = np.flatnonzero(direct)
    # The root is marked, so every node has one
    holder = nearest_marked(_HOLDS[nodes.tag], nodes.parent)
    parent = np.concatenate((holder[nodes.parent[elements]], page.blocks.node[blocks]))
    child = np.concatenate((elements, np.full(len(blocks), -1, dtype=np.int32)))
    return parent, child, np.concatenate((text[elements], direct[blocks]))


def _longest_child(parent: Column, child: Column, length: Column, nodes: int) -> Column:
    """Return each node's child with the longest text, the first of equals: an element, or -1 for direct text."""
    longest = np.full(nodes, -1, dtype=np.int32)
    most = np.zeros(nodes, dtype=np.int32)
    np.maximum.at(most, parent, length)
    first = np.flatnonzero(length == most[parent])[::-1]
    longest[parent[first]] = child[first]  # the last assignment stays: the first
    return longest
