"""Media: which belong to an interval of runs, where they come from, and that no page makes it slow or fail."""

import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import Scores, parse, select
from bodytext.kernel import is_native, placement
from bodytext.kernel.html import TAG, Kind
from bodytext.views.media import (
    MOST_MEDIA,
    Medium,
    MediumKind,
    Pictures,
    embeds,
    find_media,
    place_media,
)
from example_counts import some_of
from hostile_pages import KINDS

ADDRESS = "https://example.com/news/article.html"
BEFORE, AFTER = "<p>Before it.</p>", "<p>After it.</p>"


def find(markup: str, url: str = "") -> list[Medium]:
    """The media of a page that is all article."""
    page = parse(markup, url=url)
    return find_media(page, 0, len(page.runs.words))


def find_between(markup: str) -> list[str]:
    """The sources of the media of the run "Article" in a page."""
    page = parse(markup)
    texts = [
        page.source[start:end] for start, end in zip(page.runs.start, page.runs.end, strict=True)
    ]
    first = texts.index(b"Article")
    return [medium.source for medium in find_media(page, first, first + 1)]


def sources(markup: str, url: str = "") -> list[str]:
    return [medium.source for medium in find(f"<p>Text</p>{markup}<p>Text</p>", url)]


def test_every_kind_is_found_in_document_order() -> None:
    media = find(
        "<p>Text<img src=a.jpg></p><video src=b.mp4></video><audio src=c.mp3></audio><embed src=d.swf>"
        "<object data=e.swf></object><iframe src='https://www.youtube.com/embed/f'></iframe>"
    )
    assert [(medium.kind, medium.source) for medium in media] == [
        (MediumKind.IMAGE, "a.jpg"),
        (MediumKind.VIDEO, "b.mp4"),
        (MediumKind.AUDIO, "c.mp3"),
        (MediumKind.EMBED, "d.swf"),
        (MediumKind.EMBED, "e.swf"),
        (MediumKind.EMBED, "https://www.youtube.com/embed/f"),
    ]


def test_start_is_the_offset_of_the_tag() -> None:
    markup = "<p>Größe <img src=a.jpg></p>"
    assert [markup.encode().find(b"<img")] == [medium.start for medium in find(markup)]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (f"{BEFORE}<img src=a><p>Article</p><img src=b>{AFTER}", ["a", "b"]),
        (f"<img src=a>{BEFORE}<p>Article</p>{AFTER}<img src=b>", []),
        (f"{BEFORE}<div><div><img src=a></div></div><div><p>Article</p></div>{AFTER}", ["a"]),
        ("<img src=a><p>Article</p><img src=b>", ["a", "b"]),
        (
            f"{BEFORE}<figure><img src=a><figcaption>Caption</figcaption></figure><p>Article</p>",
            ["a"],
        ),
        ("<figure><img src=a></figure><figcaption>One</figcaption><p>Two</p><p>Article</p>", []),
        ("<figure><img src=a><figcaption>One</figcaption></figure><p>Two</p><p>Article</p>", []),
        (f"<p>Article</p><noscript>Switch it on.</noscript><img src=a>{AFTER}", ["a"]),
        ("<p>Article</p><p hidden>Unseen.</p><img src=a><p>After</p><img src=b>", ["a"]),
        (
            "<video src=a>Cannot play.</video><p>Article</p><video src=b>Cannot play.</video>",
            ["a", "b"],
        ),
        (
            "<nav><img src=a></nav><p>Article</p><aside><img src=b></aside><footer><img src=c></footer>",
            [],
        ),
        ("<aside><img src=a><p>Article</p></aside>", ["a"]),
    ],
)
def test_media_beside_the_article(markup: str, expected: list[str]) -> None:
    assert find_between(markup) == expected


def test_an_aside_between_the_runs_is_inside() -> None:
    assert sources("<aside><img src=a></aside>") == ["a"]


def test_no_runs_no_media() -> None:
    page = parse("<img src=a><p>Text</p>")
    assert find_media(page, 0, 0) == []
    assert find_media(parse(""), 0, 0) == []


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<img src=a.jpg data-src=b.jpg>", "b.jpg"),
        ("<img data-original=b.jpg>", "b.jpg"),
        ("<img src=a.jpg data-lazy-src=true>", "a.jpg"),
        ("<img src='data:image/gif;base64,R0lGOD' data-lazy-src=b.jpg>", "b.jpg"),
        ("<img src=/i/spacer.gif data-srcset='b.jpg 1x, c.jpg 2x'>", "c.jpg"),
        ("<img src=/i/grey-placeholder.png data-src=b.jpg>", "b.jpg"),
        ("<img src=a.jpg srcset='b.jpg 300w, c.jpg 1200w, d.jpg 600w'>", "c.jpg"),
        ("<img src=a.jpg srcset='b.jpg, c.jpg 1.5x,d.jpg 1x'>", "c.jpg"),
        ("<img srcset='w_1,h_2/b.jpg 100w, w_2,h_4/c.jpg 200w'>", "w_2,h_4/c.jpg"),
        ("<img srcset='data:image/png;base64,AA,BB 900w, b.jpg 100w'>", "b.jpg"),
        ("<img srcset='b.jpg nonsense, c.jpg 999999999999999w'>", "b.jpg"),
        ("<img src=a.jpg srcset=', ,'>", "a.jpg"),
        ("<img src='_{width}x.jpg' srcset='b_{width}.jpg'>", None),
        (
            "<picture><source srcset='b.webp 1x, c.webp 2x'><source srcset=d.png><img src=a.jpg></picture>",
            "c.webp",
        ),
        (
            "<picture><source data-srcset=b.webp><noscript><img src=a.jpg></noscript></picture>",
            "b.webp",
        ),
        ("<div><source srcset=b.webp><img src=a.jpg></div>", "a.jpg"),
        ("<video><source src=javascript:x><source src=b.mp4><source src=c.webm></video>", "b.mp4"),
        ("<video src=blob:x poster=a.jpg></video>", "a.jpg"),
        ("<audio><source src=b.ogg></audio>", "b.ogg"),
        ("<object><param name=quality value=high><param name=movie value=b.swf></object>", "b.swf"),
        ("<object data=a.swf><embed src=b.swf></object>", "a.swf"),
        ("<video src=a.mp4><img src=b.jpg></video>", "a.mp4"),
        ("<video src=blob:x><img src=b.jpg></video>", "b.jpg"),
        ("<iframe data-src=//player.vimeo.com/1></iframe>", "//player.vimeo.com/1"),
        ("<iframe src=https://example.org/player/7></iframe>", "https://example.org/player/7"),
        ("<iframe src=https://example.org/ns.html></iframe>", None),
        ("<iframe src=https://notyoutube.com/></iframe>", None),
        ("<iframe src='https://[youtube.com/'></iframe>", None),
        ("<iframe></iframe><embed><object></object><video></video><img>", None),
    ],
)
def test_where_a_medium_comes_from(markup: str, expected: str | None) -> None:
    assert sources(markup) == ([expected] if expected else [])


def test_the_poster_of_a_video_without_address_is_an_image() -> None:
    assert [medium.kind for medium in find("<p>Text<video src=blob:x poster=a.jpg></video>")] == [
        MediumKind.IMAGE
    ]


def test_a_media_type_says_what_an_object_is() -> None:
    assert [
        medium.kind for medium in find("<p>Text<object type=image/svg+xml data=a.svg></object>")
    ] == ["image"]


@pytest.mark.parametrize(
    "image",
    [
        "<img src=a width=1 height=1>",
        "<img src=a width=0 height=0>",
        "<img src=a style='width:1px;height:1px'>",
        "<img src=a style='position:absolute; HEIGHT : 0'>",
        "<img src=a width=32 height=32>",
        "<img src=a width=16px>",
        "<img src='data:image/png;base64,AAAA'>",
        "<img src=javascript:alert(1)>",
        "<img src='java\nscript:alert(1)'>",
        "<img src='&#1;javascript:alert(1)'>",
        "<img src='java\0script:alert(1)'>",
        "<img src=file:///etc/passwd>",
        "<img src=about:blank>",
        "<img src='#'>",
        "<img src=''>",
        "<img src=/static/1x1.gif>",
        "<img src=a style='display:none'>",
        "<div hidden><img src=a></div>",
        "<template><img src=a></template>",
        "<iframe src=https://youtube.com/embed/a width=1 height=1></iframe>",
    ],
)
def test_what_is_left_out(image: str) -> None:
    assert sources(image) == []


@pytest.mark.parametrize(
    "image",
    [
        "<img src=a width=33 height=20>",
        "<img src=a width=100% height=auto>",
        "<img src=a width=1 style='width:640px'>",
        "<img src=a style='min-width:10px'>",
        "<img src=a width=-5>",
        "<audio src=a style='height:30px'></audio>",
    ],
)
def test_what_is_kept(image: str) -> None:
    assert sources(image) == ["a"]


def test_a_page_hidden_as_a_whole_keeps_its_media() -> None:
    assert [
        medium.source for medium in find("<body style='visibility:hidden'><p>Text<img src=a></p>")
    ] == ["a"]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<img data-src=a.jpg><noscript><img src=a.jpg></noscript>", ["a.jpg"]),
        ("<img data-src=a-300.jpg><noscript><img src=a.jpg></noscript>", ["a-300.jpg"]),
        ("<noscript><img src=a.jpg></noscript><img data-src=a-300.jpg>", ["a-300.jpg"]),
        ("<img src=data:x><noscript><img src=a.jpg></noscript>", ["a.jpg"]),
        (
            "<img src=a.jpg><img src=data:x><noscript><img src=b.jpg></noscript><img src=c.jpg>",
            ["a.jpg", "b.jpg", "c.jpg"],
        ),
        ("<img src=a.jpg><p>Text</p><noscript><img src=b.jpg></noscript>", ["a.jpg", "b.jpg"]),
        ("<img src=a.jpg><img src=b.jpg><img src=a.jpg>", ["a.jpg", "b.jpg"]),
    ],
)
def test_nothing_is_listed_twice(markup: str, expected: list[str]) -> None:
    assert sources(markup) == expected


@pytest.mark.parametrize(
    ("markup", "url", "expected"),
    [
        ("<img src=a.jpg>", ADDRESS, "https://example.com/news/a.jpg"),
        ("<img src=' /a.jpg\n'>", ADDRESS, "https://example.com/a.jpg"),
        ("<img src=//cdn.example.net/a.jpg>", ADDRESS, "https://cdn.example.net/a.jpg"),
        ("<base href=/b/><img src=a.jpg>", ADDRESS, "https://example.com/b/a.jpg"),
        (
            "<base target=x><base href=//c.org/b/><base href=/d/><img src=a.jpg>",
            ADDRESS,
            "https://c.org/b/a.jpg",
        ),
        ("<base href=https://c.org/b/><img src=a.jpg>", "", "https://c.org/b/a.jpg"),
        ("<base href=/b/><img src=a.jpg>", "", "a.jpg"),
        ("<base href=javascript:x><img src=a.jpg>", ADDRESS, "https://example.com/news/a.jpg"),
        ("<img src=a.jpg>", "file:///home/page.html", "a.jpg"),
        ("<img src=a.jpg>", "no address at all", "a.jpg"),
        ("<img src=a.jpg>", "http://[broken", "a.jpg"),
        ("<img src='http://[broken'>", ADDRESS, None),
    ],
)
def test_addresses(markup: str, url: str, expected: str | None) -> None:
    assert sources(markup, url) == ([expected] if expected else [])


def test_text_and_caption() -> None:
    caption = "<figcaption><p>One <b>two</b></p><p>three<br>four</p></figcaption>"
    (medium,) = find(f"{BEFORE}<figure><img src=a alt=' A  b&amp;c '>{caption}</figure><p>Text</p>")
    assert (medium.text, medium.caption) == ("A b&c", "One two three four")


def test_each_figure_has_its_own_caption() -> None:
    markup = (
        "<figure><figure><img src=a><figcaption>A</figcaption></figure><figure><img src=b></figure>"
        "<img src=c><figcaption>Both</figcaption></figure><img src=d><figcaption>Stray</figcaption>"
    )
    assert [(medium.source, medium.caption) for medium in find(markup)] == [
        ("a", "A"),
        ("b", ""),
        ("c", "Both"),
        ("d", ""),
    ]


def test_a_title_replaces_a_missing_alternative_text() -> None:
    (medium,) = find("<p>Text<iframe src=https://vimeo.com/1 title='A film'></iframe>")
    assert medium.text == "A film"


def test_a_caption_that_never_ends_is_left_out() -> None:
    (medium,) = find("<figure><img src=a><figcaption>" + "<p>words and more words</p>" * 2_000)
    assert medium.caption == ""


def test_the_number_of_media_is_bounded() -> None:
    assert (
        len(find("<p>Text" + "".join(f"<img src={number}>" for number in range(3 * MOST_MEDIA))))
        == MOST_MEDIA
    )


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_pages_raise_nothing(kind: str) -> None:
    page = parse(KINDS[kind].make(4_000), url=ADDRESS)
    find_media(page, 0, len(page.runs.words))


@pytest.mark.parametrize(
    "unit",
    [
        "<figure><img src=a%d.jpg>",
        "<figure><figcaption><img src=a%d.jpg>t",
        "<div><p>t<noscript><img src=a%d.jpg>",
        "<picture><source srcset=a%d.jpg>",
        "<object><param name=movie value=a%d>",
        "<base href=/%d/><img src=a%d.jpg>",
    ],
)
def test_deep_nesting_is_quick(unit: str) -> None:
    levels = 50_000 if is_native("scanner") else 2_000
    page = parse(
        "<p>Text</p>" + "".join(unit.replace("%d", str(number)) for number in range(levels)),
        url=ADDRESS,
    )
    start = time.process_time()
    find_media(page, 0, len(page.runs.words))
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "tag",
    [
        "<img srcset='" + "a 1x," * 50_000 + "'>",
        "<img srcset='" + "," * 250_000 + "'>",
        "<img srcset='" + " " * 250_000 + "'>",
        "<img src=a style='" + ";width:1 " * 25_000 + "'>",
        "<img src=a style='width:1" + " " * 250_000 + "x'>",
        "<img src='" + "a" * 250_000 + "'>",
        "<img src='" + "../" * 80_000 + "'>",
        "<img src=a width='" + " 1" * 100_000 + "'>",
        "<base href='http://a/" + "b" * 250_000 + "'>" + "<img src=a>" * 1_000,
    ],
)
def test_long_attributes_are_quick(tag: str) -> None:
    page = parse(f"<p>Text</p>{tag}", url=ADDRESS)
    start = time.process_time()
    find_media(page, 0, 1)
    assert time.process_time() - start < 1


pieces = st.sampled_from(
    """<img <source <video> </video> <audio> </audio> <picture> </picture> <figure> </figure> <figcaption> </figcaption>
    <noscript> </noscript> <object </object> <embed <iframe </iframe> <param <base <p> </p> <template> </template> >
    src= srcset= data-src= href= data= name=movie value= poster= width= style= hidden= " ' = , 1x 2w a.jpg b,c.png /
    javascript:x data:x http:// https://[ // # ? {x} &#0; &#9; height:1px;""".split()  # noqa: SIM905
)


@settings(max_examples=some_of(150), deadline=None)
@given(
    st.lists(pieces | st.text(max_size=5), max_size=40),
    st.text(max_size=20) | st.just(ADDRESS),
    st.data(),
)
def test_any_page(parts: list[str], url: str, data: st.DataObject) -> None:
    page = parse(" ".join(parts), url=url)
    first = data.draw(st.integers(0, len(page.runs.words)))
    stop = data.draw(st.integers(first, len(page.runs.words)))
    media = find_media(page, first, stop)
    assert [medium.start for medium in media] == sorted(medium.start for medium in media)
    assert len({medium.source for medium in media}) == len(media)
    for medium in media:
        assert medium.source
        assert urlsplit(medium.source).scheme in {"", "http", "https"}
        assert page.source[medium.start : medium.start + 1] == b"<"


ARTICLE_PAGE = """<html><body><header><a href=/><img src=/img/site.png class=logo></a></header>
<article><h1>Herons of the canal</h1>
<figure class=lead><img src=lead.jpg width=1200 height=800 alt="A heron">
<figcaption>A heron at dawn.</figcaption></figure>
<p>The herons came back to the canal in the spring when the last barge had gone, and stayed for eleven years.</p>
<div class=wp-caption><img src=nest.jpg><p class=wp-caption-text>The nest, seen from the bridge</p></div>
<p>Nobody counted them at first, because nobody thought that they would stay; then everybody counted them.</p>
<div class=related><a href=/n/1><img src=teaser.jpg><h3>Swans on the river again</h3></a></div>
<div class="author-box"><img src=/people/ann.jpg width=120 height=120></div>
<p>In the end there were forty pairs, the woman with the telescope said, and <img src=inline.png width=200> a crane.</p>
<blockquote class="twitter-tweet"><p>Forty pairs!</p>Ann <a href="https://twitter.com/ann/status/123?ref=x">May 4</a>
</blockquote>
<p>The town council has since bought the reeds, the bench, and after long debate even the hut with the door.</p>
</article><footer><img src=footer.jpg><p>All rights reserved by the editors of this paper.</p></footer></body></html>"""


def test_the_media_of_a_document() -> None:
    page = parse(ARTICLE_PAGE, url=ADDRESS)
    # Whatever a method would keep
    kept = np.array([len(text) > 70 for text in page.texts()], dtype=np.float32)
    document = select(page, Scores(kept))
    assert [
        (medium.kind, medium.source, medium.caption, medium.paragraph) for medium in document.media
    ] == [
        ("image", "https://example.com/news/lead.jpg", "A heron at dawn.", 0),
        ("image", "https://example.com/news/nest.jpg", "The nest, seen from the bridge", 1),
        ("image", "https://example.com/news/inline.png", "", 3),
        ("embed", "https://twitter.com/ann/status/123?ref=x", "", 3),
    ]
    assert (document.media[0].width, document.media[0].height, document.media[0].text) == (
        1200,
        800,
        "A heron",
    )
    assert document.media[2].width == 200
    assert document.media is document.media


def place(markup: str) -> list[str]:
    """The sources of the media of a page if all its paragraphs are kept."""
    page = parse(markup)
    kept = np.flatnonzero(page.blocks.kind == Kind.PARAGRAPH)
    return [medium.source for medium in place_media(page, kept)]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<img src=a><p>Text</p><img src=b>", ["a", "b"]),
        ("<p>Text</p><div><img src=a><span>A short caption</span></div><p>Text</p>", ["a"]),
        (
            "<p>Text</p><div><a href=x><img src=a><span>Read this next</span></a></div><p>Text</p>",
            [],
        ),
        (f"<p>Text</p><div><img src=a><span>{'words ' * 70}</span></div><p>Text</p>", []),
        (
            "<p>Text</p><div class=gallery>"
            + "<figure><img src=%d><figcaption>One</figcaption></figure>" * 2
            + "</div><p>T</p>",
            ["%d"],
        ),
        ("<p>Text</p><div class='ad top'><img src=a></div><p>Text</p>", []),
        ("<p>Text</p><div class='ad top'><img src=a><p>Text</p></div>", ["a"]),
        ("<p>Text</p><div class=comments><img src=a></div><p>Text</p>", []),
        (
            "<figure><img src=a></figure><div>By Ann Lee, 4 May, 3 min to read</div><p>Text</p>",
            ["a"],
        ),
        (f"<figure><img src=a></figure><div>{'words ' * 70}</div><p>Text</p>", []),
        ("<p>Text</p><div>More of it below</div><img src=a>", []),
        ("<div>Only a division</div><img src=a>", []),
        ("", []),
    ],
)
def test_what_belongs_to_kept_blocks(markup: str, expected: list[str]) -> None:
    assert place(markup) == expected


@pytest.mark.parametrize(
    "image",
    [
        "<img src=/a/avatar.png>", "<img src=a.jpg class='user-avatar round'>", "<img src=https://secure.gravatar.com/x/1f>",
        "<img src=a.jpg width=48 height=48>", "<img src=/img/icons/play.png>",
        "<img src=/wp-includes/images/smilies/smile.gif>",
        "<img class=emoji src=1f600.svg>", "<img src=/static/logo.svg>", "<img src=sprite.png>",
        "<img src=p.jpg id=spinner>",
        "<img src=https://example.com/tracking/pixel.gif?u=1>", "<img src=a.jpg width=20>",
        "<img src=/Badges/a.png>", "<img src=/a/qr-code_2.png>", "<img src=a.jpg class='x QR-Codes'>",
    ],
)  # fmt: skip
def test_decoration_is_left_out(image: str) -> None:
    assert place(f"<p>Text</p>{image}<p>Text</p>") == []


@pytest.mark.parametrize(
    "image",
    [
        "<img src=/a/iconic.png>",
        "<img src=photo.jpg class=size-full>",
        "<img src=a.jpg width=65 height=65>",
        "<img src=x?icon=1>",
        "<img src=/a/badges>",
        "<img src=/a/qr_code.png class=badges>",
    ],
)
def test_pictures_are_kept(image: str) -> None:
    assert len(place(f"<p>Text</p>{image}<p>Text</p>")) == 1


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<img class=lazy data-anything=/i/b.webp?w=9 src=data:x>", "/i/b.webp?w=9"),
        ("<img data-lazy=b.jpg>", "b.jpg"),
        ("<img data-id=7 data-title=cat>", None),
        ("<picture><source srcset='b.jpg 1000w'><img src=a.jpg srcset='c.jpg 300w'></picture>", "b.jpg"),
        ("<amp-img src=a.jpg width=600 height=400></amp-img>", "a.jpg"),
        ("<amp-img srcset='a.jpg 1x, b.jpg 2x'></amp-img>", "b.jpg"),
        ("<amp-youtube data-videoid=dQw4></amp-youtube>", "https://www.youtube.com/watch?v=dQw4"),
        ("<lite-youtube videoid=dQw4></lite-youtube>", "https://www.youtube.com/watch?v=dQw4"),
        ("<lite-youtube videoid='x\"&gt;&lt;script'></lite-youtube>", None),
        ("<amp-twitter data-tweetid=42></amp-twitter>", "https://twitter.com/i/status/42"),
        ("<amp-analytics src=a></amp-analytics><x-amp-img src=a></x-amp-img>", None),
        ("<amp-video src=a.mp4></amp-video>", "a.mp4"),
        ("<iframe data-cmp-src=https://www.youtube.com/embed/x src=about:blank></iframe>", "https://www.youtube.com/embed/x"),
        ("<iframe src=https://www.facebook.com/plugins/post.php?href=x></iframe>", "https://www.facebook.com/plugins/post.php?href=x"),
        ("<iframe src=https://www.facebook.com/plugins/like.php?href=x></iframe>", None),
        ("<iframe src=https://platform.twitter.com/widgets/follow_button.html></iframe>", None),
        ("<iframe src=https://www.google.com/maps/embed?pb=1></iframe>", "https://www.google.com/maps/embed?pb=1"),
        ("<blockquote class=instagram-media data-instgrm-permalink=https://instagram.com/p/x/>t</blockquote>", "https://instagram.com/p/x/"),
        ("<blockquote class=tiktok-embed cite=https://www.tiktok.com/@a/video/1>t</blockquote>", "https://www.tiktok.com/@a/video/1"),
        (
            "<blockquote class=twitter-tweet><a href=https://t.co/x>l</a><a href=https://x.com/a/status/9>d</a></blockquote>",
            "https://x.com/a/status/9",
        ),
        ("<blockquote class=twitter-tweet><a href=/about>about</a></blockquote>", None),
        ("<blockquote cite=https://example.com/>Words of a person</blockquote>", None),
        ("<blockquote class=twitter-tweet cite=javascript:alert(1)>t</blockquote>", None),
    ],
)  # fmt: skip
def test_more_places_where_media_come_from(markup: str, expected: str | None) -> None:
    assert sources(markup) == ([expected] if expected else [])


def test_the_text_of_a_quoted_post_is_its_text() -> None:
    (medium,) = find(
        "<p>Text<blockquote class=twitter-tweet><p>Hello <b>you</b></p><a href=https://x.com/a/status/9>May</a></blockquote>"
    )
    assert (medium.kind, medium.text) == ("embed", "Hello you May")


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<div><img src=a><div class=image-caption>One</div></div>", "One"),
        (
            "<div><a href=x><img src=a></a><span class=credit>Photo</span><p class=caption>Two</p></div>",
            "Two",
        ),
        ("<img src=a data-caption='Three &amp; four'>", "Three & four"),
        ("<div><img src=a></div><div class=caption>Five</div>", "Five"),
        ("<div><div><div><div><img src=a></div></div></div></div><p class=caption>Far</p>", ""),
        ("<div><img src=b><img src=c><p class=caption>Two</p></div>", "Two"),
        ("<div><img src=a><p class=captionless>Two</p></div>", ""),
    ],
)
def test_captions_by_name(markup: str, expected: str) -> None:
    assert find(f"<p>Text</p>{markup}<p>Text</p>")[-1].caption == expected


@pytest.mark.parametrize(
    ("tag", "size"),
    [
        ("<img src=a width=640 height=480>", (640, 480)),
        ("<img src=a width='640px' height=auto>", (640, None)),
        ("<img src=a width=1 style='width: 640px; height:33.5px'>", (640, 33)),
        ("<img src=a>", (None, None)),
    ],
)
def test_sizes(tag: str, size: tuple[int | None, int | None]) -> None:
    (medium,) = find(f"<p>Text{tag}</p>")
    assert (medium.width, medium.height) == size


def test_the_address_of_one_image() -> None:
    page = parse(
        "<base href=https://c.org/x/><picture><source srcset='a.webp 2x'><img src=b.jpg></picture>"
    )
    node = int(np.flatnonzero(page.nodes.tag == TAG["img"])[0])
    assert Pictures(page)[node].address == "https://c.org/x/a.webp"


@pytest.mark.parametrize(
    "unit",
    [
        "<div><img src=a%d.jpg>",
        "<div class=caption><img src=a%d.jpg>t",
        "<x-a><amp-img src=a%d>",
        "<blockquote class=tweet><a href=/p/%d>x",
    ],
)
def test_deep_documents_are_quick(unit: str) -> None:
    levels = 50_000 if is_native("scanner") else 2_000
    page = parse(
        "<p>Text</p>"
        + "".join(unit.replace("%d", str(number)) for number in range(levels))
        + "<p>Text</p>"
    )
    start = time.process_time()
    place_media(page, np.flatnonzero(page.blocks.kind == Kind.PARAGRAPH))
    assert time.process_time() - start < 3


@pytest.mark.slow
@settings(max_examples=some_of(100), deadline=None)
@given(st.lists(pieces | st.text(max_size=5), max_size=40), st.data())
def test_any_document(parts: list[str], data: st.DataObject) -> None:
    page = parse(" ".join(parts), url=ADDRESS)
    kept = np.array(
        sorted(data.draw(st.sets(st.integers(0, len(page) - 1)))) if len(page) else [], np.intp
    )
    for medium in place_media(page, kept):
        assert medium.paragraph is not None
        assert 0 <= medium.paragraph <= len(kept)
        assert urlsplit(medium.source).scheme in {"http", "https"}


def test_every_custom_element_is_known_to_the_kernel() -> None:
    known = {*embeds._SAME_AS, *embeds._NUMBERED, *embeds._ADDRESSED}
    assert set(placement.CUSTOM.split()) == known
