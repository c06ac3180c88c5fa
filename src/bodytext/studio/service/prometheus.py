"""Count what the service does, and write the counts in Prometheus' text format."""

import os
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

# In seconds: a page takes milliseconds, the limit is ten seconds, and waiting may take a minute.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class ServiceMetrics:
    """Counts since the start."""

    def __init__(self) -> None:
        self.responses: Counter[int] = Counter()  # by status
        # Replaced, by reason.
        self.workers: Counter[str] = Counter({"slow": 0, "died": 0, "grown": 0, "failed": 0})
        self.fetches: Counter[str] = Counter({"ok": 0, "failed": 0})
        self.in_flight = 0
        self.held_bytes = 0
        self.received_bytes = 0
        self._counts = [0] * (len(_BUCKETS) + 1)
        self._seconds = 0.0

    def count_response(self, status: int, seconds: float) -> None:
        """Count a response."""
        self.responses[status] += 1
        self._seconds += seconds
        self._counts[bisect_left(_BUCKETS, seconds)] += 1

    def render(self, idle: int, workers: int, processes: Sequence[int]) -> str:
        """Return all metrics; the processes are the service's own and those of its workers."""
        responses = _labelled("status", self.responses)
        replaced, fetches = _labelled("why", self.workers), _labelled("outcome", self.fetches)
        received, held = [("", self.received_bytes)], [("", self.held_bytes)]
        lines = [
            *_family("answers_total", "counter", "Responses to /extract.", responses),
            *_family("seconds", "histogram", "From request to response.", self._histogram()),
            *_family("in_flight", "gauge", "Requests in progress.", [("", self.in_flight)]),
            *_family("held_bytes", "gauge", "Bodies of the requests in progress.", held),
            *_family("received_bytes_total", "counter", "Bodies of all requests.", received),
            *_family("workers", "gauge", "Worker processes.", [("", workers)]),
            *_family("workers_idle", "gauge", "Workers waiting for a page.", [("", idle)]),
            *_family("workers_replaced_total", "counter", "Workers replaced.", replaced),
            *_family("fetches_total", "counter", "Addresses fetched.", fetches),
        ]
        memory = sum(map(resident_bytes, processes))
        if memory:
            help_text = "Memory of the service and its workers."
            lines += _family("resident_bytes", "gauge", help_text, [("", memory)])
        return "\n".join(lines) + "\n"

    def _histogram(self) -> list[tuple[str, float]]:
        total, rows = 0, []
        for end, number in zip((*map(str, _BUCKETS), "+Inf"), self._counts, strict=True):
            total += number
            rows.append((f'_bucket{{le="{end}"}}', float(total)))
        return [*rows, ("_sum", self._seconds), ("_count", float(total))]


def _labelled(name: str, counts: Counter[int] | Counter[str]) -> list[tuple[str, float]]:
    return [
        (f'{{{name}="{key}"}}', float(number)) for key, number in sorted(counts.items(), key=str)
    ]


def _family(name: str, kind: str, description: str, rows: Iterable[tuple[str, float]]) -> list[str]:
    name = f"bodytext_{name}"
    head = [f"# HELP {name} {description}", f"# TYPE {name} {kind}"]
    return head + [f"{name}{suffix} {value:.10g}" for suffix, value in rows]


def resident_bytes(process: int) -> int:
    """Return the resident memory of a process; 0 if it is not known or the process is gone."""
    if sys.platform != "linux":
        return 0
    try:
        return int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * os.sysconf(
            "SC_PAGE_SIZE"
        )
    except (OSError, IndexError):
        return 0
