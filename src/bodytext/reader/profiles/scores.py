"""Score articles by interests: by how many hours an article is moved, and for which reasons."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bodytext.reader.analysis.terms import find_terms, fold
from bodytext.reader.profiles.read_stories import ReadStory
from bodytext.reader.store.records import Card

HOUR = 3600
# By which all reasons together move an article: older articles are no longer news.
MOST_HOURS = 48.0
OPENED_HOURS = -24.0  # an opened article moves back, however interesting it is
# The share of MOST_HOURS of each kind: the topics of an article count more than its source.
SHARES = {"term": 0.6, "source": 0.15, "category": 0.25}
_WHOLE, _PART = 1.0, 0.4  # a keyword that is an interest, and one that shares a word with it
_LEAST_PART = 5  # letters of a word that counts by itself; shorter ones are syllables and the like
_KEYWORDS = 8  # of an article, the best
_SHOWN_HOURS = 1.0  # a reason that moves an article by less is not shown
_MOST_REASONS = 3
NEWS = "much is new in this story since you read it"
_PHRASES = {
    "term": "because you read about",
    "source": "because you read",
    "category": "because you read about",
    "liked": "because you like",
}


class Interest(NamedTuple):
    """An interest of a profile, from 1 (very much) to -1 (not at all)."""

    kind: str  # "term", "source" or "category"
    name: str  # of a source, the number of the feed
    weight: float
    fixed: bool = False  # set by hand
    title: str = ""  # to show: the title of a source, else the name


class InterestReason(NamedTuple):
    """Why an article is moved."""

    kind: str
    name: str  # as the article has it
    hours: float
    is_liked: bool = False  # articles of this category were liked, or it was set by hand

    def describe(self) -> str:
        """Return the reason in words."""
        if self.hours > 0:
            return f"{_PHRASES['liked' if self.is_liked else self.kind]} {self.name}"
        return f"you pass over {self.name}"


@dataclass(frozen=True, slots=True)
class ScoredCard:
    """A card with its score for a profile."""

    card: Card
    hours: float = 0.0  # it is ordered as if it were newer by so much
    reasons: tuple[InterestReason, ...] = ()  # strongest first
    is_known: bool = False  # it was opened, or another article that tells the same
    has_news: bool = False  # its story was read, and it tells much more

    @property
    def moment(self) -> float:
        """The time of publication, moved by the score. The greatest comes first."""
        return self.card.published + self.hours * HOUR

    @property
    def because(self) -> str:
        """The strongest reason why it is moved up, in words; empty if it is not."""
        if self.has_news:
            return NEWS
        return next(
            (reason.describe() for reason in self.reasons if reason.hours >= _SHOWN_HOURS), ""
        )


class Scorer:
    """Scores cards by interests."""

    def __init__(
        self,
        interests: Iterable[Interest],
        likes: Mapping[str, int] | None = None,
        read: Mapping[int, ReadStory] | None = None,
    ) -> None:
        self._likes, self._read = dict(likes or {}), read or {}
        self._whole: dict[tuple[str, str], float] = {}
        self._parts: dict[str, float] = {}
        for interest in interests:
            self._whole[interest.kind, name_of(interest.kind, interest.name)] = interest.weight
            if interest.fixed and interest.kind == "category":
                self._likes[interest.name] = 1
            if interest.kind == "term":
                self._add_parts(interest)

    def _add_parts(self, interest: Interest) -> None:
        for part in parts_of(interest.name):
            if abs(interest.weight) > abs(self._parts.get(part, 0.0)):
                self._parts[part] = interest.weight

    def score_all(self, cards: Iterable[Card]) -> list[ScoredCard]:
        """Return the cards with the hours by which they are moved, in the given order."""
        return [self.score(card) for card in cards]

    def score(self, card: Card) -> ScoredCard:
        """Return the card with the hours by which it is moved."""
        story = self._read.get(card.story)
        if card.state.opened:
            return ScoredCard(card, OPENED_HOURS, is_known=True)
        if story and card.id not in story.with_news:
            # Right after the article that was read, which then names its source.
            behind = (story.published - card.published - 1) / HOUR
            return ScoredCard(card, min(behind, 0.0) + OPENED_HOURS, is_known=True)
        reasons = self._weigh_keywords(card)
        for kind, name, title in (
            ("source", str(card.feed), card.source),
            ("category", card.category, card.category),
        ):
            weight = self._whole.get((kind, name), 0.0)
            if weight and name:
                hours = SHARES[kind] * MOST_HOURS * weight
                is_liked = kind == "category" and self._likes.get(name, 0) > 0
                reasons.append(InterestReason(kind, title, hours, is_liked))
        reasons.sort(key=lambda reason: (-abs(reason.hours), reason.kind, reason.name))
        total = sum(reason.hours for reason in reasons)
        return ScoredCard(card, total, tuple(reasons[:_MOST_REASONS]), has_news=story is not None)

    def _weigh_keywords(self, card: Card) -> list[InterestReason]:
        """Return a reason for each keyword of interest, together at most the share of terms."""
        weights = [(name, weight * self._weigh(name)) for name, weight in card.keywords[:_KEYWORDS]]
        total = sum(abs(weight) for _, weight in weights)
        scale = SHARES["term"] * MOST_HOURS / max(total, 1.0)
        return [InterestReason("term", name, weight * scale) for name, weight in weights if weight]

    def _weigh(self, keyword: str) -> float:
        whole = self._whole.get(("term", name_of("term", keyword)))
        if whole is not None:
            return _WHOLE * whole
        return _PART * max(
            (self._parts.get(part, 0.0) for part in parts_of(keyword)), key=abs, default=0.0
        )


def name_of(kind: str, name: str) -> str:
    """Return the name of an interest as it is compared."""
    return fold(name) if kind == "term" else name


def parts_of(keyword: str) -> set[str]:
    """Return the words of a keyword that mean something by themselves."""
    return {term.name for term in find_terms(keyword) if _has_meaning(term.name)}


def _has_meaning(word: str) -> bool:
    """Whether a word is long enough; two characters of a script without spaces are."""
    return len(word) >= _LEAST_PART or (len(word) > 1 and word > "\u2e80")
