"""Find the keywords of a page."""

from collections.abc import Iterator, Sequence

from bodytext.page.late_pattern import late_pattern
from bodytext.views.metadata.candidates import Listing, ListProposal, first_listing
from bodytext.views.metadata.element_text import find_links, text_of
from bodytext.views.metadata.statements import Statements, unique

MOST_TAGS = 100
_LONGEST_TAG = 80  # characters; longer ones are sentences
_SEPARATOR = late_pattern("[,;|、，،]")
_EDITORS_METAS = ("article:tag", "og:article:tag", "video:tag", "book:tag")
_READERS_METAS = ("parsely-tags", "sailthru:tags", "news_keywords", "cxenseparse:taglist")
_LINK = b'el="tag"'  # the relation as the most common systems write it
_SUBJECT_METAS = ("item:keywords", "dc:subject", "dcterms:subject", "citation_keywords")
_METAS = frozenset({*_EDITORS_METAS, *_READERS_METAS, *_SUBJECT_METAS, "keywords"})


def find_tags(statements: Statements) -> Listing:
    """The tags that editors set, or keywords for readers or search engines, or links to tags."""
    return first_listing(_propose(statements))


def _propose(statements: Statements) -> Iterator[ListProposal]:
    if statements.tells(_METAS):
        yield from _propose_told(statements)
    if statements.is_article:
        yield _linked_tags(statements), "rel=tag", 0.7


def _propose_told(statements: Statements) -> Iterator[ListProposal]:
    yield split_list(statements.all(*_EDITORS_METAS)), "open graph", 0.95
    in_data = statements.texts(statements.main.get("keywords"), "name", "termCode")
    yield split_list(in_data), "json-ld", 0.9
    yield split_list(statements.all(*_READERS_METAS)), "meta", 0.9
    yield split_list(statements.all(*_SUBJECT_METAS)), "meta", 0.8
    yield split_list(statements.all("keywords")), "meta", 0.6


def _linked_tags(statements: Statements) -> tuple[str, ...]:
    """The texts of the links to tags after the headline."""
    page = statements.page
    nodes = find_links(page, _LINK, statements.headline_start)[:MOST_TAGS]
    links = [node for node in nodes if page.attribute(node, b"rel") == "tag"]
    return unique(text_of(page, node).lstrip("#") for node in links)


def split_list(values: Sequence[str]) -> tuple[str, ...]:
    """Split keywords at commas and the like, and keep each once.

    >>> split_list(["news, sports ;News", "weather"])
    ('news', 'sports', 'weather')
    """
    if not values:
        return ()
    parts = (part.strip() for value in values for part in _SEPARATOR.split(value))
    return unique(part for part in parts if part and len(part) <= _LONGEST_TAG)[:MOST_TAGS]
