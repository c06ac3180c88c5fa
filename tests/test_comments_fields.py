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


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_label_of_all_posts_is_no_author(count: int) -> None:
    posts = read(
        '<div class="post"><span class="k">AUTHOR</span><div class="t">DATE</div><p>TEXT</p>'
        '<div class="row"><b class="xs">Cite</b> <b class="xs">Save NUMBER</b></div></div>',
        count,
    )
    assert authors_of(posts) == AUTHORS[:count]


def test_labels_that_differ_in_a_number_are_no_authors() -> None:
    posts = read(
        '<div class="comment"><b class="q7">level NUMBER</b><div><a class="z3" href="/c/NUMBER">DATE</a></div>'
        '<div class="body"><p>TEXT</p></div></div>'
    )
    assert authors_of(posts) == ("", "", "", "")


def test_a_name_with_a_number_is_an_author() -> None:
    names = ("Tom 7", "Ann", "Tom 7", "Bo")
    post = '<div class="post"><b class="k">AUTHOR</b><div class="t">DATE</div><p>TEXT</p></div>'
    assert authors_of(read(post, authors=names)) == names


def test_a_label_before_the_date_is_no_author() -> None:
    posts = read(
        '<div class="reply"><div class="head"><a class="name" href="/x?n=NUMBER">AUTHOR</a></div>'
        '<div class="side"><span class="mark">Popular</span> <span class="when">DATE</span></div>'
        '<p class="text">TEXT</p></div>'
    )
    assert authors_of(posts) == AUTHORS


def test_hidden_words_before_the_date_are_no_author() -> None:
    posts = read(
        '<div class="comment"><div class="details"><span>by <a href="//example.org/~u">AUTHOR</a></span>'
        '<span style="display:none"> tells:</span> <span class="more">on DATE</span></div>'
        '<div class="words">TEXT</div></div>'
    )
    assert authors_of(posts) == AUTHORS


def test_a_name_that_begins_with_the_word_for_a_button_is_an_author() -> None:
    names = ("LinkinStone", "Edith", "Moreno", "Sharelle")
    posts = read(
        '<div class="post"><div class="top">Best post</div><a href="/users/nNUMBER">AUTHOR</a> '
        '<time>DATE</time><div class="content">TEXT</div></div>',
        authors=names,
    )
    assert authors_of(posts) == names


def test_the_short_name_of_a_user_name_is_an_author_and_a_letter_is_an_avatar() -> None:
    posts = read(
        '<div class="thread"><span class="box">A</span><ul><li class="uname">AUTHOR</li>'
        '<li class="place"><span>3Wt</span></li><li><time>DATE</time></li></ul><p class="opinion">TEXT</p></div>'
    )
    assert authors_of(posts) == AUTHORS


def test_a_letter_alone_is_no_guess_at_an_author() -> None:
    page = "".join(
        f'<div class="post"><b class="c">{letter}</b><div><time>{date}</time></div><p class="opinion">{text}</p></div>'
        for letter, date, text in zip("MOPM", SHOWN, TEXTS, strict=True)
    )
    assert authors_of(find_posts(parse(page), "forum")) == ("", "", "", "")


def test_a_name_in_an_element_like_that_of_the_text_is_an_author() -> None:
    posts = read(
        '<div class="w"><div class="html-content fine">AUTHOR</div><time>DATE</time>'
        '<div class="html-content wide">TEXT</div><div class="xs">Cite</div></div>',
        3,
    )
    assert [(post.author, post.text) for post in posts] == list(
        zip(AUTHORS[:3], TEXTS[:3], strict=True)
    )


def test_a_post_without_an_author_among_signed_ones_has_none() -> None:
    names = ("ann", "bo", "cy", "dee", "ed", "")
    page = "".join(
        f'<div class="comment"><a class="author" href="/u/{name}">{name}</a> <time>{SHOWN[number % 4]}</time>'
        f'<div class="words">{TEXTS[number % 4]} ({number})</div>'
        f'<em class="role">{"New here" if number % 2 else "Regular"}</em></div>'
        for number, name in enumerate(names)
    )
    assert authors_of(find_posts(parse(page), "forum")) == names


def test_someone_whom_one_post_mentions_is_not_its_author() -> None:
    page = "".join(
        f'<div class="comment"><b class="k">{name}</b> <time>{date}</time><p class="text">{text}'
        f"{' Ask <a class=username href=/profile/7>@gardener</a>.' if name == 'Old Tom' else ''}</p></div>"
        for name, date, text in zip(AUTHORS, SHOWN, TEXTS, strict=True)
    )
    posts = find_posts(parse(page), "forum")
    assert authors_of(posts) == AUTHORS
    assert posts[1].text == f"{TEXTS[1]} Ask @gardener."


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
