"""Metadata: every field from every source, conflicts between sources, and hostile pages."""

import copy
import doctest
import json
import pickle
import time
from dataclasses import asdict
from typing import Literal
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import extract, parse
from bodytext.kernel import is_native
from bodytext.views.metadata import (
    Metadata,
    Source,
    image,
    language,
    read_metadata,
    site,
    statements,
    tags,
    title,
)
from bodytext.views.metadata import element_text as elements
from example_counts import some_of
from hostile_pages import KINDS

ADDRESS = "https://www.paper.example/news/a.html"
PAGE = """<!doctype html><html lang="en-gb"><head>
<title>Harbour opens again | The Paper</title>
<link rel="canonical" href="/news/harbour">
<link rel="alternate" type="application/rss+xml" href="/feed">
<link rel="alternate" hreflang="de" href="/de">
<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">
<meta property="og:site_name" content="The Paper">
<meta property="og:title" content="Harbour opens again">
<meta property="og:description" content="Ships &amp; fog.">
<meta property="og:image" content="/ship.jpg">
<meta property="og:type" content="article">
<meta property="article:published_time" content="2024-05-02T08:00:00+01:00">
<meta property="article:modified_time" content="2024-05-03">
<meta property="article:tag" content="ships"><meta property="article:tag" content="Fog, ships">
<meta property="article:section" content="Sea">
<meta name="author" content="Ann Lee">
<script type="application/ld+json">{"@type": "BreadcrumbList", "itemListElement": [
 {"@type": "ListItem", "position": 2, "item": {"name": "Sea"}}, {"@type": "ListItem", "position": 1, "name": "Home"}]}
</script></head><body><h1>Harbour opens again</h1><p>The harbour opened again.</p></body></html>"""


def read(markup: str, url: str = "") -> Metadata:
    return read_metadata(parse(markup, url=url))


def linked(**fields: object) -> str:
    return (
        f'<script type="application/ld+json">{json.dumps({"@type": "Article", **fields})}</script>'
    )


@pytest.mark.parametrize("module", [elements, image, language, site, statements, tags, title])
def test_the_examples(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_every_field() -> None:
    assert read(PAGE, ADDRESS) == Metadata(
        title="Harbour opens again",
        authors=("Ann Lee",),
        date="2024-05-02T08:00:00+01:00",
        modified="2024-05-03",
        site_name="The Paper",
        language="en-GB",
        description="Ships & fog.",
        url="https://www.paper.example/news/harbour",
        image="https://www.paper.example/ship.jpg",
        tags=("ships", "Fog"),
        categories=("Sea",),
        license="https://creativecommons.org/licenses/by/4.0/",
        breadcrumb=("Home", "Sea"),
        page_type="article",
        feeds=("https://www.paper.example/feed",),
    )


def test_every_value_has_its_source_and_nothing_else_has() -> None:
    metadata = read(PAGE, ADDRESS)
    lacking = set(Metadata.__dataclass_fields__) - {"sources"} - set(metadata.sources)
    assert not lacking, (
        f"PAGE in tests/test_metadata.py must have a value for every field, but has none for {lacking}; "
        "give it one, and add the value to test_every_field"
    )
    assert "sources" not in metadata.sources
    assert metadata.sources["title"] == Source("h1", 0.9)
    assert metadata.sources["url"] == Source("canonical link", 0.95)
    assert all(0 < source.confidence <= 1 for source in metadata.sources.values())
    assert dict(read("<p>text").sources) == {}
    with pytest.raises(TypeError):
        metadata.sources["title"] = Source("", 1.0)  # type: ignore[index]


def test_a_document_reads_its_metadata_once() -> None:
    document = extract(PAGE, url=ADDRESS)
    assert document.metadata.title == "Harbour opens again"
    assert document.metadata is document.metadata
    assert extract("").metadata == Metadata()
    assert extract("<meta name=author content='Ann Lee'>").metadata.authors == ("Ann Lee",)


def test_a_document_can_be_copied_and_pickled_after_its_views_were_read() -> None:
    document = extract(PAGE, url=ADDRESS)
    asked = (document.metadata, document.structure, document.media, document.comments)
    pickled = pickle.loads(pickle.dumps(document))  # noqa: S301 - our own
    for other in (pickled, copy.copy(document), copy.deepcopy(document)):
        assert other == document
        assert (other.metadata, other.structure, other.media, other.comments) == asked
        assert other.metadata.sources == document.metadata.sources
        with pytest.raises(TypeError):
            other.metadata.sources["title"] = Source("", 1.0)  # type: ignore[index]
    assert json.loads(json.dumps(asdict(document.metadata)))["sources"]["title"] == {
        "name": "h1",
        "confidence": 0.9,
    }


def test_the_page_type_of_a_method() -> None:
    page = parse(PAGE)
    assert read_metadata(page, "listing").page_type == "listing"
    assert read_metadata(page, "listing").sources["page_type"].name == "method"
    line = parse(
        "<title>Chairs for all</title><h1>Chairs for all</h1><p>By Ann Lee</p><p>12 May 2024</p>"
    )
    assert read_metadata(line, "article").authors == ("Ann Lee",)
    assert read_metadata(line, "article").date == "2024-05-12"
    assert read_metadata(line, "product").authors == ()
    assert read_metadata(line, "product").date == ""


# title

SITE = '<meta property="og:site_name" content="The Paper">'


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<title>Harbour opens | The Paper</title>" + SITE, "Harbour opens"),
        ("<title>The Paper: news - Harbour opens</title>" + SITE, "Harbour opens"),
        ("<title>The Paper | Harbour opens</title>" + SITE, "Harbour opens"),
        ("<title>Harbour opens – Sea – The Paper</title>" + SITE, "Harbour opens – Sea"),
        ("<title>Harbour opens | The Paper</title><h1>Harbour opens</h1>", "Harbour opens"),
        (
            SITE
            + "<title>The Paper | News</title><h1>The Paper</h1><h1>Harbour opens again today</h1>",
            "Harbour opens again today",
        ),
        ("<title>Harbour opens - The Paper</title><h1>The Paper</h1>", "Harbour opens"),
        ("<title>Harbour opens</title><h1>Harbour opens ¶</h1>", "Harbour opens"),
        ("<title>Rock &amp; Roll</title>", "Rock & Roll"),
        ("<title>Rock</title><h1>Rock &amp;#x26; Roll</h1>", "Rock & Roll"),
        ("<title>What &amp;nbsp; is</title><h1>What &amp;nbsp; is</h1>", "What &nbsp; is"),
        (
            "<title>Result</title><h1>Enum <b>Result</b> <button>Copy item path</button></h1>",
            "Enum Result",
        ),
        ("<title>Tea</title><h1>Tea <i class=sr-only>(opens in a new tab)</i></h1>", "Tea"),
        ("<title>Shop</title><h1 class=sr-only>Tea for all of us</h1>", "Tea for all of us"),
        ("<title>Open</title><h1><button>Open the harbour</button></h1>", "Open the harbour"),
        (
            "<title>The Paper - Harbour opens</title><p>x</p><footer>© 2024 The Paper Ltd.</footer>",
            "Harbour opens",
        ),
        ("<title>«Seven» comes back</title>", "«Seven» comes back"),
        ('<title>港が開く：日報</title><meta property="og:site_name" content="日報">', "港が開く"),
        ('<title>港口开放_日报</title><meta property="og:site_name" content="日报">', "港口开放"),
        ("<h1>Only a headline</h1>", "Only a headline"),
        ("<p>nothing", ""),
        (
            '<meta property="og:title" content="For sharing"><title>For sharing</title><h1>Buy now!</h1>',
            "For sharing",
        ),
        ("<svg><title>Icon</title></svg><title>Page</title>", "Page"),
    ],
)
def test_titles(markup: str, expected: str) -> None:
    assert read(markup).title == expected


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_both_forms_of_a_letter_are_one_title(form: Literal["NFC", "NFD"]) -> None:
    headline = normalize(form, "Été à Besançon")
    found = read(f'<meta property="og:title" content="Été à Besançon"><h1>{headline}</h1>')
    assert (found.title, found.sources["title"].confidence) == (headline, 0.9)


def test_two_titles_that_agree_win_over_the_third() -> None:
    shared, headline = (
        '<meta property="og:title" content="Ships are back">',
        "<h1>Harbour is open today</h1>",
    )
    assert read(shared + linked(headline="Ships are back") + headline).title == "Ships are back"
    assert (
        read(shared + linked(headline="Harbour is open today") + headline).title
        == "Harbour is open today"
    )


def test_the_title_of_the_start_page_is_the_name_of_its_site() -> None:
    markup = (
        '<link rel=canonical href="https://paper.example/"><title>Paper – News of the sea</title>'
    )
    assert read(markup).title == "Paper – News of the sea"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<title>港口今天开放(图)_要闻_日报网</title>", "港口今天开放(图)"),
        ("<title>港口今天开放__海_日报</title><h1>日报</h1>", "港口今天开放"),
        ("<title>港口今天重新开放，船来了--日报要闻</title>", "港口今天重新开放，船来了"),
        ("<title>海上夜-中国港口网</title>", "海上夜"),
        ('<title>「船」:海日誌</title><meta property="og:site_name" content="海日誌">', "「船」"),
        ("<title>港口-船只</title>", "港口-船只"),
        ("<title>set_名称 的用法</title>", "set_名称 的用法"),
        (
            '<title>海日誌-船:港</title><meta property="og:site_name" content="海日誌">',
            "海日誌-船:港",
        ),
    ],
)
def test_east_asian_titles_without_spaces_lose_the_site(markup: str, expected: str) -> None:
    assert read(markup).title == expected


@pytest.mark.parametrize("first", ["Opinion | ", "r/ships - ", "The Paper - Sea - "])
def test_the_headline_of_an_article_wins_over_the_section_before_it(first: str) -> None:
    headline = "Harbour is open: ships are back"
    page = parse(f"<title>{first}{headline}</title><h1>{headline}</h1>")
    assert read_metadata(page, "article").title == headline
    assert read_metadata(page, "forum").title == headline


def test_the_first_part_of_a_title_wins_over_the_name_of_a_book_or_section() -> None:
    page = parse("<title>Ropes - The book of the harbour</title><h1>The book of the harbour</h1>")
    assert read_metadata(page, "documentation").title == "Ropes"
    page = parse("<title>Ropes are back in town - Paper Sea News</title><h1>Sea News</h1>")
    assert read_metadata(page, "article").title == "Ropes are back in town"


def test_a_title_that_a_quotation_mark_cut_yields_to_the_headline() -> None:
    headline = "<h1>Harbour opens with a &quot;royal&quot; visit</h1>"
    cut = '<meta property="og:title" content="Harbour opens with a "royal" visit">'
    news = linked(headline="Harbour opens with a")
    assert read(cut + news + headline).title == 'Harbour opens with a "royal" visit'


# the other fields


@pytest.mark.parametrize(
    "name",
    [
        "logo.png",
        "sea-logo-2x.png",
        "SeaLogo_150.jpg",
        "og-default.png?v=2",
        "touch-icon@2.png",
        "apple-icon.png",
        "facebook-placeholder-4922.jpg",
        "favicon-144.png",
        "blank.jpg",
        "fallback.jpg",
    ],
)
def test_a_logo_or_a_default_image_is_not_the_lead_image(name: str) -> None:
    shared = f'<meta property="og:image" content="https://paper.example/img/{name}">'
    assert read(shared).image == ""
    other = linked(image="https://paper.example/harbour.jpg")
    assert read(shared + other).image == "https://paper.example/harbour.jpg"


@pytest.mark.parametrize(
    "name",
    [
        "logo/harbour.jpg",
        "catalogo.jpg",
        "logos.jpg",
        "default/a.jpg",
        "point-blank.jpg",
        "maxresdefault.jpg",
        "the-old-paper-and-the-team-that-draws-its-new-logo.jpg",
    ],
)
def test_the_name_of_an_image_may_have_letters_of_these_words(name: str) -> None:
    address = f"https://paper.example/img/{name}"
    assert read(f'<meta property="og:image" content="{address}">').image == address


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<html lang=pt_br>", "pt-BR"),
        ("<html xml:lang='de'>", "de"),
        ('<meta http-equiv="content-language" content="fr, en">', "fr"),
        ('<meta property="og:locale" content="vi_VN">', "vi-VN"),
        (linked(inLanguage="ja"), "ja"),
        ("<p>" + "これは日本語の文章です。" * 5, "ja"),
        ("<p>" + "这是一段中文文字。" * 5, "zh"),
        ("<p>" + "Hôm nay trời đẹp và chúng tôi đi dạo ở công viên. " * 3, "vi"),
        ("<p>" + "The weather is fine today. " * 5, ""),
        ("<html lang=english>", ""),
    ],
)
def test_languages(markup: str, expected: str) -> None:
    assert read(markup).language == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<html lang=en><title>港口开放</title><p>" + "这是一段中文文字。" * 5, "zh"),
        ("<html lang=en-US><title>Λιμάνι</title><p>" + "Το λιμάνι άνοιξε. " * 5, "el"),
        ("<html lang=en><title>The word 港</title><p>" + "It is a word, 港. " * 5, "en"),
        ("<html lang=en><title>Café</title><p>" + "Le café est très près. " * 5, "en"),
        ("<html lang=zh><title>Ships</title><p>" + "The weather is fine. " * 5, "zh"),
        ('<meta name="language" content="utf-8"><p>' + "这是一段中文文字。" * 5, "zh"),
    ],
)
def test_letters_of_another_script_contradict_english(markup: str, expected: str) -> None:
    assert read(markup).language == expected


def test_letters_as_references_tell_the_language() -> None:
    text = "".join(f"&#x{ord(letter):x};" for letter in "これは日本語の文章です。")
    assert read(f"<title>{text}</title><p>{text * 5}").language == "ja"
    assert read(f"<html lang=en><title>{text}</title><p>{text * 5}").language == "ja"
    assert read("<title>Tea</title><p>" + "It&#39;s a &#8220;fine&#8221; day. " * 5).language == ""


@pytest.mark.parametrize(
    "url", ["http://[bad", "http://a b/", "//", ":", "mailto:x", "\x00", "http://a.example:port/"]
)
# The second where it reads as a start page's
def test_any_address_of_the_caller_is_accepted(url: str) -> None:
    assert read(PAGE, url).title == "Harbour opens again"
    assert read("<title>A | B</title>", url).title in {
        "A",
        "A | B",
    }


def test_addresses_are_absolute_and_of_the_web() -> None:
    assert (
        read('<meta property="og:url" content="https://a.example/x">').url == "https://a.example/x"
    )
    assert read('<link rel=canonical href="javascript:alert(1)">', ADDRESS).url == ADDRESS
    assert read('<link rel=canonical href="/x">').url == ""
    assert read('<meta property="og:image" content="javascript:alert(1)">', ADDRESS).image == ""
    assert read(linked(image={"@type": "ImageObject", "url": "/a.jpg"}), ADDRESS).image.endswith(
        "/a.jpg"
    )


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (linked(keywords="a, b;c"), ("a", "b", "c")),
        (linked(keywords=["a", {"name": "b"}]), ("a", "b")),
        ('<meta name="news_keywords" content="a、b">', ("a", "b")),
        (
            '<meta property="og:type" content="article"><a rel="tag" href=x>#a</a><a rel="tag" href=y>b</a>',
            ("a", "b"),
        ),
        ('<a rel="tag" href=x>a</a>', ()),
    ],
)
def test_tags(markup: str, expected: tuple[str, ...]) -> None:
    assert read(markup).tags == expected


def test_dublin_core_and_parsely() -> None:
    metadata = read(
        '<meta name="DC.title" content="A title"><meta name="DC.creator" content="Lee, Ann">'
        '<meta name="DC.date.issued" content="2024-05-12"><meta name="DC.language" content="en">'
        '<meta name="DC.description" content="About it."><meta name="parsely-section" content="Sea">'
    )
    assert (metadata.title, metadata.authors, metadata.date) == (
        "A title",
        ("Ann Lee",),
        "2024-05-12",
    )
    assert (metadata.language, metadata.description, metadata.categories) == (
        "en",
        "About it.",
        ("Sea",),
    )


def test_rdfa() -> None:
    metadata = read(
        '<h1>A title of a page</h1><div vocab="http://schema.org/" typeof="Article"><time></time>'
        '<span property="author">Ann Lee</span><b property="schema:datePublished" content="2024-05-12">May</b></div>'
    )
    assert (metadata.authors, metadata.date) == (("Ann Lee",), "2024-05-12")


def test_a_breadcrumb_in_the_markup() -> None:
    markup = '<nav class="Breadcrumbs"><ol><li><a href=/>Home</a> /</li><li>Sea</li></ol></nav>'
    assert read(markup).breadcrumb == ("Home", "Sea")


def test_licences() -> None:
    link = "https://creativecommons.org/licenses/by-sa/4.0/"
    assert read(f'<footer><a href="{link}">CC</a></footer>').license == link
    assert read(linked(license=link)).license == link
    # A table pushes the link out: the opening tags are not in the order of the elements.
    rows = "<tr><td>Eels</td></tr>" * 4_000
    assert read(f'<p>Eels</p><table>{rows}<a href="{link}">CC</a></table>').license == link
    assert (
        read('<meta name="dc.rights" content="All rights reserved">').license
        == "All rights reserved"
    )


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (
            '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>',
            "forum",
        ),
        ('<script type="application/ld+json">{"@type": ["Product"]}</script>', "product"),
        ('<meta property="og:type" content="article">', "article"),
        ('<meta property="og:type" content="website">', ""),
    ],
)
def test_page_types(markup: str, expected: str) -> None:
    assert read(markup).page_type == expected


def test_the_object_about_this_page_is_chosen() -> None:
    others = [
        {"@type": "Article", "url": "https://a.example/other", "headline": "Another one"},
        {"@type": "Article", "url": "https://a.example/this/", "headline": "This one here"},
    ]
    link = '<link rel=canonical href="https://a.example/this">'
    assert (
        read(f'{link}<script type="application/ld+json">{json.dumps(others)}</script>').title
        == "This one here"
    )


# hostile pages

PIECES = """<meta |name=|property=|content=|"og:title"|'article:published_time'|"author"
    |datePublished|<link rel=canonical
    |href=|<time |datetime="2024-01-01"|<h1>|</h1>|<title>|</title>|itemprop="author"|<script type=application/ld+json>
    |</script>|{"@type":"Article"|,"author":|[|]|{|}|<p class=byline>|By Ann Lee|12 May 2024|5/6/2024|>|"|'|&#0;|&amp;
    |<html lang=|<a rel="tag">|typeof=|property="schema:author"|<nav class=breadcrumb><ol><li>|\ud800"""
pieces = st.sampled_from(PIECES.split("|"))
KEYS = """
    @type @id @graph author name headline datePublished publisher image keywords inLanguage itemListElement position
    breadcrumb mainEntity mainEntityOfPage license url articleSection
"""


@pytest.mark.slow
@settings(max_examples=some_of(300), deadline=None)
@given(
    st.lists(pieces | st.text(max_size=6), max_size=50),
    st.sampled_from(["", "article", "forum", "product"]),
)
def test_any_markup_gives_metadata(parts: list[str], page_type: str) -> None:
    markup = " ".join(parts).encode("utf-8", "replace")
    metadata = read_metadata(parse(markup, url=ADDRESS), page_type)
    for value in (metadata.title, metadata.date, *metadata.authors, *metadata.tags):
        value.encode("utf-8")
    assert set(metadata.sources) <= set(Metadata.__dataclass_fields__)


@pytest.mark.slow
@settings(max_examples=some_of(200), deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_give_metadata(data: bytes) -> None:
    assert isinstance(extract(data).metadata, Metadata)


@pytest.mark.slow
@settings(max_examples=some_of(100), deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(KEYS.split()),
                inner,
                max_size=5,
            )
        ),
        max_leaves=20,
    )
)
def test_any_json_gives_metadata(data: object) -> None:
    for kind in ("Article", "BreadcrumbList", "WebSite"):
        markup = json.dumps(
            [data, {"@type": kind, **(data if isinstance(data, dict) else {"author": data})}]
        )
        read(f'<script type="application/ld+json">{markup.replace("</", "")}</script>')


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_pages_raise_nothing(kind: str) -> None:
    read_metadata(parse(KINDS[kind].make(4_000), url=ADDRESS))


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        '<meta name="author" content="Ann Lee">',
        '<meta property="article:tag" content="a%d,b,c,d">',
        "<meta a b c d e f g h i j k l m n o p q r s t>",
        '<link rel=canonical href="/%d">',
        '<time datetime="2024-01-01" itemprop="datePublished">',
        '<span itemprop="author" itemscope><b itemprop=name>Ann Lee</b></span>',
        "<h1>Ann Lee 12 May 2024</h1>",
        '<p class="byline author">By Ann Lee</p>',
        "<p>By</p>",
        "<p>12 May 2024 by</p>",
        "<div class=author>",
        '<nav class="breadcrumb"><ol><li>x',
        '<a rel="tag" href=x>tag%d</a>',
        '<a href="https://creativecommons.org/licenses/by/%d">x</a>',
        '<script type="application/ld+json">{"@type": "Article", "author": {"@id": "x%d"}}</script>',
        "<title>a | b - c</title>",
        "12 May 12 May ",
        "By By By ",
    ],
)
def test_floods_are_quick(unit: str) -> None:
    times = 50_000 if is_native("scanner") else 1_500
    page = parse(
        '<meta property="og:type" content="article">'
        + "".join(unit.replace("%d", str(n)) for n in range(times))
    )
    start = time.process_time()
    read_metadata(page)
    assert time.process_time() - start < 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "filler",
    ["a", "a ", "a | ", "By ", "1/", "<", "&amp;", '"', "Ann Lee, ", "- ", "(", "2024-", "é"],
)
def test_long_values_are_quick(filler: str) -> None:
    long = filler * 300_000
    quoted = long.replace('"', "'")
    metas = "".join(
        f'<meta property="{name}" content="{quoted}">'
        for name in ("og:title", "author", "article:published_time", "keywords")
    )
    address = quoted.replace("'", "")
    page = parse(
        f"<html lang=en><title>{long}</title>{metas}<link rel=canonical href='{address}'><h1>{long}</h1>"
        f"<p class=author>{long}</p><time datetime='{address}'>{long}</time>"
    )
    start = time.process_time()
    read_metadata(page)
    assert time.process_time() - start < 3
