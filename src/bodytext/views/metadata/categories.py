"""Find the sections of the site that a page belongs to."""

from collections.abc import Iterator

from bodytext.views.metadata.candidates import NO_LISTING, Listing, ListProposal, first_listing
from bodytext.views.metadata.statements import Statements
from bodytext.views.metadata.tags import split_list

_SECTION_METAS = ("article:section", "og:article:section", "og:section")
_OTHER_METAS = ("parsely-section", "sailthru:verticals", "cxenseparse:recs:category", "category")
_LAST_METAS = ("item:articlesection", "section", "dc:type", "article:category")
_METAS = frozenset({*_SECTION_METAS, *_OTHER_METAS, *_LAST_METAS})


def find_categories(statements: Statements) -> Listing:
    """The sections that editors set, in metas or in data."""
    return first_listing(_propose(statements)) if statements.tells(_METAS) else NO_LISTING


def _propose(statements: Statements) -> Iterator[ListProposal]:
    main = statements.main
    yield split_list(statements.all(*_SECTION_METAS)), "open graph", 0.95
    yield split_list(statements.texts(main.get("articleSection"), "name")), "json-ld", 0.9
    yield split_list(statements.all(*_OTHER_METAS)), "meta", 0.85
    for key in ("genre", "category"):
        yield split_list(statements.texts(main.get(key), "name")), "json-ld", 0.8
    yield split_list(statements.all(*_LAST_METAS)), "meta", 0.7
