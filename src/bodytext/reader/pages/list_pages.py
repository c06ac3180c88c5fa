"""Show the saved articles and the results of a search, with parts that all lists share."""

import time
from urllib.parse import urlencode

from starlette.responses import Response

from bodytext.corpus.progress import format_count
from bodytext.reader.pages.article_lists import read_before
from bodytext.reader.pages.cards import render_cards
from bodytext.reader.pages.html_builder import Html, Piece, el, el_if, join
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import PageInfo, render, render_form
from bodytext.reader.pages.reader_request import ReaderRequest, respond_page
from bodytext.reader.profiles.scores import ScoredCard
from bodytext.reader.store.articles import PAGE_SIZE, ArticleQuery
from bodytext.reader.store.records import Card

EXPORT_FORMATS = (("epub", "EPUB"), ("markdown", "Markdown"), ("html", "HTML"))
_MOST_RESULT_PAGES = 30
_SEARCH_HELP = "Every word must match. Put a phrase in quotes; -word leaves articles out."


def show_saved(request: ReaderRequest) -> Response:
    """Show the saved articles, the last one first."""
    before = read_before(request)
    query = ArticleQuery(profile=request.profile.id, saved=True, hidden=True, before=before)
    cards = request.store.articles.list_cards(query)
    words = "Articles that you keep for later. They stay when you unsubscribe."
    content: list[Piece] = [_render_head("Saved", words), _render_save(request)]
    if cards:
        last = f"{cards[-1].state.saved}.{cards[-1].id}"
        older = "?" + urlencode({"before": last}) if len(cards) == query.limit else ""
        content += [_render_rows(request, cards), render_turn([], older)]
        content.append(el("nav.turn", render_downloads("/saved", "Download all")))
    else:
        advice = "Press the ribbon on a card, or s while you read."
        content.append(render_empty("saved", "Nothing saved yet.", advice))
    return respond_page(render(request, PageInfo("Saved", "saved", "front"), content))


def _render_save(request: ReaderRequest) -> Html:
    """Render the form that saves any page, and the link to the highlights."""
    return render_form(
        request,
        "save",
        el("input", type="text", name="address", placeholder="Address of any page",
           aria_label="Address of a page to save", inputmode="url", autocomplete="url",
           autocapitalize="none", required=True),
        el("button.button", "Save it", type="submit"),
        el("a.button", "Highlights and notes", href="/highlights"),
        el("p.wrong", hidden=True, role="alert"),
        name="form.line.save-page",
        data_reload=True,
    )  # fmt: skip


def show_search(request: ReaderRequest) -> Response:
    """Show the results of a search, the best first."""
    words = request.read_query("q").strip()
    page = min(request.read_query_number("page"), _MOST_RESULT_PAGES)
    started = time.perf_counter()
    offset = page * PAGE_SIZE
    cards = request.store.articles.search(words, request.profile.id, limit=PAGE_SIZE, offset=offset)
    milliseconds = (time.perf_counter() - started) * 1000
    older = "?" + urlencode({"q": words, "page": page + 1}) if len(cards) == PAGE_SIZE else ""
    if cards:
        more = " and more" if older else ""
        facts = f"{format_count(len(cards), 'articles')}{more} in {milliseconds:.0f} ms"
        results: Piece = [el("p.faint.found", facts), _render_rows(request, cards)]
    elif words:
        advice = "Every word must match. Try fewer words."
        results = render_empty("search", f"No results for \u201c{words[:100]}\u201d.", advice)
    else:
        results = el("p.faint.found", _SEARCH_HELP)
    content = [_render_head("Search"), _render_search(words), results, render_turn([], older)]
    title = f"{words} · Search" if words else "Search"
    return respond_page(render(request, PageInfo(title, "search", "front"), content))


def _render_search(words: str) -> Html:
    return el(
        "form.find.large",
        icon("search"),
        el("input", type="search", name="q", value=words, aria_label="Search all articles",
           placeholder="Words, \u201cphrases\u201d, -without", autofocus=not words, enterkeyhint="search"),
        el("button.button", "Search", type="submit"),
        method="get", action="/search", role="search",
    )  # fmt: skip


def _render_head(title: str, words: str = "") -> Html:
    return el("header.head", el("h1", title, dir="auto"), el_if(words, "p.faint", words))


def _render_rows(request: ReaderRequest, cards: list[Card]) -> Html:
    rows = render_cards(request, [(ScoredCard(card), []) for card in cards], "rows")
    return join(el("h2.unseen", "Articles"), rows)


def render_turn(pieces: list[Piece], older: str) -> Html | None:
    """Render the end of a list, with a link to older articles."""
    if older:
        pieces = [*pieces, el("a.button.older", "Older", icon("next"), href=older, rel="next")]
    return el_if(pieces, "nav.turn", pieces, aria_label="More")


def render_downloads(path: str, words: str) -> Html:
    """Render a menu of the formats in which articles can be downloaded."""
    links = [el("a", title, href=f"{path}/{name}", download=True) for name, title in EXPORT_FORMATS]
    summary = el("summary.button", icon("export"), words)
    return el("details.menu.export", summary, el("div.sheet", links))


def render_empty(drawing: str, words: str, advice: Piece) -> Html:
    """Render a list that is empty, with advice what to do."""
    return el("div.nothing", icon(drawing), el("h2", words), el("p", advice))
