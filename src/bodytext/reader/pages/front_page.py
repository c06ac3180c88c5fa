"""Show the front page: of all articles, a category or a source."""

from datetime import date, datetime
from itertools import groupby
from urllib.parse import quote

from starlette.responses import Response

from bodytext.corpus.progress import format_count
from bodytext.reader.pages.article_lists import (
    is_personal,
    list_front,
    read_article_query,
    read_order,
)
from bodytext.reader.pages.cards import capitalise, gather_stories, render_cards
from bodytext.reader.pages.html_builder import Html, Piece, el, el_if
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import PageInfo, render, render_choice, render_form
from bodytext.reader.pages.list_pages import render_downloads, render_empty, render_turn
from bodytext.reader.pages.reader_request import ReaderRequest, respond_page
from bodytext.reader.pages.time_format import day_of, format_ago, format_day
from bodytext.reader.profiles.scores import ScoredCard
from bodytext.reader.store.articles import ArticleQuery


def show_front(request: ReaderRequest) -> Response:
    """Show a front page, in personal order or newest first."""
    query = read_article_query(request)
    feed = request.store.feeds.find(query.feed)
    source = feed.name if feed else query.folder.replace("/", " / ")
    cards, older = list_front(request, query)
    content: list[Piece] = [_render_masthead(request, query, source)]
    if not cards:
        content.append(_render_no_cards(request, query))
    elif is_personal(request, query):
        heading = el("h2.unseen", "For you")
        content.append(el("section.edition", heading, render_cards(request, gather_stories(cards))))
    else:
        content += _render_days(request, cards)
    content.append(_render_end(request, cards, older))
    title = source or capitalise(query.category) or "Front page"
    return respond_page(render(request, PageInfo(title, "front", "front"), content))


def _render_masthead(request: ReaderRequest, query: ArticleQuery, source: str) -> Html:
    """Render the day or the source, and the categories and orders to choose from."""
    counts = request.store.states.count(request.profile.id)
    strip: list[Piece] = [_render_categories(request, None if source else query.category)]
    if source:
        title, facts = source, "All articles of this folder"
        if query.feed:
            facts = "Newest first · all articles of this source"
    else:
        now = datetime.now().astimezone()
        title = f"{now.strftime('%A')}, {now.day} {now.strftime('%B')}"
        facts = _describe_news(request, counts["unread"])
        strip.append(_render_order(request))
    dateline = el("div.dateline", el("h1", title, dir="auto"), el("p.faint", facts))
    return el("header.masthead", dateline, el_if(counts["articles"], "div.strip", strip))


def _describe_news(request: ReaderRequest, unread: int) -> str:
    statement = "SELECT coalesce(max(checked), 0) FROM feeds"
    checked = request.store.connection.execute(statement).fetchone()[0]
    if not checked:
        return ""
    return f"{format_count(unread, 'articles')} unread · updated {format_ago(checked)}"


def _render_categories(request: ReaderRequest, current: str | None) -> Html:
    tabs: list[Piece] = []
    for name in ["", *sorted(request.store.articles.count_categories())]:
        path = f"/?category={quote(name)}" if name else "/"
        state = "page" if name == current else None
        tabs.append(el("a", capitalise(name) or "All", href=path, aria_current=state))
    return el("nav.tabs", tabs, aria_label="Categories")


def _render_order(request: ReaderRequest) -> Html:
    order, unread = read_order(request), request.settings.unread
    return render_form(
        request,
        "settings",
        el(
            "div.choices",
            render_choice("order", "personal", "For you", chosen=order == "personal"),
            render_choice("order", "newest", "Newest", chosen=order == "newest"),
            role="group",
            aria_label="Order",
        ),
        render_choice("unread", int(not unread), "Unread", chosen=bool(unread)),
        name="form.order",
        data_reload=True,
    )


def _render_days(request: ReaderRequest, cards: list[ScoredCard]) -> list[Html]:
    """Render cards newest first, day by day."""
    today: date = datetime.now().astimezone().date()
    sections: list[Html] = []
    for day, group in groupby(cards, key=lambda scored: day_of(scored.card.published)):
        heading = el("h2.day", format_day(day, today))
        sections.append(
            el("section.edition", heading, render_cards(request, gather_stories(group)))
        )
    return sections


def _render_end(request: ReaderRequest, cards: list[ScoredCard], older: str) -> Html | None:
    """Render the end of the page: mark all as read, download a day, older articles."""
    if not cards:
        return render_turn([], older)
    numbers = ",".join(str(scored.card.id) for scored in cards)
    mark_all = render_form(
        request,
        "all-read",
        el("input", type="hidden", name="articles", value=numbers),
        el("button.button", icon("check"), "Mark all as read", type="submit"),
        data_reload=True,
    )
    # The newest day with articles: soon after midnight, today has none.
    day = day_of(max(scored.card.published for scored in cards))
    name = format_day(day, datetime.now().astimezone().date())
    words = name.lower() if name in {"Today", "Yesterday"} else name
    download = render_downloads(f"/digest/{day.isoformat()}", f"Download {words}")
    return render_turn([mark_all, download], older)


def _render_no_cards(request: ReaderRequest, query: ArticleQuery) -> Html:
    """Say why there are no cards, and what to do."""
    if not request.store.feeds.list_all():
        heading = el("h2", "Read what you choose.")
        return el("div.nothing", icon("feeds"), heading, _render_welcome(request))
    if request.context.scheduler.status.running:
        advice = "They appear as soon as they arrive."
        return render_empty("update", "The first articles are on their way.", advice)
    if query.unread:
        advice = "Press \u201cUnread\u201d above to see what you have read."
        return render_empty("check", "All caught up.", advice)
    advice = "Press u, or the arrow above, to check for news."
    return render_empty("front", "There are no articles yet.", advice)


def _render_welcome(request: ReaderRequest) -> Html:
    subscribe = render_form(
        request,
        "subscribe",
        el("input", type="text", name="address", placeholder="news.example", inputmode="url",
           aria_label="Address of a site or feed", autocomplete="url", required=True),
        el("button.button.strong", "Subscribe", type="submit", name="home", value=1),
        el("p.wrong", hidden=True, role="alert"),
        name="form.subscribe",
        data_reload=True,
    )  # fmt: skip
    advice = "Enter the address of a feed, or of a site that has one. Its articles appear here."
    link = el("a", "Or import subscriptions from another reader (OPML)", href="/feeds#import")
    return el("div.welcome", el("p", advice), subscribe, el("p", link))
