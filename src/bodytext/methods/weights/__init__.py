"""The weights of the trained methods, and how files of weights are read.

Each trained method has a file of arrays and a card in JSON, which says what the arrays were trained on.
"""

import json
import zipfile
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


@cache
def read_arrays(path: str) -> dict[str, Matrix]:
    """Return the arrays of a file by name: plain numbers, no pickles, read once, never changed."""
    if not Path(path).is_file():
        raise ValueError(f"{path}: there is no such file of weights; `bodytext train` writes one")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    except (OSError, ValueError, zipfile.BadZipFile):
        raise ValueError(f"{path}: is not a file of weights; `bodytext train` writes one") from None


def read_own_arrays(name: str) -> dict[str, Matrix]:
    """Return the arrays that the package has for a method."""
    with as_file(files(__name__).joinpath(f"{name}.npz")) as path:
        return read_arrays(str(path))


def read_card(name: str) -> dict[str, Any]:
    """Return the card of a method's weights: what they were trained on, and how good they are."""
    card: dict[str, Any] = json.loads(files(__name__).joinpath(f"{name}.json").read_text("utf-8"))
    return card
