"""The shape of text: the classes of characters, and what is counted in a text."""

from enum import IntEnum


class CharacterClass(IntEnum):
    """What a character is to the shape of a text."""

    WORD = 0
    DIGIT = 1
    UPPER = 2
    END = 3  # of a sentence
    COMMA = 4
    CURRENCY = 5
    SEPARATOR = 6  # bars, bullets, arrows: marks between the entries of a menu
    SYMBOL = 7  # all other marks
    SPACE = 8


class Shape(IntEnum):
    """What is counted in a text; the first seven count the classes from DIGIT to SYMBOL."""

    DIGITS = 0
    UPPERS = 1
    ENDS = 2
    COMMAS = 3
    CURRENCIES = 4
    SEPARATORS = 5
    SYMBOLS = 6
    TITLE_WORDS = 7  # words that are also in the page's title
    DESCRIPTION_WORDS = 8  # words that are also in the page's description
    TOLD_PAIRS = 9  # pairs of words that are also in the page's description or structured data
    REPEATED = 10  # stretches of four words that were in the page before
    FINAL = 11  # 1 where the text ends as a sentence does
    TEXT = 12  # a hash of its words


SHAPES = len(Shape)
VOCABULARY = 1 << 16  # slots for the words of title and description, by hash
STRETCHES = 1 << 17  # slots for the stretches of words that a page has had
TITLE_WORD, DESCRIPTION_WORD, KNOWN_PAIR = 1, 2, 4  # bits of a slot
# What is learnt from title, description and structured data.
LEARNT = (TITLE_WORD, DESCRIPTION_WORD | KNOWN_PAIR, KNOWN_PAIR)
SHORTEST_WORD = 3  # bytes; shorter words are in any text
LONGEST_CLASS = 512  # bytes of a class that are read
LONGEST_REFERENCE = 12  # bytes from "&" to ";"

_SETS: dict[CharacterClass, str] = {
    CharacterClass.DIGIT: "0123456789٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯０１２３４５６７８９",
    CharacterClass.END: ".!?…。！？．｡؟۔।॥।։።‼⁇⁈⁉",
    CharacterClass.COMMA: ",;:，、；：،؛፣·",
    CharacterClass.CURRENCY: "$€£¥₹₽₩₫₺₴₪฿₦₱₲₵＄￥",
    CharacterClass.SEPARATOR: "|/\\•›»‹«→←↑↓▶►▸©®™#@~+=_<>*^▾▼✓✔★☆",
    CharacterClass.SPACE: "\t\n\x0b\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000",
}
# First, last and step of the capitals; in paired alphabets every second letter is one.
_CAPITALS = (
    (0x41, 0x5A, 1), (0xC0, 0xDE, 1), (0x100, 0x136, 2), (0x139, 0x147, 2), (0x14A, 0x176, 2), (0x179, 0x17D, 2),
    (0x1A0, 0x1AF, 2), (0x386, 0x38F, 1), (0x391, 0x3AB, 1), (0x400, 0x42F, 1), (0x460, 0x480, 2), (0x490, 0x4FE, 2),
    (0x531, 0x556, 1), (0x10A0, 0x10C5, 1), (0x1E00, 0x1E94, 2), (0x1EA0, 0x1EFE, 2), (0xFF21, 0xFF3A, 1),
)  # fmt: skip
_SYMBOLS = (
    (0x21, 0x2F),
    (0x3A, 0x40),
    (0x5B, 0x60),
    (0x7B, 0x7E),
    (0xA1, 0xBF),
    (0x2010, 0x205E),
    (0x2190, 0x2BFF),
    (0x3001, 0x3020),
    (0xFF01, 0xFF0F),
    (0xFF1A, 0xFF20),
)


def _build_table() -> bytes:
    table = bytearray(0x10000)
    for first, last in _SYMBOLS:
        table[first : last + 1] = bytes([CharacterClass.SYMBOL]) * (last + 1 - first)
    for first, last, step in _CAPITALS:
        table[first : last + 1 : step] = bytes([CharacterClass.UPPER]) * len(
            range(first, last + 1, step)
        )
    table[0xD7] = CharacterClass.SYMBOL
    for character_class, characters in _SETS.items():
        for character in characters:
            table[ord(character)] = character_class
    table[0x2000:0x200B] = bytes([CharacterClass.SPACE]) * 0x0B
    return bytes(table)


CLASS_OF: bytes = _build_table()
