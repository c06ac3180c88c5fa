"""serve: where to listen and the service's settings -> a running service, until Ctrl-C.

Which names a Host header may have decides who can be tricked. A page of any site can make a browser ask any server that
the browser reaches; what keeps it from reading the answers is that its own host is not ours. A name can be made to lead
to our address (DNS rebinding), an address cannot: so a service that listens beyond loopback answers to addresses and to
the names that it was started with, and to no other name.
"""

import ipaddress
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from urllib.parse import urlsplit

import uvicorn

from bodytext.sources.fetch import Client
from bodytext.sources.fetch import Limits as FetchLimits
from bodytext.studio.service.service_routes import Settings, create_service
from bodytext.studio.web.security import LOOPBACK, Policy
from bodytext.studio.web.server import CLOSING_SECONDS, configure


@dataclass(frozen=True, slots=True)
class Start:
    """Where a service listens, what it is called, and whether it fetches addresses."""

    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    fetch: bool | None = None  # None: only where nobody else can ask for it

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return self.host == "localhost" or (_is_address(self.host) and ipaddress.ip_address(self.host).is_loopback)

    @property
    def fetches(self) -> bool:
        """Whether addresses are fetched: for strangers, only where that is wanted, since it is a proxy for them.

        Who gives names has others in mind, who come by a proxy on this machine.
        """
        return self.is_local and not self.names if self.fetch is None else self.fetch


def serve(start: Start, settings: Settings, say: Callable[[str], None]) -> None:
    """Run until Ctrl-C; `say` tells the address."""
    with open_socket(start) as listening:
        port = int(listening.getsockname()[1])
        if start.fetches:
            limits = FetchLimits(max_bytes=settings.limits.page_bytes, max_seconds=settings.limits.fetch_seconds)
            settings = replace(settings, fetch=Client(limits).get)
        app = create_service(settings, make_policy(start, port))
        say(f"listening at {_address(start, port)} with {settings.workers} workers; Ctrl-C stops")
        if not start.is_local:
            say("others can reach it: it has no passwords and no TLS, so let a proxy that has them stand before it")
        config = configure(app)
        # What was taken on is finished first; a second Ctrl-C does not wait for it.
        config.timeout_graceful_shutdown = ceil(settings.limits.seconds) + CLOSING_SECONDS
        with suppress(KeyboardInterrupt):  # uvicorn has closed everything and raises what it had held back
            uvicorn.Server(config).run(sockets=[listening])
    say("stopped")


@dataclass(frozen=True, slots=True)
class OpenPolicy(Policy):
    """A policy for clients elsewhere: addresses are known, and the names that are given, at whatever port."""

    names: tuple[str, ...] = ()

    def admits(self, authority: str) -> bool:
        """Whether a Host header is an address, or one of the names; a name that was given with a port wants it."""
        try:
            host = urlsplit(f"//{authority}").hostname or ""
        except ValueError:  # a bracket too many
            return False
        return _is_address(host) or host == "localhost" or bool({host, authority} & set(self.names))


def make_policy(start: Start, port: int) -> Policy:
    """Which hosts the service answers to."""
    if start.is_local and not start.names:
        return Policy(port, hosts=(*LOOPBACK, start.host))
    return OpenPolicy(port, names=tuple(name.lower() for name in start.names))


def open_socket(start: Start) -> socket.socket:
    """A listening socket."""
    try:
        family, *_, address = socket.getaddrinfo(start.host, start.port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((str(address[0]), start.port), family=family, backlog=1024)
    except OSError as error:
        words = error.strerror or str(error)
        raise ValueError(
            f"cannot listen at {start.host} port {start.port} ({words}); choose others with --host and --port"
        ) from None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _address(start: Start, port: int) -> str:
    host = f"[{start.host}]" if ":" in start.host else start.host
    return f"http://{host}:{port}/"
