"""The scores that a method gives to the blocks of a page, and the threshold that cuts them."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float32]
Preset = Literal["precision", "balanced", "recall"]
Threshold = float | Preset

BOUNDARY = 0.5  # for every method
_NUMBERS = (int, float)
# Names for thresholds of the learned method; results/learned shows their precision and recall.
PRESETS: dict[Preset, float] = {"precision": 0.8, "balanced": BOUNDARY, "recall": 0.15}


class Scores(NamedTuple):
    """A number for each block, and what the method knows about the page as a whole."""

    values: Values  # from 0 to 1; BOUNDARY and more is body text
    page_type: str = ""  # article, forum, product ...; empty if the method does not classify pages
    confidence: float | None = (
        None  # the F1 that the method expects of its answer; None if it does not know
    )


def read_threshold(threshold: float | str) -> float:
    """Return a threshold as a number, given a number or the name of a preset."""
    if isinstance(threshold, _NUMBERS) and threshold is not True and 0 <= threshold <= 1:
        return threshold
    if isinstance(threshold, str) and threshold in PRESETS:
        return PRESETS[threshold]
    names = ", ".join(PRESETS)
    raise ValueError(
        f"threshold must be a number between 0 and 1, or one of {names}, not {threshold!r}"
    )
