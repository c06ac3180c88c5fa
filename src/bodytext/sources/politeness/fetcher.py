"""Requests for pages in, a Record for each out: many hosts at a time, each treated politely."""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec

from bodytext.page.parser import foreign_format, not_html
from bodytext.sources.fetch import PAGE_TYPES, Client, FetchError, Response
from bodytext.sources.politeness.reordering import Shelf
from bodytext.sources.politeness.schedule import Job, Outcome, Politeness
from bodytext.sources.politeness.scheduler import Desk
from bodytext.sources.record import Record

_WINDOW = 10_000  # addresses that wait at a time: so far ahead of the fetching is the input read
_ORDERED_WINDOW = 1_000  # the same where records keep the order of the input: so many may wait for a slow one
_LISTING_BYTES = 60 * 2**20  # sitemaps may have 50 MiB, says their protocol
_MOST_READY = 32  # pages that were fetched to see what they are, and wait to be taken
_PULSE_S = 1.0  # progress is told at least so often


class StoppedError(FetchError):
    """The fetcher was stopped."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page that is wanted, with what is known of it already."""

    url: str
    title: str = ""
    source: str = ""
    offset: int = 0
    problem: str = ""  # known beforehand: there is nothing to fetch, and the record says so
    response: Response | None = None  # what came already, and is not fetched again


@dataclass(slots=True)
class Progress:
    """How far a run is."""

    fetched: int = 0
    failed: int = 0
    waiting: int = 0
    active: int = 0
    bytes: int = 0


class _Run:
    """The requests of one call and what came of them. What has an underscore happens in the desk's thread."""

    def __init__(self, desk: Desk, window: int) -> None:
        self._desk = desk
        self._room = threading.Semaphore(window)
        self._ready = threading.Semaphore(_MOST_READY)
        self._came: set[int] = set()  # requests that came with their response
        self.done: queue.SimpleQueue[tuple[int, Record] | BaseException | None] = queue.SimpleQueue()
        self.is_over = False
        self._given = 0
        self._total: int | None = None
        self._failure: BaseException | None = None

    def feed(self, requests: Iterable[PageRequest]) -> None:
        """Hand requests to the desk, as far ahead as the window is wide."""
        number = 0
        try:
            for number, request in enumerate(requests, 1):
                self._room.acquire()
                if request.response:
                    self._ready.acquire()
                    self._came.add(number - 1)
                if self.is_over:
                    return
                self._desk.call(lambda number=number, request=request: self._begin(number - 1, request))  # type: ignore[misc]
        except BaseException as problem:  # the caller's iterable raised: the caller should hear of it
            self._failure = problem
        self._desk.call(lambda: self._end(number))

    def make_room(self, number: int) -> None:
        """Let in a request more for the one of this number, whose record was taken."""
        self._room.release()
        if number in self._came:
            self._came.discard(number)
            self._ready.release()

    def close(self) -> None:
        """Take nothing any more."""
        self.is_over = True
        self._room.release()
        self._ready.release()

    def _begin(self, number: int, request: PageRequest) -> None:
        if request.problem or request.response:
            self._give(number, _record(request, request.response or FetchError(request.problem)))
            return

        def reply(outcome: Outcome) -> None:
            self._give(number, _record(request, outcome))

        self._desk.admit(Job(request.url, reply, PAGE_TYPES))

    def _give(self, number: int, record: Record) -> None:
        if self.is_over:
            return
        self._given += 1
        self._desk.hold()
        self.done.put((number, record))
        self._check_end()

    def _end(self, total: int) -> None:
        self._total = total
        self._check_end()

    def _check_end(self) -> None:
        if self._given == self._total:
            self.done.put(self._failure)


def _record(request: PageRequest, outcome: Outcome) -> Record:
    """The record of what came; what is no HTML is none, whatever the host called it."""
    known = Record(b"", request.url, title=request.title, source=request.source, offset=request.offset)
    if isinstance(outcome, FetchError):
        return replace(known, problem=str(outcome))
    problem = outcome.problem
    if not problem and not outcome.body.strip():
        problem = "the page is empty"
    if not problem and outcome.content_type and outcome.content_type not in PAGE_TYPES:
        problem = f"not HTML: the content type is {outcome.content_type[:60]}"
    if not problem and (name := foreign_format(outcome.body)):
        problem = not_html(name)
    html = b"" if problem else outcome.body
    return replace(known, html=html, url=outcome.url, time=outcome.time, charset=outcome.charset, problem=problem)


class Fetcher:
    """Fetches pages politely, many at a time. A context: what it started ends with it.

    `progress`, if given, is called after each record, and at least once a second while records are waited for.
    """

    def __init__(
        self,
        client: Client | None = None,
        politeness: Politeness | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        politeness = politeness or Politeness()
        if politeness.obey_robots and not find_spec("protego"):
            raise ValueError("to fetch pages, robots.txt must be read: pip install 'bodytext[fetch]'")
        client = client or Client()
        limits = replace(client.limits, max_bytes=max(client.limits.max_bytes, _LISTING_BYTES))
        self._listing_client = client.with_limits(limits)
        self._desk = Desk(client, politeness)
        self._progress, self._tell = Progress(), progress

    def __enter__(self) -> "Fetcher":
        self._desk.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._desk.stop()

    def get(self, url: str) -> Response:
        """The response of a feed, a sitemap or whatever lists pages, in its turn; a FetchError where there is none."""
        answers: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._desk.submit(Job(url, answers.put, client=self._listing_client))
        while True:
            try:
                outcome = answers.get(timeout=_PULSE_S)
            except queue.Empty:
                self._check()
                continue
            if isinstance(outcome, FetchError):
                raise outcome
            return outcome

    def fetch(self, requests: Iterable[PageRequest], *, ordered: bool = False) -> Iterator[Record]:
        """A record for each request, as they come, or in the order of the requests.

        The requests are read from a thread of their own, not far ahead, and may call `get`.
        """
        run = _Run(self._desk, _ORDERED_WINDOW if ordered else _WINDOW)
        threading.Thread(target=run.feed, args=(requests,), daemon=True, name="bodytext-feed").start()
        try:
            records = self._take(run)
            for number, record in enumerate(Shelf().sort(records)) if ordered else records:
                yield record
                run.make_room(number)
                self._count(record)
        finally:
            run.close()

    def _take(self, run: _Run) -> Iterator[tuple[int, Record]]:
        while True:
            try:
                item = run.done.get(timeout=_PULSE_S)
            except queue.Empty:
                self._check()
                self._say()
                continue
            if isinstance(item, BaseException):
                raise item
            if item is None:
                return
            self._desk.release()
            yield item

    def _check(self) -> None:
        if not self._desk.is_alive():
            raise StoppedError("the fetcher was stopped")

    def _count(self, record: Record) -> None:
        progress = self._progress
        progress.failed += bool(record.problem)
        progress.fetched += not record.problem
        progress.bytes += len(record.html)
        self._say()

    def _say(self) -> None:
        if self._tell:
            self._progress.active, self._progress.waiting = self._desk.active, self._desk.waiting
            self._tell(self._progress)
