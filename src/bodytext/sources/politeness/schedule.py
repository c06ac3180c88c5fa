"""Jobs in, the next one whose host may be asked now out. Hosts rest between requests; nothing here waits."""

import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bodytext.sources.fetch.client import Client
from bodytext.sources.fetch.errors import FetchError
from bodytext.sources.fetch.hosts import Target
from bodytext.sources.fetch.response import Response

Outcome = Response | FetchError
_MOST_IDLE_HOSTS = 10_000  # hosts without jobs that are remembered before those are forgotten whose rest is over


@dataclass(frozen=True, slots=True)
class Politeness:
    """How hosts are treated, and how long a run may wait for one."""

    delay_seconds: float = 1.0  # of rest between two requests to a host; its robots.txt may ask for more
    per_host: int = 1  # requests to a host at a time
    concurrency: int = 32  # requests at a time to all hosts together
    retries: int = 3  # of what failed and may work later
    backoff_seconds: float = 2.0  # before the first retry; twice as long before each further one
    longest_wait_seconds: float = 120.0  # a host that asks for a longer rest is left alone for this run
    most_failures: int = 10  # a host that failed so often in a row is left alone for this run
    obey_robots: bool = True

    def __post_init__(self) -> None:
        for name in ("per_host", "concurrency", "most_failures"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("delay_seconds", "retries", "backoff_seconds", "longest_wait_seconds"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, and is {getattr(self, name)}")


@dataclass(slots=True, eq=False)
class Job:
    """An address to be asked for, and who wants to hear of it."""

    url: str
    reply: Callable[[Outcome], None]
    types: frozenset[str] | None = None
    client: Client | None = None  # another than the usual one
    is_robots: bool = False
    attempt: int = 0
    passed: list[str] = field(default_factory=list)  # the addresses that redirected to this one
    target: Target | None = None


@dataclass(slots=True, eq=False)
class Host:
    """What is known of a host during a run."""

    key: str
    delay_seconds: float
    jobs: deque[Job] = field(default_factory=deque)
    active: int = 0
    last_start: float = -math.inf
    last_end: float = -math.inf
    rests_until: float = 0.0
    failures: int = 0  # addresses in a row that failed for good
    closed: str = ""  # why it is left alone
    is_listed: bool = False  # in the heap

    @property
    def next_start(self) -> float:
        """The earliest moment for the next request."""
        return max(self.rests_until, max(self.last_start, self.last_end) + self.delay_seconds)


def host_key(target: Target) -> str:
    """The name under which a host's limits are kept: the same with www and without, and for all its ports."""
    return target.host.rstrip(".").removeprefix("www.")


class Schedule:
    """Jobs by host, and the hosts by the moment when the next request to them may start."""

    def __init__(self, politeness: Politeness) -> None:
        self._politeness = politeness
        self._hosts: dict[str, Host] = {}
        self._heap: list[tuple[float, int, Host]] = []
        self._order = itertools.count()  # of two hosts that may start at the same moment the earlier listed one does
        self.waiting = 0

    def host(self, key: str) -> Host:
        """The host of a name, made where it is new."""
        host = self._hosts.get(key)
        if host is None:
            host = self._hosts[key] = Host(key, self._politeness.delay_seconds)
        return host

    def add(self, host: Host, job: Job, *, first: bool = False) -> None:
        """Queue a job behind the others of its host, or before them."""
        (host.jobs.appendleft if first else host.jobs.append)(job)
        self.waiting += 1
        self._list(host)

    def take(self, now: float) -> tuple[Host, Job] | None:
        """A job that may start now, counted as started; None where there is none."""
        while self._heap and self._heap[0][0] <= now:
            _, _, host = heapq.heappop(self._heap)
            host.is_listed = False
            if host.next_start > now:  # it was told to rest while it was listed
                self._list(host)
                continue
            if not host.jobs:
                continue
            job = host.jobs.popleft()
            self.waiting -= 1
            host.active += 1
            host.last_start = now
            self._list(host)
            return host, job
        return None

    def finish(self, host: Host, now: float, *, asked: bool = True) -> None:
        """Count a job of a host as ended. The host rests from now on, unless it was not asked at all."""
        host.active -= 1
        if asked:
            host.last_end = now
        else:
            host.last_start = -math.inf
        self._list(host)

    def rest(self, host: Host, until: float) -> None:
        """Start nothing at a host before a moment."""
        host.rests_until = max(host.rests_until, until)
        self._list(host)

    def close(self, host: Host, reason: str) -> list[Job]:
        """Leave a host alone; its jobs, which will not start, are given back."""
        host.closed = reason
        jobs = list(host.jobs)
        host.jobs.clear()
        self.waiting -= len(jobs)
        return jobs

    def next_moment(self) -> float | None:
        """When the next job may start, or may turn out to have to rest; None where nothing waits."""
        return self._heap[0][0] if self._heap else None

    def forget_idle(self, now: float) -> None:
        """Forget hosts that nothing is owed to any more, if they are many."""
        if len(self._hosts) <= _MOST_IDLE_HOSTS:
            return
        for key, host in list(self._hosts.items()):
            if not (host.jobs or host.active or host.closed or host.failures) and host.next_start <= now:
                del self._hosts[key]

    def _list(self, host: Host) -> None:
        most = 1 if host.delay_seconds > self._politeness.delay_seconds else self._politeness.per_host
        if not host.is_listed and host.jobs and host.active < most:
            host.is_listed = True
            heapq.heappush(self._heap, (host.next_start, next(self._order), host))
