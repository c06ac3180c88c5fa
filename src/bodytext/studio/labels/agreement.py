"""Measure how far two annotators agree, by Cohen's kappa for each page and over all pages.

kappa = (p - e) / (1 - e). Here p is the share on which both annotators agree, and e is the share
expected of two people who label blindly, each with their own shares of content, comment and
neither. 1 is full agreement, 0 is chance.

It is computed twice: by words (a block counts once for each of its words, which is what a reader
notices) and by blocks (each block counts once, which is what an annotator decides). Blocks that a
reader does not see are left out. Over all pages the counts are added first, so that a long page
weighs more than a short one.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.sources.files import find_inside, read_page
from bodytext.studio.labels.labelling import Labelling, digest_source
from bodytext.studio.labels.spans import LABELS, label_blocks
from bodytext.studio.labels.store import LabelStore

Counts = npt.NDArray[np.int64]  # first annotator's label x second annotator's label


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How often two annotators gave each pair of labels, by words and by blocks."""

    name: str
    words: Counts
    blocks: Counts

    def figures(self) -> tuple[float, float, float, float]:
        """Kappa and the share of agreement, by words, then by blocks."""
        return kappa(self.words), agreed(self.words), kappa(self.blocks), agreed(self.blocks)

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(self.name, self.words + other.words, self.blocks + other.blocks)


def kappa(counts: Counts) -> float:
    """Cohen's kappa of a table of counts; NaN where both annotators use only the same label.

    >>> round(kappa(np.array([[20, 5], [10, 15]])), 3)
    0.4
    """
    total = counts.sum()
    if not total:
        return math.nan
    expected = float(counts.sum(0) @ counts.sum(1)) / float(total) ** 2
    return math.nan if expected == 1 else (agreed(counts) - expected) / (1 - expected)


def agreed(counts: Counts) -> float:
    """The share on which both annotators agree."""
    total = counts.sum()
    return float(np.trace(counts) / total) if total else math.nan


def compare(page: Page, first: Labelling, second: Labelling) -> Agreement:
    """The agreement of two labellings of a page."""
    seen = page.seen
    ours, theirs = (label_blocks(page, labelling.spans)[seen] for labelling in (first, second))
    words = page.per_block(page.runs.words)[seen]
    return Agreement(
        first.page, _count(ours, theirs, words), _count(ours, theirs, np.ones_like(words))
    )


def _count(
    first: npt.NDArray[np.uint8], second: npt.NDArray[np.uint8], weights: npt.NDArray[np.int32]
) -> Counts:
    size = len(LABELS)
    cells = np.bincount(first.astype(np.intp) * size + second, weights, minlength=size * size)
    return cells.reshape(size, size).astype(np.int64)


def compare_annotators(store: LabelStore, first: str, second: str) -> Iterator[Agreement]:
    """The agreement on each unchanged page that both annotators have finished.

    Labels and pages that cannot be read are skipped; `LabelStore.find_broken` lists the labels.
    """
    finished = _read_finished(store, second)
    for name, labelling in _read_finished(store, first).items():
        other = finished.get(name)
        if other is None or other.source != labelling.source:
            continue
        try:
            page = parse(read_page(find_inside(store.pages, name)), url=labelling.url)
        except (OSError, ValueError):
            continue
        if digest_source(page.source) == labelling.source:
            yield compare(page, labelling, other)


def _read_finished(store: LabelStore, annotator: str) -> dict[str, Labelling]:
    """The labellings that an annotator has finished, by page."""
    labellings = (entry for entry in store.read_all(annotator) if isinstance(entry, Labelling))
    return {labelling.page: labelling for labelling in labellings if labelling.done}


def add_up(agreements: Sequence[Agreement]) -> Agreement:
    """The agreement over all pages."""
    empty = np.zeros((len(LABELS), len(LABELS)), dtype=np.int64)
    return sum(agreements, Agreement(f"all {len(agreements)} pages", empty, empty))


def to_table(agreements: Sequence[Agreement], pair: tuple[str, str]) -> str:
    """The agreement on each page and on all pages, as lines of text."""
    heading = f"{'kappa of ' + ' and '.join(pair):<48}"
    lines = [f"{heading}{'by words':>10}{'agreed':>9}{'by blocks':>11}{'agreed':>9}"]
    for row in (*agreements, add_up(agreements)):
        cells = [_figure(value, share=bool(place % 2)) for place, value in enumerate(row.figures())]
        lines.append(f"{row.name[-46:]:<48}{cells[0]:>10}{cells[1]:>9}{cells[2]:>11}{cells[3]:>9}")
    return "\n".join(lines)


def _figure(value: float, *, share: bool) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.1%}" if share else f"{value:.3f}"
