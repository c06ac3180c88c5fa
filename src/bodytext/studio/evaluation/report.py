"""Write the report on an evaluation: Markdown, HTML, figures, and the worst pages with diffs."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby, islice, pairwise
from operator import itemgetter
from pathlib import Path
from urllib.parse import quote, urlsplit

from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.figures import SavedFigure, write_figures
from bodytext.studio.evaluation.page_scores import PageScore, SystemScore
from bodytext.studio.evaluation.predictions import Prediction, read_predictions
from bodytext.studio.evaluation.tables import (
    Cell,
    Table,
    describe,
    lay_out,
    make_tables,
    our_systems,
    rank_systems,
)
from bodytext.studio.labels.labelled_set import LabelledPage
from bodytext.studio.training.alignment import WORD, match_in_order

WORST_PAGES = 10
MOST_WORDS = 6000  # of each text in a diff; the time grows with the product of the lengths
SHORT_LINE_CHARACTERS = 50
KEPT, MISSED, WRONG = "kept", "missed", "wrong"
# Missed words are to be inserted, wrong ones deleted; screen readers announce both.
_ELEMENTS = {KEPT: "span", MISSED: "ins", WRONG: "del"}

_LEGEND = """\
<ul class="legend">
<li><span>kept</span>: in both</li>
<li><ins>missed</ins>: only in the reference</li>
<li><del>wrongly kept</del>: only in the prediction</li>
</ul>"""
# Texts come from hostile pages. They are escaped; if that fails, nothing may run or load.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1f2328; --faint: #59636e; --line: #d9dee3; --band: #f6f8fa;
  --ours: #005a8f; --peers: #a84300; --missed: #d6ebf9; --wrong: #fde3cc; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e3e7eb; --faint: #9aa5b1; --line: #323a43;
  --band: #1c2229; --ours: #6bbcf0; --peers: #f5a566; --missed: #0d3d5c; --wrong: #5a2d0c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0.5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.75rem 0 0.5rem; }
p { max-width: 46rem; margin: 0.5rem 0 1rem; text-wrap: pretty; }
a { color: inherit; text-decoration-color: var(--faint); text-underline-offset: 0.15em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1.25rem; margin: 0; font-size: 0.9375rem; }
dt, .faint { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font-family: ui-monospace, "SF Mono", Consolas, monospace; font-size: 0.92em; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 0.8125rem; line-height: 1.4;
  font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 0.45rem; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); }
caption { text-align: left; font-weight: 600; padding: 0.4rem 0.75rem; }
thead th { border-top: 0; background: var(--band); color: var(--faint); font-weight: 600; white-space: normal;
  vertical-align: bottom; }
th:first-child { text-align: left; padding-left: 0.75rem; position: sticky; left: 0; font-weight: 400;
  background: var(--paper); }
thead th:first-child { background: var(--band); font-weight: 600; }
tbody tr:hover > * { background: var(--band); }
.ours { color: var(--ours); } .peers { color: var(--peers); }
figure { margin: 1.5rem 0 2rem; }
figure .scroll { background: #fff; padding: 0.75rem; }
img { display: block; width: 100%; min-width: 40rem; height: auto; }
figcaption { margin-top: 0.5rem; font-size: 0.875rem; color: var(--faint); }
details { border: 1px solid var(--line); border-radius: 8px; margin: 0.75rem 0; }
summary { padding: 0.7rem 1rem; cursor: pointer; overflow-wrap: anywhere; }
summary b { font-variant-numeric: tabular-nums; margin-right: 0.5rem; }
.page { padding: 0 1rem 1rem; }
.page p { overflow-wrap: anywhere; margin: 0 0 0.75rem; font-size: 0.9375rem; }
.diff { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; border-top: 1px solid var(--line);
  padding-top: 0.75rem; max-width: 50rem; }
ins, del { border-radius: 3px; padding: 0.05em 0; }
ins { background: var(--missed); text-decoration: underline 1.5px var(--ours); text-underline-offset: 0.2em; }
del { background: var(--wrong); text-decoration: line-through; }
.legend { list-style: none; padding: 0; margin: 0 0 1.25rem; display: flex; flex-wrap: wrap; gap: 0.25rem 1.75rem; }
@media (max-width: 40rem) { body { padding: 1rem 0.9rem 3rem; } dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.5rem; } h1 { font-size: 1.4rem; }
  th:first-child { max-width: 9rem; overflow-wrap: anywhere; white-space: normal; } }
"""


def write_report(evaluation: Evaluation, folder: Path, command: str, baseline: str = "") -> Path:
    """Write the whole report, over an earlier one, and return the path of its HTML page."""
    figures = write_figures(evaluation, folder)
    tables = make_tables(evaluation, baseline)
    worst = write_worst_pages(evaluation, folder / "worst")
    lines = describe(evaluation, command)
    parts = [lay_out(lines, tables), *(_markdown_figure(figure) for figure in figures)]
    _write(folder / "report.md", "\n".join(parts))
    _write(folder / "report.html", _report_page(lines, figures, tables, worst))
    return folder / "report.html"


def write_worst_pages(evaluation: Evaluation, folder: Path) -> dict[str, str]:
    """Write a page of diffs for each system, if there are references; return the file names."""
    pages = {page.identity: page for page in evaluation.pages if WORD.search(page.reference or "")}
    if not pages:
        return {}
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for score in rank_systems(evaluation):
        # The predictions of a user's own system, module:function, are in module.function.jsonl.
        name = re.sub(r"[^\w.-]", ".", score.system)
        predictions = read_predictions(evaluation.predictions / f"{name}.jsonl", score.version)
        scores = sorted(
            (page.f1, page.identity, page) for page in score.pages if page.identity in pages
        )
        shown = [
            _worst_page(page, pages[identity], predictions.get(identity))
            for _, identity, page in scores[:WORST_PAGES]
        ]
        files[score.system] = f"{name}.html"
        _write(folder / files[score.system], _worst_document(score, evaluation.name, shown))
    return files


def compare_in_order(predicted: str, reference: str) -> list[tuple[str, str]]:
    """The pieces of a diff in order: kept, missed or wrong, and the text.

    >>> compare_in_order("Menu The cat", "the cat sat")
    [('wrong', 'Menu '), ('kept', 'the cat '), ('missed', 'sat')]
    """
    ours, theirs = _words(predicted), _words(reference)
    hits = match_in_order([word for word, _ in ours], [word for word, _ in theirs])
    return [
        (kind, "".join(text for _, text in group))
        for kind, group in groupby(_pieces(ours, theirs, hits), key=itemgetter(0))
    ]


def _pieces(
    ours: Sequence[tuple[str, str]], theirs: Sequence[tuple[str, str]], hits: Sequence[bool]
) -> Iterator[tuple[str, str]]:
    place = 0
    for (word, text), hit in zip(ours, hits, strict=True):
        if not hit:
            yield WRONG, text
            continue
        # The hits are a subsequence of the reference, so there always is a next one.
        while theirs[place][0] != word:
            yield MISSED, theirs[place][1]
            place += 1
        yield KEPT, theirs[place][1]
        place += 1
    for _, text in theirs[place:]:
        yield MISSED, text


def _words(text: str) -> list[tuple[str, str]]:
    """The first words of a text in lower case, each with its own text up to the next word."""
    tidy = _tidy(text)
    matches = list(islice(WORD.finditer(tidy), MOST_WORDS + 1))
    ends = [match.start() for match in matches[1:]]
    if len(matches) <= MOST_WORDS:
        ends.append(len(tidy))
    return [
        (match[0].lower(), tidy[match.start() : end])
        for match, end in zip(matches, ends, strict=False)
    ]


def _tidy(text: str) -> str:
    """Collapse spaces and join short lines, since menus would fill screens."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    parts = lines[:1]
    for above, line in pairwise(lines):
        parts += [" · " if max(len(above), len(line)) < SHORT_LINE_CHARACTERS else "\n", line]
    return "".join(parts)


# worst pages


def _worst_document(score: SystemScore, name: str, shown: Sequence[str]) -> str:
    title = f"Worst pages of {score.system} on {name}"
    explanation = (
        f"The {len(shown)} pages with the lowest word F1 among those whose reference is not empty, "
        "worst first. Each text is what the system returned, compared word by word with the "
        f"reference, in order; word F1 ignores the order. The first {MOST_WORDS:,} words of each "
        "text are compared, and short lines are joined."
    )
    body = [
        '<p><a href="../report.html">← the report</a></p>',
        f"<h1>{escape(title)}</h1>",
        f"<p>{explanation}</p>",
        _LEGEND,
        *(f"<details open>{page}</details>" for page in shown[:1]),
        *(f"<details>{page}</details>" for page in shown[1:]),
    ]
    return write_page(title, body)


def _worst_page(score: PageScore, page: LabelledPage, prediction: Prediction | None) -> str:
    pieces = compare_in_order(prediction.text if prediction else "", page.reference or "")
    counts: Counter[str] = Counter()
    for kind, text in pieces:
        counts[kind] += len(WORD.findall(text))
    numbers = f"precision {score.precision:.3f} · recall {score.recall:.3f}"
    sums = f"{counts[KEPT]:,} words kept, {counts[MISSED]:,} missed, {counts[WRONG]:,} wrongly kept"
    error = f"<p>Error: {escape(score.error)}</p>" if score.error else ""
    diff = "".join(
        f"<{_ELEMENTS[kind]}>{escape(text)}</{_ELEMENTS[kind]}>" for kind, text in pieces
    )
    return (
        f"<summary><b>F1 {score.f1:.3f}</b> {escape(page.identity)} "
        f'<span class="faint">{escape(page.page_type)} · {numbers}</span></summary>'
        f'<div class="page"><p>{_link(page.url)}<br><span class="faint">{sums}</span></p>{error}'
        f'<div class="diff" dir="auto">{diff}</div></div>'
    )


def _link(url: str) -> str:
    """A link where the URL leads to the web; the URL of a label may be anything."""
    try:
        known = urlsplit(url).scheme in {"http", "https"}
    except ValueError:
        known = False
    shown = escape(url)
    return f'<a href="{shown}" rel="noopener noreferrer nofollow">{shown}</a>' if known else shown


# the report


def _report_page(
    lines: Sequence[tuple[str, str]],
    figures: Iterable[SavedFigure],
    tables: Iterable[Table],
    worst: dict[str, str],
) -> str:
    title = f"Evaluation on {dict(lines)['Data set']}"
    body = [f"<h1>{escape(title)}</h1>", "<dl>"]
    body += [f"<dt>{escape(name)}</dt><dd>{_value(name, value)}</dd>" for name, value in lines]
    body += ["</dl>", *map(_html_figure, figures)]
    hint = " The name of a system links to its worst pages." if worst else ""
    body.append(
        f"<p>In the tables {_marker(ours=True)} is bodytext, {_marker(ours=False)} are the others.{hint}</p>"
    )
    ours = our_systems()
    for table in tables:
        body += [
            f"<h2>{escape(table.title)}</h2>",
            f"<p>{escape(table.note)}</p>",
            _html_table(table, ours, worst),
        ]
    return write_page(title, body)


def _value(name: str, value: str) -> str:
    return (
        f"<code>{escape(value)}</code>"
        if name in {"Command", "Digest of the data"}
        else escape(value)
    )


def _marker(*, ours: bool) -> str:
    """A marker with the shape and colour of the figures."""
    return '<span class="ours">●</span>' if ours else '<span class="peers">◆</span>'


def _html_table(table: Table, ours: frozenset[str], worst: dict[str, str]) -> str:
    heading = "".join(f'<th scope="col">{escape(text)}</th>' for text in table.heading)
    rows = []
    for name, *cells in table.rows:
        text = escape(name.text)
        if name.text in worst:
            text = f'<a href="worst/{quote(worst[name.text])}">{text}</a>'
        first = f'<th scope="row">{_marker(ours=name.text in ours)} {text}</th>'
        rows.append(f"<tr>{first}{''.join(map(_html_cell, cells))}</tr>")
    inside = f"<thead><tr>{heading}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<div class="scroll" tabindex="0"><table>{inside}</table></div>'


def _html_cell(cell: Cell) -> str:
    text = escape(cell.text)
    return f"<td><b>{text}</b></td>" if cell.best else f"<td>{text}</td>"


def _html_figure(figure: SavedFigure) -> str:
    name, text = quote(figure.name), escape(figure.description)
    return (
        f'<figure><div class="scroll" tabindex="0"><img src="{name}.png" alt="{text}"></div>'
        f'<figcaption>{text} <a href="{name}.csv">Data</a></figcaption></figure>'
    )


def _markdown_figure(figure: SavedFigure) -> str:
    return f"## {figure.title}\n\n![{figure.description}]({figure.name}.png)\n"


def write_page(title: str, body: Iterable[str]) -> str:
    """Write a page of HTML that loads and runs nothing but its figures."""
    head = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
    ]
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>',
            *head,
            "</head>\n<body>",
            *body,
            "</body>\n</html>\n",
        ]
    )


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="replace")  # half of a surrogate pair
