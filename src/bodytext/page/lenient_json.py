"""Read the objects and lists in a script that should be JSON, however broken it is.

Good JSON goes through the standard library. Everything else goes through a parser that never gives
up: it takes raw control characters and unescaped quotes in strings, strings in single quotes, bare
keys, missing and trailing commas, comment and CDATA marks around it, several values in a row, and
an end that is cut off. It is iterative and linear.
"""

import json
import math
import re
from itertools import chain
from typing import Any

from bodytext.kernel.tokens import unescape
from bodytext.page.late_pattern import late_pattern

DEEPEST = 100  # levels; deeper ones are left out. Real data has fewer than about 30
_LONGEST_NUMBER = 300  # digits; reading a number takes time quadratic in its digits

_ESCAPED_QUOTES = late_pattern(r"[\s\ufeff]*+[\[{][\s\[{]*+&(?:quot|#0*+34|#[xX]0*+22);")
_WRAPPING = late_pattern(r"(?>(?:[\s\ufeff]|/\*|\*/|//|<!--|-->|<!\[CDATA\[)*)")
_SURROGATE = late_pattern(r"\\u[dD][89a-fA-F]")

# A quote ends its string only if JSON can go on after it: people forget to escape the others.
_TOKEN = late_pattern(
    r"""(?P<mark>[{}\[\],])
    | "(?P<double>(?>(?:[^"\\]++ | \\. | "(?!\s*+(?:\Z | [:}\]] | ,\s*+(?:["{}\[\]] | \Z)) | [^\S\n]*+\n\s*+"))*))
      (?:" | \\?\Z)
    | '(?P<single>(?>(?:[^'\\]++ | \\.)*))(?:' | \\?\Z)
    | (?P<word>[^\s"'{}\[\]:,\ufeff]++)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = late_pattern(
    r"""\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})
    | (?:u(?P<four>[0-9a-fA-F]{4}) | x(?P<two>[0-9a-fA-F]{2})) | (?P<letter>.))""",
    re.VERBOSE | re.DOTALL,
)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "\n": ""}
_WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": None,
    "NaN": None,
}
_OPENING: dict[str, type[dict[str, Any] | list[Any]]] = {"{": dict, "[": list}
_CLOSING: dict[str, type] = {"}": dict, "]": list}
_NUMBER = late_pattern(r"-?\d++(?>(?P<fraction>\.\d++)?)(?>(?:[eE][+-]?\d++)?)")


def read_values(text: str) -> list[Any]:
    r"""Return all top-level objects and lists of a script; no string has a lone surrogate.

    >>> read_values('<!-- {"a": [1, "two\nlines",], "b": "cut o')
    [{'a': [1, 'two\nlines'], 'b': 'cut o'}]
    """
    if _ESCAPED_QUOTES.match(text):
        text = unescape(text)
    start = _WRAPPING.match(text).end()  # type: ignore[union-attr]
    try:
        value = DECODER.decode(mend_surrogates(text[start:]).rstrip("; \t\r\n"))
    except (ValueError, RecursionError):
        return _LenientParser().read(text, start)
    if not isinstance(value, dict | list):
        return []
    if text.count("{") + text.count("[") >= DEEPEST:  # else it cannot be too deep
        _cut_depth(value)
    return [value]


def _read_number(digits: str) -> int | float | None:
    """Return a finite number, or None for one that is too long or too large."""
    match = _NUMBER.fullmatch(digits)
    if match is None or len(digits) > _LONGEST_NUMBER:
        return None
    if digits.lstrip("-").isdecimal():
        return int(digits)
    number = float(digits)
    return number if math.isfinite(number) else None


def _read_integer(digits: str) -> int | None:
    """Return an integer that the standard library has found, or None for one that is too long."""
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


DECODER = json.JSONDecoder(
    strict=False, parse_int=_read_integer, parse_float=_read_number, parse_constant=lambda _: None
)


def mend_surrogates(text: str) -> str:
    """Replace the escapes of lone surrogates by that of the replacement character."""
    if "\\u" not in text or not _SURROGATE.search(text):
        return text
    return _ESCAPE.sub(lambda match: "\\ufffd" if _is_surrogate(match["four"]) else match[0], text)


def _is_surrogate(four: str | None) -> bool:
    return four is not None and 0xD800 <= int(four, 16) <= 0xDFFF


_CONTAINERS = {dict, list}


def _cut_depth(value: Any) -> None:
    """Empty the containers that are too deep."""
    level = [value]
    for _ in range(DEEPEST - 1):
        children = chain.from_iterable(
            parent.values() if type(parent) is dict else parent for parent in level
        )
        level = [child for child in children if type(child) in _CONTAINERS]
        if not level:
            return
    for container in level:
        container.clear()


class _LenientParser:
    """Reads tokens into nested values, with a stack of the open ones."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.open: list[Any] = []
        self.keys: list[
            str | None
        ] = []  # of each open object: the key whose value is still to come
        self.count: dict[type, int] = {dict: 0, list: 0}  # how many of each kind are open
        self.too_deep = 0

    def read(self, text: str, start: int) -> list[Any]:
        for match in _TOKEN.finditer(text, start):
            kind = match.lastgroup
            if kind == "mark":
                self._read_mark(match[0])
            elif self.too_deep or not self.open:
                continue
            elif kind == "word":
                self._add_word(match[0])
            else:
                self._add(_ESCAPE.sub(_resolve, match[kind or 0]))
        return self.values

    def _read_mark(self, mark: str) -> None:
        if mark in _OPENING:
            self._open(_OPENING[mark]())
        elif mark in _CLOSING:
            self._close(_CLOSING[mark])
        elif self.open and not self.too_deep:
            self.keys[-1] = None  # a comma: the next string is a key

    def _open(self, container: Any) -> None:
        if self.too_deep or len(self.open) == DEEPEST:
            self.too_deep += 1
            return
        if self.open:
            self._add(container)
        else:
            self.values.append(container)
        self.open.append(container)
        self.count[type(container)] += 1
        self.keys.append(None)

    def _close(self, kind: type) -> None:
        """Close the innermost open value of a kind, and those left open inside it."""
        if self.too_deep:
            self.too_deep -= 1
            return
        closed = None
        while self.count[kind] and closed is not kind:
            closed = type(self.open.pop())
            self.keys.pop()
            self.count[closed] -= 1

    def _add_word(self, word: str) -> None:
        if isinstance(self.open[-1], dict) and self.keys[-1] is None:
            self.keys[-1] = word
        elif word in _WORDS or _NUMBER.fullmatch(word):
            self._add(_WORDS[word] if word in _WORDS else _read_number(word))

    def _add(self, value: Any) -> None:
        container = self.open[-1]
        if isinstance(container, list):
            container.append(value)
        elif self.keys[-1] is not None:
            container[self.keys[-1]] = value
            self.keys[-1] = None
        elif isinstance(value, str):
            self.keys[-1] = value


def _resolve(match: re.Match[str]) -> str:
    """Return the character of an escape."""
    if match["high"]:
        return chr(
            0x10000 + ((int(match["high"], 16) & 0x3FF) << 10) + (int(match["low"], 16) & 0x3FF)
        )
    if code := match["four"] or match["two"]:
        return "\ufffd" if _is_surrogate(code) else chr(int(code, 16))
    return _LETTERS.get(match["letter"], match["letter"])
