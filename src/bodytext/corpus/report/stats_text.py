"""Print the stats of a corpus on a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence

from bodytext.corpus.progress import format_count
from bodytext.corpus.report.corpus_files import KEPT
from bodytext.corpus.report.stats import CONFIDENCE_STEPS, LENGTH_EDGES, Stats, share, shorten
from bodytext.output.terminal import drop_controls

_BAR = 30  # characters of the longest bar
_EIGHTHS = " ▏▎▍▌▋▊▉"
_LINES = 15  # of a list; report.html and report.json have more


def describe_stats(stats: Stats) -> str:
    """Format the stats: a headline, then lists with bars."""
    return "\n".join(
        line if line.startswith("\n") else drop_controls(line) for line in _describe(stats)
    )


def _describe(stats: Stats) -> Iterator[str]:
    yield format_count(stats.records, "records")
    for name, count in (("kept", stats.kept), ("dropped", stats.dropped), ("failed", stats.failed)):
        yield f"  {name:<8} {count:>12,}  {share(count, stats.records):>6}"
    if stats.kept:
        mean, median = shorten(stats.characters / stats.kept), shorten(stats.median_length)
        yield f"{stats.characters:,} characters kept: {mean} a text, half have {median} or more"
    if stats.speed:
        workers = format_count(stats.timing.get("workers", 1), "workers")
        yield f"{shorten(stats.speed)} records a second, {workers}"
    yield from _list("dropped because of", stats.reasons)
    for key, counts in stats.details.items():
        yield from _list(key.replace("_", " "), counts)
    yield from _list("failed because of", stats.failures)
    yield from _list("languages", stats.languages)
    yield from _list("kinds of page", stats.page_types)
    yield from _list("sites", stats.sites.counts, stats.kept)
    if stats.kept:
        edges = [f"{shorten(edge)} and more" for edge in LENGTH_EDGES]
        yield from _table("characters a text", _trim(edges, stats.lengths))
        steps = [f"{step / CONFIDENCE_STEPS:.2f}" for step in range(CONFIDENCE_STEPS)]
        yield from _table("confidence of what is kept", _trim(steps, stats.confidence[KEPT]))


def _list(title: str, counts: Counter[str], whole: int = 0) -> Iterator[str]:
    if counts:
        rest = len(counts) - _LINES
        more = f" (the first {_LINES} of {len(counts):,})" if rest > 0 else ""
        yield from _table(title + more, counts.most_common(_LINES), whole or counts.total())


def _table(title: str, rows: Sequence[tuple[str, int]], whole: int = 0) -> Iterator[str]:
    if not rows:
        return
    yield f"\n{title}"
    width = max(len(name or "not given") for name, _ in rows)
    longest = max(count for _, count in rows) or 1
    whole = whole or sum(count for _, count in rows)
    for name, count in rows:
        figures = f"{count:>12,}  {share(count, whole):>6}"
        yield f"  {name or 'not given':<{width}} {figures}  {_draw(count / longest)}".rstrip()


def _trim(names: Sequence[str], counts: Sequence[int]) -> list[tuple[str, int]]:
    """Leave out the empty rows at the beginning and the end."""
    used = [place for place, count in enumerate(counts) if count]
    return list(zip(names, counts, strict=True))[used[0] : used[-1] + 1] if used else []


def _draw(part: float) -> str:
    eighths = max(1, round(part * _BAR * 8)) if part else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
