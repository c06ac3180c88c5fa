"""Jobs in, what came of each out: one thread that decides which host is asked when, and many that ask.

The deciding thread owns the schedule and the rules of the hosts, and hears of everything by one queue. Redirects and
robots.txt are requests like others, so that they count for the hosts they go to.
"""

import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bodytext.sources.fetch import Client, FetchError, Response
from bodytext.sources.politeness.retries import advise, is_passing
from bodytext.sources.politeness.robots import LEAST_REDIRECTS, MOST_BYTES, Rules, read_rules
from bodytext.sources.politeness.schedule import Host, Job, Outcome, Politeness, Schedule, host_key

_MOST_RULES = 2_000  # hosts whose robots.txt is remembered
_RULES_LAST_S = 24 * 3600.0  # RFC 9309: no longer than a day


class RobotsError(FetchError):
    """The host's robots.txt does not allow it."""


class HostClosedError(FetchError):
    """The host failed too often, or asked to be left alone."""


@dataclass(slots=True)
class _Origin:
    """A scheme, host and port; before its rules are known, jobs wait for them."""

    rules: Rules | None = None
    time: float = 0.0
    parked: list[Job] = field(default_factory=list)


class Desk(threading.Thread):
    """Decides what is asked when, in a thread of its own that nothing blocks."""

    def __init__(self, client: Client, politeness: Politeness) -> None:
        super().__init__(daemon=True, name="bodytext-desk")
        self._politeness, self._agent = politeness, client.user_agent
        self._client = client
        redirects = max(client.limits.max_redirects, LEAST_REDIRECTS)
        limits = replace(client.limits, max_bytes=MOST_BYTES, max_redirects=redirects, cut=True)
        self._robots_client = client.with_limits(limits)
        self._schedule = Schedule(politeness)
        self._origins: OrderedDict[str, _Origin] = OrderedDict()
        self._inbox: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._work: queue.SimpleQueue[tuple[Host, Job] | None] = queue.SimpleQueue()
        self._askers = 0
        self.active = 0
        self._untaken = 0  # outcomes that wait for somebody to take them
        self._is_stopped = False

    @property
    def waiting(self) -> int:
        """How many jobs have not started."""
        return self._schedule.waiting

    def submit(self, job: Job) -> None:
        """Take a job on; its `reply` is called from this thread, with what came or why nothing did."""
        self.call(lambda: self.admit(job))

    def call(self, act: Callable[[], None]) -> None:
        """Let something be done in the deciding thread."""
        self._inbox.put(act)

    def hold(self) -> None:
        """Count an outcome as one that waits to be taken: while many wait, little starts. For the deciding thread."""
        self._untaken += 1

    def release(self) -> None:
        """Count an outcome as taken. For any thread."""
        self.call(self._release)

    def _release(self) -> None:
        self._untaken -= 1

    def stop(self) -> None:
        """Start nothing any more. What is under way ends by its own deadline, unheard."""
        self._is_stopped = True
        self._inbox.put(None)

    def run(self) -> None:
        """Decide until stopped."""
        while True:
            self._start_jobs()
            moment = self._schedule.next_moment() if self._has_room() else None
            try:
                event = self._inbox.get(timeout=None if moment is None else max(moment - time.monotonic(), 0.0))
            except queue.Empty:
                continue
            if event is None or self._is_stopped:
                break
            event()
        for _ in range(self._askers):
            self._work.put(None)

    def _has_room(self) -> bool:
        return self.active + self._untaken < self._politeness.concurrency

    def _start_jobs(self) -> None:
        while self._has_room():
            taken = self._schedule.take(time.monotonic())
            if taken is None:
                return
            self.active += 1
            if self.active > self._askers:
                self._askers += 1
                threading.Thread(target=self._ask_all, daemon=True, name=f"bodytext-fetch-{self._askers}").start()
            self._work.put(taken)

    def _ask_all(self) -> None:
        """What each of the asking threads does until it is told to go."""
        while (taken := self._work.get()) is not None:
            self._inbox.put(self._ask(*taken))

    def _ask(self, host: Host, job: Job) -> Callable[[], None]:
        client = job.client or self._client
        outcome: Outcome | None = None
        asked = False
        try:
            outcome = None if job.is_robots else client.recall(job.url)  # rules may have changed since
            if outcome is None:
                asked = True
                outcome = client.ask(job.url, job.types)
        except FetchError as problem:
            outcome = problem
        except Exception as problem:  # whatever it is, the deciding thread must hear that the job has ended
            outcome = FetchError(f"{type(problem).__name__}: {problem}")
        found = outcome
        return lambda: self._settle(host, job, found, asked=asked)

    def admit(self, job: Job) -> None:
        """Queue a job at its host, behind the host's robots.txt where that is not known. For the deciding thread."""
        try:
            job.target = self._client.read(job.url)
        except FetchError as problem:
            job.reply(problem)
            return
        host = self._schedule.host(host_key(job.target))
        if host.closed:
            job.reply(HostClosedError(host.closed))
        elif job.is_robots:
            self._schedule.add(host, job, first=True)
        elif self._politeness.obey_robots:
            self._admit_by_rules(host, job)
        else:
            self._schedule.add(host, job)

    def _admit_by_rules(self, host: Host, job: Job) -> None:
        if job.target is None:
            return
        origin = self._find_origin(job.target.origin)
        if origin.rules is None:
            origin.parked.append(job)
            return
        delay, longest = origin.rules.delay_seconds, self._politeness.longest_wait_seconds
        host.delay_seconds = max(host.delay_seconds, delay)
        refusal = origin.rules.refuse(job.target.url)
        if delay > longest:
            refusal = f"the host's robots.txt asks for a long delay: {delay:,.0f} s; the limit is {longest:,.0f} s"
        if refusal:
            job.reply(RobotsError(refusal))
        else:
            self._schedule.add(host, job, first=bool(job.attempt or job.passed))

    def _find_origin(self, name: str) -> _Origin:
        """The origin of a name; where its rules are not known, or are old, a job that asks for them."""
        origin = self._origins.get(name)
        if origin is not None and (origin.parked or time.monotonic() - origin.time < _RULES_LAST_S):
            self._origins.move_to_end(name)
            return origin
        origin = self._origins[name] = _Origin(time=time.monotonic())
        while len(self._origins) > _MOST_RULES and not next(iter(self._origins.values())).parked:
            self._origins.popitem(last=False)
        known = origin

        def learn(outcome: Outcome) -> None:
            known.rules, known.time = read_rules(outcome, self._agent), time.monotonic()
            parked, known.parked = known.parked, []
            for job in parked:
                self.admit(job)

        self.admit(Job(f"{name}/robots.txt", learn, client=self._robots_client, is_robots=True))
        return origin

    def _settle(self, host: Host, job: Job, outcome: Outcome, *, asked: bool) -> None:
        """Hear what came of a job: the end, a redirect, or something to try again."""
        self.active -= 1
        now = time.monotonic()
        self._schedule.finish(host, now, asked=asked)
        self._schedule.forget_idle(now)
        advice = advise(outcome, job.attempt, host.failures, self._politeness)
        self._schedule.rest(host, now + advice.rest_seconds)
        if advice.retry:
            job.attempt += 1
            self._schedule.add(host, job, first=True)
            return
        host.failures = host.failures + 1 if is_passing(outcome) else 0
        if advice.leave:
            self._leave(host, advice.leave)
            outcome = HostClosedError(advice.leave)
        elif host.failures >= self._politeness.most_failures:
            problem = outcome if isinstance(outcome, FetchError) else outcome.problem
            self._leave(host, f"the host failed with {host.failures} addresses in a row, the last time so: {problem}")
        if isinstance(outcome, Response) and outcome.location:
            self._follow(job, outcome)
        else:
            job.reply(replace(outcome, redirects=tuple(job.passed)) if isinstance(outcome, Response) else outcome)

    def _leave(self, host: Host, reason: str) -> None:
        for job in self._schedule.close(host, reason):
            job.reply(HostClosedError(reason))

    def _follow(self, job: Job, response: Response) -> None:
        passed = [*job.passed, response.url]
        try:
            url = (job.client or self._client).follow(response, passed)
        except FetchError as problem:
            job.reply(problem)
            return
        self.admit(Job(url, job.reply, job.types, job.client, job.is_robots, passed=passed))
