"""The numbers by which words, shingles and n-grams are cut and hashed."""

from enum import IntEnum

from bodytext.kernel.words import LETTERS_PER_IDEOGRAPHIC_WORD, LETTERS_PER_UNSPACED_WORD

FNV_OFFSET = 2166136261  # FNV-1a, 32 bits
FNV_PRIME = 16777619
HASH_BASE = 0x9E3779B97F4A7C15  # the golden ratio, as is usual; it is odd, so that no multiplication loses a bit
MIX_FIRST = 0xBF58476D1CE4E5B9  # the multipliers of SplitMix64
MIX_SECOND = 0x94D049BB133111EB

SHINGLE_SIZE = 3  # tokens of a shingle; results/duplicates.md compares other sizes
BIN_BITS = 7
BINS = 1 << BIN_BITS
EMPTY_BIN = 2**64 - 1  # the value of a bin without a shingle
SHINGLE_CLASSES = 0x10000  # code points with a class of their own; all others share one


class PieceKind(IntEnum):
    """How a character makes pieces of text: the two lowest bits of its class."""

    SPACE = 0
    SPACED = 1
    IDEOGRAPH = 2
    UNSPACED = 3


HAS_WORD, HAS_LETTER = 4, 8  # bits of a class: of a piece with such a character, too
IDEOGRAPHIC_LIMIT = LETTERS_PER_IDEOGRAPHIC_WORD  # characters of a piece
UNSPACED_LIMIT = LETTERS_PER_UNSPACED_WORD
NGRAM_CLASSES = 0x40000  # code points with a class of their own; all others share one
TOP_SIZES = 4  # up to this n the most frequent n-gram is measured, beyond it all repeated ones
LARGEST_SIZE = 10
