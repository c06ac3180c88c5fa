"""find_feeds: Statements -> the addresses of the feeds that the page links to."""

from bodytext.views.metadata.candidates import NO_LISTING, Listing
from bodytext.views.metadata.statements import Statements, unique

MOST_FEEDS = 50
_TYPES = frozenset(
    {
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
        "application/xml+rss",
    }
)


def find_feeds(statements: Statements) -> Listing:
    """Every <link rel=alternate> of a feed's type."""
    found = unique(
        statements.address(link.attributes.get("href"))
        for link in statements.links
        if "alternate" in link.relations and link.attributes.get("type", "").partition(";")[0].strip().lower() in _TYPES
    )
    return Listing(found[:MOST_FEEDS], "link", 0.95) if found else NO_LISTING
