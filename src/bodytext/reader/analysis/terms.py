"""A text in, its terms out, in any script: what frequencies are counted of and sentences and articles compared by.

A term is a word as `bodytext.kernel.words` tells letters apart, in small letters and composed (NFKC); apostrophes and hyphens
part words. Where words are written without spaces, a term is two characters of Han in a row, a stretch of katakana, or
four characters of Thai, Lao, Khmer, Burmese or Tibetan in a row: every two and every four, so that terms meet wherever
words begin. Hiragana alone, Japanese endings and particles, is no term.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from bodytext.kernel.words import LETTER_OF, LETTERS_PER_IDEOGRAPHIC_WORD, LETTERS_PER_UNSPACED_WORD, Letter

_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"
LONGEST_TERM = 40  # letters; what is longer is an address or rubbish, and is cut
MOST_LETTERS = 100_000  # of a text that are looked at: a book's length, far more than an article's


class Term(NamedTuple):
    """A term and where it stands."""

    name: str
    start: int
    end: int
    is_name: bool = False  # written with a capital, or in katakana, or a number: the same in other languages


def find_terms(text: str, start: int = 0, end: int | None = None) -> list[Term]:
    """The terms of a text, or of a part of it, in order."""
    found: list[Term] = []
    stop = min(len(text) if end is None else end, start + MOST_LETTERS)
    for word in _words().finditer(text, start, stop):
        if word.lastgroup == "word":
            found.append(_read_word(word[0], word.start(), word.end()))
        elif word.lastgroup == "katakana":
            found.append(Term(fold(word[0]), word.start(), word.end(), is_name=True))
        else:
            size = LETTERS_PER_IDEOGRAPHIC_WORD if word.lastgroup == "han" else LETTERS_PER_UNSPACED_WORD
            found += _cut(word[0], word.start(), size)
    return [term for term in found if term.name]


def fold(word: str) -> str:
    """A word as terms are compared: composed, in small letters, without invisible characters."""
    if word.isascii() and word.isalnum():
        return word.lower()[:LONGEST_TERM]
    folded = unicodedata.normalize("NFKC", word).lower()
    return "".join(letter for letter in folded if unicodedata.category(letter)[0] != "C")[:LONGEST_TERM]


def _read_word(word: str, start: int, end: int) -> Term:
    return Term(fold(word), start, end, is_name=word[0].isupper() or word[0].isdigit())


def _cut(run: str, start: int, size: int) -> list[Term]:
    if len(run) <= size:
        return [Term(fold(run), start, start + len(run))]
    return [Term(run[at : at + size], start + at, start + at + size) for at in range(len(run) - size + 1)]


@cache
def _words() -> re.Pattern[str]:
    word, ideographs, unspaced = (_class_of(letter) for letter in (Letter.WORD, Letter.IDEOGRAPH, Letter.UNSPACED))
    invisible = _class_of(Letter.INVISIBLE)
    return re.compile(
        f"(?P<word>[{word}][{word}{invisible}]*)"
        f"|(?P<katakana>[{_KATAKANA}]{{2,}})"
        f"|(?P<han>(?:(?![{_HIRAGANA}{_KATAKANA}])[{ideographs}])+)"
        f"|(?P<unspaced>[{unspaced}]+)"
    )


def _class_of(letter: Letter) -> str:
    """The characters of a class under the word rule, as the inside of a regular expression's set."""
    runs = re.finditer(re.escape(bytes([letter])) + b"+", LETTER_OF)
    return "".join(f"\\U{run.start():08x}-\\U{run.end() - 1:08x}" for run in runs)
