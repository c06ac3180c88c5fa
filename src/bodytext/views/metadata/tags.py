"""find_tags: Statements -> the keywords of the page."""

import re
from collections.abc import Iterator, Sequence

from bodytext.views.metadata.candidates import Listing, first_listing
from bodytext.views.metadata.element_text import text_of
from bodytext.views.metadata.statements import Statements, unique

MOST_TAGS = 100
_LONGEST_TAG = 80  # characters; longer ones are sentences
_BETWEEN = re.compile(r"\s*+[,;|、，،]\s*+")


def find_tags(statements: Statements) -> Listing:
    """The tags that editors set, then keywords for readers, then those for search engines, then an article's links."""
    return first_listing(_candidates(statements))


def _candidates(statements: Statements) -> Iterator[Listing]:
    said = statements.all
    yield Listing(split_list(said("article:tag", "og:article:tag", "video:tag", "book:tag")), "open graph", 0.95)
    yield Listing(split_list(statements.texts(statements.main.get("keywords"), "name", "termCode")), "json-ld", 0.9)
    yield Listing(
        split_list(said("parsely-tags", "sailthru:tags", "news_keywords", "cxenseparse:taglist")), "meta", 0.9
    )
    yield Listing(split_list(said("item:keywords", "dc:subject", "dcterms:subject", "citation_keywords")), "meta", 0.8)
    yield Listing(split_list(said("keywords")), "meta", 0.6)
    if statements.is_article:
        page = statements.page
        start = statements.headline_start
        behind = [node for node in statements.anchors if page.nodes.start[node] >= start]
        links = [node for node in behind[:MOST_TAGS] if page.attributes(node).get("rel") == "tag"]
        yield Listing(unique(text_of(page, node).lstrip("#") for node in links), "rel=tag", 0.7)


def split_list(values: Sequence[str]) -> tuple[str, ...]:
    """Keywords apart by commas and the like, each once.

    >>> split_list(["news, sports ;News", "weather"])
    ('news', 'sports', 'weather')
    """
    if not values:
        return ()
    parts = (part.strip() for value in values for part in _BETWEEN.split(value))
    return unique(part for part in parts if part and len(part) <= _LONGEST_TAG)[:MOST_TAGS]
