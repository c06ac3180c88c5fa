"""The labelled pages: each page has its label and each label its page, and the label's text stands on the page."""

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bodytext import parse
from bodytext.encoding import encoding_for_label

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
def test_snippets_are_on_their_side(identity: str) -> None:
    truth = read_label(identity)["ground_truth"]
    content = fold(truth["main_content"])
    assert len(truth["with"]) == len(truth["without"]) == 3
    assert [snippet for snippet in truth["with"] if fold(snippet) not in content] == []
    assert [snippet for snippet in truth["without"] if fold(snippet) in content] == []


@pytest.mark.parametrize("identity", LABELS)
def test_text_stands_on_the_page(identity: str) -> None:
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
