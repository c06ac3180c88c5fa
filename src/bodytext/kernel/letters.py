"""The shape of text: classes of characters, and what is counted of a text."""

from enum import IntEnum


class Class(IntEnum):
    """What a character is to the shape of a text."""

    WORD = 0
    DIGIT = 1
    UPPER = 2
    END = 3  # of a sentence
    COMMA = 4
    CURRENCY = 5
    SEPARATOR = 6  # bars, bullets, arrows: what stands between the entries of a menu
    SYMBOL = 7  # all other marks
    SPACE = 8


class Shape(IntEnum):
    """What is counted of a text; the first seven are counts of the classes from DIGIT to SYMBOL."""

    DIGITS = 0
    UPPERS = 1
    ENDS = 2
    COMMAS = 3
    CURRENCIES = 4
    SEPARATORS = 5
    SYMBOLS = 6
    TITLE_WORDS = 7  # words that stand in the page's title too
    DESCRIPTION_WORDS = 8  # words that stand in the page's description too
    TOLD_PAIRS = 9  # pairs of words that stand in what the page tells of itself: description, structured data
    REPEATED = 10  # stretches of four words that stood in the page before
    FINAL = 11  # 1 where the text ends as a sentence does
    TEXT = 12  # a hash of its words


SHAPES = len(Shape)
VOCABULARY = 1 << 16  # slots of the words of title and description, by hash
STRETCHES = 1 << 17  # slots of the stretches of words that a page has had
LEARNT = (1, 6, 4)  # what is learnt of title, description, structured data: title words 1, description words 2, pairs 4
SHORTEST_WORD = 3  # bytes; shorter words stand in any text
LONGEST_NAME = 512  # bytes of a class that are read
LONGEST_REFERENCE = 12  # bytes from "&" to ";"

_SETS: dict[Class, str] = {
    Class.DIGIT: "0123456789٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯０１２３４５６７８９",
    Class.END: ".!?…。！？．｡؟۔।॥।։።‼⁇⁈⁉",
    Class.COMMA: ",;:，、；：،؛፣·",
    Class.CURRENCY: "$€£¥₹₽₩₫₺₴₪฿₦₱₲₵＄￥",
    Class.SEPARATOR: "|/\\•›»‹«→←↑↓▶►▸©®™#@~+=_<>*^▾▼✓✔★☆",
    Class.SPACE: "\t\n\x0b\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000",
}
# First, last and step of the capitals; in the paired alphabets every second letter is one.
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
        table[first : last + 1] = bytes([Class.SYMBOL]) * (last + 1 - first)
    for first, last, step in _CAPITALS:
        table[first : last + 1 : step] = bytes([Class.UPPER]) * len(range(first, last + 1, step))
    table[0xD7] = Class.SYMBOL
    for number, characters in _SETS.items():
        for character in characters:
            table[ord(character)] = number
    table[0x2000:0x200B] = bytes([Class.SPACE]) * 0x0B
    return bytes(table)


CLASS_OF: bytes = _build_table()
