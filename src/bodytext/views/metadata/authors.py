"""find_authors: Statements + Surroundings -> the names of the authors, in the page's order.

People come before organisations: where data and metas name the site itself as the author, the byline is asked first.
The order of sources stands in docs/metadata.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bodytext.page.json_ld import types_of
from bodytext.views.metadata.byline import find_byline, separate_text
from bodytext.views.metadata.candidates import NO_LISTING, Listing
from bodytext.views.metadata.findings import Findings
from bodytext.views.metadata.person_names import split_names
from bodytext.views.metadata.site import fold
from bodytext.views.metadata.statements import Statements, clean, unique
from bodytext.views.metadata.vocabulary import BY, WRITTEN_BY

_NAMES_OF_METAS = """
    author article:author og:author og:article:author parsely-author sailthru:author cxenseparse:author
    dc:creator dcterms:creator dc:creator:personalname creator article:author_name articleauthor byl byline
    rnews:author article:byline lp:article:author shareaholic:article_author_name citation_author bc:authors
    authors author_name cxenseparse:autor-articulo item:author web_author vr:author mediator_author
"""
_METAS = tuple(_NAMES_OF_METAS.split())
_FAMILY_NAME_FIRST = frozenset({"citation_author", "dc:creator", "dcterms:creator"})
_MOST_AUTHORS = 50


@dataclass(frozen=True)
class _Authors:
    statements: Statements
    names: frozenset[str]

    def candidates(self, *, in_text: bool) -> Iterator[Listing]:
        yield self._in_data()
        yield self._in_metas()
        yield self._on_card()
        if in_text:
            yield self._in_items()

    def _in_data(self) -> Listing:
        statements = self.statements
        main = statements.main
        for key in ("author", "creator"):
            found: list[str] = []
            for one in statements.listed(main.get(key)):
                found += self._name_of(one)
            if found:
                return self._list(found, "json-ld", 0.95)
        return NO_LISTING

    def _name_of(self, one: Any) -> list[str]:
        if isinstance(one, dict):
            texts = self.statements.texts(one, "name")
            if any("Organization" in name for name in types_of(one)):
                return texts[:1]
            return [name for text in texts for name in split_names(text)]
        return split_names(clean(one))

    def _in_metas(self) -> Listing:
        for key in _METAS:
            if key not in self.statements.meta:
                continue
            values = self.statements.all(key)
            if key in _FAMILY_NAME_FIRST:
                values = [turn_name(value) for value in values]
            found = [name for value in values for name in split_names(value)]
            if found:
                return self._list(found, "meta", 0.9)
        return NO_LISTING

    def _on_card(self) -> Listing:
        """The lines of a Twitter card: a label such as "Written by" and what it says."""
        for number in "1234":
            label = self.statements.first(f"twitter:label{number}")
            if label and (WRITTEN_BY.search(label.lower()) or BY.match(label)):
                return self._list(split_names(self.statements.first(f"twitter:data{number}")), "twitter", 0.9)
        return NO_LISTING

    def _in_items(self) -> Listing:
        """The first item property "author" and those right behind it: others are of comments."""
        page = self.statements.page
        found: list[str] = []
        stop = -1
        for value, node in self.statements.item_values("author", "creator"):
            if node < 0:
                found += split_names(value)
                continue
            if self.statements.is_of_reply(node):
                continue
            if found and page.nodes.first_run[node] > stop + 3:
                break
            stop = int(page.nodes.stop_run[node])
            inner = self.statements.inner_item(node, "name")
            found += [inner] if inner else split_names(separate_text(page, node), seen=True)
        return self._list(found, "item property", 0.95)

    def _list(self, names: list[str], name: str, confidence: float) -> Listing:
        """The names without the site's, unless that is all there is."""
        people = [one for one in names if fold(one) not in self.names]
        return Listing(unique(people or names)[:_MOST_AUTHORS], name, confidence) if names else NO_LISTING

    def is_organisation(self, listing: Listing) -> bool:
        """Whether every name is the site's, or data call it an organisation."""
        if all(fold(value) in self.names for value in listing.value):
            return True
        said = list(self.statements.listed(self.statements.main.get("author"))) if listing.source == "json-ld" else []
        return bool(said) and all(isinstance(one, dict) and "Organization" in str(one.get("@type")) for one in said)


def turn_name(name: str) -> str:
    """A name with the family name first, turned round.

    >>> turn_name("Kaufman, Jeff T."), turn_name("Jeff Kaufman")
    ('Jeff T. Kaufman', 'Jeff Kaufman')
    """
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family.strip()}" if comma and "," not in given and len(family.split()) <= 2 else name


def find_authors(findings: Findings) -> Listing:
    """Who wrote the page. An organisation counts only where nobody else is named."""
    authors = _Authors(findings, findings.site_names)
    in_text = findings.may_have_byline
    organisation = NO_LISTING
    for listing in authors.candidates(in_text=in_text):
        if listing and not authors.is_organisation(listing):
            return listing
        organisation = organisation or listing
    if not in_text:
        return organisation
    return find_byline(findings.surroundings, sure=bool(organisation)) or organisation
