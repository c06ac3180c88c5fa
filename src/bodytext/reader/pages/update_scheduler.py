"""Update feeds in a thread, when they are due and when the user asks."""

import sqlite3
import threading
import time
from dataclasses import dataclass, replace

from bodytext.reader.collection.feed_updates import (
    FeedUpdater,
    UpdateProgress,
    default_fetch_options,
)
from bodytext.reader.store.database import describe_error
from bodytext.reader.store.store import Store
from bodytext.sources.fetch_options import FetchOptions

CHECK_EVERY = 60.0  # seconds between checks for feeds that are due
_STOP_SECONDS = 5.0  # how long to wait for the thread


@dataclass(frozen=True, slots=True)
class UpdateStatus:
    """How far an update is."""

    running: bool
    progress: UpdateProgress
    ended: int = 0  # when the last update ended, in milliseconds since 1970; 0 if there was none
    problem: str = ""

    def describe(self) -> str:
        """Describe the status to the user."""
        progress = self.progress
        if self.running:
            new = f" · {progress.stored} of {progress.articles} new" if progress.articles else ""
            return f"Reading {progress.read} of {progress.feeds} feeds{new}"
        if self.problem:
            return f"The update ended early: {self.problem}"
        if progress.is_offline:
            return "No feed could be reached. Check the network."
        new = f"{progress.stored} new" if progress.stored else "Nothing new"
        return new + (f" · {len(progress.problems)} failed" if progress.problems else "")


class UpdateScheduler:
    """Runs one update of feeds at a time."""

    def __init__(self, store: Store, fetching: FetchOptions | None = None) -> None:
        self._store = store
        self.fetching = fetching or default_fetch_options()
        self._requested: list[int] | None = []  # numbers of feeds; None is all feeds
        self._wake = threading.Condition()
        self._status = UpdateStatus(running=False, progress=UpdateProgress())
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._updater = FeedUpdater(store, self.fetching, self._show_progress)

    @property
    def status(self) -> UpdateStatus:
        """The status of the running update, or of the last one."""
        return self._status

    def start(self, *, scheduled: bool = True) -> None:
        """Start the thread; if it is not scheduled, it updates requested feeds only."""
        self._thread = threading.Thread(
            target=self._work, args=(scheduled,), daemon=True, name="bodytext-updates",
        )  # fmt: skip
        self._thread.start()

    def stop(self) -> None:
        """Stop a running update, and wait until it has stopped."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        self._updater.stop()
        if self._thread:
            self._thread.join(_STOP_SECONDS)

    def request(self, feeds: list[int] | None = None) -> None:
        """Update these feeds, or all of them, as soon as the running update has ended."""
        with self._wake:
            if feeds is None or self._requested is None:
                self._requested = None
            else:
                self._requested += feeds
            if not self._status.running:  # the next page already shows that it has begun
                self._show_progress(UpdateProgress())
            self._wake.notify_all()

    def _show_progress(self, progress: UpdateProgress) -> None:
        self._status = replace(self._status, running=True, progress=progress, problem="")

    def _work(self, scheduled: bool) -> None:
        wait = 0.0  # the first check is at once
        while True:
            with self._wake:
                if self._requested == [] and not self._stopping:
                    self._wake.wait(wait)
                wait = CHECK_EVERY
                if self._stopping:
                    return
                requested, self._requested = self._requested, []
            if requested != [] or (scheduled and self._is_any_due()):
                self._update(requested)

    def _is_any_due(self) -> bool:
        try:
            return bool(self._store.feeds.list_due(int(time.time())))
        except sqlite3.Error:  # the database may work again at the next check
            return False

    def _update(self, requested: list[int] | None) -> None:
        """Update the requested feeds, or all for None; if none is requested, those that are due."""
        problem = ""
        progress = UpdateProgress()
        try:
            feeds = self._store.feeds.list_all()
            if requested is None:
                progress = self._updater.update([feed for feed in feeds if feed.state != "dead"])
            elif requested:
                progress = self._updater.update([feed for feed in feeds if feed.id in requested])
            else:
                progress = self._updater.update()
        except sqlite3.Error as error:
            problem = describe_error(self._store.path, error)
        except Exception as error:  # the reader goes on and shows the error
            problem = f"{type(error).__name__}: {error}"
        with self._wake:  # whoever made a request meanwhile waits for the next update
            running, ended = self._requested != [], int(time.time() * 1000)
            self._status = UpdateStatus(running, progress, ended, problem)
