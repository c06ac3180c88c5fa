"""Count the words, lines and paragraphs of a text in any script.

White space separates words. Scripts without spaces between words are cut into pieces of the length
that `bodytext.kernel.words` gives a word there: two characters of Han, kana or Yi, four of Thai,
Lao, Khmer and the like.
"""

import re
import secrets
from functools import cache, cached_property

from bodytext.kernel import measure_grams
from bodytext.kernel.hashing import HAS_LETTER, HAS_WORD, NGRAM_CLASSES, PieceKind
from bodytext.kernel.words import LETTER_OF, Letter

# If more of its pieces are of such scripts, a text has no spaces; Latin pages contain a Chinese
# word now and then.
_MOSTLY = 0.3
_SEED = secrets.randbits(64)  # changes no result, but no text can be written to make it slow
_KINDS: dict[int, int] = {
    Letter.SPACE: PieceKind.SPACE,
    Letter.IDEOGRAPH: PieceKind.IDEOGRAPH,
    Letter.UNSPACED: PieceKind.UNSPACED,
}


class TextTokens:
    """The pieces, words, lines and paragraphs of a text, counted on demand."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _measured(self) -> tuple[tuple[int, int, int, int, int], list[float]]:
        return measure_grams(self.text.encode("utf-32-le", "surrogatepass"), _classes(), _SEED)

    @property
    def pieces(self) -> int:
        """The number of pieces, with numbers and signs."""
        return self._measured[0][0]

    @property
    def words(self) -> int:
        """The number of pieces with a letter or a digit."""
        return self._measured[0][1]

    @property
    def lettered(self) -> int:
        """The number of pieces with a letter."""
        return self._measured[0][2]

    @property
    def is_spaced(self) -> bool:
        """Whether spaces separate the words of this text."""
        return self._measured[0][3] <= self.pieces * _MOSTLY

    @property
    def characters(self) -> int:
        """The characters of all pieces."""
        return self._measured[0][4]

    def share_of_grams(self, size: int) -> float:
        """The share of characters in the most frequent n-gram; from size 5 on, in repeated ones."""
        return self._measured[1][size - 2]

    @cached_property
    def lines(self) -> list[str]:
        """The lines that are not blank, without the space around them."""
        return [stripped for line in self.text.split("\n") if (stripped := line.strip())]

    @cached_property
    def paragraphs(self) -> list[str]:
        """The parts between blank lines."""
        return [stripped for part in self.text.split("\n\n") if (stripped := part.strip())]


@cache
def _classes() -> bytes:
    """The class of every code point, as the kernel needs it."""
    kinds = bytes(_KINDS.get(letter, PieceKind.SPACED) for letter in range(256))
    classes = bytearray(LETTER_OF.translate(kinds))
    alphabet = "".join(map(chr, range(NGRAM_CLASSES)))
    for pattern, flags in ((r"[^\W_]+", HAS_WORD), (r"[^\W\d_]+", HAS_LETTER)):
        marked = bytes(letter | flags for letter in range(256))
        for match in re.finditer(pattern, alphabet):
            classes[match.start() : match.end()] = classes[match.start() : match.end()].translate(
                marked
            )
    return bytes(classes) + bytes([PieceKind.SPACED])
