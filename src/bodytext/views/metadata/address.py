"""Find the canonical address of a page."""

from collections.abc import Iterator

from bodytext.page.urls import host_of
from bodytext.views.metadata.candidates import Candidate, first_candidate
from bodytext.views.metadata.statements import Statements


def find_address(statements: Statements) -> Candidate:
    """The address that the page gives as its own, or the one it came from; it must have a host."""
    candidates = _candidates(statements)
    return first_candidate(candidate for candidate in candidates if host_of(candidate.value))


def _candidates(statements: Statements) -> Iterator[Candidate]:
    yield Candidate(statements.linked("canonical"), "canonical link", 0.95)
    yield Candidate(statements.address(statements.first("og:url")), "open graph", 0.9)
    yield Candidate(statements.address(statements.first("twitter:url")), "twitter", 0.8)
    yield Candidate(statements.address(statements.main.get("url")), "json-ld", 0.8)
    yield Candidate(statements.page.url, "caller", 0.7)
