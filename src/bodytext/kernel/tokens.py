"""Resolve character references, in Python."""

import re
from html.entities import html5

from bodytext.kernel.html import REPLACEMENTS

BARE_NAMES = tuple(name for name in html5 if not name.endswith(";"))  # they need no semicolon
_LONGEST_NAME = len("CounterClockwiseContourIntegral")  # of all in html5
_LONGEST_BARE_NAME = len("Aacute")
_REFERENCE = re.compile(
    rf"&(?:#[xX]([0-9a-fA-F]+);?|#([0-9]+);?|([0-9A-Za-z]{{1,{_LONGEST_NAME}}})(;?))"
)
_REPLACEMENT_CHARACTER = "\ufffd"
_TOO_LARGE = 0x110000  # code points end here


def unescape(text: str) -> str:
    """Return a text with its character references resolved, by the HTML standard's rules for text.

    >>> unescape("caf&eacute; &notit; &#x80; &#0; &unknown; AT&T &amp")
    'café ¬it; € \ufffd &unknown; AT&T &'
    """
    references = text.count("&")
    if not references:
        return text
    if references == text.count("&amp;"):  # few others occur in addresses
        return text.replace("&amp;", "&")
    return _REFERENCE.sub(_resolve, text)


def _resolve(match: re.Match[str]) -> str:
    hexadecimal, decimal, name, semicolon = match.groups()
    if name is None:
        return resolve_number(hexadecimal or decimal, 16 if hexadecimal else 10)
    if semicolon and (character := html5.get(name + ";")):
        return character
    for length in range(min(len(name), _LONGEST_BARE_NAME), 1, -1):
        if character := html5.get(name[:length]):
            return character + name[length:] + semicolon
    return match.group()


def resolve_number(digits: str, base: int) -> str:
    """Return the character of a numeric reference, with the standard's replacements."""
    significant = digits.lstrip("0")
    code = int(significant or "0", base) if len(significant) <= 7 else _TOO_LARGE
    code = REPLACEMENTS.get(code, code)
    if code == 0 or code >= _TOO_LARGE or 0xD800 <= code <= 0xDFFF:
        return _REPLACEMENT_CHARACTER
    return chr(code)
