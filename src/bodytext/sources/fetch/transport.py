"""Send one HTTP request over a connection of its own, under one deadline."""

import http.client
import io
import socket
import ssl
import time
from dataclasses import dataclass

from bodytext.sources.fetch.content_coding import unpack_body
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
from bodytext.sources.fetch.limits import FetchLimits
from bodytext.sources.fetch.response import HttpResponse

_CONNECT_S = 5.0  # for one address of a host that has several; the deadline holds as well
_PIECE_BYTES = 64 * 2**10
_WIRE_FACTOR = 2  # bytes on the wire for each byte of the body: chunks have headers of their own
_NO_BODY = frozenset({204, 304})


class Deadline:
    """The moment by which a fetch must have ended."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left, or raise a TimeLimitError if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.error()
        return left

    def error(self) -> TimeLimitError:
        """Return the error to raise after the deadline."""
        return TimeLimitError(f"not done in {self._seconds:g} s")


class _LimitedSocket(io.RawIOBase):
    """Reads from a socket under a deadline and within an allowance of bytes."""

    def __init__(self, connection: socket.socket, deadline: Deadline, limits: FetchLimits) -> None:
        self._connection, self._deadline, self._limits = connection, deadline, limits
        self._allowance = limits.max_header_bytes
        self._in_body = False

    def readable(self) -> bool:
        return True

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return a file, as http.client asks a socket to."""
        return io.BufferedReader(self, _PIECE_BYTES)

    def enter_body(self) -> None:
        """Add the body's allowance to what is left of the headers'."""
        self._in_body = True
        self._allowance += self._limits.max_bytes * _WIRE_FACTOR

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._connection.settimeout(self._deadline.left())
        try:
            count = self._connection.recv_into(buffer)
        except TimeoutError:
            raise self._deadline.error() from None
        except ssl.SSLError as error:
            raise ConnectError(f"the encrypted connection broke ({error.reason})") from None
        self._allowance -= count
        # The last buffer of the headers may hold the beginning of the body.
        if self._allowance < -_PIECE_BYTES:
            self._refuse()
        return count

    def _refuse(self) -> None:
        if self._in_body:
            raise SizeLimitError(f"the body has more than {self._limits.max_bytes:,} bytes")
        raise HeaderLimitError(
            f"the headers have more than {self._limits.max_header_bytes:,} bytes"
        )


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A GET request, ready to be sent."""

    target: Target
    headers: dict[str, str]
    types: frozenset[str] | None  # the wanted content types; None for any

    def __bytes__(self) -> bytes:
        lines = [f"GET {self.target.path} HTTP/1.1", f"Host: {self.target.authority}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if any("\r" in line or "\n" in line for line in lines):
            raise ValueError("a header must not hold a line break")
        return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1", "replace")


class Transport:
    """Sends requests and reads the responses, each over a connection of its own."""

    def __init__(self, limits: FetchLimits, resolve: Resolver) -> None:
        self._limits, self._resolve = limits, resolve
        self._tls: ssl.SSLContext | None = None

    def send(self, request: HttpRequest, deadline: Deadline) -> HttpResponse:
        """Return the response to one request, which may be a redirect."""
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
                raise ProtocolError(
                    "the chunks of the body are broken, or the connection ended among them"
                ) from None
            except http.client.LineTooLong:
                raise HeaderLimitError("there is a header of more than 65,536 bytes") from None
            except (http.client.HTTPException, ValueError) as error:
                raise ProtocolError(f"the answer is not HTTP ({_describe(error)})") from None
            except OSError as error:
                raise ConnectError(f"the connection broke ({error.strerror or error})") from None

    def _connect(self, target: Target, deadline: Deadline) -> socket.socket:
        private = self._limits.allow_private
        addresses = find_addresses(target, self._resolve, deadline.left(), allow_private=private)
        problem: OSError | None = None
        for address in addresses:
            seconds = min(deadline.left(), _CONNECT_S)
            try:
                connection = socket.create_connection((address, target.port), seconds)
            except OSError as error:  # the next address may work
                problem = error
                continue
            if target.scheme == "https":
                return self._encrypt(connection, target, deadline)
            return connection
        deadline.left()
        reason = getattr(problem, "strerror", None) or problem
        raise ConnectError(f"no connection: {target.authority} ({reason})")

    def _encrypt(
        self, connection: socket.socket, target: Target, deadline: Deadline
    ) -> socket.socket:
        try:
            self._tls = self._tls or ssl.create_default_context()
            connection.settimeout(deadline.left())
            return self._tls.wrap_socket(connection, server_hostname=target.host)
        except (
            FetchError,
            OSError,
            ValueError,
        ) as error:  # the last: a name that no certificate can have
            connection.close()
            if isinstance(error, TimeoutError | TimeLimitError):
                raise deadline.error() from None
            if isinstance(error, ssl.SSLCertVerificationError):
                reason = error.verify_message
                raise CertificateError(
                    f"the certificate is not valid: {target.host}: {reason}"
                ) from None
            raise ConnectError(f"no encrypted connection: {target.authority} ({error})") from None

    def _read(
        self, connection: socket.socket, request: HttpRequest, deadline: Deadline
    ) -> HttpResponse:
        limited = _LimitedSocket(connection, deadline, self._limits)
        reader = http.client.HTTPResponse(limited, method="GET")  # type: ignore[arg-type]
        with reader:
            self._begin(reader)
            if reader.fp is not None:
                limited.enter_body()
            headers = _join(reader.getheaders())
            response = HttpResponse(request.target.url, reader.status, b"", headers, _now())
            if response.location or response.status in _NO_BODY:
                return response
            _check_type(response, request.types)
            body = self._read_body(reader, headers)
        if coding := headers.get("content-encoding", ""):
            body = unpack_body(body, coding, self._limits)
        return HttpResponse(response.url, response.status, body, headers, response.time)

    @staticmethod
    def _begin(reader: http.client.HTTPResponse) -> None:
        """Read the status line and the headers."""
        try:
            reader.begin()
        except http.client.HTTPException as error:
            # It means that there are more than 100 headers.
            if type(error) is http.client.HTTPException:
                raise HeaderLimitError(f"there are too many headers ({error})") from None
            raise

    def _read_body(self, reader: http.client.HTTPResponse, headers: dict[str, str]) -> bytes:
        transfer = headers.get("transfer-encoding", "identity").strip().lower()
        if transfer not in {"chunked", "identity"}:
            raise ProtocolError(f"the transfer encoding {transfer[:40]!r} is not known")
        most = self._limits.max_bytes
        if (reader.length or 0) > most and not self._limits.cut:
            raise SizeLimitError(
                f"larger than {most:,} bytes: the body has {reader.length:,} bytes"
            )
        pieces, size = [], 0
        while size <= most and (piece := reader.read(_PIECE_BYTES)):
            pieces.append(piece)
            size += len(piece)
        if size > most:
            if not self._limits.cut:
                raise SizeLimitError(f"the body has more than {most:,} bytes")
        elif reader.length:
            missing = f"{reader.length:,} bytes are missing"
            raise ProtocolError(f"the connection ended before the end of the body: {missing}")
        return b"".join(pieces)[:most]


def _check_type(response: HttpResponse, types: frozenset[str] | None) -> None:
    """Refuse an unwanted type before its body is read; no type is any type."""
    if (
        types is None
        or response.problem
        or not response.content_type
        or response.content_type in types
    ):
        return
    wanted = " or ".join(sorted(types)[:2])
    raise ContentTypeError(f"not {wanted}: the content type is {response.content_type[:60]}")


def _join(lines: list[tuple[str, str]]) -> dict[str, str]:
    """Return the headers by lower-case names; repeated ones are joined with commas."""
    headers: dict[str, str] = {}
    for name, value in lines:
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200].replace("\r", " ").replace("\n", " ")


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
