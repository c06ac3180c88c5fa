"""Find what a page says it is about, in a sentence or two."""

from collections.abc import Iterator

from bodytext.views.metadata.candidates import NO_CANDIDATE, Candidate, Proposal, first_candidate
from bodytext.views.metadata.statements import Statements, clean

_OTHER_METAS = (
    "dc:description",
    "dcterms:description",
    "sailthru:description",
    "excerpt",
    "item:description",
)
_METAS = frozenset({"og:description", "description", "twitter:description", *_OTHER_METAS})


def find_description(statements: Statements) -> Candidate:
    """The description for sharing, or for searching, or in data."""
    return first_candidate(_propose(statements)) if statements.tells(_METAS) else NO_CANDIDATE


def _propose(statements: Statements) -> Iterator[Proposal]:
    yield statements.first("og:description"), "open graph", 0.9
    yield statements.first("description"), "meta", 0.85
    yield statements.first("twitter:description"), "twitter", 0.85
    yield clean(statements.main.get("description")), "json-ld", 0.8
    yield statements.first(*_OTHER_METAS), "meta", 0.7
