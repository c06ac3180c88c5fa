"""Labelled sets -> what the learned method trains on: features and labels of every block, in a few large arrays."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.block_network import PAGE_TYPES
from bodytext.features import read_features
from bodytext.labels import read_set
from bodytext.methods.learned import find_copies
from bodytext.parser import parse
from bodytext.sources.labelled import LabelledPage, fold_of
from bodytext.train.labels import find_content

FOLDS = 5
LEAST_WEIGHT = 0.002  # of a block that has no words
MOST_WEIGHT = 0.5  # of a block that holds all of them
FEW_WORDS = 30  # a reference shorter than this counts as this long


class _Read(NamedTuple):
    rows: npt.NDArray[np.float16]
    page: npt.NDArray[np.float32]
    groups: npt.NDArray[np.int32]
    around: npt.NDArray[np.int32]
    words: npt.NDArray[np.float32]
    labels: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPages:
    """Pages one after the other: page i has the blocks offsets[i] to offsets[i + 1]."""

    sources: tuple[LabelledPage, ...]
    rows: npt.NDArray[np.float16]
    page: npt.NDArray[np.float32]
    groups: npt.NDArray[np.int32]
    around: npt.NDArray[np.int32]
    words: npt.NDArray[np.float32]
    labels: npt.NDArray[np.bool_]
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def folds(self) -> npt.NDArray[np.int64]:
        """The fold of each page: by its registered domain, or where all are of one fold by its name."""
        folds = np.array([fold_of(source.domain, FOLDS) for source in self.sources])
        return folds if self.by_site else np.array([fold_of(source.identity, FOLDS) for source in self.sources])

    @property
    def by_site(self) -> bool:
        """Whether there are sites enough to keep some of them aside."""
        return len({fold_of(source.domain, FOLDS) for source in self.sources}) > 1

    @property
    def types(self) -> npt.NDArray[np.int64]:
        """The number of each page's type in PAGE_TYPES."""
        return np.array([PAGE_TYPES.index(source.page_type) for source in self.sources])

    @property
    def owner(self) -> npt.NDArray[np.int64]:
        """The page of each block."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """What each block counts in the loss: about its share of the page's content, but never all of it."""
        content = np.bincount(self.owner, self.words * self.labels, minlength=len(self))
        share = self.words / np.maximum(content, FEW_WORDS)[self.owner]
        return (np.minimum(share, MOST_WEIGHT) + LEAST_WEIGHT).astype(np.float32)


def read_training_pages(
    folders: Sequence[Path], workers: int = 2, tick: Callable[[int, int], None] | None = None
) -> TrainingPages:
    """Every page of labelled sets that has a reference text, and blocks. `tick` hears how many of how many are read."""
    sources = [source for folder in folders for source in read_set(folder) if source.reference is not None]
    unknown = sorted({source.page_type for source in sources} - set(PAGE_TYPES))
    if unknown:
        raise ValueError(f"page types must be among {', '.join(PAGE_TYPES)}, not {', '.join(unknown)}")
    with ProcessPoolExecutor(workers) as pool:
        read = list(_count(pool.map(_read_page, sources, chunksize=8), len(sources), tick))
    kept = [(source, one) for source, one in zip(sources, read, strict=True) if one is not None]
    if not kept:
        raise ValueError("none of the labelled pages holds any text")
    parts = [one for _, one in kept]
    offsets = np.concatenate(([0], np.cumsum([len(one.rows) for one in parts])))
    return TrainingPages(
        tuple(source for source, _ in kept),
        np.concatenate([one.rows for one in parts]),
        np.concatenate([one.page for one in parts]),
        np.concatenate([one.groups for one in parts], 1),
        np.concatenate([one.around for one in parts], 1),
        np.concatenate([one.words for one in parts]),
        np.concatenate([one.labels for one in parts]),
        offsets,
    )


def _count(read: Iterable[_Read | None], total: int, tick: Callable[[int, int], None] | None) -> Iterable[_Read | None]:
    for number, one in enumerate(read, 1):
        if tick:
            tick(number, total)
        yield one


def _read_page(source: LabelledPage) -> _Read | None:
    page = parse(source.read(), url=source.url)
    if not len(page):
        return None
    features = read_features(page)
    labels = find_content(page, source)
    original = find_copies(page)
    content = np.bincount(original, labels, minlength=len(page)) > 0
    return _Read(
        features.blocks.astype(np.float16),
        features.page,
        features.groups.astype(np.int32),
        features.around.astype(np.int32),
        page.per_block(page.runs.words).astype(np.float32),
        labels | content[original],
    )
