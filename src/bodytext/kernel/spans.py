"""Find the stretches of a page that hold some words, in Python: the specification of `spans_native.pyx`."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

SHORTEST = 3  # bytes of a word: the native twin looks at every other byte
MOST_WORDS = 64


def find_spans(
    source: bytes,
    starts: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int32],
    words: Sequence[bytes],
) -> list[int]:
    """Return the numbers of the spans that hold any of the words, in order.

    A span is the source from a start to the end of the same number; one that does not fit the
    source holds nothing.
    """
    if any(len(word) < SHORTEST for word in words):
        raise ValueError(f"each word must have {SHORTEST} bytes or more")
    if len(words) > MOST_WORDS:
        raise ValueError(f"there may be {MOST_WORDS} words at most")
    size = len(source)
    return [
        number
        for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
        if 0 <= start < end <= size and any(word in source[start:end] for word in words)
    ]
