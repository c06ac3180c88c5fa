"""The weights of the trained methods, and how files of weights are read.

Each trained method has a file of arrays and a card in JSON, which says what the arrays were trained on.
"""

import json
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from bodytext.methods.weights.arrays import Matrix, unpack_arrays

__all__ = ["Matrix", "read_arrays", "read_card", "read_own_arrays"]


@cache
def read_arrays(path: str) -> dict[str, Matrix]:
    """Return the arrays of a file by name: plain finite numbers, read once, never changed.

    A ValueError says what is wrong with the file.
    """
    if not Path(path).is_file():
        raise ValueError(f"{path}: there is no such file of weights; `bodytext train` writes one")
    try:
        return unpack_arrays(Path(path))
    except (OSError, ValueError) as error:
        reason = f"is not a file of weights: {error}"
        raise ValueError(f"{path}: {reason}; `bodytext train` writes one") from None


def read_own_arrays(name: str) -> dict[str, Matrix]:
    """Return the arrays that the package has for a method."""
    with as_file(files(__name__).joinpath(f"{name}.npz")) as path:
        return read_arrays(str(path))


def read_card(name: str) -> dict[str, Any]:
    """Return the card of a method's weights: what they were trained on, and how good they are."""
    card: dict[str, Any] = json.loads(files(__name__).joinpath(f"{name}.json").read_text("utf-8"))
    return card
