"""A small multi-layer perceptron."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from bodytext.methods.weights import Matrix, own_file, read_arrays


@dataclass(frozen=True, slots=True)
class Perceptron:
    """Layers of weights and biases: tanh between them, a logistic output between 0 and 1."""

    layers: tuple[tuple[Matrix, Matrix], ...]

    def predict(self, features: Matrix) -> Matrix:
        """Return one number for each row of features."""
        values = features
        for weights, bias in self.layers[:-1]:
            values = np.tanh(values @ weights + bias)
        weights, bias = self.layers[-1]
        with np.errstate(over="ignore"):  # the output is 0 there
            output: Matrix = 1 / (1 + np.exp(-(values @ weights + bias)[:, 0]))
        return output


@cache
def read_perceptrons(method: str, model: str = "") -> dict[str, Perceptron]:
    """Return the trained perceptrons of a method by name, from the package or from the file `model`."""
    arrays = read_arrays(model or own_file(method))
    names = sorted({key.rpartition(".")[0].rpartition(".")[0] for key in arrays})
    networks = {name: Perceptron(tuple(_find_layers(arrays, name))) for name in names}
    return {name: network for name, network in networks.items() if _is_complete(network)}


def _find_layers(arrays: Mapping[str, Matrix], name: str) -> Iterator[tuple[Matrix, Matrix]]:
    level = 0
    while {f"{name}.{level}.weights", f"{name}.{level}.bias"} <= arrays.keys():
        yield arrays[f"{name}.{level}.weights"], arrays[f"{name}.{level}.bias"]
        level += 1


def _is_complete(network: Perceptron) -> bool:
    """Whether each layer takes what the one before it gives, and the last gives one number."""
    if not all(
        weights.ndim == 2 and bias.shape == weights.shape[1:] for weights, bias in network.layers
    ):
        return False
    taken = [len(weights) for weights, _ in network.layers]
    given = [len(bias) for _, bias in network.layers]
    return [*taken[1:], 1] == given
