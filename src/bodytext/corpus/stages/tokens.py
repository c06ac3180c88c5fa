"""A text in, its words, lines and paragraphs out, as the stages count them, in any script.

Words are what stands between white space. Scripts that put no spaces between words are cut into pieces of the length
that `bodytext.kernel.words` gives a word there: two characters of Han, kana or Yi, four of Thai, Lao, Khmer and the like.
"""

import re
import secrets
from functools import cache, cached_property

from bodytext.kernel import measure_grams
from bodytext.kernel.ngrams import IDEOGRAPH, LETTERED, SPACE, SPACED, UNSPACED, WIDE, WORD
from bodytext.kernel.words import LETTER_OF, Letter

# The share of pieces above which a text counts as one without spaces; Latin pages name a Chinese word now and then.
_MOSTLY = 0.3
_SEED = secrets.randbits(64)  # changes no result: it keeps texts from being made so that counting them takes long
_KINDS: dict[int, int] = {Letter.SPACE: SPACE, Letter.IDEOGRAPH: IDEOGRAPH, Letter.UNSPACED: UNSPACED}


class Tokens:
    """The pieces, words, lines and paragraphs of a text, counted when they are asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _measured(self) -> tuple[tuple[int, int, int, int, int], list[float]]:
        return measure_grams(self.text.encode("utf-32-le", "surrogatepass"), _classes(), _SEED)

    @property
    def pieces(self) -> int:
        """How many pieces there are, numbers and signs too."""
        return self._measured[0][0]

    @property
    def words(self) -> int:
        """How many of the pieces hold a letter or a digit."""
        return self._measured[0][1]

    @property
    def lettered(self) -> int:
        """How many of the pieces hold a letter."""
        return self._measured[0][2]

    @property
    def is_spaced(self) -> bool:
        """Whether spaces part the words of this text."""
        return self._measured[0][3] <= self.pieces * _MOSTLY

    @property
    def characters(self) -> int:
        """The characters of all pieces."""
        return self._measured[0][4]

    def share_of_grams(self, size: int) -> float:
        """The share of the characters in the most frequent n-gram; from 5 on, in those that have stood before."""
        return self._measured[1][size - 2]

    @cached_property
    def lines(self) -> list[str]:
        """The lines that are not blank, without the space around them."""
        return [stripped for line in self.text.split("\n") if (stripped := line.strip())]

    @cached_property
    def paragraphs(self) -> list[str]:
        """What stands between blank lines."""
        return [stripped for part in self.text.split("\n\n") if (stripped := part.strip())]


@cache
def _classes() -> bytes:
    """The class of every code point, as the kernel wants it."""
    kinds = bytes(_KINDS.get(letter, SPACED) for letter in range(256))
    classes = bytearray(LETTER_OF.translate(kinds))
    alphabet = "".join(map(chr, range(WIDE)))
    for pattern, flags in ((r"[^\W_]+", WORD), (r"[^\W\d_]+", LETTERED)):
        marked = bytes(letter | flags for letter in range(256))
        for found in re.finditer(pattern, alphabet):
            classes[found.start() : found.end()] = classes[found.start() : found.end()].translate(marked)
    return bytes(classes) + bytes([SPACED])
