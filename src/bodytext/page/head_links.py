"""Read the <link> elements of a page: its own address, its licence, its lead image, its feeds."""

from dataclasses import dataclass

from bodytext.kernel import find_tags
from bodytext.kernel.html import TAG
from bodytext.page.once import once
from bodytext.page.tables import Page
from bodytext.page.urls import absolute, base_address

MOST_FEEDS = 50
_MOST_LINKS = 10_000
_LINK = (TAG["link"],)
# Every <link> of interest holds one of these, as people spell them: its relation, or its type if it
# is a feed.
_MARKS = (
    b"anonical",
    b"CANONICAL",
    b"xml",
    b"XML",
    b"+json",
    b"icense",
    b"ICENSE",
    b"mage_src",
    b"MAGE_SRC",
)
_FEED_TYPES = frozenset(
    {
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
        "application/xml+rss",
    }
)


@dataclass(frozen=True)
class HeadLinks:
    """The links in the head of a page, read once, when they are first needed."""

    page: Page

    @once
    def links(self) -> dict[str, list[int]]:
        """Every <link> of interest, by its relations."""
        page = self.page
        links: dict[str, list[int]] = {}
        for node in find_tags(page.source, page.tables[0], _LINK, _MARKS, _MOST_LINKS):
            for relation in page.attribute(node, b"rel").lower().split():
                links.setdefault(relation, []).append(node)
        return links

    @once
    def base(self) -> str:
        """The address that relative ones start from."""
        return base_address(self.page)

    def address(self, value: object) -> str:
        """A web address made absolute; empty for a value that is not an address."""
        if not isinstance(value, str) or not value:
            return ""
        return absolute(value, "" if value.startswith("https://") else self.base)

    def linked(self, relation: str) -> str:
        """The address of the first <link> of a relation."""
        for node in self.links.get(relation, ()):
            if address := self.address(self.page.attribute(node, b"href")):
                return address
        return ""

    @property
    def feed_addresses(self) -> tuple[str, ...]:
        """The addresses of the feeds that the page links to, each once whatever its case."""
        addresses: dict[str, str] = {}
        for node in self.links.get("alternate", ()):
            media_type = self.page.attribute(node, b"type").partition(";")[0].strip().lower()
            address = (
                self.address(self.page.attribute(node, b"href"))
                if media_type in _FEED_TYPES
                else ""
            )
            if address:
                addresses.setdefault(address.casefold(), address)
        return tuple(addresses.values())[:MOST_FEEDS]
