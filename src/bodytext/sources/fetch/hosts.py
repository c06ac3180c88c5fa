"""Check the address of a page, and find the network addresses of its host that may be reached.

A name is looked up once, its addresses are checked, and the connection goes to a checked address: a
name that resolves to another address later has no effect.
"""

import asyncio
import ipaddress
import re
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from bodytext.page.urls import LONGEST_ADDRESS
from bodytext.sources.fetch.errors import (
    AddressError,
    HostError,
    PrivateAddressError,
    TimeLimitError,
)
from bodytext.sources.fetch.limits import Deadline
from bodytext.sources.record import PRIVATE_ERROR, PRIVATE_REASON

Resolver = Callable[[str, int], list[str]]  # takes a host's name and a port, returns its addresses

_DEFAULT_PORTS = {"http": 80, "https": 443}
_FIRST_FREE_PORT = 1024  # those below belong to system services, most of which are not for the web
# Higher ports of other protocols; from the list of bad ports in the Fetch Standard.
_OTHER_PORTS = frozenset({
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
    6679, 6697, 10080,
})  # fmt: skip
_UNQUOTED = "/%:=&?~+!$,;'@()*[]|."  # characters of a path or query that stay as they are
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?", re.ASCII)
_LONGEST_NAME = 253
_REMEMBERED_S = 60.0  # how long the answer to a look-up is used
_MOST_REMEMBERED = 10_000
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\\ud800-\udfff]")  # half a character cannot be sent either
# IANA's registries of special addresses, with a word for each. Of IPv6 only 2000::/3 is allocated
# at all.
_SPECIAL = tuple(
    (ipaddress.ip_network(network), word)
    for network, word in (
        ("0.0.0.0/8", "an unspecified"),
        ("10.0.0.0/8", "a private"),
        ("100.64.0.0/10", "a carrier's private"),
        ("127.0.0.0/8", "a loopback"),
        ("169.254.0.0/16", "a link-local"),
        ("172.16.0.0/12", "a private"),
        ("192.0.0.0/24", "a reserved"),
        ("192.0.2.0/24", "a documentation"),
        ("192.88.99.0/24", "a reserved"),
        ("192.168.0.0/16", "a private"),
        ("198.18.0.0/15", "a benchmarking"),
        ("198.51.100.0/24", "a documentation"),
        ("203.0.113.0/24", "a documentation"),
        ("224.0.0.0/4", "a multicast"),
        ("240.0.0.0/4", "a reserved"),
        ("::1/128", "a loopback"),
        ("::/128", "an unspecified"),
        ("::ffff:0:0/96", "an IPv4-mapped"),
        ("64:ff9b::/96", "a NAT64"),
        ("64:ff9b:1::/48", "a NAT64"),
        ("fc00::/7", "a private"),
        ("fe80::/10", "a link-local"),
        ("ff00::/8", "a multicast"),
        ("2001::/23", "a reserved"),
        ("2001:db8::/32", "a documentation"),
        ("2002::/16", "a 6to4"),
        ("3fff::/20", "a documentation"),
    )
)
_ALLOCATED = ipaddress.IPv6Network("2000::/3")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes: the parts of an address, ready to be sent."""

    scheme: str
    host: str  # as in DNS: lower case, ASCII
    port: int
    path: str  # with the query

    @property
    def authority(self) -> str:
        """The host and, if it is not the default, the port, as in a Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port: the scope of a robots.txt."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole address, without a fragment."""
        return self.origin + self.path


def read_target(url: str, *, any_port: bool = False) -> Target:
    """Split an address into its parts, or raise an AddressError that says what is wrong with it."""
    if not isinstance(url, str):
        raise AddressError(f"the address of a page is str, not {type(url).__name__}")
    if len(url) > LONGEST_ADDRESS:
        limit = f"{len(url):,} characters; the limit is {LONGEST_ADDRESS:,}"
        raise AddressError(f"the address is too long: {limit}")
    parts, port = _split(url.strip())
    _check_port(port, any_port=any_port)
    path = quote(parts.path or "/", safe=_UNQUOTED)
    if parts.query:
        path += "?" + quote(parts.query, safe=_UNQUOTED)
    return Target(parts.scheme, _read_host(parts.hostname or ""), port, path)


def _split(url: str) -> tuple[SplitResult, int]:
    """Return the parts of an http or https address without credentials, and its port."""
    if _FORBIDDEN.search(url):
        raise AddressError(
            "there is white space, a backslash or a control character in the address"
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressError(f"not the address of a page: {error}") from None
    if parts.scheme not in _DEFAULT_PORTS:
        scheme = f"not {parts.scheme[:20]}" if parts.scheme else "this one begins with neither"
        raise AddressError(f"only http and https addresses are fetched: {scheme}")
    if "@" in parts.netloc:
        raise AddressError("there is a user name or a password in the address; take it out")
    return parts, _DEFAULT_PORTS[parts.scheme] if port is None else port


def _check_port(port: int, *, any_port: bool) -> None:
    if port == 0:
        raise AddressError("there is no port 0")
    if any_port or port in _DEFAULT_PORTS.values():
        return
    if port < _FIRST_FREE_PORT or port in _OTHER_PORTS:
        raise AddressError(f"not for web pages: port {port}")


def _read_host(host: str) -> str:
    if not host:
        raise AddressError("there is no host in the address")
    if ":" in host:
        try:
            return str(ipaddress.IPv6Address(host))
        except ValueError:
            raise AddressError(f"not an IPv6 address: {host[:60]!r}") from None
    if len(host) > _LONGEST_NAME:
        raise AddressError(f"not the name of a host: {host[:60]!r}... is too long")
    name = host.lower() if host.isascii() else _encode_name(host)
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise AddressError(f"not the name of a host: {host[:60]!r}")
    return name


def _encode_name(host: str) -> str:
    """Write a name as DNS has it, by IDNA 2008 and, as browsers do, after UTS 46."""
    try:
        import idna
    except ImportError:
        raise AddressError(
            "names that are not ASCII need idna: pip install 'bodytext[fetch]'"
        ) from None
    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except UnicodeError:
        raise AddressError(f"not the name of a host: {host[:60]!r}") from None


def look_up(name: str, port: int) -> list[str]:
    """Look up the addresses of a host with the system's resolver."""
    infos = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in infos]


class Lookups:
    """Looks up hosts in threads that can be abandoned, and remembers the answers for a minute."""

    def __init__(self, resolve: Resolver) -> None:
        self._resolve = resolve
        self._known: OrderedDict[tuple[str, int], tuple[float, list[str]]] = OrderedDict()

    async def find(self, target: Target, deadline: Deadline, *, allow_private: bool) -> list[str]:
        """Return the addresses of a host that may be reached, at least one, or raise an error."""
        try:
            addresses = [str(ipaddress.ip_address(target.host))]
        except ValueError:
            addresses = await self._find_name(target, deadline)
        return addresses if allow_private else _leave_out_private(target, addresses)

    async def _find_name(self, target: Target, deadline: Deadline) -> list[str]:
        key = (target.host, target.port)
        until, addresses = self._known.pop(key, (0.0, []))
        if until < time.monotonic():
            addresses = list(dict.fromkeys(await self._ask(target, deadline)))
            until = time.monotonic() + _REMEMBERED_S
        if not addresses:
            raise HostError(f"the host has no address: {target.host}")
        self._known[key] = (until, addresses)
        while len(self._known) > _MOST_REMEMBERED:
            self._known.popitem(last=False)
        return addresses

    async def _ask(self, target: Target, deadline: Deadline) -> list[str]:
        """Look up a name in a thread of its own: the system's resolver has no time limit."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str] | OSError | UnicodeError] = loop.create_future()

        def settle(result: list[str] | OSError | UnicodeError) -> None:
            if not answer.done():
                answer.set_result(result)

        def resolve() -> None:
            result: list[str] | OSError | UnicodeError
            try:
                result = self._resolve(target.host, target.port)
            except (OSError, UnicodeError) as error:
                result = error
            with suppress(RuntimeError):  # the loop is gone
                loop.call_soon_threadsafe(settle, result)

        threading.Thread(target=resolve, daemon=True, name="bodytext-name").start()
        seconds = deadline.left()
        try:
            result = await asyncio.wait_for(answer, seconds)
        except TimeoutError:
            raise TimeLimitError(
                f"the host was not found in time: {target.host} in {seconds:.0f} s"
            ) from None
        if isinstance(result, Exception):
            reason = getattr(result, "strerror", None) or result
            error = HostError(f"the host is not known: {target.host} ({reason})")
            error.passing = isinstance(result, socket.gaierror) and result.errno == socket.EAI_AGAIN
            raise error
        return result


def _leave_out_private(target: Target, addresses: list[str]) -> list[str]:
    """Return the public ones of a host's addresses; if there is none, a PrivateAddressError."""
    reasons = {address: why_private(address) for address in addresses}
    public = [address for address in addresses if not reasons[address]]
    if not public:
        address, word = next(iter(reasons.items()))
        where = address if address == target.host else f"{target.host} is at {address}, which"
        raise PrivateAddressError(
            f"{PRIVATE_REASON}: {where} is {word} address, and {PRIVATE_ERROR}"
        )
    return public


def why_private(address: str) -> str:
    """Name the kind of an address that is not public ("a loopback"); empty for a public one.

    >>> why_private("127.0.0.1"), why_private("::ffff:8.8.8.8"), why_private("8.8.8.8")
    ('a loopback', 'an IPv4-mapped', '')
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "an unreadable"
    is_allocated = parsed.version == 4 or parsed in _ALLOCATED
    word = "" if is_allocated else "a reserved"
    return next((word for network, word in _SPECIAL if parsed in network), word)
