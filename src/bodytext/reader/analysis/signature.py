"""Make the signature of an article, and compare signatures.

A signature has two parts: the corpus's MinHash, which finds copies, and the article's heaviest
terms, each as a 32-bit number and a weight, which find the same story in other words. A name has
the same number in every language and a bit that marks it, so that articles in different languages
can be compared by their names.
"""

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from bodytext.corpus.duplicates.signatures import SIGNATURE, likeness, sign
from bodytext.corpus.partitions import Records

MOST_TERMS = 96  # of an article: 576 bytes, in addition to 280 of the MinHash
_STEM = 7  # letters of a term that count, so that inflected forms of a word match
_NAME_WEIGHT = 2.0  # factor for a name or a number: they distinguish similar events
_TERM = np.dtype([("number", "<u4"), ("weight", "<f2")])
_NAME_BIT = np.uint32(1)
_LEAST_SHINGLES = 20  # the MinHash of a shorter text says little; the corpus has the same threshold

Numbers = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Signature:
    """What an article is compared by."""

    copy: Records  # a row of the type bodytext.corpus.duplicates.signatures.SIGNATURE
    # Rows of a number and a weight, heaviest first; the squares of the weights sum to 1.
    terms: Records

    @property
    def numbers(self) -> Numbers:
        """The numbers of the terms without the bit for names, for articles of the same language."""
        numbers: Numbers = self.terms["number"] & ~_NAME_BIT
        return numbers

    def pack(self) -> bytes:
        """Return the signature as it is stored."""
        return bytes(self.copy.tobytes() + self.terms.tobytes())

    @classmethod
    def unpack(cls, data: bytes) -> "Signature":
        """Read a stored signature; invalid bytes give one that is similar to nothing."""
        size = SIGNATURE.itemsize
        if len(data) < size or (len(data) - size) % _TERM.itemsize:
            return cls(np.zeros((), SIGNATURE)[()], np.zeros(0, _TERM))
        return cls(np.frombuffer(data[:size], SIGNATURE)[0], np.frombuffer(data[size:], _TERM))


def sign_article(
    text: str, weights: Mapping[str, float], rarities: Mapping[str, float], names: Set[str]
) -> Signature:
    """Sign a text by the weights and rarities of its terms, some of which are names.

    Rarity counts more than in the weights, with a power of 1.5, so that words shared by articles of
    one kind count less.
    """
    stems: dict[str, float] = {}
    for name, weight in weights.items():
        factor = _NAME_WEIGHT if name in names else 1.0
        stem = name[:_STEM]
        stems[stem] = max(stems.get(stem, 0.0), weight * math.sqrt(rarities[name]) * factor)
    name_stems = {name[:_STEM] for name in names}
    heaviest = sorted(stems.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_TERMS]
    rows = [
        (_number(stem, is_name=stem in name_stems), weight)
        for stem, weight in heaviest
        if weight > 0
    ]
    terms = np.array(rows, _TERM)
    terms["weight"] = terms["weight"] / (_length(terms) if rows else 1.0)
    return Signature(sign(text), terms)


def _length(terms: Records) -> float:
    return float(np.sqrt((terms["weight"].astype(np.float32) ** 2).sum()))


def _number(name: str, *, is_name: bool) -> int:
    number = int.from_bytes(
        blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "little"
    )
    return (number & ~1) | is_name


def compare_copies(signature: Signature, other: Signature) -> float:
    """Return the share of two texts in the same words; 0 if one is too short to compare."""
    if min(signature.copy["shingles"], other.copy["shingles"]) < _LEAST_SHINGLES:
        return float(
            (signature.copy["digest"] == other.copy["digest"]).all()
            and signature.copy["shingles"] > 0
        )
    return float(likeness(signature.copy["values"], other.copy["values"]))


def compare_terms(signature: Signature, other: Signature) -> float:
    """Return the cosine of the terms of two articles in one language."""
    return _multiply(signature.terms, other.terms, signature.numbers, other.numbers)


def compare_names(signature: Signature, other: Signature) -> tuple[float, int]:
    """Return the cosine of two articles' names and numbers, and how many they share."""
    names, other_names = _names_of(signature), _names_of(other)
    lengths = _length(names) * _length(other_names)
    if not lengths:
        return 0.0, 0
    shared = len(np.intersect1d(names["number"], other_names["number"]))
    return _multiply(names, other_names, names["number"], other_names["number"]) / lengths, shared


def _names_of(signature: Signature) -> Records:
    names: Records = signature.terms[(signature.terms["number"] & _NAME_BIT) == 1]
    return names


def _multiply(terms: Records, other: Records, numbers: Numbers, other_numbers: Numbers) -> float:
    """Return the scalar product of two articles' weights."""
    _, rows, other_rows = np.intersect1d(numbers, other_numbers, return_indices=True)
    weights = terms["weight"][rows].astype(np.float32)
    other_weights = other["weight"][other_rows].astype(np.float32)
    return float((weights * other_weights).sum())
