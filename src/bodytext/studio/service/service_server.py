"""Listen at an address and run the service until Ctrl-C.

A page of any site can make a browser send requests to any server that the browser reaches. It
cannot read the answers as long as its own host is not ours. A name can be made to point at our
address (DNS rebinding), an address cannot. So a service that listens beyond loopback answers to
addresses and to the names that it was given, and to no other name.
"""

import ipaddress
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from urllib.parse import urlsplit

import uvicorn

from bodytext.sources.fetch import Client, FetchLimits
from bodytext.studio.service.service_routes import ServiceOptions, create_service
from bodytext.studio.web.security import LOOPBACK, Policy
from bodytext.studio.web.server import CLOSING_SECONDS, configure, open_socket

_NAME = re.compile(r"([a-z0-9_][a-z0-9._-]{0,252})(?::[0-9]{1,5})?")  # with a port or without


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """Where a service listens, its names, and whether it fetches addresses."""

    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    fetch: bool | None = None  # None to fetch only for this machine
    origins: tuple[str, ...] = ()  # of other sites whose pages may use the service

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches the service."""
        if _is_address(self.host):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host == "localhost"

    @property
    def fetches(self) -> bool:
        """Whether addresses are fetched. By default not for others: it would be a proxy.

        A service with names is meant for others, who come through a proxy on this machine.
        """
        if self.fetch is not None:
            return self.fetch
        return self.is_local and not self.names


def serve(listen: ListenOptions, options: ServiceOptions, report: Callable[[str], None]) -> None:
    """Run until Ctrl-C; `report` is called with messages for the user."""
    with open_socket(listen.port, listen.host, option="--host and --port") as listening:
        port = int(listening.getsockname()[1])
        if listen.fetches:
            limits = FetchLimits(
                max_bytes=options.limits.page_bytes, max_seconds=options.limits.fetch_seconds
            )
            options = replace(options, fetch=Client(limits).get)
        app = create_service(options, make_policy(listen, port))
        report(
            f"listening at {_address(listen, port)} with {options.workers} workers; Ctrl-C stops"
        )
        if not listen.is_local:
            lacks = "TLS" if options.key else "key or TLS"
            report(f"others can reach it, without {lacks}: see docs/service.md")
        config = configure(app)
        # Accepted requests are finished first; a second Ctrl-C does not wait for them.
        config.timeout_graceful_shutdown = ceil(options.limits.seconds) + CLOSING_SECONDS
        with suppress(KeyboardInterrupt):  # uvicorn raises it again after it has closed everything
            uvicorn.Server(config).run(sockets=[listening])
    report("stopped")


@dataclass(frozen=True, slots=True)
class OpenPolicy(Policy):
    """A policy for clients elsewhere: it admits addresses and the given names, at any port."""

    names: tuple[str, ...] = ()

    def admits(self, authority: str) -> bool:
        """Whether a Host header is an address or one of the names, with its port if it has one."""
        try:
            host = urlsplit(f"//{authority}").hostname or ""
        except ValueError:  # unbalanced brackets
            return False
        return _is_address(host) or host == "localhost" or bool({host, authority} & set(self.names))

    def explain(self, authority: str) -> str:
        """Return the message for a name that was not given; only what can be one is repeated."""
        match = _NAME.fullmatch(authority)
        name = match[1] if match else "NAME"
        return f"this service does not answer to {name}; start it with --name {name}"


def make_policy(listen: ListenOptions, port: int) -> Policy:
    """Return the policy that says which hosts the service answers to."""
    if listen.is_local and not listen.names:
        return Policy(port, hosts=(*LOOPBACK, listen.host), origins=listen.origins)
    names = tuple(name.lower() for name in listen.names)
    return OpenPolicy(port, names=names, origins=listen.origins)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _address(listen: ListenOptions, port: int) -> str:
    host = f"[{listen.host}]" if ":" in listen.host else listen.host
    return f"http://{host}:{port}/"
