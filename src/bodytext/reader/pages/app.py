"""Make the reader's app, which updates its feeds while it runs.

with Store(path) as store:
    run(lambda port: create_reader(store, port), ServerOptions())  # of bodytext.studio.web.server
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from bodytext.reader.categories.categories import Categories
from bodytext.reader.collection.images import Images
from bodytext.reader.pages import actions, filters_page, highlights_page, profile_page
from bodytext.reader.pages.actions import PREFIX, action_route
from bodytext.reader.pages.article_page import show_article, show_image
from bodytext.reader.pages.downloads import (
    download_article,
    download_day,
    download_saved,
    download_text,
)
from bodytext.reader.pages.error_pages import with_error_pages
from bodytext.reader.pages.front_page import show_front
from bodytext.reader.pages.highlights_page import download_highlights, show_highlights
from bodytext.reader.pages.list_pages import show_saved, show_search
from bodytext.reader.pages.offline import offline_routes
from bodytext.reader.pages.plain_pages import show_plain_article, show_plain_front
from bodytext.reader.pages.profile_page import show_profile
from bodytext.reader.pages.reader_request import ReaderContext, page_route, slow_route
from bodytext.reader.pages.subscriptions_page import (
    download_opml,
    send_status,
    show_choice,
    show_feeds,
)
from bodytext.reader.pages.update_scheduler import UpdateScheduler
from bodytext.reader.store.store import Store
from bodytext.sources.fetch_options import FetchOptions
from bodytext.studio.web.app import AppPart, create_app
from bodytext.studio.web.security import Policy

STATIC = Path(__file__).parent / "static"
_PAGES = {
    "/": show_front,
    "/saved": show_saved,
    "/search": show_search,
    "/feeds": show_feeds,
    "/you": show_profile,
    "/status": send_status,
    "/choose": show_choice,
    "/highlights": show_highlights,
    "/highlights.md": download_highlights,
    "/subscriptions.opml": download_opml,
    "/article/{article:int}": show_article,
    "/article/{article:int}/export/text": download_text,
    "/article/{article:int}/export/{format}": download_article,
    "/digest/{day}/{format}": download_day,
    "/saved/{format}": download_saved,
    "/plain": show_plain_front,
    "/plain/{article:int}": show_plain_article,
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
    "filter": filters_page.change_filter,
    "highlight": highlights_page.change_highlight,
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
    routes: list[BaseRoute] = []
    for path, view in _PAGES.items():
        routes.append(page_route(context, path, with_error_pages(view)))
    routes.append(slow_route(context, "/image/{article:int}/{key}", show_image))
    routes += offline_routes()
    routes += [action_route(context, name, action) for name, action in _ACTIONS.items()]
    return AppPart("reader", [*routes, Mount("/reader", StaticFiles(directory=STATIC))])
