"""Read the attributes of a tag, in Python: the specification of `attributes_native.pyx`."""

import re

from bodytext.kernel.tokens import unescape

# In a tag that ends where it says, these find what `tokens.read_attributes` finds, in one pass.
_TAG_NAME = re.compile(r"[^\t\n\f\r />]*")
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*+(=?[^\t\n\f\r />=]*+)"
    r"(?>(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r >]*+)))?)"
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
