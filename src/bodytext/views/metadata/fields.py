"""The table of metadata fields: the record `Metadata`, with all that an output needs to know.

To add a field, write its finder in a module of its own, and add the field to `Metadata`. Every
output then has it, unless its row leaves it out of a format.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from bodytext.views.metadata.address import find_address
from bodytext.views.metadata.authors import find_authors
from bodytext.views.metadata.breadcrumb import find_breadcrumb
from bodytext.views.metadata.candidates import Candidate, Listing
from bodytext.views.metadata.categories import find_categories
from bodytext.views.metadata.description import find_description
from bodytext.views.metadata.feeds import find_feeds
from bodytext.views.metadata.image import find_image
from bodytext.views.metadata.license import find_license
from bodytext.views.metadata.page_type import find_page_type
from bodytext.views.metadata.provenance import Source, Sources
from bodytext.views.metadata.shared_findings import SharedFindings
from bodytext.views.metadata.site import find_site
from bodytext.views.metadata.tags import find_tags

# Most finders take `Statements`, which `SharedFindings` are too.
Finder = Callable[[SharedFindings], Candidate | Listing]

_ROW = "row"


class MetadataField(NamedTuple):
    """A row of the table: what is known about a field."""

    name: str
    is_list: bool  # several texts instead of one
    description: str
    find: Finder
    left_out_of: frozenset[str]  # of "csv", "html", "tei", "markdown"; JSON has every field

    def is_in(self, format_name: str) -> bool:
        """Whether a format has this field."""
        return format_name not in self.left_out_of


def _row(description: str, find: Finder, *, without: str = "") -> dict[str, Any]:
    """The row of a field; `without` names the formats that leave it out, with spaces between."""
    return {_ROW: (description, find, frozenset(without.split()))}


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is known about a page. Unknown fields are empty; `sources` covers all others."""

    title: str = field(
        default="",
        metadata=_row(
            "the headline, without the name of the site", lambda findings: findings.title
        ),
    )
    authors: tuple[str, ...] = field(
        default=(),
        metadata=_row("the names of the authors, in the page's order", find_authors),
    )
    date: str = field(
        default="",
        metadata=_row("when it was published, in ISO form", lambda findings: findings.dates[0]),
    )
    modified: str = field(
        default="",
        metadata=_row(
            "when it was last changed, in ISO form",
            lambda findings: findings.dates[1],
            without="csv html",
        ),
    )
    site_name: str = field(
        default="",
        metadata=_row("the name of the site", find_site, without="html"),
    )
    language: str = field(
        default="",
        metadata=_row("a language tag such as vi or pt-BR", lambda findings: findings.language),
    )
    description: str = field(
        default="",
        metadata=_row("what the page says it is about, in a sentence or two", find_description),
    )
    url: str = field(
        default="",
        metadata=_row("the canonical address", find_address),
    )
    image: str = field(
        default="",
        metadata=_row("the address of the lead image", find_image, without="csv html tei"),
    )
    tags: tuple[str, ...] = field(
        default=(),
        metadata=_row("keywords", find_tags),
    )
    categories: tuple[str, ...] = field(
        default=(),
        metadata=_row(
            "the sections of the site that it belongs to", find_categories, without="csv html"
        ),
    )
    license: str = field(
        default="",
        metadata=_row("the address of the licence, or else its name", find_license, without="html"),
    )
    breadcrumb: tuple[str, ...] = field(
        default=(),
        metadata=_row(
            "the path to it from the start page, as names",
            find_breadcrumb,
            without="csv html tei markdown",
        ),
    )
    page_type: str = field(
        default="",
        metadata=_row(
            "a type such as article, forum or product", find_page_type, without="html tei"
        ),
    )
    feeds: tuple[str, ...] = field(
        default=(),
        metadata=_row(
            "the addresses of the feeds that it links to",
            find_feeds,
            without="csv html tei markdown",
        ),
    )
    sources: Mapping[str, Source] = field(default_factory=Sources, compare=False)


METADATA_FIELDS = tuple(
    MetadataField(entry.name, isinstance(entry.default, tuple), *entry.metadata[_ROW])
    for entry in fields(Metadata)
    if _ROW in entry.metadata
)
