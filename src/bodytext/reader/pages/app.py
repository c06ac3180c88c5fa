"""create_reader: a store and a port in, the reader's app out, which updates its feeds while it runs.

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
from bodytext.reader.pages import actions, profile_page
from bodytext.reader.pages.actions import PREFIX, act
from bodytext.reader.pages.article_page import show_article, show_image
from bodytext.reader.pages.downloads import give_article, give_day, give_saved
from bodytext.reader.pages.error_pages import tell_refusals
from bodytext.reader.pages.front_page import show_front, show_saved, show_search
from bodytext.reader.pages.plain_pages import give_text, show_plain_article, show_plain_front
from bodytext.reader.pages.profile_page import show_person
from bodytext.reader.pages.reader_request import ReaderContext, route, slow_route
from bodytext.reader.pages.subscriptions_page import give_opml, show_feeds, tell_status
from bodytext.reader.pages.updater import Updater
from bodytext.reader.store.database import Store
from bodytext.sources.intake import Fetching
from bodytext.studio.web.app import AppPart, create_app
from bodytext.studio.web.security import Policy

STATIC = Path(__file__).parent / "static"
_PAGES = {
    "/": show_front,
    "/saved": show_saved,
    "/search": show_search,
    "/feeds": show_feeds,
    "/you": show_person,
    "/status": tell_status,
    "/subscriptions.opml": give_opml,
    "/article/{article:int}": show_article,
    "/article/{article:int}/export/text": give_text,
    "/article/{article:int}/export/{form}": give_article,
    "/digest/{day}/{form}": give_day,
    "/saved/{form}": give_saved,
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
    "interest": profile_page.change_interest,
    "profile": profile_page.change_profile,
}


def create_reader(store: Store, port: int, fetching: Fetching | None = None, *, scheduled: bool = True) -> Starlette:
    """The app of the reader. Feeds are updated when they are due, unless that is not scheduled."""
    images = Images(store.path.with_name(f"{store.path.stem}-pictures"), fetching)
    context = ReaderContext(store, images, Updater(store, fetching), Categories(store))
    # A form without a script cannot send the token as a header: each action looks for it in the form.
    app = create_app([reader_part(context)], Policy(port, open_prefixes=(PREFIX,)))
    app.state.reader = context

    @asynccontextmanager
    async def live(_: Starlette) -> AsyncIterator[None]:
        context.updater.start(scheduled=scheduled)
        yield
        await run_in_threadpool(context.updater.stop)

    app.router.lifespan_context = live
    return app


def reader_part(context: ReaderContext) -> AppPart:
    """The reader's routes."""
    routes: list[BaseRoute] = [route(context, path, tell_refusals(answer)) for path, answer in _PAGES.items()]
    routes.append(slow_route(context, "/image/{article:int}/{key}", show_image))
    routes += [act(context, name, action) for name, action in _ACTIONS.items()]
    return AppPart("reader", [*routes, Mount("/reader", StaticFiles(directory=STATIC))])
