"""find_categories: Statements -> the sections of the site that the page belongs to."""

from collections.abc import Iterator

from bodytext.views.metadata.candidates import Listing, first_listing
from bodytext.views.metadata.statements import Statements
from bodytext.views.metadata.tags import split_list

_OTHER_METAS = ("parsely-section", "sailthru:verticals", "cxenseparse:recs:category", "category")
_LAST_METAS = ("item:articlesection", "section", "dc:type", "article:category")


def find_categories(statements: Statements) -> Listing:
    """The section that editors set, in metas or in data."""
    return first_listing(_candidates(statements))


def _candidates(statements: Statements) -> Iterator[Listing]:
    main, said = statements.main, statements.all
    yield Listing(split_list(said("article:section", "og:article:section", "og:section")), "open graph", 0.95)
    yield Listing(split_list(statements.texts(main.get("articleSection"), "name")), "json-ld", 0.9)
    yield Listing(split_list(said(*_OTHER_METAS)), "meta", 0.85)
    for key in ("genre", "category"):
        yield Listing(split_list(statements.texts(main.get(key), "name")), "json-ld", 0.8)
    yield Listing(split_list(said(*_LAST_METAS)), "meta", 0.7)
