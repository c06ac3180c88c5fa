"""The authors, dates and texts of posts: labels, avatars, controls and templates are none of them."""

import pytest

from bodytext import parse
from bodytext.views.comments import Post, find_posts

AUTHORS = ("mara_k", "Old Tom", "pelargonium", "mara_k")
SHOWN = ("Mar 1, 2024", "Mar 2, 2024", "Mar 5, 2024", "Apr 11, 2024")
TEXTS = (
    "Has anyone tried to grow lemons on a balcony that only gets the morning sun?",
    "We have kept two trees for six winters now, and they need less light than the books say.",
    "Mine died in the first frost. A fleece would have saved it, the neighbours told me.",
    "Thank you both, I will try it with a small one and a heater that smells of old dust.",
)


def read(post: str, count: int = 4, authors: tuple[str, ...] = AUTHORS) -> tuple[Post, ...]:
    """The posts of a page, all in one markup with AUTHOR, DATE, TEXT and NUMBER in it."""
    posts = ""
    for number in range(count):
        filled = post.replace("AUTHOR", authors[number]).replace("DATE", SHOWN[number])
        posts += filled.replace("TEXT", TEXTS[number]).replace("NUMBER", str(number + 1))
    return find_posts(parse(f"<html><body><h1>Lemons</h1>{posts}</body></html>"), "forum")


def authors_of(posts: tuple[Post, ...]) -> tuple[str, ...]:
    return tuple(post.author for post in posts)


@pytest.mark.parametrize(
    ("attribute", "dates"),
    [
        ("2014-06-14 07:31", ["2024-03-01", "2024-03-02", "2024-03-05", "2024-04-11"]),
        ("2024-06-14T07:31:00Z", ["2024-03-01", "2024-03-02", "2024-03-05", "2024-04-11"]),
    ],
)
def test_a_time_of_the_template_is_no_date(attribute: str, dates: list[str]) -> None:
    posts = read(
        f'<div class="post"><b class="author">AUTHOR</b> <time datetime="{attribute}">DATE</time>'
        '<p class="text">TEXT</p></div>'
    )
    assert [post.date for post in posts] == dates


def test_posts_of_one_day_keep_their_date() -> None:
    page = "".join(
        f'<div class="post"><b class="author">{name}</b> <time datetime="2024-05-13">{hour}:30</time>'
        f'<p class="text">{text}</p></div>'
        for name, hour, text in zip(AUTHORS, (10, 11, 12, 13), TEXTS, strict=True)
    )
    assert [post.date for post in find_posts(parse(page), "forum")] == ["2024-05-13"] * 4


def test_tooltips_and_votes_are_no_text() -> None:
    posts = read(
        '<div class="answer"><a rel="author" href="/u/NUMBER">AUTHOR</a> <time>DATE</time><div class="cell">'
        '<div class="js-vote-count">1NUMBER</div><div class="s-tooltip" role="tooltip">This answer NUMBER is useful'
        "</div><p>TEXT</p></div></div>"
    )
    assert [post.text for post in posts] == list(TEXTS)
