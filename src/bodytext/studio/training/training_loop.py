"""Networks + training pages -> trained networks: the loss, the steps, the averaging of weights, early stopping."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from bodytext.methods.learned.features import page_names
from bodytext.methods.learned.network import PAGE_TYPES
from bodytext.studio.training.batches import Batch, Recipe, Tensor, TrainingTensors, make_batch
from bodytext.studio.training.torch_networks import Networks

_ADDRESS = next(index for index, name in enumerate(page_names()) if name.startswith("address"))


@dataclass(frozen=True, slots=True)
class TeacherLogits:
    """Logits of networks that had not seen a page, for others to learn from."""

    logits: Tensor  # teacher x block
    which: npt.NDArray[np.int64]  # network x page: its teacher for that page, -1 where it has none


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How networks are taught: the recipe, the seed, what each may learn from, and who is told of the progress."""

    recipe: Recipe
    seed: int
    allowed: npt.NDArray[np.bool_]  # network x page
    tick: Callable[[int, int, float], None]
    teachers: TeacherLogits | None = None
    told: npt.NDArray[np.int64] | None = None  # by page, which it tells: itself, or an earlier one it is a variant of


def fit(networks: Networks, data: TrainingTensors, course: FitOptions) -> list[float]:
    """Train networks, each on the pages that it is allowed; the loss of each epoch is returned."""
    recipe, random = course.recipe, np.random.default_rng(course.seed)
    torch.manual_seed(course.seed)
    versions = _Versions(course)
    used = versions.originals
    steps = _Steps(networks, recipe, max(len(used) // recipe.pages_a_step, 1))
    losses: list[float] = []
    held_out: list[float] = []
    best = steps.average
    for epoch in range(recipe.epochs):
        order, total = versions.choose(random.permutation(used), random), 0.0
        for step in range(steps.an_epoch):
            chosen = order[step * recipe.pages_a_step : (step + 1) * recipe.pages_a_step]
            loss = _loss(networks, data, make_batch(data, chosen.tolist(), recipe, random), course)
            steps.take(loss)
            total += float(loss.detach()) / networks.count
        losses.append(total / steps.an_epoch)
        course.tick(epoch + 1, recipe.epochs, losses[-1])
        if recipe.patience:
            held_out.append(_held_out_loss(networks, steps.average, data, course))
            if held_out[-1] == min(held_out):
                best = [value.clone() for value in steps.average]
            elif len(held_out) - int(np.argmin(held_out)) > recipe.patience:
                break
    networks.parameters = dict(zip(networks.parameters, best, strict=True))
    return losses


class _Versions:
    """The pages that may be learned from, and which variants each has."""

    def __init__(self, course: FitOptions) -> None:
        numbers = np.arange(course.allowed.shape[1])
        told = numbers if course.told is None else course.told
        self.originals = np.flatnonzero(course.allowed.any(0) & (told == numbers))
        self._share = course.recipe.variant_share
        others = np.flatnonzero(told != numbers)
        self._variants = others[np.argsort(told[others], kind="stable")]
        self._first = np.searchsorted(told[self._variants], np.append(numbers, len(numbers)))

    def choose(self, pages: npt.NDArray[np.int64], random: np.random.Generator) -> npt.NDArray[np.int64]:
        """Each page, or in its place one of its variants."""
        count = self._first[pages + 1] - self._first[pages]
        varied = (random.random(len(pages)) < self._share) & (count > 0)
        which = self._first[pages] + (random.random(len(pages)) * count).astype(np.int64)
        found = pages.copy()
        found[varied] = self._variants[which[varied]]
        return found


class _Steps:
    """Steps of the optimiser, and the running average of the weights."""

    def __init__(self, networks: Networks, recipe: Recipe, an_epoch: int) -> None:
        self.an_epoch, self._recipe, self._count, self._done = an_epoch, recipe, networks.count, 0
        self._weights = list(networks.parameters.values())
        self.average = [value.detach().clone() for value in self._weights]
        self._optimizer = torch.optim.AdamW(self._weights, lr=recipe.rate, weight_decay=recipe.decay)
        total = recipe.epochs * an_epoch
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(self._optimizer, recipe.rate, total, pct_start=0.2)

    def take(self, loss: Tensor) -> None:
        """One step downhill."""
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


def _held_out_loss(networks: Networks, average: list[Tensor], data: TrainingTensors, course: FitOptions) -> float:
    """The loss of the averaged weights on the pages that a network may not learn from; 0 where there are none."""
    own = networks.parameters
    networks.parameters = dict(zip(own, average, strict=True))
    random, total, count = np.random.default_rng(0), 0.0, 0
    held = np.flatnonzero(~course.allowed.all(0))
    with torch.no_grad():
        for start in range(0, len(held), 32):
            some = held[start : start + 32]
            batch = make_batch(data, some.tolist(), None, random)
            logits, _ = networks.forward(data.rows[batch.blocks].float(), data.page[batch.pages], batch)
            by_page = _block_loss(logits, data.labels[batch.blocks].expand_as(logits), data, batch).cpu().numpy()
            outside = ~course.allowed[:, some]
            total += float((by_page * outside).sum())
            count += int(outside.sum())
    networks.parameters = own
    return total / count if count else 0.0


def _loss(networks: Networks, data: TrainingTensors, batch: Batch, course: FitOptions) -> Tensor:
    """Log loss of the blocks by their words, and of the kind of page; summed over the networks."""
    recipe = course.recipe
    rows, page = _disturb(data, batch, recipe)
    allowed = torch.as_tensor(course.allowed, device=data.device)[:, batch.pages].float()
    logits, types = networks.forward(rows, page, batch, allowed[:, batch.page][:, :, None], recipe.dropout)
    target = (data.labels[batch.blocks] * (1 - 2 * recipe.smoothing) + recipe.smoothing).expand_as(logits)
    if course.teachers is not None:
        target = _teach(target, course.teachers, batch, recipe.teaching)
    by_page = _block_loss(logits, target, data, batch)
    kind = data.types[batch.pages].expand(networks.count, -1)
    by_page = by_page + recipe.type_weight * functional.cross_entropy(types.transpose(1, 2), kind, reduction="none")
    return ((by_page * allowed).sum(1) / (allowed.sum(1) + 1e-6)).sum()


def _block_loss(logits: Tensor, target: Tensor, data: TrainingTensors, batch: Batch) -> Tensor:
    """The log loss of each page (network x page), its blocks weighted by their words."""
    error = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    weight = data.weights[batch.blocks]
    empty = torch.zeros(batch.count, device=data.device)
    total = empty.index_add(0, batch.page, weight)
    return empty.expand(len(logits), -1).index_add(1, batch.page, error * weight) / (total.sqrt() + 0.1)


def _teach(target: Tensor, teachers: TeacherLogits, batch: Batch, share: float) -> Tensor:
    """Labels moved towards what the teachers say."""
    which = torch.as_tensor(teachers.which, device=target.device)[:, batch.pages][:, batch.page]
    said = torch.sigmoid(torch.gather(teachers.logits[:, batch.blocks], 0, which.clamp(min=0)))
    weight = share * (which >= 0).float()
    return target * (1 - weight) + said * weight


def _disturb(data: TrainingTensors, batch: Batch, recipe: Recipe) -> tuple[Tensor, Tensor]:
    """Features with some columns left out, by page: no network may lean on one alone."""
    rows, page = data.rows[batch.blocks].float(), data.page[batch.pages]
    kept = torch.rand(batch.count, rows.shape[1], device=data.device) >= recipe.feature_dropout
    rows = rows * kept[batch.page]
    page = page * (torch.rand_like(page) >= recipe.feature_dropout)
    known = (torch.rand(batch.count, 1, device=data.device) >= recipe.address_dropout).float()
    return rows, torch.cat((page[:, :_ADDRESS], page[:, _ADDRESS:] * known), 1)


def predict(networks: Networks, data: TrainingTensors, chosen: Sequence[int]) -> tuple[Any, Any]:
    """Logits (network x block) and chances of kinds (network x page) for some pages; zeros for all others."""
    logits = np.zeros((networks.count, len(data.pages.words)), dtype=np.float32)
    types = np.zeros((networks.count, len(data.pages), len(PAGE_TYPES)), dtype=np.float32)
    random = np.random.default_rng(0)
    with torch.no_grad():
        for start in range(0, len(chosen), 32):
            some = list(chosen[start : start + 32])
            batch = make_batch(data, some, None, random)
            found, kinds = networks.forward(data.rows[batch.blocks].float(), data.page[batch.pages], batch)
            logits[:, batch.blocks.cpu().numpy()] = found.cpu().numpy()
            types[:, some] = torch.softmax(kinds, 2).cpu().numpy()
    return logits, types
