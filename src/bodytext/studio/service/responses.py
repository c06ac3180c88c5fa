"""Send a document as fast as the client takes it, or the answers to a batch as they come."""

import re
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.output.formats import FORMATS
from bodytext.studio.service.admission import Ticket

JSON_LINES = "application/x-ndjson"
# The response is data: a browser that shows it must not load or run anything in it.
_INERT = "default-src 'none'; sandbox; frame-ancestors 'none'"
_PIECE = 2**18  # bytes sent at a time; the next piece waits until the client has taken most of it
_NOT_IN_HEADERS = re.compile(r"[^ -~]")


class BatchResponse(StreamingResponse):
    """Lines of JSON. When they have been sent, or the client is gone, the ticket is released."""

    def __init__(self, lines: AsyncIterator[bytes], ticket: Ticket) -> None:
        super().__init__(lines, media_type=JSON_LINES)
        self._ticket = ticket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ticket.release()


class DocumentResponse(Response):
    """A document in its format. When it has been sent, the request's ticket is released."""

    def __init__(self, message: WorkerMessage, format_name: str, ticket: Ticket) -> None:
        media_type = FORMATS[format_name].media_type
        super().__init__(message.body, headers=_make_headers(message.head, media_type))
        self._ticket = ticket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Send the response in pieces."""
        try:
            head = {"status": self.status_code, "headers": self.raw_headers}
            await send({"type": "http.response.start", **head})
            for start in range(0, len(self.body), _PIECE):
                piece = self.body[start : start + _PIECE]
                await send({"type": "http.response.body", "body": bytes(piece), "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._ticket.release()


def _make_headers(head: dict[str, Any], media_type: str) -> dict[str, str]:
    charset = "" if media_type == "application/json" else "; charset=utf-8"
    headers = {"content-type": media_type + charset, "content-security-policy": _INERT}
    for name in ("reason", "page_type", "confidence"):
        value = head[name]
        if value in {"", None}:
            continue
        text = f"{value:.4f}" if isinstance(value, float) else str(value)
        headers[f"bodytext-{name.replace('_', '-')}"] = _NOT_IN_HEADERS.sub("?", text)
    return headers
