"""Find the canonical address of a page."""

from collections.abc import Iterator

from bodytext.page.urls import host_of
from bodytext.views.metadata.candidates import Candidate, Proposal, first_candidate
from bodytext.views.metadata.statements import Statements


def find_address(statements: Statements) -> Candidate:
    """The address that the page gives as its own, or the one it came from; it must have a host."""
    proposals = _propose(statements)
    return first_candidate(proposal for proposal in proposals if host_of(proposal[0]))


def _propose(statements: Statements) -> Iterator[Proposal]:
    yield statements.canonical_link, "canonical link", 0.95
    yield statements.address(statements.first("og:url")), "open graph", 0.9
    yield statements.address(statements.first("twitter:url")), "twitter", 0.8
    yield statements.address(statements.main.get("url")), "json-ld", 0.8
    yield statements.page.url, "caller", 0.7
