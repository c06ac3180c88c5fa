"""Train the four networks of the density method, and describe them in a card.

`bodytext train --method density` runs it. The weights in the package were made by
`python -m bodytext.studio.training.density_training FOLDER`.
"""

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bodytext.methods.density import FEATURES, NETWORKS, RULES, Density, inputs, measure_lines
from bodytext.methods.perceptron import Perceptron
from bodytext.methods.scores import BOUNDARY
from bodytext.methods.weights import Matrix
from bodytext.studio.labels.labelled_set import digest_of, fold_of
from bodytext.studio.training.examples import TrainingExample, read_examples
from bodytext.studio.training.weights_file import write_weights

HIDDEN_UNITS = 12
STEPS = 300
LEARNING_RATE = 0.05
FOLDS = 5

_Labels = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Errors:
    """The errors of a rule or network on lines that it was not trained on."""

    lines: int
    false_positives: int
    false_negatives: int

    @classmethod
    def sum(cls, counts: Sequence[tuple[int, int, int]]) -> "Errors":
        """The errors of all pages: lines, false positives, false negatives."""
        return cls(*np.sum(counts, axis=0).tolist())

    @property
    def total(self) -> int:
        """All lines that were wrongly kept or wrongly dropped."""
        return self.false_positives + self.false_negatives


def _say(message: str) -> None:
    sys.stderr.write(message + "\n")


def fit(
    features: Matrix,
    labels: _Labels,
    hidden: int,
    *,
    seed: int = 0,
    false_positive_cost: float = 1.0,
) -> Perceptron:
    """Train a network by full-batch gradient descent (Adam) on the log loss.

    `false_positive_cost` is the cost of a wrongly kept line; that of a wrongly dropped line is 1.
    """
    random = np.random.default_rng(seed)
    sizes = [features.shape[1], *([hidden] if hidden else []), 1]
    layers = [
        [
            random.normal(0, shape[0] ** -0.5, shape).astype(np.float32),
            np.zeros(shape[1], dtype=np.float32),
        ]
        for shape in pairwise(sizes)
    ]
    weights = np.where(labels, 1, false_positive_cost).astype(np.float32)[:, None] / np.float32(
        len(labels)
    )
    moments = [[np.zeros_like(array), np.zeros_like(array)] for layer in layers for array in layer]
    for step in range(1, STEPS + 1):
        gradients = _gradients(layers, features, labels, weights)
        rate = np.float32(LEARNING_RATE * (1 - step / (STEPS + 1)))
        arrays = [array for layer in layers for array in layer]
        for array, gradient, moment in zip(arrays, gradients, moments, strict=True):
            moment[0] += 0.1 * (gradient - moment[0])
            moment[1] += 0.001 * (gradient**2 - moment[1])
            mean, spread = (
                moment[0] / np.float32(1 - 0.9**step),
                moment[1] / np.float32(1 - 0.999**step),
            )
            np.subtract(array, rate * mean / (np.sqrt(spread) + np.float32(1e-8)), out=array)
    return Perceptron(tuple((kernel, bias) for kernel, bias in layers))


def _gradients(
    layers: list[list[Matrix]], features: Matrix, labels: _Labels, weights: Matrix
) -> list[Matrix]:
    """The gradients of the weighted log loss, by layer: weights, then bias."""
    values: list[Matrix] = [features]
    for kernel, bias in layers[:-1]:
        values.append(np.tanh(values[-1] @ kernel + bias))
    output = 1 / (1 + np.exp(-(values[-1] @ layers[-1][0] + layers[-1][1])))
    error = (output - labels[:, None]) * weights
    gradients: list[Matrix] = []
    for level in range(len(layers) - 1, -1, -1):
        gradients[:0] = [values[level].T @ error, error.sum(0)]
        if level:
            error = (error @ layers[level][0].T) * (1 - values[level] ** 2)
    return gradients


def fit_network(
    name: str,
    examples: Sequence[TrainingExample],
    *,
    seed: int = 0,
    false_positive_cost: float = 1.0,
) -> Perceptron:
    """Train one of the four networks on all visible lines of the examples."""
    pages = [example.page for example in examples]
    features = np.concatenate([inputs(measure_lines(page), name)[page.seen] for page in pages])
    labels = np.concatenate([example.labels[example.page.seen] for example in examples])
    hidden = HIDDEN_UNITS if name == "mlp" else 0
    return fit(features, labels, hidden, seed=seed, false_positive_cost=false_positive_cost)


def cross_validate(
    examples: Sequence[TrainingExample],
    say: Callable[[str], None] = _say,
    false_positive_cost: float = 1.0,
) -> dict[str, Errors]:
    """The errors of each rule and network on all lines, in folds by domain.

    No page is scored by a network that saw its domain. Where all pages are of one domain, the folds
    are by page. `false_positive_cost` is the cost in training, as in `fit`; the errors are counts.
    """
    counts: dict[str, list[tuple[int, int, int]]] = {name: [] for name in RULES + NETWORKS}
    folds = _choose_folds(examples)
    for fold in sorted(set(folds)):
        pairs = list(zip(examples, folds, strict=True))
        held_out = [example for example, own in pairs if own == fold]
        rest = [example for example, own in pairs if own != fold]
        for name in RULES:
            counts[name] += count_rule_errors(name, held_out)
        for name in NETWORKS:
            network = fit_network(name, rest, false_positive_cost=false_positive_cost)
            counts[name] += count_network_errors(name, network, held_out)
        say(f"fold {fold + 1} of {FOLDS}: {len(held_out)} pages")
    return {name: Errors.sum(by_page) for name, by_page in counts.items()}


def _choose_folds(examples: Sequence[TrainingExample]) -> list[int]:
    """The fold of each example."""
    by_domain = [fold_of(example.source.domain, FOLDS) for example in examples]
    if len(set(by_domain)) > 1:
        return by_domain
    by_page = [fold_of(example.source.identity, FOLDS) for example in examples]
    if len(set(by_page)) < 2:
        raise ValueError(
            f"{len(examples)} labelled pages are too few for cross-validation; label some more"
        )
    return by_page


def count_rule_errors(name: str, examples: Sequence[TrainingExample]) -> list[tuple[int, int, int]]:
    """The visible lines, false positives and false negatives of a rule on each page."""
    return [
        _count(Density(name).score(example.page).values >= BOUNDARY, example)
        for example in examples
    ]


def count_network_errors(
    name: str, network: Perceptron, examples: Sequence[TrainingExample]
) -> list[tuple[int, int, int]]:
    """The same of a network."""
    features = [inputs(measure_lines(example.page), name) for example in examples]
    return [
        _count(network.predict(rows) >= BOUNDARY, example)
        for rows, example in zip(features, examples, strict=True)
    ]


def _count(kept: _Labels, example: TrainingExample) -> tuple[int, int, int]:
    """The visible lines, the false positives and the false negatives."""
    seen, labels = example.page.seen, example.labels
    return int(seen.sum()), int((kept & ~labels & seen).sum()), int((~kept & labels & seen).sum())


def train(
    folders: Sequence[Path], output: Path, say: Callable[[str], None] = _say, cost: float = 1.0
) -> dict[str, Errors]:
    """Cross-validate, then train the four networks on all pages and write them with their card.

    `cost` is the cost of a wrongly kept line; that of a wrongly dropped line is 1.
    """
    if not 0 < cost < math.inf:
        raise ValueError(f"the cost of a wrongly kept line is a number greater than 0, not {cost}")
    examples = []
    for example in (example for folder in folders for example in read_examples(folder)):
        examples.append(example)
        if len(examples) % 200 == 0:
            say(f"{len(examples)} pages read")
    errors = cross_validate(examples, say, cost)
    networks = {name: fit_network(name, examples, false_positive_cost=cost) for name in NETWORKS}
    card = {
        "method": "density",
        "features": FEATURES,
        "networks": list(NETWORKS),
        "false_positive_cost": cost,
        "data": {
            "name": " ".join(folder.resolve().name for folder in folders),
            "digest": digest_of([example.source for example in examples]),
            "pages": len(examples),
        },
        "cross_validated_by_domain": {name: asdict(counts) for name, counts in errors.items()},
    }
    arrays = {
        f"{name}.{level}.{part}": array
        for name, network in networks.items()
        for level, layer in enumerate(network.layers)
        for part, array in zip(("weights", "bias"), layer, strict=True)
    }
    write_weights(output, arrays, card)
    return errors


def to_table(errors: Mapping[str, Errors]) -> str:
    """The cross-validated errors of rules and networks, against the fixed threshold."""
    fixed = max(errors[RULES[0]].total, 1)
    lines = [
        f"{'':<12}{'false pos.':>11}{'false neg.':>11}{'errors':>8}{'of lines':>10}{'fewer':>8}"
    ]
    for name, counts in errors.items():
        shares = f"{counts.total / max(counts.lines, 1):>10.1%}{1 - counts.total / fixed:>8.0%}"
        lines.append(
            f"{name:<12}{counts.false_positives:>11,}{counts.false_negatives:>11,}{counts.total:>8,}{shares}"
        )
    lines.append(
        f"(fewer: than the fixed threshold; {errors[RULES[0]].lines:,} lines, each scored by networks that had"
    )
    lines.append("not seen its site or, where all pages are of one site, its page)")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, cross-validate and write."""
    parser = argparse.ArgumentParser(
        prog="python -m bodytext.studio.training.density_training", description=__doc__
    )
    parser.add_argument(
        "folder", type=Path, help="labelled pages: html/ID.html.gz and ground-truth/ID.json"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(),
        help="the folder for density.npz and density.json",
    )
    parser.add_argument(
        "--false-positive-cost",
        type=float,
        default=1.0,
        help="the cost of a wrongly kept line; that of a wrongly dropped line is 1",
    )
    options = parser.parse_args(arguments)
    train([options.folder], options.output / "density.npz", cost=options.false_positive_cost)


if __name__ == "__main__":
    main()
