"""Code points -> pieces of a text and how much of it lies in repeated n-grams; the twin of `grams.pyx`, and its oracle.

A piece is what stands between white space; of scripts without spaces, so many characters as a word has on average. An
n-gram is n pieces in a row. Pieces and n-grams are compared by hashes of 64 bits: that two among the 10,000 of a long
text share one by chance happens in one of 10^11 texts. Shares are of characters, white space aside.
"""

import numpy as np
import numpy.typing as npt

from bodytext.kernel.words import LETTERS_PER_IDEOGRAPHIC_WORD, LETTERS_PER_UNSPACED_WORD

Hashes = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]

SPACE, SPACED, IDEOGRAPH, UNSPACED = range(4)  # the two lowest bits of a class
WORD, LETTERED = 4, 8  # what makes a piece a word, and one with a letter
LIMITS = (0, 0, LETTERS_PER_IDEOGRAPHIC_WORD, LETTERS_PER_UNSPACED_WORD)  # characters of a piece, by kind
WIDE = 0x40000  # code points from here on share one class
TOP_SIZES = 4  # up to this n the most frequent n-gram is measured, beyond it all repeated ones
LARGEST_SIZE = 10
_BASE = 0x9E3779B97F4A7C15  # odd, so that no multiplication loses a bit; the golden ratio, as is usual
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # the multipliers of SplitMix64


def measure_grams(codes: bytes, classes: bytes, seed: int) -> tuple[tuple[int, int, int, int, int], list[float]]:
    """UTF-32 and a class for each code point -> counts and shares.

    The counts: pieces, words, pieces with a letter, pieces without spaces around them, characters. The shares, for n
    from 2 on: of characters in the most frequent n-gram; from 5 on: in n-grams that have stood in the text before. The
    seed scatters hashes in the native kernel, so that no text can be made for them to collide; it changes no result.
    """
    del seed
    table = np.frombuffer(classes, np.uint8)
    if len(table) != WIDE + 1:
        raise ValueError("a class is needed for each code point below WIDE and one for all beyond")
    points = np.frombuffer(codes, np.uint32)
    flags = table[np.minimum(points, WIDE)]
    kinds = flags & np.uint8(3)
    starts, lengths = _cut(kinds)
    if not len(starts):
        return (0, 0, 0, 0, 0), [0.0] * (LARGEST_SIZE - 1)
    spots = np.repeat(starts, lengths) + _count_up(lengths)
    firsts = np.cumsum(lengths) - lengths
    seen = np.bitwise_or.reduceat(flags[spots], firsts)
    counts = (
        len(starts),
        int(np.count_nonzero(seen & WORD)),
        int(np.count_nonzero(seen & LETTERED)),
        int(np.count_nonzero(kinds[starts] > SPACED)),
        int(lengths.sum()),
    )
    return counts, measure_shares(_hash_pieces(points[spots], lengths), lengths)


def measure_shares(hashes: Hashes, lengths: Counts) -> list[float]:
    """The shares for each n from 2 on, from the pieces' hashes and lengths."""
    shares: list[float] = []
    grams = hashes
    for size in range(2, LARGEST_SIZE + 1):
        if len(hashes) <= size or (size > TOP_SIZES + 1 and not shares[-1]):
            shares.append(0.0)  # where no shorter one is repeated, no longer one is
            continue
        grams = grams[:-1] * np.uint64(_BASE) + hashes[size - 1 :]
        shares.append(_share_top(grams, lengths, size) if size <= TOP_SIZES else _share_repeated(grams, lengths, size))
    return shares


def _share_top(grams: Hashes, lengths: Counts, size: int) -> float:
    """The share of the characters in the most frequent n-gram; of several as frequent, in the longest."""
    ordered = np.sort(grams)
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    counts = np.diff(starts, append=len(ordered))
    most = int(counts.max())
    if most < 2:
        return 0.0
    ends = np.concatenate(([0], np.cumsum(lengths)))
    windows = ends[size:] - ends[:-size]
    longest = int(windows[np.isin(grams, ordered[starts[counts == most]])].max())
    return most * longest / int(ends[-1])


def _share_repeated(grams: Hashes, lengths: Counts, size: int) -> float:
    """The share of the characters in n-grams which have stood before; each character counts once."""
    order = np.argsort(grams, kind="stable")
    again = order[1:][grams[order[1:]] == grams[order[:-1]]]
    steps = np.zeros(len(lengths) + 1, np.int64)
    steps[again] += 1  # no place is there twice, neither as a start nor as an end
    steps[again + size] -= 1
    covered = np.cumsum(steps[:-1]) > 0
    return int(lengths[covered].sum()) / int(lengths.sum())


def _cut(kinds: npt.NDArray[np.uint8]) -> tuple[Counts, Counts]:
    """Where the pieces start, and how long they are."""
    if not len(kinds):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    changes = np.flatnonzero(np.concatenate(([True], kinds[1:] != kinds[:-1])))
    runs = np.diff(changes, append=len(kinds))
    within = _count_up(runs)  # how far into its run each character is
    limits = np.array([1, len(kinds), *LIMITS[2:]])[kinds]
    starts = np.flatnonzero((within % limits == 0) & (kinds != SPACE))
    edges = np.append(np.flatnonzero((within % limits == 0) | (kinds == SPACE)), len(kinds))
    return starts, edges[np.searchsorted(edges, starts) + 1] - starts


def _count_up(lengths: Counts) -> Counts:
    """For each length the numbers from 0 up to it, one after the other."""
    found: Counts = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return found


def _hash_pieces(points: npt.NDArray[np.uint32], lengths: Counts) -> Hashes:
    powers = np.full(int(lengths.max()) + 1, _BASE, np.uint64)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    behind = np.repeat(lengths, lengths) - 1 - _count_up(lengths)
    value = np.add.reduceat(points * powers[behind], np.cumsum(lengths) - lengths) + powers[lengths]
    value = (value ^ (value >> np.uint64(30))) * _FIRST
    value = (value ^ (value >> np.uint64(27))) * _SECOND
    found: Hashes = value ^ (value >> np.uint64(31))
    return found
