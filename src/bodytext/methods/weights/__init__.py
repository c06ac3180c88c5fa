"""The weights of the trained methods, and how files of weights are read.

Each trained method has a file of arrays and a card in JSON, which says what the arrays were trained on.
"""

import os
from functools import cache
from typing import Any

from bodytext.methods.weights.arrays import Matrix, unpack_arrays

__all__ = ["Matrix", "own_file", "read_arrays", "read_card"]

# pathlib takes longer to import than all weights to read.
_FOLDER = os.path.dirname(__file__)  # noqa: PTH120


@cache
def read_arrays(path: str) -> dict[str, Matrix]:
    """Return the arrays of a file by name: plain finite numbers, read once, never changed.

    A ValueError says what is wrong with the file.
    """
    if not os.path.isfile(path):  # noqa: PTH113
        missing = "is a folder" if os.path.isdir(path) else "there is no such file of weights"  # noqa: PTH112
        raise ValueError(f"{path}: {missing}; `bodytext train` writes a file of weights")
    try:
        return unpack_arrays(path)
    except (OSError, ValueError) as error:
        reason = f"is not a file of weights: {error}"
        raise ValueError(f"{path}: {reason}; `bodytext train` writes one") from None


def own_file(name: str) -> str:
    """Return the path of the weights that the package has for a method."""
    return os.path.join(_FOLDER, f"{name}.npz")  # noqa: PTH118


def read_card(name: str) -> dict[str, Any]:
    """Return the card of a method's weights: what they were trained on, and how good they are."""
    import json
    from pathlib import Path

    card: dict[str, Any] = json.loads(Path(_FOLDER, f"{name}.json").read_text("utf-8"))
    return card
