"""An HTTP response as archives keep it -> its page, or the reason why it holds none."""

import io
import re
from dataclasses import dataclass
from importlib import import_module

from bodytext.sources.packing import GZIP_MARK, unpack_deflate

MAX_PAGE_BYTES = 64 * 2**20  # unpacked; Common Crawl cuts pages at 1 MiB, and real ones seldom have 10
HTML_TYPES = frozenset({"", "text/html", "application/xhtml+xml", "application/xml", "text/xml"})

_STATUS_LINE = re.compile(rb"HTTP/[\d.]+ +(\d{3})")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';,]+)", re.IGNORECASE)
_CHUNK_SIZE = re.compile(rb"\s*([0-9A-Fa-f]{1,8})[^\n]{0,200}\n")
_GOOD = 200
_READERS = {"gzip": "GzipReader", "x-gzip": "GzipReader", "br": "BrotliReader", "zstd": "ZstdReader"}
_DEFLATE = "deflate"
_CODINGS = frozenset({*_READERS, _DEFLATE})


@dataclass(frozen=True, slots=True)
class Response:
    """The page of a response; where `problem` says something there is none."""

    html: bytes = b""
    charset: str = ""
    problem: str = ""


def read_response(block: bytes, known_type: str = "") -> Response:
    """The page in a response. `known_type` is what somebody found its content to be, if anybody looked."""
    status = _STATUS_LINE.match(block)
    if not status:
        return Response(problem="no HTTP response")
    if int(status[1]) != _GOOD:
        return Response(problem=f"HTTP {int(status[1])}")
    end = _HEAD_END.search(block)
    if not end:
        return Response(problem="an HTTP response without a body")
    headers = _read_headers(block[: end.start()])
    content_type = headers.get("content-type", "")
    if problem := judge_type(known_type or content_type):
        return Response(problem=problem)
    try:
        html = _decode(block[end.end() :], headers)
    except ValueError as problem:
        return Response(problem=str(problem))
    return Response(html, charset_of(content_type))


def judge_type(content_type: str) -> str:
    """Why content of this type is no page, or nothing."""
    bare = content_type.partition(";")[0].strip().lower()
    return "" if bare in HTML_TYPES else f"not HTML: {bare[:80]}"


def charset_of(content_type: str) -> str:
    """The charset that a content type names.

    >>> charset_of('text/html; charset="windows-1258"')
    'windows-1258'
    """
    found = _CHARSET.search(content_type)
    return found[1] if found else ""


def _read_headers(head: bytes) -> dict[str, str]:
    """The headers by their names in lower case; of several with one name the last."""
    lines = (line.partition(b":") for line in head.split(b"\n")[1:])
    return {name.decode("latin-1").strip().lower(): value.decode("latin-1").strip() for name, _, value in lines}


def _decode(body: bytes, headers: dict[str, str]) -> bytes:
    """The body without its transfer and content encodings; crawlers often took them off and left the headers."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _join_chunks(body)
    for name in reversed(headers.get("content-encoding", "").lower().split(",")):
        body = _unpack(body, name.strip())
    if len(body) > MAX_PAGE_BYTES:
        raise ValueError(f"larger than {MAX_PAGE_BYTES:,} bytes")
    return body


def _join_chunks(body: bytes) -> bytes:
    chunks: list[bytes] = []
    position = 0
    while size := _CHUNK_SIZE.match(body, position):
        start, length = size.end(), int(size[1], 16)
        if not length:
            return b"".join(chunks)
        chunks.append(body[start : start + length])
        position = start + length
    return b"".join(chunks) or body  # cut off; or never chunked


def _unpack(body: bytes, name: str) -> bytes:
    """The body unpacked; one that a crawler cut off as far as it goes."""
    if name not in _CODINGS or (name.endswith("gzip") and not body.startswith(GZIP_MARK)):
        return body
    try:
        if name == _DEFLATE:
            return unpack_deflate(body, MAX_PAGE_BYTES, whole=False)
        streams = import_module("fastwarc.stream_io")
        unpacked: bytes = getattr(streams, _READERS[name])(io.BytesIO(body)).read(MAX_PAGE_BYTES + 1)
    except (OSError, ValueError) as error:
        if body.lstrip().startswith(b"<"):
            return body
        raise ValueError(f"broken {name} content: {error}") from None
    return unpacked
