"""Read the <link> elements of a page: its own address, its licence, its lead image, its feeds."""

from dataclasses import dataclass
from typing import NamedTuple

from bodytext.kernel import find_tags, read_values
from bodytext.kernel.html import TAG
from bodytext.page.once import once
from bodytext.page.tables import Page
from bodytext.page.urls import absolute, base_address

MOST_FEEDS = 50
_MOST_LINKS = 10_000
# Every <link> of interest holds one of these, as people spell them: its relation, or its type if it
# is a feed.
_MARKS = (b"anonical", b"CANONICAL", b"xml", b"XML", b"+json", b"icense", b"mage_src")
_FEED_TYPES = frozenset(
    {
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
        "application/xml+rss",
    }
)


class HeadLink(NamedTuple):
    """A <link>: its relations and its attributes."""

    relations: frozenset[str]
    attributes: dict[str, str]

    @property
    def is_feed(self) -> bool:
        """Whether it leads to a feed."""
        media_type = self.attributes.get("type", "").partition(";")[0].strip().lower()
        return "alternate" in self.relations and media_type in _FEED_TYPES


@dataclass(frozen=True)
class HeadLinks:
    """The links in the head of a page, read once, when they are first needed."""

    page: Page

    @once
    def links(self) -> tuple[HeadLink, ...]:
        """Every <link> of interest."""
        nodes, source = self.page.nodes, self.page.source
        columns = (nodes.tag, nodes.start, nodes.end)
        spans = find_tags(source, columns, TAG["link"], _MARKS, _MOST_LINKS)
        tags = [read_values(source, start, end) for start, end in spans]
        return tuple(HeadLink(frozenset(tag.get("rel", "").lower().split()), tag) for tag in tags)

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
        for link in self.links:
            if relation in link.relations and (
                address := self.address(link.attributes.get("href"))
            ):
                return address
        return ""

    @property
    def feed_addresses(self) -> tuple[str, ...]:
        """The addresses of the feeds that the page links to, each once whatever its case."""
        addresses: dict[str, str] = {}
        for link in self.links:
            if link.is_feed and (address := self.address(link.attributes.get("href"))):
                addresses.setdefault(address.casefold(), address)
        return tuple(addresses.values())[:MOST_FEEDS]
