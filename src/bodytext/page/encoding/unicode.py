"""Recognise UTF-8 and UTF-16, and repair UTF-8."""

import codecs

import numpy as np

from bodytext.kernel import count_sequences
from bodytext.page.encoding.codecs import REPLACEMENT

# A page is damaged UTF-8 if it has at least this many whole sequences for each broken one.
WHOLE_PER_BROKEN = 2

UTF_16_BYTES = 1 << 16
# How many times the ASCII characters of a byte order must outnumber those of the other. Text with
# stray NULs has about as many of both; in UTF-16 only characters such as U+4E00 and U+3000 look
# like the other order: 2.5 % of the Chinese and 0.4 % of the Japanese texts of the tests and
# benchmarks.
UTF_16_LEAD = 4

_IS_ASCII_TEXT = np.array([byte in b"\t\n\r" or 0x20 <= byte <= 0x7E for byte in range(256)])


def repair_utf_8(data: bytes) -> bytes | None:
    """Return UTF-8 with its broken sequences replaced, or None if too much is broken."""
    text, used = codecs.utf_8_decode(data, "replace", False)
    broken = text.count(REPLACEMENT) - data.count(b"\xef\xbf\xbd")
    source = text.encode("utf-8")
    whole = count_sequences(source) - broken
    if whole < max(1, broken * WHOLE_PER_BROKEN):
        return None
    return source if used == len(data) else source + REPLACEMENT.encode()


def to_utf_8(text: str) -> bytes:
    """Return text as UTF-8, surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return (
            text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")
        )


def utf_16_order(data: bytes) -> str | None:
    """Return "utf-16le" or "utf-16be" if NULs are the upper halves of characters, else None.

    Markup is evidence enough in a page of any script: the page begins with four ASCII characters
    ("<htm", "<!DO"), or a fifth of all its characters are ASCII, clearly more than in the other
    byte order and more than there are pairs of bytes that are both ASCII. Text of one-byte
    encodings with stray NULs is made of such pairs.
    """
    if data.find(b"\0", 0, UTF_16_BYTES) < 0:
        return None
    sample = np.frombuffer(data, np.uint8, count=min(len(data), UTF_16_BYTES) // 2 * 2)
    even, odd = sample[0::2], sample[1::2]
    little = (odd == 0) & _IS_ASCII_TEXT[even]
    big = (even == 0) & _IS_ASCII_TEXT[odd]
    for order, is_ascii in (("utf-16le", little), ("utf-16be", big)):
        if len(is_ascii) >= 4 and is_ascii[:4].all():
            return order
    fewer, more = sorted((int(np.count_nonzero(little)), int(np.count_nonzero(big))))
    one_byte_pairs = int(np.count_nonzero(_IS_ASCII_TEXT[even] & _IS_ASCII_TEXT[odd]))
    if more * 5 <= len(even) or more < fewer * UTF_16_LEAD or more <= one_byte_pairs:
        return None
    return "utf-16le" if np.count_nonzero(little) == more else "utf-16be"
