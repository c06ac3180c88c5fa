"""Read labelled sets as training data: features and labels of all blocks in large arrays."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bodytext.batch.ordered import end_with_parent
from bodytext.kernel.network_shape import PAGE_TYPES
from bodytext.methods.learned.copies import find_copies
from bodytext.methods.learned.features import read_features
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import LabelledPage, fold_of, read_unlabelled
from bodytext.studio.training.alignment import find_content, label_blocks
from bodytext.studio.training.augmentation import vary
from bodytext.studio.training.content_variants import (
    Stock,
    Variant,
    find_pieces,
    vary_content,
)

Numbers = npt.NDArray[np.int64]

FOLDS = 10
LEAST_WEIGHT = 0.002  # of a block without words
MOST_WEIGHT = 0.5  # of a block with all words of a page
FEW_WORDS = 30  # a shorter reference counts as this long
UNLABELLED_SHARE = 1 / 3  # of the variants: so many are made of a page without labels


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPages:
    """Pages one after another: page i has the blocks offsets[i] to offsets[i + 1].

    No block of a page without a reference text has a label.
    """

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
        """The fold of each page, by its domain, or by its name if there is only one fold."""
        folds = np.array([fold_of(source.domain, FOLDS) for source in self.sources])
        return (
            folds
            if self.by_site
            else np.array([fold_of(source.identity, FOLDS) for source in self.sources])
        )

    @property
    def by_site(self) -> bool:
        """Whether there are enough sites to hold some of them out."""
        return len({fold_of(source.domain, FOLDS) for source in self.sources}) > 1

    @property
    def types(self) -> npt.NDArray[np.int64]:
        """The index of each page's type in PAGE_TYPES; of pages without labels, any."""
        kinds = [source.page_type or PAGE_TYPES[0] for source in self.sources]
        return np.array([PAGE_TYPES.index(kind) for kind in kinds])

    @property
    def labelled(self) -> npt.NDArray[np.bool_]:
        """Which pages have labels."""
        return np.array([source.reference is not None for source in self.sources])

    @property
    def owner(self) -> npt.NDArray[np.int64]:
        """The page of each block."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def without_unlabelled(self) -> "TrainingPages":
        """The pages with labels, which come before the others."""
        count = int(self.labelled.sum())
        stop = int(self.offsets[count])
        return TrainingPages(
            self.sources[:count],
            self.rows[:stop],
            self.page[:count],
            self.groups[:, :stop],
            self.around[:, :stop],
            self.words[:stop],
            self.labels[:stop],
            self.offsets[: count + 1],
        )

    def weights(self, chances: npt.NDArray[np.floating | np.bool_]) -> npt.NDArray[np.float32]:
        """The weight of each block in the loss: roughly its share of the page's content.

        `chances` are the labels, or how likely each block is content.
        """
        content = np.bincount(self.owner, self.words * chances, minlength=len(self))
        share = self.words / np.maximum(content, FEW_WORDS)[self.owner]
        return (np.minimum(share, MOST_WEIGHT) + LEAST_WEIGHT).astype(np.float32)


Report = Callable[[int, int], None]  # takes the pages read so far, and the number of pages


def read_training_pages(
    folders: Sequence[Path],
    workers: int = 2,
    report: Report | None = None,
    unlabelled: Sequence[Path] = (),
) -> TrainingPages:
    """All pages of labelled sets that have a reference text and blocks; then those without labels."""
    sources = [
        source for folder in folders for source in read_set(folder) if source.reference is not None
    ]
    unknown = sorted({source.page_type for source in sources} - set(PAGE_TYPES))
    if unknown:
        raise ValueError(
            f"page types must be among {', '.join(PAGE_TYPES)}, not {', '.join(unknown)}"
        )
    sources += [source for folder in unlabelled for source in read_unlabelled(folder)]
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        results = pool.map(_read_page, sources, chunksize=8)
        pages = [page for page in _count(results, len(sources), report) if page is not None]
    if not pages:
        raise ValueError("none of the labelled pages has any text")
    return join(pages)


def join(parts: Sequence[TrainingPages]) -> TrainingPages:
    """All pages of the parts, one after another."""
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    return TrainingPages(
        tuple(source for part in parts for source in part.sources),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.page for part in parts]),
        np.concatenate([part.groups for part in parts], 1),
        np.concatenate([part.around for part in parts], 1),
        np.concatenate([part.words for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate(([0], np.cumsum(sizes))),
    )


def add_variants(
    pages: TrainingPages, count: int, seed: int, options: "ReadOptions"
) -> tuple[TrainingPages, Numbers]:
    """Append variants of each page; also return the number of the original of each page.

    The pieces that are inserted into a page come from pages of its own fold, so that a network that
    may not learn from a fold does not see parts of it elsewhere.
    """
    numbers = np.arange(len(pages))
    if not count:
        return pages, numbers
    counts = np.where(pages.labelled, count, round(UNLABELLED_SHARE * count)).tolist()
    jobs = [(number, version) for number in range(len(pages)) for version in range(counts[number])]
    shared = (pages.sources, pages.folds, _fill_stocks(pages, seed, options.workers))
    with ProcessPoolExecutor(options.workers, initializer=_share, initargs=shared) as pool:
        results = pool.map(_read_variant, jobs, repeat(seed), chunksize=8)
        variants = list(_count(results, len(jobs), options.report))
    kept = [
        (number, page) for (number, _), page in zip(jobs, variants, strict=True) if page is not None
    ]
    return join([pages, *(page for _, page in kept)]), np.concatenate(
        (numbers, [number for number, _ in kept])
    )


def _fill_stocks(pages: TrainingPages, seed: int, workers: int) -> list[Stock]:
    """The pieces of the pages of each fold that may be inserted into other pages."""
    chosen = np.flatnonzero(pages.labelled).tolist()
    labels = [pages.labels[pages.offsets[page] : pages.offsets[page + 1]] for page in chosen]
    stocks = [Stock() for _ in range(FOLDS)]
    sources = [pages.sources[page] for page in chosen]
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        by_page = pool.map(_find_pieces, sources, labels, repeat(seed), chunksize=8)
        for fold, pieces in zip(pages.folds[chosen].tolist(), by_page, strict=True):
            stocks[fold].add(pieces)
    return stocks


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How many processes read pages, and a function to call with the progress."""

    workers: int = 2
    report: Report | None = None


_shared: dict[str, Any] = {}  # in a worker process: what every variant needs


def _share(sources: Sequence[LabelledPage], folds: Numbers, stocks: list[Stock]) -> None:
    end_with_parent()
    _shared.update(sources=sources, folds=folds, stocks=stocks)


def _find_pieces(source: LabelledPage, labels: npt.NDArray[np.bool_], seed: int) -> Stock:
    random = _generator(source, 0, seed)
    return find_pieces(_parse(source), labels, source.page_type, random)


def _read_variant(job: tuple[int, int], seed: int) -> TrainingPages | None:
    number, version = job
    source: LabelledPage = _shared["sources"][number]
    stock: Stock = _shared["stocks"][_shared["folds"][number]]
    random, page = _generator(source, 1 + version, seed), _parse(source)
    if source.reference is None:
        variant = Variant(vary(page, (), random))
    else:
        is_article = source.page_type == "article"
        variant = vary_content(page, find_content(page, source), is_article, stock, random)
    page = parse(variant.html, url=source.url)
    return _read(source, page, _label_variant(page, source, variant)) if len(page) else None


def _label_variant(page: Page, source: LabelledPage, variant: Variant) -> npt.NDArray[np.bool_]:
    reference = source.reference if variant.reference is None else variant.reference
    if reference is None:
        return np.zeros(len(page), dtype=np.bool_)
    texts = page.texts()
    added = np.array([" ".join(text.split()) in variant.added for text in texts], dtype=np.bool_)
    others = ["" if is_added else text for text, is_added in zip(texts, added, strict=True)]
    return added | label_blocks(others, reference)


def _generator(source: LabelledPage, version: int, seed: int) -> np.random.Generator:
    """A random generator that depends on the page alone, not on the other pages or their order."""
    return np.random.default_rng((seed, version, zlib.crc32(source.identity.encode())))


def _count(
    pages: Iterable[TrainingPages | None], total: int, report: Report | None
) -> Iterable[TrainingPages | None]:
    for number, page in enumerate(pages, 1):
        if report:
            report(number, total)
        yield page


def _parse(source: LabelledPage) -> Page:
    return parse(source.read(), url=source.url)


def _read_page(source: LabelledPage) -> TrainingPages | None:
    page = _parse(source)
    if not len(page):
        return None
    if source.reference is None:
        return _read(source, page, np.zeros(len(page), dtype=np.bool_))
    return _read(source, page, find_content(page, source))


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
