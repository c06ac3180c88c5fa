"""read_values: the text of a script that should be JSON, however broken -> the objects and lists in it.

Good JSON goes through the standard library. All else goes through a reader that never gives up: it takes raw control
characters and unescaped quotes in strings, strings in single quotes, bare keys, missing and trailing commas, comment
and CDATA marks around it, several values in a row, and an end that is cut off. It is iterative and linear.
"""

import json
import math
import re
from itertools import chain
from typing import Any

from bodytext.kernel.tokens import unescape

DEEPEST = 100  # what stands deeper is left out; real data stays under 30 or so
_LONGEST_NUMBER = 300  # digits; longer ones are no data, and turning digits into a number is quadratic

_ESCAPED_QUOTES = re.compile(r"[\s\ufeff]*+[\[{][\s\[{]*+&(?:quot|#0*+34|#[xX]0*+22);")
_WRAPPING = re.compile(r"(?:[\s\ufeff]|/\*|\*/|//|<!--|-->|<!\[CDATA\[)*+")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

# A quote ends its string only where JSON can go on behind it: people forget to escape the others.
_TOKEN = re.compile(
    r"""(?P<mark>[{}\[\],])
    | "(?P<double>(?:[^"\\] | \\. | "(?!\s*+(?:\Z | [:}\]] | ,\s*+(?:["{}\[\]] | \Z)) | [^\S\n]*+\n\s*+"))*+)
      (?:" | \\?\Z)
    | '(?P<single>(?:[^'\\] | \\.)*+)(?:' | \\?\Z)
    | (?P<word>[^\s"'{}\[\]:,\ufeff]++)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(
    r"""\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})
    | (?:u(?P<four>[0-9a-fA-F]{4}) | x(?P<two>[0-9a-fA-F]{2})) | (?P<one>.))""",
    re.VERBOSE | re.DOTALL,
)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "\n": ""}
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "undefined": None, "NaN": None}
_NUMBER = re.compile(r"-?\d++(?P<fraction>\.\d++)?+(?:[eE][+-]?\d++)?+")


def read_values(text: str) -> list[Any]:
    r"""Every top-level object and list of a script, in order; strings hold no lone surrogates.

    >>> read_values('<!-- {"a": [1, "two\nlines",], "b": "cut o')
    [{'a': [1, 'two\nlines'], 'b': 'cut o'}]
    """
    if _ESCAPED_QUOTES.match(text):
        text = unescape(text)
    start = _WRAPPING.match(text).end()  # type: ignore[union-attr]
    try:
        value = DECODER.decode(mend_surrogates(text[start:]).rstrip("; \t\r\n"))
    except (ValueError, RecursionError):
        return _JsonReader().read(text, start)
    if not isinstance(value, dict | list):
        return []
    if text.count("{") + text.count("[") >= DEEPEST:  # else it cannot be too deep
        _cut_depth(value)
    return [value]


def _read_number(digits: str) -> int | float | None:
    """A finite number; None for one that is too long or too large."""
    match = _NUMBER.fullmatch(digits)
    if match is None or len(digits) > _LONGEST_NUMBER:
        return None
    if digits.lstrip("-").isdecimal():
        return int(digits)
    number = float(digits)
    return number if math.isfinite(number) else None


def _read_integer(digits: str) -> int | None:
    """What the standard library has found to be an integer; the same rule."""
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


DECODER = json.JSONDecoder(
    strict=False, parse_int=_read_integer, parse_float=_read_number, parse_constant=lambda _: None
)


def mend_surrogates(text: str) -> str:
    """Escapes of halves of characters, which no text may hold, as the replacement character."""
    if "\\u" not in text or not _SURROGATE.search(text):
        return text
    return _ESCAPE.sub(lambda match: "\\ufffd" if _is_surrogate(match["four"]) else match[0], text)


def _is_surrogate(four: str | None) -> bool:
    return four is not None and 0xD800 <= int(four, 16) <= 0xDFFF


_HOLDERS = {dict, list}


def _cut_depth(value: Any) -> None:
    """Empty what stands too deep, level by level."""
    level = [value]
    for _ in range(DEEPEST - 1):
        children = chain.from_iterable(one.values() if type(one) is dict else one for one in level)
        level = [child for child in children if type(child) in _HOLDERS]
        if not level:
            return
    for one in level:
        one.clear()


class _JsonReader:
    """Reads tokens into nested values, with what is open as a stack."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.open: list[Any] = []
        self.keys: list[str | None] = []  # of each open object: the key that waits for its value
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
        if mark == ",":
            if self.open and not self.too_deep:
                self.keys[-1] = None
        elif mark in "{[":
            if self.too_deep or len(self.open) == DEEPEST:
                self.too_deep += 1
                return
            opened: Any = {} if mark == "{" else []
            if self.open:
                self._add(opened)
            else:
                self.values.append(opened)
            self.open.append(opened)
            self.count[type(opened)] += 1
            self.keys.append(None)
        elif self.too_deep:
            self.too_deep -= 1
        else:
            self._close(dict if mark == "}" else list)

    def _close(self, kind: type) -> None:
        """Close the innermost of a kind, and with it what was left open inside; nothing where none is open."""
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
        holder = self.open[-1]
        if isinstance(holder, list):
            holder.append(value)
        elif self.keys[-1] is not None:
            holder[self.keys[-1]] = value
            self.keys[-1] = None
        elif isinstance(value, str):
            self.keys[-1] = value


def _resolve(match: re.Match[str]) -> str:
    if match["high"]:
        return chr(0x10000 + ((int(match["high"], 16) & 0x3FF) << 10) + (int(match["low"], 16) & 0x3FF))
    if code := match["four"] or match["two"]:
        return "\ufffd" if _is_surrogate(code) else chr(int(code, 16))
    return _LETTERS.get(match["one"], match["one"])
