"""What the reader's database stores, as values: subscriptions, cards, articles and states."""

from dataclasses import dataclass, field
from typing import Any

from bodytext.views.structure.element import Element

# Languages that are written from right to left.
RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed that is subscribed to. Times are seconds since 1970; 0 is never."""

    id: int
    url: str
    title: str = ""
    site: str = ""
    location: str = ""  # the address that answered last, after redirects
    etag: str = ""
    modified: str = ""
    checked: int = 0
    succeeded: int = 0
    due: int = 0
    interval: int = 3600
    failures: int = 0
    problem: str = ""
    # live, moved (and read at its new address), dead (not read), left (but has saved articles)
    state: str = "live"
    previous: str = ""  # the address of a moved feed before it moved
    added: int = 0
    folder: str = ""  # "/" separates the parts
    # feed, page (its links are the entries), saved (pages by their address), letters (newsletters)
    kind: str = "feed"
    method: str = ""  # that finds the text of its pages; "" is the usual one
    titled: int = 0  # 1: the method is given the titles that the feed has
    articles: int = 0
    newest: int = 0  # when its newest article was published
    unread: int = 0  # articles that the profile which asks has not opened

    @property
    def is_fetched(self) -> bool:
        """Whether it has a page or a feed; saved pages and newsletters have none."""
        return self.kind in {"feed", "page"}

    @property
    def name(self) -> str:
        """Its title, or its address if it has none."""
        return self.title or self.url


@dataclass(frozen=True, slots=True)
class State:
    """What a profile did with an article, and when; 0 is never. `liked` is 1, -1 or 0.

    `read` is when it had been open for ten seconds.
    """

    opened: int = 0
    finished: int = 0
    saved: int = 0
    hidden: int = 0
    liked: int = 0
    read: int = 0


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
    snippet: str = ""  # of a search: the text around the match, which is between \x02 and \x03
    suggestion: str = ""  # the likeliest category if the category is open

    def summarise(self, count: int = 3) -> str:
        """Return the `count` best sentences, in the order of the text."""
        return " ".join(sentence for _, sentence in sorted(self.sentences[:count]))


@dataclass(frozen=True, slots=True)
class Article:
    """All that is stored of an article."""

    card: Card
    text: str
    body: Element
    sentences: tuple[tuple[int, int], ...] = ()  # offsets in text
    ranking: tuple[int, ...] = ()  # numbers of sentences, best first
    noise: tuple[int, ...] = ()  # numbers of sentences that do not belong to the article
    media: tuple[dict[str, Any], ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)

    def read_sentence(self, number: int) -> str:
        """Return a sentence of the text on one line; nothing if there is no such sentence."""
        if not 0 <= number < len(self.sentences):
            return ""
        return " ".join(self.text[slice(*self.sentences[number])].split())

    def summarise(self, count: int = 3) -> str:
        """Return the `count` best sentences, in the order of the text."""
        return " ".join(filter(None, map(self.read_sentence, sorted(self.ranking[:count]))))
