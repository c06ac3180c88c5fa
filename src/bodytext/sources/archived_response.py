"""Read the page in an HTTP response as archives keep it."""

import io
import re
from dataclasses import dataclass
from importlib import import_module

from bodytext.sources.compression import GZIP_MARK, unpack_deflate

# unpacked; Common Crawl cuts pages at 1 MiB, and real ones seldom have 10.
MAX_PAGE_BYTES = 64 * 2**20
MOST_CODINGS = 5  # of one response
HTML_TYPES = frozenset({"", "text/html", "application/xhtml+xml", "application/xml", "text/xml"})

_STATUS_LINE = re.compile(rb"HTTP/[\d.]+ +(\d{3})")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHARSET = re.compile(r"charset\s*+=\s*+[\"']?\s*+([\w.:+-]{1,40})", re.IGNORECASE | re.ASCII)
_CHUNK_SIZE = re.compile(rb"\s*([0-9A-Fa-f]{1,8})[^\n]{0,200}\n")
_OK = 200
_READERS = {
    "gzip": "GzipReader",
    "x-gzip": "GzipReader",
    "br": "BrotliReader",
    "zstd": "ZstdReader",
}
_DEFLATE = "deflate"
_CODINGS = frozenset({*_READERS, _DEFLATE})


@dataclass(frozen=True, slots=True)
class ArchivedResponse:
    """The page of a response, or the `problem` why there is none."""

    html: bytes = b""
    charset: str = ""
    problem: str = ""


def read_response(block: bytes, known_type: str = "") -> ArchivedResponse:
    """Read the page in a response; `known_type` is the type that the archive detected."""
    status = _STATUS_LINE.match(block)
    if not status:
        return ArchivedResponse(problem="not an HTTP response")
    if int(status[1]) != _OK:
        return ArchivedResponse(problem=f"HTTP {int(status[1])}")
    end = _HEAD_END.search(block)
    if not end:
        return ArchivedResponse(problem="an HTTP response without a body")
    headers = _read_headers(block[: end.start()])
    content_type = headers.get("content-type", "")
    if problem := check_type(known_type or content_type):
        return ArchivedResponse(problem=problem)
    try:
        html = _decode(block[end.end() :], headers)
    except ValueError as error:
        return ArchivedResponse(problem=str(error))
    return ArchivedResponse(html, charset_of(content_type))


def check_type(content_type: str) -> str:
    """Say why content of this type is not a page; empty if it is one."""
    bare = content_type.partition(";")[0].strip().lower()
    return "" if bare in HTML_TYPES else f"not HTML: {bare[:80]}"


def charset_of(content_type: str) -> str:
    """Return the charset that a content type names; empty if it names none.

    >>> charset_of('text/html; charset="windows-1258"')
    'windows-1258'
    """
    match = _CHARSET.search(content_type)
    return match[1] if match else ""


def _read_headers(head: bytes) -> dict[str, str]:
    """Return the headers by their names in lower case; the last of several with the same name."""
    lines = (line.partition(b":") for line in head.split(b"\n")[1:])
    return {_decode_header(name).lower(): _decode_header(value) for name, _, value in lines}


def _decode_header(text: bytes) -> str:
    return text.decode("latin-1").strip()


def _decode(body: bytes, headers: dict[str, str]) -> bytes:
    """Undo the transfer and content encodings, unless the crawler already did."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _join_chunks(body)
    names = headers.get("content-encoding", "").lower().split(",")
    if len(names) > MOST_CODINGS:
        raise ValueError(f"packed {len(names):,} times; the limit is {MOST_CODINGS}")
    for name in reversed(names):
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
    return b"".join(chunks) or body  # cut off, or never chunked


def _unpack(body: bytes, name: str) -> bytes:
    """Unpack a body, as far as it goes if the crawler cut it off."""
    if name not in _CODINGS or (name.endswith("gzip") and not body.startswith(GZIP_MARK)):
        return body
    try:
        if name == _DEFLATE:
            return unpack_deflate(body, MAX_PAGE_BYTES, whole=False)
        streams = import_module("fastwarc.stream_io")
        unpacked: bytes = getattr(streams, _READERS[name])(io.BytesIO(body)).read(
            MAX_PAGE_BYTES + 1
        )
    except (OSError, ValueError) as error:
        if body.lstrip().startswith(b"<"):
            return body
        raise ValueError(f"broken {name} content: {error}") from None
    return unpacked
