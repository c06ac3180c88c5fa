"""Show a page of the reader where a request fails."""

import sqlite3

from starlette.responses import PlainTextResponse, Response

from bodytext.reader.pages.html_builder import el
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import PageInfo, render
from bodytext.reader.pages.reader_request import PageView, ReaderRequest, respond_page
from bodytext.reader.store.database import describe_error
from bodytext.studio.web.app import Refusal


def with_error_pages(view: PageView) -> PageView:
    """Return a view that shows an error page instead of an error."""

    def show(request: ReaderRequest) -> Response:
        try:
            return view(request)
        except Refusal as refusal:
            return show_refusal(request, refusal)
        except sqlite3.Error as error:  # every page needs the database
            return PlainTextResponse(describe_error(request.store.path, error), 503)

    return show


def show_refusal(request: ReaderRequest, refusal: Refusal) -> Response:
    """Show why a request was refused."""
    words = f"{refusal.detail[:1].upper()}{refusal.detail[1:]}."
    link = el("a", "Go to the front page", href="/")
    message = el("div.nothing", icon("front"), el("h1", words), el("p", link))
    return respond_page(render(request, PageInfo("Not found"), message), refusal.status_code)
