"""Web: a server of many sites on loopback addresses, which measures its visitors."""

import asyncio
import contextlib
import json
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import asdict, dataclass, field

ADDRESSES = tuple(f"127.77.0.{number}" for number in range(1, 9))  # sites are spread over them
GRACE_S = 0.05  # the delay until a visitor's leaving is noticed
LONGEST_ANSWER_S = 120.0  # an answer that nobody reads ends after that


@dataclass(slots=True)
class Visit:
    """A request that a site received."""

    site: str
    path: str
    headers: dict[str, str]
    number: int  # earlier requests for this path


@dataclass(slots=True)
class Measure:
    """The requests of a site: how many, how many at a time, how far apart, which were forbidden."""

    requests: int = 0
    most_at_a_time: int = 0
    least_gap_s: float = float("inf")
    forbidden: list[str] = field(default_factory=list)  # paths that robots.txt does not allow
    too_early: int = 0  # requests before the end of a Retry-After
    agents: set[str] = field(default_factory=set)


Answer = Callable[[Visit, asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True)
class Site:
    """A host, how it answers, and what it measured."""

    name: str
    answer: Answer
    forbidden: tuple[str, ...] = ()  # beginnings of paths that robots.txt does not allow
    retry_after_s: float = 0.0
    measure: Measure = field(default_factory=Measure)
    active: int = 0
    last: float = -1e9
    counts: dict[str, int] = field(default_factory=dict)
    closed_until: float = 0.0


class Web:
    """All sites at one port of several loopback addresses, served by a thread."""

    def __init__(self, sites: list[Site]) -> None:
        self.sites = {site.name: site for site in sites}
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._ready = threading.Event()
        self._writers: set[asyncio.StreamWriter] = set()

    def __enter__(self) -> "Web":
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def url(self, site: str, path: str = "/") -> str:
        return f"http://{site}:{self.port}{path}"

    def resolve(self, name: str, _port: int) -> list[str]:
        """Return the addresses of a site, as DNS would."""
        return find_addresses(name, self.sites)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._ready.set()
        self._loop.run_forever()
        for listening in (listener for server in self._servers for listener in server.sockets):
            self._loop.remove_reader(listening.fileno())  # accept no further connection
        self._loop.run_until_complete(asyncio.sleep(GRACE_S))
        while asyncio.all_tasks(self._loop):  # each ends with its connection
            for writer in self._writers:
                writer.transport.abort()
            self._loop.run_until_complete(asyncio.sleep(GRACE_S / 5))
        for server in self._servers:
            server.close()
        self._loop.run_until_complete(asyncio.sleep(GRACE_S))
        self._loop.close()

    async def _listen(self) -> None:
        first = await asyncio.start_server(self._accept, ADDRESSES[0], 0, backlog=1024)
        self.port = first.sockets[0].getsockname()[1]
        self._servers = [first]
        for address in ADDRESSES[1:]:
            self._servers.append(
                await asyncio.start_server(self._accept, address, self.port, backlog=1024)
            )

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the one request of a connection, until the visitor leaves."""
        self._writers.add(writer)
        with contextlib.suppress(
            ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError
        ):
            visit = _read((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
            site = self.sites.get(visit.site)
            if site is not None:
                await self._count(site, visit)
                await _answer(site, visit, reader, writer)
        with contextlib.suppress(ConnectionError):
            writer.close()
            await writer.wait_closed()
        self._writers.discard(writer)

    async def _count(self, site: Site, visit: Visit) -> None:
        now, measure = time.monotonic(), site.measure
        measure.requests += 1
        measure.least_gap_s = min(measure.least_gap_s, now - site.last)
        measure.agents.add(visit.headers.get("user-agent", ""))
        measure.too_early += now < site.closed_until
        if visit.path.startswith(site.forbidden or ("\n",)):
            measure.forbidden.append(visit.path)
        site.last = now
        visit.number = site.counts.get(visit.path, 0)
        site.counts[visit.path] = visit.number + 1
        if site.active:
            await asyncio.sleep(GRACE_S)
        site.active += 1
        measure.most_at_a_time = max(measure.most_at_a_time, site.active)


def find_addresses(name: str, sites: Collection[str]) -> list[str]:
    """Return the addresses of a site."""
    site = name.removeprefix("www.")
    if site not in sites:
        raise OSError(None, "no such site")
    return [ADDRESSES[sum(site.encode()) % len(ADDRESSES)]]


def _read(head: str) -> Visit:
    first, *lines = head.split("\r\n")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    host = headers.get("host", "").partition(":")[0].removeprefix("www.")
    return Visit(host, first.split(" ")[1], headers, 0)


async def _answer(
    site: Site, visit: Visit, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    answering = asyncio.ensure_future(site.answer(visit, writer))
    leaving = asyncio.ensure_future(reader.read())
    try:
        both = {answering, leaving}
        await asyncio.wait(both, timeout=LONGEST_ANSWER_S, return_when=asyncio.FIRST_COMPLETED)
    finally:
        site.active -= 1
        for task in (answering, leaving):
            task.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)


def report(web: Web) -> str:
    """Return the measurements of all sites as JSON."""
    sites = {name: asdict(site.measure) for name, site in web.sites.items()}
    return json.dumps(sites, default=sorted)


def serve_until_input_ends(web: Web) -> None:
    """Serve until the standard input ends: print the port first and the measurements last."""
    with web:
        sys.stdout.write(f"{web.port}\n")
        sys.stdout.flush()
        sys.stdin.read()
        sys.stdout.write(report(web) + "\n")
