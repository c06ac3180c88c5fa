"""A small multi-layer perceptron: the forward pass, and reading its weights from the package."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Network:
    """Layers of weights and biases: tanh between them, a logistic output between 0 and 1."""

    layers: tuple[tuple[Matrix, Matrix], ...]

    def predict(self, features: Matrix) -> Matrix:
        """One number for each row of features."""
        values = features
        for weights, bias in self.layers[:-1]:
            values = np.tanh(values @ weights + bias)
        weights, bias = self.layers[-1]
        output: Matrix = 1 / (1 + np.exp(-(values @ weights + bias)[:, 0]))
        return output


@cache
def read_networks(name: str) -> dict[str, Network]:
    """The trained networks of a method by their names. Weights are plain arrays, read once and never changed."""
    with files("bodytext.weights").joinpath(f"{name}.npz").open("rb") as file, np.load(file) as arrays:
        stored = {key: arrays[key] for key in arrays.files}
    names = sorted({key.rpartition(".")[0].rpartition(".")[0] for key in stored})
    return {network: Network(tuple(_layers(stored, network))) for network in names}


def _layers(stored: dict[str, Matrix], name: str) -> Iterator[tuple[Matrix, Matrix]]:
    level = 0
    while f"{name}.{level}.weights" in stored:
        yield stored[f"{name}.{level}.weights"], stored[f"{name}.{level}.bias"]
        level += 1


def read_card(name: str) -> dict[str, Any]:
    """What a method's weights were trained on, and how well they did."""
    card: dict[str, Any] = json.loads(files("bodytext.weights").joinpath(f"{name}.json").read_text("utf-8"))
    return card
