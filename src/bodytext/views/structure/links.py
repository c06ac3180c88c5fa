"""Read the addresses of links: absolute, and safe to write anywhere."""

import re

from bodytext.page.urls import absolute, is_rooted
from bodytext.views.media import Pictures

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
        self.has_inner = False  # there are links into the page itself
        self._pictures = pictures  # which know the base

    @property
    def root(self) -> str | None:
        """What comes before an address from the root; None if it needs care."""
        return self._pictures.root

    def resolve(self, value: str) -> str:
        """The absolute address of a link, or "#" and an id in the page, or nothing."""
        if value.startswith("#"):
            is_inner = 1 < len(value) <= LONGEST_FRAGMENT
            self.has_inner = self.has_inner or is_inner
            return value if is_inner else ""
        if self.root is not None and is_rooted(value):
            return self.root + value  # which is clean
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
