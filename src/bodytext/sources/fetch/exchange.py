"""A request to a checked address in, one response out: a connection of its own, under one deadline."""

import http.client
import io
import socket
import ssl
import time
from dataclasses import dataclass

from bodytext.sources.fetch.coding import unpack_body
from bodytext.sources.fetch.errors import (
    CertificateError,
    ConnectError,
    ContentTypeError,
    FetchError,
    HeaderLimitError,
    ProtocolError,
    SizeLimitError,
    TimeLimitError,
)
from bodytext.sources.fetch.hosts import Resolver, Target, find_addresses
from bodytext.sources.fetch.limits import Limits
from bodytext.sources.fetch.response import Response

_CONNECT_S = 5.0  # for one address of a host that has several; the deadline stands above it
_PIECE_BYTES = 64 * 2**10
_SLACK = 2  # bytes on the wire for one of the body: chunks have their own headers
_NO_BODY = frozenset({204, 304})


class Deadline:
    """A moment that nothing may outlast."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left; a TimeLimitError where there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.error()
        return left

    def error(self) -> TimeLimitError:
        """What to raise behind the deadline."""
        return TimeLimitError(f"not done in {self._seconds:g} s")


class _Wire(io.RawIOBase):
    """What comes from a socket: each read under the deadline, all of them under an allowance of bytes."""

    def __init__(self, connection: socket.socket, deadline: Deadline, limits: Limits) -> None:
        self._connection, self._deadline, self._limits = connection, deadline, limits
        self._room = limits.max_header_bytes
        self._in_body = False

    def readable(self) -> bool:
        return True

    def makefile(self, _mode: str) -> io.BufferedReader:
        """What http.client asks of a socket."""
        return io.BufferedReader(self, _PIECE_BYTES)

    def enter_body(self) -> None:
        """From here on the body's allowance counts."""
        self._in_body = True
        self._room += self._limits.max_bytes * _SLACK

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._connection.settimeout(self._deadline.left())
        try:
            count = self._connection.recv_into(buffer)
        except TimeoutError:
            raise self._deadline.error() from None
        except ssl.SSLError as problem:
            raise ConnectError(f"the encrypted connection broke ({problem.reason})") from None
        self._room -= count
        if self._room < -_PIECE_BYTES:  # a buffer may hold the beginning of what follows
            self._refuse()
        return count

    def _refuse(self) -> None:
        if self._in_body:
            raise SizeLimitError(f"the body has more than {self._limits.max_bytes:,} bytes")
        raise HeaderLimitError(f"the headers have more than {self._limits.max_header_bytes:,} bytes")


@dataclass(frozen=True, slots=True)
class Request:
    """A GET request, ready to be sent."""

    target: Target
    headers: dict[str, str]
    types: frozenset[str] | None  # content types that are wanted; None for any

    def __bytes__(self) -> bytes:
        lines = [f"GET {self.target.path} HTTP/1.1", f"Host: {self.target.authority}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if any("\r" in line or "\n" in line for line in lines):
            raise ValueError("a header must not hold a line break")
        return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1", "replace")


class Exchange:
    """Sends requests and reads what comes, each over a connection of its own."""

    def __init__(self, limits: Limits, resolve: Resolver) -> None:
        self._limits, self._resolve = limits, resolve
        self._tls: ssl.SSLContext | None = None

    def ask(self, request: Request, deadline: Deadline) -> Response:
        """The answer to one request. Redirects are answers too."""
        with self._connect(request.target, deadline) as connection:
            try:
                connection.settimeout(deadline.left())
                connection.sendall(bytes(request))
                return self._read(connection, request, deadline)
            except TimeoutError:
                raise deadline.error() from None
            except http.client.RemoteDisconnected:
                raise ConnectError("the connection was closed without an answer") from None
            except http.client.IncompleteRead:
                raise ProtocolError("the chunks of the body are broken, or the connection ended among them") from None
            except http.client.LineTooLong:
                raise HeaderLimitError("there is a header of more than 65,536 bytes") from None
            except (http.client.HTTPException, ValueError) as problem:
                raise ProtocolError(f"the answer is no HTTP ({_describe(problem)})") from None
            except OSError as problem:
                raise ConnectError(f"the connection broke ({problem.strerror or problem})") from None

    def _connect(self, target: Target, deadline: Deadline) -> socket.socket:
        private = self._limits.allow_private
        addresses = find_addresses(target, self._resolve, deadline.left(), allow_private=private)
        problem: OSError | None = None
        for address in addresses:
            try:
                connection = socket.create_connection((address, target.port), min(deadline.left(), _CONNECT_S))
            except OSError as failure:  # the next address may do
                problem = failure
            else:
                return self._encrypt(connection, target, deadline) if target.scheme == "https" else connection
        deadline.left()
        raise ConnectError(f"no connection: {target.authority} ({getattr(problem, 'strerror', None) or problem})")

    def _encrypt(self, connection: socket.socket, target: Target, deadline: Deadline) -> socket.socket:
        try:
            self._tls = self._tls or ssl.create_default_context()
            connection.settimeout(deadline.left())
            return self._tls.wrap_socket(connection, server_hostname=target.host)
        except (FetchError, OSError, ValueError) as problem:  # the last: a name that no certificate can have
            connection.close()
            if isinstance(problem, TimeoutError | TimeLimitError):
                raise deadline.error() from None
            if isinstance(problem, ssl.SSLCertVerificationError):
                said = problem.verify_message
                raise CertificateError(f"the certificate is not valid: {target.host}: {said}") from None
            raise ConnectError(f"no encrypted connection: {target.authority} ({problem})") from None

    def _read(self, connection: socket.socket, request: Request, deadline: Deadline) -> Response:
        wire = _Wire(connection, deadline, self._limits)
        reader = http.client.HTTPResponse(wire, method="GET")  # type: ignore[arg-type]
        with reader:
            self._begin(reader)
            if reader.fp is not None:
                wire.enter_body()
            headers = _join(reader.getheaders())
            response = Response(request.target.url, reader.status, b"", headers, _now())
            if response.location or response.status in _NO_BODY:
                return response
            _check_type(response, request.types)
            body = self._read_body(reader, headers)
        if coding := headers.get("content-encoding", ""):
            body = unpack_body(body, coding, self._limits)
        return Response(response.url, response.status, body, headers, response.time)

    @staticmethod
    def _begin(reader: http.client.HTTPResponse) -> None:
        """Read the status and the headers."""
        try:
            reader.begin()
        except http.client.HTTPException as problem:
            if type(problem) is http.client.HTTPException:  # that is how it says that there are more than 100 headers
                raise HeaderLimitError(f"there are too many headers ({problem})") from None
            raise

    def _read_body(self, reader: http.client.HTTPResponse, headers: dict[str, str]) -> bytes:
        transfer = headers.get("transfer-encoding", "identity").strip().lower()
        if transfer not in {"chunked", "identity"}:
            raise ProtocolError(f"the transfer encoding {transfer[:40]!r} is not known")
        most = self._limits.max_bytes
        if (reader.length or 0) > most and not self._limits.cut:
            raise SizeLimitError(f"larger than {most:,} bytes: the body has {reader.length:,} bytes")
        pieces, size = [], 0
        while size <= most and (piece := reader.read(_PIECE_BYTES)):
            pieces.append(piece)
            size += len(piece)
        if size > most:
            if not self._limits.cut:
                raise SizeLimitError(f"the body has more than {most:,} bytes")
        elif reader.length:
            raise ProtocolError(f"the connection ended before the end of the body: {reader.length:,} bytes are missing")
        return b"".join(pieces)[:most]


def _check_type(response: Response, types: frozenset[str] | None) -> None:
    """Refuse what is not wanted before its body is read; a host that names no type may send what is."""
    if types is None or response.problem or not response.content_type or response.content_type in types:
        return
    wanted = " or ".join(sorted(types)[:2])
    raise ContentTypeError(f"not {wanted}: the content type is {response.content_type[:60]}")


def _join(lines: list[tuple[str, str]]) -> dict[str, str]:
    """Headers by their names in lower case; what was said several times stands behind commas."""
    headers: dict[str, str] = {}
    for name, value in lines:
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers


def _describe(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"[:200].replace("\r", " ").replace("\n", " ")


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
