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
from bodytext.reader.pages.body import list_images
from bodytext.reader.pages.builder import is_leading_somewhere
from bodytext.reader.pages.form_fields import read_fields
from bodytext.reader.pages.refusals import show_refusal
from bodytext.reader.pages.settings import COOKIE, YEAR, Settings
from bodytext.reader.pages.times import count
from bodytext.reader.pages.visit import Reader, Visit, read_number
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
class Outcome:
    """What came of an action."""

    words: str = ""  # to the user
    values: dict[str, Any] = field(default_factory=dict)  # to the script
    settings: Settings | None = None  # where they change
    path: str = ""  # where to go; empty: back


Action = Callable[[Visit, Fields], Outcome]


def act(reader: Reader, name: str, action: Action) -> Route:
    """The route of an action."""

    async def endpoint(request: Request) -> Response:
        visit = Visit(reader, request)
        fields = await read_fields(request)
        scripted = TOKEN_HEADER in request.headers
        given = request.headers.get(TOKEN_HEADER, "") or fields.pop("token", "")
        if not secrets.compare_digest(given.encode(), visit.token.encode()):
            refusal = Refusal(403, "this page is from an earlier start of the server: load it again")
            if scripted:
                raise refusal
            return await run_in_threadpool(show_refusal, visit, refusal)
        try:
            outcome = await run_in_threadpool(action, visit, fields)
        except (ValueError, sqlite3.Error) as problem:
            said = tell_trouble(reader.store.path, problem) if isinstance(problem, sqlite3.Error) else str(problem)
            if scripted:
                raise Refusal(422, said) from None
            outcome = Outcome(said, path=_back(fields, problem=said))
        return _answer(outcome, fields, scripted=scripted)

    return Route(f"{PREFIX}{name}", endpoint, methods=["POST"], name=name)


def _answer(outcome: Outcome, fields: Fields, *, scripted: bool) -> Response:
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


def change_settings(visit: Visit, fields: Fields) -> Outcome:
    """How this device shows the reader."""
    settings = visit.settings.change(**{name: value for name, value in fields.items() if name != "back"})
    path = "/" if "order" in fields and "order=" in fields.get("back", "") else ""  # what is chosen counts from now on
    return Outcome(values=asdict(settings), settings=settings, path=path)


def show_pictures(visit: Visit, fields: Fields) -> Outcome:
    """Let pictures be fetched: those of an article, or from now on all."""
    if fields.get("always"):
        return Outcome(settings=visit.settings.change(pictures="1"))
    visit.reader.shown.add(_number(fields, "article"))
    return Outcome()


def mark(visit: Visit, fields: Fields) -> Outcome:
    """Mark an article as saved, hidden, liked or finished, and let the profile learn from it."""
    wanted = [_EVENTS[item] for item in fields.items() if item in _EVENTS]
    if not wanted:
        raise ValueError("the form does not say what to do with the article")
    event, words = wanted[0]
    number = _number(fields, "article")
    try:
        state = visit.profile.hear(event, number)
    except KeyError:
        raise ValueError("there is no such article (any more)") from None
    if event == "saved" and visit.settings.pictures and (article := visit.store.articles.find(number)):
        visit.reader.images.get_soon(list_images(article))  # so that it is whole without a network
    return Outcome(words, {"state": asdict(state)}, path="/" if fields.get("home") else "")


def mark_all(visit: Visit, fields: Fields) -> Outcome:
    """Mark what a page showed as read. Nothing is learnt from that: nobody chose it."""
    numbers = [read_number(one) for one in fields.get("articles", "").split(",")[:_MOST_AT_ONCE]]
    visit.store.states.mark_opened(visit.profile.id, numbers)
    return Outcome(f"{count(len(numbers), 'article')} read")


def choose_category(visit: Visit, fields: Fields) -> Outcome:
    """Say which category an article has."""
    number = _number(fields, "article")
    try:
        changed = visit.reader.categories.correct(number, fields.get("category", ""))
    except KeyError:
        raise ValueError("there is no such article (any more)") from None
    name = visit.store.articles.find_cards([number])[0].category  # as it is written, where it was known already
    others = f"; {count(len(changed) - 1, 'other article')} moved too" if len(changed) > 1 else ""
    return Outcome(f"Learnt: this is {name}{others}", {"category": name})


def add_feed(visit: Visit, fields: Fields) -> Outcome:
    """Subscribe to a feed, or to that of a site."""
    address = fields.get("address", "").strip()
    if not address:
        raise ValueError("give the address of a feed, or of a site that has one")
    feed = subscribe(visit.store, address, visit.reader.updater.fetching)
    visit.reader.updater.ask([feed.id])
    path = "/" if fields.get("home") else "/feeds"
    return Outcome(f"Subscribed to {feed.name}", {"feed": feed.id}, path=path)


def change_feed(visit: Visit, fields: Fields) -> Outcome:
    """Leave a feed, try a dead one again, or update one."""
    number = _number(fields, "feed")
    feed = visit.store.feeds.find(number)
    if feed is None:
        raise ValueError("there is no such subscription (any more)")
    if fields.get("do") == "leave":
        visit.store.feeds.remove(number)
        return Outcome(f"{feed.name} is left; what is saved of it stays")
    if feed.state == "dead":
        visit.store.feeds.revive(number)
    visit.reader.updater.ask([number])
    return Outcome(f"Looking at {feed.name}")


def update(visit: Visit, _: Fields) -> Outcome:
    """Look for news in all feeds."""
    if not visit.store.feeds.list_all():
        raise ValueError("there are no subscriptions yet: add one first")
    visit.reader.updater.ask()
    return Outcome("Looking for news")


def import_feeds(visit: Visit, fields: Fields) -> Outcome:
    """Subscribe to all feeds of an OPML file."""
    came = import_opml(visit.store, fields.get("opml", "").encode())
    if came.added:
        visit.reader.updater.ask([feed.id for feed in came.added])
    known = f", {came.known} were known" if came.known else ""
    words = f"{count(len(came.added), 'subscription')} taken over{known}"
    if not came.refused:
        return Outcome(words, path="/feeds")
    problem = f"{words}, {len(came.refused)} refused: {'; '.join(came.refused[:_MOST_TOLD])}"
    return Outcome(words, path=_back({"back": "/feeds"}, problem))


def _number(fields: Fields, name: str) -> int:
    return read_number(fields.get(name, ""))
