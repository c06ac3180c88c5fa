"""Sign texts: a digest that equal texts share, and 128 numbers of which similar texts share many.

Only words are compared, in small letters and composed (NFC); in scripts without spaces each character
is one. Three in a row are a shingle. The numbers are a MinHash with one permutation: 16 bits of the
smallest hash of each of 128 bins. An empty bin takes those of a full one, always in the same order.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from bodytext.corpus.partitions import Records
from bodytext.kernel import find_lowest
from bodytext.kernel.hashing import BINS, EMPTY_BIN, SHINGLE_CLASSES, SHINGLE_SIZE

Values = npt.NDArray[np.uint16]

# A row of a file of signatures: 280 bytes. `shingles` is 0 for a text without words, and if there
# is no text.
SIGNATURE = np.dtype(
    [("digest", "<u8", (2,)), ("shingles", "<u4"), ("values", "<u2", (BINS,))], align=True
)
_DIGEST_BYTES = 16
# Scripts without spaces between words: first and last code points.
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
    """The signatures of texts, a row for each. The row of None is never compared."""
    return np.fromiter(map(_sign, texts), dtype=SIGNATURE)


def _sign(text: str | None) -> tuple[npt.NDArray[np.uint64], int, Values]:
    folded = unicodedata.normalize("NFC", text).lower() if text else ""
    lowest, words, count = find_lowest(folded.encode("utf-32-le", "surrogatepass"), _classes())
    if not count:
        return np.zeros(2, np.uint64), 0, np.zeros(BINS, np.uint16)
    digest = np.frombuffer(blake2b(words, digest_size=_DIGEST_BYTES).digest(), "<u8")
    return digest, max(count - SHINGLE_SIZE + 1, 1), _fill(np.frombuffer(lowest, np.uint64))


def likeness(first: Values, second: Values) -> npt.NDArray[np.float32]:
    """The share of equal numbers: it estimates the Jaccard likeness, to about 0.04."""
    share: npt.NDArray[np.float32] = (first == second).mean(-1, dtype=np.float32)
    return share


def _fill(lowest: npt.NDArray[np.uint64]) -> Values:
    """16 bits of each bin. An empty bin has those of the first full one, in an order of its own."""
    values = (lowest & np.uint64(0xFFFF)).astype(np.uint16)
    empty = np.flatnonzero(lowest == np.uint64(EMPTY_BIN))
    if not len(empty):
        return values
    full = lowest != np.uint64(EMPTY_BIN)
    order = _order()[empty]
    source = order[np.arange(len(empty)), full[order].argmax(1)]
    values[empty] = values[source]
    return values


@cache
def _order() -> npt.NDArray[np.intp]:
    """For each bin all bins, shuffled but always in the same order."""
    keys = np.array(
        [int.from_bytes(blake2b(b"%d" % n, digest_size=4).digest()) for n in range(BINS * BINS)]
    )
    return keys.reshape(BINS, BINS).argsort(1, kind="stable")


@cache
def _classes() -> bytes:
    """The class of each code point below 65,536, then of all others: 0 no word, 1 in one, 2 one."""
    classes = np.array(
        [unicodedata.category(chr(code))[0] in "LMN" for code in range(SHINGLE_CLASSES)] + [True],
        dtype=np.uint8,
    )
    for first, last in _UNSPACED:
        classes[first : last + 1] *= 2
    return classes.tobytes()
