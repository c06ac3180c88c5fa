"""Words of a text in, the shares of its characters that lie in repeated stretches of n words out."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying loses nothing; the golden ratio's bits


class Repetition:
    """Counts of the n-grams of a text's words. Shares are of characters, white space aside.

    N-grams are compared by hashes of 64 bits: that two among the 10,000 of a long text share one by chance happens in
    one of 10^11 texts.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._repeated: dict[int, float] = {}

    @cached_property
    def _hashes(self) -> npt.NDArray[np.uint64]:
        return np.fromiter(map(hash, self._words), np.int64, len(self._words)).view(np.uint64)

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
        """The characters before each word and after the last."""
        ends = np.zeros(len(self._words) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, self._words), np.int64, len(self._words)), out=ends[1:])
        return ends

    def _grams(self, size: int) -> npt.NDArray[np.uint64]:
        count = len(self._words) - size + 1
        hashes = self._hashes
        grams = hashes[:count].copy()
        for offset in range(1, size):
            grams *= _FACTOR
            grams += hashes[offset : offset + count]
        return grams

    def top_share(self, size: int) -> float:
        """The share of the characters that lies in the most frequent n-gram; of several as frequent, the longest."""
        if len(self._words) < size + 1:
            return 0.0
        grams = self._grams(size)
        ordered = np.sort(grams)
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        counts = np.diff(starts, append=len(ordered))
        most = int(counts.max())
        if most < 2:
            return 0.0
        places = np.flatnonzero(np.isin(grams, ordered[starts[counts == most]]))
        longest = int((self._ends[places + size] - self._ends[places]).max())
        return most * longest / max(1, int(self._ends[-1]))

    def repeated_share(self, size: int) -> float:
        """The share of the characters that lies in n-grams which stood in the text before; each character once."""
        if size not in self._repeated:
            self._repeated[size] = self._share_repeated(size)
        return self._repeated[size]

    def _share_repeated(self, size: int) -> float:
        if len(self._words) < size + 1:
            return 0.0
        grams = self._grams(size)
        ordered = np.sort(grams)
        if not (ordered[1:] == ordered[:-1]).any():
            return 0.0
        order = np.argsort(grams, kind="stable")
        again = order[1:][grams[order[1:]] == grams[order[:-1]]]
        steps = np.zeros(len(self._words) + 1, np.int64)
        steps[again] += 1  # no place is there twice, neither as a start nor as an end
        steps[again + size] -= 1
        covered = np.cumsum(steps[:-1]) > 0
        return int(np.diff(self._ends)[covered].sum()) / max(1, int(self._ends[-1]))
