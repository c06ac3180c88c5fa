"""Queue: pages in, the one to label next out: by name, or the least confident first, found while one labels."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bodytext.studio.web.workspace import Entry

DOUBT, NAME = "doubt", "name"
NEW, STARTED, DONE, UNUSABLE = "new", "started", "done", "unusable"
_LISTED = {NEW: 0, STARTED: 0, DONE: 1, UNUSABLE: 2}  # what is done stands behind what waits
MOST_LISTED = 500  # pages that are told one by one; it is asked for again and again


@dataclass(slots=True)
class _Place:
    entry: Entry
    number: int
    state: str = NEW
    note: str = ""  # why it is unusable
    confidence: float | None = None
    passed: int = 0  # when it was left without being done; such pages come last


class Queue:
    """Pages that wait to be labelled. Safe to use from several threads."""

    def __init__(self, entries: Sequence[Entry], measure: Callable[[Entry], float], order: str = DOUBT) -> None:
        self._lock = threading.Lock()
        self._places = {entry.key: _Place(entry, number) for number, entry in enumerate(entries)}
        self._measure = measure
        self._round = 0
        self._passes = 0
        self.order = order

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[str]:
        """The keys of all pages."""
        return iter(self._places)

    def entry(self, key: str) -> Entry:
        """A page by its key; a KeyError where there is none."""
        return self._places[key].entry

    def mark(self, key: str, state: str, note: str = "") -> None:
        """Say how far a page is."""
        with self._lock:
            place = self._places[key]
            place.state, place.note = state, note

    def choose(self, after: str = "") -> Entry | None:
        """The page to label next; None where all are done. The page that was left comes again after all others."""
        with self._lock:
            left = self._places.get(after)
            if left is not None and left.state in {NEW, STARTED}:
                self._passes += 1
                left.passed = self._passes
            waiting = [place for place in self._places.values() if place.state in {NEW, STARTED} and place is not left]
            if not waiting:
                return left.entry if left is not None and left.state in {NEW, STARTED} else None
            at = left.number if left is not None else -1
            return min(waiting, key=lambda place: self._rank(place, at)).entry

    def _rank(self, place: _Place, at: int) -> tuple[Any, ...]:
        if self.order == DOUBT:
            unknown = place.confidence is None
            return place.passed, unknown, place.confidence or 0.0, place.number
        return place.passed, place.number < at, place.number

    def list(self) -> dict[str, Any]:
        """How far the queue is, and its first pages in their order with what is known of each so far."""
        with self._lock:
            places = sorted(self._places.values(), key=lambda place: (_LISTED[place.state], *self._rank(place, -1)))
            measured = sum(place.confidence is not None or place.state == UNUSABLE for place in places)
        states = [place.state for place in places]
        return {
            "order": self.order,
            "total": len(places),
            "measured": measured,
            **{state: states.count(state) for state in (DONE, STARTED, UNUSABLE)},
            "pages": [
                {
                    "key": place.entry.key,
                    "name": place.entry.name,
                    "state": place.state,
                    "note": place.note,
                    "confidence": None if place.confidence is None else round(place.confidence, 3),
                }
                for place in places[:MOST_LISTED]
            ],
        }

    def measure(self) -> threading.Thread:
        """Begin to measure all pages anew in a thread; what an earlier one still does is given up."""
        with self._lock:
            self._round += 1
            own = self._round
            waiting = [place for place in self._places.values() if place.state != UNUSABLE]
        thread = threading.Thread(target=self._measure_all, args=(waiting, own), daemon=True)
        thread.start()
        return thread

    def _measure_all(self, places: Iterable[_Place], own: int) -> None:
        for place in places:
            try:
                confidence, note = self._measure(place.entry), ""
            except ValueError as problem:
                confidence, note = 0.0, str(problem)
            with self._lock:
                if own != self._round:
                    return
                if note:
                    place.state, place.note = UNUSABLE, note
                else:
                    place.confidence = confidence
