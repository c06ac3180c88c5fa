"""Train networks on training pages: loss, optimizer steps, averaging of weights, early stopping."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from bodytext.kernel.network_shape import FIRST_ADDRESS, PAGE_TYPES
from bodytext.studio.training.batches import Batch, Recipe, Tensor, TrainingTensors, make_batch
from bodytext.studio.training.torch_networks import Networks


@dataclass(frozen=True, slots=True)
class TeacherLogits:
    """Predictions of networks that had not seen a page, for others to learn from (distillation)."""

    logits: Tensor  # teacher x block
    types: Tensor  # teacher x page x type
    teacher: npt.NDArray[np.int64]  # network x page: a teacher, or -1


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How networks are trained, what each may learn from, and what to call after each epoch."""

    recipe: Recipe
    seed: int
    allowed: npt.NDArray[np.bool_]  # network x page
    report: Callable[[int, int, float], None]  # takes the epoch, the number of epochs and the loss
    teachers: TeacherLogits | None = None
    original: npt.NDArray[np.int64] | None = None  # itself, or the page that it varies


def fit(networks: Networks, data: TrainingTensors, options: FitOptions) -> list[float]:
    """Train networks, each on the pages that it may learn from; return the losses by epoch."""
    recipe, random = options.recipe, np.random.default_rng(options.seed)
    torch.manual_seed(options.seed)
    variants = _Variants(options)
    optimizer = _Optimizer(networks, recipe, max(len(variants.originals) // recipe.pages_a_step, 1))
    losses: list[float] = []
    held_out: list[float] = []
    best = optimizer.average
    for epoch in range(recipe.epochs):
        order = variants.choose(random.permutation(variants.originals), random)
        total = torch.zeros((), device=data.device)  # read once an epoch: reading waits for the GPU
        for step in range(optimizer.epoch_steps):
            chosen = order[step * recipe.pages_a_step : (step + 1) * recipe.pages_a_step]
            loss = _loss(networks, data, make_batch(data, chosen.tolist(), recipe, random), options)
            optimizer.step(loss)
            total += loss.detach()
        losses.append(float(total) / networks.count / optimizer.epoch_steps)
        options.report(epoch + 1, recipe.epochs, losses[-1])
        if recipe.patience:
            held_out.append(_held_out_loss(networks, optimizer.average, data, options))
            if held_out[-1] == min(held_out):
                best = [value.clone() for value in optimizer.average]
            elif len(held_out) - int(np.argmin(held_out)) > recipe.patience:
                break
    networks.parameters = dict(zip(networks.parameters, best, strict=True))
    return losses


class _Variants:
    """The pages that may be learned from, and the variants of each."""

    def __init__(self, options: FitOptions) -> None:
        numbers = np.arange(options.allowed.shape[1])
        original = numbers if options.original is None else options.original
        self.originals = np.flatnonzero(options.allowed.any(0) & (original == numbers))
        self._share = options.recipe.variant_share
        others = np.flatnonzero(original != numbers)
        self._variants = others[np.argsort(original[others], kind="stable")]
        self._first = np.searchsorted(original[self._variants], np.append(numbers, len(numbers)))

    def choose(
        self, pages: npt.NDArray[np.int64], random: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Each page, or one of its variants in its place."""
        count = self._first[pages + 1] - self._first[pages]
        varied = (random.random(len(pages)) < self._share) & (count > 0)
        which = self._first[pages] + (random.random(len(pages)) * count).astype(np.int64)
        chosen = pages.copy()
        chosen[varied] = self._variants[which[varied]]
        return chosen


class _Optimizer:
    """AdamW with a one-cycle schedule, and a running average of the weights."""

    def __init__(self, networks: Networks, recipe: Recipe, epoch_steps: int) -> None:
        self.epoch_steps, self._recipe, self._count, self._done = (
            epoch_steps,
            recipe,
            networks.count,
            0,
        )
        self._weights = list(networks.parameters.values())
        self.average = [value.detach().clone() for value in self._weights]
        self._optimizer = torch.optim.AdamW(
            self._weights, lr=recipe.rate, weight_decay=recipe.decay
        )
        total = recipe.epochs * epoch_steps
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimizer, recipe.rate, total, pct_start=0.2
        )

    def step(self, loss: Tensor) -> None:
        """Change the weights so that the loss becomes smaller."""
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._weights, self._count**0.5)
        self._optimizer.step()
        self._schedule.step()
        self._done += 1
        share = min(self._recipe.averaging, (1 + self._done) / (10 + self._done))
        with torch.no_grad():
            for mean, value in zip(self.average, self._weights, strict=True):
                mean.lerp_(value, 1 - share)


def _held_out_loss(
    networks: Networks, average: list[Tensor], data: TrainingTensors, options: FitOptions
) -> float:
    """The loss of the averaged weights on held-out pages; 0 if there are none."""
    own = networks.parameters
    networks.parameters = dict(zip(own, average, strict=True))
    random, total, count = np.random.default_rng(0), 0.0, 0
    held = np.flatnonzero(~options.allowed.all(0))
    with torch.no_grad():
        for start in range(0, len(held), 32):
            part = held[start : start + 32]
            batch = make_batch(data, part.tolist(), None, random)
            logits, _ = networks.forward(
                data.rows[batch.blocks].float(), data.page[batch.pages], batch
            )
            by_page = (
                _block_loss(logits, data.labels[batch.blocks].expand_as(logits), data, batch)
                .cpu()
                .numpy()
            )
            outside = ~options.allowed[:, part]
            total += float((by_page * outside).sum())
            count += int(outside.sum())
    networks.parameters = own
    return total / count if count else 0.0


def _loss(networks: Networks, data: TrainingTensors, batch: Batch, options: FitOptions) -> Tensor:
    """The log loss of blocks, weighted by words, and of page types; summed over the networks."""
    recipe = options.recipe
    rows, page = _drop_features(data, batch, recipe)
    allowed = torch.as_tensor(options.allowed[:, batch.chosen], device=data.device).float()
    logits, types = networks.forward(
        rows, page, batch, allowed[:, batch.page][:, :, None], recipe.dropout
    )
    target, true_types = _choose_targets(networks.count, data, batch, options)
    by_page = _block_loss(logits, target, data, batch)
    type_loss = -(true_types * functional.log_softmax(types, 2)).sum(2)
    by_page = by_page + recipe.type_weight * type_loss
    return ((by_page * allowed).sum(1) / (allowed.sum(1) + 1e-6)).sum()


def _block_loss(logits: Tensor, target: Tensor, data: TrainingTensors, batch: Batch) -> Tensor:
    """The log loss of each page (network x page), with blocks weighted by words."""
    error = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    weight = data.weights[batch.blocks]
    empty = torch.zeros(batch.count, device=data.device)
    total = empty.index_add(0, batch.page, weight)
    return empty.expand(len(logits), -1).index_add(1, batch.page, error * weight) / (
        total.sqrt() + 0.1
    )


def _choose_targets(
    networks: int, data: TrainingTensors, batch: Batch, options: FitOptions
) -> tuple[Tensor, Tensor]:
    """What each network should say of the blocks and of the page types.

    Labels are moved towards the predictions of teachers, if there are any. For pages without labels
    the predictions are all there is.
    """
    recipe, teachers = options.recipe, options.teachers
    labels = data.labels[batch.blocks] * (1 - 2 * recipe.smoothing) + recipe.smoothing
    target, types = labels.expand(networks, -1), data.types[batch.pages].expand(networks, -1, -1)
    if teachers is None:
        return target, types
    teacher = torch.as_tensor(teachers.teacher[:, batch.chosen], device=target.device)
    rows, known = teacher.clamp(min=0), data.labelled[batch.pages]
    share = torch.where(known, recipe.teaching, 1.0) * (teacher >= 0).float()
    weight, row = share[:, batch.page], rows[:, batch.page]
    predicted = torch.sigmoid(torch.gather(teachers.logits[:, batch.blocks], 0, row))
    types = torch.where(known[None, :, None], types, teachers.types[rows, batch.pages])
    return target * (1 - weight) + predicted * weight, types


def _drop_features(data: TrainingTensors, batch: Batch, recipe: Recipe) -> tuple[Tensor, Tensor]:
    """The features, with random columns of a page set to 0, so that none is relied on."""
    rows, page = data.rows[batch.blocks].float(), data.page[batch.pages]
    kept = torch.rand(batch.count, rows.shape[1], device=data.device) >= recipe.feature_dropout
    rows = rows * kept[batch.page]
    page = page * (torch.rand_like(page) >= recipe.feature_dropout)
    known = (torch.rand(batch.count, 1, device=data.device) >= recipe.address_dropout).float()
    return rows, torch.cat((page[:, :FIRST_ADDRESS], page[:, FIRST_ADDRESS:] * known), 1)


def predict(networks: Networks, data: TrainingTensors, chosen: Sequence[int]) -> tuple[Any, Any]:
    """Logits of blocks and probabilities of page types, by network; 0 for other pages."""
    logits = np.zeros((networks.count, len(data.pages.words)), dtype=np.float32)
    types = np.zeros((networks.count, len(data.pages), len(PAGE_TYPES)), dtype=np.float32)
    random = np.random.default_rng(0)
    with torch.no_grad():
        for start in range(0, len(chosen), 32):
            part = list(chosen[start : start + 32])
            batch = make_batch(data, part, None, random)
            block_logits, type_logits = networks.forward(
                data.rows[batch.blocks].float(), data.page[batch.pages], batch
            )
            logits[:, batch.blocks.cpu().numpy()] = block_logits.cpu().numpy()
            types[:, part] = torch.softmax(type_logits, 2).cpu().numpy()
    return logits, types
