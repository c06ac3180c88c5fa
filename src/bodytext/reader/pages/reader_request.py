"""ReaderRequest: a request to the reader in, whose it is, how it is to be shown and what it asks for out."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bodytext.reader.categories.categories import Categories
from bodytext.reader.collection.images import Images
from bodytext.reader.pages.display_settings import COOKIE, DisplaySettings, read_settings
from bodytext.reader.pages.html_builder import Html
from bodytext.reader.pages.updater import Updater
from bodytext.reader.profiles.profiles import Profile, list_profiles
from bodytext.reader.store.database import Store
from bodytext.reader.store.records import Card

# Pages load from this server alone; forms go to it alone. A picture is one of this server's too.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_LARGEST_NUMBER, _LONGEST_NUMBER = 2**63, 16  # of SQLite, and digits that are sure to be less
_SLOW_AT_A_TIME = 8
_LONGEST_VALUE = 2_000  # characters of what a query says


@dataclass(slots=True)
class ReaderContext:
    """What all routes share."""

    store: Store
    images: Images
    updater: Updater
    categories: Categories
    shown: set[int] = field(default_factory=set)  # articles whose pictures were allowed, one by one


class ReaderRequest:
    """One request."""

    def __init__(self, context: ReaderContext, http: Request) -> None:
        self.context, self.http = context, http
        self.store = context.store

    @cached_property
    def settings(self) -> DisplaySettings:
        """How this device wants it."""
        return read_settings(self.http.cookies.get(COOKIE, ""))

    @cached_property
    def profile(self) -> Profile:
        """Who reads: the one whom the device chose, or the first there is."""
        try:
            return Profile(self.store, self.settings.profile)
        except KeyError:
            return list_profiles(self.store)[0]

    @property
    def token(self) -> str:
        """What forms must bring along."""
        return str(self.http.app.state.policy.token)

    @property
    def here(self) -> str:
        """Path and query of this page."""
        query = self.http.url.query
        return self.http.url.path + (f"?{query}" if query else "")

    @property
    def is_own(self) -> bool:
        """Whether the user came here, and no other site or preloading sent the request."""
        headers = self.http.headers
        return headers.get("sec-fetch-site", "none") in {"same-origin", "none"} and "sec-purpose" not in headers

    def ask(self, name: str) -> str:
        """A value of the query; empty where there is none."""
        return self.http.query_params.get(name, "")[:_LONGEST_VALUE]

    def ask_number(self, name: str) -> int:
        """A number of the query; 0 where there is none."""
        return read_number(self.ask(name))

    def note_opened(self, card: Card) -> None:
        """Let the profile hear that an article is opened. Where that cannot be stored, it is read all the same."""
        if self.is_own and not card.state.opened:
            with suppress(sqlite3.OperationalError):
                self.profile.hear("opened", card.id)


Answer = Callable[[ReaderRequest], Response]


def read_number(value: str) -> int:
    """A number that somebody sent; 0, which nothing has, for what is none or one that no database could have."""
    return int(value) if value.isascii() and value.isdecimal() and len(value) < _LONGEST_NUMBER else 0


def answer_page(html: Html, status: int = 200) -> Response:
    """A page of ours."""
    # With no referrer at all a browser would not say where a form was sent from, and the guard would refuse it.
    return HTMLResponse(html, status, {"content-security-policy": PAGE_POLICY, "referrer-policy": "same-origin"})


def route(context: ReaderContext, path: str, answer: Answer) -> Route:
    """The route of a page; it is made in a thread, since it asks the database."""

    def endpoint(http: Request) -> Response:
        return answer(ReaderRequest(context, http))

    return Route(path, endpoint, methods=["GET"], name=path)


def slow_route(context: ReaderContext, path: str, answer: Answer) -> Route:
    """The route of what may wait for a host far away: however many wait, pages find a thread."""
    limiter: list[CapacityLimiter] = []  # there is an event loop to make it for when the first request comes

    async def endpoint(http: Request) -> Response:
        if not limiter:
            limiter.append(CapacityLimiter(_SLOW_AT_A_TIME))
        request = ReaderRequest(context, http)
        return await to_thread.run_sync(answer, request, limiter=limiter[0], abandon_on_cancel=True)

    return Route(path, endpoint, methods=["GET"], name=path)


def path_number(request: ReaderRequest, name: str = "article") -> int:
    """A number in the path; 0, which nothing has, for one that no database could have."""
    value: Any = request.http.path_params[name]
    return int(value) if value < _LARGEST_NUMBER else 0
