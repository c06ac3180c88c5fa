"""An answer in, the same out that tells a reader, not a program, what cannot be shown."""

import sqlite3

from starlette.responses import PlainTextResponse, Response

from bodytext.reader.pages.builder import el
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import Frame, render
from bodytext.reader.pages.visit import Answer, Visit, answer_page
from bodytext.reader.store.database import tell_trouble
from bodytext.studio.web.app import Refusal


def tell_refusals(answer: Answer) -> Answer:
    """The same, with a page where it refuses."""

    def tell(visit: Visit) -> Response:
        try:
            return answer(visit)
        except Refusal as refusal:
            return show_refusal(visit, refusal)
        except sqlite3.Error as problem:  # no page of ours can be made without it
            return PlainTextResponse(tell_trouble(visit.store.path, problem), 503)

    return tell


def show_refusal(visit: Visit, refusal: Refusal) -> Response:
    """The page of a refusal."""
    words = f"{refusal.detail[:1].upper()}{refusal.detail[1:]}."
    nothing = el("div.nothing", icon("front"), el("h2", words), el("p", el("a", "To the front page", href="/")))
    return answer_page(render(visit, Frame("Not here"), nothing), refusal.status_code)
