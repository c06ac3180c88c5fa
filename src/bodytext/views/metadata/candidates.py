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


NO_CANDIDATE = Candidate("", "", 0.0)
NO_LISTING = Listing((), "", 0.0)


def first_candidate(candidates: Iterable[Candidate]) -> Candidate:
    """The first candidate with a value: their order settles every conflict."""
    for candidate in candidates:
        if candidate.value:
            return candidate
    return NO_CANDIDATE


def first_listing(listings: Iterable[Listing]) -> Listing:
    """The first listing with values."""
    for listing in listings:
        if listing.value:
            return listing
    return NO_LISTING
