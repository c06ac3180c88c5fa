"""Make the tables of an evaluation as values, and write them as Markdown."""

import math
import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime

from bodytext.methods.weights import read_card
from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.metrics import bootstrap_interval, mean_of
from bodytext.studio.evaluation.page_scores import SystemScore
from bodytext.studio.evaluation.peers import PEERS
from bodytext.studio.training.alignment import WORD

UNKNOWN = "–"
_SHARE, _DIFFERENCE, _MILLISECONDS, _COUNT = ".3f", "+.3f", ".1f", ".0f"
_DENSITY_SEEN = "the networks of density were trained, and cuter's open values chosen, on this set"
_LEARNED_SEEN = "learned was trained on this set; learned-validated had not seen a page's site"
_INCOMPLETE = "some peers lack packages for some languages; those pages count as failures"
# Heading, name in PageScore, whether more is better.
_METRICS = (
    ("precision", "precision", True),
    ("recall", "recall", True),
    ("shingle F1", "shingle_f1", True),
    ("shingle precision", "shingle_precision", True),
    ("shingle recall", "shingle_recall", True),
    ("exact match", "exact", True),
    ("ROUGE-LSum F1", "rouge", True),
    ("CUTER accuracy", "accuracy", True),
    ("CUTER noise", "noise", False),
    ("wanted snippets", "present", True),
    ("unwanted snippets", "absent", False),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell, and whether it is the best of its column."""

    text: str
    best: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A title, a note on how to read it, and cells; the first column names systems."""

    title: str
    note: str
    heading: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    cells: tuple[Cell, ...]

    @property
    def known(self) -> bool:
        return any(cell.text != UNKNOWN for cell in self.cells)


def our_systems() -> frozenset[str]:
    """The names of the systems that are this package's own methods."""
    return frozenset(system for peer in PEERS if peer.name == "ours" for system in peer.systems)


def has_seen(evaluation: Evaluation) -> bool:
    """Whether the learned method was trained on these pages."""
    return evaluation.name in read_card("learned")["sets"]


def rank_systems(evaluation: Evaluation) -> list[SystemScore]:
    """The systems, best first, by word F1, or by wanted minus unwanted snippets."""

    def quality(score: SystemScore) -> float:
        word_f1 = score.mean("f1")
        if not math.isnan(word_f1):
            return word_f1
        rates = score.mean("present"), score.mean("absent")
        wanted, unwanted = (0.0 if math.isnan(rate) else rate for rate in rates)
        return wanted - unwanted

    return sorted(evaluation.systems, key=quality, reverse=True)


def page_types(evaluation: Evaluation) -> list[tuple[str, int]]:
    """The page types with a reference text and their numbers of pages, most frequent first."""
    return Counter(
        page.page_type for page in evaluation.pages if page.reference is not None
    ).most_common()


def type_mean(score: SystemScore, page_type: str) -> float:
    """The mean word F1 over the pages of one type; the empty name is a type as well."""
    return mean_of(page.f1 for page in score.pages if page.page_type == page_type)


def describe(evaluation: Evaluation, command: str) -> list[tuple[str, str]]:
    """The facts that a reader needs to make the same report again: names and values."""
    lines = describe_set(
        evaluation.name, len(evaluation.pages), evaluation.digest, command, evaluation.missing
    )
    lines.append(("Python", platform.python_version()))
    if evaluation.name == read_card("density")["data"]["name"]:
        lines.append(("Seen before", _DENSITY_SEEN))
    if has_seen(evaluation):
        lines.append(("Seen before", _LEARNED_SEEN))
    if any("ImportError" in page.error for system in evaluation.systems for page in system.pages):
        lines.append(("Incomplete", _INCOMPLETE))
    return lines


def describe_set(
    name: str, pages: int, digest: str, command: str, missing: Sequence[str]
) -> list[tuple[str, str]]:
    """The first lines of every report on a set; `missing` are the systems that are not installed."""
    lines = [
        ("Command", command),
        ("Date", datetime.now(UTC).date().isoformat()),
        ("Data set", name),
        ("Pages", f"{pages:,}"),
        ("Digest of the data", digest),
    ]
    return [*lines, ("Not installed", ", ".join(missing))] if missing else lines


def make_tables(evaluation: Evaluation) -> list[Table]:
    """All tables that the set's labels allow, in the order of the report."""
    tables = [
        overall(evaluation),
        by_page_type(evaluation),
        paired_differences(evaluation),
        without_empty_references(evaluation),
    ]
    return [table for table in tables if table is not None]


def overall(evaluation: Evaluation) -> Table:
    """Every metric of every system; columns that the labels cannot give are left out."""
    scores = rank_systems(evaluation)
    columns = [
        _names(scores),
        _means("word F1", scores, "f1"),
        _intervals([bootstrap_interval(_word_f1(score)) for score in scores]),
        *(_means(name, scores, metric, more_is_better=more) for name, metric, more in _METRICS),
        _milliseconds(scores),
        _failures(scores),
        _versions(scores),
    ]
    note = (
        "Means over pages, best first; the best of a column is bold. More is better, except for "
        "noise, unwanted snippets, CPU time and failures. The interval contains the mean of word "
        "F1 in 95 % of resamplings of the pages. A failure (crash, exception, time limit) counts "
        "as an empty text."
    )
    return _assemble("All pages", note, columns)


def by_page_type(evaluation: Evaluation) -> Table | None:
    """Word F1 of each page type; None where there is one type only."""
    types = page_types(evaluation)
    if len(types) < 2:
        return None
    scores = rank_systems(evaluation)
    total = sum(pages for _, pages in types)
    columns = [
        _names(scores),
        _numbers(f"all ({total:,})", [mean_of(_word_f1(score)) for score in scores]),
    ]
    for name, pages in types:
        means = [type_mean(score, name) for score in scores]
        columns.append(_numbers(f"{name or 'unknown'} ({pages:,})", means))
    return _assemble("Word F1 by page type", "The number of pages is in parentheses.", columns)


def paired_differences(evaluation: Evaluation) -> Table | None:
    """Word F1 of a baseline minus that of every other system; None if there are no pairs.

    The baseline is the best of ours, or the best of all where none of ours was run.
    """
    ranked, ours = rank_systems(evaluation), our_systems()
    base = next((score for score in ranked if score.system in ours), ranked[0])
    others = [score for score in ranked if score is not base]
    if not others or math.isnan(base.mean("f1")):
        return None
    note = (
        f"Word F1 of {base.system} ({base.mean('f1'):.3f}) minus that of each other system, page "
        f"by page. Above 0, {base.system} is better. Where the interval excludes 0, the choice of "
        f"pages is unlikely to explain it. {base.system} was chosen on these same pages, which "
        "favours it a little."
    )
    return _assemble(f"{base.system} against the others", note, _difference_columns(base, others))


def _difference_columns(base: SystemScore, others: Sequence[SystemScore]) -> list[_Column]:
    pairs = [_subtract(base, other) for other in others]
    intervals = [bootstrap_interval(pair) for pair in pairs]
    return [
        _names(others),
        _numbers("word F1", [score.mean("f1") for score in others], mark=False),
        _numbers("difference", [mean_of(pair) for pair in pairs], form=_DIFFERENCE, mark=False),
        _intervals(intervals, _DIFFERENCE),
        _Column("excludes 0", tuple(Cell(_compare_with_zero(*interval)) for interval in intervals)),
    ]


def without_empty_references(evaluation: Evaluation) -> Table | None:
    """Word F1 with and without the pages whose reference is empty; None if there are none."""
    labelled = [page for page in evaluation.pages if page.reference is not None]
    empty = frozenset(page.identity for page in labelled if not WORD.search(page.reference or ""))
    if not empty:
        return None
    scores = rank_systems(evaluation)
    columns = [
        _names(scores),
        _numbers(f"all {len(labelled):,} pages", [mean_of(_word_f1(score)) for score in scores]),
        _numbers(
            f"{len(labelled) - len(empty):,} pages with a text",
            [mean_of(_word_f1(score, empty)) for score in scores],
        ),
    ]
    note = f"A page without body text ({len(empty):,} here) counts 1 where a system returns nothing, and 0 otherwise."
    return _assemble("Word F1 with and without empty references", note, columns)


def lay_out(lines: Sequence[tuple[str, str]], tables: Iterable[Table]) -> str:
    """The results of `describe` and `make_tables` as Markdown."""
    parts = [f"# Evaluation on {_escape(dict(lines)['Data set'])}"]
    parts.append("\n".join(f"- {name}: {_escape(value)}" for name, value in lines))
    for table in tables:
        parts += [f"## {_escape(table.title)}", _escape(table.note), _lay_out_table(table)]
    return "\n\n".join(parts) + "\n"


def to_short_table(evaluation: Evaluation) -> str:
    """A compact Markdown table for a README or a terminal."""
    scores = rank_systems(evaluation)
    metrics = (("F1", "f1"), ("P", "precision"), ("R", "recall"))
    columns = [_means(heading, scores, metric) for heading, metric in metrics]
    if not any(column.known for column in columns):
        columns.append(_means("wanted", scores, "present"))
        columns.append(_means("unwanted", scores, "absent", more_is_better=False))
    table = _assemble("", "", [_names(scores), *columns, _milliseconds(scores, "ms")])
    return _lay_out_table(table) + "\n"


# columns


def _names(scores: Sequence[SystemScore]) -> _Column:
    return _Column("system", tuple(Cell(score.system) for score in scores))


def _versions(scores: Sequence[SystemScore]) -> _Column:
    """The distribution and version of each system."""
    distributions = {system: peer.distribution for peer in PEERS for system in peer.systems}
    texts = (f"{distributions.get(score.system, '')} {score.version}".strip() for score in scores)
    return _Column("version", tuple(Cell(text) for text in texts))


def _means(
    heading: str, scores: Sequence[SystemScore], metric: str, *, more_is_better: bool = True
) -> _Column:
    means = [score.mean(metric) for score in scores]
    return _numbers(heading, means, more_is_better=more_is_better)


def _milliseconds(scores: Sequence[SystemScore], heading: str = "CPU ms a page") -> _Column:
    values = [1000 * score.mean("seconds") for score in scores]
    return _numbers(heading, values, form=_MILLISECONDS, more_is_better=False)


def _failures(scores: Sequence[SystemScore]) -> _Column:
    counts = [score.failures for score in scores]
    return _numbers("failures", counts, form=_COUNT, more_is_better=False)


def _numbers(
    heading: str,
    values: Sequence[float],
    *,
    form: str = _SHARE,
    more_is_better: bool = True,
    mark: bool = True,
) -> _Column:
    texts = [UNKNOWN if math.isnan(value) else format(value, form) for value in values]
    best = UNKNOWN
    if known := _known(values):
        best = format(max(known) if more_is_better else min(known), form)
    # Values that look equal are equally good. A value that most systems reach is not marked.
    mark = mark and bool(known) and 2 * texts.count(best) <= len(texts)
    return _Column(heading, tuple(Cell(text, mark and text == best) for text in texts))


def _intervals(intervals: Sequence[tuple[float, float]], form: str = _SHARE) -> _Column:
    texts = (
        UNKNOWN if math.isnan(low) else f"{low:{form}} to {high:{form}}" for low, high in intervals
    )
    return _Column("95 % interval", tuple(Cell(text) for text in texts))


# numbers


def _known(values: Iterable[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def _word_f1(score: SystemScore, left_out: AbstractSet[str] = frozenset()) -> list[float]:
    return _known(page.f1 for page in score.pages if page.identity not in left_out)


def _subtract(base: SystemScore, other: SystemScore) -> list[float]:
    theirs = {page.identity: page.f1 for page in other.pages}
    return _known(page.f1 - theirs.get(page.identity, math.nan) for page in base.pages)


def _compare_with_zero(low: float, high: float) -> str:
    if math.isnan(low):
        return UNKNOWN
    if low > 0:
        return "yes, better"
    return "yes, worse" if high < 0 else "no"


# Markdown


def _assemble(title: str, note: str, columns: Sequence[_Column]) -> Table:
    shown = [columns[0], *(column for column in columns[1:] if column.known)]
    rows = zip(*(column.cells for column in shown), strict=True)
    return Table(title, note, tuple(column.heading for column in shown), tuple(rows))


def _lay_out_table(table: Table) -> str:
    """The table with padded cells, so that its source is readable too."""
    rows = [
        [f"**{_escape(cell.text)}**" if cell.best else _escape(cell.text) for cell in row]
        for row in table.rows
    ]
    heading = [_escape(text) for text in table.heading]
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(cells, widths) for cells in (heading, rule, *rows))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0].ljust(widths[0])
    others = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
    return f"| {' | '.join((first, *others))} |"


def _escape(text: str) -> str:
    """Escape what Markdown would read as the end of a cell or as HTML; names come from files."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
