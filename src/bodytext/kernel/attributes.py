"""Read the attributes of a tag, in Python: the specification of `attributes_native.pyx`."""

import re

from bodytext.kernel.tokens import unescape

# In a tag that ends where it says, these find what `tokens.read_attributes` finds, in one pass.
_TAG_NAME = re.compile(r"[^\t\n\f\r />]*")
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*+(=?[^\t\n\f\r />=]*+)"
    r"(?>(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r >]*+)))?)"
)
# What a name in the markup is read from: quickly, and without character references.
_NAMED = re.compile(
    rb"""([^\s/>="']++)(?>(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']*+)))?)""",
)


def read_values(source: bytes, start: int, end: int) -> dict[str, str]:
    """Return the values of the attributes of an opening tag, by name.

    The tag is given by its offsets; an empty one has no attributes. Names are in lower case and in
    their order. Of duplicates the first counts.
    """
    values: dict[str, str] = {}
    if not 0 <= start < end <= len(source):
        return values
    tag = source[start:end].decode("utf-8")
    name_end = _TAG_NAME.match(tag, 1).end()  # type: ignore[union-attr]
    for name, double, single, bare in _ATTRIBUTE.findall(tag, name_end):
        if name:
            value = double or single or bare
            values.setdefault(name.lower(), unescape(value) if "&" in value else value)
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
