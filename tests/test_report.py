"""The report of an evaluation, on made-up scores whose means can be checked by hand."""

import csv
import math
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.figures import write_figures
from bodytext.studio.evaluation.metrics import bootstrap_interval
from bodytext.studio.evaluation.page_scores import PageScore, SystemScore
from bodytext.studio.evaluation.predictions import Prediction, Task, write_predictions
from bodytext.studio.evaluation.report import (
    MOST_WORDS,
    WORST_PAGES,
    compare_in_order,
    write_report,
    write_worst_pages,
)
from bodytext.studio.evaluation.tables import (
    Table,
    by_page_type,
    describe,
    lay_out,
    make_tables,
    overall,
    paired_differences,
    to_short_table,
    without_empty_references,
)
from bodytext.studio.labels.labelled_set import LabelledPage

UNKNOWN = math.nan
TYPES = ("article", "article", "forum", "forum")
REFERENCES = ("the cat sat", "a dog ran away", "all is well", "")
TEXTS = ("Menu the cat", "a dog ran away", "<script>alert(1)</script> all is & well", "")
METRICS = (
    *("precision", "recall", "shingle_precision", "shingle_recall", "shingle_f1"),
    *("exact", "rouge", "accuracy", "noise"),
)
# finn is ours, the other two are peers. The means of all pages: 0.75, 0.65, 0.5.
WORD_F1 = {
    "finn": (0.8, 1.0, 0.2, 1.0),
    "trafilatura": (0.9, 0.9, 0.8, 0.0),
    "justext": (0.5, 0.5, 0.5, 0.5),
}
SECONDS = {"finn": 0.001, "trafilatura": 0.05, "justext": 0.02}


def score(place: int, f1: float, seconds: float, error: str = "") -> PageScore:
    """The score of a page with this word F1; each other metric is a little lower."""
    others = {metric: f1 - 0.01 * step for step, metric in enumerate(METRICS, 1)}
    numbers = {**others, "f1": f1, "present": UNKNOWN, "absent": UNKNOWN, "seconds": seconds}
    return PageScore(identity=f"p{place}", page_type=TYPES[place], error=error, **numbers)


def page(place: int, reference: str | None) -> LabelledPage:
    url = f"https://example.org/{place}"
    return LabelledPage(
        f"p{place}", Path(f"p{place}.html"), url, TYPES[place], reference, (), (), "", "en"
    )


def keep_predictions(folder: Path, system: str, texts: tuple[str, ...]) -> None:
    predictions = {
        f"p{place}": Prediction(f"p{place}", "", text, 0.001, "")
        for place, text in enumerate(texts)
    }
    write_predictions(Task(system, "1.0", folder / f"{system}.jsonl"), predictions)


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    systems = []
    for system, values in WORD_F1.items():
        error = "crashed" if system == "justext" else ""
        scores = tuple(score(place, f1, SECONDS[system], error) for place, f1 in enumerate(values))
        systems.append(SystemScore(system, "1.0", scores))
        keep_predictions(tmp_path, system, TEXTS)
    pages = tuple(page(place, reference) for place, reference in enumerate(REFERENCES))
    return Evaluation("made-up", "0123456789abcdef", pages, tuple(systems), ("goose3",), tmp_path)


@pytest.fixture
def snippets(evaluation: Evaluation) -> Evaluation:
    """The same systems where only snippets are known; trafilatura finds most wanted ones."""
    rates = {"finn": (0.5, 0.25), "trafilatura": (1.0, 0.25), "justext": (0.5, 0.5)}
    systems = []
    for system in evaluation.systems:
        present, absent = rates[system.system]
        numbers = {**dict.fromkeys((*METRICS, "f1"), UNKNOWN), "present": present, "absent": absent}
        scores = [PageScore(**{**asdict(score), **numbers}) for score in system.pages]
        systems.append(replace(system, pages=tuple(scores)))
    pages = tuple(
        replace(page, reference=None, present=("x",), absent=("y",)) for page in evaluation.pages
    )
    return replace(evaluation, pages=pages, systems=tuple(systems))


def column(table: Table | None, heading: str) -> dict[str, str]:
    assert table is not None
    place = table.heading.index(heading)
    return {row[0].text: f"{'*' * row[place].best}{row[place].text}" for row in table.rows}


# tables


def test_means_are_right_and_the_best_is_first_and_marked(evaluation: Evaluation) -> None:
    table = overall(evaluation)
    assert column(table, "word F1") == {
        "finn": "*0.750",
        "trafilatura": "0.650",
        "justext": "0.500",
    }
    assert list(column(table, "word F1")) == ["finn", "trafilatura", "justext"]
    assert column(table, "precision")["finn"] == "*0.740"
    assert column(table, "recall")["trafilatura"] == "0.630"


def test_where_less_is_better_the_least_is_marked(evaluation: Evaluation) -> None:
    table = overall(evaluation)
    assert column(table, "CPU ms a page") == {
        "finn": "*1.0",
        "trafilatura": "50.0",
        "justext": "20.0",
    }
    assert column(table, "CUTER noise")["justext"].startswith("*")


def test_a_value_that_most_systems_reach_is_not_marked(evaluation: Evaluation) -> None:
    assert column(overall(evaluation), "failures") == {
        "finn": "0",
        "trafilatura": "0",
        "justext": "4",
    }


def test_the_interval_is_over_pages(evaluation: Evaluation) -> None:
    low, high = bootstrap_interval(WORD_F1["trafilatura"])
    assert column(overall(evaluation), "95 % interval")["trafilatura"] == f"{low:.3f} to {high:.3f}"


def test_columns_without_a_number_are_left_out(
    evaluation: Evaluation, snippets: Evaluation
) -> None:
    assert "wanted snippets" not in overall(evaluation).heading
    assert "word F1" not in overall(snippets).heading
    assert column(overall(snippets), "wanted snippets")["trafilatura"] == "*1.000"


def test_page_types_have_their_means_and_numbers(evaluation: Evaluation) -> None:
    table = by_page_type(evaluation)
    # Two of three systems reach the best value, so it is not marked.
    assert column(table, "article (2)") == {
        "finn": "0.900",
        "trafilatura": "0.900",
        "justext": "0.500",
    }
    assert column(table, "forum (2)") == {
        "finn": "*0.600",
        "trafilatura": "0.400",
        "justext": "0.500",
    }


def test_one_page_type_gives_no_table(evaluation: Evaluation) -> None:
    pages = tuple(replace(page, page_type="article") for page in evaluation.pages)
    assert by_page_type(replace(evaluation, pages=pages)) is None


def test_differences_are_paired_against_the_best_of_ours(evaluation: Evaluation) -> None:
    table = paired_differences(evaluation)
    assert column(table, "difference") == {"trafilatura": "+0.100", "justext": "+0.250"}
    assert column(table, "excludes 0")["trafilatura"] == "no"
    low, high = bootstrap_interval([-0.1, 0.1, -0.6, 1.0])
    assert column(table, "95 % interval")["trafilatura"] == f"{low:+.3f} to {high:+.3f}"


@pytest.mark.parametrize(("ours", "verdict"), [(0.9, "yes, better"), (0.1, "yes, worse")])
def test_a_clear_difference_is_named(evaluation: Evaluation, ours: float, verdict: str) -> None:
    pages = tuple(
        replace(page, f1=ours + 0.01 * place)
        for place, page in enumerate(evaluation.systems[0].pages)
    )
    systems = replace(evaluation.systems[0], pages=pages), evaluation.systems[2]
    assert column(paired_differences(replace(evaluation, systems=systems)), "excludes 0") == {
        "justext": verdict
    }


def test_without_any_of_ours_the_best_of_all_is_the_baseline(evaluation: Evaluation) -> None:
    table = paired_differences(replace(evaluation, systems=evaluation.systems[1:]))
    assert column(table, "difference") == {"justext": "+0.150"}


def test_empty_references_are_counted_and_left_out(evaluation: Evaluation) -> None:
    table = without_empty_references(evaluation)
    assert column(table, "all 4 pages")["trafilatura"] == "0.650"
    expected = {"finn": "0.667", "trafilatura": "*0.867", "justext": "0.500"}
    assert column(table, "3 pages with a text") == expected
    pages = tuple(replace(page, reference="text") for page in evaluation.pages)
    assert without_empty_references(replace(evaluation, pages=pages)) is None


def to_markdown(evaluation: Evaluation, command: str) -> str:
    return lay_out(describe(evaluation, command), make_tables(evaluation))


def test_markdown_says_how_it_was_made(evaluation: Evaluation) -> None:
    text = to_markdown(evaluation, "bodytext evaluate made-up")
    for line in (
        "- Command: bodytext evaluate made-up",
        "- Data set: made-up",
        "- Pages: 4",
        "- Not installed: goose3",
    ):
        assert line in text.splitlines()
    assert "0123456789abcdef" in text
    assert f"- Python: {sys.version_info.major}.{sys.version_info.minor}" in text
    assert "| **0.750** |" in text


def test_markdown_tables_are_rectangular(evaluation: Evaluation) -> None:
    pages = tuple(replace(page, page_type=f"a|<b>{page.page_type}") for page in evaluation.pages)
    for block in to_markdown(replace(evaluation, pages=pages), "x").split("\n\n"):
        if block.startswith("|"):
            lines = block.splitlines()
            assert len({len(line) for line in lines}) == 1
            assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
            assert "<b>" not in block


def test_the_short_table(evaluation: Evaluation, snippets: Evaluation) -> None:
    assert to_short_table(evaluation) == (
        "| system      |        F1 |         P |         R |      ms |\n"
        "| ----------- | --------: | --------: | --------: | ------: |\n"
        "| finn        | **0.750** | **0.740** | **0.730** | **1.0** |\n"
        "| trafilatura |     0.650 |     0.640 |     0.630 |    50.0 |\n"
        "| justext     |     0.500 |     0.490 |     0.480 |    20.0 |\n"
    )
    assert (
        " ".join(to_short_table(snippets).splitlines()[0].split())
        == "| system | wanted | unwanted | ms |"
    )


def test_snippets_alone_give_one_table(snippets: Evaluation) -> None:
    text = to_markdown(snippets, "x")
    assert text.count("\n## ") == 1
    assert "nan" not in text


# diffs and worst pages


def test_a_diff_distinguishes_kept_missed_and_wrong_words() -> None:
    pieces = compare_in_order("Menu\nThe cat, sleeps", "the cat sat")
    assert pieces == [
        ("wrong", "Menu · "),
        ("kept", "the cat "),
        ("wrong", "sleeps"),
        ("missed", "sat"),
    ]
    assert compare_in_order("", "") == []


def test_both_texts_can_be_restored_from_a_diff() -> None:
    predicted, reference = "b a b c a d", "a b a c d d"
    pieces = compare_in_order(predicted, reference)
    for kind, text in (("missed", predicted), ("wrong", reference)):
        assert (
            " ".join(
                word for found_kind, part in pieces for word in part.split() if found_kind != kind
            )
            == text
        )


def test_a_diff_stops_at_its_limit() -> None:
    pieces = compare_in_order("word " * (MOST_WORDS + 5), "word " * MOST_WORDS)
    assert [(kind, len(text.split())) for kind, text in pieces] == [("kept", MOST_WORDS)]


def test_worst_pages_are_in_order_and_have_a_text(evaluation: Evaluation, tmp_path: Path) -> None:
    names = write_worst_pages(evaluation, tmp_path / "worst")
    assert names == {
        "finn": "finn.html",
        "trafilatura": "trafilatura.html",
        "justext": "justext.html",
    }
    text = (tmp_path / "worst" / "finn.html").read_text("utf-8")
    places = [
        text.index(f"F1 {f1:.3f}</b> p{place}") for place, f1 in ((2, 0.2), (0, 0.8), (1, 1.0))
    ]
    assert places == sorted(places)
    assert "p3" not in text  # its reference is empty
    assert "<del>Menu </del><span>the cat </span><ins>sat</ins>" in text
    assert 'href="https://example.org/2"' in text


def test_no_more_than_the_worst_are_shown(evaluation: Evaluation, tmp_path: Path) -> None:
    many = WORST_PAGES + 3
    pages = tuple(replace(evaluation.pages[0], identity=f"p{place}") for place in range(many))
    scores = tuple(
        replace(evaluation.systems[0].pages[0], identity=f"p{place}") for place in range(many)
    )
    systems = (replace(evaluation.systems[0], pages=scores),)
    write_worst_pages(replace(evaluation, pages=pages, systems=systems), tmp_path)
    assert (tmp_path / "finn.html").read_text("utf-8").count("<details") == WORST_PAGES


def test_text_of_pages_is_never_markup(evaluation: Evaluation, tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)> \ud800"
    pages = tuple(
        replace(page, reference=hostile, url=f"javascript:{hostile}", page_type=hostile)
        for page in evaluation.pages
    )
    scores = tuple(replace(page, error=hostile) for page in evaluation.systems[0].pages)
    systems = (replace(evaluation.systems[0], pages=scores),)
    keep_predictions(tmp_path, "finn", (f"</div>{hostile}",) * 4)
    write_worst_pages(
        replace(evaluation, name=hostile, pages=pages, systems=systems), tmp_path / "worst"
    )
    text = (tmp_path / "worst" / "finn.html").read_text("utf-8")
    assert "script&gt;alert" in text
    assert "<script" not in text
    assert "<img" not in text
    assert 'href="javascript' not in text


# the whole report


def test_the_report_is_complete(evaluation: Evaluation, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "report"
    assert write_report(evaluation, folder, "bodytext evaluate <made-up>") == folder / "report.html"
    for name in ("quality-and-speed", "page-types"):
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / f"{name}.png").stat().st_size > 10_000
        assert f"({name}.png)" in (folder / "report.md").read_text("utf-8")
    text = (folder / "report.html").read_text("utf-8")
    linked = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert linked
    assert all((folder / name).is_file() for name in linked)
    assert "bodytext evaluate &lt;made-up&gt;" in text
    assert '<a href="worst/finn.html">finn</a>' in text
    assert "<b>0.750</b>" in text
    assert sorted(path.name for path in (folder / "worst").iterdir()) == sorted(
        f"{name}.html" for name in WORD_F1
    )


def test_the_data_of_figures_are_written_as_csv(evaluation: Evaluation, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_figures(evaluation, tmp_path)
    with (tmp_path / "quality-and-speed.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {
        "system": "finn",
        "group": "bodytext",
        "cpu_ms_a_page": "1",
        "word_f1": "0.75",
    }
    assert len(rows) == 3
    with (tmp_path / "page-types.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 6


def test_figures_show_cross_validation_where_pages_were_seen(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    names = {"finn": "learned", "trafilatura": "learned-validated", "justext": "justext"}
    systems = tuple(replace(score, system=names[score.system]) for score in evaluation.systems)
    for name, shown in (
        ("wcxb-dev", {"learned-validated", "justext"}),
        ("made-up", set(names.values())),
    ):
        write_figures(replace(evaluation, name=name, systems=systems), tmp_path / name)
        with (tmp_path / name / "quality-and-speed.csv").open(newline="") as file:
            assert {row["system"] for row in csv.DictReader(file)} == shown


@pytest.mark.slow
def test_the_same_data_give_the_same_figures(evaluation: Evaluation, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    saved = write_figures(evaluation, tmp_path / "one")
    write_figures(evaluation, tmp_path / "two")
    for name in (f"{figure.name}.{suffix}" for figure in saved for suffix in ("png", "csv")):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_report_of_snippets_has_no_figures_and_no_diffs(
    snippets: Evaluation, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "report"
    write_report(snippets, folder, "x")
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "report.md"]
    assert "nan" not in (folder / "report.md").read_text("utf-8")


def test_without_matplotlib_only_the_figures_are_missing(
    evaluation: Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_report(evaluation, tmp_path / "report", "x")
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == [
        "report.html",
        "report.md",
        "worst",
    ]
    assert "![" not in (tmp_path / "report" / "report.md").read_text("utf-8")
