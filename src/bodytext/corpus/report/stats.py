"""Count what is in a corpus: by reason, language, site, length, confidence and type."""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bodytext.corpus.record_counts import name_of
from bodytext.corpus.report.corpus_files import (
    DROPPED,
    FAILED,
    FOLDERS,
    KEPT,
    LENGTH,
    RUN,
    list_files,
    read_columns,
    require_corpus,
)
from bodytext.corpus.stages import collect_reasons

# A series of ones, twos and fives: each is about twice the one before.
LENGTH_EDGES = (
    0,
    50,
    *(factor * 10**power for power in range(2, 7) for factor in (1, 2, 5)),
    10**7,
)
CONFIDENCE_STEPS = 20
SITES_SHOWN = 20
_NAMES_HELD = 200_000  # a web archive has millions of sites: the rarest are given up
NO_SITE = "no address"
_DUPLICATE, _NEAR = "duplicate", "near duplicate"
_COLUMNS = ("url", "language", "confidence", "page_type", LENGTH)


class BoundedCounts:
    """Counts of names in bounded memory: exact, or nearly so for frequent ones among very many."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.forgotten = 0

    def add(self, name: str) -> None:
        """Count a name."""
        self.counts[name] += 1
        if len(self.counts) > _NAMES_HELD:
            kept = Counter(dict(self.counts.most_common(_NAMES_HELD // 2)))
            self.forgotten += self.counts.total() - kept.total()
            self.counts = kept


def _count_details() -> dict[str, Counter[str]]:
    """Counts for the reasons whose details are counted, by their keys in report.json."""
    return {reason.details: Counter() for reason in collect_reasons() if reason.details}


@dataclass
class Stats:
    """Counts of what is in a corpus."""

    kept: int = 0
    characters: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    errors: BoundedCounts = field(default_factory=BoundedCounts)
    languages: Counter[str] = field(default_factory=Counter)
    details: dict[str, Counter[str]] = field(default_factory=_count_details)
    language_characters: Counter[str] = field(default_factory=Counter)
    page_types: Counter[str] = field(default_factory=Counter)
    sites: BoundedCounts = field(default_factory=BoundedCounts)
    lengths: list[int] = field(default_factory=lambda: [0] * len(LENGTH_EDGES))
    exact_lengths: Counter[int] = field(default_factory=Counter)  # for the median alone
    confidence: dict[str, list[int]] = field(
        default_factory=lambda: {KEPT: [0] * CONFIDENCE_STEPS, DROPPED: [0] * CONFIDENCE_STEPS}
    )
    likeness: list[int] = field(default_factory=lambda: [0] * CONFIDENCE_STEPS)
    files: dict[str, dict[str, int]] = field(default_factory=dict)
    timing: dict[str, Any] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._keys = {reason.name: reason.details for reason in collect_reasons() if reason.details}

    def add_kept(
        self, url: str, language: str, confidence: float | None, page_type: str, length: int
    ) -> None:
        """Count a row that is kept."""
        self.kept += 1
        self.characters += length
        self.languages[language] += 1
        self.language_characters[language] += length
        self.page_types[page_type] += 1
        self.sites.add(site_of(url))
        self.lengths[bisect_right(LENGTH_EDGES, length) - 1] += 1
        self.exact_lengths[length] += 1
        _count_share(self.confidence[KEPT], confidence)

    def add_dropped(self, reason: str, confidence: float | None) -> None:
        """Count a row that was dropped."""
        name, _, detail = reason.partition(": ")
        self.reasons[name] += 1
        _count_share(self.confidence[DROPPED], confidence)
        if name in self._keys:
            self.details[self._keys[name]][detail] += 1
        elif name == _NEAR:
            _count_share(self.likeness, _read_share(detail))

    @property
    def dropped(self) -> int:
        """The number of rows that were dropped."""
        return self.reasons.total()

    @property
    def failed(self) -> int:
        """The number of rows in error."""
        return self.failures.total() + self.errors.forgotten

    @property
    def failures(self) -> Counter[str]:
        """The reasons of rows in error."""
        return self.errors.counts

    @property
    def records(self) -> int:
        """The number of all rows."""
        return self.kept + self.dropped + self.failed

    @property
    def median_length(self) -> int:
        """The median length of kept texts: of two in the middle the smaller; 0 if there is none."""
        seen = 0
        for length in sorted(self.exact_lengths):
            seen += self.exact_lengths[length]
            if 2 * seen >= self.kept:
                return length
        return 0

    @property
    def speed(self) -> float | None:
        """Records a second in the last run's extraction, if known."""
        seconds = self.timing.get("seconds", {}).get("extract", 0)
        return self.timing.get("records", 0) / seconds if seconds else None

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "records": self.records,
            "kept": self.kept,
            "dropped": self.dropped,
            "failed": self.failed,
            "reasons": dict(self.reasons.most_common()),
            "failures": dict(self.failures.most_common()),
            "characters": {
                "total": self.characters,
                "mean": round(self.characters / self.kept) if self.kept else 0,
                "median": self.median_length,
            },
            "languages": [
                {"language": name, "records": count, "characters": self.language_characters[name]}
                for name, count in self.languages.most_common()
            ],
            **{key: dict(counts.most_common()) for key, counts in self.details.items()},
            "page_types": dict(self.page_types.most_common()),
            "sites": {
                "number": len(self.sites.counts),
                "complete": not self.sites.forgotten,
                "top": dict(self.sites.counts.most_common(SITES_SHOWN)),
            },
            "lengths": [
                {"from": edge, "records": n}
                for edge, n in zip(LENGTH_EDGES, self.lengths, strict=True)
            ],
            "confidence": {
                name: _shares_to_json(counts) for name, counts in self.confidence.items()
            },
            "duplicates": {
                "exact": self.reasons[_DUPLICATE],
                "near": self.reasons[_NEAR],
                "likeness": _shares_to_json(self.likeness),
            },
            "throughput": {
                "records_per_second": round(self.speed, 1) if self.speed else None,
                **self.timing,
            },
            "files": self.files,
            "run": self.run,
        }


def collect_stats(folder: Path) -> Stats:
    """Count what is in a corpus. Its files are read once, in order, a little at a time."""
    require_corpus(folder)
    stats = Stats()
    for part in FOLDERS:
        files = list_files(folder, part)
        stats.files[part] = {
            "number": len(files),
            "bytes": sum(path.stat().st_size for path in files),
        }
    for row in _read_rows(folder, KEPT, _COLUMNS):
        stats.add_kept(*row)
    for reason, confidence in _read_rows(folder, DROPPED, ("dropped", "confidence")):
        stats.add_dropped(reason, confidence)
    for (error,) in _read_rows(folder, FAILED, ("error",)):
        stats.errors.add(name_of(error))
    stats.timing = _read_json(folder / "timing.json")
    run = _read_json(folder / RUN)
    stats.run = {
        "version": run.get("version", ""),
        "order": run.get("order", {}),
        "inputs": len(run.get("inputs", [])),
    }
    return stats


def _read_rows(folder: Path, part: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for path in list_files(folder, part):
        for batch in read_columns(path, names):
            yield from zip(*(batch[name] for name in names), strict=True)


def site_of(url: str) -> str:
    """The host of an address, without www.

    >>> site_of("https://user@www.Example.vn:443/a?b"), site_of("")
    ('example.vn', 'no address')
    """
    _, separator, rest = url.partition("://")
    host = (
        rest.partition("/")[0]
        .partition("?")[0]
        .rpartition("@")[2]
        .partition(":")[0]
        .lower()
        .removeprefix("www.")
    )
    return host if separator and host else NO_SITE


def _count_share(counts: list[int], share: float | None) -> None:
    if isinstance(share, (int, float)):
        counts[max(0, min(CONFIDENCE_STEPS - 1, int(share * CONFIDENCE_STEPS)))] += 1


def _read_share(detail: str) -> float | None:
    try:
        return float(detail.partition(" ")[0])
    except ValueError:
        return None


def _shares_to_json(counts: list[int]) -> list[dict[str, float]]:
    return [
        {"from": step / CONFIDENCE_STEPS, "records": count} for step, count in enumerate(counts)
    ]


def _read_json(path: Path) -> dict[str, Any]:
    """Read a file of the run; an empty object if there is none, or if it is not a JSON object."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def share(part: int, whole: int) -> str:
    """Format a part as a percentage, with no false zeros or hundreds.

    >>> share(1, 3), share(1, 100_000), share(0, 5), share(5, 5)
    ('33.3%', '<0.1%', '0%', '100%')
    """
    if not part or not whole:
        return "0%"
    if part == whole:
        return "100%"
    percent = 100 * part / whole
    return "<0.1%" if percent < 0.1 else f"{min(percent, 99.9):.1f}%"


def shorten(number: float) -> str:
    """Format a number in a few characters.

    >>> shorten(950), shorten(13_247_636), shorten(2_000), shorten(1_500_000_000)
    ('950', '13.2M', '2k', '1.5G')
    """
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= size:
            figure = f"{number / size:.1f}".removesuffix(".0")
            return f"{figure}{unit}"
    return f"{number:.0f}"
