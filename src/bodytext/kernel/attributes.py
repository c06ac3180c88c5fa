"""Read the attributes of a tag, in Python: the specification of `attributes_native.pyx`."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from bodytext.kernel.table_columns import NodeColumn
from bodytext.kernel.tokens import unescape

Column = npt.NDArray[np.int32]

_CLOSE, _SLASH = ord(">"), ord("/")
_SKIPPED = re.compile(rb"[\t\n\f\r /]*")
_NAME = re.compile(rb"=?[^\t\n\f\r />=]*")  # it may begin with "="
_EQUALS = re.compile(rb"[\t\n\f\r ]*=[\t\n\f\r ]*")
_UNQUOTED = re.compile(rb"[^\t\n\f\r >]*")
# In a tag that ends where it says, these find what `read_attributes` finds, in one pass.
_TAG_NAME = re.compile(r"[^\t\n\f\r />]*")
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*+(=?[^\t\n\f\r />=]*+)"
    r"(?>(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r >]*+)))?)"
)
# What a name in the markup is read from: quickly, and without character references.
_NAMED = re.compile(
    rb"""([^\s/>="']++)(?>(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']*+)))?)""",
)
# The attributes that name a <meta>, with what is put before the names in them.
_NAMINGS = {"property": "", "name": "", "itemprop": "item:", "http-equiv": ""}
_LONGEST_NAMES = 500  # characters of them


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


def read_values(source: bytes, start: int, end: int) -> dict[str, str]:
    """Return the values of the attributes of an opening tag, by name.

    The tag is given by its offsets; an empty one has no attributes. Names are in lower case and in
    their order. Of duplicates the first counts.
    """
    values = _read_written(source, start, end)
    return {name: unescape(value) if "&" in value else value for name, value in values.items()}


def _read_written(source: bytes, start: int, end: int) -> dict[str, str]:
    """Return the values of the attributes of an opening tag as the page has them, by name."""
    values: dict[str, str] = {}
    if not 0 <= start < end <= len(source):
        return values
    tag = source[start:end].decode("utf-8")
    name_end = _TAG_NAME.match(tag, 1).end()  # type: ignore[union-attr]
    for name, double, single, bare in _ATTRIBUTE.findall(tag, name_end):
        if name:
            values.setdefault(name.lower(), double or single or bare)
    return values


def read_value(source: bytes, start: int, end: int, name: bytes) -> str:
    """Return the value of one attribute of an opening tag, or nothing; its name is in lower case."""
    return read_values(source, start, end).get(name.decode("utf-8"), "")


def read_raw_values(tag: bytes, wanted: frozenset[bytes]) -> dict[bytes, str]:
    """Return the values of some attributes of an opening tag as the page has them, by name.

    Wanted names are in lower case. Of duplicates the first counts.
    """
    values: dict[bytes, str] = {}
    for name, double, single, bare in _NAMED.findall(tag):
        if (lowered := name.lower()) in wanted:
            values.setdefault(lowered, (double or single or bare).decode("utf-8", "replace"))
    return values


def read_contents(
    source: bytes, nodes: Sequence[Column] | Column, tag: int, most: int
) -> dict[str, list[str]]:
    """Return the contents of the first `most` elements with a tag's number, as the page has them.

    They are <meta>s, and their contents are listed by their names, which are in lower case, with
    ":" for "."; "item:" is before that of an item property. `nodes` is the page's whole table.
    """
    contents: dict[str, list[str]] = {}
    columns = (nodes[column] for column in (NodeColumn.TAG, NodeColumn.START, NodeColumn.END))
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for _, start, end in islice((row for row in rows if row[0] == tag), most):
        values = _read_written(source, start, end)
        if content := values.get("content") or values.get("value"):
            for attribute, value in values.items():
                for name in _split_names(attribute, unescape(value)):
                    contents.setdefault(name, []).append(content)
    return contents


def _split_names(attribute: str, value: str) -> list[str]:
    """Return the names of a <meta> in the value of one of its attributes."""
    if attribute not in _NAMINGS or len(value) > _LONGEST_NAMES:
        return []
    return [_NAMINGS[attribute] + name for name in value.lower().replace(".", ":").split()]
