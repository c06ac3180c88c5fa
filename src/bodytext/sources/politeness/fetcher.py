"""Fetcher: fetch many pages at a time, each host politely, and give a Record for each."""

import queue
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.util import find_spec

from bodytext.page.parser import foreign_format, not_html
from bodytext.sources.fetch import PAGE_TYPES, Client, FetchError, HttpResponse
from bodytext.sources.fetch.response import FetchOutcome
from bodytext.sources.fetch.transport import NEEDED
from bodytext.sources.politeness.host_queue import Job
from bodytext.sources.politeness.policy import Politeness
from bodytext.sources.politeness.scheduler import Scheduler
from bodytext.sources.record import Record

_MOST_BYTES = 64 * 2**20  # of pages that wait in memory; further ones wait in a file


class ReorderingBuffer:
    """Holds records until those before them have arrived."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._waiting: dict[int, tuple[Record, int, int]] = {}  # with start and length in the file
        self._bytes = 0
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by sort
        self._end = 0

    def sort(self, records: Iterable[tuple[int, Record]]) -> Iterator[Record]:
        """Yield the records by their numbers, which count from 0 without gaps."""
        following = 0
        with closing(self._file):
            for number, record in records:
                if number == following:
                    yield record
                    following += 1
                else:
                    self._put(number, record)
                while following in self._waiting:
                    yield self._take(following)
                    following += 1

    def _put(self, number: int, record: Record) -> None:
        size = len(record.html)
        if self._bytes + size <= self._most_bytes:
            self._bytes += size
            self._waiting[number] = (record, 0, 0)
            return
        self._file.seek(self._end)
        self._file.write(record.html)
        self._waiting[number] = (replace(record, html=b""), self._end, size)
        self._end += size

    def _take(self, number: int) -> Record:
        record, start, size = self._waiting.pop(number)
        if not size:
            self._bytes -= len(record.html)
            return record
        self._file.seek(start)
        record = replace(record, html=self._file.read(size))
        if not self._waiting:
            self._end = 0
            self._file.truncate(0)
        return record


_WINDOW = 10_000  # requests that wait at a time: the input is read that far ahead
# The same where records keep the order of the input: that many may wait for a slow one.
_ORDERED_WINDOW = 1_000
_LISTING_BYTES = 60 * 2**20  # sitemaps may have 50 MiB, says their protocol
_MOST_READY = 32  # requests that bring their response along and wait to be taken
_SOCKETS = 5  # for each request at a time: its own, and those of connections that wait
_OTHER_FILES = 256
_PULSE_S = 1.0  # the longest time between two reports of progress


class FetcherStoppedError(FetchError):
    """The fetcher was stopped."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page to be fetched, with what is known about it."""

    url: str
    title: str = ""
    source: str = ""
    offset: int = 0
    problem: str = ""  # known beforehand: nothing is fetched, and the record has this problem
    response: HttpResponse | None = None  # already received, and not fetched again


@dataclass(slots=True)
class FetchProgress:
    """How far a run is."""

    fetched: int = 0
    failed: int = 0
    waiting: int = 0
    active: int = 0
    bytes: int = 0


class _FetchRun:
    """The requests of one call and their records. Private methods run in the event loop."""

    def __init__(self, scheduler: Scheduler, window: int) -> None:
        self._scheduler = scheduler
        self._room = threading.Semaphore(window)
        self._ready = threading.Semaphore(_MOST_READY)
        # Numbers of the requests that brought their response along.
        self._with_response: set[int] = set()
        self.done: queue.SimpleQueue[tuple[int, Record] | BaseException | None] = (
            queue.SimpleQueue()
        )
        self.is_over = False
        self._given = 0
        self._total: int | None = None
        self._failure: BaseException | None = None

    def submit(self, requests: Iterable[PageRequest]) -> None:
        """Hand requests to the scheduler, as far ahead as the window allows."""
        number = 0
        try:
            for number, request in enumerate(requests, 1):
                self._room.acquire()
                if request.response:
                    self._ready.acquire()
                    self._with_response.add(number - 1)
                if self.is_over:
                    return
                self._scheduler.call(
                    lambda number=number, request=request: self._begin(number - 1, request)  # type: ignore[misc]
                )
        except BaseException as error:  # from the caller's iterable: the caller gets it back
            self._failure = error
        self._scheduler.call(lambda: self._end(number))

    def make_room(self, number: int) -> None:
        """Admit another request for the one with this number, whose record was taken."""
        self._room.release()
        if number in self._with_response:
            self._with_response.discard(number)
            self._ready.release()

    def close(self) -> None:
        """Accept no further request or record."""
        self.is_over = True
        self._room.release()
        self._ready.release()

    def _begin(self, number: int, request: PageRequest) -> None:
        if request.problem or request.response:
            self._give(
                number, _make_record(request, request.response or FetchError(request.problem))
            )
            return

        def reply(outcome: FetchOutcome) -> None:
            self._give(number, _make_record(request, outcome))

        self._scheduler.admit(Job(request.url, reply, PAGE_TYPES))

    def _give(self, number: int, record: Record) -> None:
        if self.is_over:
            return
        self._given += 1
        self._scheduler.hold()
        self.done.put((number, record))
        self._check_end()

    def _end(self, total: int) -> None:
        self._total = total
        self._check_end()

    def _check_end(self) -> None:
        if self._given == self._total:
            self.done.put(self._failure)


def _make_record(request: PageRequest, outcome: FetchOutcome) -> Record:
    known = Record(
        b"", request.url, title=request.title, source=request.source, offset=request.offset
    )
    if isinstance(outcome, FetchError):
        return replace(known, problem=str(outcome))
    problem = _find_problem(outcome)
    html = b"" if problem else outcome.body
    return replace(
        known,
        html=html,
        url=outcome.url,
        time=outcome.time,
        charset=outcome.charset,
        problem=problem,
    )


def _find_problem(response: HttpResponse) -> str:
    """Say why a response is not an HTML page, whatever the host called it; empty if it is one."""
    if response.problem:
        return response.problem
    if not response.body.strip():
        return "the page is empty"
    if response.content_type and response.content_type not in PAGE_TYPES:
        return f"not HTML: the content type is {response.content_type[:60]}"
    name = foreign_format(response.body, response.charset)
    return not_html(name) if name else ""


def _allow_sockets(requests: int) -> None:
    """Raise the number of files that this process may open, if so many requests need it."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = hard if hard != resource.RLIM_INFINITY else _SOCKETS * requests
    if most < requests + _OTHER_FILES:
        raise ValueError(
            f"{requests:,} requests at a time need more open files than the {most:,} that are "
            "allowed here: lower the concurrency, or raise the limit (ulimit -n)"
        )
    if soft != resource.RLIM_INFINITY and soft < _SOCKETS * requests + _OTHER_FILES:
        raised = min(max(soft, _SOCKETS * requests + _OTHER_FILES), most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))


class Fetcher:
    """Fetches pages politely, many at a time. A context manager: all ends with it.

    `progress`, if given, is called after each record, and at least once a second while the fetcher
    waits.
    """

    def __init__(
        self,
        client: Client | None = None,
        politeness: Politeness | None = None,
        progress: Callable[[FetchProgress], None] | None = None,
    ) -> None:
        politeness = politeness or Politeness()
        if not (find_spec("pycurl") and find_spec("protego")):
            raise ValueError(NEEDED)
        _allow_sockets(politeness.concurrency)
        client = client or Client()
        limits = replace(client.limits, max_bytes=max(client.limits.max_bytes, _LISTING_BYTES))
        self._listing_client = client.with_limits(limits)
        self._scheduler = Scheduler(client, politeness)
        self._progress, self._on_progress = FetchProgress(), progress

    def __enter__(self) -> "Fetcher":
        return self

    def __exit__(self, *_: object) -> None:
        self._scheduler.stop()

    def get(self, url: str) -> HttpResponse:
        """Return the response of a feed, a sitemap or another listing, or raise a FetchError."""
        outcomes: queue.SimpleQueue[FetchOutcome] = queue.SimpleQueue()
        self._scheduler.submit(Job(url, outcomes.put, client=self._listing_client))
        while True:
            try:
                outcome = outcomes.get(timeout=_PULSE_S)
            except queue.Empty:
                self._check_alive()
                continue
            if isinstance(outcome, FetchError):
                raise outcome
            return outcome

    def fetch(self, requests: Iterable[PageRequest], *, ordered: bool = False) -> Iterator[Record]:
        """Yield a record for each request, as they arrive or in the order of the requests.

        The requests are read in a thread of their own, not far ahead, and may call `get`.
        """
        run = _FetchRun(self._scheduler, _ORDERED_WINDOW if ordered else _WINDOW)
        threading.Thread(
            target=run.submit, args=(requests,), daemon=True, name="bodytext-requests"
        ).start()
        try:
            records = self._take(run)
            for number, record in (
                enumerate(ReorderingBuffer().sort(records)) if ordered else records
            ):
                yield record
                run.make_room(number)
                self._count(record)
        finally:
            run.close()

    def _take(self, run: _FetchRun) -> Iterator[tuple[int, Record]]:
        while True:
            try:
                item = run.done.get(timeout=_PULSE_S)
            except queue.Empty:
                self._check_alive()
                self._report()
                continue
            if isinstance(item, BaseException):
                raise item
            if item is None:
                return
            self._scheduler.release()
            yield item

    def _check_alive(self) -> None:
        if self._scheduler.is_stopped:
            raise FetcherStoppedError("the fetcher was stopped")

    def _count(self, record: Record) -> None:
        progress = self._progress
        progress.failed += bool(record.problem)
        progress.fetched += not record.problem
        progress.bytes += len(record.html)
        self._report()

    def _report(self) -> None:
        if self._on_progress:
            self._progress.active, self._progress.waiting = (
                self._scheduler.active,
                self._scheduler.waiting,
            )
            self._on_progress(self._progress)
