"""Authors: clean names from every source, people before organisations."""

import doctest
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bodytext import parse
from bodytext.views.metadata import authors, read_metadata
from bodytext.views.metadata import person_names as names
from bodytext.views.metadata.person_names import is_person, split_names
from bodytext.views.metadata.vocabulary import BY, match_by


@pytest.mark.parametrize("module", [authors, names])
def test_the_examples(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By Ann Lee", ["Ann Lee"]),
        ("BY ANN LEE", ["ANN LEE"]),
        ("ByAnn Lee", ["Ann Lee"]),
        ("Written by Ann Lee and Bo Ek", ["Ann Lee", "Bo Ek"]),
        ("Von Eva Groß und Jan Maß", ["Eva Groß", "Jan Maß"]),
        ("Par Zoé Roux et Luc Petit", ["Zoé Roux", "Luc Petit"]),
        ("Por Ana Gil y Luz Paz", ["Ana Gil", "Luz Paz"]),
        ("Автор: Анна Лі та Іван Кос", ["Анна Лі", "Іван Кос"]),
        ("Yazar: Ayşe Demir", ["Ayşe Demir"]),
        ("Tác giả: Trần Văn An", ["Trần Văn An"]),
        ("作者：李明、王芳", ["李明", "王芳"]),
        ("松岡大地記者", ["松岡大地"]),
        ("بقلم: ليلى حداد", ["ليلى حداد"]),
        ("מאת דנה לוי", ["דנה לוי"]),
        ("โดย สมชาย ใจดี", ["สมชาย ใจดี"]),
        ("Ann Lee, Bo Ek & Cy Fox; Di Gray", ["Ann Lee", "Bo Ek", "Cy Fox", "Di Gray"]),
        ("Ann Lee, MD, PhD", ["Ann Lee"]),
        ("Ann Lee, Senior Editor", ["Ann Lee"]),
        ("Ann Lee (The Daily)", ["Ann Lee"]),
        ("ann@paper.example", []),
        ("Ann Lee <ann@paper.example>", ["Ann Lee"]),
        ("https://paper.example/ann", []),
        ("admin", []),
        ("", []),
        ("user42", ["user42"]),
        ("Ludwig van Beethoven", ["Ludwig van Beethoven"]),
        ("José Ortega y Gasset", ["José Ortega y Gasset"]),
        ("Anna Nowak i Jan Kos", ["Anna Nowak", "Jan Kos"]),
        ("홍길동 기자 hong@paper.example", ["홍길동"]),
        ("记者 李明", ["李明"]),
    ],
)
def test_names_in_data(text: str, expected: list[str]) -> None:
    assert split_names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By Ann Lee on May 5, 2024", ["Ann Lee"]),
        ("Ann Lee | Updated 3 May 2024", ["Ann Lee"]),
        ("By carla on 4 May 2024", ["carla"]),
        ("By Ann Lee December 12, 2024", ["Ann Lee"]),
        ("By Ann Lee • 5 min read", ["Ann Lee"]),
        ("Ann Lee is a writer in Oslo", ["Ann Lee"]),
    ],
)
def test_names_in_lines(text: str, expected: list[str]) -> None:
    assert split_names(text, seen=True) == expected


@pytest.mark.parametrize(
    "name", ["Ann Lee", "ANN LEE", "Jean-Luc d'Arc", "李明", "ליאת כהן", "สมชาย ใจดี", "Ольга Кос"]
)
def test_people(name: str) -> None:
    assert is_person(name)


@pytest.mark.parametrize(
    "name",
    ["Ann", "Share", "More stories", "Senior Editor", "The Static Web", "Room 101", "コラム"],
)
def test_names_that_are_no_people(name: str) -> None:
    assert not is_person(name)


@given(st.text(max_size=500), st.booleans())
def test_any_text_gives_names(text: str, seen: bool) -> None:
    assert all(
        name == name.strip() and 1 < len(name) <= names.LONGEST_NAME
        for name in split_names(text, seen=seen)
    )


# in pages

HEADLINE = (
    "<html lang=en><title>A title of a page</title><h1>A title of a page</h1><p>12 May 2024</p>"
)


def authors_of(markup: str, headline: str = HEADLINE) -> tuple[list[str], str]:
    metadata = read_metadata(parse(headline + markup))
    return list(metadata.authors), metadata.sources[
        "authors"
    ].name if "authors" in metadata.sources else ""


def linked(**fields: object) -> str:
    data = {"@type": "NewsArticle", "headline": "A title of a page", **fields}
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def test_the_order_of_sources() -> None:
    data, meta = (
        linked(author={"@type": "Person", "name": "Ann Lee"}),
        '<meta name=author content="Bo Ek">',
    )
    card = '<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Cy Fox">'
    item = '<time></time><span itemprop="author"><b itemprop="name">Di Gray</b></span>'
    line = '<p class="byline">By Ed Hall</p>'
    assert authors_of(data + meta + card + item + line) == (["Ann Lee"], "json-ld")
    assert authors_of(meta + card + item + line) == (["Bo Ek"], "meta")
    assert authors_of(card + item + line) == (["Cy Fox"], "twitter")
    assert authors_of(item + line) == (["Di Gray"], "item property")
    assert authors_of(line) == (["Ed Hall"], "byline")
    assert authors_of("<p>A long story begins.</p>") == ([], "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("By following the tips below, you keep your data safe:", []),
        ("By the end of this tutorial you will know", []),
        ("By focusing on the best", []),
        ("By using our site, you agree", []),
        ("By the Harbour Team", ["the Harbour Team"]),
        ("by carla", ["carla"]),
        ("Posted by carla on Wednesday 15 May 2024", ["carla"]),
        ("Von der Redaktion", ["der Redaktion"]),
    ],
)
def test_a_sentence_that_begins_with_by_names_nobody(line: str, expected: list[str]) -> None:
    assert authors_of(linked() + f"<p>{line.replace('carla', '<b>carla</b>')}</p>")[0] == expected


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ("Ann Lee", ["Ann Lee"]),
        (["Ann Lee", {"name": "Bo Ek"}, "ann lee"], ["Ann Lee", "Bo Ek"]),
        ({"@type": "Person", "name": ["Ann Lee"]}, ["Ann Lee"]),
        ({"@id": "#ann"}, []),
        (7, []),
        ({"name": {"@value": "x"}}, []),
        ({"@type": "Person", "name": "By Ann Lee, Staff Writer"}, ["Ann Lee"]),
    ],
)
def test_authors_in_json_ld(author: object, expected: list[str]) -> None:
    assert authors_of(linked(author=author))[0] == expected


def test_references_in_json_ld_are_followed() -> None:
    graph = {
        "@graph": [
            {"@type": "Article", "author": {"@id": "#ann"}},
            {"@type": "Person", "@id": "#ann", "name": "Ann Lee"},
        ]
    }
    assert authors_of(f'<script type="application/ld+json">{json.dumps(graph)}</script>')[0] == [
        "Ann Lee"
    ]


def test_an_organisation_counts_only_if_nobody_else_is_named() -> None:
    site = '<meta property="og:site_name" content="The Daily">'
    data = linked(author={"@type": "Organization", "name": "The Daily"})
    assert authors_of(site + data + '<p class="byline">By Ed Hall</p>') == (["Ed Hall"], "byline")
    assert authors_of(site + data) == (["The Daily"], "json-ld")
    assert authors_of(site + linked(author=["Ann Lee", "The Daily"]))[0] == ["Ann Lee"]


@pytest.mark.parametrize(
    "line",
    [
        "<p>By Ann Lee</p>",
        "<p>Von Ann Lee</p>",
        "<div>Written by</div><div>Ann Lee</div>",
        '<a href="/author/ann-lee">Ann Lee</a>',
        '<div class="post-meta"><span class="author-name">Ann Lee</span><span>Senior Editor</span></div>',
        '<a rel="author" href="/ann">Ann Lee</a>',
        "<p>Ann Lee</p>",
        "<p>3 May 2024 • Ann Lee</p>",
        "<p>3 May 2024 by Ann Lee</p>",
        "<p>By <b>Ann Lee</b><span>Published: 3 May 2024</span></p>",
    ],
)
def test_bylines(line: str) -> None:
    assert authors_of(line)[0] == ["Ann Lee"]


def test_two_authors_in_the_order_of_the_page() -> None:
    line = (
        '<p class="byline"><a href="/author/bo">Bo Ek</a> and <a href="/author/ann">Ann Lee</a></p>'
    )
    assert authors_of(line)[0] == ["Bo Ek", "Ann Lee"]


def test_credits_of_pictures_are_no_bylines() -> None:
    assert authors_of("<p>Photo by Ann Lee</p>")[0] == []
    assert authors_of('<figure><figcaption class="author">Ann Lee</figcaption></figure>')[0] == []


def test_the_author_of_a_reply_is_not_that_of_the_page() -> None:
    reply = "<p>A long story begins here, and it goes on.</p>" * 5 + (
        '<div itemscope itemtype="https://schema.org/Comment"><time></time>'
        '<span itemprop="author"><b itemprop="name">Bo Ek</b></span></div>'
    )
    assert "Bo Ek" not in authors_of(reply)[0]


def test_names_with_the_family_name_first() -> None:
    assert authors_of(
        '<meta name="citation_author" content="Lee, Ann"><meta name="citation_author" content="Ek, Bo">'
    )[0] == ["Ann Lee", "Bo Ek"]


@pytest.mark.parametrize(
    "owner",
    [
        '<meta name="copyright" content="Copyright (c) Great Pages 2022">',
        '<meta name="copyright" content="© 2022 Great Pages. All rights reserved">',
        '<meta name="publisher" content="Great Pages">',
    ],
)
def test_the_owner_of_the_site_counts_only_if_nobody_else_is_named(owner: str) -> None:
    meta = f'<meta name="author" content="Great Pages">{owner}'
    assert authors_of(meta + '<p class="byline">By Ed Hall</p>') == (["Ed Hall"], "byline")
    assert authors_of(meta) == (["Great Pages"], "meta")


def test_an_owner_who_writes_too_is_an_author() -> None:
    meta = '<meta name="author" content="Ann Lee, Bo Ek"><meta name="copyright" content="Ann Lee">'
    assert authors_of(meta)[0] == ["Ann Lee", "Bo Ek"]


ITEM = '<time></time><p itemprop="author"><span itemprop="name">{}</span></p>'


def test_names_in_item_properties_are_cleaned() -> None:
    assert authors_of(ITEM.format("By <b>Ann Lee</b>, Staff Writer"))[0] == ["Ann Lee"]
    assert authors_of(ITEM.format("Ann Lee, Bo Ek"))[0] == ["Ann Lee", "Bo Ek"]


@pytest.mark.parametrize("credit", ["Illustration by", "Photograph by", "Photographs by"])
def test_credits_in_item_properties_name_no_author(credit: str) -> None:
    items = ITEM.format("By Ann Lee") + ITEM.format(f"{credit} Bo Ek and Cy Fox")
    assert authors_of(items)[0] == ["Ann Lee"]
    own = f'<time></time><p itemprop="author">{credit} Bo Ek</p><p class="byline">By Ann Lee</p>'
    assert authors_of(own)[0] == ["Ann Lee"]


@pytest.mark.parametrize(
    "word", ["手机版", "字体放大 | 字体缩小", "最終更新日", "声 明", "ソフト名"]
)
def test_east_asian_words_alone_beside_a_date_name_nobody(word: str) -> None:
    assert authors_of(f"<p>{word}</p>")[0] == []
    assert authors_of('<p>作者：李明</p><p class="author">王芳</p>')[0] == ["王芳"]


@pytest.mark.parametrize("label", ["投稿者", "翻訳者", "查看TA的文章"])
def test_east_asian_labels_beside_an_author_are_no_names(label: str) -> None:
    line = f'<p class="author"><span>{label}</span><b>李明</b></p>'
    assert authors_of(line)[0] == ["李明"]


@pytest.mark.parametrize("word", ["退出", "登录", "ログイン", "로그인"])
def test_the_link_of_a_login_is_no_user(word: str) -> None:
    assert authors_of(f'<a href="/users/x">{word}</a>')[0] == []


def test_the_join_date_beside_a_user_is_no_name() -> None:
    box = '<time></time><div itemprop="author"><b>Ann_L</b><i>Join Date</i><i>May 2011</i></div>'
    assert authors_of(box)[0] == ["Ann_L"]


def test_two_words_of_parsely_with_a_comma_are_one_name() -> None:
    meta = '<meta name="parsely-author" content="{}">'
    assert authors_of(meta.format("Lee, Ann"))[0] == ["Ann Lee"]
    assert authors_of(meta.format("Ann Lee, Bo Ek"))[0] == ["Ann Lee", "Bo Ek"]


# Hypothesis knows no possessive repetitions
BYLINES = re.compile(BY.pattern.replace("++", "+").replace("*+", "*"), re.IGNORECASE | re.VERBOSE)


@given(st.from_regex(BYLINES))
@example("BY Ann")
@example("a cura di Ann")
@example("a\tcura\tdi Ann")
@example("\u212airjoittaja")
@example("Ann by")
@example("")
def test_a_word_for_by_is_never_overlooked(text: str) -> None:
    match, expected = match_by(text), BY.match(text)
    assert (match and match.span()) == (expected and expected.span())


@given(st.text(max_size=4))
def test_a_text_without_a_word_for_by_has_none(text: str) -> None:
    assert bool(match_by(text)) == bool(BY.match(text))
