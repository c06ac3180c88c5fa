"""Explain the scores of blocks: the features for and against each of them.

A group of features is hidden from the network by setting it to the mean. The change in a block's logit is the weight
of the group: positive for, negative against. Groups that carry the same information hide each other, so the weights
need not add up to the score.
"""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.kernel import BlockNetwork
from bodytext.kernel.layers import Arrays, Matrix, PoolingPlan
from bodytext.methods.learned.copies import find_copies
from bodytext.methods.learned.features import block_names, page_names, read_features, with_address
from bodytext.methods.learned.method import Learned
from bodytext.methods.learned.network import STRETCH, make_plan, run
from bodytext.methods.learned.weights import read_network, read_weights
from bodytext.page.tables import Page

# The words for a group of features, and a pattern for the columns in it.
GROUPS: dict[str, str] = {
    "its length": r"log (?:words|bytes|tags|source)|word length|text share of source",
    "links in it": r"log linked|log link runs|link share|in link",
    "its sentences": r"log (?:ends|prose words)|ends (?:share|a sentence)|prose share|commas share",
    "digits, capitals and signs in it": (
        r"log (?:digits|uppers|separators|symbols)|(?:digits|uppers|currencies|separators|symbols) share"
    ),
    "words of the page's title and description": (
        r"log (?:title|description|told).*|(?:title|description|told) share"
    ),
    "its place in the page": r"place|words before|log place.*",
    "headings around it": r"headings? (?:level|before)|.* (?:last|since|title) heading|.*h1|section: .*",
    "the densest stretch of text": r"in densest stretch|distance to stretch .*|place in stretch",
    "its kind and the tags around it": r"in (?!link|densest).*|kind .*|tag .*",
    "the element it is in": r"around [01]: (?!unseen).*",
    "wider elements around it": r"around [2-9]: (?!unseen).*|holder .*",
    "blocks like it": r"same .*",
    "repetition of its text": r"copies|copy of an earlier one|log repeated|repeated share",
    "hidden text": r"log unseen words|.*unseen share",
}
_TOPIC = re.compile(r"(?:near|within) (\w+)")
LEAST_WEIGHT = 0.05  # of a logit; less is no reason


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for a block (positive weight) or against it (negative), in logits."""

    words: str
    weight: float


@dataclass(frozen=True, slots=True)
class _PageNetwork:
    """A network and what it reads of a page, to run it again with a part of that hidden."""

    arrays: Arrays
    network: BlockNetwork
    rows: Matrix
    whole: Matrix
    plan: PoolingPlan

    def run(self, rows: Matrix, whole: Matrix) -> Matrix:
        return run(self.network, rows, whole, self.plan).logits


def _read_page(page: Page, method: Learned | None) -> _PageNetwork:
    model = (method or Learned()).model
    features = read_features(page)
    count = min(features.count, STRETCH)
    plan = make_plan(features, range(count))
    rows = features.rows(0, count)
    return _PageNetwork(read_weights(model), read_network(model), rows, features.page, plan)


def explain_blocks(page: Page, method: Learned | None = None) -> list[list[Reason]]:
    """Return the reasons of every block, the weightiest first; for a very long page, of its first blocks."""
    if not len(page):
        return []
    page = with_address(page)
    read = _read_page(page, method)
    rows, whole, arrays = read.rows, read.whole, read.arrays
    logits = read.run(rows, whole)
    changes: dict[str, Matrix] = {}
    for words, columns in _groups(rows):
        hidden = rows.copy()
        hidden[:, columns] = arrays["mean"][columns]
        changes[words] = logits - read.run(hidden, whole)
    for words, columns in _page_groups(known=bool(page.url)):
        hidden = whole.copy()
        hidden[:, columns] = arrays["page.mean"][columns]
        changes[words] = logits - read.run(rows, hidden)
    return _sort(changes, find_copies(page)[: len(rows)])


def measure_logits(page: Page, method: Learned | None = None) -> tuple[Matrix, Matrix]:
    """Return the logits from which the reasons start, where all features are hidden, and the logits themselves."""
    if not len(page):
        nothing = np.zeros(0, dtype=np.float32)
        return nothing, nothing
    read = _read_page(with_address(page), method)
    means = np.broadcast_to(read.arrays["mean"], read.rows.shape).astype(np.float32, order="C")
    whole = np.broadcast_to(read.arrays["page.mean"], read.whole.shape).astype(
        np.float32, order="C"
    )
    return read.run(means, whole), read.run(read.rows, read.whole)


def _groups(rows: Matrix) -> list[tuple[str, npt.NDArray[np.intp]]]:
    """Return the groups of GROUPS, and one for every topic of class names on the page."""
    names = block_names()
    groups = [
        (
            words,
            np.array(
                [n for n, name in enumerate(names) if re.fullmatch(pattern, name)], dtype=np.intp
            ),
        )
        for words, pattern in GROUPS.items()
    ]
    topics: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        if match := _TOPIC.fullmatch(name):
            topics.setdefault(match[1], []).append(number)
    for topic, columns in topics.items():
        if (rows[:, columns] > 0).any():
            groups.append((f"class names that speak of {topic}", np.array(columns, dtype=np.intp)))
    return groups


def _page_groups(*, known: bool) -> list[tuple[str, npt.NDArray[np.intp]]]:
    """Return the groups of the page's features; those of its address only if it is known."""
    address = np.array([name.startswith("address") for name in page_names()])
    whole = ("the page as a whole", np.flatnonzero(~address))
    return [("the page's address", np.flatnonzero(address)), whole] if known else [whole]


def _sort(changes: dict[str, Matrix], original: npt.NDArray[np.intp]) -> list[list[Reason]]:
    explained: list[list[Reason]] = []
    for block, first in enumerate(original.tolist()):
        reasons = [
            Reason(words, round(float(weights[block]), 2)) for words, weights in changes.items()
        ]
        reasons = [reason for reason in reasons if abs(reason.weight) >= LEAST_WEIGHT]
        reasons.sort(key=lambda reason: -abs(reason.weight))
        if first != block:
            reasons.insert(0, Reason(f"the same text is in block {first + 1:,}", -np.inf))
        explained.append(reasons)
    return explained
