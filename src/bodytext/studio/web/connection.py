"""Time limits for connections: some clients send a byte now and then and never finish."""

import asyncio
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # from the connection or the last response to the end of a request's head
BODY_SECONDS = 60.0  # from there to the end of its body; enough for 20 MB over a slow line
RESPONSE_SECONDS = 300.0  # from there until the client has taken the response
DRAINED_BYTES = 64 * 2**20  # of a refused body; the connection closes after that
DRAIN_SECONDS = 20.0
MOST_CONNECTIONS = 900  # below the 1,024 files that a process may usually open
UNDISTURBED_SECONDS = 1.0  # that a request may take to arrive, however many others wait


class Connection(H11Protocol):
    """An HTTP/1.1 connection that closes when a request is not complete in time."""

    _timer: asyncio.TimerHandle | None = None
    _began = 0.0  # waiting for a request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the head of a request."""
        super().connection_made(transport)
        self._began = self.loop.time()
        if len(self.connections) > MOST_CONNECTIONS and not self._drop_slowest():
            transport.close()
        self._wait(HEAD_SECONDS, self._check_head)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._timer:
            self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the head of the next request."""
        self._began = self.loop.time()
        self._wait(HEAD_SECONDS, self._check_head)
        super().on_response_complete()

    def _drop_slowest(self) -> bool:
        """Close the connection whose request has been arriving the longest; False if none is slow."""
        latest = self.loop.time() - UNDISTURBED_SECONDS
        others = (other for other in self.connections if isinstance(other, Connection))
        slow = [other for other in others if other._is_arriving(latest)]
        if slow:
            min(slow, key=lambda other: other._began).transport.abort()
        return bool(slow)

    def _is_arriving(self, latest: float) -> bool:
        """Whether a request is not complete that was waited for since then or before."""
        is_complete = self.cycle and not (self.cycle.response_complete or self.cycle.more_body)
        return self._began <= latest and not is_complete and not self.transport.is_closing()

    def _wait(self, seconds: float, then: Any) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, then)

    def _check_head(self) -> None:
        """Wait for the body if a head has arrived; otherwise close the connection."""
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
            # In case the client does not take the last response.
            self._wait(RESPONSE_SECONDS, self.transport.abort)
        else:
            self._wait(BODY_SECONDS, self._check_body)

    def _check_body(self) -> None:
        """Wait for the response if the body has arrived; otherwise close the connection."""
        if self.cycle.more_body:
            self.transport.close()
        else:
            self._wait(RESPONSE_SECONDS, self.transport.abort)


class Drain:
    """ASGI middleware that reads and drops the rest of a body before an error is sent.

    A client that is still sending when the connection closes never sees the error: the system
    discards it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; errors wait for the end of the body."""
        # A client with an Expect header waits for a response before it sends the body.
        if scope["type"] != "http" or "expect" in Headers(scope=scope):
            await self.app(scope, receive, send)
            return
        unfinished = True

        async def receive_watched() -> Message:
            nonlocal unfinished
            message = await receive()
            unfinished = bool(message.get("more_body", False))
            return message

        async def drop_body() -> None:
            left = DRAINED_BYTES
            while unfinished and left > 0:
                left -= len((await receive_watched()).get("body", b""))

        async def send_drained(message: Message) -> None:
            status = message.get("status", 0)
            is_error = status >= HTTPStatus.BAD_REQUEST and status != HTTPStatus.REQUEST_TIMEOUT
            if unfinished and is_error:
                with suppress(TimeoutError):
                    await asyncio.wait_for(drop_body(), DRAIN_SECONDS)
            await send(message)

        await self.app(scope, receive_watched, send_drained)
