"""Updater: a store in, its feeds updated in a thread out: when they are due, and when somebody asks."""

import sqlite3
import threading
import time
from dataclasses import dataclass, replace

from bodytext.reader.collection.collection import Collection, Progress, fetch_kindly
from bodytext.reader.store.database import Store, tell_trouble
from bodytext.sources.intake import Fetching

LOOK_EVERY = 60.0  # seconds between looks for feeds that are due


@dataclass(frozen=True, slots=True)
class Status:
    """How far an update is."""

    running: bool
    progress: Progress
    ended: int = 0  # when the last one did, in milliseconds since 1970; 0 where there was none
    problem: str = ""

    def tell(self) -> str:
        """The status in words."""
        progress = self.progress
        if self.running:
            found = f" · {progress.stored} of {progress.articles} new" if progress.articles else ""
            return f"Reading {progress.read} of {progress.feeds} feeds{found}"
        if self.problem:
            return f"The update ended early: {self.problem}"
        if progress.is_offline:
            return "No feed could be reached: is there a network?"
        new = f"{progress.stored} new" if progress.stored else "nothing new"
        failed = f" · {len(progress.problems)} not to be had" if progress.problems else ""
        return f"{new[0].upper()}{new[1:]}{failed}"


class Updater:
    """Updates feeds, one update at a time."""

    def __init__(self, store: Store, fetching: Fetching | None = None) -> None:
        self._store = store
        self.fetching = fetching or fetch_kindly()
        self._wanted: list[int] | None = []  # feeds to be read; None: all
        self._wake = threading.Condition()
        self._status = Status(running=False, progress=Progress())
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._collection = Collection(store, self.fetching, self._hear)

    @property
    def status(self) -> Status:
        """How far it is."""
        return self._status

    def start(self, *, scheduled: bool = True) -> None:
        """Begin to look for feeds that are due; where that is not scheduled, only what is asked for is read."""
        self._thread = threading.Thread(target=self._work, args=(scheduled,), daemon=True, name="bodytext-updater")
        self._thread.start()

    def stop(self) -> None:
        """End a running update soon, and wait for that."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        self._collection.stop()
        if self._thread:
            self._thread.join(5.0)

    def ask(self, feeds: list[int] | None = None) -> None:
        """Update these feeds, or all, as soon as the update that runs is done."""
        with self._wake:
            self._wanted = None if feeds is None or self._wanted is None else [*self._wanted, *feeds]
            if not self._status.running:  # whoever looks now sees that it has begun
                self._status = replace(self._status, running=True, progress=Progress(), problem="")
            self._wake.notify_all()

    def _hear(self, progress: Progress) -> None:
        self._status = replace(self._status, running=True, progress=progress, problem="")

    def _work(self, scheduled: bool) -> None:
        patience = 0.0  # the first look is at once
        while True:
            with self._wake:
                if self._wanted == [] and not self._stopping:
                    self._wake.wait(patience)
                patience = LOOK_EVERY
                if self._stopping:
                    return
                wanted, self._wanted = self._wanted, []
            if wanted != [] or (scheduled and self._is_any_due()):
                self._update(wanted)

    def _is_any_due(self) -> bool:
        try:
            return bool(self._store.feeds.list_due(int(time.time())))
        except sqlite3.Error:  # the next look may find the database well again
            return False

    def _update(self, wanted: list[int] | None) -> None:
        """Update these feeds, or all; where none is named, those that are due."""
        problem = ""
        progress = Progress()
        try:
            every = self._store.feeds.list_all()
            chosen = {feed.id for feed in every if feed.state != "dead"} if wanted is None else set(wanted)
            feeds = [feed for feed in every if feed.id in chosen] if wanted != [] else None
            progress = self._collection.update(feeds)
        except sqlite3.Error as error:
            problem = tell_trouble(self._store.path, error)
        except Exception as error:  # the reader goes on, and says what happened
            problem = f"{type(error).__name__}: {error}"
        with self._wake:  # whoever asked meanwhile waits for the next one
            self._status = Status(self._wanted != [], progress, int(time.time() * 1000), problem)
