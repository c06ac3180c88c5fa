"""Correct Vietnamese letters: character references that were escaped twice, and eths for đ."""

import re

from bodytext.corpus.stages.vietnamese.syllables import is_written, marked_letters

# The Icelandic eth looks like Đ, has the same byte in windows-1252, and is typed for it; so is the
# African đ.
_ETHS = str.maketrans("ÐðƉ", "ĐđĐ")
_ETH = re.compile(r"(?<![^\W\d_])[^\W\d_]{0,6}[ÐðƉ][^\W\d_]{0,6}(?![^\W\d_])")
_LONGEST_ABBREVIATION = 5
# In Vietnamese that went through Latin-1, half of the words with marks have a question mark for a
# letter. In good text only addresses and forgotten spaces have one before a letter.
_LOST = re.compile(r"[?\ufffd][^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_LEAST_LOST = 8
_LEAST_SHARE_LOST = 0.2
_SAMPLE = 3000  # characters, which are enough
_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]{2,4})|([0-9]{3,4}));")


def read_references(text: str) -> str:
    """Replace numeric character references to Vietnamese letters next to other letters.

    A page that escapes twice shows "Vi&#7879;t". A page about HTML shows "&#7879;" on its own.

    >>> read_references("Vi&#7879;t Nam, &#7879;, &#1488;x")
    'Việt Nam, &#7879;, &#1488;x'
    """
    return _REFERENCE.sub(_read_reference, text) if "&#" in text else text


def _read_reference(match: re.Match[str]) -> str:
    letter = chr(int(match[1], 16) if match[1] else int(match[2]))
    text, start, end = match.string, match.start(), match.end()
    beside = text[start - 1 : start].isalpha() or text[end : end + 1].isalpha()
    return letter if beside and letter in marked_letters() else match[0]


def has_eths(text: str) -> bool:
    """Whether a text has letters that look like Đ."""
    return "Ð" in text or "ð" in text or "Ɖ" in text


def replace_eths(text: str) -> str:
    r"""Replace letters that look like Đ in the syllables and abbreviations of a Vietnamese text.

    >>> replace_eths("\u00d0à Nẵng, Q\u00d0-UBND, Gu\u00f0rún") == "Đà Nẵng, QĐ-UBND, Gu\u00f0rún"
    True
    """
    return _ETH.sub(_replace_eth, text)


def _replace_eth(match: re.Match[str]) -> str:
    word = match[0].translate(_ETHS)
    is_abbreviation = word.isupper() and len(word) <= _LONGEST_ABBREVIATION
    return word if is_abbreviation or is_written(word) else match[0]


def lacks_letters(text: str) -> bool:
    """Whether a program replaced the letters of a Vietnamese text by question marks: "ng??i dân".

    >>> lacks_letters("Hàng nghìn ng??i dân t?i huy?n ?ông Gò ???c h??ng d?n làm ?èn l?ng và n?n tò he bên b? h?.")
    True
    """
    sample = text[:_SAMPLE]
    lost = len(_LOST.findall(sample))
    if lost < _LEAST_LOST:
        return False
    kept = sum(not word.isascii() and is_written(word) for word in _WORD.findall(sample))
    return lost >= _LEAST_SHARE_LOST * (kept + lost)
