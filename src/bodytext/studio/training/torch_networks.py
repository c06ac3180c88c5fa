"""Run several networks of the learned method side by side in torch.

All have the shape of `bodytext.methods.learned.network`. The first dimension of every parameter is
the network, so that cross-validation costs little more than one training, on a CPU or a GPU.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from bodytext.kernel.network_shape import (
    HIDDEN,
    LOOK_AFTER,
    LOOK_WIDTH,
    PAGE_STATE,
    PAGE_TYPES,
    POOL_BEFORE,
    STEPS,
)
from bodytext.studio.training.batches import Batch, Standardization, Tensor, TrainingTensors

Arrays = dict[str, npt.NDArray[np.float32]]

EPSILON = 1e-4
MOMENTUM = 0.03
TYPE_DROPOUT = 0.25  # of the page type, so that blocks do not depend on it alone


class Networks:
    """The parameters of several networks, and their forward pass over a batch."""

    def __init__(self, count: int, data: TrainingTensors, seed: int, width: int) -> None:
        self.count, self.width, self.device = count, width, data.device
        self.parameters: dict[str, Tensor] = {}
        self.norms: dict[str, tuple[Tensor, Tensor]] = {}
        self.learning = True  # whether the normalisation follows the batches
        generator = torch.Generator().manual_seed(seed)
        heads = 2 * width + PAGE_STATE
        self._dense(generator, "page", (data.page.shape[1], PAGE_STATE))
        self._dense(generator, "input", (data.rows.shape[1], width), norm=True)
        self._dense(generator, "input.page", (PAGE_STATE, width))
        for layer in range(len(STEPS)):
            for name, level in (("before", 0.3), ("own", 1.0), ("behind", 0.3)):
                noise = torch.randn(count, 1, width, generator=generator) * 0.1
                self.parameters[f"mix{layer}.{name}"] = noise + level
            self._dense(generator, f"mix{layer}", (width, width), 0.8, norm=True)
        for name in ("alike", "path", "around", "whole"):
            self._dense(generator, f"pool.{name}", (width, width), 0.5)
        self._dense(generator, "pool", (PAGE_STATE, width), 0.5, norm=True)
        self._dense(generator, "look.query", (width, LOOK_WIDTH), 0.7)
        self._dense(generator, "look.key", (width, LOOK_WIDTH), 0.7)
        self._dense(generator, "look.own", (width, HIDDEN), 0.7)
        self._dense(generator, "look.seen", (width, HIDDEN), 0.7)
        self._dense(generator, "look.told", (HIDDEN, width), 0.7, norm=True)
        self._dense(generator, "type", (heads, len(PAGE_TYPES)), 0.3)
        self._dense(generator, "type.early", (len(PAGE_TYPES), width))
        self._dense(generator, "type.late", (len(PAGE_TYPES), width))
        self._dense(generator, "whole", (heads, HIDDEN))
        self._dense(generator, "whole.told", (HIDDEN, width), 0.5)
        self._dense(generator, "last", (width, width))
        self._dense(generator, "output", (width, 1), 0.5)
        self._dense(generator, "lift", (heads, 1), 0.1)
        self.parameters = {
            key: value.to(self.device).requires_grad_() for key, value in self.parameters.items()
        }

    def _dense(
        self,
        generator: Any,
        name: str,
        shape: tuple[int, int],
        scale: float = 1.0,
        *,
        norm: bool = False,
    ) -> None:
        spread = scale * (2 / shape[0]) ** 0.5
        self.parameters[f"{name}.weights"] = (
            torch.randn(self.count, *shape, generator=generator) * spread
        )
        self.parameters[f"{name}.bias"] = torch.zeros(self.count, 1, shape[1])
        if norm:
            self.parameters[f"{name}.gain"] = torch.ones(self.count, 1, shape[1])
            self.parameters[f"{name}.shift"] = torch.zeros(self.count, 1, shape[1])
            empty = torch.zeros(self.count, 1, shape[1], device=self.device)
            self.norms[name] = (empty, empty + 1)

    def apply(self, name: str, values: Tensor) -> Tensor:
        """A dense layer."""
        return values @ self.parameters[f"{name}.weights"] + self.parameters[f"{name}.bias"]

    def norm(self, name: str, values: Tensor, counted: Tensor | None) -> Tensor:
        """Batch normalisation over the blocks that a network may learn from."""
        mean, variance = self.norms[name]
        if counted is not None and self.learning:
            total = counted.sum(1, keepdim=True) + 1e-3
            now = (values * counted).sum(1, keepdim=True) / total
            spread = ((values - now) ** 2 * counted).sum(1, keepdim=True) / total
            with torch.no_grad():
                mean.lerp_(now, MOMENTUM)
                variance.lerp_(spread, MOMENTUM)
            mean, variance = now, spread
        gain, shift = self.parameters[f"{name}.gain"], self.parameters[f"{name}.shift"]
        return (values - mean) * torch.rsqrt(variance + EPSILON) * gain + shift

    def forward(
        self,
        rows: Tensor,
        page: Tensor,
        batch: Batch,
        counted: Tensor | None = None,
        dropout: float = 0.0,
    ) -> tuple[Tensor, Tensor]:
        """Logits of each block and of each page type, by network."""

        def drop(values: Tensor) -> Tensor:
            return functional.dropout(values, dropout) if dropout else values

        def soften(types: Tensor) -> Tensor:
            """The chances of the page types; those of some pages are not told to their blocks."""
            told = torch.rand(types.shape[:2], device=self.device) >= (
                TYPE_DROPOUT if dropout else 0
            )
            return torch.softmax(types, 2) * told[:, :, None]

        context = drop(torch.relu(self.apply("page", page)))
        values = self.apply("input", rows) + self.apply("input.page", context)[:, batch.page]
        values = drop(torch.relu(self.norm("input", values, counted)))
        for layer, step in enumerate(STEPS):
            if layer == POOL_BEFORE:
                pooled = self.norm("pool", self._pool(values, context, batch), counted)
                values = values + drop(torch.relu(pooled))
            mixed = self.norm(f"mix{layer}", self._mix(values, layer, step, batch), counted)
            values = values + drop(torch.relu(mixed))
            if layer == 0:
                early = soften(self.apply("type", self._summarise(values, context, batch)))
                values = values + self.apply("type.early", early)[:, batch.page]
            if layer == LOOK_AFTER:
                told = self.apply("look.told", drop(self._look(values, batch)))
                told = self.norm("look.told", told[:, batch.alike[0]], counted)
                values = values + drop(torch.relu(told))
        whole = self._summarise(values, context, batch)
        types = self.apply("type", whole)
        told = self.apply("whole.told", drop(torch.relu(self.apply("whole", whole))))
        late = (self.apply("type.late", soften(types)) + told)[:, batch.page]
        last = drop(torch.relu(self.apply("last", values) + late))
        logits = self.apply("output", last) + self.apply("lift", whole)[:, batch.page]
        return logits[:, :, 0], types

    def _mean(
        self, values: Tensor, group: Tensor, count: int, words: Tensor | None = None
    ) -> Tensor:
        weight = torch.ones(values.shape[1], device=self.device) if words is None else words
        sums = torch.zeros(self.count, count, values.shape[2], device=self.device)
        sums = sums.index_add(1, group, values * weight[None, :, None])
        total = torch.zeros(count, device=self.device).index_add(0, group, weight)
        return sums / (total[None, :, None] + 1e-6)

    def _mix(self, values: Tensor, layer: int, step: int, batch: Batch) -> Tensor:
        padded = torch.cat((values, torch.zeros(self.count, 1, self.width, device=self.device)), 1)
        mixed = values * self.parameters[f"mix{layer}.own"]
        mixed = mixed + padded[:, batch.before[step]] * self.parameters[f"mix{layer}.before"]
        mixed = mixed + padded[:, batch.after[step]] * self.parameters[f"mix{layer}.behind"]
        return self.apply(f"mix{layer}", mixed)

    def _pool(self, values: Tensor, context: Tensor, batch: Batch) -> Tensor:
        total = torch.cat(
            (torch.zeros(self.count, 1, self.width, device=self.device), torch.cumsum(values, 1)), 1
        )
        first, stop = batch.around
        around = (total[:, stop] - total[:, first]) / (stop - first).clamp(min=1)[None, :, None]
        whole = self.apply("pool.whole", self._mean(values, batch.page, batch.count)) + self.apply(
            "pool", context
        )
        pooled = self.apply("pool.around", around) + whole[:, batch.page]
        for name, (group, count) in (("alike", batch.alike), ("path", batch.path)):
            pooled = pooled + self.apply(f"pool.{name}", self._mean(values, group, count))[:, group]
        return pooled

    def _look(self, values: Tensor, batch: Batch) -> Tensor:
        """What each group of like blocks makes of itself and of the groups that it looks at."""
        means = self._mean(values, *batch.alike, batch.words)
        key = self.apply("look.key", means)[:, batch.attended]
        table = torch.zeros(
            self.count, batch.count * batch.most_groups, self.width, device=self.device
        )
        query = self.apply("look.query", table.index_copy(1, batch.place, means))
        query = query.view(self.count, batch.count, batch.most_groups, LOOK_WIDTH)
        bias = batch.attention_bias[None, :, None]
        shares = torch.softmax(query @ key.transpose(2, 3) * LOOK_WIDTH**-0.5 + bias, 3)
        seen = (shares @ means[:, batch.attended]).flatten(1, 2)[:, batch.place]
        return torch.relu(self.apply("look.own", means) + self.apply("look.seen", seen))

    def _summarise(self, values: Tensor, context: Tensor, batch: Batch) -> Tensor:
        """Each page as a whole: the means of its blocks, by block and word, and its features."""
        by_block = self._mean(values, batch.page, batch.count)
        by_word = self._mean(values, batch.page, batch.count, batch.words)
        return torch.cat((by_block, by_word, context), 2)

    def export(self, network: int, standard: Standardization) -> Arrays:
        """The arrays of one network, with normalisation folded into the layers."""
        arrays = {
            key: value[network].detach().cpu().numpy() for key, value in self.parameters.items()
        }
        for name, (mean, variance) in self.norms.items():
            gain = arrays.pop(f"{name}.gain") / np.sqrt(variance[network].cpu().numpy() + EPSILON)
            shift = arrays.pop(f"{name}.shift") - mean[network].cpu().numpy() * gain
            parts = {
                "input": ("input.page",),
                "pool": ("pool.alike", "pool.path", "pool.around", "pool.whole"),
            }
            for part in (name, *parts.get(name, ())):
                arrays[f"{part}.weights"] = arrays[f"{part}.weights"] * gain
                arrays[f"{part}.bias"] = arrays[f"{part}.bias"] * gain
            arrays[f"{name}.bias"] = arrays[f"{name}.bias"] + shift
        return _rename(arrays, standard)

    def load(self, arrays: Arrays) -> None:
        """Start every network from the same exported arrays, with fixed normalisation."""
        self.learning = False
        for key, value in self.parameters.items():
            part = key.rpartition(".")[2]
            if part in {"gain", "shift"}:
                start = torch.ones_like(value) if part == "gain" else torch.zeros_like(value)
            else:
                start = torch.as_tensor(_find_array(arrays, key), device=self.device).expand_as(
                    value
                )
            self.parameters[key] = start.clone().requires_grad_()
        for mean, variance in self.norms.values():
            mean.zero_()
            variance.fill_(1 - EPSILON)


# Exported arrays with other names than the parameters. Biases added at one place are one array.
_BARE = (
    "input.page", "pool.alike", "pool.path", "pool.around", "pool.whole", "look.query", "look.key", "look.own",
    "look.seen", "look.told", "whole.told", "type.early", "type.late",
)  # fmt: skip
_JOINED = {
    "input.page": "input", "pool.alike": "pool", "pool.path": "pool", "pool.around": "pool", "pool.whole": "pool",
    "look.own": "look.seen", "type.late": "last", "whole.told": "last",
}  # fmt: skip


def _rename(parameters: Arrays, standard: Standardization) -> Arrays:
    """Parameters under the names of exported arrays, with the standardization."""
    for part, other in _JOINED.items():
        parameters[f"{other}.bias"] = parameters[f"{other}.bias"] + parameters.pop(f"{part}.bias")
    arrays = {}
    for key, value in parameters.items():
        shape = value.shape[-2:] if key.endswith(".weights") else -1
        arrays[_exported_name(key)] = np.ascontiguousarray(value.reshape(shape), np.float32)
    arrays["mean"], arrays["scale"] = standard.mean, standard.scale
    arrays["page.mean"], arrays["page.scale"] = standard.page_mean, standard.page_scale
    return arrays


def _find_array(arrays: Arrays, key: str) -> npt.NDArray[np.float32]:
    """The exported array of a parameter."""
    name, _, part = key.rpartition(".")
    if part == "bias" and name in _JOINED:
        return np.zeros_like(arrays[f"{_JOINED[name]}.bias"])
    return arrays[_exported_name(key)]


def _exported_name(key: str) -> str:
    name, _, part = key.rpartition(".")
    if part == "weights" and name in _BARE:
        return name
    return "pool.page" if key == "pool.weights" else key
