"""Interests and an article's card in -> by how many hours the article is moved, and for which reasons."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from bodytext.reader.analysis.terms import find_terms, fold
from bodytext.reader.store.records import Card

HOUR = 3600
MOST_HOURS = 48.0  # that an article is moved at most, by all reasons together: older news than that is no news
OPENED_HOURS = -24.0  # what was opened makes room, however much of interest it is: it taught that itself
# Which share of the most each kind has: what an article is about tells more than where it stands.
SHARES = {"term": 0.6, "source": 0.15, "category": 0.25}
_WHOLE, _PART = 1.0, 0.4  # a keyword that is an interest, and one that has a word of it
_LEAST_PART = 5  # letters of a word that counts by itself; shorter ones are syllables and the like
_KEYWORDS = 8  # of an article, the best
_TOLD_HOURS = 1.0  # from which on a reason is worth a line
_TOLD_REASONS = 3


class Interest(NamedTuple):
    """What a profile is interested in, from 1 (very much) to -1 (not at all)."""

    kind: str  # "term", "source" or "category"
    name: str  # a source's is the number of the feed
    weight: float
    fixed: bool = False  # set by hand
    title: str = ""  # what to show: a source's title; else the name


class Reason(NamedTuple):
    """Why an article is moved."""

    kind: str
    name: str  # as the article has it
    hours: float

    def tell(self) -> str:
        """The reason in words."""
        if self.kind == "term":
            return f"because you read about {self.name}" if self.hours > 0 else f"you pass over {self.name}"
        if self.kind == "source":
            return f"because you read {self.name}" if self.hours > 0 else f"you pass over {self.name}"
        return f"because you like {self.name}" if self.hours > 0 else f"you pass over {self.name}"


@dataclass(frozen=True, slots=True)
class Scored:
    """A card with its place in a profile's order."""

    card: Card
    hours: float = 0.0  # by which it stands as if it were newer
    reasons: tuple[Reason, ...] = ()  # strongest first

    @property
    def moment(self) -> float:
        """Where it stands: its time of publication, moved. The greatest is first."""
        return self.card.published + self.hours * HOUR

    @property
    def because(self) -> str:
        """Why it stands further up than by its age, in words; empty where it does not."""
        return next((reason.tell() for reason in self.reasons if reason.hours >= _TOLD_HOURS), "")


class Scorer:
    """Interests, arranged for looking up."""

    def __init__(self, interests: Iterable[Interest]) -> None:
        self._whole: dict[tuple[str, str], float] = {}
        self._parts: dict[str, float] = {}
        for one in interests:
            self._whole[one.kind, name_of(one.kind, one.name)] = one.weight
            if one.kind == "term":
                for part in parts_of(one.name):
                    if abs(one.weight) > abs(self._parts.get(part, 0.0)):
                        self._parts[part] = one.weight

    def score(self, card: Card) -> Scored:
        """The card with the hours by which it is moved."""
        found = [*self._find_terms(card)]
        for kind, name, title in (("source", str(card.feed), card.source), ("category", card.category, card.category)):
            weight = self._whole.get((kind, name), 0.0)
            if weight and name:
                found.append(Reason(kind, title, SHARES[kind] * MOST_HOURS * weight))
        found.sort(key=lambda reason: (-abs(reason.hours), reason.kind, reason.name))
        hours = OPENED_HOURS if card.state.opened else sum(reason.hours for reason in found)
        return Scored(card, hours, tuple(found[:_TOLD_REASONS]))

    def _find_terms(self, card: Card) -> list[Reason]:
        """What the keywords tell: each by its weight in the article, all together no more than a term's share."""
        keywords = card.keywords[:_KEYWORDS]
        found = [(name, weight * self._weigh(name)) for name, weight in keywords]
        total = sum(abs(weight) for _, weight in found)
        scale = SHARES["term"] * MOST_HOURS / max(total, 1.0)
        return [Reason("term", name, weight * scale) for name, weight in found if weight]

    def _weigh(self, keyword: str) -> float:
        whole = self._whole.get(("term", name_of("term", keyword)))
        if whole is not None:
            return _WHOLE * whole
        return _PART * max((self._parts.get(part, 0.0) for part in parts_of(keyword)), key=abs, default=0.0)


def name_of(kind: str, name: str) -> str:
    """An interest's name as names are compared."""
    return fold(name) if kind == "term" else name


def parts_of(keyword: str) -> set[str]:
    """The words of a keyword that tell something by themselves."""
    return {
        term.name
        for term in find_terms(keyword)
        if len(term.name) >= _LEAST_PART or (len(term.name) > 1 and not term.name.isascii() and term.name > "\u2e80")
    }
