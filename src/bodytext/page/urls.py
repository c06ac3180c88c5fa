"""Clean the addresses in a page, make them absolute, and compare their hosts."""

import re
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from bodytext.kernel import find_rows, find_tags
from bodytext.kernel.html import TAG, NodeFlag
from bodytext.page.tables import Page

LONGEST_ADDRESS = 8_192
LONGEST_BASE = 1_000  # characters that may be put before a relative address

_BASE, _LINK = TAG["base"], int(NodeFlag.LINK)
_MOST_TAGS = 256  # <link>s and <meta>s that are searched for the page's own address; real pages have a few dozen
# The tags that give it: texts in them, the attributes that name it, the attribute with the address.
_NAMINGS = (
    (TAG["link"], (b"anonical", b"CANONICAL"), ("rel",), "href"),
    (TAG["meta"], (b"og:url",), ("property", "name"), "content"),
)
_OWN_NAMES = frozenset({"canonical", "og:url"})
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
# Braces are in templates that a script fills in
_NO_ADDRESS = re.compile(r"[\x00-\x1f\x7f{}\ufffe\uffff]")
# Addresses that need no cleaning: whole ones stay as they are, those from the root only need the
# host before them. A plain character follows each dot, question mark and number sign, and no slash
# precedes a dot: no segment is "..".
_PLAIN = r"[\w/%=&,:@!*~+-]"
_REST = rf"{_PLAIN}*+(?>(?:(?:(?<!/)\.|[?#]){_PLAIN}++)*)"
_WHOLE = re.compile(rf"https?://[\w-]++(?>(?:\.[\w-]++)*)/{_REST}", re.ASCII)
_ROOTED = re.compile(rf"/(?!/){_REST}", re.ASCII)
_ORIGIN = re.compile(r"https?://([\w-]++(?>(?:\.[\w-]++)*))(?=[/?#]|$)", re.ASCII)
_DROPPED = str.maketrans("", "", "\t\n\r")  # browsers drop these from an address


def base_address(page: Page) -> str:
    """Find the address that relative ones start from, or nothing.

    It is that of <base>, the one given, or the one that the page names. A page is read once.
    """
    base = page._base
    if base is None:
        base = _find_base(page)
        object.__setattr__(page, "_base", base)  # two threads would set the same
    return base


def _find_base(page: Page) -> str:
    own = absolute(page.url, "") if _SCHEME.match(page.url.strip()) else _named_address(page)
    for node in find_rows(page.nodes.tag, _BASE):
        if page.nodes.flags.item(node) & _LINK:
            base = absolute(page.attributes(node).get("href", ""), own)
            return limit_base(base if _SCHEME.match(base) else "") or limit_base(own)
    return limit_base(own)


def limit_base(address: str) -> str:
    """Return the address if it is short enough to complete others, else nothing.

    Every relative address would be as long as it, so that a small page had a huge output. A query
    and a fragment do not count: they are not put before anything.
    """
    path = address.partition("#")[0].partition("?")[0]
    return address if len(path) <= LONGEST_BASE else ""


def _named_address(page: Page) -> str:
    """Return the absolute address that a page gives as its own, or nothing."""
    for tag, marks, names, held_in in _NAMINGS:
        for node in find_tags(page.source, page.tables[0], (tag,), marks, _MOST_TAGS):
            attributes = page.attributes(node)
            relations = " ".join(attributes.get(name, "") for name in names).lower().split()
            address = (
                absolute(attributes.get(held_in, ""), "")
                if _OWN_NAMES.intersection(relations)
                else ""
            )
            if _SCHEME.match(address) and host_of(address):
                return address
    return ""


def is_web_address(value: str) -> bool:
    """Whether a text begins as an address on the web does."""
    return value[:8].lower().startswith(("http://", "https://"))


def is_whole(value: str) -> bool:
    """Whether an address is absolute and needs no cleaning: `absolute` gives it back as it is."""
    return len(value) <= LONGEST_ADDRESS and _WHOLE.fullmatch(value) is not None


def is_rooted(value: str) -> bool:
    """Whether an address starts from the root and needs no cleaning."""
    return len(value) <= LONGEST_ADDRESS and _ROOTED.fullmatch(value) is not None


def find_root(base: str) -> str | None:
    """What comes before an address from the root: nothing if no base is known; None if it needs care."""
    if not base:
        return ""
    origin = _ORIGIN.match(base)
    return origin[0] if origin else None


def absolute(value: str, base: str) -> str:
    r"""Clean an address, and make it absolute if the base is known; empty if it is none.

    Only http, https and relative addresses are addresses here.

    >>> absolute(" ../a.jpg", "https://example.com/b/c/"), absolute("java\nscript:alert(1)", "")
    ('https://example.com/b/a.jpg', '')
    """
    if is_whole(value):
        return value
    if is_rooted(value) and (root := find_root(base)) is not None:
        return root + value
    value = _drop_breaks(value).strip(" ")
    if not _may_be_address(value):
        return ""
    try:
        if not base and "//" in value:
            urlsplit(value)  # nothing else would look at the host
        return urljoin(base, value)
    except ValueError:
        return ""


def _may_be_address(value: str) -> bool:
    """Whether a text is an address of http, https or no scheme that leads out of the page."""
    if (
        not value
        or len(value) > LONGEST_ADDRESS
        or value.startswith(("#", "data:"))
        or _NO_ADDRESS.search(value)
    ):
        return False
    scheme = _SCHEME.match(value)
    return scheme is None or scheme[1].lower() in {"http", "https"}


def _drop_breaks(value: str) -> str:
    """Drop what browsers drop.

    Few addresses have any of it, and looking is far faster than translating.
    """
    if "\n" in value or "\t" in value or "\r" in value:
        return value.translate(_DROPPED)
    return value


@lru_cache(maxsize=16)  # several finders ask for the host of the same page
def host_of(address: str) -> str:
    """Return the host of an absolute address without "www.", or nothing.

    >>> host_of("https://me:pw@WWW.Example.org:8080/a"), host_of("/a")
    ('example.org', '')
    """
    if origin := _ORIGIN.match(address):
        return origin[1].lower().removeprefix("www.")  # most
    try:
        host = urlsplit(address.replace("\\", "/")).hostname or ""
    except ValueError:
        return ""
    return host.rstrip(".").removeprefix("www.")


def is_same_site(host: str, other: str) -> bool:
    """Whether one host is the other or a part of it.

    >>> is_same_site("news.example.org", "example.org"), is_same_site("notexample.org", "example.org")
    (True, False)
    """
    return host == other or host.endswith("." + other) or other.endswith("." + host)
