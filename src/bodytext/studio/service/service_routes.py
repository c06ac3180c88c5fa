"""The service's routes, and the app that `bodytext serve` runs."""

import asyncio
import contextlib
import json
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.corpus.workers.worker import TooSlowError, WorkerDiedError
from bodytext.sources.fetch import (
    AddressError,
    FetchError,
    HttpResponse,
    PrivateAddressError,
    RedirectError,
    SizeLimitError,
    TimeLimitError,
)
from bodytext.studio.service.admission import Admission, Ticket, busy
from bodytext.studio.service.extraction_request import (
    ExtractionRequest,
    check_unpacked,
    read_address,
    read_request,
)
from bodytext.studio.service.openapi import describe
from bodytext.studio.service.page_extraction import FAILURES
from bodytext.studio.service.prometheus import CONTENT_TYPE, ServiceMetrics
from bodytext.studio.service.responses import BatchResponse, DocumentResponse
from bodytext.studio.service.service_limits import ServiceLimits
from bodytext.studio.service.worker_pool import NoFreeWorkerError, WorkerPool
from bodytext.studio.web.app import AppPart, Refusal, create_app
from bodytext.studio.web.security import Policy, TooLargeError
from bodytext.studio.web.shell import render_shell

EXTRACT, BATCH = "/extract", "/batch"
MOST_LINES = 1000  # pages in a batch
JSON_HEADERS = {"content-type": "application/json"}
_IN_LINES = ("reason", "page_type", "confidence")  # beside a text that is not JSON
BIG_JSON = 2**18  # bytes; parsing more than that would block other requests
_FETCH_STATUSES = (
    (PrivateAddressError, 403),
    (AddressError, 400),
    (TimeLimitError, 504),
    (SizeLimitError, 413),
    (RedirectError, 502),
    (FetchError, 502),
)

Fetcher = Callable[[str], HttpResponse]


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """The workers, the model, the limits and the fetcher of a service."""

    workers: int = 2
    model: str = ""
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    fetch: Fetcher | None = None  # None to refuse addresses
    key: str = ""  # that requests must have; empty if they need none


def create_service(options: ServiceOptions, policy: Policy) -> Starlette:
    """Return the app. No route changes anything, so none needs a token."""
    service = Service(options)
    policy = replace(policy, open_prefixes=("/",), body_limit=options.limits.page_bytes)
    app = create_app([service.part()], policy)
    if policy.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=policy.origins,
            allow_methods=("GET", "POST"),
            allow_headers=("authorization", "content-encoding", "content-type"),
            expose_headers=("bodytext-confidence", "bodytext-page-type", "bodytext-reason"),
        )
    app.router.lifespan_context = service.run
    app.state.service = service
    return app


class Service:
    """A running service: its workers and metrics."""

    def __init__(self, options: ServiceOptions) -> None:
        self.options = options
        self.limits = options.limits
        self.metrics = ServiceMetrics()
        self._admission = Admission(self.limits, self.metrics)
        self.workers = WorkerPool(
            options.workers, options.model, options.limits, self._count_worker
        )
        self._fetchers = ThreadPoolExecutor(options.limits.fetches, "bodytext-fetch")
        self._description = describe(
            options.limits, fetching=options.fetch is not None, has_key=bool(options.key)
        )

    def part(self) -> AppPart:
        """Return the service as a part of an app."""
        routes = [
            Route("/", self.show, methods=["GET"]),
            Route(EXTRACT, self.extract, methods=["GET", "POST"]),
            Route(BATCH, self.extract_batch, methods=["POST"]),
            Route("/health", self.show_health, methods=["GET"]),
            Route("/metrics", self.show_metrics, methods=["GET"]),
            Route("/openapi.json", self.show_description, methods=["GET"]),
            Route("/docs", self.show_reference, methods=["GET"]),
        ]
        return AppPart("service", routes, "Service", "/")

    @contextlib.asynccontextmanager
    async def run(self, _: Starlette) -> AsyncIterator[None]:
        """Run the workers for as long as the app runs."""
        await self.workers.start()
        try:
            yield
        finally:
            await self.workers.stop()
            self._fetchers.shutdown(wait=False, cancel_futures=True)

    def _count_worker(self, why: str) -> None:
        self.metrics.workers[why] += 1

    async def show(self, request: Request) -> Response:
        """Answer with the page for people."""
        return render_shell(request, "service", title="Service", styles=("service.css",))

    async def show_health(self, _: Request) -> Response:
        """Say whether there are workers."""
        ready = self.workers.size - self.workers.starting
        counts = {"workers": ready, "idle": self.workers.idle, "in_flight": self.metrics.in_flight}
        status, code = ("ok", 200) if ready else ("failing", 503)
        return JSONResponse({"status": status, **counts}, code)

    async def show_metrics(self, _: Request) -> Response:
        """Answer with the metrics."""
        processes = [os.getpid(), *self.workers.pids]
        text = self.metrics.render(self.workers.idle, len(self.workers.pids), processes)
        return Response(text, headers={"content-type": CONTENT_TYPE})

    async def show_description(self, _: Request) -> Response:
        """Answer with the OpenAPI description."""
        return JSONResponse(self._description)

    async def show_reference(self, request: Request) -> Response:
        """Answer with the description for people."""
        return render_shell(
            request,
            "service",
            title="Reference",
            styles=("service.css",),
            fragment="reference",
            description=self._description,
            origin=f"{request.url.scheme}://{request.url.netloc}",
        )

    async def extract(self, request: Request) -> Response:
        """Answer with the body text of a page, or an error; count either."""
        began, status = time.monotonic(), 500
        try:
            self._check_sender(request)
            response = await self._extract(request)
            status = response.status_code
        except Refusal as refusal:
            status = refusal.status_code
            raise
        except TooLargeError:  # the guard answers
            status = 413
            raise
        finally:
            self.metrics.count_response(status, time.monotonic() - began)
        return response

    async def extract_batch(self, request: Request) -> Response:
        """Answer lines of JSON, each an object as /extract takes it, with a line for each, in order."""
        self._check_sender(request)
        check_unpacked(request.headers)
        ticket = self._admission.admit()
        try:
            lines = _split_lines(await self._read_body(request, ticket))
        except BaseException:
            ticket.release()
            raise
        return BatchResponse(self._answer_lines(lines, dict(request.query_params)), ticket)

    async def _answer_lines(
        self, lines: list[tuple[int, bytes]], query: dict[str, str]
    ) -> AsyncIterator[bytes]:
        for number, line in lines:
            began, status = time.monotonic(), 200
            try:
                answer = await self._answer_line(line, query)
            except Refusal as refusal:
                status = refusal.status_code
                failure = {"status": status, "error": refusal.detail, "line": number}
                answer = json.dumps(failure).encode()
            self.metrics.count_response(status, time.monotonic() - began)
            yield answer + b"\n"

    async def _answer_line(self, line: bytes, query: dict[str, str]) -> bytes:
        """Return the answer to a line: the document if it is JSON, else an object with its text."""
        extraction = await asyncio.to_thread(read_request, JSON_HEADERS, query, line)
        ticket = self._admission.admit()
        try:
            if extraction.html is None:
                extraction = await self._fetch(extraction, ticket)
            answer = await self._ask(extraction)
        finally:
            ticket.release()
        name = str(extraction.options["format"])
        if name == "json":
            return answer.body
        known = {key: value for key, value in answer.head.items() if key in _IN_LINES}
        return json.dumps({"url": extraction.url, name: answer.body.decode(), **known}).encode()

    def _check_sender(self, request: Request) -> None:
        """Refuse a request without the key, and a link of another site."""
        key = self.options.key
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        is_same = secrets.compare_digest(given.strip().encode(), key.encode())
        if key and not (scheme.lower() == "bearer" and is_same):
            refusal = Refusal(401, "this service needs its key: Authorization: Bearer KEY")
            refusal.headers = {"www-authenticate": "Bearer"}
            raise refusal
        # The guard lets links through, since pages to look at change nothing. This one fetches.
        is_link = request.headers.get("sec-fetch-mode") == "navigate"
        site = request.headers.get("sec-fetch-site", "none")
        if is_link and site not in {"same-origin", "none"}:
            raise Refusal(403, "another site may not use this server")

    async def _extract(self, request: Request) -> Response:
        ticket = self._admission.admit()
        answered = False
        try:
            if request.method == "POST":
                body = await self._read_body(request, ticket)
                extraction = await self._read_request(request, body)
                del body
            else:
                extraction = read_address(dict(request.query_params))
            if extraction.html is None:
                extraction = await self._fetch(extraction, ticket)
            if await request.is_disconnected():
                raise Refusal(499, "the client is gone")
            answer = await self._ask(extraction)
            ticket.hold(len(answer.body))
            answered = True
        finally:
            if not answered:
                ticket.release()
        return DocumentResponse(answer, str(extraction.options["format"]), ticket)

    async def _read_body(self, request: Request, ticket: Ticket) -> bytes:
        pieces = []
        try:
            async with ticket.arriving():
                async for piece in request.stream():
                    ticket.hold(len(piece))
                    self.metrics.received_bytes += len(piece)
                    pieces.append(piece)
        except TimeoutError:
            limit = f"more than {self.limits.body_seconds:g} s to arrive"
            raise Refusal(
                408, f"the body took {limit}, or less while others waited; send it faster"
            ) from None
        except ClientDisconnect:
            raise Refusal(499, "the client is gone") from None
        return b"".join(pieces)

    @staticmethod
    async def _read_request(request: Request, body: bytes) -> ExtractionRequest:
        arguments = (dict(request.headers), dict(request.query_params), body)
        if len(body) > BIG_JSON and "json" in request.headers.get("content-type", ""):
            return await asyncio.to_thread(read_request, *arguments)
        return read_request(*arguments)

    async def _fetch(self, extraction: ExtractionRequest, ticket: Ticket) -> ExtractionRequest:
        """Return the request with the page at its address."""
        fetch = self.options.fetch
        if fetch is None:
            raise Refusal(
                403,
                "this service fetches no addresses: send the page as html, or start it with --fetch",
            )
        try:
            page = await asyncio.get_running_loop().run_in_executor(
                self._fetchers, fetch, extraction.url
            )
        except FetchError as problem:
            self.metrics.fetches["failed"] += 1
            status = next(status for kind, status in _FETCH_STATUSES if isinstance(problem, kind))
            raise Refusal(status, f"the address was not fetched: {problem}") from None
        self.metrics.fetches["failed" if page.problem else "ok"] += 1
        if page.problem:
            raise Refusal(502, f"there is no page at the address: {page.problem}")
        ticket.hold(len(page.body))
        return ExtractionRequest(
            {**extraction.options, "url": page.url}, page.body, "", page.charset
        )

    async def _ask(self, extraction: ExtractionRequest) -> WorkerMessage:
        try:
            answer = await self.workers.ask(extraction.to_message())
        except TooSlowError:
            raise Refusal(
                504, f"the page took longer than the limit of {self.limits.seconds:g} s"
            ) from None
        except NoFreeWorkerError:
            raise busy(f"no worker was free for {self.limits.waiting_seconds:g} s") from None
        except WorkerDiedError:
            message = (
                "the process that worked on the page died, twice; please report it with the page"
            )
            raise Refusal(500, message) from None
        if "failed" in answer.head:
            raise Refusal(*FAILURES[answer.head["failed"]])
        if answer.head["status"] != 200:
            raise Refusal(answer.head["status"], answer.head["error"])
        return answer


def _split_lines(body: bytes) -> list[tuple[int, bytes]]:
    """Return the lines that are not empty, with their numbers.

    Every second line may be empty. A body of nothing else would be millions of lines, so no more
    are split than a batch can have.
    """
    split = body.rstrip().split(b"\n", 2 * MOST_LINES)
    lines = [(number, line) for number, line in enumerate(map(bytes.strip, split), 1) if line]
    if not lines or len(lines) > MOST_LINES or len(split) > 2 * MOST_LINES:
        raise Refusal(
            400,
            f"a batch has from 1 to {MOST_LINES:,} lines, {2 * MOST_LINES:,} with the empty ones",
        )
    return lines
