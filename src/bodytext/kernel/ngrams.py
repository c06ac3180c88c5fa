"""Measure the repeated n-grams of a text, in numpy: the specification of `ngrams_native.pyx`.

A piece is a stretch between white space; in scripts without spaces it has as many characters as a
word has on average. An n-gram is n pieces in a row. Pieces and n-grams are compared by hashes of 64
bits: that two among the 10,000 of a long text share one by chance happens in one of 10^11 texts.
Shares are of characters without white space.
"""

import numpy as np
import numpy.typing as npt

from bodytext.kernel.hashing import (
    HAS_LETTER,
    HAS_WORD,
    HASH_BASE,
    IDEOGRAPHIC_LIMIT,
    LARGEST_SIZE,
    NGRAM_CLASSES,
    TOP_SIZES,
    UNSPACED_LIMIT,
    PieceKind,
)
from bodytext.kernel.shingles import Hashes, mix

Counts = npt.NDArray[np.int64]


def measure_grams(
    codes: bytes, classes: bytes, seed: int
) -> tuple[tuple[int, int, int, int, int], list[float]]:
    """Return counts of pieces, and the shares of repeated n-grams for each n from 2 on.

    `codes` is a text in UTF-32; `classes` has a class for each code point below NGRAM_CLASSES and
    one for all others. The counts are of pieces, words, pieces with a letter, pieces without spaces
    around them, and characters. Up to TOP_SIZES the shares are of the most frequent n-gram, beyond
    it of n-grams that were in the text before. The seed scatters hashes in the native module, so
    that no text can be made for them to collide; it changes no result.
    """
    del seed
    table = np.frombuffer(classes, np.uint8)
    if len(table) != NGRAM_CLASSES + 1:
        raise ValueError(
            "a class is needed for each code point below NGRAM_CLASSES and one for all beyond"
        )
    points = np.frombuffer(codes, np.uint32)
    flags = table[np.minimum(points, NGRAM_CLASSES)]
    kinds = flags & np.uint8(max(PieceKind))
    starts, lengths = _cut(kinds)
    if not len(starts):
        return (0, 0, 0, 0, 0), [0.0] * (LARGEST_SIZE - 1)
    spots = np.repeat(starts, lengths) + _count_up(lengths)
    firsts = np.cumsum(lengths) - lengths
    seen = np.bitwise_or.reduceat(flags[spots], firsts)
    counts = (
        len(starts),
        int(np.count_nonzero(seen & HAS_WORD)),
        int(np.count_nonzero(seen & HAS_LETTER)),
        int(np.count_nonzero(kinds[starts] > PieceKind.SPACED)),
        int(lengths.sum()),
    )
    return counts, measure_shares(_hash_pieces(points[spots], lengths), lengths)


def measure_shares(hashes: Hashes, lengths: Counts) -> list[float]:
    """Return the shares for each n from 2 on, from the pieces' hashes and lengths."""
    shares: list[float] = []
    grams = hashes
    for size in range(2, LARGEST_SIZE + 1):
        if len(hashes) <= size or (size > TOP_SIZES + 1 and not shares[-1]):
            shares.append(0.0)  # if no shorter one is repeated, no longer one is
            continue
        grams = grams[:-1] * np.uint64(HASH_BASE) + hashes[size - 1 :]
        measure = _share_top if size <= TOP_SIZES else _share_repeated
        shares.append(measure(grams, lengths, size))
    return shares


def _share_top(grams: Hashes, lengths: Counts, size: int) -> float:
    """Return the share of characters in the most frequent n-gram; of equals, in the longest."""
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
    """Return the share of characters in n-grams that came before; each character counts once."""
    order = np.argsort(grams, kind="stable")
    again = order[1:][grams[order[1:]] == grams[order[:-1]]]
    steps = np.zeros(len(lengths) + 1, np.int64)
    steps[again] += 1  # no place is there twice, neither as a start nor as an end
    steps[again + size] -= 1
    covered = np.cumsum(steps[:-1]) > 0
    return int(lengths[covered].sum()) / int(lengths.sum())


def _cut(kinds: npt.NDArray[np.uint8]) -> tuple[Counts, Counts]:
    """Return where the pieces start, and how long they are."""
    if not len(kinds):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    changes = np.flatnonzero(np.concatenate(([True], kinds[1:] != kinds[:-1])))
    runs = np.diff(changes, append=len(kinds))
    within = _count_up(runs)  # how far into its run each character is
    limits = np.array([1, len(kinds), IDEOGRAPHIC_LIMIT, UNSPACED_LIMIT])[kinds]
    starts = np.flatnonzero((within % limits == 0) & (kinds != PieceKind.SPACE))
    edges = np.append(
        np.flatnonzero((within % limits == 0) | (kinds == PieceKind.SPACE)), len(kinds)
    )
    return starts, edges[np.searchsorted(edges, starts) + 1] - starts


def _count_up(lengths: Counts) -> Counts:
    """Return for each length the numbers from 0 up to it, one after the other."""
    numbers: Counts = np.arange(int(lengths.sum())) - np.repeat(
        np.cumsum(lengths) - lengths, lengths
    )
    return numbers


def _hash_pieces(points: npt.NDArray[np.uint32], lengths: Counts) -> Hashes:
    powers = np.full(int(lengths.max()) + 1, HASH_BASE, np.uint64)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    after = np.repeat(lengths, lengths) - 1 - _count_up(lengths)
    return mix(
        np.add.reduceat(points * powers[after], np.cumsum(lengths) - lengths) + powers[lengths]
    )
