"""FeedUpdater: the feeds that are due in, their new articles in the store out; fetched politely, stored one by one.

Feeds are read by several threads, their pages fetched many at a time, and all articles stored by one thread, each in a
transaction. What says that a feed is up to date (its ETag) is stored when its last article is: whatever ends the work
in between, the next update finds what is missing, and what is there is not stored again.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

from bodytext.reader.collection.drafting import make_draft
from bodytext.reader.collection.enrichment import Enrichment
from bodytext.reader.collection.feed_validators import FeedValidators
from bodytext.reader.collection.new_entries import NewEntry, choose_new_entries
from bodytext.reader.store.feed_health import SILENCE, Changes, fail, succeed, wait
from bodytext.reader.store.records import Subscription
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import Client, FetchError, FetchLimits, HttpResponse
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.listings.entry import FeedEntry, NoFeedError
from bodytext.sources.listings.feed import read_feed
from bodytext.sources.politeness.fetcher import Fetcher, PageRequest
from bodytext.sources.politeness.policy import Politeness
from bodytext.sources.record import Record

_READERS = 24  # feeds that are read at a time
_MOST_OPEN = 200  # feeds whose pages are waited for at a time: their entries are in memory
_LARGEST_FEED = 16 * 2**20  # bytes; with 10,000 entries real ones stay below
_LARGEST_PAGE, _LONGEST_FETCH = 10 * 2**20, 20.0  # bytes and seconds
_OK = 200


@dataclass(slots=True)
class UpdateProgress:
    """How far an update is, and what came of it."""

    feeds: int = 0  # to be read
    read: int = 0
    articles: int = 0  # that are new in the feeds
    stored: int = 0
    missing: int = 0  # stored without their page
    unchanged: int = 0  # feeds
    problems: dict[str, str] = field(default_factory=dict)  # of feeds, by address
    faults: list[str] = field(default_factory=list)  # mistakes of ours that an article brought to light
    is_offline: bool = False  # no host at all was reached


def default_fetch_options(*, allow_private: bool = False) -> FetchOptions:
    """How the reader fetches: what fails is tried again once, for the next update is not far."""
    limits = FetchLimits(max_bytes=_LARGEST_PAGE, max_seconds=_LONGEST_FETCH, allow_private=allow_private)
    return FetchOptions(limits, Politeness(retries=1))


Tell = Callable[[UpdateProgress], None]


@dataclass(slots=True)
class _FeedUpdate:
    """A feed whose new pages are under way."""

    feed: Subscription
    changes: Changes
    news: list[NewEntry] = field(default_factory=list)
    left: int = 0
    stored: int = 0


class FeedUpdater:
    """Updates the feeds of a store. Fetches as `fetching` says; its cache is not used."""

    def __init__(self, store: Store, fetching: FetchOptions | None = None, tell: Tell | None = None) -> None:
        self._store, self._fetching, self._tell = store, fetching or default_fetch_options(), tell
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End a running update soon, from any thread. What is stored stays; the next update goes on from there."""
        self._stopping.set()

    def update(self, feeds: Iterable[Subscription] | None = None) -> UpdateProgress:
        """Read the feeds that are due, or these, and store what is new."""
        self._stopping.clear()
        chosen = list(self._store.feeds.list_due(int(time.time())) if feeds is None else feeds)
        run = _UpdateRun(self._store, chosen, self._tell or (lambda _: None), self._stopping)
        if chosen:
            run.work(self._fetching)
        return run.progress


class _UpdateRun:
    """One update."""

    def __init__(self, store: Store, feeds: list[Subscription], tell: Tell, stopping: threading.Event) -> None:
        self._store, self._feeds, self._tell, self._stopping = store, feeds, tell, stopping
        self._validators = FeedValidators(feeds)
        self._slots = threading.Semaphore(_MOST_OPEN)
        self._lock = threading.Lock()
        self._claimed: set[str] = set()  # addresses that are fetched in this update already
        self._failed: list[tuple[Subscription, FetchError | NoFeedError | HttpResponse]] = []
        self._open: dict[int, _FeedUpdate] = {}
        self._enrichment = Enrichment(store)
        self.progress = UpdateProgress(len(feeds))

    def work(self, fetching: FetchOptions) -> None:
        """Read all feeds and store what is new."""
        client = Client(
            fetching.limits, user_agent=fetching.user_agent, cache=self._validators, resolve=fetching.resolve
        )
        with Fetcher(client, fetching.politeness) as fetcher:
            for record in fetcher.fetch(self._request_pages(fetcher)):
                self._take(record)
                if self._stopping.is_set():
                    break
        self._enrichment.finish()
        self._settle_failures()
        self._tell(self.progress)

    def _request_pages(self, fetcher: Fetcher) -> Iterator[PageRequest]:
        """The pages of all feeds, as the feeds come. Runs in a thread of the fetcher's."""
        came: SimpleQueue[_FeedUpdate | None] = SimpleQueue()
        pool = ThreadPoolExecutor(_READERS, thread_name_prefix="bodytext-feeds")
        try:
            for feed in self._feeds:
                pool.submit(self._read, feed, fetcher, came)
            for _ in self._feeds:
                reading = came.get()
                if reading is None:
                    continue
                for number, news in enumerate(reading.news):
                    problem = "" if news.entry.url else "the entry of the feed has no address"
                    yield PageRequest(news.entry.url, news.entry.title, str(reading.feed.id), number, problem)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _read(self, feed: Subscription, fetcher: Fetcher, came: "SimpleQueue[_FeedUpdate | None]") -> None:
        """Ask for a feed, and find out what is new in it. Whatever happens, something is put into the queue."""
        reading = None
        try:
            while not self._slots.acquire(timeout=1.0):
                if self._stopping.is_set():
                    return
            try:
                reading = self._read_news(feed, fetcher)
            except Exception as problem:  # whatever a feed does to us, the others are read
                self._note_failure(feed, NoFeedError(f"{type(problem).__name__}: {problem}"))
            with self._lock:
                self.progress.read += 1
                self.progress.articles += reading.left if reading else 0
            if reading is None:
                self._slots.release()
            self._tell(self.progress)
        finally:
            came.put(reading)

    def _read_news(self, feed: Subscription, fetcher: Fetcher) -> _FeedUpdate | None:
        if self._stopping.is_set():
            return None
        try:
            response = fetcher.get(feed.url)
            if response.status != _OK:
                self._note_failure(feed, response)
                return None
            reading = self._find_news(feed, response)
        except (FetchError, NoFeedError) as problem:
            self._note_failure(feed, problem)
            return None
        if reading.left:
            with self._lock:
                self._open[feed.id] = reading
            return reading
        self._finish(reading)
        return None

    def _find_news(self, feed: Subscription, response: HttpResponse) -> _FeedUpdate:
        """What a response has that is not stored: of one that says "unchanged", articles that lack their page."""
        changes: Changes = {
            "etag": response.headers.get("etag", "")[:500],
            "modified": response.headers.get("last-modified", "")[:100],
            "location": response.url if response.url != feed.url else "",
        }
        entries: tuple[FeedEntry, ...] = ()
        if response.stored:
            with self._lock:
                self.progress.unchanged += 1
        else:
            if len(response.body) > _LARGEST_FEED:
                raise NoFeedError(f"it has {len(response.body):,} bytes; the limit is {_LARGEST_FEED:,}")
            found = read_feed(response.body, response.url, response.charset)
            entries = found.entries
            changes["title"] = found.title or feed.title
        if (moved := self._validators.find_move(response)) != feed.url:
            changes |= {"url": moved, "previous": feed.url, "state": "moved"}
        with self._lock:
            news = choose_new_entries(self._store, feed, entries, self._claimed)
        return _FeedUpdate(feed, changes, news, len(news))

    def _take(self, record: Record) -> None:
        """Store the article of a page that came, or of one that did not."""
        reading = self._open[int(record.source)]
        if self._store_article(reading.feed, reading.news[record.offset], record):
            reading.stored += 1
            self.progress.stored += 1
        self.progress.missing += bool(record.problem)
        reading.left -= 1
        if not reading.left:
            self._finish(reading)
            with self._lock:
                del self._open[reading.feed.id]
            self._slots.release()
        self._tell(self.progress)

    def _store_article(self, feed: Subscription, news: NewEntry, record: Record) -> bool:
        """Store an article; whether it is new. Whatever a page does to us, it and its neighbours are stored."""
        entry = news.entry
        try:
            draft = make_draft(feed.id, entry, record)
        except Exception as problem:  # see above
            bare = replace(record, html=b"", problem=self._note_fault(record, problem))
            draft = make_draft(feed.id, replace(entry, content="", summary=""), bare)
        draft, analysis = replace(draft, addresses=(*draft.addresses, news.mark)), None
        try:
            draft, analysis = self._enrichment.enrich(draft)
        except Exception as problem:  # see above
            self._note_fault(record, problem)
        try:
            with self._store.write(durable=False):
                if not self._store.feeds.is_read(feed.id):  # it was unsubscribed from meanwhile
                    return False
                number = self._store.articles.add(draft)
                if number is not None and analysis is not None:
                    self._enrichment.learn(number, draft, analysis)
        except sqlite3.OperationalError:  # a disk that is full is not the page's fault
            raise
        except Exception as problem:  # see above
            self._note_fault(record, problem)
            return False
        return number is not None

    def _note_fault(self, record: Record, problem: Exception) -> str:
        words = f"the page could not be read ({type(problem).__name__}: {problem})"[:500]
        self.progress.faults.append(f"{record.url}: {words}")
        return words

    def _finish(self, reading: _FeedUpdate) -> None:
        """Note that a feed is read, and all of it stored."""
        feed, now = reading.feed, int(time.time())
        changes = succeed(feed, now, new=reading.stored) | reading.changes
        site = next((news.site for news in reading.news if news.site), "")
        if not feed.site and site:
            changes["site"] = site
        with self._store.write(durable=False):
            if "url" in changes:
                other = self._store.feeds.find_url(str(changes["url"]))
                if other is not None and other.id != feed.id:  # it is subscribed to under both addresses
                    changes = fail(feed, now, f"it moved to {other.url}, which is subscribed to already")
                    changes["state"] = "dead"
            self._change(feed, changes)

    def _change(self, feed: Subscription, changes: Changes) -> None:
        """Note how a feed stands, unless it was unsubscribed from meanwhile: it would be back."""
        with self._store.write(durable=False):
            if self._store.feeds.is_read(feed.id):
                self._store.feeds.change(feed.id, **changes)

    def _note_failure(self, feed: Subscription, outcome: FetchError | NoFeedError | HttpResponse) -> None:
        with self._lock:
            self._failed.append((feed, outcome))

    def _is_silent(self, now: int) -> bool:
        """Whether there are other feeds, here or in earlier updates, and none of them was heard of for a while."""
        asked = {feed.id for feed in self._feeds}
        others = [feed for feed in self._store.feeds.list_all() if feed.id not in asked and feed.state != "dead"]
        heard = max((feed.succeeded for feed in others), default=0)
        return len(asked) + len(others) > 1 and now - heard > SILENCE

    def _settle_failures(self) -> None:
        """Note what failed, when it is known whether this machine has a network at all."""
        if self._stopping.is_set():
            return
        now = int(time.time())
        self.progress.is_offline = not self._validators.has_heard and self._is_silent(now)
        for feed, outcome in self._failed:
            problem, status = _describe(outcome)
            self.progress.problems[feed.url] = problem
            self._change(feed, wait(now, problem) if self.progress.is_offline else fail(feed, now, problem, status))


def _describe(outcome: FetchError | NoFeedError | HttpResponse) -> tuple[str, int]:
    if isinstance(outcome, HttpResponse):
        return outcome.problem, outcome.status
    if isinstance(outcome, NoFeedError):
        return f"the feed could not be read: {outcome}", 0
    return str(outcome), 0
