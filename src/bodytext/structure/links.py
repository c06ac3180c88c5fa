"""Page + the node of a link -> its address, absolute and safe to write anywhere."""

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bodytext._kernel.tokens import unescape
from bodytext.addresses import absolute, base_address
from bodytext.page import Page

if TYPE_CHECKING:
    from bodytext.structure.element import Element

LONGEST_FRAGMENT = 200

# A tag whose attributes, up to the first href, are all of the plain form name="value": most are.
_PLAIN_TAG = re.compile(rb'<[Aa](?:[ \t\n]++(?!(?i:href)=)[\w:.-]++="[^"]*+")*+[ \t\n]++(?i:href)="([^"]*+)"')
# Nothing in such an address would be changed by making it absolute.
_WHOLE = re.compile(r"https?://[\w-]++(?:\.[\w-]++)*+/[\w/%=&;,@!*~+-]*+(?:[.?#][\w/%=&;,@!*~+-]++)*+", re.ASCII)
_ROOTED = re.compile(r"/(?:[\w%=&;,@!*~+-][\w/%=&;,@!*~+-]*+)?+(?:[.?#][\w/%=&;,@!*~+-]++)*+", re.ASCII)
_ORIGIN = re.compile(r"https?://[^/?#\\]+")

# What a browser would write as these in an address; they would end it, or open a tag, in one format or another.
_ENCODED = {code: f"%{code:02X}" for code in b' "<>\\^`{|}'}


class Links:
    """The addresses of a page's links."""

    def __init__(self, page: Page) -> None:
        self.inner: list[Element] = []  # links into the page itself
        self.base = base_address(page)
        origin = _ORIGIN.match(self.base)
        self._origin = origin[0] if origin else ""
        self._page = page

    def address(self, node: int) -> str:
        """The absolute address of a link, or "#" and a name in the page, or nothing."""
        page = self._page
        plain = _PLAIN_TAG.match(page.source, int(page.nodes.start[node]))
        if plain:
            value = plain[1].decode("utf-8", "replace")
            value = unescape(value) if "&" in value else value
        else:
            value = page.attributes(node).get("href", "")
        if value.startswith("#"):
            return value if 1 < len(value) <= LONGEST_FRAGMENT else ""
        return self.resolve(value)

    def resolve(self, value: str) -> str:
        """Make an address absolute; nothing where it is none that a reader may follow."""
        if _WHOLE.fullmatch(value):
            return value
        if self._origin and "/." not in value and _ROOTED.fullmatch(value):
            return self._origin + value
        return clean(absolute(value, self.base))


def clean(address: str) -> str:
    """Encode what no address holds; nothing where the address has a scheme and no sound host.

    >>> clean("https://example.org/a b|c"), clean("http:alert(1)"), clean("//host:alert(1)"), clean("a/b")
    ('https://example.org/a%20b%7Cc', '', '', 'a/b')
    """
    if _WHOLE.fullmatch(address) or not address:
        return address
    try:
        parts = urlsplit(address)
        is_sound = parts.port != 0 and (parts.hostname or not (parts.scheme or address.startswith("//")))
    except ValueError:
        return ""
    return address.translate(_ENCODED) if is_sound else ""
