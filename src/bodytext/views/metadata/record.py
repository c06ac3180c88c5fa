"""Metadata: what is known about a page, each value with where it came from (types)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value came from, and how sure it is, from 0 to 1."""

    name: str
    confidence: float


class Sources(dict[str, Source]):
    """The source of each field with a value. It does not change, and unlike a view it can be copied and pickled."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("where the values of a page came from does not change")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return Sources, (dict(self),)


class Candidate(NamedTuple):
    """A value for a field, where it came from, and how sure it is. Dozens are made for a page: a tuple is made fast."""

    value: str
    name: str
    confidence: float

    def __bool__(self) -> bool:
        return bool(self.value)


NOTHING = Candidate("", "", 0.0)


class Listing(NamedTuple):
    """Several values for a field, such as authors, from one source."""

    value: tuple[str, ...]
    name: str
    confidence: float

    def __bool__(self) -> bool:
        return bool(self.value)


NONE = Listing((), "", 0.0)


def first_of(candidates: Iterable[Candidate]) -> Candidate:
    """The first candidate with a value: the order of the candidates settles every conflict."""
    return next(filter(None, candidates), NOTHING)


def first_list_of(candidates: Iterable[Listing]) -> Listing:
    """The first listing with values."""
    return next(filter(None, candidates), NONE)


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is known about a page. A field without a value is empty; `sources` tells for the others where from."""

    title: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""  # of publication, in ISO form; the time and the zone where they are given
    modified: str = ""  # of the last change, in the same form
    site_name: str = ""
    language: str = ""  # a tag such as "vi" or "pt-BR"
    description: str = ""
    url: str = ""  # the canonical address
    image: str = ""  # the lead image's address
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    license: str = ""
    breadcrumb: tuple[str, ...] = ()  # from the start page down
    page_type: str = ""
    feeds: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=Sources, compare=False)
