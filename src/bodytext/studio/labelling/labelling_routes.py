"""labelling_part: a desk (pages, their queue, the store of labels) -> the part of the app in which people label.

GET /label                      the tool; the page that is open stands behind the #
GET /api/label                  who labels, how far the queue is, the model in use
GET /api/label/agreement        how far the annotator agrees with each other one, by page and over all
PUT /api/label/order            {"order": "doubt" or "name"}
GET /api/label/next?after=KEY   the page to label next
GET /api/label/pages/KEY        its blocks, the model's answer or the stored labels, their revision; where that is still
                                the one in ?since=REVISION, the revision alone
PUT /api/label/pages/KEY        labels made on a revision -> the new revision; 409 where another window has saved
                                meanwhile: nothing is written then, and GET has the stored version
"""

import json
import math
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bodytext.methods.learned.method import Learned
from bodytext.page.parser import foreign_format, not_html, parse
from bodytext.studio.labelling.labelling_page import describe_page, read_sent, suggest
from bodytext.studio.labelling.queue import DONE, DOUBT, NAME, STARTED, UNUSABLE, Queue
from bodytext.studio.labels import Conflict, Labelling, LabelStore
from bodytext.studio.labels.agreement import Agreement, add_up, compare_annotators
from bodytext.studio.labels.store import MEND, Left, check_annotator
from bodytext.studio.web.app import Part, Refusal
from bodytext.studio.web.shell import render_shell
from bodytext.studio.web.workspace import Entry, Opened, UnreadableError, Workspace

EMPTY = "there is no text in it"


class Desk:
    """Where one annotator labels the pages of a queue."""

    def __init__(self, workspace: Workspace, store: LabelStore, annotator: str, entries: list[Entry]) -> None:
        self.workspace, self.store = workspace, store
        self.annotator = check_annotator(annotator)
        self.queue = Queue(entries, self._measure)
        self._mark_stored()

    def _mark_stored(self) -> None:
        keys = {page_of(self.queue.entry(key)): key for key in self.queue}
        for labelling in self.store.read_all(self.annotator):
            key = keys.get(labelling.page, "")
            if key and isinstance(labelling, Left):
                self.queue.mark(key, UNUSABLE, labelling.reason)
            elif key and isinstance(labelling, Labelling):
                self.queue.mark(key, DONE if labelling.done else STARTED)

    def _measure(self, entry: Entry) -> float:
        """How sure the model is of a page; a ValueError says why it cannot be labelled."""
        try:
            html = entry.read()
        except OSError as error:
            raise ValueError(error.strerror or str(error)) from None
        if format_name := foreign_format(html):
            raise ValueError(not_html(format_name))
        page = parse(html, url=entry.url)
        if not len(page):
            raise ValueError(EMPTY)
        return Learned(self.workspace.model).judge(page).confidence or 0.0  # of a flood nothing is expected

    def open(self, key: str) -> Opened:
        """A page of the queue, as its file is now."""
        if key not in self.queue:
            raise Refusal(404, "this page is not among those that are labelled here")
        self.workspace.close(key)
        try:
            opened = self.workspace.open(key)
        except (UnreadableError, KeyError) as problem:
            self.queue.mark(key, UNUSABLE, str(problem))
            raise Refusal(422, str(problem)) from None
        if not len(opened.page):
            self.queue.mark(key, UNUSABLE, EMPTY)
            raise Refusal(422, f"{opened.entry.name}: {EMPTY}")
        return opened

    def read(self, entry: Entry) -> tuple[Labelling | None, str]:
        """The stored labels of a page and their revision."""
        try:
            return self.store.read(page_of(entry), self.annotator)
        except (ValueError, OSError) as problem:
            raise Refusal(422, f"{problem}; {MEND}") from None


def page_of(entry: Entry) -> str:
    """The path under which a page's labels are stored."""
    return entry.name.replace("\\", "/")


def labelling_part(desk: Desk) -> Part:
    """The labelling tool's routes."""
    tool = _Tool(desk)
    routes = [
        Route("/label", tool.show),
        Route("/api/label", tool.about, methods=["GET"]),
        Route("/api/label/agreement", tool.agree, methods=["GET"]),
        Route("/api/label/order", tool.set_order, methods=["PUT"]),
        Route("/api/label/next", tool.choose, methods=["GET"]),
        Route("/api/label/pages/{key}", tool.read, methods=["GET"]),
        Route("/api/label/pages/{key}", tool.save, methods=["PUT"]),
    ]
    return Part("label", routes, "Label", "/label")


class _Tool:
    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def show(self, request: Request) -> Response:
        return render_shell(request, "label", title="Label", styles=("label.css",))

    def about(self, _: Request) -> Response:
        desk = self.desk
        return JSONResponse(
            desk.queue.list()
            | {
                "annotator": desk.annotator,
                "others": [name for name in desk.store.annotators() if name != desk.annotator],
                "labels": str(desk.store.folder),
                "store": str(desk.store.folder.resolve()),
                "model": desk.workspace.model,
            }
        )

    def agree(self, _: Request) -> Response:
        desk = self.desk
        told = []
        for other in desk.store.annotators():
            if other == desk.annotator:
                continue
            pages = list(compare_annotators(desk.store, desk.annotator, other))
            told.append({"with": other, "all": _figures(add_up(pages)), "pages": [_figures(one) for one in pages]})
        return JSONResponse(told)

    async def set_order(self, request: Request) -> Response:
        sent = read_json(await request.body())
        if sent.get("order") not in {DOUBT, NAME}:
            raise Refusal(422, f"order should be {DOUBT} or {NAME}")
        self.desk.queue.order = sent["order"]
        return JSONResponse({})

    def choose(self, request: Request) -> Response:
        entry = self.desk.queue.choose(request.query_params.get("after", ""))
        return JSONResponse({"key": entry.key if entry else None})

    def read(self, request: Request) -> Response:
        key = request.path_params["key"]
        since = request.query_params.get("since")
        if since is not None and key in self.desk.queue and self.desk.read(self.desk.queue.entry(key))[1] == since:
            return JSONResponse({"revision": since})
        opened = self.desk.open(key)
        stored, revision = self.desk.read(opened.entry)
        suggestion = suggest(opened.page, self.desk.workspace.model)
        told = describe_page(opened.page, suggestion, stored)
        return JSONResponse({"key": opened.entry.key, "name": opened.entry.name, "revision": revision} | told)

    async def save(self, request: Request) -> Response:
        sent = read_json(await request.body())
        return await run_in_threadpool(self._save, request.path_params["key"], sent)

    def _save(self, key: str, sent: dict[str, Any]) -> Response:
        desk = self.desk
        opened = desk.open(key)
        stored, _ = desk.read(opened.entry)
        try:
            labelling = read_sent(opened.page, sent, stored, (page_of(opened.entry), desk.annotator))
        except ValueError as problem:
            raise Refusal(422, str(problem)) from None
        try:
            revision = desk.store.save(labelling, str(sent.get("revision", "")))
        except Conflict as conflict:
            raise Refusal(409, str(conflict)) from None
        except ValueError as problem:  # what is stored is broken since a moment ago
            raise Refusal(422, f"{problem}; {MEND}") from None
        except OSError as error:
            raise Refusal(507, f"the labels cannot be written: {error.strerror or error}") from None
        desk.queue.mark(key, DONE if labelling.done else STARTED)
        return JSONResponse({"revision": revision, "time": labelling.time})


def _figures(agreement: Agreement) -> dict[str, Any]:
    names = ("kappa_words", "agreed_words", "kappa_blocks", "agreed_blocks")
    values = (None if math.isnan(value) else round(value, 4) for value in agreement.figures())
    return {"name": agreement.name, **dict(zip(names, values, strict=True))}


def read_json(body: bytes) -> dict[str, Any]:
    """The object that a request sent."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(422, "what was sent is no JSON") from None
    if not isinstance(values, dict):
        raise Refusal(422, "what was sent is no object")
    return values
