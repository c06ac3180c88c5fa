"""A visit in, the front page, the saved articles or what a search found out."""

import time
from dataclasses import replace
from datetime import date, datetime
from itertools import groupby
from urllib.parse import quote, urlencode

from starlette.responses import Response

from bodytext.reader.pages.cards import begin, gather_stories, render_cards
from bodytext.reader.pages.display_settings import ORDERS
from bodytext.reader.pages.html_builder import Html, Piece, el
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import PageInfo, choice, form, render
from bodytext.reader.pages.reader_request import ReaderRequest, answer_page, read_number
from bodytext.reader.pages.time_format import count, day_of, tell_ago, tell_day
from bodytext.reader.profiles.scores import Scored
from bodytext.reader.store.articles import PAGE_SIZE, ArticleQuery
from bodytext.reader.store.records import Card

_STEP = 24  # cards on a page
BOOKS = (("epub", "EPUB"), ("markdown", "Markdown"), ("html", "HTML"))
_MOST_PAGES = 200  # of the personal order; who wants more looks at the newest, or searches


def show_front(request: ReaderRequest) -> Response:
    """The front page: of all, a category or a source, in personal order or newest first."""
    wish = read_wish(request)
    feed = request.store.feeds.find(wish.feed) if wish.feed else None
    chosen, older = list_front(request, wish)
    title = feed.name if feed else begin(wish.category) or "Front page"
    content: list[Piece] = [_render_masthead(request, wish, feed.name if feed else "")]
    if not chosen:
        content.append(_render_nothing(request, wish))
    elif is_personal(request, wish):
        content.append(el("section.edition", render_cards(request, gather_stories(chosen))))
    else:
        content += _render_days(request, chosen)
    content.append(_render_turn(older, [one.card for one in chosen], request))
    return answer_page(render(request, PageInfo(title, "front", "front"), content))


def show_saved(request: ReaderRequest) -> Response:
    """What was saved, last first."""
    wish = ArticleQuery(profile=request.profile.id, saved=True, hidden=True, limit=PAGE_SIZE, before=_read_before(request))
    cards = request.store.articles.list_cards(wish)
    older = "?" + urlencode({"before": f"{cards[-1].state.saved}.{cards[-1].id}"}) if len(cards) == wish.limit else ""
    empty = _render_empty("saved", "Nothing is saved.", "Press the ribbon on a card, or s while you read.")
    return answer_page(
        render(
            request,
            PageInfo("Saved", "saved", "front"),
            _render_head("Saved", "What you keep for later. It stays here when its feed goes."),
            render_cards(request, [(Scored(card), []) for card in cards], "rows") if cards else empty,
            _render_turn(older, [], request),
            el("nav.turn", _render_taking("/saved", "Take them along")) if cards else None,
        )
    )


def show_search(request: ReaderRequest) -> Response:
    """What a search found, best first."""
    words = request.ask("q").strip()
    page = min(request.ask_number("page"), 30)
    started = time.perf_counter()
    cards = request.store.articles.search(words, request.profile.id, limit=PAGE_SIZE, offset=page * PAGE_SIZE)
    taken = (time.perf_counter() - started) * 1000
    older = "?" + urlencode({"q": words, "page": page + 1}) if len(cards) == PAGE_SIZE else ""
    field = el(
        "form.find.large",
        icon("search"),
        el("input", type="search", name="q", value=words, placeholder="Words, \u201cphrases\u201d, -without",
           aria_label="Search all articles", autofocus=not words, enterkeyhint="search"),
        el("button.button", "Search", type="submit"),
        method="get", action="/search", role="search",
    )  # fmt: skip
    if cards:
        found: Piece = [
            el("p.faint.found", f"{count(len(cards), 'article')}{' and more' if older else ''} in {taken:.0f} ms"),
            render_cards(request, [(Scored(card), []) for card in cards], "rows"),
        ]
    elif words:
        found = _render_empty(
            "search", f"Nothing has \u201c{words[:100]}\u201d.", "All words must be there; try fewer."
        )
    else:
        found = el(
            "p.faint.found",
            "Every word must be there. \u201cPhrases\u201d are found as they stand, and -words leave articles out.",
        )
    return answer_page(
        render(
            request,
            PageInfo(f"{words} · Search" if words else "Search", "search", "front"),
            _render_head("Search", ""),
            field,
            found,
            _render_turn(older, [], request),
        )
    )


def read_wish(request: ReaderRequest) -> ArticleQuery:
    """What the query wishes for."""
    return ArticleQuery(
        profile=request.profile.id,
        category=request.ask("category"),
        feed=request.ask_number("feed"),
        unread=bool(request.settings.unread),
        before=_read_before(request),
        limit=_STEP,
    )


def is_personal(request: ReaderRequest, wish: ArticleQuery) -> bool:
    """Whether the order is a person's own; that of one source is by time."""
    return read_order(request) == "personal" and not wish.feed


def read_order(request: ReaderRequest) -> str:
    """The order of this page: what the query says, else what the device wants."""
    asked = request.ask("order")
    return asked if asked in ORDERS else request.settings.order


def list_front(request: ReaderRequest, wish: ArticleQuery) -> tuple[list[Scored], str]:
    """The cards of a front page in their order, and the query that leads to the next ones."""
    wanted = (("category", wish.category), ("feed", wish.feed), ("order", request.ask("order")))
    named = {name: value for name, value in wanted if value}
    if is_personal(request, wish):
        page = min(request.ask_number("page"), _MOST_PAGES)
        ordered = request.profile.list_front(replace(wish, before=None), page * _STEP)
        older = {**named, "page": page + 1} if len(ordered) == _STEP else {}
        # What was opened taught the interests that lift it: it makes room for what is new.
        ordered.sort(key=lambda one: bool(one.card.state.opened))
        return ordered, "?" + urlencode(older) if older else ""
    cards = request.store.articles.list_cards(wish)
    older = {**named, "before": f"{cards[-1].published}.{cards[-1].id}"} if len(cards) == wish.limit else {}
    return [Scored(card) for card in cards], "?" + urlencode(older) if older else ""


def _read_before(request: ReaderRequest) -> tuple[int, int] | None:
    moment, _, number = request.ask("before").partition(".")
    return (read_number(moment), read_number(number)) if number else None


def _render_head(title: str, words: str) -> Html:
    return el("header.head", el("h1", title, dir="auto"), el("p.faint", words) if words else None)


def _render_masthead(request: ReaderRequest, wish: ArticleQuery, source: str) -> Html:
    """The day, what waits to be read, and which part of it is shown in which order."""
    now = datetime.now().astimezone()
    day = f"{now.strftime('%A')}, {now.day} {now.strftime('%B')}"
    counts = request.store.states.count(request.profile.id)
    checked = request.store.connection.execute("SELECT coalesce(max(checked), 0) FROM feeds").fetchone()[0]
    facts = f"{count(counts['unread'], 'article')} unread · updated {tell_ago(checked)}" if checked else ""
    categories = sorted(request.store.articles.count_categories())
    tabs = [
        el("a", begin(name) or "All", href=f"/?category={quote(name)}" if name else "/",
           aria_current="page" if name == wish.category and not source else None)
        for name in ["", *categories]
    ]  # fmt: skip
    return el(
        "header.masthead",
        el(
            "div.dateline",
            el("h1", source or day, dir="auto"),
            el("p.faint", "Newest first · all of this source" if source else facts),
        ),
        el("div.strip", el("nav.tabs", tabs, aria_label="Categories"), _render_order(request) if not source else None)
        if counts["articles"]
        else None,
    )


def _render_order(request: ReaderRequest) -> Html:
    settings = request.settings
    return form(
        request,
        "settings",
        el(
            "div.choices",
            choice("order", "personal", "For you", chosen=read_order(request) == "personal"),
            choice("order", "newest", "Newest", chosen=read_order(request) == "newest"),
            role="group",
            aria_label="Order",
        ),
        choice("unread", 0 if settings.unread else 1, "Unread", chosen=bool(settings.unread)),
        name="form.order",
        data_reload=True,
    )


def _render_days(request: ReaderRequest, chosen: list[Scored]) -> list[Html]:
    """Cards newest first, day by day."""
    today: date = datetime.now().astimezone().date()
    return [
        el("section.edition", el("h2.day", tell_day(day, today)), render_cards(request, gather_stories(placed)))
        for day, placed in groupby(chosen, key=lambda one: day_of(one.card.published))
    ]


def _render_turn(older: str, shown: list[Card], request: ReaderRequest) -> Html | None:
    """The end of a page: older ones, and all of these read."""
    pieces: list[Piece] = []
    if shown:
        numbers = ",".join(str(card.id) for card in shown)
        pieces.append(
            form(
                request,
                "all-read",
                el("input", type="hidden", name="articles", value=numbers),
                el("button.button", icon("check"), "All of these are read", type="submit"),
                data_reload=True,
            )
        )
    if request.http.url.path == "/" and shown:
        today = datetime.now().astimezone().date()
        day = day_of(max(card.published for card in shown))  # soon after midnight today has nothing yet
        called = tell_day(day, today)
        words = called.lower() if called in {"Today", "Yesterday"} else called
        pieces.append(_render_taking(f"/digest/{day.isoformat()}", f"Take {words} along"))
    if older:
        pieces.append(el("a.button.older", "Older", icon("next"), href=older, rel="next"))
    return el("nav.turn", pieces, aria_label="More") if pieces else None


def _render_taking(path: str, words: str) -> Html:
    """A menu of the forms in which articles can be taken along."""
    links = [el("a", title, href=f"{path}/{name}", download=True) for name, title in BOOKS]
    return el("details.menu.export", el("summary.button", icon("export"), words), el("div.sheet", links))


def _render_empty(drawing: str, words: str, advice: Piece) -> Html:
    return el("div.nothing", icon(drawing), el("h2", words), el("p", advice))


def _render_nothing(request: ReaderRequest, wish: ArticleQuery) -> Html:
    """What to do where there are no cards."""
    if not request.store.feeds.list_all():
        advice = el(
            "div.welcome",
            el("p", "Give the address of a feed, or of a site that has one. Its articles come here, clean and whole."),
            form(
                request,
                "subscribe",
                el("input", type="text", name="address", placeholder="news.example", inputmode="url",
                   aria_label="Address of a site or feed", autocomplete="url", required=True),
                el("button.button.strong", "Subscribe", type="submit", name="home", value=1),
                el("p.wrong", hidden=True, role="alert"),
                name="form.subscribe",
                data_reload=True,
            ),
            el("p", el("a", "Or bring subscriptions from another reader (OPML)", href="/feeds#import")),
        )  # fmt: skip
        return el("div.nothing", icon("feeds"), el("h2", "Read what you choose."), advice)
    if request.context.updater.status.running:
        return _render_empty("update", "The first articles are on their way.", "They appear here when they are read.")
    if wish.unread:
        return _render_empty("check", "All is read.", "Press \u201cUnread\u201d above to see what was read.")
    return _render_empty("front", "There is nothing here yet.", "Press u, or the arrow above, to look for news.")


def find_next(request: ReaderRequest, card: Card) -> Card | None:
    """What comes after an article: the newest unread one that is older."""
    wish = ArticleQuery(profile=request.profile.id, unread=True, before=(card.published, card.id), limit=1)
    found = request.store.articles.list_cards(wish)
    return found[0] if found else None
