"""A small multi-layer perceptron."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from bodytext.methods.weights import Matrix, read_arrays, read_own_arrays


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
        output: Matrix = 1 / (1 + np.exp(-(values @ weights + bias)[:, 0]))
        return output


@cache
def read_perceptrons(method: str, model: str = "") -> dict[str, Perceptron]:
    """Return the trained perceptrons of a method by name, from the package or from the file `model`."""
    arrays = read_arrays(model) if model else read_own_arrays(method)
    names = sorted({key.rpartition(".")[0].rpartition(".")[0] for key in arrays})
    return {name: Perceptron(tuple(_find_layers(arrays, name))) for name in names}


def _find_layers(arrays: Mapping[str, Matrix], name: str) -> Iterator[tuple[Matrix, Matrix]]:
    level = 0
    while f"{name}.{level}.weights" in arrays:
        yield arrays[f"{name}.{level}.weights"], arrays[f"{name}.{level}.bias"]
        level += 1
