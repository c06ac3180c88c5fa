"""read_metadata: Page -> Metadata, every field with its source."""

from functools import lru_cache
from typing import Any

from bodytext.page.tables import Page
from bodytext.views.metadata.address import find_address
from bodytext.views.metadata.authors import find_authors
from bodytext.views.metadata.breadcrumb import find_breadcrumb
from bodytext.views.metadata.categories import find_categories
from bodytext.views.metadata.dates import find_dates
from bodytext.views.metadata.description import find_description
from bodytext.views.metadata.feeds import find_feeds
from bodytext.views.metadata.image import find_image
from bodytext.views.metadata.language import find_language
from bodytext.views.metadata.license import find_license
from bodytext.views.metadata.page_type import find_page_type
from bodytext.views.metadata.record import Candidate, Listing, Metadata, Source, Sources
from bodytext.views.metadata.site import find_site, site_names
from bodytext.views.metadata.statements import WRITTEN, Statements
from bodytext.views.metadata.surroundings import Surroundings
from bodytext.views.metadata.tags import find_tags
from bodytext.views.metadata.title import find_title

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
