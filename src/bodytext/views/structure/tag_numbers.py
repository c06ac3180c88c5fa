"""Read the attributes that number lists and span cells."""

from collections.abc import Callable, Mapping

from bodytext.kernel import read_value, read_values
from bodytext.kernel.elements import NO_ATTRIBUTES
from bodytext.page.tables import Page

MOST_SPAN = 1_000  # the HTML standard's limit of colspan
_SHORTEST_TAG = len("<li >")
_MOST_DIGITS = 9
_NAMES = {
    "ol": ("start", "type", "reversed"),
    "li": ("value",),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
}
_HINTS = {tag: [name.encode() for name in names] for tag, names in _NAMES.items()}
NUMBERED = frozenset(_NAMES)


class TagNumbers:
    """Reads the numbers in the tags of a page."""

    def __init__(self, page: Page) -> None:
        self._source = page.source
        # A memoryview gives one number several times as fast as an array.
        self._start, self._end = page.nodes.start.data, page.nodes.end.data

    def read(self, name: str, node: int) -> Mapping[str, str]:
        """The attributes of a node that say something, for an element of this name."""
        start, end = self._start[node], self._end[node]
        if end - start <= _SHORTEST_TAG:
            return NO_ATTRIBUTES
        if name == "li":  # most
            value = _clean_value(read_value(self._source, start, end, b"value").strip())
            return {"value": value} if value else NO_ATTRIBUTES
        tag = self._source[start:end].lower()
        for hint in _HINTS[name]:  # far faster than reading all attributes
            if hint in tag:
                break
        else:
            return NO_ATTRIBUTES
        attributes = read_values(self._source, start, end)
        values = {
            name: _CLEANERS[name](attributes[name].strip())
            for name in _NAMES[name]
            if name in attributes
        }
        return {name: value for name, value in values.items() if value} or NO_ATTRIBUTES


def _read_integer(value: str) -> int | None:
    digits = value.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS:
        return int(value)
    return None


def _clean_type(value: str) -> str:
    return value if value in {"a", "A", "i", "I"} else ""


def _clean_start(value: str) -> str:
    number = _read_integer(value)
    return "" if number is None or number == 1 else str(number)


def _clean_value(value: str) -> str:
    number = _read_integer(value)
    return "" if number is None else str(number)


def _clean_span(value: str) -> str:
    number = _read_integer(value)
    return "" if number is None or number <= 1 else str(min(number, MOST_SPAN))


def _clean_rows(value: str) -> str:
    return str(MOST_SPAN) if _read_integer(value) == 0 else _clean_span(value)  # 0: all rows below


_CLEANERS: dict[str, Callable[[str], str]] = {
    "start": _clean_start,
    "type": _clean_type,
    "reversed": lambda _: "reversed",
    "value": _clean_value,
    "colspan": _clean_span,
    "rowspan": _clean_rows,
}
