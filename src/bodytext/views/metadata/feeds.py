"""Find the feeds that a page links to."""

from bodytext.views.metadata.candidates import Listing
from bodytext.views.metadata.statements import Statements


def find_feeds(statements: Statements) -> Listing:
    """The address of every <link rel=alternate> of a feed's type."""
    return Listing(statements.feed_addresses, "link", 0.95)
