"""HttpResponse: the status, headers and body that a host sent."""

import http
import re
import time
from dataclasses import dataclass, field

from bodytext.sources.archived_response import charset_of
from bodytext.sources.fetch.content_coding import unpack_body
from bodytext.sources.fetch.errors import (
    ContentTypeError,
    FetchError,
    HeaderLimitError,
    ProtocolError,
    SizeLimitError,
)
from bodytext.sources.fetch.limits import FetchLimits

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response of any status. `body` is decompressed, as bytes."""

    url: str  # the address that answered, after all redirects
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)  # names in lower case
    # ISO 8601 in UTC: when it arrived; for a stored response, when it was last confirmed as
    # current.
    time: str = ""
    redirects: tuple[str, ...] = ()  # the addresses before `url`
    stored: bool = False  # the body is from the cache

    @property
    def content_type(self) -> str:
        """The content type without parameters, in lower case; empty if the host sent none."""
        return re.split("[;,]", self.headers.get("content-type", ""), maxsplit=1)[0].strip().lower()

    @property
    def charset(self) -> str:
        """The charset in the content type; empty if there is none."""
        return charset_of(self.headers.get("content-type", "")).lower()

    @property
    def location(self) -> str:
        """The target of a redirect, as the host wrote it; empty for any other response."""
        return self.headers.get("location", "").strip() if self.status in _REDIRECTS else ""

    @property
    def problem(self) -> str:
        """The status in words if the response has no page; empty if it has one."""
        if self.status == http.HTTPStatus.OK:
            return ""
        try:
            return f"HTTP {self.status} {http.HTTPStatus(self.status).phrase}"
        except ValueError:
            return f"HTTP {self.status}"


FetchOutcome = HttpResponse | FetchError


_NO_BODY = frozenset({204, 304})
_FIRST_FINAL = 200  # responses before it ("100 Continue") announce another
# More pieces than this, so small on average, only keep us busy; pages have some kilobytes in each.
_MOST_SMALL = 20_000
_SMALL_BYTES = 8
_STOP = -1  # tells libcurl to end the transfer


class ResponseReader:
    """Takes what libcurl receives.

    The methods return None to go on. Else the transfer ends: `problem` says why, or is None if no
    more is needed.
    """

    def __init__(self, url: str, types: frozenset[str] | None, limits: FetchLimits) -> None:
        self._url, self._types, self._limits = url, types, limits
        self._status = 0
        self._headers: dict[str, str] = {}
        self._last_name = ""
        self._header_bytes = 0
        self._in_body = False
        self._body = bytearray()
        self._pieces = 0
        self.problem: FetchError | None = None
        self.is_enough = False

    def read_header(self, line: bytes) -> int | None:
        """Take a status line, a header, or the empty line after the headers."""
        self._header_bytes += len(line)
        if self._header_bytes > self._limits.max_header_bytes:
            most = f"{self._limits.max_header_bytes:,}"
            return self._refuse(HeaderLimitError(f"the headers have more than {most} bytes"))
        if self._in_body:  # those after the body say nothing about it
            return None
        text = line.decode("latin-1").rstrip("\r\n")
        if not self._status:
            self._status = _read_status(text)
        elif text:
            self._add(text)
        elif self._status < _FIRST_FINAL:
            self._status = 0
            self._headers = {}
        else:
            self._in_body = True
            return self._begin_body()
        return None

    def read_body(self, piece: bytes) -> int | None:
        """Take a piece of the body."""
        self._body += piece
        self._pieces += 1
        if self._pieces > _MOST_SMALL and len(self._body) < _SMALL_BYTES * self._pieces:
            return self._refuse(ProtocolError("the body is sent in pieces of a few bytes each"))
        if len(self._body) <= self._limits.max_bytes:
            return None
        if self._limits.cut:
            return self._end()
        most = f"{self._limits.max_bytes:,}"
        return self._refuse(SizeLimitError(f"the body has more than {most} bytes"))

    def finish(self) -> HttpResponse:
        """Return the response, with its body decompressed."""
        body = bytes(self._body[: self._limits.max_bytes])
        if (coding := self._headers.get("content-encoding", "")) and body:
            body = unpack_body(body, coding, self._limits)
        return self._response(body)

    def _response(self, body: bytes = b"") -> HttpResponse:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return HttpResponse(self._url, self._status, body, self._headers, now)

    def _add(self, text: str) -> None:
        """Keep a header by its lower-case name; repeated ones are joined with commas."""
        if text[0] in " \t":  # the last one continues, as was allowed once
            if self._last_name in self._headers:
                self._headers[self._last_name] += " " + text.strip()
            return
        name, _, value = text.partition(":")
        key = self._last_name = name.strip().lower()
        value = value.strip()
        self._headers[key] = f"{self._headers[key]}, {value}" if key in self._headers else value

    def _begin_body(self) -> int | None:
        """Refuse a body that is unwanted or too large before it is read."""
        response = self._response()
        length = response.headers.get("content-length", "")
        if response.location or response.status in _NO_BODY:
            return None if length == "0" else self._end()
        if problem := _check_type(response, self._types):
            return self._refuse(problem)
        size = int(length) if length.isascii() and length.isdecimal() and len(length) < 20 else 0
        if size > self._limits.max_bytes and not self._limits.cut:
            most = f"{self._limits.max_bytes:,}"
            return self._refuse(
                SizeLimitError(f"larger than {most} bytes: the body has {size:,} bytes")
            )
        return None

    def _refuse(self, problem: FetchError) -> int:
        self.problem = problem
        return _STOP

    def _end(self) -> int:
        self.is_enough = True
        return _STOP


def _read_status(line: str) -> int:
    """Return the status in "HTTP/1.1 200 OK"; libcurl has checked that it is one."""
    word = line.partition(" ")[2].strip()[:3]
    return int(word) if word.isascii() and word.isdecimal() else 0


def _check_type(response: HttpResponse, types: frozenset[str] | None) -> ContentTypeError | None:
    """Return an error for an unwanted type; no type is any type."""
    if (
        types is None
        or response.problem
        or not response.content_type
        or response.content_type in types
    ):
        return None
    wanted = " or ".join(sorted(types)[:2])
    return ContentTypeError(f"not {wanted}: the content type is {response.content_type[:60]}")
