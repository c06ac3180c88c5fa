"""Perform what forms ask for: everything that changes something in the reader.

A form sends the token of the reader's own pages, as a field or (from a script) as a header. A script
gets JSON; a browser without one goes back to the page that the form is on.
"""

import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from bodytext.corpus.progress import format_count
from bodytext.methods import METHODS
from bodytext.reader.collection.feed_finder import (
    NoFeedFoundError,
    complete,
    find_feeds,
    subscribe_page,
)
from bodytext.reader.collection.inbox import import_letter, save_page
from bodytext.reader.collection.opml import MOST_OUTLINES, import_opml
from bodytext.reader.pages.article_body import list_images
from bodytext.reader.pages.display_settings import COOKIE, YEAR, DisplaySettings
from bodytext.reader.pages.reader_request import (
    ReaderContext,
    ReaderRequest,
    parse_form,
    read_number,
)
from bodytext.reader.pages.rendering import is_link_target, show_refusal
from bodytext.reader.store.database import describe_error
from bodytext.reader.store.records import Subscription
from bodytext.studio.web.app import Refusal
from bodytext.studio.web.security import TOKEN_HEADER

PREFIX = "/do/"
_MOST_AT_ONCE = 500  # articles that are marked together
_MOST_FOUND = 100  # addresses whose feeds wait to be chosen from
_LONGEST_FOLDER = 100  # characters
_MOST_SHOWN = 5  # refused addresses
_NO_ARTICLE = "there is no such article; it may have been removed"
# The event of each field and value of a form, and the message to the user.
_EVENTS = {
    ("saved", "1"): ("saved", "Saved for later"),
    ("saved", "0"): ("unsaved", "No longer saved"),
    ("hidden", "1"): ("hidden", "Hidden"),
    ("hidden", "0"): ("unhidden", "Shown again"),
    ("liked", "1"): ("liked", "More like this"),
    ("liked", "-1"): ("disliked", "Less like this"),
    ("liked", "0"): ("unliked", "No longer rated"),
    ("read", "1"): ("read", ""),
    ("finished", "1"): ("finished", ""),
    ("opened", "0"): ("unopened", "Marked as unread"),
}

Fields = dict[str, str]


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The result of an action."""

    message: str = ""  # to the user
    values: dict[str, Any] = field(default_factory=dict)  # for the script
    settings: DisplaySettings | None = None  # if they changed
    path: str = ""  # the page to go to; empty for the page that the form is on


Action = Callable[[ReaderRequest, Fields], ActionResult]


def action_route(context: ReaderContext, name: str, action: Action) -> Route:
    """Make the route of an action."""

    async def endpoint(http: Request) -> Response:
        request = ReaderRequest(context, http)
        kind = http.headers.get("content-type", "")
        fields, request.files = parse_form(kind, await http.body())
        scripted = TOKEN_HEADER in http.headers
        token = http.headers.get(TOKEN_HEADER, "") or fields.pop("token", "")
        if not secrets.compare_digest(token.encode(), request.token.encode()):
            refusal = Refusal(403, "this page is from an earlier start of the server: reload it")
            if scripted:
                raise refusal
            return await run_in_threadpool(show_refusal, request, refusal)
        try:
            result = await run_in_threadpool(action, request, fields)
        except (ValueError, sqlite3.Error) as error:
            problem = _describe_problem(request, error)
            if scripted:
                raise Refusal(422, problem) from None
            result = ActionResult(problem, path=_find_origin(fields, problem))
        return _respond(result, fields, scripted=scripted)

    return Route(f"{PREFIX}{name}", endpoint, methods=["POST"], name=name)


def _describe_problem(request: ReaderRequest, error: ValueError | sqlite3.Error) -> str:
    if isinstance(error, sqlite3.Error):
        return describe_error(request.store.path, error)
    return str(error)


def _respond(result: ActionResult, fields: Fields, *, scripted: bool) -> Response:
    response: Response
    if scripted:
        response = JSONResponse({"message": result.message, "path": result.path, **result.values})
    else:
        response = RedirectResponse(result.path or _find_origin(fields), 303)
    if result.settings is not None:
        response.set_cookie(COOKIE, result.settings.write(), YEAR, httponly=True, samesite="strict")
    return response


def _find_origin(fields: Fields, problem: str = "") -> str:
    """Return the address of the page that a form is on; the page shows the problem."""
    back = fields.get("back", "/")
    path = back if back.startswith("/") and is_link_target(back) and "\n" not in back else "/"
    if not problem:
        return path
    bare = path.partition("#")[0].partition("problem=")[0].rstrip("?&")
    return f"{bare}{'&' if '?' in bare else '?'}problem={quote(problem[:500])}"


def change_settings(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Change the settings of this device."""
    changes = {name: value for name, value in fields.items() if name != "back"}
    settings = request.settings.change(**changes)
    # An order in the address would hide the one that was chosen.
    path = "/" if "order" in fields and "order=" in fields.get("back", "") else ""
    return ActionResult(values=asdict(settings), settings=settings, path=path)


def show_pictures(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Show the pictures of an article, or all pictures from now on."""
    if fields.get("always"):
        return ActionResult(settings=request.settings.change(pictures="1"))
    request.context.shown.add(_read_number(fields, "article"))
    return ActionResult()


def mark(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Mark an article as saved, hidden, liked or finished; the profile learns from it."""
    events = [_EVENTS[item] for item in fields.items() if item in _EVENTS]
    if not events:
        raise ValueError("the form does not say what to do with the article")
    event, message = events[0]
    number = _read_number(fields, "article")
    try:
        state = request.profile.record_event(event, number)
    except KeyError:
        raise ValueError(_NO_ARTICLE) from None
    if event == "saved" and request.settings.pictures:
        _prefetch_pictures(request, number)
    return ActionResult(message, {"state": asdict(state)}, path="/" if fields.get("home") else "")


def _prefetch_pictures(request: ReaderRequest, number: int) -> None:
    """Fetch the pictures of an article in the background: it is complete without a network then."""
    article = request.store.articles.find(number)
    if article:
        request.context.images.prefetch(list_images(article))


def mark_all(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Mark all articles of a page as read. Nothing is learnt from it: nobody chose them."""
    numbers = list(map(read_number, fields.get("articles", "").split(",")[:_MOST_AT_ONCE]))
    request.store.states.mark_opened(request.profile.id, numbers)
    return ActionResult(f"{format_count(len(numbers), 'articles')} marked as read")


def choose_category(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Correct the category of an article."""
    number = _read_number(fields, "article")
    try:
        changed = request.context.categories.correct(number, fields.get("category", ""))
    except KeyError:
        raise ValueError(_NO_ARTICLE) from None
    name = request.store.articles.find_cards([number])[0].category  # as known categories write it
    message = f"Learnt: this is {name}"
    if len(changed) > 1:
        message += f"; {format_count(len(changed) - 1, 'other articles')} moved too"
    return ActionResult(message, {"category": name})


def add_feed(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Subscribe to a feed, or to the feed of a site."""
    address = fields.get("address", "").strip()
    if not address:
        raise ValueError("enter the address of a feed, or of a site that has one")
    feed = _find_subscription(request, address, fields)
    if feed is None:
        return ActionResult(path=f"/choose?address={quote(address)}")
    request.context.scheduler.request([feed.id])
    path = "/" if fields.get("home") else "/feeds"
    return ActionResult(f"Subscribed to {feed.name}", {"feed": feed.id}, path=path)


def _find_subscription(request: ReaderRequest, address: str, fields: Fields) -> Subscription | None:
    """Subscribe to what was chosen, or to the only feed; None if there are several or none."""
    store, fetching = request.store, request.context.scheduler.fetching
    found = request.context.found
    if fields.get("choice") == "page":
        return subscribe_page(store, address, fetching)
    if fields.get("choice"):
        chosen = [feed for feed in found.get(address, ()) if feed.url == fields["choice"]]
        return store.feeds.add(chosen[0].url, chosen[0].title) if chosen else None
    known = store.feeds.find_url(complete(address))
    if known is not None and known.state in {"live", "moved"}:
        return known
    try:
        feeds = find_feeds(address, fetching)
    except NoFeedFoundError:
        feeds = []
    if len(feeds) == 1:
        return store.feeds.add(feeds[0].url, feeds[0].title)
    if len(found) >= _MOST_FOUND:
        found.clear()
    found[address] = feeds
    return None


def save_address(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Save any page by its address."""
    number = save_page(
        request.store,
        fields.get("address", ""),
        request.profile.id,
        request.context.scheduler.fetching,
    )
    card = request.store.articles.find_cards([number])[0]
    return ActionResult(f"Saved: {card.title[:80]}", {"article": number}, path="/saved")


def take_letter(request: ReaderRequest, _: Fields) -> ActionResult:
    """Take in a newsletter."""
    number = import_letter(request.store, request.files.get("letter", b""))
    return ActionResult("Imported", {"article": number}, path=f"/article/{number}")


def change_feed(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Unsubscribe from a feed, change its settings, or update it; a dead one is tried again."""
    number = _read_number(fields, "feed")
    feed = request.store.feeds.find(number)
    if feed is None:
        raise ValueError("there is no such subscription; it may have been removed")
    if fields.get("do") == "unsubscribe":
        request.store.feeds.remove(number)
        return ActionResult(
            f"Unsubscribed from {feed.name}; its saved and liked articles stay, and those with notes"
        )
    if fields.get("do") == "settings":
        return _set_feed(request, number, fields)
    if feed.state == "dead":
        request.store.feeds.revive(number)
    request.context.scheduler.request([number])
    return ActionResult(f"Checking {feed.name}")


def _set_feed(request: ReaderRequest, number: int, fields: Fields) -> ActionResult:
    """Set the folder of a feed, and the method that finds the text of its pages."""
    folder = "/".join(part.strip() for part in fields.get("folder", "").split("/") if part.strip())
    method = fields.get("method", "")
    if len(folder) > _LONGEST_FOLDER or not (folder or " ").isprintable():
        raise ValueError(f"the name of a folder has at most {_LONGEST_FOLDER} characters")
    if method and method not in METHODS:
        raise ValueError(f"there is no method {method[:50]}")
    titled = int(fields.get("titled") == "1")
    request.store.feeds.change(number, folder=folder, method=method, titled=titled)
    return ActionResult("Set; the method is used for new articles" if method else "Set")


def update(request: ReaderRequest, _: Fields) -> ActionResult:
    """Update all feeds."""
    if not request.store.feeds.list_all():
        raise ValueError("there are no subscriptions yet: add one first")
    request.context.scheduler.request()
    return ActionResult("Checking for news")


def import_feeds(request: ReaderRequest, _: Fields) -> ActionResult:
    """Subscribe to all feeds of an OPML file."""
    result = import_opml(request.store, request.files.get("opml", b""))
    if result.added:
        request.context.scheduler.request([feed.id for feed in result.added])
    known = f", {result.known} already known" if result.known else ""
    message = f"{format_count(len(result.added), 'subscriptions')} imported{known}"
    problem = message
    if result.left_out:
        problem += f", {result.left_out:,} left out: the first {MOST_OUTLINES:,} of a file are read"
    if result.refused:
        reasons = "; ".join(result.refused[:_MOST_SHOWN])
        problem += f", {len(result.refused)} refused: {reasons}"
    if problem == message:
        return ActionResult(message, path="/feeds")
    return ActionResult(message, path=_find_origin({"back": "/feeds"}, problem))


def _read_number(fields: Fields, name: str) -> int:
    return read_number(fields.get(name, ""))
