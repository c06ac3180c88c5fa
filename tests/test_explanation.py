"""The reasons for and against each block."""

from pathlib import Path

import numpy as np

from bodytext.methods.learned.explanation import GROUPS, _groups, explain_blocks
from bodytext.methods.learned.features import block_names
from bodytext.output.score_table import format_score_table
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.labels.labelled_set import read_labelled

LABELLED = Path(__file__).parent.parent / "labelled"


def list_reasons(page: Page) -> set[str]:
    """Return the words of all reasons on a page."""
    return {reason.words for reasons in explain_blocks(page) for reason in reasons}


def test_every_feature_belongs_to_one_group() -> None:
    count = len(block_names())
    rows = np.ones((1, count), dtype=np.float32)
    seen = np.zeros(count, dtype=int)
    for _, columns in _groups(rows):
        seen[columns] += 1
    missing = [name for name, times in zip(block_names(), seen, strict=True) if times != 1]
    assert missing == []


def test_every_block_of_a_page_has_reasons_in_order_of_weight() -> None:
    page = parse(read_labelled(LABELLED)[0].read())
    reasons = explain_blocks(page)
    assert len(reasons) == len(page)
    assert sum(map(bool, reasons)) > 0.9 * len(page)
    for of_block in reasons:
        weights = [abs(reason.weight) for reason in of_block]
        assert weights == sorted(weights, reverse=True)
        words = {reason.words for reason in of_block}
        assert all(
            word in GROUPS or word.startswith(("class names", "the page", "the same text"))
            for word in words
        )


def test_a_copy_names_its_original() -> None:
    text = "this text of some words is here twice"
    reasons = explain_blocks(parse(f"<p>{text}<p>{text}"))
    assert reasons[1][0].words == "the same text is in block 1"


def test_class_names_that_are_not_on_the_page_are_no_reason() -> None:
    page = parse(
        "<div class=comments><p>What a fine page this is</div><p>Some other words are here"
    )
    assert not any("breadcrumb" in words for words in list_reasons(page))


def test_a_page_without_blocks_has_no_reasons() -> None:
    assert explain_blocks(parse("")) == []


def test_the_score_table_has_the_reasons_under_each_block() -> None:
    page = parse("<p>one<p>two")
    scores = {"learned": np.array([0.9, 0.1], dtype=np.float32)}
    lines = format_score_table(page, scores, ["for: its length", ""]).splitlines()
    assert lines[2].strip() == "for: its length"
    # As the inspector counts
    assert [line.split()[0] for line in (lines[1], lines[3])] == [
        "1",
        "2",
    ]
    assert lines[-1] == "* kept at the usual threshold: a score of 0.5 or more"


def test_an_unknown_address_is_not_a_reason() -> None:
    story = (
        "<title>Harbour</title><h1>Harbour</h1>"
        + "<p>Ships come in again, said the mayor on Monday, at last.</p>" * 5
    )

    assert "the page's address" not in list_reasons(parse(story))
    assert "the page's address" in list_reasons(
        parse(story, url="https://news.example/2026/11/15/harbour")
    )
    assert "the page's address" in list_reasons(
        parse("<link rel=canonical href=https://news.example/2026/11/15/x>" + story)
    )
