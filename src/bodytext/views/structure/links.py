"""Read the addresses of links: absolute, and safe to write anywhere."""

import re
from typing import TYPE_CHECKING

from bodytext.kernel import read_value
from bodytext.page.urls import absolute, is_whole
from bodytext.views.media import Pictures

if TYPE_CHECKING:
    from bodytext.views.structure.element import Element

LONGEST_FRAGMENT = 200

_PLAIN = re.compile(r"(?:https?://[\w.-]++/|/(?!/))[\w./%=&;,@!*~+?#:-]*+", re.ASCII)
_SOUND = re.compile(r"(?:https?:)?//(?:[^/?#@\\]*+@)?[^/?#@:\\\[\]]++(?>(?::\d{1,5})?)(?=[/?#]|$)")
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:|//")

# Browsers write these characters of an address so. As they are, they would end it or open a tag in
# some format.
_ENCODED = {code: f"%{code:02X}" for code in b' "<>\\^`{|}'}
_TO_ENCODE = re.compile(r'[ "<>\\^`{|}]')


class Links:
    """The addresses of a page's links."""

    def __init__(self, pictures: Pictures) -> None:
        page = pictures.page
        self.inner: list[Element] = []  # links into the page itself
        self._pictures = pictures  # which know the base
        self._source, self._starts, self._ends = (
            page.source,
            page.nodes.start.data,
            page.nodes.end.data,
        )

    def address(self, node: int) -> str:
        """The absolute address of a link, or "#" and an id in the page, or nothing."""
        value = read_value(self._source, self._starts[node], self._ends[node], b"href")
        if value[:4] == "http" and is_whole(value):  # most
            return value
        if value.startswith("#"):
            return value if 1 < len(value) <= LONGEST_FRAGMENT else ""
        return clean(absolute(value, self._pictures.base))


def clean(address: str) -> str:
    """Encode characters that no address holds; empty if it has a scheme and no sound host.

    >>> clean("https://example.org/a b|c"), clean("http:alert(1)"), clean("//host:alert(1)"), clean("a/b")
    ('https://example.org/a%20b%7Cc', '', '', 'a/b')
    """
    if _PLAIN.fullmatch(address):
        return address
    if _SOUND.match(address) or not _HAS_SCHEME.match(address):
        return address.translate(_ENCODED) if _TO_ENCODE.search(address) else address
    return ""
