"""Read the weights of the learned method: the package's own, or a file from `bodytext train`."""

from functools import cache
from pathlib import Path

import numpy as np

from bodytext.methods.learned.network import Arrays, BlockNetwork
from bodytext.methods.weights import read_arrays, read_own_arrays


@cache
def read_weights(model: str = "") -> Arrays:
    """Return the arrays of a file of weights, or the package's own. Refuse a file that does not fit this method."""
    known = read_own_arrays("learned")
    arrays = read_arrays(model) if model else known
    needed = {key: array.shape for key, array in known.items() if not key.startswith("confidence.")}
    fits = all(key in arrays and arrays[key].shape == shape for key, shape in needed.items())
    if not fits or not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueError(
            f"{model}: holds no weights of this version's learned method; `bodytext train` writes them"
        )
    return arrays


@cache
def read_network(model: str = "") -> BlockNetwork:
    """Return the network with these weights, ready to run."""
    return BlockNetwork(read_weights(model))


@cache
def shipped_weights() -> str:
    """Return the path of the package's own weights."""
    return str(Path(__file__).parents[1] / "weights" / "learned.npz")
