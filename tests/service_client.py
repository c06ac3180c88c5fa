"""Send requests to a server on loopback, many at the same time."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; status 0 if there was none."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return str(self.json["error"])


async def ask(port: int, request: str, body: bytes = b"", **headers: str) -> Answer:
    """Send a request such as "POST /extract"; names of headers have _ for -."""
    method, path = request.split(" ")
    sent = {"host": f"127.0.0.1:{port}", "content-length": str(len(body)), "connection": "close"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    if "transfer-encoding" in sent:
        del sent["content-length"]
    head = (
        f"{method} {path} HTTP/1.1\r\n"
        + "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        + "\r\n"
    )
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return Answer(0, {}, b"")
    try:
        writer.write(head.encode("latin-1") + body)
        answer = await reader.read()
    except OSError:  # the server closed the connection before the end of the body
        answer = await reader.read() if not reader.at_eof() and not reader.exception() else b""
    finally:
        writer.close()
    return _read(answer)


def _read(answer: bytes) -> Answer:
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    if not status:
        return Answer(0, {}, b"")
    headers = dict(line.split(": ", 1) for line in lines)
    return Answer(int(status.split(" ")[1]), headers, body)


def ask_now(port: int, request: str, body: bytes = b"", **headers: str) -> Answer:
    """Send a request, and wait for the answer."""
    return asyncio.run(ask(port, request, body, **headers))
