"""Find the terms of a text in any script, by which sentences and articles are compared.

A term is a word in lower case and composed (NFKC), with letters as `bodytext.kernel.words` defines
them; apostrophes and hyphens separate words. In scripts without spaces, a term is any two adjacent
characters of Han, a run of katakana, or any four adjacent characters of Thai, Lao, Khmer, Burmese
or Tibetan, so that terms match wherever words begin. Hiragana alone (Japanese endings and
particles) is not a term.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from bodytext.kernel.words import (
    LETTERS_PER_IDEOGRAPHIC_WORD,
    LETTERS_PER_UNSPACED_WORD,
    Letter,
    class_of,
)

_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"
LONGEST_TERM = 40  # letters; a longer one is an address or garbage, and is cut
MOST_LETTERS = 100_000  # of a text that are analysed: far more than an article has


class Term(NamedTuple):
    """A term and its position."""

    name: str
    start: int
    end: int
    # With a capital, in katakana, or a number: likely to be the same in other languages.
    is_name: bool = False


def find_terms(text: str, start: int = 0, end: int | None = None) -> list[Term]:
    """Find the terms of a text, or of a part of it, in order."""
    terms: list[Term] = []
    stop = min(len(text) if end is None else end, start + MOST_LETTERS)
    for word in _words().finditer(text, start, stop):
        if word.lastgroup == "word":
            terms.append(_read_word(word[0], word.start(), word.end()))
        elif word.lastgroup == "katakana":
            terms.append(Term(fold(word[0]), word.start(), word.end(), is_name=True))
        else:
            size = (
                LETTERS_PER_IDEOGRAPHIC_WORD
                if word.lastgroup == "han"
                else LETTERS_PER_UNSPACED_WORD
            )
            terms += _cut(word[0], word.start(), size)
    return [term for term in terms if term.name]


def fold(word: str) -> str:
    """Normalise a word for comparison: composed, in lower case, without invisible characters."""
    if word.isascii() and word.isalnum():
        return word.lower()[:LONGEST_TERM]
    folded = unicodedata.normalize("NFKC", word).lower()
    return "".join(letter for letter in folded if unicodedata.category(letter)[0] != "C")[
        :LONGEST_TERM
    ]


def _read_word(word: str, start: int, end: int) -> Term:
    return Term(fold(word), start, end, is_name=word[0].isupper() or word[0].isdigit())


def _cut(run: str, start: int, size: int) -> list[Term]:
    """Cut a run of characters into overlapping terms."""
    if len(run) <= size:
        return [Term(fold(run), start, start + len(run))]
    return [
        Term(run[i : i + size], start + i, start + i + size) for i in range(len(run) - size + 1)
    ]


@cache
def _words() -> re.Pattern[str]:
    word, ideographs, unspaced = (
        class_of(letter) for letter in (Letter.WORD, Letter.IDEOGRAPH, Letter.UNSPACED)
    )
    invisible = class_of(Letter.INVISIBLE)
    return re.compile(
        f"(?P<word>[{word}][{word}{invisible}]*)"
        f"|(?P<katakana>[{_KATAKANA}]{{2,}})"
        f"|(?P<han>(?:(?![{_HIRAGANA}{_KATAKANA}])[{ideographs}])+)"
        f"|(?P<unspaced>[{unspaced}]+)"
    )
