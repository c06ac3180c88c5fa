"""Scheduler: decides which request is next, and sends it.

It runs in the event loop of the transfers, which nothing may block; other threads reach it by
`call`. Redirects and robots.txt are jobs like others, so that they count for the hosts that they go
to.
"""

import asyncio
import email.utils
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bodytext.sources.fetch import Client, FetchError, HttpResponse
from bodytext.sources.fetch.event_loop import find_loop
from bodytext.sources.fetch.hosts import Target
from bodytext.sources.fetch.response import FetchOutcome
from bodytext.sources.politeness.host_queue import Host, HostQueue, Job, host_key
from bodytext.sources.politeness.policy import Politeness
from bodytext.sources.politeness.robots import LEAST_REDIRECTS, MOST_BYTES, RobotsRules, read_rules

_PASSING = frozenset({429, 500, 502, 503, 504})  # statuses that may be temporary
_BUSY = frozenset({429, 503})  # those with which a host asks for a pause


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """What follows from an outcome."""

    retry: bool = False
    rest_seconds: float = 0.0  # how long the host rests in any case
    skip_reason: str = ""  # why the host is skipped for the rest of the run; empty if it is not


def decide_retry(
    outcome: FetchOutcome, attempt: int, failures: int, politeness: Politeness
) -> RetryDecision:
    """Decide what follows from the outcome of an attempt, counted from 0.

    Each address that failed at a host since its last success costs the host one retry.
    """
    asked = None
    if isinstance(outcome, HttpResponse) and outcome.status in _BUSY:
        asked = read_retry_after(outcome)
        if asked is not None and asked > politeness.longest_wait_seconds:
            reason = f"{outcome.problem}: the host asked to be left alone for {asked:,.0f} s"
            return RetryDecision(skip_reason=reason)
    if not is_passing(outcome):
        return RetryDecision()
    rest = politeness.backoff_seconds * 2**attempt if asked is None else asked
    return RetryDecision(
        attempt < politeness.retries - failures, min(rest, politeness.longest_wait_seconds)
    )


def is_passing(outcome: FetchOutcome) -> bool:
    """Whether a failure may be temporary."""
    return outcome.passing if isinstance(outcome, FetchError) else outcome.status in _PASSING


def read_retry_after(response: HttpResponse) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None if invalid."""
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:12])
    try:
        return max(email.utils.parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError, OSError):
        return None


_MOST_RULES = 2_000  # hosts whose robots.txt is remembered
_RULES_LAST_S = 24 * 3600.0  # RFC 9309: no longer than a day


class RobotsError(FetchError):
    """The host's robots.txt does not allow the request."""


class HostClosedError(FetchError):
    """The host failed too often, or asked to be left alone."""


@dataclass(slots=True)
class _Origin:
    """A scheme, host and port; jobs wait here until its rules are known."""

    rules: RobotsRules | None = None
    time: float = 0.0
    parked: list[Job] = field(default_factory=list)


class Scheduler:
    """Decides which request is sent when. Its methods run in the event loop, but for the named."""

    def __init__(self, client: Client, politeness: Politeness) -> None:
        self._politeness, self._agent = politeness, client.user_agent
        self._client = client
        redirects = max(client.limits.max_redirects, LEAST_REDIRECTS)
        limits = replace(client.limits, max_bytes=MOST_BYTES, max_redirects=redirects, cut=True)
        self._robots_client = client.with_limits(limits)
        self._hosts = HostQueue(politeness)
        self._origins: OrderedDict[str, _Origin] = OrderedDict()
        self._loop = find_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._transfers: set[asyncio.Task[None]] = set()
        self._untaken = 0  # outcomes that nobody has taken yet
        self.is_stopped = False

    @property
    def waiting(self) -> int:
        """How many jobs have not started. For any thread."""
        return self._hosts.waiting

    @property
    def active(self) -> int:
        """How many jobs are under way. For any thread."""
        return len(self._transfers)

    def submit(self, job: Job) -> None:
        """Accept a job; its `reply` is called in the event loop. For any thread."""
        self.call(lambda: self.admit(job))

    def call(self, action: Callable[[], None]) -> None:
        """Run an action in the event loop. For any thread."""
        self._loop.call_soon_threadsafe(self._handle, action)

    def hold(self) -> None:
        """Count an outcome as untaken, which delays new jobs."""
        self._untaken += 1

    def release(self) -> None:
        """Count an outcome as taken. For any thread."""
        self.call(self._release)

    def _release(self) -> None:
        self._untaken -= 1

    def stop(self) -> None:
        """End all jobs; nobody hears of them. For any thread."""
        self.call(self._stop)
        self.is_stopped = True

    def _stop(self) -> None:
        for transfer in self._transfers:
            transfer.cancel()
        if self._timer:
            self._timer.cancel()

    def _handle(self, action: Callable[[], None]) -> None:
        if not self.is_stopped or action == self._stop:
            action()
            self._start_jobs()

    def _has_room(self) -> bool:
        return self.active + self._untaken < self._politeness.concurrency

    def _start_jobs(self) -> None:
        """Start the jobs that may start now, and come back when the next one may."""
        while self._has_room() and not self.is_stopped:
            taken = self._hosts.take(time.monotonic())
            if taken is None:
                break
            transfer = self._loop.create_task(self._send(*taken))
            self._transfers.add(transfer)
        moment = self._hosts.next_moment() if self._has_room() else None
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if moment is not None and not self.is_stopped:
            self._timer = self._loop.call_at(moment, self._start_jobs)

    async def _send(self, host: Host, job: Job) -> None:
        """Send the request of a job, and settle it."""
        client = job.client or self._client
        outcome: FetchOutcome | None = None
        was_sent = False
        try:
            if not job.is_robots:  # rules may have changed since they were stored
                outcome = client.find_fresh(job.url)
            if outcome is None:
                was_sent = True
                outcome = await client.request(job.url, job.types, job.journey)
        except FetchError as error:
            outcome = error
        except Exception as error:  # whatever it is, the job has ended
            outcome = FetchError(f"{type(error).__name__}: {error}")
        finally:
            self._transfers.discard(asyncio.current_task())
        self._settle(host, job, outcome, was_sent=was_sent)
        self._start_jobs()

    def admit(self, job: Job) -> None:
        """Queue a job at its host, after its robots.txt."""
        try:
            target = self._client.read(job.url)
        except FetchError as error:
            job.reply(error)
            return
        host = self._hosts.host(host_key(target))
        if host.closed:
            job.reply(HostClosedError(host.closed))
        elif job.is_robots:
            self._hosts.add(host, job, first=True)
        elif self._politeness.obey_robots:
            self._admit_by_rules(host, job, target)
        else:
            self._hosts.add(host, job)

    def _admit_by_rules(self, host: Host, job: Job, target: Target) -> None:
        origin = self._find_origin(target.origin)
        if origin.rules is None:
            origin.parked.append(job)
            return
        delay, longest = origin.rules.delay_seconds, self._politeness.longest_wait_seconds
        host.delay_seconds = max(host.delay_seconds, delay)
        refusal = origin.rules.refuse(target.url)
        if delay > longest:
            limit = f"{delay:,.0f} s; the limit is {longest:,.0f} s"
            refusal = f"the host's robots.txt asks for a long delay: {limit}"
        if refusal:
            job.reply(RobotsError(refusal))
        else:
            self._hosts.add(host, job, first=bool(job.attempt or job.journey.passed))

    def _find_origin(self, name: str) -> _Origin:
        """Return an origin; if its rules are unknown or old, start a job that fetches them."""
        known = self._origins.get(name)
        if known is not None and (known.parked or time.monotonic() - known.time < _RULES_LAST_S):
            self._origins.move_to_end(name)
            return known
        origin = self._origins[name] = _Origin(time=time.monotonic())
        while len(self._origins) > _MOST_RULES and not next(iter(self._origins.values())).parked:
            self._origins.popitem(last=False)

        def learn_rules(outcome: FetchOutcome) -> None:
            origin.rules, origin.time = read_rules(outcome, self._agent), time.monotonic()
            parked, origin.parked = origin.parked, []
            for job in parked:
                self.admit(job)

        self.admit(
            Job(f"{name}/robots.txt", learn_rules, client=self._robots_client, is_robots=True)
        )
        return origin

    def _settle(self, host: Host, job: Job, outcome: FetchOutcome, *, was_sent: bool) -> None:
        """Handle the outcome of a job: the end, a redirect, or a failure to retry."""
        now = time.monotonic()
        self._hosts.finish(host, now, was_sent=was_sent)
        self._hosts.forget_idle(now)
        decision = decide_retry(outcome, job.attempt, host.failures, self._politeness)
        self._hosts.rest(host, now + decision.rest_seconds)
        if decision.retry:
            job.attempt += 1
            self._hosts.add(host, job, first=True)
            return
        host.failures = host.failures + 1 if is_passing(outcome) else 0
        if decision.skip_reason:
            self._close(host, decision.skip_reason)
            outcome = HostClosedError(decision.skip_reason)
        elif host.failures >= self._politeness.most_failures:
            problem = outcome if isinstance(outcome, FetchError) else outcome.problem
            failed = f"the host failed with {host.failures} addresses in a row"
            self._close(host, f"{failed}, the last time so: {problem}")
        self._deliver(job, outcome)

    def _deliver(self, job: Job, outcome: FetchOutcome) -> None:
        if isinstance(outcome, FetchError):
            job.reply(outcome)
        elif outcome.location:
            self._follow(job, outcome)
        else:
            job.reply(replace(outcome, redirects=tuple(job.journey.passed)))

    def _close(self, host: Host, reason: str) -> None:
        for job in self._hosts.close(host, reason):
            job.reply(HostClosedError(reason))

    def _follow(self, job: Job, response: HttpResponse) -> None:
        try:
            url = (job.client or self._client).follow(response, job.journey)
        except FetchError as error:
            job.reply(error)
            return
        self.admit(Job(url, job.reply, job.types, job.client, job.is_robots, journey=job.journey))
