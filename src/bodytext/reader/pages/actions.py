"""Forms in, changes out: everything in the reader that changes something is one of these.

A form brings the token of our own pages along, in itself or (sent by a script) in a header. A script gets JSON, a
browser without one the page that it came from.
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

from bodytext.reader.collection.opml import import_opml
from bodytext.reader.collection.subscription import subscribe
from bodytext.reader.pages.article_body import list_images
from bodytext.reader.pages.display_settings import COOKIE, YEAR, DisplaySettings
from bodytext.reader.pages.error_pages import show_refusal
from bodytext.reader.pages.form_fields import read_fields
from bodytext.reader.pages.html_builder import is_leading_somewhere
from bodytext.reader.pages.reader_request import ReaderContext, ReaderRequest, read_number
from bodytext.reader.pages.time_format import count
from bodytext.reader.store.database import tell_trouble
from bodytext.studio.web.app import Refusal
from bodytext.studio.web.security import TOKEN_HEADER

PREFIX = "/do/"
_MOST_AT_ONCE = 500  # articles that are marked together
_MOST_TOLD = 5  # addresses that were refused
# What a form says of an article -> what a profile hears.
_EVENTS = {
    ("saved", "1"): ("saved", "Saved for later"),
    ("saved", "0"): ("unsaved", "No longer saved"),
    ("hidden", "1"): ("hidden", "Hidden"),
    ("hidden", "0"): ("unhidden", "Shown again"),
    ("liked", "1"): ("liked", "More like this"),
    ("liked", "-1"): ("disliked", "Less like this"),
    ("liked", "0"): ("unliked", "Taken back"),
    ("finished", "1"): ("finished", ""),
    ("opened", "0"): ("unopened", "Not read"),
}

Fields = dict[str, str]


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What came of an action."""

    words: str = ""  # to the user
    values: dict[str, Any] = field(default_factory=dict)  # to the script
    settings: DisplaySettings | None = None  # where they change
    path: str = ""  # where to go; empty: back


Action = Callable[[ReaderRequest, Fields], ActionResult]


def act(context: ReaderContext, name: str, action: Action) -> Route:
    """The route of an action."""

    async def endpoint(http: Request) -> Response:
        request = ReaderRequest(context, http)
        fields = await read_fields(http)
        scripted = TOKEN_HEADER in http.headers
        given = http.headers.get(TOKEN_HEADER, "") or fields.pop("token", "")
        if not secrets.compare_digest(given.encode(), request.token.encode()):
            refusal = Refusal(403, "this page is from an earlier start of the server: load it again")
            if scripted:
                raise refusal
            return await run_in_threadpool(show_refusal, request, refusal)
        try:
            outcome = await run_in_threadpool(action, request, fields)
        except (ValueError, sqlite3.Error) as problem:
            said = tell_trouble(context.store.path, problem) if isinstance(problem, sqlite3.Error) else str(problem)
            if scripted:
                raise Refusal(422, said) from None
            outcome = ActionResult(said, path=_back(fields, problem=said))
        return _answer(outcome, fields, scripted=scripted)

    return Route(f"{PREFIX}{name}", endpoint, methods=["POST"], name=name)


def _answer(outcome: ActionResult, fields: Fields, *, scripted: bool) -> Response:
    response: Response
    if scripted:
        response = JSONResponse({"words": outcome.words, "path": outcome.path, **outcome.values})
    else:
        response = RedirectResponse(outcome.path or _back(fields), 303)
    if outcome.settings is not None:
        response.set_cookie(COOKIE, outcome.settings.write(), YEAR, httponly=True, samesite="strict")
    return response


def _back(fields: Fields, problem: str = "") -> str:
    """The page that a form stands on; what went wrong is told there."""
    back = fields.get("back", "/")
    path = back if back.startswith("/") and is_leading_somewhere(back) and "\n" not in back else "/"
    if not problem:
        return path
    bare = path.partition("#")[0].partition("problem=")[0].rstrip("?&")
    return f"{bare}{'&' if '?' in bare else '?'}problem={quote(problem[:500])}"


def change_settings(request: ReaderRequest, fields: Fields) -> ActionResult:
    """How this device shows the reader."""
    settings = request.settings.change(**{name: value for name, value in fields.items() if name != "back"})
    path = "/" if "order" in fields and "order=" in fields.get("back", "") else ""  # what is chosen counts from now on
    return ActionResult(values=asdict(settings), settings=settings, path=path)


def show_pictures(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Let pictures be fetched: those of an article, or from now on all."""
    if fields.get("always"):
        return ActionResult(settings=request.settings.change(pictures="1"))
    request.context.shown.add(_number(fields, "article"))
    return ActionResult()


def mark(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Mark an article as saved, hidden, liked or finished, and let the profile learn from it."""
    wanted = [_EVENTS[item] for item in fields.items() if item in _EVENTS]
    if not wanted:
        raise ValueError("the form does not say what to do with the article")
    event, words = wanted[0]
    number = _number(fields, "article")
    try:
        state = request.profile.hear(event, number)
    except KeyError:
        raise ValueError("there is no such article (any more)") from None
    if event == "saved" and request.settings.pictures and (article := request.store.articles.find(number)):
        request.context.images.get_soon(list_images(article))  # so that it is whole without a network
    return ActionResult(words, {"state": asdict(state)}, path="/" if fields.get("home") else "")


def mark_all(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Mark what a page showed as read. Nothing is learnt from that: nobody chose it."""
    numbers = [read_number(one) for one in fields.get("articles", "").split(",")[:_MOST_AT_ONCE]]
    request.store.states.mark_opened(request.profile.id, numbers)
    return ActionResult(f"{count(len(numbers), 'article')} read")


def choose_category(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Say which category an article has."""
    number = _number(fields, "article")
    try:
        changed = request.context.categories.correct(number, fields.get("category", ""))
    except KeyError:
        raise ValueError("there is no such article (any more)") from None
    name = request.store.articles.find_cards([number])[0].category  # as it is written, where it was known already
    others = f"; {count(len(changed) - 1, 'other article')} moved too" if len(changed) > 1 else ""
    return ActionResult(f"Learnt: this is {name}{others}", {"category": name})


def add_feed(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Subscribe to a feed, or to that of a site."""
    address = fields.get("address", "").strip()
    if not address:
        raise ValueError("give the address of a feed, or of a site that has one")
    feed = subscribe(request.store, address, request.context.updater.fetching)
    request.context.updater.ask([feed.id])
    path = "/" if fields.get("home") else "/feeds"
    return ActionResult(f"Subscribed to {feed.name}", {"feed": feed.id}, path=path)


def change_feed(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Leave a feed, try a dead one again, or update one."""
    number = _number(fields, "feed")
    feed = request.store.feeds.find(number)
    if feed is None:
        raise ValueError("there is no such subscription (any more)")
    if fields.get("do") == "leave":
        request.store.feeds.remove(number)
        return ActionResult(f"{feed.name} is left; what is saved of it stays")
    if feed.state == "dead":
        request.store.feeds.revive(number)
    request.context.updater.ask([number])
    return ActionResult(f"Looking at {feed.name}")


def update(request: ReaderRequest, _: Fields) -> ActionResult:
    """Look for news in all feeds."""
    if not request.store.feeds.list_all():
        raise ValueError("there are no subscriptions yet: add one first")
    request.context.updater.ask()
    return ActionResult("Looking for news")


def import_feeds(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Subscribe to all feeds of an OPML file."""
    came = import_opml(request.store, fields.get("opml", "").encode())
    if came.added:
        request.context.updater.ask([feed.id for feed in came.added])
    known = f", {came.known} were known" if came.known else ""
    words = f"{count(len(came.added), 'subscription')} taken over{known}"
    if not came.refused:
        return ActionResult(words, path="/feeds")
    problem = f"{words}, {len(came.refused)} refused: {'; '.join(came.refused[:_MOST_TOLD])}"
    return ActionResult(words, path=_back({"back": "/feeds"}, problem))


def _number(fields: Fields, name: str) -> int:
    return read_number(fields.get(name, ""))
