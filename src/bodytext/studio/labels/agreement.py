"""Two annotators' labels -> how far they agree: Cohen's kappa for each page and over all of them.

kappa = (p - e) / (1 - e): p is the share on which both say the same, e the share that would be expected of two people
who label blindly, each with their own shares of content, comment and neither. 1 is full agreement, 0 is chance.

Counted twice: by words (a block counts as many times as it has words; what a reader of the text would notice), and by
blocks (each counts once; what an annotator decides). Blocks that a reader does not see are left out. Over all pages the
counts are added up first, so that a long page weighs more than a short one.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.sources.files import read_page
from bodytext.studio.labels.labelling import Labelling, digest_source
from bodytext.studio.labels.spans import LABELS, label_blocks
from bodytext.studio.labels.store import LabelStore, SkippedPage

Counts = npt.NDArray[np.int64]  # the one's label x the other's label


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """What two people say of the same text, by words and by blocks."""

    name: str
    words: Counts
    blocks: Counts

    def figures(self) -> tuple[float, float, float, float]:
        """Kappa and the share that is agreed on, by words, then by blocks."""
        return kappa(self.words), agreed(self.words), kappa(self.blocks), agreed(self.blocks)

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(self.name, self.words + other.words, self.blocks + other.blocks)


def kappa(counts: Counts) -> float:
    """Cohen's kappa of a table of counts; not a number where both say one and the same of everything.

    >>> round(kappa(np.array([[20, 5], [10, 15]])), 3)
    0.4
    """
    total = counts.sum()
    if not total:
        return math.nan
    expected = float(counts.sum(0) @ counts.sum(1)) / float(total) ** 2
    return math.nan if expected == 1 else (agreed(counts) - expected) / (1 - expected)


def agreed(counts: Counts) -> float:
    """The share on which both say the same."""
    total = counts.sum()
    return float(np.trace(counts) / total) if total else math.nan


def compare(page: Page, one: Labelling, other: Labelling) -> Agreement:
    """How two people's labels of a page agree."""
    seen = page.seen
    first, second = (label_blocks(page, labels.spans)[seen] for labels in (one, other))
    words = page.per_block(page.runs.words)[seen]
    return Agreement(one.page, _count(first, second, words), _count(first, second, np.ones_like(words)))


def _count(one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8], weights: npt.NDArray[np.int32]) -> Counts:
    size = len(LABELS)
    cells = np.bincount(one.astype(np.intp) * size + other, weights, minlength=size * size)
    return cells.reshape(size, size).astype(np.int64)


def compare_annotators(store: LabelStore, one: str, other: str) -> Iterator[Agreement]:
    """Every page that both have gone through, and whose source is still what both have seen.

    Labels and pages that cannot be read are passed over: `find_broken` tells of the former.
    """
    done = {found.page: found for found in store.read_all(other) if isinstance(found, Labelling) and found.done}
    for first in store.read_all(one):
        second = done.get(first.page)
        if isinstance(first, SkippedPage) or second is None or not first.done or first.source != second.source:
            continue
        try:
            page = parse(read_page(store.pages / PurePosixPath(first.page)), url=first.url)
        except (OSError, ValueError):
            continue
        if digest_source(page.source) == first.source:
            yield compare(page, first, second)


def add_up(agreements: Sequence[Agreement]) -> Agreement:
    """The agreement over all pages."""
    empty = np.zeros((len(LABELS), len(LABELS)), dtype=np.int64)
    return sum(agreements, Agreement(f"all {len(agreements)} pages", empty, empty))


def to_table(agreements: Sequence[Agreement], pair: tuple[str, str]) -> str:
    """The agreements of pages and of all of them together, as lines of text."""
    lines = [f"{'kappa of ' + ' and '.join(pair):<48}{'by words':>10}{'agreed':>9}{'by blocks':>11}{'agreed':>9}"]
    for row in (*agreements, add_up(agreements)):
        cells = [_figure(value, share=bool(place % 2)) for place, value in enumerate(row.figures())]
        lines.append(f"{row.name[-46:]:<48}{cells[0]:>10}{cells[1]:>9}{cells[2]:>11}{cells[3]:>9}")
    return "\n".join(lines)


def _figure(value: float, *, share: bool) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.1%}" if share else f"{value:.3f}"
