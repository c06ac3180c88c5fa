"""Tables and figures of the documents: searches that agree, kinds of pages, and a report on a small made-up set."""

import csv
import doctest
import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

from bodytext.page.parser import parse
from bodytext.studio.evaluation.documents import page_layouts as kinds
from bodytext.studio.evaluation.documents import searches, titles
from bodytext.studio.evaluation.documents import sections as report
from bodytext.studio.evaluation.documents.page_layouts import (
    COMMENTED,
    MULTI,
    SINGLE,
    PageLayout,
    measure_layout,
)
from bodytext.studio.labels.labelled_set import LabelledPage
from bodytext.studio.training import density_training
from bodytext.studio.training.alignment import label_blocks
from bodytext.studio.training.examples import TrainingExample

BODY = [
    f"Sentence {line} of the story tells in plain words what has happened on day {line}."
    for line in range(8)
]
MENU = "<ul>" + "".join(f"<li><a href='/{n}'>Part {n}</a></li>" for n in range(12)) + "</ul>"
ADVERTISEMENT = "<div>" + "Buy this very good thing today and save much money now. " * 3 + "</div>"
COMMENTS = (
    "<p>" + "I do not agree with this at all, since nobody asked me about it before. " * 6 + "</p>"
)


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def page(middle: str = "", after: str = "") -> str:
    inner = f"<h1>The story of it</h1>{paragraphs(BODY[:4])}{middle}{paragraphs(BODY[4:])}"
    footer = "<footer>All rights reserved by the owner of this site.</footer>"
    return f"<title>Story</title>{MENU}<div>{inner}</div>{after}{footer}"


def example(html: str, kind: str = "") -> TrainingExample:
    parsed, reference = parse(html), "\n".join(("The story of it", *BODY))
    source = LabelledPage(
        "one", Path("one.html"), "https://example.org/", "article", reference, (), (), kind, "en"
    )
    return TrainingExample(source, parsed, label_blocks(parsed.texts(), reference))


def random_tokens(seed: int) -> searches.TokenRuns:
    draw = random.Random(seed)
    rows = draw.randint(1, 9)
    tags = [draw.randint(1, 6) for _ in range(rows)]
    words = [draw.randint(0, 7) for _ in range(rows)]
    words[draw.randrange(rows)] += 1
    return searches.TokenRuns(
        np.array(tags, dtype=np.int32), np.array(words, dtype=np.int32), draw.randint(0, 4)
    )


@pytest.mark.slow
def test_all_searches_find_the_same_optimum() -> None:
    for seed in range(300):
        columns = random_tokens(seed)
        tokens = columns.unfold()
        assert len(tokens) == len(columns)
        codes = searches.encode_tokens(tokens)
        best = searches.search_as_printed(tokens)
        assert searches.search_with_running_sums(tokens) == best, seed
        assert searches.search_codes(codes) == best, seed
        assert searches.search_in_one_pass(codes) == best, seed
        assert searches.value_of(columns, *searches.search_shipped(columns)) == best, seed


def test_tokens_of_a_page() -> None:
    parsed = parse(
        "<body><p>one two<b>three</b></p><script>no words here</script><p>four</p></body>"
    )
    whole, cleaned = searches.tokens_as_found(parsed), searches.tokens_cleaned(parsed)
    assert whole.unfold() == [1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1]
    assert cleaned.unfold() == [1, 1, 0, 0, 1, 0, 1, 1, 1, 0]
    assert searches.encode_tokens(cleaned.unfold()) == [2, -2, 1, -1, 3, -1]


def test_doctests() -> None:
    assert all(doctest.testmod(module).failed == 0 for module in (searches, report, titles))


def test_kinds_are_derived_from_the_labels() -> None:
    assert measure_layout(example(page())).kind() == SINGLE
    assert measure_layout(example(page(middle="<p>Photo: Anna</p>"))).kind() == SINGLE
    assert measure_layout(example(page(middle=ADVERTISEMENT))).kind() == MULTI
    comments = f"<div id='comments-list'>{COMMENTS}</div>"
    assert measure_layout(example(page(middle=ADVERTISEMENT, after=comments))).kind() == COMMENTED
    assert measure_layout(example(page(after=f"<div>{COMMENTS}</div>"))).kind() == SINGLE


def test_an_element_around_the_article_is_not_a_comment_section() -> None:
    around = f"<body class='comments-open'>{page(after=f'<div>{COMMENTS}</div>')}</body>"
    assert measure_layout(example(around)).kind() == SINGLE


def test_an_empty_comment_form_is_not_a_comment_section() -> None:
    form = "<div id='respond'>Leave a reply. Your email address will not be published.</div>"
    assert measure_layout(example(page(after=form))).kind() == SINGLE


def test_a_kind_that_the_set_names_is_used() -> None:
    assert measure_layout(example(page(), kind="multi-body")).kind() == MULTI
    assert PageLayout("", kinds.INTERRUPTION_WORDS, 0).kind() == MULTI
    assert PageLayout("", kinds.INTERRUPTION_WORDS, 0).kind(50) == SINGLE


def test_reports_escape_html() -> None:
    table = report.CaptionedTable("A < B", "name | number", [("<b>", "1")])
    sections = [
        report.Section("One & two", ("text <i>", table, report.CaptionedFigure("shape", "A shape")))
    ]
    markdown, html = report.as_markdown("T", ["p"], sections), report.as_html("T", ["p"], sections)
    assert "| <b> | 1 |" in markdown
    assert "![A shape](shape.png)" in markdown
    assert "<i>" not in html
    assert "<td>&lt;b&gt;</td>" in html
    assert 'src="shape.png"' in html


@pytest.mark.slow
def test_the_share_of_text_and_tags_in_the_content() -> None:
    runs = pytest.importorskip("bodytext.studio.evaluation.documents.runs", exc_type=ImportError)
    html = "<body><p>aaaa bbbb cccc</p><p>dddd <b>eeee</b> ffff</p><p>12345678</p></body>"
    parsed = parse(html)
    source = LabelledPage(
        "one", Path("one.html"), "https://example.org/", "article", "", (), (), "", "en"
    )
    share = runs.measure_share(
        TrainingExample(source, parsed, np.array([True, True, False])), "made-up"
    )
    assert share.text == pytest.approx(28 / 36, abs=0.02)
    assert share.tags == 4 / 10  # of </p><p><b></b>


def test_the_plateau_and_the_descent_of_a_page() -> None:
    finn = pytest.importorskip("bodytext.studio.evaluation.documents.finn", exc_type=ImportError)
    spread = pytest.importorskip(
        "bodytext.studio.evaluation.documents.spread", exc_type=ImportError
    )
    parsed = example(page()).page
    position, tags = finn.cumulate(parsed)
    begin, end = finn.plateau(parsed)
    assert tags[-1] == parsed.tags
    assert 0 < begin < end < position[-1]
    steps, taken = spread.branching_steps(parsed)
    assert 1 <= taken <= len(steps)
    assert all(step.children > 1 for step in steps)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "made-up"
    (made / "html").mkdir(parents=True)
    (made / "ground-truth").mkdir()
    built = [
        page(),
        page(middle=ADVERTISEMENT),
        page(after=f"<div class='comments'>{COMMENTS}</div>"),
    ]
    for number in range(9):
        (made / "html" / f"{number}.html").write_text(
            built[number % 3] + f"<p>{number}</p>", "utf-8"
        )
        truth = {
            "title": "The story of it",
            "main_content": "\n".join(("The story of it", *BODY)),
        }
        label = {
            "url": f"https://site{number}.example/",
            "page_type": "article",
            "ground_truth": truth,
        }
        (made / "ground-truth" / f"{number}.json").write_text(json.dumps(label), "utf-8")
    return made


@pytest.mark.slow
def test_a_whole_report(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    from bodytext.studio.evaluation.documents import documents_report as write
    from bodytext.studio.evaluation.documents import runs

    monkeypatch.setattr(runs, "CUBIC_LIMIT_S", 0.2)
    monkeypatch.setattr(density_training, "STEPS", 40)
    monkeypatch.setattr(write, "SHOWN_WORDS", (20, 1200))
    output = tmp_path / "report"
    write.write_documents(
        [folder],
        output,
        tmp_path / "predictions",
        "the command",
        systems=["cuter", "finn", "runs"],
        summarise=lambda *parts: str(parts[1]).splitlines(),
    )
    text = (output / "documents.md").read_text("utf-8")
    assert "Made by: the command" in text
    assert "gave the same optimum on every page" in text
    assert "single-body (3) accuracy" in text
    assert "| cuter, told the title |" in text
    assert "summaries have none." in text
    assert "Table 2: both methods by page type and language" in text
    assert "Table 2: CPU time of the whole extraction over the same 9 pages" in text
    assert "Table 2 with every system: from bytes to text over the same" in text
    assert re.search(r"\| runs \| [\d.]+ \| 1.0 \| 0.\d+ \|", text)
    assert "| trained on the same page alone |" in text
    figures = text.count("![")
    assert figures == 7
    assert len(re.findall(r"The claim (?:holds|does not hold) here\.", text)) > figures
    assert "Table 1 by site" not in text  # no site has enough pages
    assert (output / "documents.html").read_text("utf-8").count("<figure>") == 7
    names = sorted(path.stem for path in output.glob("*.png"))
    assert names == [
        "cuter_pages", "density_errors", "density_lines", "finn_plateau", "runs_shares",
        "spread_descent", "spread_stops",
    ]  # fmt: skip
    for name in names:
        assert (output / f"{name}.png").stat().st_size > 8_000
        with (output / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert len(rows) > 3
        assert {len(row) for row in rows} == {len(rows[0])}
