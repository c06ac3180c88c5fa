"""HostQueue: jobs by host, and which of them may start now; nothing here waits or sends."""

import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bodytext.sources.fetch.client import Client, Journey
from bodytext.sources.fetch.hosts import Target
from bodytext.sources.fetch.response import FetchOutcome
from bodytext.sources.politeness.policy import Politeness

# Hosts without jobs that are remembered; beyond that, rested ones are forgotten.
_MOST_IDLE_HOSTS = 10_000


@dataclass(slots=True, eq=False)
class Job:
    """An address to be fetched, and the function that takes its outcome."""

    url: str
    reply: Callable[[FetchOutcome], None]
    types: frozenset[str] | None = None
    client: Client | None = None  # in place of the scheduler's own
    is_robots: bool = False
    attempt: int = 0
    journey: Journey = field(default_factory=Journey)  # the redirects that led here


@dataclass(slots=True, eq=False)
class Host:
    """The state of a host during a run."""

    key: str
    delay_seconds: float
    jobs: deque[Job] = field(default_factory=deque)
    active: int = 0
    last_start: float = -math.inf
    last_end: float = -math.inf
    rests_until: float = 0.0
    failures: int = 0  # addresses in a row that failed for good
    closed: str = ""  # why it is skipped
    is_listed: bool = False  # in the heap

    @property
    def next_start(self) -> float:
        """The earliest moment for the next request."""
        return max(self.rests_until, max(self.last_start, self.last_end) + self.delay_seconds)


def host_key(target: Target) -> str:
    """Name a request's host for its limits: the same with and without www, at all ports."""
    return target.host.rstrip(".").removeprefix("www.")


class HostQueue:
    """Jobs by host, and the hosts by the moment when their next request may start."""

    def __init__(self, politeness: Politeness) -> None:
        self._politeness = politeness
        self._hosts: dict[str, Host] = {}
        self._heap: list[tuple[float, int, Host]] = []
        # Of two hosts that may start at the same moment, the one listed first does.
        self._order = itertools.count()
        self.waiting = 0

    def host(self, key: str) -> Host:
        """Return the host with a key; make it if it is new."""
        host = self._hosts.get(key)
        if host is None:
            host = self._hosts[key] = Host(key, self._politeness.delay_seconds)
        return host

    def add(self, host: Host, job: Job, *, first: bool = False) -> None:
        """Queue a job after the others of its host, or before them."""
        if first:
            host.jobs.appendleft(job)
        else:
            host.jobs.append(job)
        self.waiting += 1
        self._list(host)

    def take(self, now: float) -> tuple[Host, Job] | None:
        """Take a job that may start now and count it as started; None if there is none."""
        while self._heap and self._heap[0][0] <= now:
            _, _, host = heapq.heappop(self._heap)
            host.is_listed = False
            if host.next_start > now:  # its pause was extended while it was listed
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

    def finish(self, host: Host, now: float, *, was_sent: bool = True) -> None:
        """Count a job as ended; its host rests from now on, if a request was sent."""
        host.active -= 1
        if was_sent:
            host.last_end = now
        else:
            host.last_start = -math.inf
        self._list(host)

    def rest(self, host: Host, until: float) -> None:
        """Start no request to a host before a moment."""
        host.rests_until = max(host.rests_until, until)
        self._list(host)

    def close(self, host: Host, reason: str) -> list[Job]:
        """Skip a host from now on and return its jobs, which will not start."""
        host.closed = reason
        jobs = list(host.jobs)
        host.jobs.clear()
        self.waiting -= len(jobs)
        return jobs

    def next_moment(self) -> float | None:
        """Return when to look for a job again; None if no job waits."""
        return self._heap[0][0] if self._heap else None

    def forget_idle(self, now: float) -> None:
        """Forget hosts without jobs, failures or pauses, if there are many."""
        if len(self._hosts) <= _MOST_IDLE_HOSTS:
            return
        for key, host in list(self._hosts.items()):
            is_in_use = host.jobs or host.active or host.closed or host.failures
            if not is_in_use and host.next_start <= now:
                del self._hosts[key]

    def _list(self, host: Host) -> None:
        most = self._politeness.per_host
        # Its robots.txt asked for a longer delay.
        if host.delay_seconds > self._politeness.delay_seconds:
            most = 1
        if not host.is_listed and host.jobs and host.active < most:
            host.is_listed = True
            heapq.heappush(self._heap, (host.next_start, next(self._order), host))
