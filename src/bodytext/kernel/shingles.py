"""Hash the shingles of a text into bins, in numpy: the specification of `shingles_native.pyx`.

A token is a stretch of code points of class 1, or a single one of class 2; class 0 only separates
tokens. A shingle is SHINGLE_SIZE tokens in a row, or all tokens if a text has fewer. Its hash falls
into a bin by its highest bits, and the smallest hash of each bin is kept: MinHash with one
permutation, one hash for each shingle.

A token's hash is a polynomial of its code points modulo 2 ** 64, a shingle's a polynomial of its
tokens, mixed.
"""

import numpy as np
import numpy.typing as npt

from bodytext.kernel.hashing import (
    BIN_BITS,
    BINS,
    EMPTY_BIN,
    HASH_BASE,
    MIX_FIRST,
    MIX_SECOND,
    SHINGLE_CLASSES,
    SHINGLE_SIZE,
)

Hashes = npt.NDArray[np.uint64]


def find_lowest(codes: bytes, classes: bytes) -> tuple[bytes, bytes, int]:
    """Return BINS numbers of 64 bits, the tokens as UTF-16, and how many they are.

    `codes` is a text in UTF-32; `classes` has a class for each code point below SHINGLE_CLASSES and
    one for all others.
    """
    table = np.frombuffer(classes, np.uint8)
    if len(table) != SHINGLE_CLASSES + 1:
        raise ValueError("a class is needed for each of 65,536 code points and one for all beyond")
    points = np.frombuffer(codes, np.uint32)
    kinds = table[np.minimum(points, SHINGLE_CLASSES)]
    kept = kinds > 0
    first = kept.copy()
    first[1:] &= (kinds[1:] == 2) | (kinds[:-1] != 1)
    points, first = points[kept], first[kept]
    starts = np.flatnonzero(first)
    lowest = np.full(BINS, EMPTY_BIN, np.uint64)
    if not len(starts):
        return lowest.tobytes(), b"", 0
    hashes = hash_shingles(_hash_tokens(points, starts), SHINGLE_SIZE)
    np.minimum.at(lowest, hashes >> np.uint64(64 - BIN_BITS), hashes)
    spaced = np.insert(points, starts[1:], ord(" "))
    return (
        lowest.tobytes(),
        spaced.tobytes().decode("utf-32", "surrogatepass").encode("utf-16-le", "surrogatepass"),
        len(starts),
    )


def hash_shingles(tokens: Hashes, size: int) -> Hashes:
    """Return a hash for every `size` tokens in a row."""
    size = min(size, len(tokens))
    count = len(tokens) - size + 1
    value = np.zeros(count, np.uint64)
    for place in range(size):
        value = value * np.uint64(HASH_BASE) + tokens[place : place + count]
    return mix(value)


def mix(value: Hashes) -> Hashes:
    """Finish hashes as SplitMix64 does: every bit of the result depends on all bits."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(MIX_FIRST)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(MIX_SECOND)
    mixed: Hashes = value ^ (value >> np.uint64(31))
    return mixed


def _hash_tokens(points: npt.NDArray[np.uint32], starts: npt.NDArray[np.intp]) -> Hashes:
    lengths = np.diff(starts, append=len(points))
    powers = np.full(int(lengths.max()), HASH_BASE, np.uint64)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    after = np.repeat(starts + lengths, lengths) - 1 - np.arange(len(points))
    hashes: Hashes = np.add.reduceat(points * powers[after], starts)
    return hashes
