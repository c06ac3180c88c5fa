"""A small multi-layer perceptron: the forward pass, and reading its weights from the package."""

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
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
def read_arrays(path: str) -> dict[str, Matrix]:
    """The arrays of a file of weights by their names: plain numbers, no pickles, read once and never changed."""
    if not Path(path).is_file():
        raise ValueError(f"{path}: there is no such file of weights; `bodytext train` writes one")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    except (OSError, ValueError, zipfile.BadZipFile):
        raise ValueError(f"{path}: is no file of weights; `bodytext train` writes one") from None


@cache
def read_networks(name: str, model: str = "") -> dict[str, Network]:
    """The trained networks of a method by their names; from a file of one's own where one is named."""
    with as_file(files("bodytext.methods.weights").joinpath(f"{name}.npz")) as path:
        stored = read_arrays(model or str(path))
    names = sorted({key.rpartition(".")[0].rpartition(".")[0] for key in stored})
    return {network: Network(tuple(_layers(stored, network))) for network in names}


def _layers(stored: dict[str, Matrix], name: str) -> Iterator[tuple[Matrix, Matrix]]:
    level = 0
    while f"{name}.{level}.weights" in stored:
        yield stored[f"{name}.{level}.weights"], stored[f"{name}.{level}.bias"]
        level += 1


def read_card(name: str) -> dict[str, Any]:
    """What a method's weights were trained on, and how well they did."""
    card: dict[str, Any] = json.loads(files("bodytext.methods.weights").joinpath(f"{name}.json").read_text("utf-8"))
    return card
