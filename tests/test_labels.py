"""Labels are stored as offsets, saved as a whole or not at all, read for training, and compared between annotators."""

import gzip
import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.cli import main
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.labels import (
    Conflict,
    Labelling,
    LabelStore,
    Span,
    digest_source,
    open_store,
    read_set,
)
from bodytext.studio.labels.agreement import compare, compare_annotators, kappa, to_table
from bodytext.studio.labels.conversion import export_set, read_labels
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.studio.labels.labelling import from_json
from bodytext.studio.labels.spans import LABELS, find_ranges, label_blocks, mark_spans
from bodytext.studio.training.alignment import find_content

HTML = """<!doctype html><title>The harbour</title><nav><a href=/>Home</a> <a href=/news>News</a></nav>
<h1>The harbour</h1><p>The <b>old</b> harbour was quiet before the storm came in.</p><p>Boats lay at the wall.</p>
<aside>Read also: <a href=/x>Ten boats</a></aside>
<section class=comments><p>I was there, it was <i>loud</i>.</p><p>So was I.</p></section><footer>Imprint</footer>"""
PAGE = parse(HTML)
BLOCKS = "01110220"  # 1 is content, 2 is comment
PLAIN = st.text(st.characters(codec="utf-8"), max_size=20)


def label(
    name: str = "ann", page: Page = PAGE, path: str = "a.html", blocks: str = BLOCKS
) -> Labelling:
    labels = np.array([int(digit) for digit in blocks], dtype=np.uint8)
    return Labelling(
        path,
        digest_source(page.source),
        name,
        mark_spans(page, labels),
        done=True,
        time="2026-01-01",
    )


@pytest.fixture
def store(tmp_path: Path) -> LabelStore:
    (tmp_path / "a.html").write_text(HTML, "utf-8")
    return open_store(tmp_path)


def test_the_page_has_the_expected_blocks() -> None:
    assert [text[:8] for text in PAGE.texts()] == [
        "Home New", "The harb", "The old ", "Boats la", "Read als", "I was th", "So was I", "Imprint",
    ]  # fmt: skip


@st.composite
def span_lists(draw: st.DrawFn, length: int = len(PAGE.source)) -> tuple[Span, ...]:
    bounds = sorted(draw(st.sets(st.integers(0, length), max_size=20)))
    pairs = zip(bounds[::2], bounds[1::2], strict=False)
    return tuple(Span(start, end, draw(st.sampled_from(LABELS[1:]))) for start, end in pairs)


@st.composite
def labellings(draw: st.DrawFn) -> Labelling:
    authors = tuple(draw(st.lists(PLAIN, max_size=3)))
    return replace(
        label(), spans=draw(span_lists()), authors=authors, title=draw(PLAIN), date=draw(PLAIN)
    )


@given(labellings())
def test_labels_are_read_as_they_were_written(labelling: Labelling) -> None:
    text = labelling.to_json()
    assert from_json(text.encode("utf-8").decode("utf-8"), "test") == labelling
    assert json.loads(text)["ranges"] == [list(span) for span in labelling.spans]
    assert text.count("\n") == 14 + (
        len(labelling.spans) + 1 if labelling.spans else 0
    )  # one range on each line


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(labellings(), st.booleans()), min_size=1, max_size=6))
def test_labels_saved_and_loaded_are_equal_under_random_edits(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[Labelling, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("pages")
    first, second = open_store(folder), open_store(folder)
    revision, saved = "", None
    for edited, from_other_window in edits:
        window = second if from_other_window else first
        revision = window.save(edited, revision)
        assert first.read("a.html", "ann") == second.read("a.html", "ann") == (edited, revision)
        saved = edited
    assert saved is not None
    with pytest.raises(Conflict) as conflict:
        second.save(replace(saved, title=saved.title + "!"), "of an older revision")
    assert (conflict.value.theirs, conflict.value.revision) == (saved, revision)
    assert first.read("a.html", "ann") == (saved, revision)


@pytest.mark.slow
@given(span_lists(), st.lists(st.integers(0, 2), min_size=len(PAGE), max_size=len(PAGE)))
def test_blocks_get_the_labels_that_they_were_given_and_others_keep_their_spans(
    before: tuple[Span, ...], wanted: list[int]
) -> None:
    labels = np.array(wanted, dtype=np.uint8)
    spans = mark_spans(PAGE, labels, before)
    assert label_blocks(PAGE, spans).tolist() == wanted
    Labelling("a.html", "", "ann", spans)  # in order, without overlap
    kept = label_blocks(PAGE, before) == labels
    starts, ends, blocks = find_ranges(PAGE)
    assert blocks.tolist() == list(range(len(PAGE)))
    for start, end in zip(starts[kept].tolist(), ends[kept].tolist(), strict=True):
        assert _inside(before, start, end) == _inside(spans, start, end)


def test_a_block_around_a_table_does_not_label_the_cells() -> None:
    page = parse("<div>The harbour<table>was<tr><td>Boats</td></tr>quiet</table></div>")
    assert page.texts() == ["The harbourwasquiet", "Boats"]
    for wanted in ([1, 0], [0, 1], [2, 1]):
        spans = mark_spans(page, np.array(wanted, dtype=np.uint8))
        assert label_blocks(page, spans).tolist() == wanted
        Labelling("a.html", "", "ann", spans)


def _inside(spans: tuple[Span, ...], start: int, end: int) -> list[str]:
    return [
        next((span.label for span in spans if span.start <= at < span.end), "")
        for at in range(start, end)
    ]


def test_a_block_has_the_label_of_most_of_its_text() -> None:
    page = parse("<p>abcdef<b>gh</b></p><p>other</p>")
    start = page.source.index(b"abc")
    assert label_blocks(page, [Span(start, start + 4, "content")]).tolist() == [
        1,
        0,
    ]  # half of eight
    assert label_blocks(page, [Span(start, start + 3, "content")]).tolist() == [0, 0]
    halves = [Span(start, start + 2, "comment"), Span(start + 2, start + 4, "content")]
    assert label_blocks(page, halves).tolist() == [1, 0]
    end = page.source.index(b"</p>")
    assert label_blocks(page, [Span(start + 3, end, "comment")]).tolist() == [
        2,
        0,
    ]  # markup does not count


def test_labels_survive_other_block_rules() -> None:
    """A later version may join two paragraphs in one block, or split one in two."""
    fine, coarse = (
        parse("<p>One two.</p><p>Three.</p><p>Menu</p>"),
        parse("<b>One two.</b><b>Three.</b><p>Menu</p>"),
    )
    assert (len(fine), len(coarse)) == (3, 2)
    spans = mark_spans(fine, np.array([1, 1, 0], dtype=np.uint8))
    assert label_blocks(coarse, spans).tolist() == [1, 0]
    back = mark_spans(coarse, np.array([1, 0], dtype=np.uint8))
    assert label_blocks(fine, back).tolist() == [1, 1, 0]


def test_a_second_process_gets_the_conflict_too(store: LabelStore) -> None:
    revision = store.save(label(), "")
    code = (
        "import sys; from pathlib import Path; from bodytext.studio.labels import *; "
        "store = open_store(Path(sys.argv[1])); "
        "labelling, revision = store.read('a.html', 'ann'); from dataclasses import replace; "
        "print(store.save(replace(labelling, title='theirs'), revision))"
    )
    command = [sys.executable, "-c", code, str(store.pages)]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    with pytest.raises(Conflict) as conflict:
        store.save(replace(label(), title="mine"), revision)
    assert conflict.value.revision == theirs
    assert conflict.value.theirs is not None
    assert (conflict.value.mine.title, conflict.value.theirs.title) == ("mine", "theirs")


@pytest.mark.slow
def test_many_writers_lose_nothing(store: LabelStore) -> None:
    """Four processes add lines at the same time, and try again after a conflict; in the end no line is missing."""
    code = (
        "import sys; from pathlib import Path; from dataclasses import replace; from bodytext.studio.labels import *\n"
        "store = open_store(Path(sys.argv[1]))\n"
        "for number in range(8):\n"
        "    while True:\n"
        "        labelling, revision = store.read('a.html', 'ann')\n"
        "        new = replace(labelling, authors=(*labelling.authors, f'{sys.argv[2]}{number}'))\n"
        "        try: store.save(new, revision); break\n"
        "        except Conflict: pass\n"
    )
    store.save(label(), "")
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(store.pages), name]) for name in "abcd"
    ]
    assert [writer.wait(300) for writer in writers] == [0, 0, 0, 0]
    labelling, _ = store.read("a.html", "ann")
    assert labelling is not None
    assert sorted(labelling.authors) == [
        f"{name}{number}" for name in "abcd" for number in range(8)
    ]


def test_a_crash_while_writing_leaves_the_old_labels(
    store: LabelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = store.save(label(), "")

    def crash(*_: object) -> None:
        raise OSError("the power went out")

    monkeypatch.setattr("os.fsync", crash)
    with pytest.raises(OSError, match="power"):
        store.save(replace(label(), title="half written"), revision)
    monkeypatch.undo()
    assert store.read("a.html", "ann") == (label(), revision)
    assert store.save(replace(label(), title="again"), revision)


def test_labels_may_be_elsewhere_and_name_the_folder_of_their_pages(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text(HTML, "utf-8")
    open_store(tmp_path / "pages", tmp_path / "mine").save(label(), "")
    again = open_store(tmp_path / "mine")
    assert (again.folder, again.pages) == (tmp_path / "mine", tmp_path / "pages")
    assert [page.identity for page in read_set(tmp_path / "mine")] == ["a.html"]
    with pytest.raises(ValueError, match="labels of the pages in"):
        open_store(tmp_path, tmp_path / "mine")


@pytest.mark.parametrize(
    "text", ["", "[]", '{"pages": 3}', "[" * 100_000, json.dumps({"pages": "x" * 5_000})]
)
def test_a_damaged_description_of_a_store_is_an_error_that_names_it(
    store: LabelStore, text: str
) -> None:
    store.save(label(), "")
    (store.folder / "store.json").write_text(text)
    with pytest.raises(ValueError, match=r"store\.json: expected"):
        open_store(store.pages)


@pytest.mark.parametrize("page", ["../a.html", "/etc/passwd", "a/../../b", "", "a\0b"])
def test_paths_stay_within_the_folder(store: LabelStore, page: str) -> None:
    with pytest.raises(ValueError, match="not a path within"):
        store.path(page, "ann")


@pytest.mark.parametrize("name", ["", "..", "a/b", "a\\b", ".hidden", "x" * 65, "a\n", "a "])
def test_names_of_annotators_can_be_names_of_folders(store: LabelStore, name: str) -> None:
    with pytest.raises(ValueError, match="annotator"):
        store.read("a.html", name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid JSON"),
        ("<<<<<<< HEAD\n{}", "resolve the merge conflict"),
        ("[]", "not a file of labels"),
        ('{"format": 2}', "not a file of labels"),
        ('{"format": 1, "title": 3}', "title should be a str"),
        ('{"format": 1, "authors": [1]}', "authors should be"),
        ('{"format": 1, "ranges": [[1, 2]]}', "a range should be"),
        ('{"format": 1, "ranges": [[1, 2.5, "content"]]}', "a range should be"),
        ('{"format": 1, "ranges": [[5, 2, "content"]]}', "is not a range"),
        ('{"format": 1, "ranges": [[1, 2, "poem"]]}', "is not a range"),
        ('{"format": 1, "ranges": [[1, 2147483648, "content"]]}', "is not a range"),
        ('{"format": 1, "ranges": [[1, 5, "content"], [4, 6, "content"]]}', "overlap"),
        ('{"format": 1, "title": "\\ud800"}', "half of a surrogate pair"),
        ('{"format": 1, "url": "http://[x"}', "is not a URL"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_a_broken_file_is_an_error_that_names_it(store: LabelStore, text: str, words: str) -> None:
    store.save(label(), "")
    store.path("a.html", "ann").write_text(text, "utf-8")
    with pytest.raises(ValueError, match=words) as error:
        store.read("a.html", "ann")
    assert "a.html.json" in str(error.value)


def test_labels_are_training_targets_and_a_reference_text(store: LabelStore) -> None:
    store.save(replace(label(), page_type="forum", url="https://a.example/x"), "")
    (page,) = read_set(store.pages)
    assert (
        page.reference
        == "The harbour\n\nThe old harbour was quiet before the storm came in.\n\nBoats lay at the wall."
    )
    assert (page.page_type, page.domain) == ("forum", "a.example")
    assert find_content(PAGE, page).tolist() == [digit == "1" for digit in BLOCKS]


def test_repeated_text_is_in_the_reference_once(tmp_path: Path) -> None:
    html = (
        "<p>The same five words here again.</p><p>Other.</p><p>The same five words here again.</p>"
    )
    (tmp_path / "a.html").write_text(html, "utf-8")
    store = open_store(tmp_path)
    store.save(label(page=parse(html), blocks="101"), "")
    assert read_set(tmp_path)[0].reference == "The same five words here again."


def test_skipped_pages_have_a_reason(store: LabelStore) -> None:
    with pytest.raises(ValueError, match="is not a labelled set"):
        read_set(store.pages)
    store.save(replace(label(), done=False), "")
    with pytest.raises(ValueError, match=r"no page is labelled and done \(a.html: is not done\)"):
        read_set(store.pages)
    store.save(label(), store.read("a.html", "ann")[1])
    store.save(label(path="gone.html"), "")
    pages, skipped = read_labels(store)
    assert [page.identity for page in pages] == ["a.html"]
    assert "is missing" in skipped[0].reason
    (store.pages / "a.html").write_text(HTML + "<p>changed", "utf-8")
    pages, skipped = read_labels(store)
    assert not pages
    assert "has changed" in skipped[0].reason


def test_a_broken_file_does_no_harm_and_is_never_overwritten(
    store: LabelStore, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, path in (
        ("ann", "a.html"),
        ("bob", "a.html"),
        ("ann", "sub/b.html"),
        ("cy", "a.html"),
    ):
        store.save(label(name, path=path), "")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.html").write_text(HTML, "utf-8")
    broken = store.path("a.html", "ann")
    broken.write_text("<<<<<<< HEAD", "utf-8")
    (broken_labels,) = store.find_broken("ann")
    assert broken_labels.page == "a.html"
    assert "a.html.json: not valid JSON" in broken_labels.reason
    assert "repair this file" in broken_labels.reason
    pages, others = read_labels(store)
    assert [page.identity for page in pages] == [
        "a.html",
        "sub/b.html",
    ]  # bob's labels of the first
    assert others == [broken_labels]
    assert [entry.page for entry in store.read_all("ann")] == ["a.html", "sub/b.html"]
    for command, code in (["--agreement"], 0), (["--export", str(tmp_path / "set")], 0):
        assert main(["label", str(tmp_path), *command]) == code
        out, messages = capfd.readouterr()
        assert "a.html.json: not valid JSON" in messages
    assert "2 labelled pages written" in out
    with pytest.raises(ValueError, match="not valid JSON"):
        store.save(label(), "")
    assert broken.read_text("utf-8") == "<<<<<<< HEAD"


def test_a_huge_offset_in_one_file_leaves_all_others_in_use(
    store: LabelStore, capfd: pytest.CaptureFixture[str]
) -> None:
    (store.pages / "b.html").write_text(HTML, "utf-8")
    for name in ("ann", "bob"):
        store.save(label(name), "")
        store.save(label(name, path="b.html"), "")
        huge = json.loads(label(name).to_json()) | {"ranges": [[990, 10**30, "content"]]}
        store.path("a.html", name).write_text(json.dumps(huge), "utf-8")
    assert [page.identity for page in read_set(store.pages)] == ["b.html"]
    for command in (["--agreement"], ["--export", str(store.pages / "set")]):
        assert main(["label", str(store.pages), *command]) == 0
        assert "a.html.json: (990, 1000" in capfd.readouterr().err


def test_a_labelled_page_whose_file_is_broken_is_skipped_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(HTML, "utf-8")
    (tmp_path / "b.html.gz").write_bytes(gzip.compress(HTML.encode())[:-20])
    store = open_store(tmp_path)
    for name in ("ann", "bob"):
        store.save(label(name), "")
        store.save(label(name, path="b.html.gz"), "")
    pages, skipped = read_labels(store)
    assert [page.identity for page in pages] == ["a.html"]
    assert skipped[0].reason.startswith("the page cannot be read: cut off")
    assert len(list(compare_annotators(store, "ann", "bob"))) == 1


@pytest.mark.parametrize("page", ["../secret.html", "link.html", "below/../../secret.html"])
def test_a_label_of_a_page_outside_its_folder_is_refused(tmp_path: Path, page: str) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for path in (tmp_path / "secret.html", pages / "a.html"):
        path.write_text(HTML, "utf-8")
    (pages / "link.html").symlink_to("../secret.html")
    (pages / "same.html").symlink_to("a.html")
    store = open_store(pages)
    for name in ("ann", "bob"):
        store.save(label(name), "")
        store.save(label(name, path="same.html"), "")
        file = store.path("a.html", name)
        outside = replace(label(name), page=page).to_json()
        file.with_name("z.html.json").write_text(outside, "utf-8")
    used, skipped = read_labels(store)
    assert [used_page.identity for used_page in used] == ["a.html", "same.html"]
    assert [(entry.page, "leads out of" in entry.reason) for entry in skipped] == [(page, True)]
    assert len(list(compare_annotators(store, "ann", "bob"))) == 2


def test_of_two_annotators_the_newest_finished_labels_count(store: LabelStore) -> None:
    store.save(replace(label(), time="2026-01-02"), "")
    store.save(replace(label("bob", blocks="00000000"), time="2026-01-03"), "")
    store.save(replace(label("cy", blocks="11111111"), time="2026-01-04", done=False), "")
    assert read_labels(store)[0][0].reference == ""
    assert read_labels(store, "ann")[0][0].reference.startswith("The harbour")  # type: ignore[union-attr]


def test_an_exported_set_is_complete(store: LabelStore, tmp_path: Path) -> None:
    named = replace(
        label(), title="The harbour", authors=("A", "B"), date="2026-01-01", url="http://a.example/"
    )
    assert main(["label", str(tmp_path), "--export", str(tmp_path / "set")]) == 3
    assert not (tmp_path / "set").exists()
    store.save(named, "")
    assert export_set(store, tmp_path / "set") == (1, [])
    (page,) = read_labelled(tmp_path / "set")
    assert page.reference == read_set(store.pages)[0].reference
    assert page.read() == HTML.encode()
    truth = json.loads((tmp_path / "set" / "ground-truth" / "a.json").read_text("utf-8"))[
        "ground_truth"
    ]
    assert (truth["title"], truth["authors"], truth["publish_date"]) == (
        "The harbour",
        ["A", "B"],
        "2026-01-01",
    )
    assert truth["comments"] == "I was there, it was loud.\n\nSo was I."
    with pytest.raises(ValueError, match="already"):
        export_set(store, tmp_path / "set")


def test_kappa() -> None:
    assert kappa(np.array([[20, 5], [10, 15]])) == pytest.approx(0.4)  # p = 0.7, e = 0.5
    assert kappa(np.array([[5, 0], [0, 7]])) == 1
    assert kappa(np.array([[25, 25], [25, 25]])) == 0
    assert math.isnan(kappa(np.array([[9, 0], [0, 0]])))


def test_agreement_of_two_annotators(store: LabelStore) -> None:
    same = compare(PAGE, label(), label("bob"))
    assert kappa(same.words) == kappa(same.blocks) == 1
    other = compare(PAGE, label(), label("bob", blocks="01100220"))
    assert other.blocks.tolist() == [[3, 0, 0], [1, 2, 0], [0, 0, 2]]
    assert other.words[1].tolist() == [5, 12, 0]  # the paragraph about boats has five words
    store.save(label(), "")
    store.save(label("bob", blocks="01100220"), "")
    store.save(replace(label("bob", path="b.html")), "")
    (agreement,) = compare_annotators(store, "ann", "bob")
    assert np.array_equal(agreement.words, other.words)
    table = to_table([agreement, same], ("ann", "bob"))
    assert table.splitlines()[0].startswith("kappa of ann and bob")
    assert table.splitlines()[-1].startswith("all 2 pages")
    store.save(replace(label(blocks="01100220"), done=False), store.read("a.html", "ann")[1])
    assert list(compare_annotators(store, "ann", "bob")) == []
