"""The inspector's routes.

GET  /                              the inspector; /inspect where another tool is at /
GET  /pages/KEY                     the inspector at a page
GET  /pages/KEY/frame?plain=1       the page as harmless HTML, for a sandboxed frame
GET  /api/pages                     the pages to choose from, the methods and the formats
POST /api/pages?name=N              send a page, or {"url": ...} to fetch one; the answer is its key
GET  /api/pages/KEY                 columns over its blocks, with every method's scores
GET  /api/pages/KEY/blocks/N        all that is known about a block
GET  /api/pages/KEY/result?method=M&threshold=T&format=F
                                    the body text in a format, and what is known about it
GET  /api/pages/KEY/figures         the numbers of the figures
"""

import dataclasses
import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

import bodytext
from bodytext.methods.learned.method import MOST_BLOCKS, Learned, is_flood
from bodytext.methods.scores import BOUNDARY, PRESETS
from bodytext.output.formats import FORMATS, RenderOptions, render
from bodytext.sources.compression import unpack_gzip
from bodytext.sources.fetch import FetchLimits
from bodytext.studio.inspector.block_columns import describe_block, list_blocks
from bodytext.studio.inspector.live_figures import measure_figures
from bodytext.studio.web.app import AppPart, Refusal
from bodytext.studio.web.page_frame import FRAME_POLICY, write_frame
from bodytext.studio.web.shell import render_shell
from bodytext.studio.web.workspace import OpenedPage, PageEntry, UnreadableError, Workspace

MOST_LISTED = 5_000  # pages to choose from; others can be named on the command line
_LONGEST_NAME = 200
_FLOOD = (
    f"This page has more than {MOST_BLOCKS:,} blocks, or far more pieces of text. "
    "The learned method leaves such pages to cuter, so both have the same scores."
)


def inspector_part(
    workspace: Workspace, limits: FetchLimits | None = None, path: str = "/"
) -> AppPart:
    """Return the inspector as a part of the app; `limits` restrict what it may fetch."""
    inspector = _Inspector(workspace, limits)
    routes = [
        Route(path, inspector.show),
        Route("/pages/{key}", inspector.show),
        Route("/pages/{key}/frame", inspector.frame),
        Route("/api/pages", inspector.list_pages, methods=["GET"]),
        Route("/api/pages", inspector.add, methods=["POST"]),
        Route("/api/pages/{key}", inspector.blocks),
        Route("/api/pages/{key}/blocks/{block:int}", inspector.block),
        Route("/api/pages/{key}/result", inspector.result),
        Route("/api/pages/{key}/figures", inspector.figures),
    ]
    return AppPart("inspector", routes, "Inspect", path)


class _Inspector:
    def __init__(self, workspace: Workspace, limits: FetchLimits | None) -> None:
        self.workspace = workspace
        self.limits = limits

    def show(self, request: Request) -> Response:
        self.workspace.close(request.path_params.get("key", ""))  # its file may have changed
        return render_shell(request, "inspector", title="Inspector")

    def frame(self, request: Request) -> Response:
        """Stream the frame, so that the browser shows the top of a long page at once."""
        page = self._open(request).page
        pieces = write_frame(page, styled="plain" not in request.query_params)
        headers = {"content-security-policy": FRAME_POLICY}
        return StreamingResponse(
            (piece.encode("utf-8", "replace") for piece in pieces),
            media_type="text/html",
            headers=headers,
        )

    def list_pages(self, _: Request) -> Response:
        entries = self.workspace.entries()
        return JSONResponse(
            {
                "pages": [
                    {"key": entry.key, "name": entry.name} for entry in entries[:MOST_LISTED]
                ],
                "total": len(entries),
                "methods": self.workspace.methods(),
                "formats": {
                    name: {"suffix": kind.suffix, "description": kind.description}
                    for name, kind in FORMATS.items()
                },
                "presets": PRESETS,
                "boundary": BOUNDARY,
                "model": self.workspace.model,
            }
        )

    async def add(self, request: Request) -> Response:
        body = await request.body()
        if request.headers.get("content-type", "").startswith("application/json"):
            return await run_in_threadpool(self._fetch, body)
        name = request.query_params.get("name", "")[:_LONGEST_NAME] or "pasted page"
        return await run_in_threadpool(self._add, name, body, request.query_params.get("url", ""))

    def _add(self, name: str, html: bytes, url: str) -> Response:
        if not html.strip():
            raise Refusal(422, "this page is empty: send the HTML of a page")
        try:
            html = unpack_gzip(html)
        except ValueError as problem:
            raise Refusal(422, f"{name}: {problem}") from None
        return self._describe_entry(self.workspace.add(name, html, url))

    def _fetch(self, body: bytes) -> Response:
        try:
            url = json.loads(body)["url"].strip()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Refusal(422, 'send {"url": "https://..."}') from None
        try:
            return self._describe_entry(self.workspace.fetch(url, self.limits))
        except UnreadableError as problem:
            raise Refusal(422, str(problem)) from None

    def _describe_entry(self, entry: PageEntry) -> Response:
        self._read(entry.key)
        return JSONResponse({"key": entry.key, "name": entry.name}, 201)

    def blocks(self, request: Request) -> Response:
        opened = self._open(request)
        methods = {name: self.workspace.method(name) for name in self.workspace.methods()}
        scores = {name: method.score(opened.page).values for name, method in methods.items()}
        page = opened.page
        known = {
            "name": opened.entry.name,
            "title": page.title,
            "url": page.url,
            "encoding": page.encoding,
            "bytes": len(opened.html),
            "about": {
                name: (type(method).__doc__ or "").strip() for name, method in methods.items()
            },
            "note": _FLOOD if is_flood(page) else "",
        }
        return JSONResponse(known | list_blocks(page, scores))

    def block(self, request: Request) -> Response:
        page = self._open(request).page
        block = request.path_params["block"]
        if block >= len(page):
            raise Refusal(404, f"the page has {len(page)} blocks, numbered from 0")
        return JSONResponse(describe_block(page, block, Learned(self.workspace.model)))

    def result(self, request: Request) -> Response:
        opened = self._open(request)
        query = request.query_params
        try:
            threshold = float(query.get("threshold", BOUNDARY))
            method = self.workspace.method(query.get("method", self.workspace.methods()[0]))
            document = bodytext.extract(
                opened.text, url=opened.page.url, method=method, threshold=threshold
            )
            text = render(document, query.get("format", "text"), RenderOptions(opened.entry.name))
        except ValueError as problem:
            raise Refusal(422, str(problem)) from None
        about = _describe_document(document)
        if document.reason and threshold > BOUNDARY:
            usual = bodytext.extract(opened.text, url=opened.page.url, method=method)
            about |= _blame_threshold(document, usual, threshold)
        return JSONResponse({"text": text, "about": about})

    def figures(self, request: Request) -> Response:
        return JSONResponse(measure_figures(self._open(request).page))

    def _open(self, request: Request) -> OpenedPage:
        return self._read(request.path_params["key"])

    def _read(self, key: str) -> OpenedPage:
        try:
            return self.workspace.open(key)
        except KeyError:
            raise Refusal(404, "this page is no longer in memory: open it again") from None
        except UnreadableError as problem:
            raise Refusal(422, str(problem)) from None


def _blame_threshold(
    document: bodytext.Document, usual: bodytext.Document, threshold: float
) -> dict[str, Any]:
    """Return the reason of a short or empty text if the threshold is the reason."""
    if usual.reason == document.reason and len(str(usual)) == len(str(document)):
        return {}
    words, usual_words = (len(str(each).split()) for each in (document, usual))
    what = f"keeps {words:,} words" if words else "keeps no block"
    reason = f"a threshold of {threshold:.2f} {what}; {BOUNDARY:.2f} keeps {usual_words:,} words"
    return {"reason": reason}


def _describe_document(document: bodytext.Document) -> dict[str, Any]:
    """Return what is known about a document besides its text."""
    metadata = document.metadata
    fields = [field.name for field in dataclasses.fields(metadata) if field.name != "sources"]
    known = []
    for name in fields:
        value, source = getattr(metadata, name), metadata.sources.get(name)
        if value:
            where = {"source": source.name, "confidence": source.confidence} if source else {}
            known.append({"field": name.replace("_", " "), "value": value, **where})
    return {
        "page_type": document.page_type,
        "confidence": document.confidence,
        "reason": document.reason,
        "origin": document.origin,
        "paragraphs": len(document.paragraphs),
        "words": len(str(document).split()),
        "metadata": known,
        "comments": len(document.comments),
        "media": len(document.media),
    }
