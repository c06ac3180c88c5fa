"""Show the subscriptions: add and remove them, import and export them."""

from datetime import datetime
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from bodytext.corpus.progress import format_count
from bodytext.methods import METHODS
from bodytext.reader.collection.opml import write_opml
from bodytext.reader.pages.html_builder import Html, el, el_if
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import PageInfo, render, render_form
from bodytext.reader.pages.reader_request import ReaderRequest, respond_page
from bodytext.reader.pages.time_format import format_ago
from bodytext.reader.store.records import Subscription


def show_feeds(request: ReaderRequest) -> Response:
    """Show the subscriptions."""
    feeds = request.store.feeds.list_all(request.profile.id)
    articles, unread = sum(feed.articles for feed in feeds), sum(feed.unread for feed in feeds)
    words = f"{format_count(len(feeds), 'feeds')}, {format_count(articles, 'articles')}, {unread:,} unread"
    folders: dict[str, list[Subscription]] = {}
    for feed in feeds:
        folders.setdefault(feed.folder, []).append(feed)
    return respond_page(
        render(
            request,
            PageInfo("Subscriptions", "feeds", "subscriptions"),
            el(
                "header.head",
                el("h1", "Subscriptions"),
                el("p.faint", words if feeds else "None yet."),
            ),
            _render_add(request),
            _render_folders(request, folders),
            el(
                "datalist",
                [el("option", value=name) for name in sorted(folders) if name],
                id="folders",
            ),
            _render_transfer(request, feeds),
        )
    )


def send_status(request: ReaderRequest) -> Response:
    """Send the status of an update, for the script."""
    status = request.context.scheduler.status
    return JSONResponse(
        {
            "running": status.running,
            "message": status.describe(),
            "ended": status.ended,
            "stored": status.progress.stored,
        }
    )


def download_opml(request: ReaderRequest) -> Response:
    """Send the subscriptions as OPML."""
    name = f"subscriptions-{datetime.now().astimezone():%Y-%m-%d}.opml"
    return Response(
        write_opml([feed for feed in request.store.feeds.list_all() if feed.kind == "feed"]),
        headers={"content-disposition": f'attachment; filename="{name}"'},
        media_type="text/x-opml",
    )


def _render_add(request: ReaderRequest) -> Html:
    return render_form(
        request,
        "subscribe",
        el("label", "Address of a site or a feed", for_="address"),
        el(
            "div.line",
            el("input", type="text", id="address", name="address", placeholder="news.example",
               inputmode="url", autocomplete="url", autocapitalize="none", spellcheck="false",
               required=True),
            el("button.button.strong", "Subscribe", type="submit"),
        ),
        el("p.wrong", hidden=True, role="alert"),
        name="form.subscribe",
        data_reload=True,
    )  # fmt: skip


def _render_folders(request: ReaderRequest, folders: dict[str, list[Subscription]]) -> list[Html]:
    """Render folders by name; the feeds without one come last."""
    names = sorted(folders, key=lambda name: (not name, name))
    other = "h2" if len(names) > 1 else "h2.unseen"
    return [_render_folder(request, name, folders[name], other) for name in names]


def _render_folder(
    request: ReaderRequest, name: str, feeds: list[Subscription], other: str
) -> Html:
    rows = [_render_feed(request, feed) for feed in feeds]
    link = el("a", name.replace("/", " / "), href=f"/?folder={quote(name)}", dir="auto")
    unread = sum(feed.unread for feed in feeds)
    count = el_if(unread, "span.chip", f"{unread:,} unread")
    heading = el("h2", link, count) if name else el(other, "Without a folder")
    return el("section.folder", heading, el("ul.feeds", rows))


def _render_feed(request: ReaderRequest, feed: Subscription) -> Html:
    state = _find_state(feed)
    name = el("a", feed.name, href=f"/?feed={feed.id}", dir="auto")
    address = el("a", feed.url, href=feed.url, rel="noopener noreferrer", target="_blank")
    return el(
        f"li.feed.{state or 'live'}",
        el(
            "div",
            el("h3", name, el_if(feed.unread, "span.chip.unread", f"{feed.unread:,}",
                                 title=f"{feed.unread:,} unread"),
               el_if(state, "span.chip", state)),
            el("p.address", address),
            el("p.faint", [el("span", fact) for fact in _list_facts(feed)]),
            _render_problem(feed),
        ),
        el("div.feed-do", _render_settings(request, feed), _render_buttons(request, feed)),
    )  # fmt: skip


def _render_settings(request: ReaderRequest, feed: Subscription) -> Html:
    """Render the folder of a feed, and how the text of its pages is found."""
    methods = [("", "the usual one"), *((name, name) for name in METHODS)]
    options = [
        el("option", title, value=name, selected=name == feed.method) for name, title in methods
    ]
    return el(
        "details.menu.settings",
        el("summary.quiet.small", "Settings", el("span.unseen", f" of {feed.name[:80]}")),
        render_form(
            request,
            "feed",
            el("input", type="hidden", name="feed", value=feed.id),
            el("label", "Folder", el("input", type="text", name="folder", value=feed.folder,
                                     maxlength=100, list="folders", autocomplete="off")),
            el("label", "Method that finds the text", el("select", options, name="method")),
            el("label.check", el("input", type="checkbox", name="titled", value="1",
                                 checked=bool(feed.titled)),
               "It is given the feed's title (cuter)"),
            el("button.button", "Set", type="submit", name="do", value="settings"),
            name="form.sheet",
            data_reload=True,
        ),
    )  # fmt: skip


def show_choice(request: ReaderRequest) -> Response:
    """Show what can be subscribed to at an address that has several feeds or none."""
    address = request.read_query("address")
    found = request.context.found.get(address)
    choices = [
        el("li", el("button.choice", feed.title or feed.url, type="submit", name="choice",
                    value=feed.url, dir="auto"),
           el("span.faint", f"{format_count(feed.entries, 'articles')} · {feed.url}"))
        for feed in found or ()
    ]  # fmt: skip
    title = "Which feed?" if choices else "This page names no feed."
    page = el("button.button", "Make a feed of the headlines on this page", type="submit",
              name="choice", value="page")  # fmt: skip
    form = render_form(
        request,
        "subscribe",
        el("input", type="hidden", name="address", value=address),
        el_if(choices, "ul.choices-list", choices),
        page,
        el("p.wrong", hidden=True, role="alert"),
        name="form.choose",
        data_reload=True,
    )
    if found is None:
        form = el("p", el("a", "Enter the address again", href="/feeds"))
    head = el("header.head", el("h1", title), el("p.faint", address, dir="auto"))
    return respond_page(render(request, PageInfo("Subscribe", "feeds", "person"), head, form))


def _find_state(feed: Subscription) -> str:
    """Return the state that is shown; none for a feed that works."""
    if feed.state == "live":
        return "trouble" if feed.failures else ""
    return feed.state


def _list_facts(feed: Subscription) -> list[str]:
    newest = f"newest {format_ago(feed.newest)}" if feed.newest else "no articles yet"
    checked = f"checked {format_ago(feed.checked)}" if feed.checked else "not checked yet"
    return [format_count(feed.articles, "articles"), newest, checked]


def _render_problem(feed: Subscription) -> Html | None:
    """Render what is wrong with a feed, or where it moved from."""
    if feed.problem:
        return el("p.trouble", f"{_describe_failure(feed)} {feed.problem}")
    if feed.state == "moved" and feed.previous:
        return el("p.trouble", f"Moved here from {feed.previous}.")
    return None


def _render_buttons(request: ReaderRequest, feed: Subscription) -> Html:
    name = feed.name[:80]
    title = "Try again" if feed.state == "dead" else "Check this feed"
    return render_form(
        request,
        "feed",
        el("input", type="hidden", name="feed", value=feed.id),
        el("button.quiet.icon", icon("update"), type="submit", name="do", value="update",
           title=title, aria_label=f"Check {name}"),
        el("button.quiet.small", "Unsubscribe", type="submit", name="do", value="unsubscribe",
           aria_label=f"Unsubscribe from {name}",
           data_confirm=f"Unsubscribe from {name}? Its articles are deleted, except saved ones."),
        data_reload=True,
    )  # fmt: skip


def _describe_failure(feed: Subscription) -> str:
    if feed.state == "dead":
        return "No longer checked:"
    if feed.failures > 1:
        return f"Failed {feed.failures} times in a row:"
    return "The last check failed:"


def _render_transfer(request: ReaderRequest, feeds: list[Subscription]) -> Html:
    """Render the forms that import and export subscriptions."""
    return el(
        "section.transfer",
        el("h2", "Import and export"),
        el("p.faint", "OPML files move subscriptions from one reader to another."),
        el(
            "div.line",
            render_form(
                request,
                "import",
                el(
                    "label.button",
                    "Import an OPML file",
                    el("input", type="file", name="opml", accept=".opml,.xml", required=True),
                ),
                el("button.button.bring", "Import", type="submit"),
                name="form.import",
                enctype="multipart/form-data",
                data_reload=True,
                id="import",
            ),
            el(
                "a.button",
                icon("export"),
                "Export as OPML",
                href="/subscriptions.opml",
                download=True,
            )
            if feeds
            else None,
            render_form(
                request,
                "letter",
                el(
                    "label.button",
                    "Import a newsletter (.eml)",
                    el(
                        "input",
                        type="file",
                        name="letter",
                        accept=".eml,message/rfc822",
                        required=True,
                    ),
                ),
                el("button.button.bring", "Take in", type="submit"),
                name="form.import",
                enctype="multipart/form-data",
                data_reload=True,
            ),
        ),
    )
