"""Answer: what a worker found -> the HTTP response, sent as fast as the client takes it, counted until then."""

import re
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bodytext.studio.service.admission import Ticket
from bodytext.studio.service.frames import Frame
from bodytext.studio.service.request import TYPES

# What we answer with is data: nothing in it may be loaded or run, even where a browser shows it.
_INERT = "default-src 'none'; sandbox; frame-ancestors 'none'"
_PIECE = 2**18  # bytes that are handed over at a time: the next when the client has taken most of it
_NO_HEADER = re.compile(r"[^ -~]")


class Answer(Response):
    """A document in its format. Its request is over when it has been sent."""

    def __init__(self, found: Frame, format_name: str, ticket: Ticket) -> None:
        super().__init__(found.body, headers=_describe(found.head, TYPES[format_name]))
        self._ticket = ticket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI has it
        """Send it piece by piece."""
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            for start in range(0, len(self.body), _PIECE):
                piece = self.body[start : start + _PIECE]
                await send({"type": "http.response.body", "body": bytes(piece), "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._ticket.give_back()


def _describe(head: dict[str, Any], kind: str) -> dict[str, str]:
    headers = {"content-type": kind if kind == "application/json" else f"{kind}; charset=utf-8"}
    headers["content-security-policy"] = _INERT
    for name in ("reason", "page_type", "confidence"):
        if head[name] not in {"", None}:
            words = f"{head[name]:.4f}" if isinstance(head[name], float) else str(head[name])
            headers[f"bodytext-{name.replace('_', '-')}"] = _NO_HEADER.sub("?", words)
    return headers
