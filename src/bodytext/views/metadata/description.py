"""Find what a page says it is about, in a sentence or two."""

from collections.abc import Iterator

from bodytext.views.metadata.candidates import Candidate, Proposal, first_candidate
from bodytext.views.metadata.statements import Statements, clean

_OTHER_METAS = ("dc:description", "dcterms:description", "sailthru:description", "excerpt")


def find_description(statements: Statements) -> Candidate:
    """The description for sharing, or for searching, or in data."""
    return first_candidate(_propose(statements))


def _propose(statements: Statements) -> Iterator[Proposal]:
    yield statements.first("og:description"), "open graph", 0.9
    yield statements.first("description"), "meta", 0.85
    yield statements.first("twitter:description"), "twitter", 0.85
    yield clean(statements.main.get("description")), "json-ld", 0.8
    yield statements.first(*_OTHER_METAS, "item:description"), "meta", 0.7
