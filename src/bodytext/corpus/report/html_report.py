"""Write the report of a corpus: report.html, a self-contained page, and report.json."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bodytext.corpus.atomic_files import write_atomically, write_json
from bodytext.corpus.report.corpus_files import DROPPED, FOLDERS, KEPT
from bodytext.corpus.report.stats import (
    CONFIDENCE_STEPS,
    LENGTH_EDGES,
    Stats,
    collect_stats,
    share,
    shorten,
)
from bodytext.corpus.stages import collect_reasons
from bodytext.corpus.stages.stage import DropReason

try:
    from bodytext.output.jinja_templates import open_templates
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"a corpus needs {missing.name}; install it with: pip install 'bodytext[corpus]'",
        name=missing.name,
    ) from None

HTML, JSON = "report.html", "report.json"
_BARS_SHOWN = 20
_LENGTHS_LABELLED = (100, 1_000, 10_000, 100_000)
_SITES_IN_HTML = 12
_LEAST_LIKENESS = 0.5  # where the chart of near duplicates begins, unless some pairs are less alike
_TEMPLATES = open_templates(
    Path(__file__).parent / "templates", trim_blocks=True, lstrip_blocks=True
)
_TEMPLATES.filters["number"] = "{:,}".format


class Bar(NamedTuple):
    """A bar: its name, its length, and the note at its end."""

    name: str
    value: float
    note: str
    shown: str = ""  # instead of the value


class Series(NamedTuple):
    """Columns of one colour of the stylesheet, with their name and counts."""

    colour: str
    name: str
    counts: Sequence[int]


class Columns(NamedTuple):
    """Columns over an axis: their names, and the labels under it with their places (0 to 1)."""

    series: Sequence[Series]
    names: Sequence[str]
    labels: Sequence[tuple[float, str]]

    @property
    def highest(self) -> int:
        """The highest count of all columns that are stacked."""
        return max(map(sum, zip(*(each.counts for each in self.series), strict=True))) or 1

    @property
    def summary(self) -> str:
        """What a screen reader says."""
        return "; ".join(f"{each.name}: {sum(each.counts):,}" for each in self.series)

    def describe(self, place: int) -> str:
        """Say how many there are at a place."""
        return "; ".join(f"{each.name} {each.counts[place]:,}" for each in self.series)


class Chart(NamedTuple):
    """A section of the report: bars of a colour, or columns."""

    title: str
    lead: str
    bars: Sequence[Bar] = ()
    colour: str = "kept"
    more: int = 0  # bars that are not shown
    columns: Columns | None = None


def write_report(folder: Path) -> Stats:
    """Write the report of a corpus into its folder, and return its stats."""
    stats = collect_stats(folder)
    write_json(folder / JSON, stats.to_json())
    with write_atomically(folder / HTML) as temporary:
        # Names of files may not be UTF-8.
        temporary.write_text(render_report(stats, folder.resolve().name), "utf-8", "replace")
    return stats


def render_report(stats: Stats, name: str) -> str:
    """Render the report as a page."""
    parts = (("kept", stats.kept), ("dropped", stats.dropped), ("failed", stats.failed))
    files = [
        f"{part}/ {stats.files[part]['number']:,} files, {shorten(stats.files[part]['bytes'])}B"
        for part in FOLDERS
        if part in stats.files
    ]
    return _TEMPLATES.get_template(HTML).render(
        title=f"Corpus {name}",
        stats=stats,
        figures=list(_figures(stats)),
        parts=parts,
        summary=", ".join(f"{what} {count:,}" for what, count in parts),
        charts=list(_charts(stats)),
        asked=[(key, _format_value(value)) for key, value in stats.run.get("order", {}).items()],
        files="; ".join(files),
        json=JSON,
        share=share,
    )


def _figures(stats: Stats) -> Iterator[tuple[str, str]]:
    yield f"{stats.records:,}", "record" if stats.records == 1 else "records"
    yield shorten(stats.characters), "characters kept"
    yield f"{len(stats.sites.counts):,}" + ("+" if stats.sites.forgotten else ""), "sites"
    yield f"{len(stats.languages):,}", "language" if len(stats.languages) == 1 else "languages"
    if stats.speed:
        yield shorten(stats.speed), "records a second"


def _charts(stats: Stats) -> Iterator[Chart]:
    if stats.reasons:
        yield from _draw_reasons(stats)
    if stats.failures:
        yield _draw_counts("Why records failed", "", stats.failures, "failed")
    if stats.kept:
        yield _draw_lengths(stats)
        yield _draw_confidence(stats)
        yield _draw_languages(stats)
        yield _draw_counts("Kinds of page", "Of the kept records.", stats.page_types, "kept")
        yield _draw_sites(stats)
    if any(stats.likeness):
        yield _draw_duplicates(stats)
    if stats.timing.get("seconds"):
        yield _draw_time(stats)


def _draw_reasons(stats: Stats) -> Iterator[Chart]:
    """The reasons, then the rules and the details of those that have some."""
    totals, rules = _group_rules(stats.reasons)
    lead = "Shares of the dropped records."
    yield _draw_counts("Why records were dropped", lead, totals, "dropped")
    details = {
        reason: stats.details[reason.details] for reason in collect_reasons() if reason.details
    }
    for reason, counts in (rules | details).items():
        if counts:
            yield _draw_counts(reason.title.capitalize(), reason.lead, counts, "dropped")


def _group_rules(reasons: Counter[str]) -> tuple[Counter[str], dict[DropReason, Counter[str]]]:
    """Counts of the reasons, and of the rules of each reason that has some."""
    totals: Counter[str] = Counter()
    rules: dict[DropReason, Counter[str]] = {
        reason: Counter() for reason in collect_reasons() if reason.has_rules
    }
    for name, count in reasons.items():
        reason = next((reason for reason in rules if name.startswith(f"{reason.name} ")), None)
        if reason is None:
            totals[name] += count
        else:
            totals[reason.title] += count
            rules[reason][name.removeprefix(f"{reason.name} ")] += count
    return totals, rules


def _draw_counts(title: str, lead: str, counts: Counter[str], colour: str) -> Chart:
    shown = counts.most_common(_BARS_SHOWN)
    bars = [Bar(name or "not given", count, share(count, counts.total())) for name, count in shown]
    return Chart(title, lead, bars, colour, len(counts) - len(bars))


def _draw_lengths(stats: Stats) -> Chart:
    used = [place for place, count in enumerate(stats.lengths) if count]
    first, last = used[0], used[-1] + 1
    names = [f"{edge:,} characters and more" for edge in LENGTH_EDGES[first:last]]
    labels = [
        (place / (last - first), shorten(edge))
        for place, edge in enumerate(LENGTH_EDGES[first : last + 1])
        if edge in _LENGTHS_LABELLED
    ]
    lead = (
        f"Characters a text: half have at least {shorten(stats.median_length)}; the mean is "
        f"{shorten(stats.characters / stats.kept)}. Each column goes to about twice the length of the one before."
    )
    series = [Series("kept", "kept", stats.lengths[first:last])]
    return Chart("Lengths", lead, columns=Columns(series, names, labels))


def _draw_confidence(stats: Stats) -> Chart:
    series = [
        Series("kept", "kept", stats.confidence[KEPT]),
        Series("dropped", "dropped", stats.confidence[DROPPED]),
    ]
    labels = [(step / 4, f"{step / 4:g}") for step in range(5)]
    lead = "The F1 that the extraction expects of its own text; kept below, dropped above it."
    return Chart("Confidence", lead, columns=Columns(series, _name_steps(0), labels))


def _name_steps(first: int) -> list[str]:
    return [f"{step / CONFIDENCE_STEPS:.2f} and more" for step in range(first, CONFIDENCE_STEPS)]


def _draw_languages(stats: Stats) -> Chart:
    names = {"": "not given", "und": "und (not known)"}
    bars = [
        Bar(names.get(name, name), count, shorten(stats.language_characters[name]))
        for name, count in stats.languages.most_common(_BARS_SHOWN)
    ]
    rest = len(stats.languages) - len(bars)
    more = f" {rest:,} more in {JSON}." if rest > 0 else ""
    return Chart("Languages", f"Records that were kept, and their characters.{more}", bars)


def _draw_sites(stats: Stats) -> Chart:
    shown = stats.sites.counts.most_common(_SITES_IN_HTML)
    number = f"{len(stats.sites.counts):,}"
    if stats.sites.forgotten:
        number = f"more than {number}; the rarest were not counted"
    bars = [Bar(name, count, share(count, stats.kept)) for name, count in shown]
    return Chart("Sites", f"Those with the most kept records, of {number}.", bars)


def _draw_duplicates(stats: Stats) -> Chart:
    lowest = next(step for step, count in enumerate(stats.likeness) if count)
    first = min(lowest, int(_LEAST_LIKENESS * CONFIDENCE_STEPS))
    start = first / CONFIDENCE_STEPS
    series = [Series("dropped", "near duplicates", stats.likeness[first:])]
    labels = [(0.0, f"{start:g}"), (0.5, f"{(1 + start) / 2:g}"), (1.0, "1")]
    exact, near = stats.reasons["duplicate"], stats.reasons["near duplicate"]
    lead = f"{exact:,} exact and {near:,} near ones were dropped. How alike the near ones are to what was kept:"
    return Chart("Duplicates", lead, columns=Columns(series, _name_steps(first), labels))


def _draw_time(stats: Stats) -> Chart:
    seconds: dict[str, float] = stats.timing["seconds"]
    whole = sum(seconds.values()) or 1.0
    bars = [
        Bar(name, spent, f"{100 * spent / whole:.0f}%", f"{spent:,.1f} s")
        for name, spent in seconds.items()
    ]
    workers, speed = stats.timing.get("workers", 1), ""
    if stats.speed:
        speed = f"{shorten(stats.speed)} records a second with {workers:,} workers. "
    return Chart("Time", f"{speed}The steps of the last run:", bars)


def _format_value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "-"
    return str(value) if value not in ("", None) else "-"
