"""Choose the articles of a list, in the order that the request asks for."""

from dataclasses import replace
from urllib.parse import urlencode

from bodytext.reader.pages.display_settings import ORDERS
from bodytext.reader.pages.reader_request import ReaderRequest, read_number
from bodytext.reader.profiles.scores import ScoredCard
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.records import Card

_PAGE_SIZE = 24  # cards
_MOST_PAGES = 200  # of the personal order; older articles are under "Newest", or found by search


def read_article_query(request: ReaderRequest) -> ArticleQuery:
    """Read which articles a request asks for."""
    return ArticleQuery(
        profile=request.profile.id,
        category=request.read_query("category"),
        feed=request.read_query_number("feed"),
        folder=request.read_query("folder"),
        unread=bool(request.settings.unread),
        before=read_before(request),
        limit=_PAGE_SIZE,
    )


def read_before(request: ReaderRequest) -> tuple[int, int] | None:
    """Read the moment and the number of the last article of the previous page."""
    moment, _, number = request.read_query("before").partition(".")
    return (read_number(moment), read_number(number)) if number else None


def read_order(request: ReaderRequest) -> str:
    """Read the order of a list from the address, or from the settings."""
    order = request.read_query("order")
    return order if order in ORDERS else request.settings.order


def is_personal(request: ReaderRequest, query: ArticleQuery) -> bool:
    """Whether a list has the personal order; a single source is always newest first."""
    return read_order(request) == "personal" and not query.feed


def list_front(request: ReaderRequest, query: ArticleQuery) -> tuple[list[ScoredCard], str]:
    """Return the cards of a front page, and the link to the next page if there is one."""
    if is_personal(request, query):
        page = min(request.read_query_number("page"), _MOST_PAGES)
        scored = request.profile.list_front(replace(query, before=None), page * _PAGE_SIZE)
        is_full = len(scored) == _PAGE_SIZE
        # What is known makes room for what is new.
        scored.sort(key=lambda card: card.is_known)
        return scored, _link_next(request, query, "page", str(page + 1)) if is_full else ""
    cards = request.store.articles.list_cards(query)
    if len(cards) < query.limit:
        return [ScoredCard(card) for card in cards], ""
    last = f"{cards[-1].published}.{cards[-1].id}"
    return [ScoredCard(card) for card in cards], _link_next(request, query, "before", last)


def _link_next(request: ReaderRequest, query: ArticleQuery, name: str, value: str) -> str:
    order = request.read_query("order")
    values = {"category": query.category, "feed": query.feed, "folder": query.folder,
              "order": order, name: value}  # fmt: skip
    return "?" + urlencode({key: chosen for key, chosen in values.items() if chosen})


def find_next(request: ReaderRequest, card: Card) -> Card | None:
    """Find the article to read after another: the newest unread one that is older."""
    before = (card.published, card.id)
    query = ArticleQuery(profile=request.profile.id, unread=True, before=before, limit=1)
    return next(iter(request.store.articles.list_cards(query)), None)
