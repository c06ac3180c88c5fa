"""Write the report on an evaluation: Markdown, HTML, figures, and the worst pages with diffs."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise
from operator import itemgetter
from pathlib import Path

from bodytext.output.jinja_templates import open_templates
from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.figures import SavedFigure, write_figures
from bodytext.studio.evaluation.page_scores import PageScore
from bodytext.studio.evaluation.predictions import Prediction, read_predictions
from bodytext.studio.evaluation.tables import (
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
KEPT, MISSED, WRONG = KINDS = ("kept", "missed", "wrong")
_TEMPLATES = open_templates(
    Path(__file__).parent / "templates", trim_blocks=True, lstrip_blocks=True
)


def render(template: str, title: str, **values: object) -> str:
    """Render a page of HTML that loads and runs nothing but its figures."""
    return _TEMPLATES.get_template(template).render(title=title, **values)


def write_report(evaluation: Evaluation, folder: Path, command: str) -> Path:
    """Write the whole report, over an earlier one, and return the path of its HTML page."""
    figures = write_figures(evaluation, folder)
    tables = make_tables(evaluation)
    worst = write_worst_pages(evaluation, folder / "worst")
    lines = describe(evaluation, command)
    parts = [lay_out(lines, tables), *(_markdown_figure(figure) for figure in figures)]
    _write(folder / "report.md", "\n".join(parts))
    title = f"Evaluation on {dict(lines)['Data set']}"
    values = {"lines": lines, "figures": figures, "tables": tables, "worst": worst}
    page = render("report.html", title, **values, ours=our_systems())
    _write(folder / "report.html", page)
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
            _compare_page(page, pages[identity], predictions.get(identity))
            for _, identity, page in scores[:WORST_PAGES]
        ]
        title = f"Worst pages of {score.system} on {evaluation.name}"
        files[score.system] = f"{name}.html"
        page = render("worst.html", title, pages=shown, most_words=MOST_WORDS)
        _write(folder / files[score.system], page)
    return files


def _compare_page(
    score: PageScore, page: LabelledPage, prediction: Prediction | None
) -> dict[str, object]:
    """What the template shows of a page: its score, the pieces of the diff, and their words."""
    pieces = compare_in_order(prediction.text if prediction else "", page.reference or "")
    counts = [
        sum(len(WORD.findall(text)) for kind, text in pieces if kind == wanted) for wanted in KINDS
    ]
    return {"score": score, "page": page, "pieces": pieces, "counts": counts}


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


def _markdown_figure(figure: SavedFigure) -> str:
    return f"## {figure.title}\n\n![{figure.description}]({figure.name}.png)\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="replace")  # half of a surrogate pair
