"""Subscription, Card, Article, State: what is stored, as Python has it (types)."""

from dataclasses import dataclass, field
from typing import Any

RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})  # languages


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription. Times are seconds since 1970; 0 is never."""

    id: int
    url: str
    title: str = ""
    site: str = ""
    location: str = ""  # the address that answered last, behind redirects
    etag: str = ""
    modified: str = ""
    checked: int = 0
    succeeded: int = 0
    due: int = 0
    interval: int = 3600
    failures: int = 0
    problem: str = ""
    state: str = "live"  # live, moved (and read where it is now), dead (and not read), left (but has saved articles)
    previous: str = ""  # where a moved feed was before
    added: int = 0
    folder: str = ""  # as the OPML that it came from has it; parts apart by "/"
    articles: int = 0
    newest: int = 0  # when its newest article was published

    @property
    def name(self) -> str:
        """What it is called: its title, or its address where it has none."""
        return self.title or self.url


@dataclass(frozen=True, slots=True)
class State:
    """What a profile did with an article: the moments, 0 where it did not. `liked` is 1, -1 or 0."""

    opened: int = 0
    finished: int = 0
    saved: int = 0
    hidden: int = 0
    liked: int = 0


@dataclass(frozen=True, slots=True)
class Card:
    """What a list shows of an article."""

    id: int
    feed: int
    source: str  # the feed's name
    url: str
    title: str
    author: str
    published: int
    fetched: int
    language: str
    lead_image: str
    words: int
    confidence: float | None
    origin: str  # "page" or "feed": where the text is from
    problem: str
    story: int
    category: str
    category_chance: float
    keywords: tuple[tuple[str, float], ...]  # best first
    sentences: tuple[tuple[int, str], ...]  # the five best with their numbers, best first
    state: State = State()
    snippet: str = ""  # of a search: the place that was found, which stands between \x02 and \x03

    def summarise(self, count: int = 3) -> str:
        """The best sentences, as many as that, in their order."""
        return " ".join(sentence for _, sentence in sorted(self.sentences[:count]))


@dataclass(frozen=True, slots=True)
class Article:
    """All that is stored of an article."""

    card: Card
    text: str
    markdown: str
    html: str  # for reading: a fragment of semantic tags alone
    guid: str = ""
    categories: tuple[str, ...] = ()  # what the feed and the page call it
    sentences: tuple[tuple[int, int], ...] = ()  # offsets in text
    ranking: tuple[int, ...] = ()  # sentences, best first
    noise: tuple[int, ...] = ()  # sentences that have nothing to do with the article
    media: tuple[dict[str, Any], ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    signature: bytes = b""

    def summarise(self, count: int = 3) -> str:
        """The best sentences, as many as that, in their order."""
        numbers = sorted(number for number in self.ranking[:count] if 0 <= number < len(self.sentences))
        return " ".join(" ".join(self.text[slice(*self.sentences[number])].split()) for number in numbers)
