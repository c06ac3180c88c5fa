"""Hold the values that a finder proposes for a field of the metadata."""

from collections.abc import Iterable
from typing import NamedTuple


class Candidate(NamedTuple):
    """A value for a field, its source, and how sure it is. A tuple is fast to make."""

    value: str
    source: str
    confidence: float

    def __bool__(self) -> bool:
        return bool(self.value)


class Listing(NamedTuple):
    """Several values for a field, such as authors, from one source."""

    value: tuple[str, ...]
    source: str
    confidence: float

    def __bool__(self) -> bool:
        return bool(self.value)


# What finders yield: plain tuples, of which most are empty and only the first other one counts.
Proposal = tuple[str, str, float]
ListProposal = tuple[tuple[str, ...], str, float]

NO_CANDIDATE = Candidate("", "", 0.0)
NO_LISTING = Listing((), "", 0.0)


def first_candidate(proposals: Iterable[Proposal]) -> Candidate:
    """The first proposal with a value: their order settles every conflict."""
    for proposal in proposals:
        if proposal[0]:
            return tuple.__new__(Candidate, proposal)  # a third of the time of `Candidate(*...)`
    return NO_CANDIDATE


def first_listing(proposals: Iterable[ListProposal]) -> Listing:
    """The first proposal with values."""
    for proposal in proposals:
        if proposal[0]:
            return tuple.__new__(Listing, proposal)
    return NO_LISTING
