"""Decode bytes by the WHATWG name of their encoding: Python's codecs, amended."""

import codecs
from functools import cache

import numpy as np
from numpy.typing import NDArray

REPLACEMENT = "\ufffd"

# Python knows most of these by the standard's names.
_OTHER_NAMES = {
    "iso-8859-8-i": "iso-8859-8",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
}
_SINGLE_BYTE = """
    ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i
    iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874
    windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256
    windows-1257 windows-1258 x-mac-cyrillic
"""
SINGLE_BYTE_CODECS = {name: _OTHER_NAMES.get(name, name) for name in _SINGLE_BYTE.split()}
MULTI_BYTE_CODECS = {
    "utf-8": "utf-8",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "euc-jp": "euc_jp",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
}

# Where the standard's tables differ from Python's codecs of the same name.
_AMENDMENTS = {
    "windows-1255": {0xCA: "\u05ba"},
    "koi8-u": {0xAE: "\u045e", 0xBE: "\u040e"},
    "x-mac-cyrillic": {0xA2: "\u0490", 0xB6: "\u0491", 0xFF: "\u20ac"},
}
# Characters that the standard has in place of those of Python's codec.
_CORRECTIONS = {
    "big5": tuple(zip("•､‾∼♁☉¥¢£", "‧﹑¯～⊕⊙￥￠￡", strict=True)),
    # JIS X 0208, read as Windows does.
    "euc-jp": tuple(
        zip(
            "\u301c\u2016\u2212\u00a2\u00a3\u00ac",
            "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2",
            strict=True,
        )
    ),
    # Characters that had no code point of their own when the codec was made.
    "gb18030": tuple(
        zip(
            "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7"
            "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
            "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f"
            "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
            strict=True,
        )
    ),
    "shift_jis": tuple((character, REPLACEMENT) for character in "\uf8f0\uf8f1\uf8f2\uf8f3"),
}
_CORRECTIONS["gbk"] = _CORRECTIONS["gb18030"]

_JAPANESE_ESCAPES = (b"\x1b$@", b"\x1b$B", b"\x1b(B", b"\x1b(I", b"\x1b(J")
_ASCII, _TWO_BYTES, _KATAKANA = range(3)
# What each byte of ISO-2022-JP is in EUC-JP, by mode; 0xFF is in neither.
_EUC_JP_BYTES = {
    _ASCII: bytes(byte if byte < 0x80 else 0xFF for byte in range(256)),
    _TWO_BYTES: bytes(byte | 0x80 if 0x20 < byte < 0x7F else byte for byte in range(256)),
    _KATAKANA: bytes([*range(0x21), *range(0xA1, 0xE0), *(0xFF,) * (256 - 0x60)]),
}


@cache
def byte_table(encoding: str) -> str:
    """Return the 256 characters of a single-byte encoding; C1 controls or U+FFFD if unassigned."""
    codec = SINGLE_BYTE_CODECS[encoding]
    table = [bytes([byte]).decode(codec, "replace") for byte in range(256)]
    for byte in range(0x80, 0xA0):
        if table[byte] == REPLACEMENT:
            table[byte] = chr(byte)
    for byte, character in _AMENDMENTS.get(encoding, {}).items():
        table[byte] = character
    return "".join(table)


def read(data: bytes, encoding: str) -> str:
    """Return `data` decoded as `encoding`, with U+FFFD for bytes that are invalid in it."""
    if encoding in SINGLE_BYTE_CODECS:
        text = codecs.charmap_decode(data, "strict", byte_table(encoding))[0]
        return _compose(text) if encoding == "windows-1258" else text
    if encoding == "iso-2022-jp":
        # An ESC that is left is not a character of the page.
        return read(_spell_as_euc_jp(data), "euc-jp").replace("\x1b", "")
    if encoding == "euc-jp":
        data = data.replace(b"\x8f\xa2\xb7", b"\xa1\xc1")  # the same tilde, written longer
    codec = MULTI_BYTE_CODECS[encoding]
    text = data.decode(codec, "replace")
    if encoding in _HAS_WINDOWS_CHARACTERS and 0 < text.count(REPLACEMENT) <= max(
        100, len(text) // 20
    ):
        # A second, slower reading for a few special characters; a page full of errors does not get
        # it.
        text = data.decode(codec, "bodytext.windows")
    for wrong, right in _CORRECTIONS.get(encoding, ()):
        text = text.replace(wrong, right)
    return text.removeprefix("\ufeff")


def _compose(text: str) -> str:
    """Return a text with letters and their marks as one character."""
    import unicodedata

    return unicodedata.normalize("NFC", text)


def has_japanese_escape(data: bytes) -> bool:
    """Return whether an escape of ISO-2022-JP is in the page."""
    return b"\x1b" in data and any(escape in data for escape in _JAPANESE_ESCAPES)


def _spell_as_euc_jp(data: bytes) -> bytes:
    """Return 7-bit Japanese as EUC-JP.

    That has the same characters with the high bit set, and katakana after a 0x8E. Works on the page
    as a whole, as escapes may be a third of its bytes. An ESC is left of each escape, to separate
    the halves of broken characters.
    """
    page = np.frombuffer(data, np.uint8)
    starts = _escape_starts(page)
    modes = _modes(page, starts)
    spelt = np.full((len(page), 2), 0x8E, np.uint8)
    for mode, table in _EUC_JP_BYTES.items():
        np.copyto(spelt[:, 1], np.frombuffer(data.translate(table), np.uint8), where=modes == mode)
    kept = np.ones((len(page), 2), np.bool_)
    kept[1:, 1] ^= starts[:-1]
    kept[2:, 1] ^= starts[:-2]
    kept[:, 0] = (modes == _KATAKANA) & kept[:, 1] & (page > 0x20) & (page < 0x60)
    return spelt[kept].tobytes()


def _escape_starts(page: NDArray[np.uint8]) -> NDArray[np.bool_]:
    second, third = page[1:-1], page[2:]
    two_bytes = (second == ord("$")) & ((third == ord("@")) | (third == ord("B")))
    one_byte = (second == ord("(")) & (
        (third == ord("B")) | (third == ord("I")) | (third == ord("J"))
    )
    starts = np.zeros(len(page), np.bool_)
    starts[:-2] = (page[:-2] == ord("\x1b")) & (two_bytes | one_byte)
    return starts


def _modes(page: NDArray[np.uint8], starts: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return the mode that each byte is in: that of the last escape, in the beginning ASCII."""
    seconds, thirds = page[1:][starts[:-1]], page[2:][starts[:-2]]
    modes = np.full(len(seconds) + 1, _ASCII, np.uint8)
    modes[1:][seconds == ord("$")] = _TWO_BYTES
    modes[1:][thirds == ord("I")] = _KATAKANA
    return np.repeat(modes, np.diff(np.concatenate(([0], np.flatnonzero(starts), [len(page)]))))


def _supply_windows_character(error: UnicodeError) -> tuple[str, int]:
    """Return the character of the standard if Python's codec finds none, and the position after it.

    EUC-JP has the NEC and IBM extensions of Windows (circled digits, names), found through
    Shift_JIS; GBK has the euro sign at 0x80; Big5 has later characters of Hong Kong.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    start = error.start
    lead, trail = (*error.object[start : start + 2], 0)[:2]
    if error.encoding == "euc_jp" and 0xA1 <= lead <= 0xFE and 0xA1 <= trail <= 0xFE:
        character = _shift_jis_bytes(lead - 0xA0, trail - 0xA0).decode("cp932", "replace")
        if len(character) == 1:
            return character, start + 2
    if error.encoding == "gb18030" and lead == 0x80:
        return "\u20ac", start + 1
    if error.encoding == "big5hkscs":
        from bodytext.page.encoding.big5_additions import find_additions

        character = find_additions().get(bytes((lead, trail)), "")
        if character:
            return character, start + 2
    return REPLACEMENT, start + 1


def _shift_jis_bytes(row: int, cell: int) -> bytes:
    """Return the Shift_JIS bytes of a row and cell of JIS X 0208, both counted from one."""
    lead = (row + 1) // 2 + (0x80 if row <= 62 else 0xC0)
    if row % 2 == 0:
        return bytes([lead, cell + 0x9E])
    return bytes([lead, cell + (0x3F if cell <= 63 else 0x40)])


_HAS_WINDOWS_CHARACTERS = {"big5", "euc-jp", "gbk", "gb18030"}
codecs.register_error("bodytext.windows", _supply_windows_character)
