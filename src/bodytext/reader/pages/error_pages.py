"""An answer in, the same out that tells a reader, not a program, what cannot be shown."""

import sqlite3

from starlette.responses import PlainTextResponse, Response

from bodytext.reader.pages.html_builder import el
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import PageInfo, render
from bodytext.reader.pages.reader_request import Answer, ReaderRequest, answer_page
from bodytext.reader.store.database import tell_trouble
from bodytext.studio.web.app import Refusal


def tell_refusals(answer: Answer) -> Answer:
    """The same, with a page where it refuses."""

    def tell(request: ReaderRequest) -> Response:
        try:
            return answer(request)
        except Refusal as refusal:
            return show_refusal(request, refusal)
        except sqlite3.Error as problem:  # no page of ours can be made without it
            return PlainTextResponse(tell_trouble(request.store.path, problem), 503)

    return tell


def show_refusal(request: ReaderRequest, refusal: Refusal) -> Response:
    """The page of a refusal."""
    words = f"{refusal.detail[:1].upper()}{refusal.detail[1:]}."
    nothing = el("div.nothing", icon("front"), el("h2", words), el("p", el("a", "To the front page", href="/")))
    return answer_page(render(request, PageInfo("Not here"), nothing), refusal.status_code)
