"""The text and the weighed terms of an article -> its signature in bytes; two signatures -> how like they are.

A signature is the corpus's MinHash, which finds copies, and beside it the article's heaviest terms, each as a number of
32 bits and its weight, which find the same story in other words. A name has the same number in every language, and a
bit that says that it is one, so that articles in different languages are compared by the names that they share.
"""

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from bodytext.corpus.duplicates.signatures import SIGNATURE, likeness, sign
from bodytext.corpus.partitions import Records

MOST_TERMS = 96  # that are kept of an article: 576 bytes beside the 280 of the MinHash
_STEM = 7  # letters of a term that count, so that the forms of a word meet in languages that inflect
_NAME_WEIGHT = 2.0  # times what a term weighs that is a name or a number: those tell events of a kind apart
_TERM = np.dtype([("number", "<u4"), ("weight", "<f2")])
_NAME_BIT = np.uint32(1)
_LEAST_SHINGLES = 20  # of a shorter text the MinHash says little; the corpus has the same bound

Numbers = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Signature:
    """What an article is compared by."""

    copy: Records  # a row of the type bodytext.corpus.duplicates.signatures.SIGNATURE
    terms: Records  # rows of a number and a weight, heaviest first; the squares of the weights sum to 1

    @property
    def numbers(self) -> Numbers:
        """The terms, without the bit for names: what articles of one language are compared by."""
        found: Numbers = self.terms["number"] & ~_NAME_BIT
        return found

    def pack(self) -> bytes:
        """The signature as it is stored."""
        return bytes(self.copy.tobytes() + self.terms.tobytes())

    @classmethod
    def unpack(cls, data: bytes) -> "Signature":
        """A stored signature; of bytes that are none, one that is like nothing."""
        size = SIGNATURE.itemsize
        if len(data) < size or (len(data) - size) % _TERM.itemsize:
            return cls(np.zeros((), SIGNATURE)[()], np.zeros(0, _TERM))
        return cls(np.frombuffer(data[:size], SIGNATURE)[0], np.frombuffer(data[size:], _TERM))


def sign_article(text: str, weights: Mapping[str, float], rarities: Mapping[str, float], names: Set[str]) -> Signature:
    """The signature of a text whose terms weigh so much and are so rare, some of which are names.

    Rarity counts more than in the weights, as its power of 1.5: what articles of a kind share counts less for it.
    """
    weighed: dict[str, float] = {}
    for name, weight in weights.items():
        own = weight * math.sqrt(rarities[name]) * (_NAME_WEIGHT if name in names else 1.0)
        weighed[name[:_STEM]] = max(weighed.get(name[:_STEM], 0.0), own)
    stems = {name[:_STEM] for name in names}
    heaviest = sorted(weighed.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_TERMS]
    rows = np.array([(_number(name, is_name=name in stems), weight) for name, weight in heaviest if weight > 0], _TERM)
    length = float(np.sqrt((rows["weight"].astype(np.float32) ** 2).sum())) if len(rows) else 1.0
    rows["weight"] = rows["weight"] / length
    return Signature(sign(text), rows)


def _number(name: str, *, is_name: bool) -> int:
    number = int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "little")
    return (number & ~1) | is_name


def compare_copies(one: Signature, other: Signature) -> float:
    """The share of what either text says that both say in the same words; 0 of texts too short to tell."""
    if min(one.copy["shingles"], other.copy["shingles"]) < _LEAST_SHINGLES:
        return float((one.copy["digest"] == other.copy["digest"]).all() and one.copy["shingles"] > 0)
    return float(likeness(one.copy["values"], other.copy["values"]))


def compare_terms(one: Signature, other: Signature) -> float:
    """The cosine of two articles' terms, of one language."""
    return _share(one.terms, other.terms, one.numbers, other.numbers)


def compare_names(one: Signature, other: Signature) -> tuple[float, int]:
    """The cosine of the names and numbers in two articles, whatever their languages, and how many both have."""
    mine, theirs = (part.terms[(part.terms["number"] & _NAME_BIT) == 1] for part in (one, other))
    lengths = [float(np.sqrt((part["weight"].astype(np.float32) ** 2).sum())) for part in (mine, theirs)]
    if not all(lengths):
        return 0.0, 0
    shared = len(np.intersect1d(mine["number"], theirs["number"]))
    return _share(mine, theirs, mine["number"], theirs["number"]) / (lengths[0] * lengths[1]), shared


def _share(one: Records, other: Records, mine: Numbers, theirs: Numbers) -> float:
    _, first, second = np.intersect1d(mine, theirs, return_indices=True)
    return float((one["weight"][first].astype(np.float32) * other["weight"][second].astype(np.float32)).sum())
