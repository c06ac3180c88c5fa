"""Decode Vietnamese whose UTF-8 was read as windows-1252 or Latin-1 ("Viá»‡t Nam").

The last byte of a letter may look like a no-break space or a line break, and extraction makes a
plain space of it: "ChÃ o" was "Chào", "lÃ ai" was "là ai". The syllables show whether there was a
space too.
"""

import re

from bodytext.corpus.stages.vietnamese.syllables import is_written


def _shown(first: int, last: int) -> str:
    """The characters that show bytes, in both encodings, as a class of a regular expression."""
    single = [bytes([byte]) for byte in range(first, last + 1)]
    shown = {byte.decode("latin-1") for byte in single} | {
        byte.decode("cp1252", "ignore") for byte in single
    }
    return "[" + re.escape("".join(sorted(shown))) + "]"


_NEXT = _shown(0x80, 0xBF)
_SEQUENCE = (
    f"{_shown(0xC2, 0xDF)}{_NEXT}|{_shown(0xE0, 0xEF)}{_NEXT}{{2}}|{_shown(0xF0, 0xF4)}{_NEXT}{{3}}"
)
# The rest of a letter whose last byte was taken for a space (0xA0) or the end of a line (0x85): a
# placeholder while the text is read (a character that Unicode reserves for such use), and the
# letters that it may be.
_CUT = {"Ã": ("\ufdd0", "à"), "Æ": ("\ufdd1", "Ơ"), "áº": ("\ufdd2", "Ạ"), "á»": ("\ufdd3", "ễỠ")}
_LETTERS = dict(_CUT.values())
_FIRST_PASS = re.compile(f"({_SEQUENCE})|{'|'.join(_CUT)}")
# A syllable has at most six letters before such a letter, and two after it.
_MARKS = "".join(_LETTERS)
_SECOND_PASS = re.compile(
    rf"([^\W\d_]{{0,6}})([{_MARKS}])( ?)(?=([^\W\d_]{{1,2}})(?![^\W\d_]|[{_MARKS}])|([,.;:!?…)\]”’»]))?"
)


def read_misread_utf8(text: str) -> str:
    """Decode a text; lines without such sequences do not change.

    >>> read_misread_utf8("ChÃ o cÃ¡c bÃ¡c, Ä‘Ã³ lÃ xÃ£ nÃ o?")
    'Chào các bác, đó là xã nào?'
    """
    return "\n".join(map(_read_line, text.split("\n")))


def _read_line(line: str) -> str:
    return _SECOND_PASS.sub(_complete, _FIRST_PASS.sub(_read_sequence, line))


def _read_sequence(match: re.Match[str]) -> str:
    if not match[1]:
        return _CUT[match[0]][0]
    try:
        return b"".join(map(_byte, match[0])).decode("utf-8")
    except UnicodeDecodeError:
        return match[0]


def _byte(character: str) -> bytes:
    return character.encode("latin-1" if ord(character) < 0x100 else "cp1252")


def _complete(match: re.Match[str]) -> str:
    """Complete a letter. The space after it goes within a word and before a comma."""
    before, mark, gap, after, closing = match.groups("")
    for letter in _LETTERS[mark]:
        if after and is_written(before + letter + after):
            return before + letter
        if is_written(before + letter):
            return before + letter + ("" if closing else gap)
    return before + _LEADS[mark] + gap


_LEADS = {mark: lead for lead, (mark, _) in _CUT.items()}
