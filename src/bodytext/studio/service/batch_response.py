"""Send the answers to a batch as JSON lines, each as soon as it is there."""

from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from bodytext.studio.service.admission import Ticket

JSON_LINES = "application/x-ndjson"


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
