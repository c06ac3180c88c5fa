"""Count words, in any script and for the whole package, by one rule.

A word is a stretch between white space that has a letter or a digit. Scripts without spaces between
words are counted by characters: two of Han, kana or Yi make a word, and four of Thai, Lao, Khmer,
Burmese, Tibetan or Javanese. These are rounded means of word lengths in running text. Punctuation
and symbols alone are no words. Invisible characters (joiners, soft hyphens, marks of direction) do
not count at all.
"""

import re
from enum import IntEnum
from functools import cache

LETTERS_PER_IDEOGRAPHIC_WORD = 2
LETTERS_PER_UNSPACED_WORD = 4


class Letter(IntEnum):
    """The class of a character under the word rule."""

    WORD = 0
    SPACE = 1
    SYMBOL = 2
    IDEOGRAPH = 3
    UNSPACED = 4
    INVISIBLE = 5


# First and last code point of each range, by class; all others are WORD. Later ranges win.
_RANGES: tuple[tuple[Letter, tuple[tuple[int, int], ...]], ...] = (
    (
        Letter.SYMBOL,
        (
            (0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E), (0xA1, 0xA9), (0xAB, 0xB1), (0xB4, 0xB4),
            (0xB6, 0xB8), (0xBB, 0xBB), (0xBF, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7), (0x37E, 0x37E), (0x387, 0x387),
            (0x55A, 0x55F), (0x589, 0x58A), (0x5BE, 0x5BE), (0x5C0, 0x5C0), (0x5C3, 0x5C3), (0x5F3, 0x5F4),
            (0x60C, 0x60D), (0x61B, 0x61B), (0x61E, 0x61F), (0x66A, 0x66D), (0x6D4, 0x6D4), (0x964, 0x965),
            (0x970, 0x970), (0xE3F, 0xE3F), (0xE4F, 0xE4F), (0xE5A, 0xE5B), (0x104A, 0x104F), (0x17D4, 0x17DB),
            (0xF01, 0xF14), (0xF3A, 0xF3D), (0x1360, 0x1368), (0x2116, 0x2118), (0x211E, 0x2123),
            (0x2010, 0x205E), (0x207A, 0x207E), (0x208A, 0x208E), (0x20A0, 0x20CF), (0x2100, 0x2101), (0x2190, 0x245F),
            (0x2500, 0x2BFF), (0x2E00, 0x2E7F), (0x3001, 0x3004), (0x3008, 0x3020), (0x3030, 0x3030), (0x303D, 0x303F),
            (0x30A0, 0x30A0), (0x30FB, 0x30FB), (0xE000, 0xF8FF), (0xFD3E, 0xFD3F), (0xFE10, 0xFE1F), (0xFE30, 0xFE6F),
            (0xFF01, 0xFF0F), (0xFF1A, 0xFF20), (0xFF3B, 0xFF40), (0xFF5B, 0xFF65), (0xFFFC, 0xFFFD),
            (0x1F000, 0x1FAFF),
        ),
    ),
    (
        Letter.IDEOGRAPH,
        (
            (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x303C), (0x3041, 0x309F), (0x30A1, 0x30FA),
            (0x30FC, 0x30FF), (0x3105, 0x312F), (0x31A0, 0x31FF), (0x3400, 0x4DBF), (0xA000, 0xA48C), (0x4E00, 0x9FFF),
            (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x20000, 0x3FFFF),
        ),
    ),
    (
        Letter.UNSPACED,
        (
            (0xE01, 0xE3A), (0xE40, 0xE4E), (0xE81, 0xEDF), (0x1000, 0x103F), (0x1050, 0x109F), (0x1780, 0x17D3),
            (0xF40, 0xFBC), (0xA980, 0xA9C0),
            (0x17DC, 0x17DD), (0x19E0, 0x19FF), (0xA9E0, 0xA9FE), (0xAA60, 0xAA7F),
        ),
    ),
    (
        Letter.INVISIBLE,
        (
            (0x00, 0x08), (0x0E, 0x1B), (0x7F, 0x84), (0x86, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C),
            (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F),
            (0xFEFF, 0xFEFF), (0xFFF0, 0xFFFB),
        ),
    ),
    (
        Letter.SPACE,
        (
            (0x09, 0x0D), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
            (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
        ),
    ),
)  # fmt: skip

MOST_COUNTED = 4_000  # bytes of a hidden text whose words are counted; more may be any number
TABLE_SIZE = 0x40000  # planes 0 to 3; all beyond (private use, tags) is INVISIBLE


def _build_table() -> bytes:
    table = bytearray(TABLE_SIZE)
    for letter, ranges in _RANGES:
        for first, last in ranges:
            table[first : last + 1] = bytes([letter]) * (last + 1 - first)
    return bytes(table)


LETTER_OF: bytes = _build_table()

_ASCII_WORD = re.compile(r"[0-9A-Za-z]\S*")
_ASCII_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")


def measure(text: str) -> tuple[int, int, int]:
    """Count the words, characters and UTF-8 bytes of a text.

    White space is folded, and invisible characters do not count.

    >>> measure("  Hello,  world - don't!  ")
    (3, 21, 21)
    >>> measure("你好，世界")
    (2, 5, 15)
    """
    if text.isascii() and not _ASCII_INVISIBLE.search(text):
        chars = len(" ".join(text.split()))
        return len(_ASCII_WORD.findall(text)), chars, chars
    word, ideographs, unspaced, invisible = _patterns()
    words = len(word.findall(text))
    words -= -sum(map(len, ideographs.findall(text))) // LETTERS_PER_IDEOGRAPHIC_WORD
    words -= -sum(map(len, unspaced.findall(text))) // LETTERS_PER_UNSPACED_WORD
    seen = " ".join(invisible.sub("", text).split())
    return words, len(seen), len(seen.encode("utf-8", "surrogatepass"))


@cache  # compiled when a text needs them: that takes some milliseconds
def _patterns() -> tuple[re.Pattern[str], ...]:
    """A word between spaces; ideographs; unspaced letters; what is invisible."""
    return (
        re.compile(
            f"[{class_of(Letter.WORD)}]"
            f"[^{class_of(Letter.SPACE, Letter.IDEOGRAPH, Letter.UNSPACED)}]*"
        ),
        re.compile(f"[{class_of(Letter.IDEOGRAPH)}]+"),
        re.compile(f"[{class_of(Letter.UNSPACED)}]+"),
        re.compile(f"[{class_of(Letter.INVISIBLE)}\\U{TABLE_SIZE:08x}-\\U0010ffff]+"),
    )


def class_of(*letters: Letter) -> str:
    """Return the characters of some classes, as the inside of a regular expression's set."""
    runs = re.finditer(b"[%s]+" % re.escape(bytes(letters)), LETTER_OF)
    return "".join(f"\\U{run.start():08x}-\\U{run.end() - 1:08x}" for run in runs)
