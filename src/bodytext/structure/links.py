"""Page + the node of a link -> its address, absolute and safe to write anywhere."""

import re
from functools import cached_property
from typing import TYPE_CHECKING

from bodytext._kernel.tokens import unescape
from bodytext.addresses import absolute, base_address
from bodytext.page import Page

if TYPE_CHECKING:
    from bodytext.structure.element import Element

LONGEST_FRAGMENT = 200

# A tag whose attributes, up to the first href, are all of the plain form name="value": most are.
_PLAIN_TAG = re.compile(rb'<[Aa](?:[ \t\n]++(?!(?i:href)=)[\w:.-]++="[^"]*+")*+[ \t\n]++(?i:href)="([^"]*+)"')
_PLAIN = re.compile(r"https?://[\w.-]++/[\w./%=&;,@!*~+?#:-]*+", re.ASCII)
_SOUND = re.compile(r"(?:https?:)?//(?:[^/?#@\\]*+@)?[^/?#@:\\\[\]]++(?::\d{1,5})?+(?=[/?#]|$)")
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:|//")

# What a browser would write as these in an address; they would end it, or open a tag, in one format or another.
_ENCODED = {code: f"%{code:02X}" for code in b' "<>\\^`{|}'}


class Links:
    """The addresses of a page's links."""

    def __init__(self, page: Page) -> None:
        self.inner: list[Element] = []  # links into the page itself
        self._page, self._starts = page, page.nodes.start.data

    @cached_property
    def base(self) -> str:
        """The address that relative ones start from."""
        return base_address(self._page)

    def address(self, node: int) -> str:
        """The absolute address of a link, or "#" and a name in the page, or nothing."""
        page = self._page
        plain = _PLAIN_TAG.match(page.source, self._starts[node])
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
        return clean(absolute(value, self.base))


def clean(address: str) -> str:
    """Encode what no address holds; nothing where the address has a scheme and no sound host.

    >>> clean("https://example.org/a b|c"), clean("http:alert(1)"), clean("//host:alert(1)"), clean("a/b")
    ('https://example.org/a%20b%7Cc', '', '', 'a/b')
    """
    if _PLAIN.fullmatch(address):
        return address
    if _SOUND.match(address) or not _HAS_SCHEME.match(address):
        return address.translate(_ENCODED)
    return ""
