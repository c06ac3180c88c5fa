"""cuter: shares, groups, the title, labels, meaning."""

import pytest

from bodytext import extract, parse
from bodytext.kernel.html import TAG
from bodytext.methods.cuter import Cuter, Label, label_nodes

MENU = (
    "<ul>" + "".join(f"<li><a href='/{n}'>Section number {n}</a></li>" for n in range(8)) + "</ul>"
)
STORY = "".join(
    f"<p>Sentence {n} of the story tells what the harbour master saw that night.</p>"
    for n in range(8)
)
ADVERT = "<div><a href='http://shop.example/'>Buy the new lamp today, it is cheap and bright and shines all night</a></div>"


def text_of(html: str, **parameters: object) -> str:
    return str(extract(html, method=Cuter(**parameters)))  # type: ignore[arg-type]


def test_link_laden_nodes_go_with_everything_under_them() -> None:
    text = text_of(f"<body>{MENU}<div>{STORY}</div>{MENU}")
    assert "Sentence 0" in text
    assert "Section" not in text


def test_half_of_the_text_in_links_is_too_much() -> None:
    page = parse("<body><div>abcd<a href=x>efgh</a></div><div>abcde<a href=x>efgh</a></div>")
    laden = Cuter().link_laden(page)
    assert [
        bool(mark)
        for mark, tag in zip(laden, page.nodes.tag, strict=True)
        if tag == page.nodes.tag[2]
    ] == [
        True,
        False,
    ]


def test_a_story_in_pieces_is_united_across_adverts() -> None:
    text = text_of(f"<body>{MENU}<div><div>{STORY}</div>{ADVERT}<div>{STORY}</div></div>")
    assert text.count("Sentence 7") == 2
    assert "lamp" not in text


def test_of_two_far_groups_the_first_that_is_long_enough_wins() -> None:
    far = "<span></span>" * 400
    comments = "".join(
        f"<p>Comment {n} goes on and on about something else entirely, at some length.</p>"
        for n in range(10)
    )
    html = f"<body><div>{STORY}</div>{far}<div>{comments}</div>"
    assert "Comment" not in text_of(html)
    assert "Sentence" not in text_of(html, acceptable=0.95)


def test_what_stands_before_a_known_title_is_left_out() -> None:
    teaser = (
        "<div><p>" + "An older story is told once more before the news begins. " * 4 + "</p></div>"
    )
    html = f"<body>{teaser}<h1>The night in the harbour</h1><div>{STORY}</div>"
    assert "older story" in text_of(html)
    assert "older story" not in text_of(html, title="The Night in the Harbour - Daily Lamp")


def test_the_lead_between_the_main_heading_and_the_group_is_kept() -> None:
    lead = "<p>The harbour master saw lights that nobody explained.</p><p>By Anna Lamp</p>"
    tools = "<div>Listen</div>" * 4
    html = f"<body>{MENU}<h1>What the lights were</h1>{lead}{tools}<div>{STORY * 3}</div>"
    page = f"<title>Nothing like it</title>{html}"
    assert text_of(page).startswith("The harbour master saw lights that nobody explained.")
    assert "Anna Lamp" not in text_of(page)
    assert "nobody explained" not in text_of(page.replace("h1>", "h3>"))


@pytest.mark.parametrize(
    "phrase", ["Share this", "Advertisement", "Written by Anna Lamp", "5 min read"]
)
def test_the_lexicon_drops_phrases_of_noise(phrase: str) -> None:
    html = f"<body><div>{STORY}<p>{phrase}</p>{STORY}</div>"
    assert phrase in text_of(html, lexicon=False)
    assert phrase not in text_of(html)
    assert text_of(html).count("Sentence 7") == 2


def test_a_phrase_inside_a_sentence_is_no_noise() -> None:
    said = "<p>She told them to share this with everybody in the harbour.</p>"
    assert "share this with everybody" in text_of(f"<body><div>{STORY}{said}{STORY}</div>")


def test_meaning_drops_what_shares_no_word_with_the_article() -> None:
    html = f"<body><div>{STORY}<p>Zebra quilts juggle vinegar.</p>{STORY}</div>"
    assert "Zebra" in text_of(html)
    assert "Zebra" not in text_of(html, meaning=True)
    assert "Sentence 7" in text_of(html, meaning=True)


def test_every_node_has_a_label() -> None:
    page = parse(
        f"<body>{MENU}{ADVERT}<div>{STORY}<img src=a.png></div><div></div>",
        url="http://news.example/a",
    )
    labels = label_nodes(page)
    assert len(labels) == len(page.nodes.tag)
    assert set(labels) == set(Label)


@pytest.mark.parametrize("html", ["", "<body>", "<a href=x>all of it is a link</a>", "<p>x"])
def test_poor_pages_are_no_error(html: str) -> None:
    assert isinstance(text_of(html), str)


def test_a_title_repeated_after_the_article_does_not_cost_it() -> None:
    html = f"<body><h1>The night in the harbour</h1><div>{STORY}</div><div><h3>The night in the harbour</h3><p>x</p></div>"
    assert "Sentence 0" in text_of(html, title="The night in the harbour")


@pytest.mark.parametrize(
    ("link", "label"),
    [
        ("https://shop.example/", Label.ADVERTISEMENT),
        ("https://notnews.example/", Label.ADVERTISEMENT),
        ("https://user:pw@shop.example/", Label.ADVERTISEMENT),
        ("https://www.news.example/", Label.NAVIGATION),
        ("https://sport.news.example/", Label.NAVIGATION),
        ("/x", Label.NAVIGATION),
        ("javascript:alert(1)", Label.NAVIGATION),
        ("https://[", Label.NAVIGATION),
    ],
)
def test_links_that_leave_the_site_make_an_advertisement(link: str, label: Label) -> None:
    page = parse(
        f"<body><p>text<div><a href=//x.example><img></a></div><ul><li><a href={link}>a link</a></ul>",
        url="https://news.example/",
    )
    labels = label_nodes(page)
    assert labels[page.nodes.tag.tolist().index(TAG["ul"])] == label


def test_what_stands_between_united_nodes_belongs_to_the_group() -> None:
    section = (
        "<h2>Heading {0}</h2><p>Short {0}.</p><div><p>"
        + "A long paragraph goes on here for a while. " * 6
        + "</p></div>"
    )
    text = text_of(
        "<body><article>" + "".join(section.format(number) for number in range(4)) + "</article>"
    )
    assert all(f"Heading {number}" in text and f"Short {number}." in text for number in range(1, 4))


LEAD = "The harbour master of the island told the court on Monday what he had seen in the night of the storm."


def test_an_article_begins_after_its_title() -> None:
    far = "<span></span>" * 400
    html = (
        f"<body><p>{LEAD} Teaser.</p><h2>The night in the harbour</h2><p>By Ann Smith</p><p>{LEAD}</p>"
        f"{far}<div>{STORY}</div>"
    )
    assert LEAD not in text_of(html)
    for known in (
        text_of(html, title="The night in the harbour"),
        text_of(f"<title>The night in the harbour</title>{html}"),
    ):
        assert known.startswith(LEAD)
        assert "By Ann Smith" not in known
        assert "Teaser" not in known
        assert "Sentence 7" in known


def test_the_last_title_before_the_article_counts_and_none_after_its_begin() -> None:
    title = "<h2>The night in the harbour</h2>"
    far = "<span></span>" * 400
    html = f"<body>{title}<p>{LEAD} Old.</p>{title}<p>{LEAD} New.</p>{far}<div>{STORY}{title}</div>"
    text = text_of(html, title="The night in the harbour")
    assert "Old." not in text
    assert "New." in text
    assert "Sentence 0" in text
