"""create_service: limits, a model and how addresses are fetched -> the app that `bodytext serve` runs."""

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bodytext.sources.fetch import (
    AddressError,
    FetchError,
    PrivateAddressError,
    RedirectError,
    SizeLimitError,
    TimeLimitError,
)
from bodytext.sources.fetch import Response as Fetched
from bodytext.studio.service.admission import Ticket, admit, busy
from bodytext.studio.service.answer import Answer
from bodytext.studio.service.frames import Frame
from bodytext.studio.service.limits import Limits
from bodytext.studio.service.openapi import describe
from bodytext.studio.service.prometheus import CONTENT_TYPE, Metrics
from bodytext.studio.service.request import Order, OrderError, read_order
from bodytext.studio.service.workers import DiedError, NoWorkerError, TooSlowError, Workers
from bodytext.studio.web.app import Part, Refusal, create_app
from bodytext.studio.web.security import Policy, TooLargeError
from bodytext.studio.web.shell import render_shell

EXTRACT = "/extract"
BIG_JSON = 2**18  # bytes; reading more than that would keep the others waiting
_FETCH_STATUSES = (
    (PrivateAddressError, 403),
    (AddressError, 400),
    (TimeLimitError, 504),
    (SizeLimitError, 413),
    (RedirectError, 502),
    (FetchError, 502),
)

Fetcher = Callable[[str], Fetched]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a service is set up."""

    workers: int = 2
    model: str = ""
    limits: Limits = field(default_factory=Limits)
    fetch: Fetcher | None = None  # None: addresses are refused


def create_service(settings: Settings, policy: Policy) -> Starlette:
    """The app; the policy's body limit is the service's, and extracting needs no token, because it changes nothing."""
    service = Service(settings)
    policy = replace(policy, open_prefixes=(EXTRACT,), body_limit=settings.limits.page_bytes)
    app = create_app([service.part()], policy)
    app.router.lifespan_context = service.run
    app.state.service = service
    return app


class Service:
    """The state of a running service: workers and counts."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.limits = settings.limits
        self.metrics = Metrics()
        self.workers = Workers(settings.workers, settings.model, settings.limits, self._count_worker)
        self._fetchers = ThreadPoolExecutor(settings.limits.fetches, "bodytext-fetch")
        self._description = json.dumps(describe(settings.limits, fetching=settings.fetch is not None))

    def part(self) -> Part:
        """The service as a part of an app."""
        routes = [
            Route("/", self.show, methods=["GET"]),
            Route(EXTRACT, self.extract, methods=["POST"]),
            Route("/health", self.tell_health, methods=["GET"]),
            Route("/metrics", self.tell_metrics, methods=["GET"]),
            Route("/openapi.json", self.tell_description, methods=["GET"]),
        ]
        return Part("service", routes, "Service", "/")

    @contextlib.asynccontextmanager
    async def run(self, _: Starlette) -> AsyncIterator[None]:
        """Have workers for as long as the app runs."""
        await self.workers.start()
        try:
            yield
        finally:
            await self.workers.stop()
            self._fetchers.shutdown(wait=False, cancel_futures=True)

    def _count_worker(self, why: str) -> None:
        self.metrics.workers[why] += 1

    async def show(self, request: Request) -> Response:
        """The page for people."""
        return render_shell(request, "service", title="Service", styles=("service.css",))

    async def tell_health(self, _: Request) -> Response:
        """Whether there are workers."""
        ready = self.workers.size - self.workers.starting
        told = {"workers": ready, "idle": self.workers.idle, "in_flight": self.metrics.in_flight}
        return JSONResponse({"status": "ok" if ready else "failing", **told}, 200 if ready else 503)

    async def tell_metrics(self, _: Request) -> Response:
        """The counts."""
        processes = [os.getpid(), *(worker.process.pid for worker in self.workers.all)]
        text = self.metrics.render(self.workers.idle, len(self.workers.all), processes)
        return Response(text, headers={"content-type": CONTENT_TYPE})

    async def tell_description(self, _: Request) -> Response:
        """The OpenAPI description."""
        return Response(self._description, media_type="application/json")

    async def extract(self, request: Request) -> Response:
        """The body text of a page, or an error; either is counted."""
        began, status = time.monotonic(), 500
        try:
            response = await self._extract(request)
            status = response.status_code
        except Refusal as refusal:
            status = refusal.status_code
            raise
        except TooLargeError:  # the guard says so
            status = 413
            raise
        finally:
            self.metrics.count_answer(status, time.monotonic() - began)
        return response

    async def _extract(self, request: Request) -> Response:
        ticket = admit(self.limits, self.metrics)
        answered = False
        try:
            body = await self._read_body(request, ticket)
            order = await self._read_order(request, body)
            del body
            if order.html is None:
                order = await self._fetch(order, ticket)
            if await request.is_disconnected():
                raise Refusal(499, "whoever asked is gone")
            found = await self._ask(order)
            ticket.hold(len(found.body))
            answered = True
        finally:
            if not answered:
                ticket.give_back()
        return Answer(found, str(order.options["format"]), ticket)

    async def _read_body(self, request: Request, ticket: Ticket) -> bytes:
        pieces = []
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                async for piece in request.stream():
                    ticket.hold(len(piece))
                    self.metrics.received_bytes += len(piece)
                    pieces.append(piece)
        except TimeoutError:
            raise Refusal(408, f"the body had not come after {self.limits.body_seconds:g} s; send it faster") from None
        except ClientDisconnect:
            raise Refusal(499, "whoever asked is gone") from None
        return b"".join(pieces)

    async def _read_order(self, request: Request, body: bytes) -> Order:
        arguments = (dict(request.headers), dict(request.query_params), body)
        try:
            if len(body) > BIG_JSON and "json" in request.headers.get("content-type", ""):
                return await asyncio.to_thread(read_order, *arguments)
            return read_order(*arguments)
        except OrderError as problem:
            raise Refusal(problem.status, str(problem)) from None

    async def _fetch(self, order: Order, ticket: Ticket) -> Order:
        """The order with the page that its address leads to."""
        if self.settings.fetch is None:
            raise Refusal(403, "this service fetches no addresses (it was started so): send the page itself as html")
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._fetchers, self.settings.fetch, order.url)
        except FetchError as problem:
            self.metrics.fetches["failed"] += 1
            status = next(status for kind, status in _FETCH_STATUSES if isinstance(problem, kind))
            raise Refusal(status, f"the address was not fetched: {problem}") from None
        self.metrics.fetches["failed" if found.problem else "ok"] += 1
        if found.problem:
            raise Refusal(502, f"there is no page at the address: {found.problem}")
        ticket.hold(len(found.body))
        return Order({**order.options, "url": found.url}, found.body, "", found.charset)

    async def _ask(self, order: Order) -> Frame:
        try:
            answer = await self.workers.ask(order.to_frame())
        except TooSlowError:
            raise Refusal(504, f"the page took longer than {self.limits.seconds:g} s, which is the limit") from None
        except NoWorkerError:
            raise busy(f"no worker was free for {self.limits.waiting_seconds:g} s") from None
        except DiedError:
            words = "the page ended the process that worked on it, twice; please report it with the page"
            raise Refusal(500, words) from None
        if answer.head["status"] != 200:
            raise Refusal(answer.head["status"], answer.head["error"])
        return answer
