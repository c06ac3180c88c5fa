"""The queue of pages to label: by name, or the pages that the model is least sure of first."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bodytext.studio.web.workspace import PageEntry

DOUBT, NAME = "doubt", "name"
NEW, STARTED, DONE, UNUSABLE = "new", "started", "done", "unusable"
_WAITING = frozenset({NEW, STARTED})
_LIST_ORDER = {NEW: 0, STARTED: 0, DONE: 1, UNUSABLE: 2}
MOST_LISTED = 500  # pages that are listed one by one; the tool asks for the list again and again


@dataclass(slots=True)
class _QueuedPage:
    entry: PageEntry
    number: int
    state: str = NEW
    note: str = ""  # why it is unusable
    confidence: float | None = None
    skipped: int = 0  # when the annotator left it unfinished; such pages come last

    @property
    def waits(self) -> bool:
        return self.state in _WAITING


class PageQueue:
    """Pages that wait to be labelled. Safe to use from several threads.

    A page's confidence is measured in a thread while the annotator works.
    """

    def __init__(
        self,
        entries: Sequence[PageEntry],
        measure: Callable[[PageEntry], float],
        order: str = DOUBT,
    ) -> None:
        self._lock = threading.Lock()
        self._pages = {
            entry.key: _QueuedPage(entry, number) for number, entry in enumerate(entries)
        }
        self._measure = measure
        self._round = 0
        self._skips = 0
        self.order = order

    def __contains__(self, key: str) -> bool:
        return key in self._pages

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys of all pages."""
        return iter(self._pages)

    def entry(self, key: str) -> PageEntry:
        """Return a page by its key; a KeyError if there is none."""
        return self._pages[key].entry

    def mark(self, key: str, state: str, note: str = "") -> None:
        """Set the state of a page."""
        with self._lock:
            page = self._pages[key]
            page.state, page.note = state, note

    def choose(self, after: str = "") -> PageEntry | None:
        """Return the page to label next, or None if all are done. Unfinished pages come last."""
        with self._lock:
            left = self._pages.get(after)
            if left is not None and left.waits:
                self._skips += 1
                left.skipped = self._skips
            waiting = [page for page in self._pages.values() if page.waits and page is not left]
            if waiting:
                position = -1 if left is None else left.number
                return min(waiting, key=lambda page: self._rank(page, position)).entry
            return left.entry if left is not None and left.waits else None

    def _rank(self, page: _QueuedPage, position: int) -> tuple[Any, ...]:
        if self.order == DOUBT:
            return page.skipped, page.confidence is None, page.confidence or 0.0, page.number
        return page.skipped, page.number < position, page.number

    def list(self) -> dict[str, Any]:
        """Return the progress of the queue, and its first pages in order."""
        with self._lock:
            pages = sorted(
                self._pages.values(),
                key=lambda page: (_LIST_ORDER[page.state], *self._rank(page, -1)),
            )
            measured = sum(page.confidence is not None or page.state == UNUSABLE for page in pages)
        states = [page.state for page in pages]
        return {
            "order": self.order,
            "total": len(pages),
            "measured": measured,
            **{state: states.count(state) for state in (DONE, STARTED, UNUSABLE)},
            "pages": [_describe(page) for page in pages[:MOST_LISTED]],
        }

    def measure(self) -> threading.Thread:
        """Measure all pages again in a new thread; an earlier thread stops."""
        with self._lock:
            self._round += 1
            pages = [page for page in self._pages.values() if page.state != UNUSABLE]
            thread = threading.Thread(
                target=self._measure_all, args=(pages, self._round), daemon=True
            )
        thread.start()
        return thread

    def _measure_all(self, pages: Iterable[_QueuedPage], own_round: int) -> None:
        for page in pages:
            try:
                confidence, note = self._measure(page.entry), ""
            except ValueError as problem:
                confidence, note = 0.0, str(problem)
            with self._lock:
                if own_round != self._round:
                    return
                if note:
                    page.state, page.note = UNUSABLE, note
                else:
                    page.confidence = confidence


def _describe(page: _QueuedPage) -> dict[str, Any]:
    return {
        "key": page.entry.key,
        "name": page.entry.name,
        "state": page.state,
        "note": page.note,
        "confidence": None if page.confidence is None else round(page.confidence, 3),
    }
