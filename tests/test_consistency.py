"""The rules that make scores consistent: copies, tables, headings, comments."""

import numpy as np
import numpy.typing as npt

import bodytext
from bodytext.methods.learned.consistency import find_copies, settle, spare_repeated
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


# Copies.


def test_copies_are_long_equal_texts_outside_of_code_and_tables() -> None:
    long, short = "five words make it long", "only three words"
    page = parse(
        f"<p>{long}<p>{short}<p> five  words make it long <p>{short}<pre>{long}</pre><p>another text of five words"
    )
    assert find_copies(page).tolist() == [0, 1, 0, 3, 4, 5]


def test_a_text_that_occurs_twice_is_kept_once() -> None:
    twice = "".join(f"<p>{PROSE} Number {number}." for number in range(8))
    text = str(
        bodytext.extract(f"<title>Ferry</title><h1>Ferry</h1><div>{twice}</div><div>{twice}</div>")
    )
    assert text.count("Number 3") == 1


def make_list(*items: str) -> str:
    return "<ul>" + "".join(f"<li>{item}" for item in items) + "</ul>"


def test_a_list_item_that_is_repeated_in_another_list_is_not_a_copy() -> None:
    warm_up, run = "warm up for ten slow minutes", "run for {} minutes along the river"
    page = parse("".join(make_list(warm_up, run.format(minutes)) for minutes in (20, 30, 40)))
    assert find_copies(page).tolist() == [0, 1, 0, 3, 0, 5]
    assert spare_repeated(page, find_copies(page), "article").tolist() == [0, 1, 2, 3, 4, 5]


def test_a_whole_list_that_is_repeated_is_a_copy() -> None:
    menu = make_list(
        "all about the ferry and its crew",
        "the post for the outer islands",
        "eels and where they go",
    )
    page = parse(menu + f"<p>{PROSE}" + menu)
    copies = find_copies(page)
    assert copies.tolist() == [0, 1, 2, 3, 0, 1, 2]
    assert spare_repeated(page, copies, "article").tolist() == copies.tolist()


def test_documentation_may_repeat_itself() -> None:
    page = parse(f"<h2>One</h2><p>{PROSE}<h2>Two</h2><p>{PROSE}")
    copies = find_copies(page)
    assert spare_repeated(page, copies, "documentation").tolist() == [0, 1, 2, 3]
    assert spare_repeated(page, copies, "article").tolist() == copies.tolist() == [0, 1, 2, 1]


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
