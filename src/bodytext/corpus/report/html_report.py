"""Write the report of a corpus: report.html, a self-contained page, and report.json."""

from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path

from bodytext.corpus.atomic_files import write_atomically, write_json
from bodytext.corpus.report.charts import (
    Bar,
    Series,
    draw_bars,
    draw_columns,
    draw_stack,
    share,
    shorten,
)
from bodytext.corpus.report.corpus_files import DROPPED, FAILED, KEPT
from bodytext.corpus.report.stats import CONFIDENCE_STEPS, LENGTH_EDGES, Stats, collect_stats
from bodytext.corpus.stages import collect_reasons
from bodytext.corpus.stages.stage import DropReason

HTML, JSON = "report.html", "report.json"
_BARS_SHOWN = 20
_LENGTHS_LABELLED = (100, 1_000, 10_000, 100_000)
_SITES_IN_HTML = 12
_LEAST_LIKENESS = 0.5  # where the chart of near duplicates begins, unless some pairs are less alike


def write_report(folder: Path) -> Stats:
    """Write the report of a corpus into its folder, and return its stats."""
    stats = collect_stats(folder)
    write_json(folder / JSON, stats.to_json())
    with write_atomically(folder / HTML) as temporary:
        temporary.write_text(render_report(stats, folder.resolve().name), "utf-8")
    return stats


def render_report(stats: Stats, name: str) -> str:
    """Render the report as a page."""
    title = escape(f"Corpus {name}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><style>{STYLE}</style></head><body>'
        f"<header><h1>{title}</h1>{_render_summary(stats)}</header>"
        f"<main>{''.join(_sections(stats))}</main>{_render_footer(stats)}</body></html>\n"
    )


def _render_summary(stats: Stats) -> str:
    records = stats.records
    parts = (
        ("kept", "kept", stats.kept),
        ("dropped", "dropped", stats.dropped),
        ("failed", "failed", stats.failed),
    )
    legend = "".join(
        f'<li><i class="{colour}"></i><b>{count:,}</b> {what} <span>{share(count, records)}</span></li>'
        for colour, what, count in parts
    )
    figures = [
        (f"{records:,}", "record" if records == 1 else "records"),
        (shorten(stats.characters), "characters kept"),
        (f"{len(stats.sites.counts):,}" + ("+" if stats.sites.forgotten else ""), "sites"),
        (f"{len(stats.languages):,}", "language" if len(stats.languages) == 1 else "languages"),
    ]
    if stats.speed:
        figures.append((shorten(stats.speed), "records a second"))
    cards = "".join(f"<div><b>{figure}</b><span>{what}</span></div>" for figure, what in figures)
    return f'<div class="cards">{cards}</div>{draw_stack(parts)}<ul class="legend">{legend}</ul>'


def _sections(stats: Stats) -> Iterator[str]:
    if stats.reasons:
        yield from _sections_of_reasons(stats)
    if stats.failures:
        yield _section("Why records failed", "", _bars_of(stats.failures, "failed"))
    if stats.kept:
        yield _section_of_lengths(stats)
        yield _section_of_confidence(stats)
        yield _section_of_languages(stats)
        yield _section("Kinds of page", "Of the kept records.", _bars_of(stats.page_types, "kept"))
        yield _section_of_sites(stats)
    if any(stats.likeness):
        yield _section_of_duplicates(stats)
    if stats.timing.get("seconds"):
        yield _section_of_time(stats)


def _sections_of_reasons(stats: Stats) -> Iterator[str]:
    """The reasons, then the rules and the details of those that have some."""
    totals, rules = _group_rules(stats.reasons)
    yield _section(
        "Why records were dropped", "Shares of the dropped records.", _bars_of(totals, "dropped")
    )
    details = {
        reason: stats.details[reason.details] for reason in collect_reasons() if reason.details
    }
    for reason, counts in (rules | details).items():
        if counts:
            yield _section(reason.title.capitalize(), reason.lead, _bars_of(counts, "dropped"))


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


def _bars_of(counts: Counter[str], colour: str) -> str:
    shown = counts.most_common(_BARS_SHOWN)
    bars = [Bar(name or "not given", count, share(count, counts.total())) for name, count in shown]
    rest = len(counts) - len(bars)
    more = f'<p class="lead more">{rest:,} more in {JSON}</p>' if rest > 0 else ""
    return draw_bars(bars, colour) + more


def _section_of_lengths(stats: Stats) -> str:
    used = [place for place, count in enumerate(stats.lengths) if count]
    first, last = used[0], used[-1] + 1
    edges = LENGTH_EDGES[first : last + 1]
    names = [f"{edge:,} characters and more" for edge in LENGTH_EDGES[first:last]]
    labels = [
        (place / (last - first), shorten(edge))
        for place, edge in enumerate(edges)
        if edge in _LENGTHS_LABELLED
    ]
    lead = (
        f"Characters a text: half have more than {shorten(stats.median_length)}; the mean is "
        f"{shorten(stats.characters / stats.kept)}. Each column goes to about twice the length of the one before."
    )
    series = [Series("kept", "kept", stats.lengths[first:last])]
    return _section("Lengths", lead, draw_columns(series, names, labels))


def _section_of_confidence(stats: Stats) -> str:
    names = [f"{step / CONFIDENCE_STEPS:.2f} and more" for step in range(CONFIDENCE_STEPS)]
    series = [
        Series("kept", "kept", stats.confidence[KEPT]),
        Series("dropped", "dropped", stats.confidence[DROPPED]),
    ]
    labels = [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")]
    lead = "The F1 that the extraction expects of its own text; kept below, dropped above it."
    return _section("Confidence", lead, draw_columns(series, names, labels))


def _section_of_languages(stats: Stats) -> str:
    shown = stats.languages.most_common(_BARS_SHOWN)
    names = {"": "not given", "und": "und (not known)"}
    bars = [
        Bar(names.get(name, name), count, shorten(stats.language_characters[name]))
        for name, count in shown
    ]
    rest = len(stats.languages) - len(bars)
    lead = "Records that were kept, and their characters." + (
        f" {rest:,} more in {JSON}." if rest > 0 else ""
    )
    return _section("Languages", lead, draw_bars(bars, "kept"))


def _section_of_sites(stats: Stats) -> str:
    shown = stats.sites.counts.most_common(_SITES_IN_HTML)
    bars = [Bar(name, count, share(count, stats.kept)) for name, count in shown]
    number = f"{len(stats.sites.counts):,}"
    lead = f"Those with the most kept records, of {number}."
    if stats.sites.forgotten:
        lead = (
            f"Those with the most kept records, of more than {number}; the rarest were not counted."
        )
    return _section("Sites", lead, draw_bars(bars, "kept"))


def _section_of_duplicates(stats: Stats) -> str:
    lowest = next(step for step, count in enumerate(stats.likeness) if count)
    first = min(lowest, int(_LEAST_LIKENESS * CONFIDENCE_STEPS))
    names = [f"{step / CONFIDENCE_STEPS:.2f} and more" for step in range(first, CONFIDENCE_STEPS)]
    series = [Series("dropped", "near duplicates", stats.likeness[first:])]
    labels = [
        (0.0, f"{first / CONFIDENCE_STEPS:g}"),
        (0.5, f"{(1 + first / CONFIDENCE_STEPS) / 2:g}"),
        (1.0, "1"),
    ]
    exact, near = stats.reasons["duplicate"], stats.reasons["near duplicate"]
    lead = f"{exact:,} exact and {near:,} near ones were dropped. How alike the near ones are to what was kept:"
    return _section("Duplicates", lead, draw_columns(series, names, labels))


def _section_of_time(stats: Stats) -> str:
    seconds: dict[str, float] = stats.timing["seconds"]
    whole = sum(seconds.values()) or 1.0
    bars = [
        Bar(name, spent, f"{100 * spent / whole:.0f}%", f"{spent:,.1f} s")
        for name, spent in seconds.items()
    ]
    workers = stats.timing.get("workers", 1)
    speed = (
        f"{shorten(stats.speed)} records a second with {workers:,} workers. " if stats.speed else ""
    )
    return _section("Time", f"{speed}The steps of the last run:", draw_bars(bars, "kept"))


def _section(title: str, lead: str, body: str) -> str:
    paragraph = f'<p class="lead">{escape(lead)}</p>' if lead else ""
    return f"<section><h2>{escape(title)}</h2>{paragraph}{body}</section>"


def _render_footer(stats: Stats) -> str:
    files = "; ".join(
        f"{part}/ {stats.files[part]['number']:,} files, {shorten(stats.files[part]['bytes'])}B"
        for part in (KEPT, DROPPED, FAILED)
        if part in stats.files
    )
    spec = stats.run.get("order", {})
    rows = "".join(
        f"<tr><th>{escape(str(name))}</th><td>{escape(_format_value(value))}</td></tr>"
        for name, value in spec.items()
    )
    asked = (
        f"<details><summary>What was asked for</summary><table>{rows}</table></details>"
        if rows
        else ""
    )
    version = f"bodytext {escape(str(stats.run['version']))}. " if stats.run.get("version") else ""
    return f"<footer>{asked}<p>{version}{escape(files)}. The same figures for programs: {JSON}.</p></footer>"


def _format_value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "-"
    return str(value) if value not in ("", None) else "-"


STYLE = """
:root{color-scheme:light dark;--paper:#f6f7f9;--card:#fff;--ink:#1a2230;--soft:#5b6675;--line:#e3e7ec;--track:#edf0f3;
--kept:#0f7b72;--dropped:#c9821b;--failed:#c23b3b}
@media (prefers-color-scheme:dark){:root{--paper:#10151c;--card:#181f29;--ink:#e6eaf0;--soft:#9aa6b5;--line:#29323f;
--track:#232c38;--kept:#37b6a8;--dropped:#dfa24a;--failed:#e46f6f}}
*{box-sizing:border-box}
body{margin:0 auto;padding:28px 20px 40px;max-width:1120px;background:var(--paper);color:var(--ink);
font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
h1{margin:0 0 18px;font-size:26px;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:0 0 2px;font-size:16px;font-weight:650}
svg{display:block;width:100%;overflow:visible}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:12px;margin-bottom:18px}
.cards div,section{background:var(--card);border:1px solid var(--line);border-radius:10px}
.cards div{padding:12px 16px}
.cards b{display:block;font-size:24px;font-weight:650;letter-spacing:-.01em}
.cards span,.lead,.legend span,.note,footer{color:var(--soft)}
.stack{border-radius:6px;overflow:hidden;background:var(--track)}
.legend{display:flex;flex-wrap:wrap;gap:4px 24px;margin:10px 0 24px;padding:0;list-style:none}
.legend i{display:inline-block;width:10px;height:10px;margin-right:8px;border-radius:3px}
i.kept{background:var(--kept)}i.dropped{background:var(--dropped)}i.failed{background:var(--failed)}
main{columns:2;column-gap:16px}
section{break-inside:avoid;margin:0 0 16px;padding:18px 20px 20px}
.lead{margin:0 0 14px;font-size:13.5px}
h2+.bars{margin-top:12px}
.bars{display:grid;gap:10px;margin:0;padding:0;list-style:none}
.bars li{display:grid;grid-template-columns:1fr auto 4em;column-gap:12px;align-items:baseline}
.bars .name{overflow-wrap:anywhere}
.bars .note{font-size:13px;text-align:right;white-space:nowrap}
.more{margin:12px 0 0}
.bars svg{grid-column:1/-1;margin-top:3px}
rect.kept{fill:var(--kept)}rect.dropped{fill:var(--dropped)}rect.failed{fill:var(--failed)}
rect.track{fill:var(--track)}
.columns text{fill:var(--soft);font-size:12px}
.columns rect:hover{opacity:.75}
line.axis{stroke:var(--soft)}line.grid{stroke:var(--line)}
footer{margin-top:8px;font-size:13.5px}
summary{cursor:pointer}
table{margin:10px 0;border-collapse:collapse}
th,td{padding:3px 18px 3px 0;text-align:left;font-weight:400;vertical-align:top;overflow-wrap:anywhere}
td{color:var(--ink)}
@media (max-width:760px){main{columns:1}body{padding:20px 14px 32px}h1{font-size:22px}
.cards{grid-template-columns:repeat(auto-fit,minmax(94px,1fr));gap:8px}.cards div{padding:10px 12px}
.cards b{font-size:19px}.cards span{font-size:13px}}
@media print{body{background:#fff;max-width:none}}
"""
