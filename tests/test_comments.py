"""Comments and posts: the markup of many programs, pages without comments, and hostile pages."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import extract, parse
from bodytext.kernel import is_native
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.views.comments import Post, comment_blocks, find_posts
from bodytext.views.comments.depth import _stated_level
from bodytext.views.comments.post_dates import says_when
from example_counts import some_of
from hostile_pages import KINDS

TEXTS = (
    "Has anyone tried to grow lemons on a balcony that only gets the morning sun?",
    "We have kept two trees for six winters now, and they need less light than the books say they do.",
    "Mine died in the first frost. A fleece would have saved it, the neighbours told me afterwards.",
    "Thank you both, I will try it with a small one and a heater that smells of old dust.",
)
AUTHORS = ("mara_k", "Old Tom", "pelargonium", "mara_k")
DAYS = ("2024-03-01", "2024-03-02", "2024-03-05", "2024-04-11")
SHOWN = ("Mar 1, 2024", "Mar 2, 2024", "Mar 5, 2024", "Apr 11, 2024")

MENU = "<header><ul><li><a href=/>Home</a></li><li><a href=/new>What is new</a></li></ul></header>"
SIDE = "<aside><h3>Hot topics</h3><ul><li><a href=/t/1>Pruning roses</a> <span>Mar 9, 2024</span></li></ul></aside>"


def page_of(post: Callable[[int], str], before: str = "", after: str = "", count: int = 4) -> str:
    """A page with four posts in the markup of a program."""
    posts = "".join(post(number) for number in range(count))
    return (
        f"<html><body>{MENU}<h1>Lemons on a balcony</h1>{before}{posts}{after}{SIDE}</body></html>"
    )


def phpbb(number: int) -> str:
    return (
        f'<div id="p{100 + number}" class="post has-profile bg{number % 2}"><div class="inner">'
        f'<dl class="postprofile"><dt><a href="./memberlist.php?mode=viewprofile&amp;u={number}" class="username">'
        f"{AUTHORS[number]}</a></dt><dd>Posts: 1{number}</dd><dd>Joined: Mon Jan 01, 2018 10:00 am</dd></dl>"
        f'<div class="postbody"><h3><a href="#p{100 + number}">Re: Lemons</a></h3><p class="author">by '
        f"<strong>{AUTHORS[number]}</strong> » {SHOWN[number]} 9:15 pm</p>"
        f'<div class="content">{TEXTS[number]}</div>'
        f'<div class="signature">Grow what you eat, eat what you grow.</div>'
        "</div></div></div>"
    )


def vbulletin(number: int) -> str:
    return (
        f'<table id="post{900 + number}" class="tborder"><tr><td class="thead">{SHOWN[number]}, 10:41 AM</td>'
        f'<td class="thead">#{number + 1}</td></tr><tr><td class="alt2">'
        f'<a class="bigusername" href="member.php?u=4{number}">'
        f'{AUTHORS[number]}</a><div class="smallfont">Senior Member</div><div>Join Date: May 2011</div></td>'
        f'<td class="alt1" id="td_post_{900 + number}">'
        f'<div id="post_message_{900 + number}">{TEXTS[number]}</div></td></tr>'
        "</table>"
    )


def xenforo(number: int) -> str:
    return (
        f'<article class="message message--post js-post" id="js-post-{number}"><div class="message-cell--user">'
        f'<h4 class="message-name"><a href="/members/{number}/" class="username">{AUTHORS[number]}</a></h4>'
        '<h5 class="userTitle message-userTitle">Gardener</h5></div><div class="message-cell--main">'
        f'<ul class="message-attribution"><li><a href="/p{number}">'
        f'<time class="u-dt" datetime="{DAYS[number]}T08:00:00+0100">'
        f'{SHOWN[number]}</time></a></li><li><a href="/p{number}">#{number + 1}</a></li></ul>'
        f'<div class="message-content"><article class="message-body"><div class="bbWrapper">{TEXTS[number]}</div>'
        f"</article>"
        '</div><footer class="message-footer"><a href="/like">Like</a> <a href="/reply">Reply</a></footer></div>'
        "</article>"
    )


def discourse(number: int) -> str:
    return (
        f'<div id="post_{number}" itemprop="comment" itemscope itemtype="http://schema.org/Comment" '
        f'class="crawler-post">'
        f'<div class="crawler-post-meta"><span class="creator" itemprop="author" itemscope><a href="/u/{number}">'
        f'<span itemprop="name">{AUTHORS[number]}</span></a></span><span class="crawler-post-infos">'
        f'<time itemprop="datePublished" datetime="{DAYS[number]}T07:00:00Z">{SHOWN[number]}</time>'
        f'<span itemprop="position">{number}</span></span></div>'
        f'<div class="post" itemprop="text"><p>{TEXTS[number]}</p></div></div>'
    )


def mybb(number: int) -> str:
    return (
        f'<div class="post classic" id="post_{number}"><div class="post_author"><strong><span class="largetext">'
        f'<a href="user-{number}.html">{AUTHORS[number]}</a></span></strong>'
        f'<div class="author_statistics">Posts: 12</div>'
        f'</div><div class="post_content"><div class="post_head">'
        f'<span class="post_date">{DAYS[number]}, 05:12 PM</span></div>'
        f'<div class="post_body scaleimages" id="pid_{number}">{TEXTS[number]}</div></div></div>'
    )


def simple_machines(number: int) -> str:
    return (
        f'<div class="windowbg" id="msg{number}"><div class="poster"><h4>'
        f'<a href="index.php?action=profile;u=2{number}">'
        f'{AUTHORS[number]}</a></h4></div><div class="postarea">'
        f'<div class="keyinfo">« Reply #{number} on: {SHOWN[number]}, '
        f'07:10:11 PM »</div><div class="post"><div class="inner" id="msg_{number}">{TEXTS[number]}</div></div>'
        f"</div></div>"
    )


def hacker_news(number: int) -> str:
    indent = (0, 1, 2, 1)[number]
    return (
        f'<tr class="athing comtr" id="{number}"><td><table><tr><td class="ind" indent="{indent}">'
        f'<img src="s.gif" width="{indent * 40}">'
        f'</td><td class="default"><div><span class="comhead">'
        f'<a href="user?id=u{number}" class="hnuser">{AUTHORS[number]}</a> '
        f'<span class="age" title="{DAYS[number]}T11:00:00"><a href="item?id={number}">{number + 2} days ago</a>'
        f"</span></span></div>"
        f'<div class="comment"><div class="commtext c00">{TEXTS[number]}</div><div class="reply">'
        f'<a href="reply">reply</a></div>'
        "</div></td></tr></table></td></tr>"
    )


def github(number: int) -> str:
    return (
        f'<div class="js-timeline-item"><div class="timeline-comment" id="issuecomment-{number}">'
        f'<div class="timeline-comment-header">'
        f'<h3><a class="author" href="/{number}">{AUTHORS[number]}</a> commented <a href="#issuecomment-{number}">'
        f'<relative-time datetime="{DAYS[number]}T12:30:00Z">{SHOWN[number]}</relative-time></a></h3></div>'
        f'<div class="comment-body markdown-body"><p>{TEXTS[number]}</p></div></div></div>'
    )


def chat(number: int) -> str:
    return (
        f'<div class="bubble"><span class="nick">{AUTHORS[number]}</span> <span class="when">1{number}:42</span>'
        f"<p>{TEXTS[number]}</p></div>"
    )


def hashed(number: int) -> str:
    """Classes without meaning."""
    return (
        f'<div class="sc-a1 kXyZ"><div class="sc-b2">{AUTHORS[number]}</div>'
        f'<div class="sc-c3">{DAYS[number]} 14:0{number}</div>'
        f'<div class="sc-d4"><p>{TEXTS[number]}</p></div></div>'
    )


def classless(number: int) -> str:
    date = f"<time datetime={DAYS[number]}>{SHOWN[number]}</time>"
    return f"<div><p><b>{AUTHORS[number]}</b>, {date}</p><p>{TEXTS[number]}</p></div>"


def bare(number: int) -> str:
    """Nothing but line breaks."""
    return f"<li class=x><a href=/u/{number}>{AUTHORS[number]}</a> {DAYS[number]} 10:00<br>{TEXTS[number]}</li>"


def question(number: int) -> str:
    kind = "question" if number == 0 else "answer"
    return (
        f'<div id="{kind}{number or ""}" class="{kind}"><div class="votecell"><span>1{number}</span></div>'
        f'<div class="postcell">'
        f'<div class="s-prose js-post-body" itemprop="text"><p>{TEXTS[number]}</p></div><div class="user-info">'
        f'asked <span class="relativetime" title="{DAYS[number]} 10:11:12Z">{SHOWN[number]} at 10:11</span>'
        f'<div class="user-details" itemprop="author"><a href="/users/{number}/x">{AUTHORS[number]}</a></div>'
        f"</div></div></div>"
    )


THREADS = {
    maker.__name__: maker
    for maker in (
        phpbb, vbulletin, xenforo, discourse, mybb, simple_machines, hacker_news, github, chat, hashed, classless,
        bare, question,
    )
}  # fmt: skip
UNDATED = {"chat"}


@pytest.mark.parametrize("name", THREADS)
def test_threads(name: str) -> None:
    wrapped = ("<table>", "</table>") if name == "hacker_news" else ("<div>", "</div>")
    posts = find_posts(parse(page_of(THREADS[name], *wrapped)), "forum")
    assert [post.text for post in posts] == list(TEXTS)
    assert [post.author for post in posts] == list(AUTHORS)
    if name not in UNDATED:
        assert [post.date[:10] for post in posts] == list(DAYS)
    assert all(post.date_text for post in posts)


@pytest.mark.parametrize("name", THREADS)
def test_offsets_point_at_the_text(name: str) -> None:
    page = parse(page_of(THREADS[name]))
    for post in find_posts(page, "forum"):
        assert page.source[post.start : post.end].decode() == post.text


def lettered(number: int) -> str:
    """A letter for users without a picture; the posts after the first are items with a name."""
    item = f'itemscope itemtype="https://schema.org/Comment"><meta itemprop="name" content="Post #{number + 1}"'
    person = 'itemprop="author" itemscope itemtype="https://schema.org/Person"'
    name = AUTHORS[number]
    return (
        f'<article class="message" id="js-post-{number}" {item if number else ""}>'
        f'<section class="message-user" {person if number else ""}><a href="/members/{number}/" class="avatar">'
        f'<span class="avatar-u{number}">{name[0].upper()}</span></a><div class="message-userDetails"><h4>'
        f'<a href="/members/{number}/"><span {"itemprop=name" if number else ""}>{name}</span></a></h4>'
        f'</div></section><div class="message-cell--main"><a href="/p{number}"><time datetime="{DAYS[number]}">'
        f'{SHOWN[number]}</time></a><div class="bbWrapper">{TEXTS[number]}</div></div></article>'
    )


def initialled(number: int) -> str:
    """A letter in an element that is not called a picture and links to the same profile as the name."""
    return (
        f'<li class="x" component="post" data-pid="{number}"><div class="post-header" itemprop="author">'
        f'<a class="d-inline text-decoration-none" href="/user/{number}"><span>{AUTHORS[number][0].upper()}</span></a>'
        f'<a class="d-inline text-decoration-none" href="/user/{number}">{AUTHORS[number]}</a></div>'
        f'<time datetime="{DAYS[number]}">{SHOWN[number]}</time><div class="content">{TEXTS[number]}</div></li>'
    )


def edited(number: int) -> str:
    """The first post has an editor with the same class as the author, who has an item property."""
    editor = '<div><a href="/users/77/eve">eve</a></div>' if number == 0 else ""
    return (
        f'<div class="answer" id="answer-{number}"><div class="s-prose">{TEXTS[number]}</div>{editor}'
        f'<span class="when">{SHOWN[number]}</span><div class="user-details" itemprop="author" itemscope>'
        f'<a href="/users/{number}/x" itemprop="url">{AUTHORS[number]}</a>'
        "<b>12 gold badges, 20 of silver, 31 of bronze</b></div></div>"
    )


@pytest.mark.parametrize("maker", [lettered, initialled, edited])
def test_an_author_is_no_letter_no_number_and_no_editor(maker: Callable[[int], str]) -> None:
    posts = find_posts(parse(page_of(maker, "<div>", "</div>")), "forum")
    assert [post.author for post in posts] == list(AUTHORS)
    assert [post.date[:10] for post in posts] == list(DAYS)


def test_the_author_of_the_first_post_may_be_marked_differently() -> None:
    """The only guest among members writes every third post: his name repeats, but it is no label."""

    def post(number: int) -> str:
        name = (
            f'<a class="username" href="/u/{number}">u{number}</a>'
            if number % 3
            else "<span class=username>mara</span>"
        )
        date = f"<h5>Member</h5><time datetime={DAYS[0]}>1 March</time>"
        return f'<div class="post" id="p{number}">{name}{date}<p>{TEXTS[number % 4]} {number}</p></div>'

    posts = find_posts(parse(page_of(post, "<div>", "</div>", count=13)), "forum")
    assert [post.author for post in posts] == [
        "mara" if number % 3 == 0 else f"u{number}" for number in range(13)
    ]


ARTICLE = (
    "<article><h1>How lemons survive the winter</h1><p class=byline>By <a rel=author href=/author/ann>Ann Lee</a>, "
    "<time datetime=2024-02-20>20 February 2024</time></p>"
    + "".join(f"<p>{sentence}</p>" for sentence in (
        "A lemon tree on a balcony is a promise that somebody has to keep from October until the end of March.",
        "The pots are moved to the wall, then wrapped, and on the coldest nights a lamp is left burning under them.",
        "None of it is certain, and most of the people we spoke to had lost at least one tree before they learnt it.",
    ))
    + "</article>"
)  # fmt: skip


def wordpress(number: int, replies: str = "") -> str:
    children = f'<ol class="children">{replies}</ol>' if replies else ""
    return (
        f'<li id="comment-{number}" class="comment {"odd" if number % 2 else "even"} thread-{number}">'
        f'<article id="div-comment-{number}" class="comment-body"><footer class="comment-meta">'
        f'<div class="comment-author vcard">'
        f'<b class="fn">{AUTHORS[number]}</b> <span class="says">says:</span></div><div class="comment-metadata">'
        f'<a href="#comment-{number}">'
        f'<time datetime="{DAYS[number]}T10:00:00+00:00">{SHOWN[number]} at 10:00 am</time></a></div></footer>'
        f'<div class="comment-content"><p>{TEXTS[number]}</p></div>'
        f'<div class="reply"><a class="comment-reply-link" href="#r">Reply</a></div></article>{children}</li>'
    )


RESPOND = (
    '<div id="respond" class="comment-respond"><h3>Leave a reply</h3><form>'
    '<p class="comment-notes">Your address will not be '
    "published.</p><label>Comment</label><textarea></textarea><label>Name</label><input><button>Post</button>"
    "</form></div>"
)


def comments_page(comments: str) -> str:
    listed = f'<ol class="comment-list">{comments}</ol>{RESPOND}'
    section = f'<div id="comments" class="comments-area"><h2>Thoughts</h2>{listed}</div>'
    return f"<html><body class='single comments-open'>{MENU}{ARTICLE}{section}{SIDE}</body></html>"


def test_comments_of_an_article_with_their_depth() -> None:
    page = parse(comments_page(wordpress(0, wordpress(1, wordpress(2))) + wordpress(3)))
    posts = find_posts(page, "article")
    assert [(post.author, post.text, post.depth) for post in posts] == [
        (AUTHORS[0], TEXTS[0], 0),
        (AUTHORS[1], TEXTS[1], 1),
        (AUTHORS[2], TEXTS[2], 2),
        (AUTHORS[3], TEXTS[3], 0),
    ]
    assert posts[0].date == "2024-03-01T10:00:00+00:00"
    assert posts[0].date_text == "Mar 1, 2024 at 10:00 am"
    assert find_posts(page, "") == posts


def test_a_control_at_the_end_of_every_comment_is_no_text() -> None:
    comments = "".join(wordpress(number) for number in range(3)).replace(
        "</p></div>", "</p><p>Expand full comment</p></div>"
    )
    assert [post.text for post in find_posts(parse(comments_page(comments)), "article")] == list(
        TEXTS[:3]
    )


def test_a_single_comment() -> None:
    (post,) = find_posts(parse(comments_page(wordpress(1))), "article")
    assert (post.author, post.text, post.depth) == (AUTHORS[1], TEXTS[1], 0)


@pytest.mark.parametrize(
    "markup",
    [
        "",
        ARTICLE,
        comments_page(""),
        f"{ARTICLE}<div class='comments-link'><a href=#c>4 comments</a></div>",
        # Teasers with author and date are no comments, nor are they a thread.
        ARTICLE + "".join(
            f"<div class=teaser><h3><a href=/n/{number}>News {number}</a></h3>"
            f"<a rel=author href=/author/x>{author}</a> "
            f"<time datetime={DAYS[number]}>{SHOWN[number]}</time><p>{TEXTS[number]}</p></div>"
            for number, author in enumerate(AUTHORS)
        ),
        # The same form several times.
        ARTICLE + "<div class=comments><p><b>Only</b> <span class=when>2 mins</span></p><p>We call back.</p></div>" * 3,
    ],
)  # fmt: skip
@pytest.mark.parametrize("page_type", ["", "article"])
def test_pages_without_comments(markup: str, page_type: str) -> None:
    assert find_posts(parse(markup), page_type) == ()


LABELLED = Path(__file__).parent.parent / "labelled"


@pytest.mark.parametrize(
    ("identity", "authors"),
    [
        ("ar-blog-1", ["نور", "ليان", "أبو تيم"]),
        ("de-blog-1", ["Gisela aus P.", "Kursbuch72", "Arne"]),
        ("en-blog-1", ["Marguerite L.", "Joel Brandvik", "tackleboxdave"]),
        ("en-forum-1", ["wetwellies", "Perpetua Slade", "clay_and_chalk"]),
        ("fr-news-1", ["Jeannine48", "Le Marmotton", "P. Delmas-Roux"]),
        ("hi-news-1", ["राकेश वर्मा", "Shalini_J", "इमरान ख़ान", "ओमप्रकाश"]),
        ("ja-blog-1", ["みどりの手", "はち", "もぐら"]),
        ("ru-forum-1", ["Лена_С", "Петрович", "Боцман", "Лена_С", "Петрович", "Лена_С"]),
        ("tr-news-1", ["Hasan K.", "ayse_35", "Emekli öğretmen"]),
        ("vi-news-3", ["Hoàng Yến", "docgia_2209", "Phan Nhật"]),
        ("zh-tw-forum-1", ["小葉欖仁", "老鐵馬阿德", "海風鹹鹹", "豆漿不加糖", "小葉欖仁"]),
    ],
)
def test_pages_in_many_languages(identity: str, authors: list[str]) -> None:
    (source,) = (page for page in read_labelled(LABELLED) if page.identity == identity)
    posts = find_posts(parse(source.read()), source.page_type)
    assert [post.author for post in posts] == authors


def test_definition_lists() -> None:
    rows = "".join(
        f'<dt class="comment-author" id="c{number}">'
        f'<a href="/profile/{number}" rel="nofollow">{AUTHORS[number]}</a> said...</dt>'
        f'<dd class="comment-body"><p>{TEXTS[number]}</p></dd>'
        f'<dd class="comment-footer"><span class="comment-timestamp">'
        f'<a href="#c{number}">{SHOWN[number]} 8:03 AM</a></span></dd>'
        for number in range(4)
    )
    posts = find_posts(
        parse(
            f'{ARTICLE}<div id="comments"><h4>4 comments:</h4><dl id="comments-block">{rows}</dl></div>'
        ),
        "article",
    )
    assert [post.text for post in posts] == list(TEXTS)


def reddit(number: int, replies: str = "") -> str:
    return (
        f'<div class=" thing id-t1_{number} noncollapsed comment" id="thing_t1_{number}"><p class="parent"></p>'
        f'<div class="entry">'
        f'<p class="tagline"><a href="/user/{AUTHORS[number]}" class="author">{AUTHORS[number]}</a>'
        f' <span class="score">1{number} points'
        f'</span> <time title="x" datetime="{DAYS[number]}T01:02:03+00:00" class="live-timestamp">{number + 2} '
        f"hours ago</time></p>"
        f'<form class="usertext"><div class="usertext-body"><div class="md"><p>{TEXTS[number]}</p></div></div></form>'
        f'<ul class="flat-list buttons"><li><a href="/p">permalink</a></li><li><a href="/r">reply</a></li></ul></div>'
        f'<div class="child"><div class="sitetable listing">{replies}</div></div></div>'
    )


def test_nested_threads() -> None:
    markup = page_of(lambda _: reddit(0, reddit(1, reddit(2))) + reddit(3), count=1)
    posts = find_posts(parse(markup), "forum")
    assert [(post.author, post.text, post.depth) for post in posts] == list(
        zip(AUTHORS, TEXTS, (0, 1, 2, 0), strict=True)
    )


def test_indented_threads() -> None:
    posts = find_posts(parse(page_of(hacker_news, "<table>", "</table>")), "forum")
    assert [post.depth for post in posts] == [0, 1, 2, 1]


@pytest.mark.parametrize(
    ("tag", "level"),
    [
        ("<li class='comment depth-3'>", 3),
        ("<li class='comment level2'>", 2),
        ("<div data-depth=4>", 4),
        ("<div style='margin-left: 40px'>", 40),
        ("<div class=comment>", None),
        ("<div data-depth=many>", None),
    ],
)
def test_stated_levels(tag: str, level: int | None) -> None:
    page = parse(f"<body>{tag}text")
    assert _stated_level(page, page.blocks.node.tolist()) == level


def test_comments_on_answers_are_one_level_down() -> None:
    def comment(number: int) -> str:
        return (
            f'<li itemprop="comment" itemscope itemtype="https://schema.org/Comment" class="comment">'
            f'<span itemprop="text">'
            f'Comment {number}: what about the roots?</span> <span itemprop="author">'
            f'<a href="/users/{number}">reader{number}</a></span> '
            f'<span class="comment-date" itemprop="dateCreated">{DAYS[number]} 10:00:00Z</span></li>'
        )

    def answer(number: int) -> str:
        return (
            f'<div itemprop="answer" itemscope itemtype="https://schema.org/Answer" class="answer">'
            f'<div itemprop="text">{TEXTS[number]}'
            f'</div><div itemprop="author"><a href="/users/1{number}">{AUTHORS[number]}</a></div>'
            f'<time itemprop="dateCreated" datetime="{DAYS[number]}">{SHOWN[number]}</time>'
            f"<ul>{comment(0)}{comment(1)}</ul></div>"
        )

    posts = find_posts(parse(f"<h1>Why?</h1>{answer(1)}{answer(2)}"), "forum")
    assert [post.depth for post in posts] == [0, 1, 1, 0, 1, 1]
    assert [post.text for post in posts if not post.depth] == [TEXTS[1], TEXTS[2]]


def test_the_order_of_day_and_month_is_that_of_the_other_posts() -> None:
    days = ("01/12/2024", "02/12/2024", "13/12/2024", "01/11/2024")
    markup = page_of(
        lambda number: (
            f"<div class=post><b class=author>{AUTHORS[number]}</b> <i class=date>{days[number]}</i>"
            f"<p>{TEXTS[number]}</p></div>"
        )
    )
    assert [post.date for post in find_posts(parse(markup), "forum")] == [
        "2024-12-01",
        "2024-12-02",
        "2024-12-13",
        "2024-11-01",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Mar 5, 2024", "5 March 2024, 10:31", "Posted on 2024-03-05", "05.03.2024 um 10:00", "3 days ago",
        "an hour ago",
        "vor 3 Tagen", "hace 2 horas", "il y a 4 ans", "3 дня назад", "2 saat önce", "3日前", "2024年3月5日",
        "5 de marzo de 2024",
        "Yesterday at 4:25 AM", "heute, 10:12", "le 14 juin à 19h22",
        "am 27. Juli um 18:40:", "2 घंटे पहले", "May 4", "4. Mai", "12:42", "3h", "6mo",
    ],
)  # fmt: skip
def test_texts_that_say_when(text: str) -> None:
    assert says_when(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Reply",
        "Joined: Jan 1, 2018",
        "Last edited on 2024-03-05",
        "Posts: 12",
        "page 3 of 7",
        "#12",
        "1,204 views",
        "Likes 41",
    ],
)
def test_texts_that_do_not_say_when(text: str) -> None:
    assert not says_when(text)


def declare(data: str) -> str:
    return f'<html><body><div id="app"></div><script type="application/ld+json">{data}</script></body></html>'


def test_declared_posts_count_if_the_markup_has_none() -> None:
    data = (
        '{"@type": "DiscussionForumPosting", "headline": "Lemons", "text": "Shall I <b>water</b> them&amp;when?",'
        ' "author": {"@type": "Person", "name": "mara_k"}, "datePublished": "2024-03-01T10:00:00Z", "comment": ['
        '{"@type": "Comment", "text": "Yes.", "author": [{"name": "Tom"}, "Ann"], "dateCreated": "2024-03-02",'
        ' "comment": {"@type": "Comment", "text": "No.", "author": "pel"}}, {"@type": "Comment", "author": '
        '{"name": "mute"}}]}'
    )
    page = parse(declare(data))
    asked = Post("mara_k", "2024-03-01T10:00:00Z", "", "Shall I water them&when?", 0, 0, 0)
    answered = (
        Post("Tom, Ann", "2024-03-02", "", "Yes.", 0, 0, 0),
        Post("pel", "", "", "No.", 1, 0, 0),
    )
    assert find_posts(page, "forum") == (asked, *answered)
    assert find_posts(page, "article") == answered


def test_frequently_asked_questions_are_no_posts() -> None:
    asked = '{"@type": "Question", "acceptedAnswer": {"@type": "Answer", "text": "By post."}}'
    data = f'{{"@type": "FAQPage", "mainEntity": [{asked}]}}'
    assert find_posts(parse(declare(data)), "article") == ()


def test_the_blocks_of_comment_sections() -> None:
    page = parse(comments_page(wordpress(0) + wordpress(1)))
    texts = page.texts()
    marked = {text for text, mark in zip(texts, comment_blocks(page), strict=True) if mark}
    assert {TEXTS[0], TEXTS[1], "Thoughts", "Leave a reply"} <= marked
    assert not any(
        text in marked
        for text in texts
        if "balcony is a promise" in text or text == "Pruning roses"
    )


@pytest.mark.parametrize(
    "markup",
    [
        "<section id=discussion><h2>Discussion</h2><p>The results agree.</p></section>",
        "<body class='single comments-open'><p>Text</p></body>",
        "<div class=has-comments><p>Text</p></div>",
        "<div class=comments><h1>Comments on the budget</h1><p>Text</p></div>",
        "<pre><span class=comment># a comment</span></pre>",
        "<p>comment comments</p><!-- comments --><script>comments</script>",
        "",
    ],
)
def test_elements_that_are_no_comment_sections(markup: str) -> None:
    assert not comment_blocks(parse(markup)).any()


def test_a_document_has_its_comments() -> None:
    document = replace(extract(comments_page(wordpress(0) + wordpress(1))), page_type="article")
    assert [post.text for post in document.comments] == [TEXTS[0], TEXTS[1]]
    assert document.comments is document.comments


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_pages_raise_nothing(kind: str) -> None:
    page = parse(KINDS[kind].make(4_000))
    for page_type in ("", "forum", "article"):
        find_posts(page, page_type)
    assert len(comment_blocks(page)) == len(page)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "<div class=comment><b class=author>a%d</b><time>1 May 2020</time><p>text</p>",
        "<div class=comment><b class=author>a%d</b><time>1 May 2020</time><p>text</p></div>",
        "<div class=c%d><b class=u%d>a</b><time class=t%d>1 May 2020</time><p>text</p></div>",
        "<ul class=comments><li class=comment id=c%d><a rel=author href=/u/>a</a> 3 days ago t",
        "<p class='comment post reply message answer'>1 May 2020",
        "<p>1 May 2020</p>",
        "<time>",
        "<div><b itemprop=name class=post>a%d</b>",
    ],
)
def test_floods_are_quick(unit: str) -> None:
    count = 8_000 if is_native("scanner") else 300
    page = parse("".join(unit.replace("%d", str(number)) for number in range(count)))
    start = time.process_time()
    find_posts(page, "forum")
    find_posts(page, "article")
    comment_blocks(page)
    assert time.process_time() - start < 1.5


@pytest.mark.parametrize(
    "page",
    [
        "<div class='" + "comment " * 50_000 + "'>text",
        "<div class=comment " + "a" * 250_000 + "='>text",
        "<div class=comment " + "a= " * 80_000 + ">text",
        "<div class=comment" + " " * 250_000 + "x>text",
        "<div class='" + "-comment" * 30_000 + "'>text",
        "<div class='" + "A" * 250_000 + "'>text",
        "<meta itemprop=author content='" + ":" * 100_000 + "x'>text" * 2,
        "<p>" + " 1" * 40,
        "<p>" + "1 " * 40 + "ago</p>" * 2,
    ],
)
def test_long_tags_are_quick(page: str) -> None:
    parsed = parse(page)
    start = time.process_time()
    find_posts(parsed, "forum")
    comment_blocks(parsed)
    assert time.process_time() - start < 1


pieces = st.sampled_from(
    """<div <li> </li> <ol> </ol> <p> </p> </div> <time> </time> <b> </b> <table> <tr> <td> </table> <a </a> <meta
    <textarea> <noscript> <dl> <dt> <dd> <article </article> <h3> > class=comment
    class=author class='post 7' id=c1 id=c2
    itemprop=text itemprop=author itemtype=x/Comment content=a datetime=2020-01-01 href=/u/1 hidden Ann Bob 1.5.2020
    3&#32;days&#32;ago
    text.text.text style='margin-left:3px' data-depth=2 " ' = / &#0;""".split()  # noqa: SIM905
)


@pytest.mark.slow
@settings(max_examples=some_of(200), deadline=None)
@given(
    st.lists(pieces | st.text(max_size=4), max_size=60), st.sampled_from(["", "forum", "article"])
)
def test_any_page(parts: list[str], page_type: str) -> None:
    page = parse(" ".join(parts))
    posts = find_posts(page, page_type)
    for post in posts:
        assert post.text.strip() == post.text != ""
        assert post.depth >= 0
        assert 0 <= post.start < post.end <= len(page.source)
    assert [post.start for post in posts] == sorted(post.start for post in posts)
    assert comment_blocks(page).dtype == np.bool_


@settings(max_examples=some_of(100), deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    page = parse(data)
    find_posts(page, "forum")
    assert len(comment_blocks(page)) == len(page)
