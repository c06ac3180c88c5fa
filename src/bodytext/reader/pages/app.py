"""Make the reader's app, which updates its feeds while it runs.

with Store(path) as store:
    run(lambda port: create_reader(store, port))  # of bodytext.studio.web.server
"""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bodytext.reader.categories.categories import Categories
from bodytext.reader.collection.images import Images
from bodytext.reader.pages import actions, profile_page
from bodytext.reader.pages.actions import PREFIX, action_route
from bodytext.reader.pages.article_page import show_article, show_image
from bodytext.reader.pages.downloads import (
    download_article,
    download_day,
    download_saved,
    download_text,
)
from bodytext.reader.pages.list_pages import show_front, show_saved, show_search
from bodytext.reader.pages.plain_pages import show_plain_article, show_plain_front
from bodytext.reader.pages.reader_request import PageView, ReaderContext, ReaderRequest
from bodytext.reader.pages.rendering import show_refusal
from bodytext.reader.pages.subscriptions_page import (
    download_opml,
    send_status,
    show_choice,
    show_feeds,
)
from bodytext.reader.pages.update_scheduler import UpdateScheduler
from bodytext.reader.store.database import describe_error
from bodytext.reader.store.store import Store
from bodytext.sources.fetch_options import FetchOptions
from bodytext.studio.web.app import AppPart, Refusal, create_app
from bodytext.studio.web.security import Policy

STATIC = Path(__file__).parent / "static"
_SLOW_AT_A_TIME = 8
_PAGES = {
    "/": show_front,
    "/saved": show_saved,
    "/search": show_search,
    "/feeds": show_feeds,
    "/you": profile_page.show_profile,
    "/status": send_status,
    "/choose": show_choice,
    "/highlights": profile_page.show_highlights,
    "/highlights.md": profile_page.download_highlights,
    "/subscriptions.opml": download_opml,
    "/article/{article:int}": show_article,
    "/article/{article:int}/export/text": download_text,
    "/article/{article:int}/export/{format}": download_article,
    "/digest/{day}/{format}": download_day,
    "/saved/{format}": download_saved,
    "/plain": show_plain_front,
    "/plain/{article:int}": show_plain_article,
}
# What makes the reader an app that can be installed, and read without the server or a network.
_FILES = {
    "manifest.webmanifest": "application/manifest+json",
    "offline.js": "text/javascript",
}
_ACTIONS = {
    "settings": actions.change_settings,
    "pictures": actions.show_pictures,
    "mark": actions.mark,
    "all-read": actions.mark_all,
    "category": actions.choose_category,
    "subscribe": actions.add_feed,
    "feed": actions.change_feed,
    "update": actions.update,
    "import": actions.import_feeds,
    "save": actions.save_address,
    "letter": actions.take_letter,
    "filter": profile_page.change_filter,
    "highlight": profile_page.change_highlight,
    "interest": profile_page.change_interest,
    "profile": profile_page.change_profile,
}


def create_reader(
    store: Store, port: int, fetching: FetchOptions | None = None, *, scheduled: bool = True
) -> Starlette:
    """Make the reader's app. It updates feeds when they are due, unless it is not scheduled."""
    images = Images(store.path.with_name(f"{store.path.stem}-pictures"), fetching)
    context = ReaderContext(store, images, UpdateScheduler(store, fetching), Categories(store))
    # A form cannot send the token as a header without a script: each action reads it from the form.
    app = create_app([reader_part(context)], Policy(port, open_prefixes=(PREFIX,)))
    app.state.reader = context

    @asynccontextmanager
    async def run(_: Starlette) -> AsyncIterator[None]:
        context.scheduler.start(scheduled=scheduled)
        yield
        await run_in_threadpool(context.scheduler.stop)

    app.router.lifespan_context = run
    return app


def reader_part(context: ReaderContext) -> AppPart:
    """Make the reader's routes."""
    return AppPart(
        "reader",
        [
            *(_page_route(context, path, view) for path, view in _PAGES.items()),
            _slow_route(context, "/image/{article:int}/{key}", show_image),
            *(_file_route(name, kind) for name, kind in _FILES.items()),
            *(action_route(context, name, action) for name, action in _ACTIONS.items()),
            Mount("/reader", StaticFiles(directory=STATIC)),
        ],
    )


def _page_route(context: ReaderContext, path: str, view: PageView) -> Route:
    """Make the route of a page. It runs in a thread, since it reads the database."""

    def endpoint(http: Request) -> Response:
        request = ReaderRequest(context, http)
        try:
            return view(request)
        except Refusal as refusal:
            return show_refusal(request, refusal)
        except sqlite3.Error as error:  # every page needs the database
            return PlainTextResponse(describe_error(context.store.path, error), 503)

    return Route(path, endpoint, methods=["GET"], name=path)


def _slow_route(context: ReaderContext, path: str, view: PageView) -> Route:
    """Make a route that may wait for other hosts; pages never wait for its threads."""
    limiter: list[CapacityLimiter] = []  # made with the first request, when there is an event loop

    async def endpoint(http: Request) -> Response:
        if not limiter:
            limiter.append(CapacityLimiter(_SLOW_AT_A_TIME))
        request = ReaderRequest(context, http)
        return await to_thread.run_sync(view, request, limiter=limiter[0], abandon_on_cancel=True)

    return Route(path, endpoint, methods=["GET"], name=path)


def _file_route(name: str, kind: str) -> Route:
    def endpoint(_: Request) -> Response:
        return FileResponse(STATIC / name, media_type=kind)

    return Route(f"/{name}", endpoint, methods=["GET"])
