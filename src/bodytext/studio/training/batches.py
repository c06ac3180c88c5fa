"""Make batches of training pages on the device.

A batch has the blocks of several pages one after another, and the indexes that say which blocks
belong together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from bodytext.kernel.network_shape import (
    FIRST_ADDRESS,
    GROUP_WEIGHT,
    LIMIT,
    MOST_GROUPS,
    PAGE_LIMIT,
    PAGE_TYPES,
    STEPS,
    WIDTH,
)
from bodytext.studio.training.training_pages import TrainingPages

Tensor = Any
Indexes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The hyperparameters of a training; docs/learned.md says how they were found."""

    epochs: int = 36
    width: int = WIDTH
    variants: int = 12  # of each page, made by `bodytext.studio.training.augmentation`
    variant_share: float = 0.85  # how often a variant is learned from instead of the page itself
    pages_a_step: int = 24  # the size of a batch
    rate: float = 3e-3  # of learning, at its highest
    decay: float = 0.02  # of the weights
    dropout: float = 0.06
    feature_dropout: float = 0.1  # of a column, for a whole page
    address_dropout: float = 0.5  # of all features of the page's URL
    drop_element: float = 0.3  # how often an element of a page is left out
    longest: int = 400  # blocks of a page in one batch
    smoothing: float = 0.02  # of the labels
    type_weight: float = 0.1  # of the page type in the loss
    teaching: float = 0.5  # the weight of the teachers' predictions against the labels
    teachers: int = 3  # in the ensemble of each pair of folds
    candidates: int = 12  # sets of networks; cross-validation chooses among them
    teacher_epochs: int = 32
    teacher_width: int = 96
    teacher_dropout: float = 0.25  # a wide network needs more
    averaging: float = 0.995  # of the weights over the steps
    patience: int = 0  # epochs without gain on held-out pages before it stops; 0: never


class TrainingTensors:
    """The training pages on the device, standardised."""

    def __init__(
        self, pages: TrainingPages, device: str, standard: "Standardization | None" = None
    ) -> None:
        self.pages, self.device = pages, device
        self.standard = standard or Standardization.of(pages)
        mean, scale = self.standard.mean, self.standard.scale
        rows = np.empty(pages.rows.shape, dtype=np.float16)
        for start in range(0, len(rows), 65_536):
            part = (pages.rows[start : start + 65_536].astype(np.float32) - mean) * scale
            rows[start : start + 65_536] = np.clip(part, -LIMIT, LIMIT)
        page = (pages.page - self.standard.page_mean) * self.standard.page_scale
        page[:, FIRST_ADDRESS:] *= pages.page[:, FIRST_ADDRESS, None] > 0
        self.rows = torch.as_tensor(rows, device=device)
        self.page = torch.as_tensor(np.clip(page, -PAGE_LIMIT, PAGE_LIMIT), device=device)
        self.labels = torch.as_tensor(pages.labels.astype(np.float32), device=device)
        self.weights = torch.as_tensor(pages.weights(pages.labels), device=device)
        self.words = torch.as_tensor(pages.words + np.float32(0.1), device=device)
        self.types = torch.as_tensor(
            np.eye(len(PAGE_TYPES), dtype=np.float32)[pages.types], device=device
        )
        self.labelled = torch.as_tensor(pages.labelled, device=device)


@dataclass(frozen=True, slots=True)
class Standardization:
    """The mean and the inverse standard deviation of each feature."""

    mean: npt.NDArray[np.float32]
    scale: npt.NDArray[np.float32]
    page_mean: npt.NDArray[np.float32]
    page_scale: npt.NDArray[np.float32]

    @staticmethod
    def of(pages: TrainingPages) -> "Standardization":
        """Measure them on pages; a third of the blocks is enough."""
        sample = pages.rows[::3].astype(np.float32)
        mean, spread = sample.mean(0), sample.std(0) + np.float32(1e-3)
        page_mean, page_spread = pages.page.mean(0), pages.page.std(0) + np.float32(0.05)
        return Standardization(mean, 1 / spread, page_mean, 1 / page_spread)


@dataclass(slots=True)
class Batch:
    """The blocks of several pages one after another, and which of them belong together."""

    blocks: Tensor
    page: Tensor  # of each block, numbered within the batch
    pages: Tensor
    chosen: Indexes  # the same pages, not on the device
    count: int  # pages
    before: dict[int, Tensor]  # by distance: the block that far before, or one past the end
    after: dict[int, Tensor]
    alike: tuple[Tensor, int]
    path: tuple[Tensor, int]
    around: tuple[Tensor, Tensor]
    words: Tensor
    attended: Tensor  # page x MOST_GROUPS: the groups that are looked at
    attention_bias: Tensor
    place: Tensor  # of each group of like blocks in a table of pages x groups
    most_groups: int  # of a page of the batch


def make_batch(
    data: TrainingTensors, chosen: Sequence[int], recipe: Recipe | None, random: np.random.Generator
) -> Batch:
    """A batch of pages. With a recipe, long pages are cut and some elements are left out."""
    parts = [_choose_blocks(data.pages, int(page), recipe, random) for page in chosen]
    page = np.repeat(np.arange(len(parts)), [len(blocks) for blocks in parts])
    return _index_batch(data, np.concatenate(parts), page, np.asarray(chosen))


def _choose_blocks(
    pages: TrainingPages, page: int, recipe: Recipe | None, random: np.random.Generator
) -> Indexes:
    first, stop = int(pages.offsets[page]), int(pages.offsets[page + 1])
    if recipe is None:
        return np.arange(first, stop)
    if stop - first > recipe.longest:
        first += int(random.integers(0, stop - first - recipe.longest + 1))
        stop = first + recipe.longest
    blocks = np.arange(first, stop)
    if random.random() < recipe.drop_element:
        begin, end = pages.around[:, int(random.integers(first, stop))] + pages.offsets[page]
        rest = blocks[(blocks < begin) | (blocks >= end)]
        blocks = rest if 2 * len(rest) > len(blocks) else blocks
    return blocks


def _index_batch(data: TrainingTensors, blocks: Indexes, page: Indexes, chosen: Indexes) -> Batch:
    def send(values: npt.NDArray[Any]) -> Tensor:
        return torch.as_tensor(values, device=data.device)

    pages, size, count = data.pages, len(blocks), len(chosen)
    key = page.astype(np.int64) << 40
    offset = pages.offsets[chosen][page]
    around = [
        np.searchsorted(key + blocks, key + pages.around[side, blocks] + offset) for side in (0, 1)
    ]
    alike, path = (
        np.unique(pages.groups[k, blocks] + (page << 32), return_inverse=True)[1] for k in (0, 2)
    )
    rows = np.arange(size)
    before, after = {}, {}
    for step in STEPS:
        earlier, later = np.maximum(rows - step, 0), np.minimum(rows + step, size - 1)
        before[step] = send(np.where((rows >= step) & (page[earlier] == page), earlier, size))
        after[step] = send(np.where((rows + step < size) & (page[later] == page), later, size))
    owner = np.zeros(int(alike.max()) + 1, dtype=np.int64)  # of each group, in the order of pages
    owner[alike] = page
    sizes = np.bincount(owner, minlength=count)
    most = int(sizes.max())
    place = owner * most + np.arange(len(owner)) - (np.cumsum(sizes) - sizes)[owner]
    attended, bias = _choose_groups(np.bincount(alike, pages.words[blocks] + 0.1), owner, count)
    return Batch(
        send(blocks), send(page), send(chosen), chosen, count, before, after, (send(alike), len(owner)),
        (send(path), int(path.max()) + 1), (send(around[0]), send(around[1])), data.words[send(blocks)],
        send(attended), send(bias), send(place), most,
    )  # fmt: skip


def _choose_groups(
    words: npt.NDArray[Any], owner: Indexes, count: int
) -> tuple[Indexes, npt.NDArray[np.float32]]:
    """For each page its groups with the most words, and the bias of the attention towards each."""
    order = np.lexsort((-words, owner))
    start = np.searchsorted(owner[order], np.arange(count + 1))
    attended = np.zeros((count, MOST_GROUPS), dtype=np.int64)
    bias = np.full((count, MOST_GROUPS), -1e4, dtype=np.float32)
    for number in range(count):
        chosen = order[start[number] : start[number + 1]][:MOST_GROUPS]
        attended[number, : len(chosen)] = chosen
        bias[number, : len(chosen)] = GROUP_WEIGHT * np.log(words[chosen])
    return attended, bias
