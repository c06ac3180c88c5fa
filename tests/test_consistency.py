"""The rules that make scores consistent: tables, headings, comments."""

import numpy as np
import numpy.typing as npt

from bodytext.methods.learned.consistency import settle
from bodytext.methods.learned.features import read_features
from bodytext.page.parser import parse
from bodytext.page.tables import Page

PROSE = "The ferry left at dawn with nine passengers, a crate of eels and the post for the outer islands. "


def settle_scores(page: Page, scores: list[float], page_type: str) -> list[float]:
    """Return the scores of the blocks after the rules."""
    values = np.array(scores, dtype=np.float32)
    settle(page, values, count_words(page), page_type, read_features(page).topics)
    return [round(score, 3) for score in values.tolist()]


def count_words(page: Page) -> npt.NDArray[np.float32]:
    return page.per_block(page.runs.words).astype(np.float32)


# Tables.

TIMES = "<table><tr><th>Port<th>Leaves<tr><td>Lomvi<td>16:55<tr><td>Skarv<td>\u2714</table>"


def test_a_table_is_kept_as_a_whole() -> None:
    page = parse(f"<p>{PROSE}{TIMES}")
    assert settle_scores(page, [0.9, 0.2, 0.2, 0.9, 0.9, 0.9, 0.1], "article") == [
        0.9,
        0.587,
        0.587,
        0.9,
        0.9,
        0.9,
        0.587,
    ]


def test_a_table_with_few_kept_cells_stays_below_the_boundary() -> None:
    scores = settle_scores(
        parse(f"<p>{PROSE}{TIMES}"), [0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.1], "article"
    )
    assert [score >= 0.5 for score in scores] == [True, False, False, True, False, False, False]


def test_a_table_used_for_layout_is_not_a_data_table() -> None:
    """A cell of many blocks is a part of the page."""
    layout = f"<table><tr><td><p>Menu<p>Home<p>About<td><p>{PROSE}<p>{PROSE}!<tr><td><p>Contact<p>Terms<td><p>End</table>"
    scores = [0.1, 0.1, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1]
    assert settle_scores(parse(layout), scores, "article") == scores


# Headings.


def test_a_heading_without_text_after_it_is_dropped() -> None:
    page = parse(f"<h1>Ferry</h1><p>{PROSE}<h2>Related</h2><p>Other news<h2>More</h2>")
    assert settle_scores(page, [0.8, 0.9, 0.7, 0.3, 0.6], "article") == [0.8, 0.9, 0.3, 0.3, 0.0]


def test_a_list_of_headings_is_kept() -> None:
    page = parse(f"<p>{PROSE}<h2>One</h2><h2>Two</h2>")
    assert settle_scores(page, [0.9, 0.8, 0.8], "listing") == [0.9, 0.8, 0.8]
    assert settle_scores(page, [0.1, 0.8, 0.8], "collection") == [
        0.1,
        0.8,
        0.8,
    ]  # there is no other text


# Comments.


def test_comments_are_not_part_of_an_article() -> None:
    page = parse(f"<article><p>{PROSE}<p>{PROSE}!</article><div class=comments><p>Nice eels!</div>")
    assert settle_scores(page, [0.9, 0.9, 0.8], "article") == [0.9, 0.9, 0.0]
    assert settle_scores(page, [0.9, 0.9, 0.8], "forum") == [0.9, 0.9, 0.8]


def test_a_page_whose_body_has_the_class_comments_is_kept() -> None:
    page = parse(f"<body class=comments-open><article><p>{PROSE}<p>{PROSE}!</article>")
    assert settle_scores(page, [0.9, 0.9], "article") == [0.9, 0.9]
