"""Labelled pages -> the four networks of the density method, with a card.

`bodytext train --method density` does it; `python -m bodytext.studio.training.density_training FOLDER` makes the package's own.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bodytext.methods.density import FEATURES, NETWORKS, RULES, Density, inputs, measure_lines
from bodytext.methods.perceptron import Matrix, Network
from bodytext.selection import BOUNDARY
from bodytext.studio.labels.labelled_set import digest_of, fold_of
from bodytext.studio.training.examples import TrainingExample, read_examples

HIDDEN_UNITS = 12
STEPS = 300
LEARNING_RATE = 0.05
FOLDS = 5

_Labels = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Errors:
    """How a rule or network did on lines it was not trained on."""

    lines: int
    false_positives: int
    false_negatives: int

    @property
    def total(self) -> int:
        """Lines that were wrongly kept or wrongly dropped."""
        return self.false_positives + self.false_negatives


def _say(message: str) -> None:
    sys.stderr.write(message + "\n")


def fit(features: Matrix, labels: _Labels, hidden: int, *, seed: int = 0, false_positive_cost: float = 1.0) -> Network:
    """A network trained by full-batch gradient descent (Adam) on the log loss.

    `false_positive_cost` is what a wrongly kept line costs, a wrongly dropped one being 1.
    """
    random = np.random.default_rng(seed)
    sizes = [features.shape[1], *([hidden] if hidden else []), 1]
    layers = [
        [random.normal(0, shape[0] ** -0.5, shape).astype(np.float32), np.zeros(shape[1], dtype=np.float32)]
        for shape in pairwise(sizes)
    ]
    weights = np.where(labels, 1, false_positive_cost).astype(np.float32)[:, None] / np.float32(len(labels))
    moments = [[np.zeros_like(array), np.zeros_like(array)] for layer in layers for array in layer]
    for step in range(1, STEPS + 1):
        slopes = _slopes(layers, features, labels, weights)
        rate = np.float32(LEARNING_RATE * (1 - step / (STEPS + 1)))
        for array, slope, moment in zip((a for layer in layers for a in layer), slopes, moments, strict=True):
            moment[0] += 0.1 * (slope - moment[0])
            moment[1] += 0.001 * (slope**2 - moment[1])
            mean, spread = moment[0] / np.float32(1 - 0.9**step), moment[1] / np.float32(1 - 0.999**step)
            np.subtract(array, rate * mean / (np.sqrt(spread) + np.float32(1e-8)), out=array)
    return Network(tuple((kernel, bias) for kernel, bias in layers))


def _slopes(layers: list[list[Matrix]], features: Matrix, labels: _Labels, weights: Matrix) -> list[Matrix]:
    """The gradient of the weighted log loss, in the order weights, bias, weights, bias ..."""
    values: list[Matrix] = [features]
    for kernel, bias in layers[:-1]:
        values.append(np.tanh(values[-1] @ kernel + bias))
    output = 1 / (1 + np.exp(-(values[-1] @ layers[-1][0] + layers[-1][1])))
    error = (output - labels[:, None]) * weights
    slopes: list[Matrix] = []
    for level in range(len(layers) - 1, -1, -1):
        slopes[:0] = [values[level].T @ error, error.sum(0)]
        if level:
            error = (error @ layers[level][0].T) * (1 - values[level] ** 2)
    return slopes


def fit_network(
    name: str, examples: Sequence[TrainingExample], *, seed: int = 0, false_positive_cost: float = 1.0
) -> Network:
    """One of the four networks, trained on all lines of the examples that a reader sees."""
    features = np.concatenate([inputs(measure_lines(one.page), name)[one.page.seen] for one in examples])
    labels = np.concatenate([one.labels[one.page.seen] for one in examples])
    hidden = HIDDEN_UNITS if name == "mlp" else 0
    return fit(features, labels, hidden, seed=seed, false_positive_cost=false_positive_cost)


def cross_validate(examples: Sequence[TrainingExample], say: Callable[[str], None] = _say) -> dict[str, Errors]:
    """Errors of each rule and network over all lines, every page judged by networks that never saw its domain.

    Pages of one domain alone are parted page by page.
    """
    found: dict[str, list[tuple[int, int, int]]] = {name: [] for name in RULES + NETWORKS}
    folds = _part(examples)
    for fold in sorted(set(folds)):
        held_out = [one for one, own in zip(examples, folds, strict=True) if own == fold]
        rest = [one for one, own in zip(examples, folds, strict=True) if own != fold]
        for name in RULES:
            found[name] += [_count(Density(name).score(one.page) >= BOUNDARY, one) for one in held_out]
        for name in NETWORKS:
            network = fit_network(name, rest)
            found[name] += [
                _count(network.predict(inputs(measure_lines(one.page), name)) >= BOUNDARY, one) for one in held_out
            ]
        say(f"fold {fold + 1} of {FOLDS}: {len(held_out)} pages")
    return {name: Errors(*(int(total) for total in np.sum(counts, axis=0))) for name, counts in found.items()}


def _part(examples: Sequence[TrainingExample]) -> list[int]:
    """The fold of each example."""
    by_domain = [fold_of(one.source.domain, FOLDS) for one in examples]
    if len(set(by_domain)) > 1:
        return by_domain
    by_page = [fold_of(one.source.identity, FOLDS) for one in examples]
    if len(set(by_page)) < 2:
        raise ValueError(f"{len(examples)} labelled pages are too few to learn from some and to be judged on others")
    return by_page


def _count(kept: _Labels, one: TrainingExample) -> tuple[int, int, int]:
    seen, labels = one.page.seen, one.labels
    return int(seen.sum()), int((kept & ~labels & seen).sum()), int((~kept & labels & seen).sum())


def train(
    folders: Sequence[Path], output: Path, say: Callable[[str], None] = _say, cost: float = 1.0
) -> dict[str, Errors]:
    """Cross-validate on labelled sets, then fit the four networks to all of them and write them with their card.

    `cost` is what a wrongly kept line costs, a wrongly dropped one being 1.
    """
    examples = []
    for one in (one for folder in folders for one in read_examples(folder)):
        examples.append(one)
        if len(examples) % 200 == 0:
            say(f"{len(examples)} pages read")
    errors = cross_validate(examples, say)
    networks = {name: fit_network(name, examples, false_positive_cost=cost) for name in NETWORKS}
    card = {
        "method": "density",
        "features": FEATURES,
        "networks": list(NETWORKS),
        "false_positive_cost": cost,
        "data": {
            "name": " ".join(folder.resolve().name for folder in folders),
            "digest": digest_of([one.source for one in examples]),
            "pages": len(examples),
        },
        "cross_validated_by_domain": {name: asdict(one) for name, one in errors.items()},
    }
    _write(networks, card, output)
    return errors


def _write(networks: Mapping[str, Network], card: Mapping[str, object], path: Path) -> None:
    arrays = {
        f"{name}.{level}.{part}": array
        for name, network in networks.items()
        for level, layer in enumerate(network.layers)
        for part, array in zip(("weights", "bias"), layer, strict=True)
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    path.with_suffix(".json").write_text(json.dumps(card, indent=2) + "\n", "utf-8")


def to_table(errors: Mapping[str, Errors]) -> str:
    """The errors of the rules and networks on lines they had not learned from, beside those of the fixed threshold."""
    fixed = max(errors[RULES[0]].total, 1)
    lines = [f"{'':<12}{'false pos.':>11}{'false neg.':>11}{'errors':>8}{'of lines':>10}{'fewer':>8}"]
    for name, one in errors.items():
        shares = f"{one.total / max(one.lines, 1):>10.1%}{1 - one.total / fixed:>8.0%}"
        lines.append(f"{name:<12}{one.false_positives:>11,}{one.false_negatives:>11,}{one.total:>8,}{shares}")
    lines.append(f"(fewer: than the threshold's; {errors[RULES[0]].lines:,} lines, each judged by networks that had")
    lines.append("not seen its site, or where all pages are of one site, its page)")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, cross-validate and write."""
    parser = argparse.ArgumentParser(prog="python -m bodytext.studio.training.density_training", description=__doc__)
    parser.add_argument("folder", type=Path, help="labelled pages: html/ID.html.gz and ground-truth/ID.json")
    parser.add_argument("-o", "--output", type=Path, default=Path(), help="where density.npz and density.json go")
    parser.add_argument(
        "--false-positive-cost",
        type=float,
        default=1.0,
        help="what a wrongly kept line costs; a wrongly dropped one costs 1",
    )
    options = parser.parse_args(arguments)
    train([options.folder], options.output / "density.npz", cost=options.false_positive_cost)


if __name__ == "__main__":
    main()
