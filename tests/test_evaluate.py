"""Evaluation: layouts of sets, metrics checked by hand, predictions that survive crashes, scores from files."""

import doctest
import gzip
import json
import math
import os
import shutil
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from bodytext.cli import main
from bodytext.studio.evaluation import metrics, peers
from bodytext.studio.evaluation.evaluation import evaluate
from bodytext.studio.evaluation.metrics import (
    bootstrap_interval,
    compare_shingles,
    compare_sizes,
    compare_words,
    is_exact,
    rouge_lsum,
    snippet_rates,
)
from bodytext.studio.evaluation.page_scores import SystemScore, score_page, score_system
from bodytext.studio.evaluation.peers import digest_code
from bodytext.studio.evaluation.predictions import Prediction, Task, predict, read_predictions
from bodytext.studio.labels.labelled_set import LabelledPage, file_digest, read_labelled

HTML = (
    "<nav><a href=x>menu</a></nav><p>"
    + "The quick brown fox jumps over the lazy dog. " * 4
    + "</p>"
)
TEXT = ("The quick brown fox jumps over the lazy dog. " * 4).strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "set"
    (root / "html").mkdir(parents=True)
    (root / "ground-truth").mkdir()
    for number in range(3):
        (root / "html" / f"{number}.html").write_text(HTML, "utf-8")
        truth = {"main_content": TEXT, "with": ["quick brown fox"], "without": ["menu"]}
        label = {"url": f"http://s{number}.example/", "page_type": "article", "ground_truth": truth}
        (root / "ground-truth" / f"{number}.json").write_text(json.dumps(label))
    return root


# layouts


def test_pages_and_labels_in_separate_files(folder: Path) -> None:
    pages = read_labelled(folder)
    assert [page.identity for page in pages] == ["0", "1", "2"]
    assert pages[0].reference == TEXT
    assert pages[0].present == ("quick brown fox",)
    assert pages[0].domain == "s0.example"
    assert pages[0].read() == HTML.encode()


def test_the_article_benchmarks_layout(tmp_path: Path) -> None:
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "x.html.gz").write_bytes(gzip.compress(HTML.encode()))
    (tmp_path / "ground-truth.json").write_text(
        json.dumps({"x": {"articleBody": TEXT, "url": "http://a.example"}})
    )
    (page,) = read_labelled(tmp_path)
    assert (page.identity, page.reference, page.read()) == ("x", TEXT, HTML.encode())


def test_a_set_of_snippets(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "a.html").write_text(HTML)
    label = {"file": "a.html", "with": ["lazy dog", "not there"], "without": ["menu"]}
    (tmp_path / "snippets.json").write_text(json.dumps({"http://a.example/": label}))
    (page,) = read_labelled(tmp_path)
    assert page.reference is None
    score = score_page(
        page, Prediction("a.html", "", peers.find_system("finn")(page.read()), 0.0, "")
    )
    assert (score.present, score.absent) == (0.5, 0.0)
    assert math.isnan(score.f1)


def test_a_label_without_its_page_is_named(folder: Path) -> None:
    (folder / "html" / "1.html").unlink()
    with pytest.raises(ValueError, match="the page of label '1' is missing"):
        read_labelled(folder)


# metrics


def test_words_by_hand() -> None:
    assert doctest.testmod(metrics).failed == 0
    assert compare_words("a a b", "a b b").f1 == pytest.approx(2 / 3)
    assert compare_words("", "").f1 == 1
    assert compare_words("a", "").f1 == compare_words("", "a").f1 == 0


def test_shingles_by_hand() -> None:
    result = compare_shingles("a b c d e", "a b c d f")
    assert (result.precision, result.recall) == (0.5, 0.5)
    assert compare_shingles("a b", "a b").f1 == 1
    assert compare_shingles("A b c d", "a b c d").f1 == 0
    assert is_exact("a, b", "a b")
    assert not is_exact("b a", "a b")


def test_accuracy_and_noise_by_hand() -> None:
    accuracy, noise = compare_sizes("useful noise", "useful text")
    assert accuracy == pytest.approx(6 / 10)
    assert noise == pytest.approx(5 / 11)
    assert compare_sizes("", "text")[0] == 0
    assert math.isnan(compare_sizes("", "text")[1])


def test_rouge_by_hand() -> None:
    assert rouge_lsum("a b\nc d", "a b\nc d") == 1
    assert rouge_lsum("c d\na b", "a b\nc d") == 1  # the order of lines does not matter
    # "w1 w2 w3 w4 w5" against two lines: the union of w1 w2 and w1 w3 w5 is four words of five.
    assert rouge_lsum("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5") == pytest.approx(
        2 * 0.4 * 0.8 / 1.2
    )
    assert rouge_lsum("", "a") == 0
    assert rouge_lsum("", "") == 1


def test_snippets() -> None:
    present, absent = snippet_rates("one  two\nthree", ["two three", "four"], [])
    assert present == 0.5
    assert math.isnan(absent)


def test_intervals_contain_the_mean() -> None:
    low, high = bootstrap_interval([0.0, 1.0] * 50)
    assert 0.38 < low < 0.5 < high < 0.62
    assert all(map(math.isnan, bootstrap_interval([1.0])))


# predictions


def test_predictions_are_files_and_are_not_made_twice(folder: Path, tmp_path: Path) -> None:
    pages, task = read_labelled(folder), Task("finn", "1", tmp_path / "finn.jsonl")
    first = predict(task, pages[:2], report=lambda: None)
    assert [first[page.identity].text for page in pages[:2]] == [TEXT] * 2
    with task.path.open("a") as file:
        file.write('{"identity": "2", "te')  # cut off in the middle
    task.path.write_text(task.path.read_text().replace(TEXT, "kept as it was", 1))
    second = predict(task, pages, report=lambda: None)
    assert second["2"].text == TEXT
    assert sorted(prediction.text for prediction in second.values()) == [
        TEXT,
        TEXT,
        "kept as it was",
    ]
    assert read_predictions(task.path, "1") == second
    assert read_predictions(task.path, "2") == {}


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="there are no signals to a thread")
def test_after_an_interruption_nobody_writes(folder: Path, tmp_path: Path) -> None:
    pages, task = read_labelled(folder), Task("finn", "1", tmp_path / "finn.jsonl")
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
    main, before = threading.main_thread().ident or 0, threading.active_count()
    signals = iter([signal.SIGINT])

    def report() -> None:
        for number in signals:
            signal.pthread_kill(main, number)

    try:
        with pytest.raises(KeyboardInterrupt):
            predict(task, pages, workers=1, report=report)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert threading.active_count() == before
    assert read_predictions(task.path, "1"), "what was done is kept"


def test_damaged_predictions_are_made_again(folder: Path, tmp_path: Path) -> None:
    pages, task = read_labelled(folder), Task("finn", "1", tmp_path / "finn.jsonl")
    made = predict(task, pages[:2], workers=1, report=lambda: None)
    whole = task.path.read_text()
    for damage in ("{\n", "[]\n", '{"identity": 3}\n', "[" * 100_000 + "\n"):
        for text in (damage + whole, whole + damage):
            task.path.write_text(text)
            assert read_predictions(task.path, "1") == {}
    again = predict(task, pages[:2], workers=1, report=lambda: None)
    assert {name: found.text for name, found in again.items()} == {
        name: found.text for name, found in made.items()
    }


FAILING = """
import os, time

def raises(page):
    raise RuntimeError("no")

def hangs(page):
    if b"A sentence to begin with." not in page:
        time.sleep(60)

def hangs_at_once(page):
    time.sleep(60)

def dies(page):
    if b"A sentence to begin with." not in page:
        os._exit(1)

def upper(page):
    return "UPPER"
"""


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "failing_systems.py").write_text(FAILING)
    monkeypatch.syspath_prepend(tmp_path)  # child processes inherit the path


@pytest.mark.slow
@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("raises", "RuntimeError: no"),
        ("hangs", "took more than"),
        ("hangs_at_once", "took more than"),
        ("dies", "crashed"),
    ],
)
def test_a_system_that_fails_gives_empty_texts(
    name: str, error: str, folder: Path, tmp_path: Path
) -> None:
    pages, task = (
        read_labelled(folder)[:2],
        Task(f"failing_systems:{name}", "", tmp_path / f"{name}.jsonl"),
    )
    predictions = predict(task, pages, workers=1, timeout_s=1, report=lambda: None)
    assert [prediction.text for prediction in predictions.values()] == ["", ""]
    assert all(error in prediction.error for prediction in predictions.values())
    assert score_system(task, pages, "digest").failures == 2


# the whole


@pytest.mark.slow
@pytest.mark.usefixtures("failing")
def test_scores_come_from_files_and_users_can_add_a_system(folder: Path, tmp_path: Path) -> None:
    evaluation = evaluate(folder, tmp_path / "out", ["finn", "failing_systems:upper"])
    assert [(score.system, score.mean("f1")) for score in evaluation.systems] == [
        ("finn", 1.0),
        ("failing_systems:upper", 0.0),
    ]
    assert evaluation.systems[0].mean("present") == 1
    assert evaluation.systems[0].mean("f1", "article") == 1
    assert math.isnan(evaluation.systems[0].mean("f1", "forum"))
    again = evaluate(folder, tmp_path / "out", ["finn", "failing_systems:upper"])
    assert again.systems == evaluation.systems


@pytest.mark.slow
def test_a_changed_page_is_predicted_again(folder: Path, tmp_path: Path) -> None:
    task = Task("finn", "1", tmp_path / "finn.jsonl")
    predict(task, read_labelled(folder), report=lambda: None)
    (folder / "html" / "1.html").write_text("<p>another page now</p>")
    file_digest.cache_clear()
    predictions = predict(task, read_labelled(folder), report=lambda: None)
    assert [predictions[name].text for name in "012"] == [TEXT, "another page now", TEXT]


@pytest.mark.slow
def test_a_page_with_a_new_type_keeps_its_scores(folder: Path, tmp_path: Path) -> None:
    evaluate(folder, tmp_path / "out", ["finn"])
    path = folder / "ground-truth" / "1.json"
    path.write_text(path.read_text().replace('"article"', '"forum"'))
    evaluation = evaluate(folder, tmp_path / "out", ["finn"])
    assert [page.page_type for page in evaluation.systems[0].pages] == [
        "article",
        "forum",
        "article",
    ]


def test_the_shingle_f1_is_computed_from_the_means() -> None:
    page = LabelledPage("a", Path(), "", "article", "a b c d e", (), (), "", "")
    right, silent = (
        score_page(page, Prediction("a", "", text, 0.0, "")) for text in ("a b c d e", "")
    )
    both = SystemScore("x", "", (right, silent))
    assert (both.mean("shingle_precision"), both.mean("shingle_recall")) == (1.0, 0.5)
    assert both.mean("shingle_f1") == pytest.approx(2 / 3)


def test_a_broken_label_is_named(folder: Path) -> None:
    (folder / "ground-truth" / "1.json").write_text("{")
    with pytest.raises(ValueError, match=r"1\.json: not valid JSON"):
        read_labelled(folder)
    (folder / "ground-truth" / "1.json").write_text("{}")
    with pytest.raises(ValueError, match="no ground_truth"):
        read_labelled(folder)


def test_a_system_that_cannot_be_imported_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be imported"):
        evaluate(folder, tmp_path, ["no_such_module:run"])


def test_an_unknown_system_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no system 'nothing'"):
        evaluate(folder, tmp_path, ["nothing"])


def test_every_peer_names_its_distribution() -> None:
    known = peers.PEERS
    assert len({peer.name for peer in known}) == len(known) > 1
    assert all(peer.distribution and peer.systems for peer in known)
    assert next(peer for peer in known if peer.name == "ours").version
    names = [name for peer in known for name in peer.systems]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ("extraction.py", True),
        ("kernel/scanner_native.so", True),
        ("page/encoding/tables.py", True),
        ("methods/learned/method.py", True),
        ("methods/weights/learned.npz", True),
        ("views/metadata/dates.py", True),
        ("studio/evaluation/report.py", False),
        ("methods/weights/learned.json", False),
    ],
)
def test_predictions_depend_on_all_code_that_extracts(
    changed: str, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bodytext.__file__", str(tmp_path / "__init__.py"))
    before = digest_code.__wrapped__()
    (tmp_path / changed).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / changed).write_text("changed")
    assert (digest_code.__wrapped__() != before) == counts


@pytest.mark.slow
def test_missing_systems_are_named_before_the_work(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    absent = [
        replace(peer, distribution="nowhere" if peer.name == "trafilatura" else peer.distribution)
        for peer in peers.PEERS
    ]
    monkeypatch.setattr("bodytext.studio.evaluation.evaluation.PEERS", absent)
    words = ["evaluate", str(folder), "--predictions", str(tmp_path / "p"), "--systems"]
    assert main([*words, "trafilatura"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "bodytext: not installed: trafilatura; pip install nowhere\n"
    assert main([*words, "trafilatura,finn"]) == 0
    assert "not installed: trafilatura" in capsys.readouterr().err
    assert main([*words, "learned-validated"]) == 2
    assert "`bodytext train --from-scratch` writes them" in capsys.readouterr().err


def test_outside_a_checkout_the_message_says_where_labelled_pages_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate"]) == 2
    assert "run this in a checkout, or name a labelled set" in capsys.readouterr().err


@pytest.mark.slow
def test_without_matplotlib_tables_are_written(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = ["evaluate", str(folder), "--systems", "finn", "--predictions", str(tmp_path / "p")]
    assert main([*words, "--report", str(tmp_path / "report")]) == 0
    assert "no figures, only tables" in capsys.readouterr().err
    assert "finn" in (tmp_path / "report" / "report.md").read_text("utf-8")


@pytest.mark.slow
def test_the_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = shutil.copytree(folder, os.fsdecode(bytes(tmp_path) + b"/s\xe9t"))  # not UTF-8
    words = [
        "evaluate",
        str(named),
        "--systems",
        "finn,runs",
        "--predictions",
        str(tmp_path / "p"),
    ]
    assert main([*words, "--report", str(tmp_path / "report")]) == 0
    output = capsys.readouterr().out
    assert "finn" in output
    assert "runs" in output
    assert (tmp_path / "report" / "report.md").is_file()
    assert (tmp_path / "report" / "report.html").is_file()
    assert main(["evaluate", str(tmp_path / "nothing")]) == 2
