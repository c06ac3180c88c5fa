"""Labelled sets -> what the learned method trains on: features and labels of every block, in a few large arrays."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bodytext.methods.learned.consistency import find_copies
from bodytext.methods.learned.features import read_features
from bodytext.methods.learned.network import PAGE_TYPES
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import LabelledPage, fold_of
from bodytext.studio.training.alignment import find_content, label_blocks
from bodytext.studio.training.augmentation import find_boxes, vary

Numbers = npt.NDArray[np.int64]

FOLDS = 5
LEAST_WEIGHT = 0.002  # of a block that has no words
MOST_WEIGHT = 0.5  # of a block that holds all of them
FEW_WORDS = 30  # a reference shorter than this counts as this long


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


Tick = Callable[[int, int], None]  # hears how many of how many are read


def read_training_pages(folders: Sequence[Path], workers: int = 2, tick: Tick | None = None) -> TrainingPages:
    """Every page of labelled sets that has a reference text, and blocks."""
    sources = [source for folder in folders for source in read_set(folder) if source.reference is not None]
    unknown = sorted({source.page_type for source in sources} - set(PAGE_TYPES))
    if unknown:
        raise ValueError(f"page types must be among {', '.join(PAGE_TYPES)}, not {', '.join(unknown)}")
    with ProcessPoolExecutor(workers) as pool:
        read = list(_count(pool.map(_read_page, sources, chunksize=8), len(sources), tick))
    found = [one for one in read if one is not None]
    if not found:
        raise ValueError("none of the labelled pages holds any text")
    return join(found)


def join(parts: Sequence[TrainingPages]) -> TrainingPages:
    """Pages one after the other."""
    sizes = np.concatenate([np.diff(one.offsets) for one in parts])
    return TrainingPages(
        tuple(source for one in parts for source in one.sources),
        np.concatenate([one.rows for one in parts]),
        np.concatenate([one.page for one in parts]),
        np.concatenate([one.groups for one in parts], 1),
        np.concatenate([one.around for one in parts], 1),
        np.concatenate([one.words for one in parts]),
        np.concatenate([one.labels for one in parts]),
        np.concatenate(([0], np.cumsum(sizes))),
    )


def add_variants(pages: TrainingPages, count: int, seed: int, how: "ReadOptions") -> tuple[TrainingPages, Numbers]:
    """The pages, and behind them so many variants of each; and for all of them the number of the page they tell.

    The boxes that are put into a page come from pages of its own fold, so that a network which may not see a fold does
    not see a piece of it elsewhere.
    """
    numbers = np.arange(len(pages))
    if not count:
        return pages, numbers
    labels = [pages.labels[first:stop] for first, stop in pairwise(pages.offsets)]
    jobs = [(number, version) for number in range(len(pages)) for version in range(count)]
    with ProcessPoolExecutor(how.workers) as pool:
        found = pool.map(_find_boxes, pages.sources, labels, repeat(seed), chunksize=8)
        boxes: list[list[bytes]] = [[] for _ in range(FOLDS)]
        for fold, some in zip(pages.folds.tolist(), found, strict=True):
            boxes[fold] += some
    with ProcessPoolExecutor(how.workers, initializer=_hold, initargs=(pages.sources, pages.folds, boxes)) as pool:
        told = list(_count(pool.map(_read_variant, jobs, repeat(seed), chunksize=8), len(jobs), how.tick))
    kept = [(job[0], one) for job, one in zip(jobs, told, strict=True) if one is not None]
    return join([pages, *(one for _, one in kept)]), np.concatenate((numbers, [number for number, _ in kept]))


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How pages are read: by how many processes, and who hears of the progress."""

    workers: int = 2
    tick: Tick | None = None


_held: dict[str, Any] = {}  # what a worker process needs for every variant


def _hold(sources: Sequence[LabelledPage], folds: Numbers, boxes: list[list[bytes]]) -> None:
    _held.update(sources=sources, folds=folds, boxes=boxes)


def _find_boxes(source: LabelledPage, labels: npt.NDArray[np.bool_], seed: int) -> list[bytes]:
    return find_boxes(_parse(source), labels, _generator(source, 0, seed))


def _read_variant(job: tuple[int, int], seed: int) -> TrainingPages | None:
    number, version = job
    source: LabelledPage = _held["sources"][number]
    random = _generator(source, 1 + version, seed)
    html = vary(_parse(source), _held["boxes"][_held["folds"][number]], random)
    page = parse(html, url=source.url)
    return _read(source, page, label_blocks(page.texts(), source.reference or "")) if len(page) else None


def _generator(source: LabelledPage, version: int, seed: int) -> np.random.Generator:
    """Chance that depends on the page alone, not on what else is read or in which order."""
    return np.random.default_rng((seed, version, zlib.crc32(source.identity.encode())))


def _count(read: Iterable[TrainingPages | None], total: int, tick: Tick | None) -> Iterable[TrainingPages | None]:
    for number, one in enumerate(read, 1):
        if tick:
            tick(number, total)
        yield one


def _parse(source: LabelledPage) -> Page:
    return parse(source.read(), url=source.url)


def _read_page(source: LabelledPage) -> TrainingPages | None:
    page = _parse(source)
    return _read(source, page, find_content(page, source)) if len(page) else None


def _read(source: LabelledPage, page: Page, labels: npt.NDArray[np.bool_]) -> TrainingPages:
    features = read_features(page)
    original = find_copies(page)
    content = np.bincount(original, labels, minlength=len(page)) > 0
    return TrainingPages(
        (source,),
        features.blocks.astype(np.float16),
        features.page,
        features.groups.astype(np.int32),
        features.around.astype(np.int32),
        page.per_block(page.runs.words).astype(np.float32),
        labels | content[original],
        np.array([0, len(page)]),
    )
