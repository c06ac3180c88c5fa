"""Show lists of articles: the front page, the saved ones and the results of a search."""

import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from urllib.parse import urlencode

from starlette.responses import Response

from bodytext.reader.pages.display_settings import ORDERS
from bodytext.reader.pages.reader_request import ReaderRequest, read_number
from bodytext.reader.pages.rendering import respond
from bodytext.reader.pages.time_format import day_of, format_day
from bodytext.reader.profiles.scores import ScoredCard
from bodytext.reader.store.articles import PAGE_SIZE, ArticleQuery
from bodytext.reader.store.records import Card

_FRONT_SIZE = 24  # cards
_MOST_PAGES = 200  # of the personal order; older articles are under "Newest", or found by search
_MOST_RESULT_PAGES = 30
Story = tuple[ScoredCard, list[Card]]  # the first card of a story, and its others


def show_front(request: ReaderRequest) -> Response:
    """Show all articles, or those of a category or a source, in personal order or newest first."""
    query = read_article_query(request)
    feed = request.store.feeds.find(query.feed)
    cards, older = list_front(request, query)
    now = datetime.now().astimezone()
    sections = [("", _gather_stories(cards))] if cards else []
    if not _is_personal(request, query):
        days = groupby(cards, key=lambda scored: day_of(scored.card.published))
        sections = [(format_day(day, now.date()), _gather_stories(group)) for day, group in days]
    # The newest day with articles: soon after midnight, today has none.
    newest = day_of(max((scored.card.published for scored in cards), default=0))
    name = format_day(newest, now.date())
    last_check = "SELECT coalesce(max(checked), 0) FROM feeds"
    return respond(
        request,
        "front",
        query=query,
        source=feed.name if feed else query.folder.replace("/", " / "),
        order=_read_order(request),
        now=now,
        counts=request.store.states.count(request.profile.id),
        checked=request.store.connection.execute(last_check).fetchone()[0],
        categories=["", *sorted(request.store.articles.count_categories())],
        has_feeds=bool(request.store.feeds.list_all()),
        sections=sections,
        older=older,
        numbers=[scored.card.id for scored in cards],
        newest=newest,
        newest_name=name.lower() if name in {"Today", "Yesterday"} else name,
    )


def show_saved(request: ReaderRequest) -> Response:
    """Show the saved articles, the last one first."""
    before = _read_before(request)
    query = ArticleQuery(profile=request.profile.id, saved=True, hidden=True, before=before)
    cards = request.store.articles.list_cards(query)
    older = ""
    if len(cards) == query.limit:
        older = urlencode({"before": f"{cards[-1].state.saved}.{cards[-1].id}"})
    return respond(request, "saved", stories=_list_rows(cards), older=older)


def show_search(request: ReaderRequest) -> Response:
    """Show the results of a search, the best first."""
    words = request.read_query("q").strip()
    page = min(request.read_query_number("page"), _MOST_RESULT_PAGES)
    started = time.perf_counter()
    offset = page * PAGE_SIZE
    cards = request.store.articles.search(words, request.profile.id, limit=PAGE_SIZE, offset=offset)
    return respond(
        request,
        "search",
        words=words,
        milliseconds=(time.perf_counter() - started) * 1000,
        stories=_list_rows(cards),
        older=urlencode({"q": words, "page": page + 1}) if len(cards) == PAGE_SIZE else "",
    )


def _list_rows(cards: list[Card]) -> list[Story]:
    return [(ScoredCard(card), []) for card in cards]


def _gather_stories(cards: Iterable[ScoredCard]) -> list[Story]:
    """Gather cards by story, in the order of each story's first card."""
    stories: dict[int, Story] = {}
    for scored in cards:
        key = scored.card.story or -scored.card.id
        if key in stories:
            stories[key][1].append(scored.card)
        else:
            stories[key] = (scored, [])
    return list(stories.values())


def read_article_query(request: ReaderRequest) -> ArticleQuery:
    """Read which articles a request asks for."""
    return ArticleQuery(
        profile=request.profile.id,
        category=request.read_query("category"),
        feed=request.read_query_number("feed"),
        folder=request.read_query("folder"),
        unread=bool(request.settings.unread),
        before=_read_before(request),
        limit=_FRONT_SIZE,
    )


def _read_before(request: ReaderRequest) -> tuple[int, int] | None:
    """Read the moment and the number of the last article of the previous page."""
    moment, _, number = request.read_query("before").partition(".")
    return (read_number(moment), read_number(number)) if number else None


def _read_order(request: ReaderRequest) -> str:
    """Read the order of a list from the address, or from the settings."""
    order = request.read_query("order")
    return order if order in ORDERS else request.settings.order


def _is_personal(request: ReaderRequest, query: ArticleQuery) -> bool:
    """Whether a list has the personal order; a single source is always newest first."""
    return _read_order(request) == "personal" and not query.feed


def list_front(request: ReaderRequest, query: ArticleQuery) -> tuple[list[ScoredCard], str]:
    """Return the cards of a front page, and the query of the next page if there is one."""
    if _is_personal(request, query):
        page = min(request.read_query_number("page"), _MOST_PAGES)
        scored = request.profile.list_front(replace(query, before=None), page * _FRONT_SIZE)
        is_full = len(scored) == _FRONT_SIZE
        # What is known makes room for what is new.
        scored.sort(key=lambda card: card.is_known)
        return scored, _query_next(request, query, page=str(page + 1)) if is_full else ""
    cards = request.store.articles.list_cards(query)
    if len(cards) < query.limit:
        return [ScoredCard(card) for card in cards], ""
    last = f"{cards[-1].published}.{cards[-1].id}"
    return [ScoredCard(card) for card in cards], _query_next(request, query, before=last)


def _query_next(request: ReaderRequest, query: ArticleQuery, **place: str) -> str:
    order = request.read_query("order")
    values = {
        "category": query.category,
        "feed": query.feed,
        "folder": query.folder,
        "order": order,
    }
    return urlencode({name: value for name, value in values.items() if value} | place)


def find_next(request: ReaderRequest, card: Card) -> Card | None:
    """Find the article to read after another: the newest unread one that is older."""
    before = (card.published, card.id)
    query = ArticleQuery(profile=request.profile.id, unread=True, before=before, limit=1)
    return next(iter(request.store.articles.list_cards(query)), None)
