"""Remake both tables of document 000 (Phan and Ha): shares in the content, search times."""

import platform
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from bodytext.methods.runs import clean
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.evaluation.documents.compared import ComparedPage, compared_parts
from bodytext.studio.evaluation.documents.searches import (
    TokenRuns,
    encode_tokens,
    search_as_printed,
    search_codes,
    search_in_one_pass,
    search_shipped,
    search_with_running_sums,
    tokens_as_found,
    tokens_cleaned,
    value_of,
)
from bodytext.studio.evaluation.documents.sections import (
    CaptionedFigure,
    CaptionedTable,
    Part,
    Section,
    per_cent,
    verdict,
)
from bodytext.studio.evaluation.plots import BLUE, INK, VERMILION, new_figure, save
from bodytext.studio.training.examples import TrainingExample

PRINTED_TEXT, PRINTED_TAGS = (0.52, 0.55), (0.03, 0.10)  # table 1, three Vietnamese news sites
PRINTED_RATIO = 238.116690548 / 24.5822007691  # table 2
TIMED_PAGES = 100
MOST_TOKENS = 20_000  # a longer page would take the quadratic search minutes
CUBIC_LIMIT_S = 20.0  # after this time no further page is started
REPEATS = 10  # of the searches that take microseconds
MIN_SITE_PAGES = 3

Item = TypeVar("Item")
Output = TypeVar("Output")


@dataclass(frozen=True, slots=True)
class Share:
    """The shares of the text and tags of a page that are in its main content."""

    set_name: str
    identity: str
    domain: str
    text: float
    tags: float


@dataclass(frozen=True, slots=True)
class TimedPage:
    """The tokens of a page, in the original and cleaned."""

    original: TokenRuns
    cleaned: TokenRuns
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Timing:
    """The time of a search over all pages, extrapolated from the `measured` ones."""

    search: str
    seconds: float
    measured: int


def measure_share(example: TrainingExample, set_name: str) -> Share:
    """Measure a page; a tag is inside if it is between two content runs."""
    page = example.page
    sizes = np.diff(np.append(page.blocks.first_run, len(page.runs.words)))
    seen, content = np.repeat(page.seen, sizes), np.repeat(example.labels & page.seen, sizes)
    chars, tags = page.runs.chars, page.runs.tags
    inside = int(tags[1:][content[1:] & content[:-1]].sum())
    text = int(chars[content].sum()) / max(int(chars[seen].sum()), 1)
    return Share(
        set_name, example.source.identity, example.source.domain, text, inside / max(page.tags, 1)
    )


def read_timed(example: TrainingExample) -> TimedPage:
    """The tokens of a page for the searches."""
    page = example.page
    return TimedPage(tokens_as_found(page), tokens_cleaned(page), example.source.read)


def choose_timed(sets: Sequence[Sequence[TimedPage]]) -> list[TimedPage]:
    """The pages to time, taken from the sets in turn, without long and empty ones."""
    fit = [
        [page for page in pages if len(page.original) <= MOST_TOKENS and page.cleaned.words.any()]
        for pages in sets
    ]
    return take_turns(fit, TIMED_PAGES)


def take_turns(sets: Sequence[Sequence[Item]], most: int) -> list[Item]:
    """Take items from the sets in turn, at most so many."""
    rounds = range(max(map(len, sets), default=0))
    return [items[turn] for turn in rounds for items in sets if turn < len(items)][:most]


def time_searches(pages: Sequence[TimedPage]) -> tuple[list[Timing], bool]:
    """The time of each search over the same pages, and whether all gave the same optimum."""
    original, cleaned = (
        [page.original.unfold() for page in pages],
        [page.cleaned.unfold() for page in pages],
    )
    codes = [encode_tokens(tokens) for tokens in cleaned]
    count = len(pages)
    running, _ = _time(search_with_running_sums, original)
    running_cleaned, best = _time(search_with_running_sums, cleaned)
    by_codes, codes_best = _time(search_codes, codes)
    one_pass, one_pass_best = _time(search_in_one_pass, codes, REPEATS)
    shipped, spans = _time(search_shipped, [page.cleaned for page in pages], REPEATS)
    shipped_best = [value_of(page.cleaned, *span) for page, span in zip(pages, spans, strict=True)]
    timings = [
        _time_cubic(original),
        Timing("original with running sums, O(n^2), over tokens", running, count),
        Timing("the same on the cleaned page", running_cleaned, count),
        Timing("the document's search over run codes, O(m^2)", by_codes, count),
        Timing("one pass over run codes, plain Python", one_pass, count),
        Timing("one pass as shipped, numpy", shipped, count),
    ]
    return timings, best == codes_best == one_pass_best == shipped_best


def _time(
    search: Callable[[Item], Output], inputs: Sequence[Item], repeats: int = 1
) -> tuple[float, list[Output]]:
    """The CPU seconds of a search over all inputs, and its results."""
    start = time.process_time()
    for _ in range(repeats):
        results = [search(value) for value in inputs]
    return (time.process_time() - start) / repeats, results


def _time_cubic(original: Sequence[list[int]]) -> Timing:
    """Time the search as printed on the shortest pages; extrapolate by the cube of length."""
    seconds, cubes, measured = 0.0, 0.0, 0
    for tokens in sorted(original, key=len):
        if seconds > CUBIC_LIMIT_S:
            break
        start = time.process_time()
        search_as_printed(tokens)
        seconds += time.process_time() - start
        cubes += len(tokens) ** 3
        measured += 1
    whole = float(sum(len(tokens) ** 3 for tokens in original))
    return Timing(
        "original as printed, O(n^3), over tokens", seconds * whole / max(cubes, 1.0), measured
    )


def report(
    shares: Sequence[Share],
    timed: Sequence[TimedPage],
    compared: Sequence[ComparedPage],
    output: Path,
    further: Sequence[Part] = (),
) -> Section:
    """Tables 1 and 2, with the histogram of table 1's shares."""
    about = (
        "Labels come from aligning each reference text with the blocks of its page; "
        f"{len(shares):,} article pages. Text is counted in visible characters. A tag is inside if "
        "there is content on both sides of it."
    )
    parts: list[Part] = [about]
    if shares:
        parts += [
            _share_table(shares),
            _draw_shares(shares, output / "runs_shares"),
            _describe_shares(shares),
            *_site_tables(shares),
        ]
    if timed:
        parts += _time_parts(timed)
    parts += [*compared_parts(compared), *further]
    return Section("Document 000: main text extraction over run-length codes (runs)", tuple(parts))


def _share_table(shares: Sequence[Share]) -> CaptionedTable:
    groups: dict[str, list[Share]] = defaultdict(list)
    for share in shares:
        groups[share.set_name].append(share)
    if len(groups) > 1:
        groups["all"] = list(shares)
    rows = [
        (
            f"{what} inside, {name}",
            str(len(group)),
            *_quartiles([getattr(share, what) for share in group], printed),
        )
        for what, printed in (("text", PRINTED_TEXT), ("tags", PRINTED_TAGS))
        for name, group in groups.items()
    ]
    quartiles = "lower quartile | median | upper quartile | mean"
    heading = f"share | pages | {quartiles} | pages in its range | document"
    caption = "Table 1: shares of a page's text and tags inside the main content"
    return CaptionedTable(caption, heading, rows)


def _quartiles(shares: Sequence[float], printed: tuple[float, float]) -> list[str]:
    """The quartiles and mean, the share of pages within the document's range, and that range."""
    values, (low, high) = np.array(shares), printed
    within = float(((values >= low) & (values <= high)).mean())
    numbers = (*np.percentile(values, (25, 50, 75)).tolist(), float(values.mean()), within)
    return [*(per_cent(number) for number in numbers), f"{100 * low:.0f} to {100 * high:.0f} %"]


def _describe_shares(shares: Sequence[Share]) -> str:
    text, tags = (
        float(np.median([getattr(share, name) for share in shares])) for name in ("text", "tags")
    )
    return (
        "The figure shows where the shares of each page lie and the document's range for three Vietnamese news sites: "
        f"more than half of the text and few of the tags are in the content. Half of these pages have {per_cent(text)} of "
        f"their text and {per_cent(tags)} of their tags inside, or more. "
        f"{verdict(holds=text > 0.5 and tags < text / 2)}"
    )


def _site_tables(shares: Sequence[Share]) -> list[CaptionedTable]:
    sites: dict[str, list[Share]] = defaultdict(list)
    for share in shares:
        sites[share.domain].append(share)
    most_pages = sorted(sites.items(), key=lambda item: (-len(item[1]), item[0]))[:10]
    rows = [_site_row(site, pages) for site, pages in most_pages if len(pages) >= MIN_SITE_PAGES]
    caption = f"Table 1 by site: the sites with most pages, at least {MIN_SITE_PAGES}"
    return [CaptionedTable(caption, "site | pages | text inside | tags inside", rows)][: len(rows)]


def _site_row(site: str, pages: Sequence[Share]) -> tuple[str, ...]:
    text, tags = np.mean([share.text for share in pages]), np.mean([share.tags for share in pages])
    return site, str(len(pages)), per_cent(float(text), 0), per_cent(float(tags), 0)


def _draw_shares(shares: Sequence[Share], path: Path) -> CaptionedFigure:
    figure, axes = new_figure(9, 3.7, columns=2)
    drawn = (("text", BLUE, PRINTED_TEXT, 4), ("tags", VERMILION, PRINTED_TAGS, 2))
    for plot, (name, colour, (low, high), width) in zip(axes, drawn, strict=True):
        values = 100 * np.array([getattr(share, name) for share in shares])
        most = int(np.ceil(max(float(values.max()), 100 * high) / width)) * width
        bins = list(range(0, most + width, width))
        plot.hist(values, bins=bins, color=colour, edgecolor="white", linewidth=0.6)
        label = "the document's range"
        plot.axvspan(100 * low, 100 * high, color=INK, alpha=0.22, linewidth=0, label=label)
        middle = float(np.median(values))
        plot.axvline(middle, color=INK, linewidth=1.6, linestyle="--", label="median")
        plot.set(
            title=f"{name.capitalize()} in the main content, median {middle:.0f} %",
            xlabel=f"per cent of the page's {name}",
            ylabel="pages",
            xlim=(0, most),
        )
    legend = axes[0].get_legend_handles_labels()
    figure.legend(*legend, loc="outside lower center", ncols=2, frameon=False)
    heading = ("set", "page", "domain", "text share", "tag share")
    save(figure, path, heading, map(astuple, shares))
    caption = "Shares of text and of tags inside the main content, a count of pages"
    return CaptionedFigure(path.name, caption)


def _time_parts(pages: Sequence[TimedPage]) -> list[Part]:
    timings, same = time_searches(pages)
    by_codes = timings[3].seconds
    rows = []
    for timing in timings:
        seconds = f"{_number(timing.seconds)} s"
        if timing.measured < len(pages):
            seconds += f" (EXTRAPOLATED, {timing.measured} run)"
        rows.append((timing.search, seconds, _number(timing.seconds / max(by_codes, 1e-9))))
    rows += [
        ("document: original", "238.1 s", f"{PRINTED_RATIO:.1f}"),
        ("document: improved", "24.6 s", "1"),
    ]
    caption = (
        f"Table 2: time of the search alone over the same {len(pages)} article pages, and as ratios"
    )
    table = CaptionedTable(caption, "search | CPU time | times the run search", rows)
    ratio = timings[1].seconds / max(by_codes, 1e-9)
    claim = (
        f"The document's search is {PRINTED_RATIO:.1f} times as fast as the original by its table 2; here it is "
        f"{_number(ratio)} times as fast as the original with running sums. {verdict(holds=ratio >= PRINTED_RATIO)}"
    )
    whole = _time_whole([page.read() for page in pages], timings[1], timings[3], timings[5])
    return [table, claim, _describe_times(pages, same), whole]


def _time_whole(
    sources: Sequence[bytes], original: Timing, improved: Timing, shipped: Timing
) -> CaptionedTable:
    """The CPU time from bytes to the stretch by each search, given the time of the search alone.

    A search over tokens needs them one by one, one over codes needs the codes, the shipped one neither.
    """
    ways: tuple[tuple[Timing, Callable[[Page], object]], ...] = (
        (original, lambda page: tokens_as_found(page).unfold()),
        (improved, lambda page: encode_tokens(tokens_cleaned(page).unfold())),
        (shipped, clean),
    )
    parsing = _time_parsing(sources, lambda page: page)
    before = {search.search: _time_parsing(sources, prepare) for search, prepare in ways}
    fast = before[improved.search] + improved.seconds
    rows = []
    for search, _ in ways:
        preparing, whole = before[search.search], before[search.search] + search.seconds
        times = (parsing, max(preparing - parsing, 0), search.seconds, whole)
        rows.append(
            (search.search, *(f"{seconds:.3g} s" for seconds in times), f"{whole / fast:.3g}")
        )
    heading = "search | parsing | tokens and codes | search | all | times the run search"
    caption = f"Table 2: CPU time of the whole extraction over the same {len(sources)} pages"
    return CaptionedTable(caption, heading, rows)


def _time_parsing(sources: Sequence[bytes], prepare: Callable[[Page], object]) -> float:
    """The least CPU seconds of three, to parse pages and prepare them for a search."""
    return min(_time(lambda source: prepare(parse(source)), sources)[0] for _ in range(3))


def _number(value: float) -> str:
    """Three significant digits, or all digits of a larger number.

    >>> _number(0.0312345), _number(12345.6)
    ('0.0312', '12,346')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _describe_times(pages: Sequence[TimedPage], same: bool) -> str:
    lengths = [len(page.original) for page in pages]
    agreed = "gave the same optimum on every page" if same else "DISAGREE on at least one page"
    return (
        f"Pages are taken from the sets in turn, without those of more than {MOST_TOKENS:,} "
        f"tokens. They have {min(lengths):,} to {max(lengths):,} tokens, with a median of "
        f"{np.median(lengths):,.0f}. The search as printed is run on the shortest pages until "
        f"{CUBIC_LIMIT_S:.0f} s have passed; the rest of its time is extrapolated by the cube of "
        "the number of tokens. It sums slices with Python's own function, which favours it. "
        "Finn's search runs on the page as found, the document's on the cleaned page, as both "
        "describe it. Parsing and encoding are not counted here; the next table counts them. The "
        "document's times are of the whole extraction, and it does not give the parts. All searches "
        f"over cleaned pages {agreed}. Python {platform.python_version()} on {platform.machine()}."
    )
