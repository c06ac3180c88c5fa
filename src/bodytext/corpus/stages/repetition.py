"""Words of a text in, the shares of its characters that lie in repeated stretches of n words out."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying loses nothing; the golden ratio's bits


class Repetition:
    """Counts of the n-grams of a text's words. Shares are of characters, white space aside.

    N-grams are compared by hashes of 64 bits: that two among the 10,000 of a long text share one by chance happens in
    one of 10^11 texts.
    """

    def __init__(self, words: Sequence[str]) -> None:
        count = len(words)
        self._hashes = np.fromiter(map(hash, words), np.int64, count).view(np.uint64)
        self._lengths = np.fromiter(map(len, words), np.int64, count)
        self._total = max(1, int(self._lengths.sum()))
        self._grams = [self._hashes]  # of one word, of two ...
        self._repeated: dict[int, float] = {}

    def top_share(self, size: int, at_least: float = 0.0) -> float:
        """The share of the characters that lies in the most frequent n-gram; of several as frequent, the longest.

        Shares below `at_least` may be given as 0: they are not worked out where a glance shows that they are.
        """
        grams = self._of_size(size)
        if len(grams) < 2:
            return 0.0
        ends = np.concatenate(([0], np.cumsum(self._lengths)))
        lengths = ends[size:] - ends[:-size]
        ordered = np.sort(grams)
        times = max(2, int(at_least * self._total / lengths.max()))
        if not (ordered[times - 1 :] == ordered[: len(ordered) - times + 1]).any():
            return 0.0
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        counts = np.diff(starts, append=len(ordered))
        most = int(counts.max())
        longest = int(lengths[np.isin(grams, ordered[starts[counts == most]])].max())
        return most * longest / self._total

    def repeated_share(self, size: int) -> float:
        """The share of the characters that lies in n-grams which stood in the text before; each character once."""
        if size not in self._repeated:
            self._repeated[size] = self._share_repeated(size)
        return self._repeated[size]

    def _share_repeated(self, size: int) -> float:
        grams = self._of_size(size)
        ordered = np.sort(grams)
        if not (ordered[1:] == ordered[:-1]).any():
            return 0.0
        order = np.argsort(grams, kind="stable")
        again = order[1:][grams[order[1:]] == grams[order[:-1]]]
        steps = np.zeros(len(self._lengths) + 1, np.int64)
        steps[again] += 1  # no place is there twice, neither as a start nor as an end
        steps[again + size] -= 1
        covered = np.cumsum(steps[:-1]) > 0
        return int(self._lengths[covered].sum()) / self._total

    def _of_size(self, size: int) -> npt.NDArray[np.uint64]:
        """The hashes of all n-grams in order, each made from that of the n-gram one shorter."""
        while len(self._grams) < size:
            shorter = self._grams[-1][:-1]
            self._grams.append(shorter * _FACTOR + self._hashes[len(self._hashes) - len(shorter) :])
        return self._grams[size - 1]
