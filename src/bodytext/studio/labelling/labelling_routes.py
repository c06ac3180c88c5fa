"""The labelling tool's routes.

GET /                           the tool; the key of the open page follows the #
GET /api/label                  the annotator, the progress of the queue, the model in use
GET /api/label/agreement        agreement with each other annotator, by page and overall
PUT /api/label/order            {"order": "doubt" or "name"}
GET /api/label/next?after=KEY   the page to label next
GET /api/label/pages/KEY        its blocks, its labels (the model's or the stored ones) and their
                                revision; only the revision if it is still ?since=REVISION
GET /api/label/pages/KEY/others what other annotators have done, once one's own labels are done
PUT /api/label/pages/KEY        save labels based on a revision; the answer is the new revision, or
                                409 and nothing written if another window has saved since
"""

import json
import math
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bodytext.studio.labelling.labelling_page import (
    describe_page,
    read_sent,
    suggest,
    suggest_nothing,
)
from bodytext.studio.labelling.labelling_session import LabellingSession
from bodytext.studio.labelling.page_queue import DONE, DOUBT, NAME, STARTED
from bodytext.studio.labels import Conflict, Labelling, digest_source
from bodytext.studio.labels.agreement import Agreement, add_up, compare_annotators
from bodytext.studio.labels.spans import label_blocks
from bodytext.studio.labels.store import MEND
from bodytext.studio.web.app import AppPart, Refusal
from bodytext.studio.web.shell import render_shell


def labelling_part(session: LabellingSession) -> AppPart:
    """Return the labelling tool as a part of the app."""
    tool = _LabellingTool(session)
    routes = [
        Route("/", tool.show),
        Route("/api/label", tool.describe, methods=["GET"]),
        Route("/api/label/agreement", tool.list_agreements, methods=["GET"]),
        Route("/api/label/order", tool.set_order, methods=["PUT"]),
        Route("/api/label/next", tool.choose, methods=["GET"]),
        Route("/api/label/pages/{key}", tool.read, methods=["GET"]),
        Route("/api/label/pages/{key}", tool.save, methods=["PUT"]),
        Route("/api/label/pages/{key}/others", tool.list_others, methods=["GET"]),
    ]
    return AppPart("label", routes, "Label")


class _LabellingTool:
    def __init__(self, session: LabellingSession) -> None:
        self.session = session

    def show(self, request: Request) -> Response:
        return render_shell(request, "label", title="Label", styles=("label.css",))

    def describe(self, _: Request) -> Response:
        session = self.session
        return JSONResponse(
            session.queue.list()
            | {
                "annotator": session.annotator,
                "others": self._other_annotators(),
                "labels": str(session.store.folder),
                "store": str(session.store.folder.resolve()),
                "model": session.workspace.model,
            }
        )

    def _other_annotators(self) -> list[str]:
        return [name for name in self.session.store.annotators() if name != self.session.annotator]

    def list_agreements(self, _: Request) -> Response:
        agreements = []
        keys = self.session.keys()
        for other in self._other_annotators():
            pages = list(compare_annotators(self.session.store, self.session.annotator, other))
            rows = [_figures(page) | {"key": keys.get(page.name)} for page in pages]
            agreements.append({"with": other, "all": _figures(add_up(pages)), "pages": rows})
        return JSONResponse(agreements)

    async def set_order(self, request: Request) -> Response:
        sent = read_json(await request.body())
        if sent.get("order") not in {DOUBT, NAME}:
            raise Refusal(422, f"order must be {DOUBT} or {NAME}")
        self.session.queue.order = sent["order"]
        return JSONResponse({})

    def choose(self, request: Request) -> Response:
        entry = self.session.queue.choose(request.query_params.get("after", ""))
        return JSONResponse({"key": entry.key if entry else None})

    def read(self, request: Request) -> Response:
        key, since = request.path_params["key"], request.query_params.get("since")
        queue = self.session.queue
        if since is not None and key in queue and self.session.read(queue.entry(key))[1] == since:
            return JSONResponse({"revision": since})
        opened = self.session.open(key)
        stored, revision = self.session.read(opened.entry)
        blind = self.session.blind
        if blind:
            suggestion = suggest_nothing(opened.page)
        else:
            suggestion = suggest(opened.page, self.session.workspace.model)
        known = {"key": key, "name": opened.entry.name, "revision": revision, "blind": blind}
        return JSONResponse(known | describe_page(opened.page, suggestion, stored))

    def list_others(self, request: Request) -> Response:
        opened = self.session.open(request.path_params["key"])
        own, _ = self.session.read(opened.entry)
        if own is None or not own.done:
            return JSONResponse([])
        others = self.session.read_others(opened.entry, digest_source(opened.page.source))
        return JSONResponse(
            [
                {
                    "annotator": labelling.annotator,
                    "labels": label_blocks(opened.page, labelling.spans).tolist(),
                }
                for labelling in others
            ]
        )

    async def save(self, request: Request) -> Response:
        sent = read_json(await request.body())
        return await run_in_threadpool(self._save, request.path_params["key"], sent)

    def _save(self, key: str, sent: dict[str, Any]) -> Response:
        opened = self.session.open(key)
        stored, _ = self.session.read(opened.entry)
        who = (opened.entry.path, self.session.annotator)
        try:
            labelling = read_sent(opened.page, sent, stored, who)
        except ValueError as problem:
            raise Refusal(422, str(problem)) from None
        revision = self._store(labelling, str(sent.get("revision", "")))
        self.session.queue.mark(key, DONE if labelling.done else STARTED)
        return JSONResponse({"revision": revision, "time": labelling.time})

    def _store(self, labelling: Labelling, revision: str) -> str:
        """Save labels that were based on a revision, and return the new revision."""
        try:
            return self.session.store.save(labelling, revision)
        except Conflict as conflict:
            raise Refusal(409, str(conflict)) from None
        except ValueError as problem:  # the stored file broke a moment ago
            raise Refusal(422, f"{problem}; {MEND}") from None
        except OSError as error:
            raise Refusal(507, f"the labels cannot be written: {error.strerror or error}") from None


def _figures(agreement: Agreement) -> dict[str, Any]:
    names = ("kappa_words", "agreed_words", "kappa_blocks", "agreed_blocks")
    values = (None if math.isnan(value) else round(value, 4) for value in agreement.figures())
    differing = int(agreement.blocks.sum() - agreement.blocks.trace())
    return {
        "name": agreement.name,
        "differing": differing,
        **dict(zip(names, values, strict=True)),
    }


def read_json(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a request's body."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(422, "the body is not JSON") from None
    if not isinstance(values, dict):
        raise Refusal(422, "the body is not a JSON object")
    return values
