"""read_values: the opening tag of an element, by its offsets -> the values of its attributes, by name."""

import re

from bodytext.kernel.tokens import unescape

# In a tag that ends where it says: what `bodytext.kernel.tokens.read_attributes` finds, in one pass.
_TAG_NAME = re.compile(r"[^\t\n\f\r />]*")
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*+(=?[^\t\n\f\r />=]*+)"
    r"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r >]*+)))?+"
)


def read_values(source: bytes, start: int, end: int) -> dict[str, str]:
    """Names in lower case, in their order; of duplicates the first counts. An empty tag has none."""
    found: dict[str, str] = {}
    if not 0 <= start < end <= len(source):
        return found
    tag = source[start:end].decode("utf-8")
    for name, double, single, bare in _ATTRIBUTE.findall(tag, _TAG_NAME.match(tag, 1).end()):  # type: ignore[union-attr]
        if name:
            value = double or single or bare
            found.setdefault(name.lower(), unescape(value) if "&" in value else value)
    return found
