"""A visit in, the subscriptions with their states out: to add, to leave, to take along."""

from datetime import datetime

from starlette.responses import JSONResponse, Response

from bodytext.reader.collection.opml import write_opml
from bodytext.reader.pages.html_builder import Html, Piece, el
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import PageInfo, form, render
from bodytext.reader.pages.reader_request import ReaderRequest, answer_page
from bodytext.reader.pages.time_format import count, tell_ago
from bodytext.reader.store.records import Subscription

_STATES = {"live": "", "moved": "moved", "dead": "dead"}


def show_feeds(request: ReaderRequest) -> Response:
    """The page of the subscriptions."""
    feeds = request.store.feeds.list_all()
    articles = sum(feed.articles for feed in feeds)
    words = f"{count(len(feeds), 'feed')}, {count(articles, 'article')}" if feeds else "None yet."
    folders: dict[str, list[Subscription]] = {}
    for feed in feeds:
        folders.setdefault(feed.folder, []).append(feed)
    return answer_page(
        render(
            request,
            PageInfo("Subscriptions", "feeds", "subscriptions"),
            el("header.head", el("h1", "Subscriptions"), el("p.faint", words)),
            _render_add(request),
            [_render_folder(request, name, folders[name]) for name in sorted(folders)],
            _render_take_along(request, feeds),
        )
    )


def tell_status(request: ReaderRequest) -> Response:
    """How far an update is, for the script."""
    status = request.context.updater.status
    return JSONResponse(
        {"running": status.running, "words": status.tell(), "ended": status.ended, "stored": status.progress.stored}
    )


def give_opml(request: ReaderRequest) -> Response:
    """The subscriptions as OPML."""
    name = f"subscriptions-{datetime.now().astimezone():%Y-%m-%d}.opml"
    return Response(
        write_opml(request.store.feeds.list_all()),
        headers={"content-disposition": f'attachment; filename="{name}"'},
        media_type="text/x-opml",
    )


def _render_add(request: ReaderRequest) -> Html:
    return form(
        request,
        "subscribe",
        el("label", "Address of a site or a feed", for_="address"),
        el(
            "div.line",
            el("input", type="text", id="address", name="address", placeholder="news.example", inputmode="url",
               autocomplete="url", autocapitalize="none", spellcheck="false", required=True),
            el("button.button.strong", "Subscribe", type="submit"),
        ),
        el("p.wrong", hidden=True, role="alert"),
        name="form.subscribe",
        data_reload=True,
    )  # fmt: skip


def _render_folder(request: ReaderRequest, name: str, feeds: list[Subscription]) -> Html:
    rows = [_render_feed(request, feed) for feed in feeds]
    heading = el("h2", name.replace("/", " / "), dir="auto") if name else None
    return el("section.folder", heading, el("ul.feeds", rows))


def _render_feed(request: ReaderRequest, feed: Subscription) -> Html:
    news = f"newest {tell_ago(feed.newest)}" if feed.newest else "no article yet"
    facts: list[Piece] = [el("span", count(feed.articles, "article")), el("span", news)]
    facts.append(el("span", f"asked {tell_ago(feed.checked)}" if feed.checked else "not asked yet"))
    state = _STATES.get(feed.state, feed.state)
    if not state and feed.failures:
        state = "trouble"
    trouble: Piece = None
    if feed.state == "moved" and feed.previous:
        trouble = el("p.trouble", f"It moved here from {feed.previous}.")
    if feed.problem:
        trouble = el("p.trouble", f"{_tell_trouble(feed)} {feed.problem}")
    return el(
        f"li.feed.{state or 'live'}",
        el(
            "div",
            el("h3", el("a", feed.name, href=f"/?feed={feed.id}", dir="auto"),
               el("span.chip", state) if state else None),
            el("p.address", el("a", feed.url, href=feed.url, rel="noopener noreferrer", target="_blank")),
            el("p.faint", facts),
            trouble,
        ),
        form(
            request,
            "feed",
            el("input", type="hidden", name="feed", value=feed.id),
            el("button.quiet.icon", icon("update"), type="submit", name="do", value="update",
               title="Try it again" if feed.state == "dead" else "Look for news in this one",
               aria_label=f"Look for news in {feed.name[:80]}"),
            el("button.quiet.small", "Leave", type="submit", name="do", value="leave",
               aria_label=f"Leave {feed.name[:80]}",
               data_confirm=f"Leave {feed.name[:80]}? Its articles go, but for what is saved."),
            data_reload=True,
        ),
    )  # fmt: skip


def _tell_trouble(feed: Subscription) -> str:
    if feed.state == "dead":
        return "It is not asked any more:"
    return f"{feed.failures} failed in a row:" if feed.failures > 1 else "The last try failed:"


def _render_take_along(request: ReaderRequest, feeds: list[Subscription]) -> Html:
    """OPML in and out."""
    return el(
        "section.along",
        el("h2", "Take them along"),
        el("p.faint", "OPML is how readers hand over subscriptions."),
        el(
            "div.line",
            form(
                request,
                "import",
                el(
                    "label.button",
                    "Bring an OPML file",
                    el("input", type="file", name="opml", accept=".opml,.xml", required=True),
                ),
                el("button.button.bring", "Bring it", type="submit"),
                name="form.import",
                enctype="multipart/form-data",
                data_reload=True,
                id="import",
            ),
            el("a.button", icon("export"), "Save as OPML", href="/subscriptions.opml", download=True)
            if feeds
            else None,
        ),
    )
