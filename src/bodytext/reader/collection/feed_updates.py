"""FeedUpdater: fetch the feeds that are due and store their new articles.

Several threads read feeds, many pages are fetched at a time, and one thread stores all articles,
each in a transaction. The ETag of a feed, which says that it is up to date, is stored after its
last article: if the work is interrupted, the next update finds the articles that are missing and
does not store the others again.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

from bodytext.corpus.workers.worker import WorkerStoppedError
from bodytext.reader.analysis import Analysis
from bodytext.reader.collection.article_worker import ArticleWorker, BrokenPageError, share_worker
from bodytext.reader.collection.drafting import make_draft
from bodytext.reader.collection.enrichment import Enrichment
from bodytext.reader.collection.feed_validators import FeedValidators
from bodytext.reader.collection.new_entries import NewEntry, choose_new_entries
from bodytext.reader.collection.page_feed import read_page_feed
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.feed_health import SILENCE, Changes, fail, succeed, wait
from bodytext.reader.store.records import Subscription
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import FetchError, FetchLimits, HttpResponse
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.listings.entry import FeedEntry, NoFeedError
from bodytext.sources.listings.feed import read_feed
from bodytext.sources.politeness.fetcher import Fetcher, PageRequest
from bodytext.sources.politeness.policy import Politeness
from bodytext.sources.record import Record

_READERS = 24  # feeds that are read at a time
_MOST_OPEN = 200  # feeds whose pages are being fetched: their entries are in memory
_LARGEST_FEED = 16 * 2**20  # bytes; real feeds with 10,000 entries have less
_LARGEST_PAGE, _LONGEST_FETCH = 10 * 2**20, 20.0  # bytes and seconds
# That pages of a feed may take in an update before they break a limit: other articles wait.
_BROKEN_SECONDS = 30.0
_LONGEST_PROBLEM = 500  # characters
_OK = 200


@dataclass(slots=True)
class UpdateProgress:
    """How far an update is, and its results."""

    feeds: int = 0  # to be read
    read: int = 0
    articles: int = 0  # new in the feeds
    stored: int = 0
    missing: int = 0  # stored without their page
    unchanged: int = 0  # feeds
    problems: dict[str, str] = field(default_factory=dict)  # of feeds, by address
    # Our own errors that an article brought to light.
    faults: list[str] = field(default_factory=list)
    is_offline: bool = False  # no host at all was reached


ProgressCallback = Callable[[UpdateProgress], None]
_FeedFailure = FetchError | NoFeedError | HttpResponse


def default_fetch_options(*, allow_private: bool = False) -> FetchOptions:
    """Return how the reader fetches: with one retry, since the next update comes soon."""
    limits = FetchLimits(
        max_bytes=_LARGEST_PAGE, max_seconds=_LONGEST_FETCH, allow_private=allow_private
    )
    return FetchOptions(limits, Politeness(retries=1))


@dataclass(slots=True)
class _FeedUpdate:
    """A feed whose new pages are being fetched."""

    feed: Subscription
    changes: Changes
    entries: list[NewEntry] = field(default_factory=list)
    left: int = 0
    stored: int = 0
    broken_seconds: float = 0.0


class FeedUpdater:
    """Updates the feeds of a store. `fetching` says how to fetch; its cache is not used."""

    def __init__(
        self,
        store: Store,
        fetching: FetchOptions | None = None,
        on_progress: ProgressCallback | None = None,
        worker: ArticleWorker | None = None,
    ) -> None:
        self._store, self._fetching = store, fetching or default_fetch_options()
        self._worker = worker or share_worker()
        self._on_progress = on_progress or (lambda _: None)
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End a running update soon, from any thread; the next one continues it."""
        self._stopping.set()

    def update(self, feeds: Iterable[Subscription] | None = None) -> UpdateProgress:
        """Read the given feeds, or those that are due, and store what is new."""
        self._stopping.clear()
        due = self._store.feeds.list_due(int(time.time())) if feeds is None else feeds
        chosen = [feed for feed in due if feed.is_fetched]
        run = _UpdateRun(self._store, chosen, self._on_progress, self._stopping, self._worker)
        if chosen:
            run.work(self._fetching)
        return run.progress


class _UpdateRun:
    """One update."""

    def __init__(
        self,
        store: Store,
        feeds: list[Subscription],
        on_progress: ProgressCallback,
        stopping: threading.Event,
        worker: ArticleWorker,
    ) -> None:
        self._store, self._feeds, self._worker = store, feeds, worker
        self._on_progress, self._stopping = on_progress, stopping
        self._validators = FeedValidators(feeds)
        self._slots = threading.Semaphore(_MOST_OPEN)
        self._lock = threading.Lock()
        self._claimed: set[str] = set()  # addresses that this update already fetches
        self._failed: list[tuple[Subscription, _FeedFailure]] = []
        self._open: dict[int, _FeedUpdate] = {}
        self._enrichment = Enrichment(store)
        self.progress = UpdateProgress(len(feeds))

    def work(self, fetching: FetchOptions) -> None:
        """Read all feeds and store what is new."""
        client = replace(fetching, cache=self._validators).client()
        with Fetcher(client, fetching.politeness) as fetcher:
            for record in fetcher.fetch(self._request_pages(fetcher)):
                self._take(record)
                if self._stopping.is_set():
                    break
        self._enrichment.finish()
        self._settle_failures()
        self._on_progress(self.progress)

    def _request_pages(self, fetcher: Fetcher) -> Iterator[PageRequest]:
        """Yield the pages of all feeds, as the feeds arrive. Runs in a thread of the fetcher."""
        updates: SimpleQueue[_FeedUpdate | None] = SimpleQueue()
        pool = ThreadPoolExecutor(_READERS, thread_name_prefix="bodytext-feeds")
        try:
            for feed in self._feeds:
                pool.submit(self._read, feed, fetcher, updates)
            for _ in self._feeds:
                update = updates.get()
                if update is None:
                    continue
                for number, new in enumerate(update.entries):
                    problem = "" if new.entry.url else "the entry of the feed has no address"
                    yield PageRequest(
                        new.entry.url, new.entry.title, str(update.feed.id), number, problem
                    )
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _read(
        self, feed: Subscription, fetcher: Fetcher, updates: "SimpleQueue[_FeedUpdate | None]"
    ) -> None:
        """Fetch a feed and queue its new entries, or None whatever happens."""
        update = None
        try:
            while not self._slots.acquire(timeout=1.0):
                if self._stopping.is_set():
                    return
            try:
                update = self._fetch_feed(feed, fetcher)
            except Exception as error:  # whatever a feed does to us, the others are read
                self._note_failure(feed, NoFeedError(f"{type(error).__name__}: {error}"))
            with self._lock:
                self.progress.read += 1
                self.progress.articles += update.left if update else 0
            if update is None:
                self._slots.release()
            self._on_progress(self.progress)
        finally:
            updates.put(update)

    def _fetch_feed(self, feed: Subscription, fetcher: Fetcher) -> _FeedUpdate | None:
        """Fetch a feed; return its update, or None if there is nothing to fetch."""
        if self._stopping.is_set():
            return None
        try:
            response = fetcher.get(feed.url)
            if response.status != _OK:
                self._note_failure(feed, response)
                return None
            update = self._find_new_entries(feed, response)
        except (FetchError, NoFeedError) as error:
            self._note_failure(feed, error)
            return None
        if update.left:
            with self._lock:
                self._open[feed.id] = update
            return update
        self._finish(update)
        return None

    def _find_new_entries(self, feed: Subscription, response: HttpResponse) -> _FeedUpdate:
        """Find the entries that are not stored, and the articles that still lack their page."""
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
                raise NoFeedError(
                    f"it has {len(response.body):,} bytes; the limit is {_LARGEST_FEED:,}"
                )
            if feed.kind == "page":
                parsed = read_page_feed(response)
            else:
                parsed = read_feed(response.body, response.url, response.charset)
            entries = parsed.entries
            changes["title"] = parsed.title or feed.title
        if (moved := self._validators.find_move(response)) != feed.url:
            changes |= {"url": moved, "previous": feed.url, "state": "moved"}
        with self._lock:
            new = choose_new_entries(self._store, feed, entries, self._claimed)
        return _FeedUpdate(feed, changes, new, len(new))

    def _take(self, record: Record) -> None:
        """Store the article of a page, even if the page could not be fetched."""
        update = self._open[int(record.source)]
        try:
            article = self._read_article(update, update.entries[record.offset], record)
        except WorkerStoppedError:
            return
        if self._store_article(update.feed, record, *article):
            update.stored += 1
            self.progress.stored += 1
        self.progress.missing += bool(record.problem)
        update.left -= 1
        if not update.left:
            self._finish(update)
            with self._lock:
                del self._open[update.feed.id]
            self._slots.release()
        self._on_progress(self.progress)

    def _read_article(
        self, update: _FeedUpdate, new: NewEntry, record: Record
    ) -> tuple[ArticleDraft, Analysis | None]:
        """Read an article, without its page if that breaks a limit, else without any content."""
        entry, problem = new.entry, ""
        for html in dict.fromkeys((record.html, b"")):
            if update.broken_seconds >= _BROKEN_SECONDS:
                problem = problem or "other pages of this feed took too long"
                break
            page = replace(record, html=html, problem=record.problem or problem)
            began = time.monotonic()
            try:
                draft, analysis = self._worker.read(
                    self._store.path, update.feed.id, entry, page, self._stopping
                )
            except BrokenPageError as error:
                update.broken_seconds += time.monotonic() - began
                problem = problem or self._note_fault(record, str(error))
            else:
                return replace(draft, addresses=(*draft.addresses, new.mark)), analysis
        bare = replace(record, html=b"", problem=record.problem or problem)
        draft = make_draft(update.feed.id, replace(entry, content="", summary=""), bare)
        return replace(draft, addresses=(*draft.addresses, new.mark)), None

    def _store_article(
        self, feed: Subscription, record: Record, draft: ArticleDraft, analysis: Analysis | None
    ) -> bool:
        """Store an article, whatever it does to us; return whether it is new."""
        try:
            draft = self._enrichment.enrich(draft, analysis) if analysis is not None else draft
        except Exception as error:  # whatever a page does to us, its article is stored
            self._note_fault(record, f"{type(error).__name__}: {error}")
            analysis = None
        try:
            with self._store.write(durable=False):
                if not self._store.feeds.is_read(feed.id):  # it was unsubscribed from meanwhile
                    return False
                number = self._store.articles.add(draft)
                if number is not None and analysis is not None:
                    self._enrichment.learn(number, draft, analysis)
        except sqlite3.OperationalError:  # a full disk is not the page's fault
            raise
        except Exception as error:  # whatever a page does to us, the others are stored
            self._note_fault(record, f"{type(error).__name__}: {error}")
            return False
        return number is not None

    def _note_fault(self, record: Record, problem: str) -> str:
        self.progress.faults.append(f"{record.url}: {problem[:_LONGEST_PROBLEM]}")
        return problem[:_LONGEST_PROBLEM]

    def _finish(self, update: _FeedUpdate) -> None:
        """Record that a feed is read and all of it stored."""
        feed, now = update.feed, int(time.time())
        changes = succeed(feed, now, new=update.stored) | update.changes
        site = next((new.site for new in update.entries if new.site), "")
        if not feed.site and site:
            changes["site"] = site
        with self._store.write(durable=False):
            if "url" in changes:
                other = self._store.feeds.find_url(str(changes["url"]))
                # It is subscribed to under both addresses.
                if other is not None and other.id != feed.id:
                    changes = fail(
                        feed, now, f"it moved to {other.url}, which is subscribed to already"
                    )
                    changes["state"] = "dead"
            self._change(feed, changes)

    def _change(self, feed: Subscription, changes: Changes) -> None:
        """Store the state of a feed, unless it was unsubscribed from meanwhile."""
        with self._store.write(durable=False):
            if self._store.feeds.is_read(feed.id):
                self._store.feeds.change(feed.id, **changes)

    def _note_failure(self, feed: Subscription, failure: _FeedFailure) -> None:
        with self._lock:
            self._failed.append((feed, failure))

    def _is_silent(self, now: int) -> bool:
        """Whether there are other feeds, and none of them has answered for a while."""
        requested = {feed.id for feed in self._feeds}
        others = [
            feed
            for feed in self._store.feeds.list_all()
            if feed.id not in requested and feed.state != "dead"
        ]
        latest = max((feed.succeeded for feed in others), default=0)
        return len(requested) + len(others) > 1 and now - latest > SILENCE

    def _settle_failures(self) -> None:
        """Store the failures, once it is known whether this machine has a network at all."""
        if self._stopping.is_set():
            return
        now = int(time.time())
        self.progress.is_offline = not self._validators.has_heard and self._is_silent(now)
        for feed, failure in self._failed:
            problem, status = _describe(failure)
            self.progress.problems[feed.url] = problem
            if self.progress.is_offline:
                self._change(feed, wait(now, problem))
            else:
                self._change(feed, fail(feed, now, problem, status))


def _describe(failure: _FeedFailure) -> tuple[str, int]:
    """Return a failure in words, and its HTTP status if it has one."""
    if isinstance(failure, HttpResponse):
        return failure.problem, failure.status
    if isinstance(failure, NoFeedError):
        return f"the feed could not be read: {failure}", 0
    return str(failure), 0
