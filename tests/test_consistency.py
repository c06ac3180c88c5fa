"""Units are kept or dropped as a whole; headings and lead-ins need what they announce; asides."""

import timeit

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import kernel
from bodytext.methods.learned.features import read_features
from bodytext.methods.scores import BOUNDARY
from bodytext.page.parser import parse
from bodytext.page.tables import Page, tag_mask
from example_counts import some_of

PROSE = "The ferry left at dawn with nine passengers, a crate of eels and the post for the outer islands. "
THRESHOLDS = (0.15, 0.5, 0.8)


def settle_scores(page: Page, scores: list[float], page_type: str = "article") -> list[float]:
    """Return the scores of the blocks after the rules."""
    values = np.array(scores, dtype=np.float32)
    settle(page, values, count_words(page), page_type, read_features(page).topics)
    return [round(score, 3) for score in values.tolist()]


def settle(
    page: Page,
    scores: npt.NDArray[np.float32],
    words: npt.NDArray[np.float32],
    page_type: str,
    topics: npt.NDArray[np.uint64],
) -> None:
    """Change the scores by the rules."""
    tables = (page.nodes, page.runs, page.blocks)
    kernel.settle_scores(page.source, tables, (scores, words, topics), page_type, BOUNDARY)


def count_words(page: Page) -> npt.NDArray[np.float32]:
    return page.per_block(page.runs.words).astype(np.float32)


def cut(scores: list[float]) -> str:
    """Return a letter for each block: k if it is kept, else a dot."""
    return "".join("k" if score >= 0.5 else "." for score in scores)


# Units.

TIMES = "<table><caption>Times</caption><tr><th>Port<th>Leaves<tr><td>Lomvi<td>16:55<tr><td>Skarv<td>\u2714</table>"
CREW = "<ul><li>Two men of Lomvi<li>A cook with a boy<ul><li>Their dog</ul></ul>"
TERMS = "<dl><dt>Eel<dd>A fish like a snake<dt>Crate<dd>A box of boards</dl>"
QUOTE = "<blockquote><p>We saw no land.<p>We saw no light.<footer>The mate</footer></blockquote>"
QUESTION = (
    "<details><summary>Does it sail in ice?</summary><p>It does, slowly.<p>Not in March.</details>"
)
UNITS = {
    "table": (TIMES, 7),
    "list": (CREW, 3),
    "definitions": (TERMS, 4),
    "quotation": (QUOTE, 3),
    "answer": (QUESTION, 3),
}


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_has_one_score_between_those_of_its_blocks(name: str) -> None:
    html, size = UNITS[name]
    page = parse(f"<p>{PROSE}{html}<p>{PROSE}!")
    assert len(page) == size + 2
    before = [0.9, *np.linspace(0.2, 0.8, size).tolist(), 0.1]
    first, *unit, last = settle_scores(page, before)
    assert (first, last) == (0.9, 0.1)
    assert len(set(unit)) == 1
    assert 0.2 < unit[0] < 0.8


def test_the_mean_of_a_unit_is_weighted_by_words() -> None:
    page = parse(f"<p>{PROSE}<ul><li>One<li>One two three four five six seven eight nine</ul>")
    assert settle_scores(page, [0.9, 0.9, 0.1]) == [0.9, 0.209, 0.209]


def test_a_unit_with_most_of_the_kept_words_is_kept() -> None:
    """Else the half of a page of results that a network is sure of would be lost with the rest."""
    page = parse(f"<p>Results</p>{TIMES}")
    scores = [0.6, 0.1, *[0.9] * 2, *[0.1] * 4]
    assert cut(settle_scores(page, scores, "listing")) == "kkkkkkkk"
    page = parse(f"<p>{PROSE}</p>{TIMES}")
    assert cut(settle_scores(page, scores, "listing")) == "k......."


def test_a_copy_in_a_unit_is_kept_or_dropped_with_it() -> None:
    """A copy has the score 0."""
    assert cut(settle_scores(parse(f"<p>{PROSE}{CREW}"), [0.9, 0.9, 0.9, 0.0])) == "kkkk"
    assert cut(settle_scores(parse(f"<p>{PROSE}{CREW}"), [0.9, 0.0, 0.0, 0.9])) == "k..."


def test_a_table_used_for_layout_is_not_a_unit() -> None:
    """A cell of many blocks is a part of the page."""
    layout = f"<table><tr><td><p>Menu<p>Home<p>About<td><p>{PROSE}<p>{PROSE}!<tr><td><p>Contact<p>Terms<td><p>End</table>"
    scores = [0.1, 0.1, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1]
    assert settle_scores(parse(layout), scores) == scores


def test_a_table_around_another_is_not_a_unit() -> None:
    page = parse(f"<table><tr><td>Menu<td>{TIMES}<tr><td>Terms<td>End</table>")
    scores = settle_scores(page, [0.1, *[0.9] * 7, 0.1, 0.1])
    assert scores == [0.1, *[0.9] * 7, 0.1, 0.1]


def test_a_list_of_long_entries_is_not_a_unit() -> None:
    posts = "<li><p>Ann<p>Monday<p>Fine eels.<li><p>Bo<p>Tuesday<p>Which eels?"
    scores = [0.1, 0.1, 0.9, 0.1, 0.1, 0.9]
    assert settle_scores(parse(f"<ol>{posts}</ol>"), scores, "forum") == scores


def test_a_list_of_posts_is_not_a_unit_however_many_items_are_in_them() -> None:
    post = f"<li><ul><li>Posts: 9<li>Joined: May</ul><blockquote>{PROSE}</blockquote>"
    page = parse(f"<ol>{post * 3}</ol>")
    scores = settle_scores(page, [0.1, 0.1, 0.9] * 3, "forum")
    assert cut(scores) == "..k" * 3


def test_a_long_quotation_is_not_a_unit() -> None:
    """Old pages indent whole articles in that way."""
    page = parse("<blockquote>" + "".join(f"<p>{PROSE}{number}" for number in range(6)))
    scores = [0.1, 0.9, 0.9, 0.9, 0.9, 0.1]
    assert settle_scores(page, scores) == scores


# Lead-ins.


@pytest.mark.parametrize("colon", [":", ": ", ":\n   ", ":&nbsp;", "\uff1a", "<b>:</b>"])
def test_a_lead_in_brings_its_list_along(colon: str) -> None:
    page = parse(f"<p>{PROSE}<p>The villages sent the following things{colon}</p>{CREW}")
    assert cut(settle_scores(page, [0.9, 0.95, 0.48, 0.31, 0.4])) == "kkkkk"


def test_a_lead_in_goes_with_its_list() -> None:
    page = parse(f"<p>{PROSE}<p>You may also like:{CREW}<p>{PROSE}!")
    assert cut(settle_scores(page, [0.9, 0.6, 0.1, 0.1, 0.1, 0.9])) == "k....k"


def test_a_sentence_without_a_colon_is_no_lead_in() -> None:
    page = parse(f"<p>{PROSE}<p>The villages sent many things.{CREW}")
    assert cut(settle_scores(page, [0.9, 0.9, 0.4, 0.3, 0.4])) == "kk..."


def test_a_lead_in_is_joined_with_its_code_over_a_label_and_a_button() -> None:
    label = "<div>bash</div><button>Copy</button>"
    page = parse(f"<p>{PROSE}<p>Type this:{label}<pre>sail --fast</pre>")
    _, *unit = settle_scores(page, [0.9, 0.9, 0.2, 0.1, 0.3])
    assert len(set(unit)) == 1


def test_a_lead_in_needs_what_it_announces() -> None:
    page = parse(f"<p>{PROSE}<p>Write to us:<p>Your name:<p>Your message:<p>Send<p>Terms<p>Top")
    assert cut(settle_scores(page, [0.9, 0.9, 0.9, 0.8, 0.1, 0.1, 0.1])) == "k......"


def test_a_lead_in_at_the_end_of_the_page_is_left_alone() -> None:
    assert settle_scores(parse(f"<p>{PROSE}<p>And then:"), [0.9, 0.8]) == [0.9, 0.8]


def test_a_long_text_that_ends_in_a_colon_is_kept() -> None:
    page = parse(f"<p>{PROSE}{PROSE}Then:<p>Share<p>Tweet<p>Print")
    assert settle_scores(page, [0.9, 0.1, 0.1, 0.1]) == [0.9, 0.1, 0.1, 0.1]


# Code and tables.


def test_code_between_kept_texts_is_kept() -> None:
    page = parse(f"<p>{PROSE}<pre>sail()</pre><div>Copy</div><pre>moor()</pre><p>{PROSE}!")
    assert settle_scores(page, [0.9, 0.1, 0.1, 0.2, 0.8]) == [0.9, 0.8, 0.1, 0.8, 0.8]


def test_code_at_the_edge_of_the_text_keeps_its_score() -> None:
    page = parse(f"<pre>sail()</pre><p>{PROSE}<pre>moor()</pre><p>Some other pages")
    assert settle_scores(page, [0.1, 0.9, 0.2, 0.1]) == [0.1, 0.9, 0.2, 0.1]


def test_a_table_between_kept_texts_is_kept() -> None:
    page = parse(f"<p>{PROSE}{TIMES}<p>{PROSE}!")
    assert cut(settle_scores(page, [0.9, *[0.3] * 7, 0.8])) == "kkkkkkkkk"
    assert cut(settle_scores(page, [0.9, *[0.3] * 7, 0.2])) == "k........"


# Headings.


def test_a_heading_without_text_after_it_is_dropped() -> None:
    page = parse(f"<h1>Ferry</h1><p>{PROSE}<h2>Related</h2><p>Other news<h2>More</h2>")
    assert settle_scores(page, [0.8, 0.9, 0.7, 0.3, 0.6]) == [0.8, 0.9, 0.3, 0.3, 0.0]


def test_a_heading_needs_the_text_of_its_own_section() -> None:
    page = parse(f"<h1>Ferry</h1><h2>Subscribe</h2><p>{PROSE}<h2>Eels</h2><p>{PROSE}!")
    assert cut(settle_scores(page, [0.9, 0.8, 0.1, 0.9, 0.9])) == "k..kk"


def test_a_section_includes_those_of_lower_rank() -> None:
    page = parse(f"<h2>Ferry</h2><p>By {PROSE}<h3>Eels</h3><p>{PROSE}!<h2>More</h2><p>{PROSE}?")
    assert cut(settle_scores(page, [0.9, 0.1, 0.9, 0.9, 0.9, 0.1])) == "k.kk.."


@pytest.mark.parametrize(
    "unseen", ["<h2 hidden>Why this?</h2>", "<h1 hidden><p>Why</p><p>this?</p></h1>"]
)
def test_a_heading_that_nobody_sees_ends_no_section(unseen: str) -> None:
    page = parse(f"<h3>Eels, smoked</h3><p>Sold out{unseen}<p>{PROSE}<h2>Post</h2><p>{PROSE}!")
    scores = settle_scores(page, [0.8, 0.3, *[0.8] * (len(page) - 5), 0.2, 0.9, 0.9])
    assert cut(scores)[0] == cut(scores)[-3] == "."
    assert cut(scores)[-2:] == "kk"


def test_every_line_of_a_heading_needs_text() -> None:
    page = parse(f"<p>{PROSE}<h2>Ferries<p>and eels</h2><p>{PROSE}!<h2>Post</h2><p>{PROSE}?")
    assert cut(settle_scores(page, [0.9, 0.3, 0.8, 0.2, 0.9, 0.9])) == "k...kk"


def test_a_button_in_a_heading_is_no_text() -> None:
    question = "<h3><button>Does the ferry of the outer islands sail in ice?</button></h3>"
    page = parse(f"<p>{PROSE}<h2>Questions</h2>{question}<p>{PROSE}!")
    assert cut(settle_scores(page, [0.9, 0.8, 0.8, 0.1])) == "k..."


def test_headings_in_each_other_take_linear_time() -> None:
    page = parse("<h1><p>Ferry<div>" * 3000)
    scores = np.full(len(page), 0.9, dtype=np.float32)
    topics, words = read_features(page).topics, count_words(page)
    best = min(timeit.repeat(lambda: settle(page, scores, words, "article", topics), number=1))
    assert best < 0.1


def test_a_heading_over_a_mere_label_is_kept() -> None:
    """Cards have a title and a link, and the title is the content."""
    page = parse(f"<h3>Ferry</h3><p>See it<h3>Eels</h3><p>See it<h3>Post</h3><p>{PROSE}")
    assert cut(settle_scores(page, [0.9, 0.1, 0.9, 0.1, 0.9, 0.9])) == "k.k.kk"


def test_a_long_heading_is_a_text() -> None:
    page = parse(f"<h2>{PROSE}</h2><p>{PROSE}!<p>{PROSE}?")
    assert settle_scores(page, [0.9, 0.1, 0.1]) == [0.9, 0.1, 0.1]


def test_numbered_headings_with_short_texts_are_kept() -> None:
    page = parse(
        f"<p>{PROSE}<h2>1. Lomvi</h2><p>Two ferries.<h2>2. Skarv</h2><p>One ferry.<p>{PROSE}!"
    )
    assert cut(settle_scores(page, [0.9, 0.9, 0.4, 0.9, 0.4, 0.9])) == "kk.k.k"


def test_headings_of_a_listing_need_no_text() -> None:
    page = parse(f"<p>{PROSE}<h2>Eels</h2><p>{PROSE}<h2>Boats</h2><p>{PROSE}!")
    scores = [0.9, 0.8, 0.1, 0.8, 0.1]
    assert cut(settle_scores(page, scores, "listing")) == "kk.k."
    assert cut(settle_scores(page, scores)) == "k...."


def test_a_list_of_headings_is_kept() -> None:
    page = parse(f"<p>{PROSE}<h2>One</h2><h2>Two</h2>")
    assert settle_scores(page, [0.9, 0.8, 0.8], "listing") == [0.9, 0.8, 0.8]
    # There is no other text
    assert settle_scores(page, [0.1, 0.8, 0.8], "collection") == [0.1, 0.8, 0.8]


# What is beside an article.


@pytest.mark.parametrize("tag", ["nav", "aside", "footer"])
def test_what_html_calls_outside_is_left_out(tag: str) -> None:
    cards = "<h3><a href=/a>Two boats meet</a></h3><h3><a href=/b>An eel escapes</a></h3>"
    page = parse(f"<main><p>{PROSE}{PROSE}</main><{tag}>{cards}</{tag}>")
    assert cut(settle_scores(page, [0.9, 0.8, 0.8], "listing")) == "k.."
    # Unless nearly everything is in there.
    page = parse(f"<p>Two words</p><{tag}>{cards}</{tag}>")
    assert cut(settle_scores(page, [0.9, 0.8, 0.8], "listing")) == "kkk"


def test_a_note_in_an_aside_is_left_to_the_network() -> None:
    page = parse(f"<p>{PROSE}{PROSE}<aside><p>{PROSE}</aside><p>{PROSE}!")
    assert cut(settle_scores(page, [0.9, 0.9, 0.9])) == "kkk"


@pytest.mark.parametrize("tag", ["nav", "aside", "footer"])
def test_an_element_that_is_not_closed_does_not_end_the_article(tag: str) -> None:
    page = parse(f"<article><p>{PROSE}{PROSE}<{tag}><p>{PROSE}<p>{PROSE}!<p>{PROSE}?</article>")
    assert cut(settle_scores(page, [0.9, 0.9, 0.9, 0.9])) == "kkkk"


def test_a_footer_of_a_quotation_names_its_source() -> None:
    page = parse(f"<p>{PROSE}{PROSE}{QUOTE}<footer>All rights reserved</footer>")
    assert cut(settle_scores(page, [0.9, 0.9, 0.9, 0.9, 0.9])) == "kkkk."


@pytest.mark.parametrize("name", ["comments", "byline", "newsletter-signup", "login-box"])
def test_what_is_beside_an_article_by_its_name_is_left_out(name: str) -> None:
    page = parse(f"<article><p>{PROSE}<p>{PROSE}!</article><div class={name}><p>Nice eels!</div>")
    assert settle_scores(page, [0.9, 0.9, 0.8]) == [0.9, 0.9, 0.0]
    assert settle_scores(page, [0.9, 0.9, 0.8], "forum") == [0.9, 0.9, 0.8]


@pytest.mark.parametrize(
    ("page_type", "name"),
    [
        ("forum", "signature"),
        ("service", "site-footer"),
        ("product", "size-modal"),
        ("collection", "terms-dialog"),
    ],
)
def test_what_is_beside_the_text_of_other_pages_is_left_out(page_type: str, name: str) -> None:
    page = parse(f"<main><p>{PROSE}<p>{PROSE}!</main><div class={name}><p>Nice eels!</div>")
    assert settle_scores(page, [0.9, 0.9, 0.8], page_type) == [0.9, 0.9, 0.0]
    assert settle_scores(page, [0.9, 0.9, 0.8], "documentation") == [0.9, 0.9, 0.8]
    few = parse(f"<p>Eels<div class={name}><p>{PROSE}<p>{PROSE}!</div>")
    assert settle_scores(few, [0.9, 0.9, 0.9], page_type) == [0.9, 0.9, 0.9]


@pytest.mark.parametrize("name", ["comments-open", "author-ann", "has-login", "wp-caption"])
def test_an_article_in_an_element_of_such_a_name_is_kept(name: str) -> None:
    page = parse(f"<body class={name}><article><p>{PROSE}<p>Short.<p>{PROSE}!</article>")
    assert settle_scores(page, [0.9, 0.8, 0.9]) == [0.9, 0.8, 0.9]


def test_a_list_is_not_torn_by_the_name_of_an_element_around_it() -> None:
    page = parse(f"<body class=author><p>{PROSE}<ul><li>{PROSE}!<li>Their dog</ul>")
    assert cut(settle_scores(page, [0.9, 0.9, 0.8])) == "kkk"


def test_what_is_called_a_caption_scores_less_unless_it_is_marked_as_one() -> None:
    """The network knows `<figcaption>`."""
    page = parse(f"<p>{PROSE}<p>{PROSE}!<div class=caption>The ferry</div><p>{PROSE}?")
    assert settle_scores(page, [0.9, 0.9, 0.6, 0.9]) == [0.9, 0.9, 0.42, 0.9]
    figure = "<figure class=caption><figcaption>The ferry</figcaption></figure>"
    page = parse(f"<p>{PROSE}<p>{PROSE}!{figure}<p>{PROSE}?")
    assert settle_scores(page, [0.9, 0.9, 0.6, 0.9]) == [0.9, 0.9, 0.6, 0.9]


# Links to other articles.

PROMOTION = "<p>Read more: <a href=/eels>How the eels came back to the bay</a>"


def test_a_paragraph_of_links_between_paragraphs_leads_elsewhere() -> None:
    page = parse(f"<p>{PROSE}{PROMOTION}<p>{PROSE}!")
    assert settle_scores(page, [0.9, 0.8, 0.9]) == [0.9, 0.4, 0.9]
    assert settle_scores(page, [0.9, 0.8, 0.9], "listing") == [0.9, 0.8, 0.9]


def test_several_paragraphs_of_links_lead_elsewhere_too() -> None:
    page = parse(f"<p>{PROSE}{PROMOTION}{PROMOTION}!<p>{PROSE}!")
    assert settle_scores(page, [0.9, 0.8, 0.8, 0.9]) == [0.9, 0.4, 0.4, 0.9]


def test_links_lead_elsewhere_where_the_text_ends() -> None:
    page = parse(f"<p>{PROSE}{PROMOTION}{PROMOTION}!")
    assert settle_scores(page, [0.9, 0.8, 0.8]) == [0.9, 0.4, 0.4]
    page = parse(f"<p>{PROSE}{PROMOTION}<div>All rights reserved</div>")
    assert settle_scores(page, [0.9, 0.8, 0.1]) == [0.9, 0.4, 0.1]
    assert settle_scores(page, [0.9, 0.8, 0.9]) == [0.9, 0.8, 0.9]
    assert settle_scores(page, [0.4, 0.8, 0.1]) == [0.4, 0.8, 0.1]


def test_a_long_paragraph_that_is_a_link_is_a_text() -> None:
    page = parse(f"<p>{PROSE}<p><a href=/eels>{PROSE}{PROSE}</a>")
    assert settle_scores(page, [0.9, 0.8]) == [0.9, 0.8]


# What is never shown.


@pytest.mark.parametrize(
    "hidden",
    ["<template>{}</template>", "<svg><text>{}</text></svg>", "<div class=sr-only>{}</div>"],
)
def test_what_no_reader_sees_is_left_out_if_enough_is_kept(hidden: str) -> None:
    page = parse(f"<p>{PROSE}<p>{PROSE}!{hidden.format('Another story of the bay')}")
    assert settle_scores(page, [0.9, 0.9, 0.8]) == [0.9, 0.9, 0]
    assert settle_scores(page, [0.9, 0.1, 0.8]) == [0.9, 0.1, 0.8]


def test_the_name_of_a_field_is_left_out_and_a_question_is_not() -> None:
    form = "<div><label>Your name</label></div><div><label>Your boat</label></div>"
    page = parse(f"<p>{PROSE}<p>{PROSE}!{form}")
    assert settle_scores(page, [0.9, 0.9, 0.8, 0.8], "service") == [0.9, 0.9, 0, 0]
    page = parse(
        f"<p>{PROSE}<p>{PROSE}!<div><label>When does it leave?</label></div><div>{PROSE}?</div>"
    )
    assert settle_scores(page, [0.9, 0.9, 0.8, 0.8], "service") == [0.9, 0.9, 0.8, 0.8]


def test_buttons_of_shops_are_left_out() -> None:
    page = parse(f"<p>{PROSE}<p>{PROSE}!<button>Add to the cart</button>")
    assert settle_scores(page, [0.9, 0.9, 0.8], "product") == [0.9, 0.9, 0]
    assert settle_scores(page, [0.9, 0.9, 0.8], "service") == [0.9, 0.9, 0.8]
    question = f"<h3><button>When does it leave?</button></h3><p>{PROSE}?"
    page = parse(f"<p>{PROSE}<p>{PROSE}!{question}")
    assert settle_scores(page, [0.9, 0.9, 0.8, 0.8], "product") == [0.9, 0.9, 0.8, 0.8]


def test_links_after_the_texts_of_a_service_are_buttons() -> None:
    page = parse(f"<p>{PROSE}<p><a href=/book>Book a crossing</a><h2>Eels</h2><p>{PROSE}!")
    assert settle_scores(page, [0.9, 0.8, 0.9, 0.9], "service") == [0.9, 0.4, 0.9, 0.9]
    assert settle_scores(page, [0.9, 0.8, 0.9, 0.9], "product") == [0.9, 0.8, 0.9, 0.9]


def test_headings_inside_an_article_are_kept() -> None:
    page = parse(f"<p>{PROSE}<h2>Of the bay</h2><p>{PROSE}!")
    assert settle_scores(page, [0.9, 0.2, 0.9]) == [0.9, 0.5, 0.9]
    assert settle_scores(page, [0.9, 0.1, 0.9]) == [0.9, 0.1, 0.9]  # it is no part of it
    assert settle_scores(page, [0.3, 0.2, 0.9]) == [0.3, 0.2, 0.9]  # it is before the article
    assert settle_scores(page, [0.9, 0.2, 0.3]) == [0.9, 0.2, 0.3]
    page = parse(f"<p>{PROSE}<h2><a href=/eels>Of the bay</a></h2><p>{PROSE}!")
    assert settle_scores(page, [0.9, 0.2, 0.9]) == [0.9, 0.2, 0.9]


# Units whose parts differ, and headings that are names.


def test_a_table_of_threads_parts_from_its_counts_and_dates() -> None:
    rows = "".join(
        f"<tr><td>The ferry, the eels and number {row}<td>12<td>Monday" for row in range(4)
    )
    page, scores = parse(f"<table>{rows}</table>"), [0.9, 0.1, 0.1] * 4
    assert settle_scores(page, scores, "listing") == scores
    assert len(set(settle_scores(page, scores, "article"))) == 1
    near = [0.6, 0.4, 0.4] * 4
    assert len(set(settle_scores(page, near, "listing"))) == 1


def test_a_small_table_is_kept_or_dropped_as_a_whole() -> None:
    rows = "".join(f"<tr><td>The ferry, the eels and number {row}<td>12" for row in range(3))
    page = parse(f"<table>{rows}</table>")
    assert len(set(settle_scores(page, [0.9, 0.1] * 3, "listing"))) == 1


def test_the_names_of_things_for_sale_need_no_text() -> None:
    card = "<h3><a href=/eel>Smoked eel</a></h3><p>Nine in stock, sold by the pound here"
    page = parse(f"<div>{card}</div><div>{card}</div>")
    assert settle_scores(page, [0.9, 0.2, 0.9, 0.2], "collection") == [0.9, 0.2, 0.9, 0.2]
    assert settle_scores(page, [0.9, 0.2, 0.9, 0.2], "product") == [0.2, 0.2, 0.2, 0.2]
    page = parse(f"<div>{card.replace('a href', 'b title')}</div>")
    assert settle_scores(page, [0.9, 0.2], "collection")[0] == settle_scores(page, [0.9, 0.2])[0]


# Any page, any scores.

PIECES = [
    f"<p>{PROSE}",
    "<p>Here they are:",
    "<h2>Eels</h2>",
    "<h3>Of the bay</h3>",
    "<pre>sail()</pre>",
    "<button>Copy</button>",
    TIMES,
    CREW,
    TERMS,
    QUOTE,
    QUESTION,
    f"<blockquote>{CREW}</blockquote>",
    f"<ul><li>Of this:{TERMS}<li>and that</ul>",
    f"<aside>{CREW}</aside>",
    "<nav><details><summary>More</summary><p>All boats</details></nav>",
    "<footer>All rights reserved</footer>",
]


# What was torn out of an article.

ENTRIES = "".join(f"<h2>Boat {number}</h2><p>{PROSE}{PROSE}{number}</p>" for number in range(3))
LIST_ARTICLE = f"<article><p>{PROSE * 3}<p>{PROSE * 2}!</p>{ENTRIES}</article><p>{PROSE}{PROSE}"


def test_long_entries_of_an_article_are_not_torn_out() -> None:
    page = parse(LIST_ARTICLE)
    before = [0.9, 0.9, 0.1, 0.3, 0.1, 0.4, 0.1, 0.3, 0.3]
    assert cut(settle_scores(page, before)) == "kkkkkkkk."
    assert cut(settle_scores(page, before, "product")) == "kk......."


@pytest.mark.parametrize(
    "entries", [[0.2, 0.2, 0.2], [0.4, 0.2, 0.2]], ids=["unlikely", "one of them"]
)
def test_unlikely_text_was_not_torn_out(entries: list[float]) -> None:
    one, two, three = entries
    scores = [0.9, 0.9, 0.1, one, 0.1, two, 0.1, three, 0.3]
    assert cut(settle_scores(parse(LIST_ARTICLE), scores)) == "kk......."


def test_a_note_after_a_long_article_is_left_to_the_network() -> None:
    page = parse(f"<div><p>{PROSE * 15}<p>{PROSE * 16}<p>{PROSE * 2}<p>{PROSE * 2}!</div>")
    assert cut(settle_scores(page, [0.9, 0.9, 0.4, 0.4])) == "kk.."


def test_links_and_copies_are_not_mended() -> None:
    """A copy has the score 0."""
    links = parse(LIST_ARTICLE.replace("</h2><p>", "</h2><p><a href=x>"))
    assert cut(settle_scores(links, [0.9, 0.9, 0.1, 0.4, 0.1, 0.4, 0.1, 0.4, 0.4])) == "kk......."
    page = parse(LIST_ARTICLE)
    scores = settle_scores(page, [0.9, 0.9, 0.0, 0.4, 0.0, 0.4, 0.0, 0.4, 0.4])
    assert cut(scores) == "kk.k.k.k."


@settings(max_examples=some_of(150), deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_no_threshold_tears_a_list_or_a_table(pieces: list[str], seed: int) -> None:
    page = parse("".join(pieces))
    scores = np.random.default_rng(seed).random(len(page)).astype(np.float32)
    settle(page, scores, count_words(page), "article", read_features(page).topics)
    for node in np.flatnonzero(tag_mask("table ul dl")[page.nodes.tag]).tolist():
        runs = page.nodes.first_run[node], page.nodes.stop_run[node]
        first, stop = np.searchsorted(page.blocks.first_run, runs)
        for threshold in THRESHOLDS:
            assert len(set((scores[first:stop] >= threshold).tolist())) == 1
