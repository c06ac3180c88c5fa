"""Decode Vietnamese in an encoding older than Unicode that is shown as Western letters.

Such pages looked right in special fonts. TCVN3 (ABC) shows Việt Nam as "ViÖt Nam", VNI as "Vieät
Nam", VPS as "ViŒt Nam", VISCII as "Vi®t Nam". Decoded as windows-1252, windows-1258 shows "Viêòt
Nam" and UTF-8 "Viá»‡t Nam". A text is converted only if the result is clearly Vietnamese and nearly
every word with a mark is a Vietnamese syllable. No text in another language comes near that. VIQR
is left alone: its marks are full stops, question marks and brackets.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from bodytext.corpus.stages.vietnamese.misread_utf8 import read_misread_utf8
from bodytext.corpus.stages.vietnamese.syllables import (
    MARKS,
    is_vietnamese,
    is_written,
    marked_letters,
    plain_syllables,
)
from bodytext.page.encoding.codecs import byte_table

# Characters for the bytes from 0xA1: TCVN 5712:1993, VN3, as in the ABC fonts; "." for no
# character.
_TCVN3 = (
    "ĂÂÊÔƠƯĐăâêôơưđ......àảãáạ.ằẳẵắ.......ặầẩẫấậè.ẻẽéẹềểễếệìỉ...ĩíịò.ỏõóọồổỗốộờởỡớợù.ủũúụừửữứựỳỷỹýỵ."
)  # fmt: skip
# Characters for the bytes from 0x80: RFC 1456 (VISCII 1.1), and the encoding of the Vietnamese
# Professionals Society.
_VISCII = (
    "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲÕắằặấầẩậẽẹếềểễệốồổỗỠƠộờởịỰỨỪỬơớƯ"
    "ÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳĐứÒÓÔạỷừửÙÚỹỵÝỡưàáâãảăữẫèéêẻìíĩỉđựòóôõỏọụùúũủýợỮ"
)
_VPS = (
    "ÀẢÃẤẦẨọỗĂếềểệẮẰẲẾ..ỀỂỄỐỒỔ.ýỷỵỚỜỞ.ắằẳẵặỠớÙờởỡŨỨợỪổỬỲỸÍÌộỈĨÓửữÒỎÕự"
    "ầÁÂấẩẫậđẻÉÊẹỉễịỹƯỦồốÔỏơÈừứÚũưÝẺ.àáâãảạă.èéêẽìí.ĩẴĐòóôõ.Ơụùúủ.ỶẼỳ"
)
# VNI writes a vowel, then a character for its marks; i, ỵ, ơ, ư and đ have characters of their own.
_VNI_MARKS = {
    "aeouyôö": {"ø": "\u0300", "ù": "\u0301", "õ": "\u0303", "û": "\u0309", "ï": "\u0323"},
    "aeo": {
        "â": "\u0302", "à": "\u0302\u0300", "á": "\u0302\u0301", "ã": "\u0302\u0303", "å": "\u0302\u0309",
        "ä": "\u0302\u0323",
    },
    "a": {
        "ê": "\u0306", "è": "\u0306\u0300", "é": "\u0306\u0301", "ü": "\u0306\u0303", "ú": "\u0306\u0309",
        "ë": "\u0306\u0323",
    },
}  # fmt: skip
_VNI_LETTERS = {
    "ì": "ì",
    "í": "í",
    "æ": "ỉ",
    "ó": "ĩ",
    "ò": "ị",
    "î": "ỵ",
    "ô": "ơ",
    "ö": "ư",
    "ñ": "đ",
}

# The encodings for which a decoder mistakes such bytes; windows-1252 also represents Latin-1, which
# differs in symbols.
_SHOWN_AS = (
    "windows-1252",
    "windows-1258",
    "windows-1250",
    "iso-8859-2",
    "iso-8859-15",
    "windows-1254",
)

# In Western European text at most an eighth of the letters are not ASCII (Icelandic), in French a
# twentieth. In Vietnamese in these encodings it is a fifth or more.
_LEAST_FOREIGN = 0.08
_SAMPLE = 400  # characters from the middle, about ninety words: enough, and fast
_BEGINNING = 3000  # characters whose words without marks are checked first
_LEAST_PLAIN = 0.5  # of the words without marks must be syllables; English names are not
_CLUE = 25  # words with marks for a first check
_LEAST_LIKELY = 0.7  # of these words must be syllables for a second check
_LEAST_WORDS = 8  # with marks; fewer are no evidence
# Of the words with marks; the others are misspelt or foreign. No decoding of 500 characters of any
# of the 500 translations of the Universal Declaration of Human Rights reached more than 0.6.
_LEAST_SYLLABLES = 0.8
_FOREIGN = re.compile("[\x80-\u024f\u0300-\u0323\u1ea0-\u1ef9]")
_MARKED_WORD = re.compile(r"(?<![^\W\d_])[a-zA-Z]*+[^\W\d_\x00-\x7f][^\W\d_]*+")
_WORD = re.compile(r"[^\W\d_]+")


class Encoding(NamedTuple):
    """An encoding, with a function that converts a text shown as windows-1252 or Latin-1."""

    name: str
    convert: Callable[[str], str]


class Decoding(NamedTuple):
    """How to decode a text: what its bytes were shown as, and the encoding they are in."""

    shown_as: str
    encoding: Encoding

    def read(self, text: str) -> str:
        """Decode a text, except for lines that are Vietnamese already."""
        return "\n".join(map(self._read_line, text.split("\n")))

    def _read_line(self, line: str) -> str:
        if line.isascii() or not _unshowable(self.shown_as).isdisjoint(line):
            return line
        converted = self.convert(line)
        return line if _count_syllables(line) > _count_syllables(converted) else converted

    def convert(self, text: str) -> str:
        """Decode the whole text."""
        return self.encoding.convert(_show_western(text, self.shown_as))


def find_decoding(text: str) -> Decoding | None:
    """Find how to decode a text if some of its lines are Vietnamese in an old encoding."""
    if not text.isascii() and _has_unicode_letters(text):
        lines = text.split("\n")
        others = list(filter(_unshowable("windows-1252").isdisjoint, lines))
        decoding = _find_decoding("\n".join(others))
        if decoding is not None:
            rest = "\n".join(
                line for line in lines if not _unshowable("windows-1252").isdisjoint(line)
            )
            if _share_of_syllables(rest) >= _LEAST_SYLLABLES:
                return decoding
    return _find_decoding(text)


def _has_unicode_letters(text: str) -> bool:
    """Whether a text has letters from U+1E80 to U+1EFF, as Vietnamese in Unicode has."""
    data = text.encode("utf-8", "surrogatepass")
    return b"\xe1\xba" in data or b"\xe1\xbb" in data


def _find_decoding(text: str) -> Decoding | None:
    sample = _take_sample(text)
    if not _needs_decoding(sample, text):
        return None
    scored = [(_score(decoding, text, sample), decoding) for decoding in _list_likely(sample)]
    best, decoding = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return decoding if best >= _LEAST_SYLLABLES else None


def _needs_decoding(sample: str, text: str) -> bool:
    """Whether a text has many foreign letters, but not those of Vietnamese in Unicode."""
    if sample.isascii() or len(_FOREIGN.findall(sample)) < _LEAST_FOREIGN * len(sample):
        return False
    return _share_of_syllables(sample) < _LEAST_SYLLABLES and _may_be_vietnamese(text[:_BEGINNING])


def _list_likely(sample: str) -> Iterator[Decoding]:
    """The decodings that make syllables of the first words with marks."""
    # Only the plain space separates words here: a character that looks like another space can be
    # half of a letter.
    clue = " ".join([word for word in sample.split(" ") if not word.isascii()][:_CLUE])
    for shown_as in _SHOWN_AS:
        if not _share_of_misfits(clue, shown_as):
            for encoding in _encodings():
                decoding = Decoding(shown_as, encoding)
                if _share_of_syllables(decoding.convert(clue)) >= _LEAST_LIKELY:
                    yield decoding


def _may_be_vietnamese(text: str) -> bool:
    """Whether the words without marks could be Vietnamese: they are the same in every encoding."""
    plain = [word for word in text.lower().split(" ") if word.isascii() and word.isalpha()]
    syllables = plain_syllables()
    return len(plain) < _LEAST_WORDS or sum(
        word in syllables for word in plain
    ) >= _LEAST_PLAIN * len(plain)


def _score(decoding: Decoding, text: str, sample: str) -> float:
    """The share of syllables in the decoded sample, less the share that cannot be decoded."""
    return _share_of_syllables(decoding.convert(sample)) - _share_of_misfits(
        text, decoding.shown_as
    )


def _share_of_misfits(text: str, shown_as: str) -> float:
    """The share of letters outside ASCII that an encoding cannot have shown."""
    foreign = _FOREIGN.findall(_separate_tones(text, shown_as))
    return sum(ord(letter) not in _bytes_shown(shown_as) for letter in foreign) / max(
        1, len(foreign)
    )


def _take_sample(text: str) -> str:
    """Whole words from the middle of a text."""
    start = max(0, (len(text) - _SAMPLE) // 2)
    space = text.find(" ", start, start + _SAMPLE) if start else -1
    sample = text[max(space, start) : start + _SAMPLE]
    return sample if len(text) <= _SAMPLE else sample.rpartition(" ")[0]


def _share_of_syllables(text: str) -> float:
    """The share of words with marks that are syllables; 0 if the text is not Vietnamese."""
    if not is_vietnamese(text):
        return 0.0
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    # Capitals matter: VPS decoded as VISCII has "tiẾn" for "tiền".
    return sum(map(is_written, words)) / len(words) if len(words) >= _LEAST_WORDS else 0.0


def _count_syllables(text: str) -> int:
    """The number of words with marks that are syllables."""
    return sum(not word.isascii() and is_written(word) for word in _WORD.findall(text))


@cache
def _unshowable(shown_as: str) -> frozenset[str]:
    """The Vietnamese letters that an encoding cannot have shown."""
    return frozenset(letter for letter in marked_letters() if _share_of_misfits(letter, shown_as))


@cache
def _encodings() -> tuple[Encoding, ...]:
    tcvn3 = _byte_table(_TCVN3, 0xA1)
    viscii = _byte_table(_VISCII, 0x80) | dict(
        zip((0x02, 0x05, 0x06, 0x14, 0x19, 0x1E), "ẲẴẪỶỸỴ", strict=True)
    )
    vps = _byte_table(_VPS, 0x80)
    windows = _byte_table(
        bytes(range(0x80, 0x100)).decode("windows-1258", "replace").replace("\ufffd", "."), 0x80
    )
    vni, pattern = _vni_table()
    return (
        Encoding("TCVN3", lambda text: _raise_case(text, text.translate(tcvn3))),
        Encoding("VNI", lambda text: pattern.sub(lambda match: vni[match[0]], text)),
        Encoding("VISCII", lambda text: text.translate(viscii)),
        Encoding("VPS", lambda text: text.translate(vps)),
        Encoding(
            "windows-1258", lambda text: unicodedata.normalize("NFC", text.translate(windows))
        ),
        Encoding("UTF-8 read as windows-1252", read_misread_utf8),
    )


def _byte_table(characters: str, first: int) -> dict[int, str]:
    """The character that was meant, for both ways in which a Western decoder shows a byte."""
    western = _bytes_shown("windows-1252").items()
    return {
        shown: characters[byte - first]
        for shown, byte in western
        if byte >= first and characters[byte - first] != "."
    }


def _show_western(text: str, shown_as: str) -> str:
    """Show a text as windows-1252 would have shown its bytes, as far as possible."""
    return (
        text
        if shown_as == "windows-1252"
        else _separate_tones(text, shown_as).translate(_western_of(shown_as))
    )


@cache
def _western_of(shown_as: str) -> dict[int, str]:
    """What windows-1252 shows where another encoding shows a character."""
    return {
        shown: byte_table("windows-1252")[byte] for shown, byte in _bytes_shown(shown_as).items()
    }


def _separate_tones(text: str, shown_as: str) -> str:
    """Separate letters and tones as windows-1258 writes them; other encodings have no tones."""
    if shown_as != "windows-1258":
        return text
    # VNI's "đị": the mark of the second byte was put before that of the first.
    text = text.replace("ṇ\u0303", "ñ\u0323").replace("Ṇ\u0303", "Ñ\u0323")
    return "".join(map(_separate_tone, text))


def _separate_tone(letter: str) -> str:
    """A letter as windows-1258 writes it: with a separate tone, unless both are one byte."""
    if letter.isascii() or ord(letter) in _bytes_shown("windows-1258"):
        return letter
    parts = unicodedata.normalize("NFD", letter)
    mark = next((part for part in parts if part in MARKS), "")
    return unicodedata.normalize("NFC", parts.replace(mark, "", 1)) + mark if mark else letter


@cache
def _bytes_shown(shown_as: str) -> dict[int, int]:
    """The byte of each character that an encoding shows; windows-1252 includes Latin-1."""
    table = {byte: byte for byte in range(0x80, 0x100)} if shown_as == "windows-1252" else {}
    for byte in range(0x80, 0x100):
        shown = bytes([byte]).decode(shown_as, "replace")
        table[byte if shown == "\ufffd" else ord(shown)] = byte
    return table


def _raise_case(shown: str, text: str) -> str:
    """Restore capitals: TCVN3 writes words in capitals with another font."""
    if len(shown) != len(text):
        return text
    return _MARKED_WORD.sub(
        lambda match: match[0].upper() if _is_capital(match[0]) else match[0], text
    )


def _is_capital(word: str) -> bool:
    ascii_letters = [letter for letter in word if letter.isascii()]
    return len(ascii_letters) > 1 and all(letter.isupper() for letter in ascii_letters)


def _vni_table() -> tuple[dict[str, str], re.Pattern[str]]:
    table = dict(_VNI_LETTERS)
    for vowels, marks in _VNI_MARKS.items():
        for vowel in vowels:
            for shown, mark in marks.items():
                table[vowel + shown] = unicodedata.normalize(
                    "NFC", _VNI_LETTERS.get(vowel, vowel) + mark
                )
    table |= {key.upper(): letter.upper() for key, letter in table.items()}
    table |= {key[0].upper() + key[1:]: letter.upper() for key, letter in table.items()}
    longest_first = sorted(table, key=len, reverse=True)
    return table, re.compile("|".join(longest_first))
