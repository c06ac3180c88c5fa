"""Read the pieces of HTML, in Python: the attributes of a tag, and character references."""

import re
from collections.abc import Iterator
from html.entities import html5

from bodytext.kernel.html import REPLACEMENTS

_CLOSE, _SLASH = ord(">"), ord("/")
_SKIPPED = re.compile(rb"[\t\n\f\r /]*")
_NAME = re.compile(rb"=?[^\t\n\f\r />=]*")  # it may begin with "="
_EQUALS = re.compile(rb"[\t\n\f\r ]*=[\t\n\f\r ]*")
_UNQUOTED = re.compile(rb"[^\t\n\f\r >]*")

_LONGEST_NAME = len("CounterClockwiseContourIntegral")  # of all in html5
_LONGEST_BARE_NAME = len("Aacute")  # of those that need no semicolon
_REFERENCE = re.compile(
    rf"&(?:#[xX]([0-9a-fA-F]+);?|#([0-9]+);?|([0-9A-Za-z]{{1,{_LONGEST_NAME}}})(;?))"
)
_REPLACEMENT_CHARACTER = "\ufffd"
_TOO_LARGE = 0x110000  # code points end here


def read_attributes(source: bytes, position: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield name start, name end, value start and value end of each attribute after a tag's name.

    The last item is (end, flag, 0, -1): the offset after the tag's ">" (or -1 if the page ends
    inside the tag), and 1 for a self-closing tag. A missing value is an empty range.
    """
    length = len(source)
    while True:
        skipped = _SKIPPED.match(source, position).end()  # type: ignore[union-attr]
        if skipped >= length:
            yield -1, 0, 0, -1
            return
        if source[skipped] == _CLOSE:
            yield skipped + 1, int(skipped > position and source[skipped - 1] == _SLASH), 0, -1
            return
        name_end = _NAME.match(source, skipped).end()  # type: ignore[union-attr]
        value_start, value_end, position = _read_value(source, name_end)
        if position < 0:
            yield -1, 0, 0, -1
            return
        yield skipped, name_end, value_start, value_end


def _read_value(source: bytes, position: int) -> tuple[int, int, int]:
    """Return start and end of an attribute's value, and where to go on (-1 at the page's end)."""
    equals = _EQUALS.match(source, position)
    if equals is None:
        return position, position, position
    start = equals.end()
    quote = source[start : start + 1]
    if quote in {b'"', b"'"}:
        end = source.find(quote, start + 1)
        return (start + 1, end, end + 1) if end >= 0 else (start, start, -1)
    end = _UNQUOTED.match(source, start).end()  # type: ignore[union-attr]
    return start, end, end


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
