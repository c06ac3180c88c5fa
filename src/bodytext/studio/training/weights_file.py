"""Write trained weights and their card: both, or neither if the disk is full."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bodytext.corpus.atomic_files import write_atomically


def write_weights(path: Path, arrays: Mapping[str, Any], card: Mapping[str, Any]) -> None:
    """Write the weights as a file of plain arrays, and the card beside it."""
    text = json.dumps(card, indent=2, ensure_ascii=False) + "\n"
    with (
        write_atomically(path.with_suffix(".json")) as card_file,
        write_atomically(path) as weights_file,
    ):
        card_file.write_text(text, "utf-8")
        with weights_file.open("wb") as file:
            np.savez(file, **arrays)
