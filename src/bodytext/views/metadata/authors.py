"""Find the names of the authors of a page, in the page's order.

People come before organisations: where data and metas name the site itself as the author, a person
in the byline comes first. docs/metadata.md has the order of sources.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bodytext.page.json_ld import types_of
from bodytext.views.metadata.byline import find_byline, separate_text
from bodytext.views.metadata.candidates import NO_LISTING, Listing
from bodytext.views.metadata.person_names import split_names
from bodytext.views.metadata.shared_findings import SharedFindings
from bodytext.views.metadata.site import fold, owner_names
from bodytext.views.metadata.statements import Statements, clean, unique
from bodytext.views.metadata.vocabulary import CREDIT, WRITTEN_BY, match_by

_NAMES_OF_METAS = """
    author article:author og:author og:article:author parsely-author sailthru:author
    cxenseparse:author dc:creator dcterms:creator dc:creator:personalname creator
    article:author_name articleauthor byl byline rnews:author article:byline lp:article:author
    shareaholic:article_author_name citation_author bc:authors authors author_name
    cxenseparse:autor-articulo item:author web_author vr:author mediator_author
"""
_METAS = tuple(_NAMES_OF_METAS.split())
_ON_CARD = tuple((f"twitter:label{number}", f"twitter:data{number}") for number in "1234")
_LABELS = frozenset(label for label, _ in _ON_CARD)
_FAMILY_NAME_FIRST = frozenset({"citation_author", "dc:creator", "dcterms:creator"})
_PARSELY = "parsely-author"
_MOST_AUTHORS = 50
_RUNS_BETWEEN_ITEMS = 3  # at most, of the authors of one text


@dataclass(frozen=True)
class _Authors:
    """The authors in the places that name them."""

    statements: Statements
    site_names: frozenset[str]

    def candidates(self, *, in_text: bool) -> Iterator[Listing]:
        yield self._in_data()
        yield self._in_metas()
        yield self._on_card()
        if in_text:
            yield self._in_items()

    def _in_data(self) -> Listing:
        main = self.statements.main
        for key in ("author", "creator"):
            authors = self.statements.listed(main.get(key))
            if names := [name for author in authors for name in self._names_of(author)]:
                return self._list(names, "json-ld", 0.95)
        return NO_LISTING

    def _names_of(self, author: Any) -> list[str]:
        if not isinstance(author, dict):
            return split_names(clean(author))
        texts = self.statements.texts(author, "name")
        if any("Organization" in name for name in types_of(author)):
            return texts[:1]
        return [name for text in texts for name in split_names(text)]

    def _in_metas(self) -> Listing:
        meta = self.statements.meta
        if meta.keys().isdisjoint(_METAS):
            return NO_LISTING
        for key in (key for key in _METAS if key in meta):
            values = (_turn(key, value) for value in self.statements.all(key))
            if names := [name for value in values for name in split_names(value)]:
                return self._list(names, "meta", 0.9)
        return NO_LISTING

    def _on_card(self) -> Listing:
        """The value of a Twitter card under a label such as "Written by"."""
        if self.statements.meta.keys().isdisjoint(_LABELS):
            return NO_LISTING
        for name, value in _ON_CARD:
            label = self.statements.first(name)
            if label and (WRITTEN_BY.search(label.lower()) or match_by(label)):
                return self._list(split_names(self.statements.first(value)), "twitter", 0.9)
        return NO_LISTING

    def _in_items(self) -> Listing:
        """The first item property "author" and those right after it: others are of comments."""
        nodes = self.statements.page.nodes
        names: list[str] = []
        stop = -1
        for value, node in self.statements.item_values("author", "creator"):
            if node < 0:
                names += split_names(value)
                continue
            if self.statements.is_of_reply(node):
                continue
            if names and nodes.first_run[node] > stop + _RUNS_BETWEEN_ITEMS:
                break
            stop = int(nodes.stop_run[node])
            names += self._names_in_item(node)
        return self._list(names, "item property", 0.95)

    def _names_in_item(self, node: int) -> list[str]:
        text = self.statements.inner_item(node, "name")
        text = text or separate_text(self.statements.page, node)
        return [] if CREDIT.match(text) else split_names(text, seen=True)

    def _list(self, names: list[str], source: str, confidence: float) -> Listing:
        """The names without the site's, unless there is no other."""
        people = [name for name in names if fold(name) not in self.site_names]
        return Listing(unique(people or names)[:_MOST_AUTHORS], source, confidence)

    def is_organisation(self, listing: Listing) -> bool:
        """Whether every name is the site's or its owner's, or data call each an organisation."""
        names = [name for name in map(fold, listing.value) if name not in self.site_names]
        if not names or owner_names(self.statements).issuperset(names):
            return True
        if listing.source != "json-ld":
            return False
        authors = list(self.statements.listed(self.statements.main.get("author")))
        return bool(authors) and all(map(_is_organisation, authors))


def _is_organisation(author: Any) -> bool:
    return isinstance(author, dict) and "Organization" in str(author.get("@type"))


def turn_name(name: str) -> str:
    """A name with the given name first, where a comma shows that the family name came first.

    >>> turn_name("Kaufman, Jeff T."), turn_name("Jeff Kaufman")
    ('Jeff T. Kaufman', 'Jeff Kaufman')
    """
    family, comma, given = name.partition(",")
    is_turned = comma and "," not in given and len(family.split()) <= 2
    return f"{given.strip()} {family.strip()}" if is_turned else name


def find_authors(findings: SharedFindings) -> Listing:
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


def _turn(key: str, value: str) -> str:
    """The value of a meta with the family name last, where it is first."""
    # Of several names, Parsely separates each by a comma: two words with one are one name.
    is_turned = key in _FAMILY_NAME_FIRST or (key == _PARSELY and value.count(" ") == 1)
    return turn_name(value) if is_turned else value
