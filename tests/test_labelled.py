"""The labelled pages: each page has its label and each label its page, and the label's text is on the page.

In the labels of any set, a value of the wrong type is an error that names its file.
"""

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bodytext import parse
from bodytext.page.encoding import encoding_for_label
from bodytext.studio.labels.labelled_set import LabelledPage, read_labelled

FOLDER = Path(__file__).resolve().parent.parent / "labelled"
LABELS = {path.stem: path for path in sorted((FOLDER / "ground-truth").glob("*.json"))}
PAGES = {path.stem: path for path in sorted((FOLDER / "html").glob("*.html"))}

KEYS = {"url", "file_id", "page_type", "language", "kind", "encoding", "ground_truth"}
TRUTH_KEYS = {"title", "author", "publish_date", "main_content", "with", "without"}
PAGE_TYPES = {"article", "service", "product", "collection", "forum", "listing", "documentation"}
KINDS = {"single-body", "multi-body", "commented", ""}


def read_label(identity: str) -> dict[str, Any]:
    label: dict[str, Any] = json.loads(LABELS[identity].read_text("utf-8"))
    return label


def fold(text: str) -> str:
    return " ".join(text.split())


def pieces(main_content: str) -> list[str]:
    """The lines of a reference text, rows of tables as their cells."""
    cells = main_content.replace("\t", "\n").split("\n")
    return [folded for cell in cells if (folded := fold(cell))]


def test_every_page_has_a_label_and_every_label_a_page() -> None:
    assert PAGES
    assert set(PAGES) == set(LABELS)


@pytest.mark.parametrize("identity", LABELS)
def test_label_is_complete(identity: str) -> None:
    label = read_label(identity)
    assert label.keys() >= KEYS
    assert label["file_id"] == identity
    assert label["page_type"] in PAGE_TYPES
    assert label["kind"] in KINDS
    assert label["url"].startswith(("http://", "https://"))
    assert label["language"].partition("-")[0] == identity.partition("-")[0]
    truth = label["ground_truth"]
    assert truth.keys() >= TRUTH_KEYS
    assert truth["title"]
    assert not truth["publish_date"] or date.fromisoformat(truth["publish_date"][:10])


@pytest.mark.parametrize("identity", LABELS)
def test_snippets_are_in_the_content_or_outside_it(identity: str) -> None:
    truth = read_label(identity)["ground_truth"]
    content = fold(truth["main_content"])
    assert len(truth["with"]) == len(truth["without"]) == 3
    assert [snippet for snippet in truth["with"] if fold(snippet) not in content] == []
    assert [snippet for snippet in truth["without"] if fold(snippet) in content] == []


@pytest.mark.parametrize("identity", LABELS)
def test_the_text_is_on_the_page(identity: str) -> None:
    label = read_label(identity)
    page = parse(PAGES[identity].read_bytes(), url=label["url"])
    assert page.encoding == encoding_for_label(label["encoding"])
    texts = [fold(text) for text in page.texts()]
    truth = label["ground_truth"]
    wanted = pieces(truth["main_content"])
    assert wanted
    assert [piece for piece in wanted if not any(piece in text for text in texts)] == []
    everything = " ".join(texts)
    assert [snippet for snippet in truth["without"] if fold(snippet) not in everything] == []


@pytest.mark.parametrize("key", ["url", "title"])
def test_no_two_pages_share(key: str) -> None:
    labels = [read_label(identity) for identity in LABELS]
    values = Counter((label | label["ground_truth"])[key] for label in labels)
    assert [value for value, count in values.items() if count > 1] == []


@pytest.mark.parametrize("key", ["page_type", "kind", "language", "encoding"])
def test_the_readme_counts_the_pages(key: str) -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    assert f"{len(LABELS)} pages" in text
    counts = Counter(read_label(identity)[key] or "(none)" for identity in LABELS)
    table = text.partition(f"| {key.replace('_', ' ')} | pages |\n|---|---:|\n")[2].partition(
        "\n\n"
    )[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    assert {value: int(count) for value, count in rows} == counts


def test_the_readme_names_the_keys_of_a_label() -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    assert [key for key in KEYS - {"ground_truth"} if f"| `{key}` |" not in text] == []
    assert [key for key in TRUTH_KEYS if f".{key}`" not in text] == []


@pytest.mark.parametrize("name", ["../secret.html", "../secret", "link", "/etc/passwd", "a\0b"])
@pytest.mark.parametrize("layout", ["snippets.json", "ground-truth.json"])
def test_a_label_of_a_page_outside_its_set_is_refused(
    tmp_path: Path, layout: str, name: str
) -> None:
    (tmp_path / "set" / "html").mkdir(parents=True)
    (tmp_path / "secret.html").write_text("<p>secret")
    (tmp_path / "set" / "secret.html").write_text("<p>secret")
    (tmp_path / "set" / "html" / "link.html").symlink_to(tmp_path / "secret.html")
    labels = {"https://a.example/": {"file": name}} if layout == "snippets.json" else {name: {}}
    (tmp_path / "set" / layout).write_text(json.dumps(labels))
    with pytest.raises(ValueError, match="leads out of"):
        read_labelled(tmp_path / "set")


def test_a_name_that_is_too_long_for_a_page_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "ground-truth.json").write_text(json.dumps({"x" * 5_000: {}}))
    with pytest.raises(ValueError, match="the page of label 'xxx"):
        read_labelled(tmp_path)


def test_labels_that_are_nested_too_deep_are_an_error_that_names_their_file(tmp_path: Path) -> None:
    (tmp_path / "snippets.json").write_text("[" * 100_000)
    with pytest.raises(ValueError, match=r"snippets\.json: not valid JSON"):
        read_labelled(tmp_path)


def read_one(folder: Path, name: str, labels: Any) -> LabelledPage:
    """The one page of a set with this label file."""
    for path in (folder / "html" / "a.html", folder / name):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(labels))
    (page,) = read_labelled(folder)
    return page


@pytest.mark.parametrize(
    ("label", "truth", "complaint"),
    [
        ({"page_type": 7}, {}, "page_type should be a string, not 7"),
        ({"page_type": False}, {}, "page_type should be a string, not False"),
        ({"url": 3}, {}, "url should be a string, not 3"),
        ({"url": "http://["}, {}, "'http://[' is not a URL (Invalid IPv6 URL)"),
        ({"kind": []}, {}, "kind should be a string, not []"),
        ({"language": {}}, {}, "language should be a string, not {}"),
        ({}, {"main_content": ["x"]}, "ground_truth: main_content should be a string, not ['x']"),
        ({}, {"with": 3}, "ground_truth: with should be a list of strings, not 3"),
        ({}, {"with": "abc"}, "ground_truth: with should be a list of strings, not 'abc'"),
        (
            {},
            {"without": ["a", None]},
            "ground_truth: without should be a list of strings, not ['a', None]",
        ),
        ({"ground_truth": "text"}, {}, "ground_truth should be an object, not 'text'"),
        ({"ground_truth": None}, {}, "the label has no ground_truth"),
    ],
)
def test_a_wrong_type_in_a_label_is_named(
    label: dict[str, Any], truth: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"a\.json: ") as caught:
        read_one(tmp_path, "ground-truth/a.json", {"ground_truth": truth} | label)
    assert str(caught.value) == f"{tmp_path / 'ground-truth' / 'a.json'}: {complaint}"


@pytest.mark.parametrize(
    ("name", "labels", "complaint"),
    [
        ("ground-truth.json", {"a": "text"}, "a should be an object, not 'text'"),
        ("ground-truth.json", {"a": None}, "a should be an object, not None"),
        (
            "ground-truth.json",
            {"a": {"articleBody": 7}},
            "a: articleBody should be a string, not 7",
        ),
        ("ground-truth.json", {"a": {"url": ["b"]}}, "a: url should be a string, not ['b']"),
        ("ground-truth.json", {"a": {"url": "//["}}, "a: '//[' is not a URL (Invalid IPv6 URL)"),
        ("ground-truth.json", ["a"], "not a JSON object"),
        ("snippets.json", {"b": ["a"]}, "b should be an object, not ['a']"),
        ("snippets.json", {"b": {"file": 7}}, "b: file should be a string, not 7"),
        (
            "snippets.json",
            {"b": {"file": "a", "with": "abc"}},
            "b: with should be a list of strings, not 'abc'",
        ),
        ("snippets.json", {"//[": {"file": "a"}}, "//[: '//[' is not a URL (Invalid IPv6 URL)"),
    ],
)
def test_a_wrong_type_among_labels_is_named(
    name: str, labels: Any, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"\.json: ") as caught:
        read_one(tmp_path, name, labels)
    assert str(caught.value) == f"{tmp_path / name}: {complaint}"


def test_null_counts_as_missing(tmp_path: Path) -> None:
    truth = {"main_content": None, "with": None, "without": None}
    nothing = {
        "url": None,
        "page_type": None,
        "kind": None,
        "language": None,
        "ground_truth": truth,
    }
    page = read_one(tmp_path, "ground-truth/a.json", nothing)
    path = tmp_path / "html" / "a.html"
    assert page == LabelledPage("a", path, "", "article", "", (), (), "", "")
    assert page == read_one(tmp_path, "ground-truth/a.json", {"ground_truth": {"main_content": ""}})
    assert read_one(tmp_path, "ground-truth/a.json", {"ground_truth": {}}).reference is None
