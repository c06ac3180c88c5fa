"""A text in, its words, lines and paragraphs out, as the stages count them, in any script.

Words are what stands between white space. Scripts that put no spaces between words are cut into pieces of the length
that `bodytext.words` gives a word there: two characters of Han, kana or Yi, four of Thai, Lao, Khmer and the like.
"""

import re
from functools import cached_property

from bodytext.words import LETTER_OF, LETTERS_PER_IDEOGRAPHIC_WORD, LETTERS_PER_UNSPACED_WORD, Letter


def _letters_of(letter: Letter) -> str:
    """The characters of a class as ranges inside the brackets of a regular expression."""
    stretches = re.finditer(b"\\x%02x+" % letter, LETTER_OF)
    return "".join(f"{re.escape(chr(s.start()))}-{re.escape(chr(s.end() - 1))}" for s in stretches)


_IDEOGRAPHS, _UNSPACED = _letters_of(Letter.IDEOGRAPH), _letters_of(Letter.UNSPACED)
_HAS_UNSPACED = re.compile(f"[{_IDEOGRAPHS}{_UNSPACED}]")
_PIECE = re.compile(
    f"[{_IDEOGRAPHS}]{{1,{LETTERS_PER_IDEOGRAPHIC_WORD}}}|[{_UNSPACED}]{{1,{LETTERS_PER_UNSPACED_WORD}}}"
    rf"|[^\s{_IDEOGRAPHS}{_UNSPACED}]+"
)
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_LETTER = re.compile(r"[^\W\d_]")
# The share of pieces above which a text counts as one without spaces; Latin pages name a Chinese word now and then.
_MOSTLY = 0.3


class Tokens:
    """The words, lines and paragraphs of a text, each made when it is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def has_unspaced(self) -> bool:
        """Whether there is any letter of a script without spaces."""
        return not self.text.isascii() and _HAS_UNSPACED.search(self.text) is not None

    @cached_property
    def pieces(self) -> list[str]:
        """Everything between white space, numbers and signs too; unspaced scripts in pieces of a word's length."""
        return _PIECE.findall(self.text) if self.has_unspaced else self.text.split()

    @cached_property
    def words(self) -> int:
        """How many of the pieces hold a letter or a digit."""
        return len(self.pieces) - sum(_LETTER_OR_DIGIT.search(piece) is None for piece in self._unlettered)

    @cached_property
    def lettered(self) -> int:
        """How many of the pieces hold a letter."""
        return len(self.pieces) - len(self._unlettered)

    @cached_property
    def _unlettered(self) -> list[str]:
        # Most pieces are all letters, and of the others most begin with one: both are quickly seen.
        mixed = [piece for piece in self.pieces if not piece.isalpha()]
        return [piece for piece in mixed if not piece[0].isalpha() and _LETTER.search(piece) is None]

    @cached_property
    def is_spaced(self) -> bool:
        """Whether spaces part the words of this text."""
        if not self.has_unspaced:
            return True
        return sum(_HAS_UNSPACED.match(piece) is not None for piece in self.pieces) <= len(self.pieces) * _MOSTLY

    @cached_property
    def lines(self) -> list[str]:
        """The lines that are not blank, without the space around them."""
        return [stripped for line in self.text.split("\n") if (stripped := line.strip())]

    @cached_property
    def paragraphs(self) -> list[str]:
        """What stands between blank lines."""
        return [stripped for part in self.text.split("\n\n") if (stripped := part.strip())]
