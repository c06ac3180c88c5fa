"""Code points -> the smallest hash of each bin over all shingles, in numpy; the twin of `shingles.pyx`, and its oracle.

A token is a stretch of code points of class 1, or a single one of class 2; class 0 parts tokens and is nothing else. A
shingle is SIZE tokens in a row (all tokens, where a text has fewer). Its hash falls into a bin by its highest bits,
and of each bin the smallest hash is kept: MinHash with one permutation, a single hash for each shingle.

A token's hash is a polynomial of its code points modulo 2 ** 64, a shingle's a polynomial of its tokens, mixed.
"""

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]

SIZE = 3  # tokens of a shingle; results/duplicates.md has what others give
BIN_BITS = 7
BINS = 1 << BIN_BITS
NOTHING = 2**64 - 1  # of a bin without a shingle
BASE = 0x9E3779B97F4A7C15  # odd, so that no multiplication loses a bit; the golden ratio, as is usual
WIDE = 0x10000  # code points from here on share one class
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # the multipliers of SplitMix64


def find_lowest(codes: bytes, classes: bytes) -> tuple[bytes, bytes, int]:
    """UTF-32, a class for each code point -> BINS numbers of 64 bits, the tokens as UTF-16, and how many they are."""
    table = np.frombuffer(classes, np.uint8)
    if len(table) != WIDE + 1:
        raise ValueError("a class is needed for each of 65,536 code points and one for all beyond")
    points = np.frombuffer(codes, np.uint32)
    kinds = table[np.minimum(points, WIDE)]
    kept = kinds > 0
    first = kept.copy()
    first[1:] &= (kinds[1:] == 2) | (kinds[:-1] != 1)
    points, first = points[kept], first[kept]
    starts = np.flatnonzero(first)
    lowest = np.full(BINS, NOTHING, np.uint64)
    if not len(starts):
        return lowest.tobytes(), b"", 0
    hashes = hash_shingles(_hash_tokens(points, starts), SIZE)
    np.minimum.at(lowest, hashes >> np.uint64(64 - BIN_BITS), hashes)
    spaced = np.insert(points, starts[1:], 32)
    return (
        lowest.tobytes(),
        spaced.tobytes().decode("utf-32", "surrogatepass").encode("utf-16-le", "surrogatepass"),
        len(starts),
    )


def hash_shingles(tokens: Hashes, size: int) -> Hashes:
    """A hash for every `size` tokens in a row."""
    size = min(size, len(tokens))
    count = len(tokens) - size + 1
    value = np.zeros(count, np.uint64)
    for place in range(size):
        value = value * np.uint64(BASE) + tokens[place : place + count]
    return mix(value)


def mix(value: Hashes) -> Hashes:
    """The finish of SplitMix64: every bit of the outcome depends on all bits."""
    value = (value ^ (value >> np.uint64(30))) * _FIRST
    value = (value ^ (value >> np.uint64(27))) * _SECOND
    found: Hashes = value ^ (value >> np.uint64(31))
    return found


def _hash_tokens(points: npt.NDArray[np.uint32], starts: npt.NDArray[np.intp]) -> Hashes:
    lengths = np.diff(starts, append=len(points))
    powers = np.full(int(lengths.max()), BASE, np.uint64)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    behind = np.repeat(starts + lengths, lengths) - 1 - np.arange(len(points))
    found: Hashes = np.add.reduceat(points * powers[behind], starts)
    return found
