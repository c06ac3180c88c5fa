"""Text -> its signature: a digest that equal texts share, and 128 numbers of which like texts share many.

What is compared are the words, whatever stands between them: case, punctuation and white space do not count, and
letters are composed (NFC). Where words are written without spaces (Han, kana, Thai, Khmer ...) each character counts
as one. Three words in a row are a shingle; how alike two texts are is the share of shingles, of all that either has,
that stand in both (Jaccard). The numbers are a MinHash with one permutation: each shingle is hashed once, the smallest
hash of each of 128 bins is kept, 16 bits of it, and a bin that is empty borrows from one that is not, always in the
same order.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from bodytext.corpus.run.spill import Records
from bodytext.kernel import find_lowest
from bodytext.kernel.shingles import BINS, NOTHING, SIZE, WIDE

Values = npt.NDArray[np.uint16]

# A row of a signature file: 280 bytes. A text without words, and a row that is not to be compared, has `shingles` 0.
SIGNATURE = np.dtype([("digest", "<u8", (2,)), ("shingles", "<u4"), ("values", "<u2", (BINS,))], align=True)
_DIGEST_BYTES = 16
# Scripts whose words are not parted by spaces: first and last code points.
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA000, 0xA4CF),  # Yi
    (0xF900, 0xFAFF),
)


def sign(text: str) -> Records:
    """The signature of a text, as one row of the type SIGNATURE."""
    return sign_all((text,))[0]  # type: ignore[no-any-return]


def sign_all(texts: Iterable[str | None]) -> Records:
    """The signatures of texts, a row each; None is a row that is not to be compared."""
    return np.fromiter(map(_sign, texts), dtype=SIGNATURE)


def _sign(text: str | None) -> tuple[npt.NDArray[np.uint64], int, Values]:
    folded = unicodedata.normalize("NFC", text).lower() if text else ""
    lowest, words, count = find_lowest(folded.encode("utf-32-le", "surrogatepass"), _classes())
    if not count:
        return np.zeros(2, np.uint64), 0, np.zeros(BINS, np.uint16)
    digest = np.frombuffer(blake2b(words, digest_size=_DIGEST_BYTES).digest(), "<u8")
    return digest, max(count - SIZE + 1, 1), _fill(np.frombuffer(lowest, np.uint64))


def likeness(one: Values, other: Values) -> npt.NDArray[np.float32]:
    """The share of equal numbers, over the last axis: an estimate of the Jaccard likeness, to about 0.04."""
    found: npt.NDArray[np.float32] = (one == other).mean(-1, dtype=np.float32)
    return found


def _fill(lowest: npt.NDArray[np.uint64]) -> Values:
    """16 bits of each bin; an empty one has those of the first full one in an order of its own."""
    values = (lowest & np.uint64(0xFFFF)).astype(np.uint16)
    empty = np.flatnonzero(lowest == np.uint64(NOTHING))
    if not len(empty):
        return values
    full = lowest != np.uint64(NOTHING)
    order = _order()[empty]
    source = order[np.arange(len(empty)), full[order].argmax(1)]
    values[empty] = values[source]
    return values


@cache
def _order() -> npt.NDArray[np.intp]:
    """For each bin all bins, in an order that is shuffled and always the same."""
    keys = np.array([int.from_bytes(blake2b(b"%d" % n, digest_size=4).digest()) for n in range(BINS * BINS)])
    return keys.reshape(BINS, BINS).argsort(1, kind="stable")


@cache
def _classes() -> bytes:
    """For each code point: 0 between words, 1 in a word, 2 a word by itself; one more for all from 65,536 on."""
    found = np.array([unicodedata.category(chr(code))[0] in "LMN" for code in range(WIDE)] + [True], dtype=np.uint8)
    for first, last in _UNSPACED:
        found[first : last + 1] *= 2
    return found.tobytes()
