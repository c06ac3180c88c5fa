"""Send HTTP requests with libcurl, many at a time, over connections that are used again.

libcurl does HTTP/1.1 and HTTP/2, TLS, cookies, proxies, and tries the addresses of a host side by
side. It never looks up a host itself: names are looked up and checked here, each connection goes to
one of the checked addresses, and a proxy is asked for such an address, not for the name.
"""

import asyncio
import os
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.request import (  # type: ignore[attr-defined]
    getproxies_environment,
    proxy_bypass_environment,
)

from bodytext.sources.fetch.errors import (
    CertificateError,
    ConnectError,
    FetchError,
    HeaderLimitError,
    ProtocolError,
)
from bodytext.sources.fetch.hosts import Lookups, Resolver, Target
from bodytext.sources.fetch.limits import Deadline, FetchLimits
from bodytext.sources.fetch.response import HttpResponse, ResponseReader

if TYPE_CHECKING:
    import pycurl

# Options of libcurl for which pycurl, or an older one, has no names.
_SUPPRESS_CONNECT_HEADERS = 265
_NATIVE_CERTIFICATES = 1 << 4
# The errors of libcurl, by numbers that it never changes.
_TIMED_OUT = 28
_RECEIVING = 56
_NOT_HTTP = "the answer is not HTTP ({message})"
_PROBLEMS: dict[int, tuple[type[FetchError], str]] = {
    1: (ProtocolError, _NOT_HTTP),  # no status line, as before HTTP/1.0
    7: (ConnectError, "no connection: {authority} ({reason})"),
    8: (ProtocolError, _NOT_HTTP),
    18: (ProtocolError, "the connection ended before the end of the body: {message}"),
    35: (ConnectError, "no encrypted connection: {authority} ({message})"),
    52: (ConnectError, "the connection was closed without an answer"),
    60: (CertificateError, "the certificate is not valid: {host}: {message}"),
    61: (ProtocolError, _NOT_HTTP),  # a transfer encoding that nobody asked for
    100: (HeaderLimitError, "there is a header that is too long ({message})"),
}

NEEDED = "to fetch pages, install what it takes: pip install 'bodytext[fetch]'"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A GET request, ready to be sent."""

    target: Target
    headers: dict[str, str]
    types: frozenset[str] | None = None  # the wanted content types; None for any
    # Those of this fetch, as lines of Netscape's format; the response may change them.
    cookies: list[str] = field(default_factory=list)


class Transport:
    """Sends requests. Everything runs in one event loop; each has connections of its own."""

    def __init__(self, resolve: Resolver) -> None:
        self._lookups = Lookups(resolve)
        self._multi: pycurl.AsyncCurlMulti | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._proxies = getproxies_environment()
        self._certificates = ssl.get_default_verify_paths()

    async def send(
        self, request: HttpRequest, limits: FetchLimits, deadline: Deadline
    ) -> HttpResponse:
        """Return the response to one request, which may be a redirect."""
        try:
            import pycurl
        except ImportError:
            raise FetchError(NEEDED) from None
        addresses = await self._lookups.find(
            request.target, deadline, allow_private=limits.allow_private
        )
        reader = ResponseReader(request.target.url, request.types, limits)
        curl = pycurl.Curl()
        try:
            self._prepare(curl, request, reader)
            self._route(curl, request.target, addresses, reader)
            curl.setopt(pycurl.TIMEOUT_MS, max(int(deadline.left() * 1000), 1))
            await self._perform(curl)
            problem = None
        except pycurl.error as error:
            code, message = error.args
            system_error = curl.getinfo(pycurl.OS_ERRNO)
            problem = reader.problem or _explain(code, message, system_error, request.target)
            if code == _TIMED_OUT:
                problem = deadline.error()
        finally:
            request.cookies[:] = _read_cookies(curl.getinfo_raw(pycurl.INFO_COOKIELIST))
            curl.close()
        if problem and not reader.is_enough:
            raise problem
        return reader.finish()

    async def close(self) -> None:
        """Close all connections."""
        if self._multi is not None and self._loop is asyncio.get_running_loop():
            await self._multi.aclose()

    async def _perform(self, curl: "pycurl.Curl") -> None:
        import pycurl

        loop = asyncio.get_running_loop()
        if self._multi is None or self._loop is not loop:  # the latter after a fork
            self._multi, self._loop = pycurl.AsyncCurlMulti(), loop
        await self._multi.perform(curl)

    def _prepare(self, curl: "pycurl.Curl", request: HttpRequest, reader: ResponseReader) -> None:
        import pycurl

        headers = [f"{name}: {value}" for name, value in request.headers.items()]
        options: dict[int, object] = {
            pycurl.URL: request.target.url,
            pycurl.PATH_AS_IS: 1,
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_2TLS,
            pycurl.HTTPHEADER: [header.encode("latin-1", "replace") for header in headers],
            pycurl.HEADERFUNCTION: reader.read_header,
            pycurl.WRITEFUNCTION: reader.read_body,
            pycurl.COOKIEFILE: "",  # keep cookies in memory
            pycurl.NOSIGNAL: 1,
        }
        if request.target.scheme == "https":
            options |= self._find_certificates()
        for option, value in options.items():
            curl.setopt(option, value)
        for cookie in request.cookies:
            curl.setopt(pycurl.COOKIELIST, cookie)

    def _find_certificates(self) -> dict[int, object]:
        """Return the options for the certificates that Python trusts; else those of the system."""
        import pycurl

        paths = self._certificates
        found = {pycurl.CAINFO: paths.cafile, pycurl.CAPATH: paths.capath}
        return {option: path for option, path in found.items() if path} or {
            pycurl.SSL_OPTIONS: _NATIVE_CERTIFICATES
        }

    def find_proxy(self, target: Target) -> str:
        """Return the proxy that the environment named for a host; empty if it named none."""
        if not self._proxies or proxy_bypass_environment(target.authority, self._proxies):
            return ""
        return self._proxies.get(target.scheme) or self._proxies.get("all", "")

    def _route(
        self, curl: "pycurl.Curl", target: Target, addresses: list[str], reader: ResponseReader
    ) -> None:
        """Lead a request to the checked addresses of its host, directly or through a proxy."""
        import pycurl

        proxy = self.find_proxy(target)
        curl.setopt(pycurl.PROXY, proxy)
        curl.setopt(pycurl.NOPROXY, "")  # it is decided already
        if proxy:
            curl.setopt(pycurl.HTTPPROXYTUNNEL, 1)
            curl.setopt(_SUPPRESS_CONNECT_HEADERS, 1)
            curl.setopt(pycurl.CONNECT_TO, [f"::{_bracket(addresses[0])}:{target.port}"])
            return
        listed = ",".join(map(_bracket, addresses))
        if addresses != [target.host]:
            curl.setopt(pycurl.RESOLVE, [f"+{target.host}:{target.port}:{listed}"])
        loop, checked = asyncio.get_running_loop(), frozenset(addresses)

        def open_socket(_purpose: int, address: Any) -> "socket.socket | int":
            """Open a socket to a checked address; there is no way to any other."""
            if str(address.addr[0]) not in checked:
                return int(pycurl.SOCKET_BAD)
            try:
                opened = socket.socket(address.family, address.socktype, address.protocol)
            except OSError as error:  # too many open files, above all
                reader.problem = ConnectError(f"no connection: {error.strerror}")
                return int(pycurl.SOCKET_BAD)
            loop.call_soon(opened.close)  # libcurl has made a copy of it by then
            return opened

        curl.setopt(pycurl.OPENSOCKETFUNCTION, open_socket)


def _bracket(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _read_cookies(cookies: "list[bytes]") -> list[str]:
    """Return the cookies of a transfer; those that are not UTF-8 are dropped."""
    kept: list[str] = []
    for cookie in cookies:
        with suppress(UnicodeDecodeError):
            kept.append(cookie.decode("utf-8"))
    return kept


def _explain(code: int, message: str, system_error: int, target: Target) -> FetchError:
    """Return the error that says in our words what libcurl says in its own."""
    reason = os.strerror(system_error) if system_error else message
    kind, text = _PROBLEMS.get(code, (ConnectError, "the connection broke ({reason})"))
    if code == _RECEIVING and not system_error and "SSL" not in message:
        kind, text = ProtocolError, _NOT_HTTP  # what came is wrong, not the connection
    return kind(
        text.format(host=target.host, authority=target.authority, reason=reason, message=message)
    )
