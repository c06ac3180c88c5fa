"""read_metadata: Page -> Metadata, every field with its source."""

from functools import lru_cache
from typing import Any

from bodytext.metadata.address import find_address
from bodytext.metadata.authors import find_authors
from bodytext.metadata.breadcrumb import find_breadcrumb
from bodytext.metadata.categories import find_categories
from bodytext.metadata.dates import find_dates
from bodytext.metadata.description import find_description
from bodytext.metadata.feeds import find_feeds
from bodytext.metadata.image import find_image
from bodytext.metadata.language import find_language
from bodytext.metadata.license import find_license
from bodytext.metadata.page_type import find_page_type
from bodytext.metadata.record import Candidate, Listing, Metadata, Source, Sources
from bodytext.metadata.site import find_site, site_names
from bodytext.metadata.statements import WRITTEN, Statements
from bodytext.metadata.surroundings import Surroundings
from bodytext.metadata.tags import find_tags
from bodytext.metadata.title import find_title
from bodytext.page import Page

_source = lru_cache(maxsize=200)(Source)  # there are a few dozen of them


def read_metadata(page: Page, page_type: str = "") -> Metadata:
    """What a page says about itself; `page_type` is the kind of page where a method has told it."""
    statements = Statements(page, page_type)
    names = site_names(statements)
    title = find_title(statements, names)
    surroundings = Surroundings(statements, title.value)
    language = find_language(statements)
    written = not page_type or page_type in WRITTEN
    date, modified = find_dates(statements, surroundings, language.value, seen=written)
    # A page without a date that nothing calls an article has no author either, as a rule.
    seen = written and bool(date or statements.is_article)
    found: dict[str, Candidate | Listing] = {
        "title": title,
        "authors": find_authors(statements, surroundings, names, seen=seen),
        "date": date,
        "modified": modified,
        "site_name": find_site(statements),
        "language": language,
        "description": find_description(statements),
        "url": find_address(statements),
        "image": find_image(statements),
        "tags": find_tags(statements),
        "categories": find_categories(statements),
        "license": find_license(statements),
        "breadcrumb": find_breadcrumb(statements),
        "page_type": find_page_type(statements),
        "feeds": find_feeds(statements),
    }
    values: dict[str, Any] = {key: one.value for key, one in found.items()}
    sources = Sources((key, _source(one.name, one.confidence)) for key, one in found.items() if one)
    return Metadata(**values, sources=sources)
