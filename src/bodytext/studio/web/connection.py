"""Connection: uvicorn's HTTP/1.1 with patience that ends: some clients send a byte now and then and never finish."""

import asyncio
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # from the connection, or the answer before, to the whole head of a request
BODY_SECONDS = 60.0  # from there to the end of its body; 20 MB in that time are a slow line
ANSWER_SECONDS = 300.0  # from there until the answer is made, and the client has taken it
DROPPED_BYTES = 64 * 2**20  # of a body that nobody wants; who sends more is cut off
DROPPING_SECONDS = 5.0
MOST_CONNECTIONS = 900  # below the 1,024 files that a process may usually open


class Connection(H11Protocol):
    """A connection that is closed when a request does not come to its end in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a head."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.close()
        self._wait(HEAD_SECONDS, self._expect_head)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        if self._timer:
            self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the head of the next request."""
        self._wait(HEAD_SECONDS, self._expect_head)
        super().on_response_complete()

    def _wait(self, seconds: float, then: Any) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, then)

    def _expect_head(self) -> None:
        """A head has come, and now its body is waited for; or there is none, and that was all."""
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
            self._wait(ANSWER_SECONDS, self.transport.abort)  # where the last answer is not taken
        else:
            self._wait(BODY_SECONDS, self._expect_body)

    def _expect_body(self) -> None:
        """The body has come, and now the answer must be made and taken; or that was all."""
        if self.cycle.more_body:
            self.transport.close()
        else:
            self._wait(ANSWER_SECONDS, self.transport.abort)


class Drain:
    """ASGI middleware: the rest of a body is let in, and dropped, before an error is sent.

    Whoever still sends when the connection is closed never sees why: the system throws the answer away.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, errors a little later."""
        if scope["type"] != "http" or "expect" in Headers(scope=scope):  # who expects an answer first sends no body
            await self.app(scope, receive, send)
            return
        unfinished = True

        async def receive_watched() -> Message:
            nonlocal unfinished
            message = await receive()
            unfinished = bool(message.get("more_body", False))
            return message

        async def drop_body() -> None:
            left = DROPPED_BYTES
            while unfinished and left > 0:
                left -= len((await receive_watched()).get("body", b""))

        async def send_drained(message: Message) -> None:
            status = message.get("status", 0)
            if unfinished and status >= HTTPStatus.BAD_REQUEST and status != HTTPStatus.REQUEST_TIMEOUT:
                with suppress(TimeoutError):
                    await asyncio.wait_for(drop_body(), DROPPING_SECONDS)
            await send(message)

        await self.app(scope, receive_watched, send_drained)
