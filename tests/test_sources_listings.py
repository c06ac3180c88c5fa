"""Feeds and sitemaps in every format, also broken and hostile ones, and how those of a page or a site are found."""

import base64
import gzip
import json
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from urllib.parse import urljoin
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bodytext.sources.fetch import FetchError, HttpResponse
from bodytext.sources.listings.discovery import (
    FEED_PATHS,
    feed_requests,
    find_linked_feeds,
    mark_repeated,
    sitemap_requests,
    web_requests,
)
from bodytext.sources.listings.entry import (
    LONGEST_CONTENT,
    LONGEST_TITLE,
    Enclosure,
    FeedEntry,
    NoFeedError,
    plain_title,
    read_time,
)
from bodytext.sources.listings.feed import is_feed, read_feed
from bodytext.sources.listings.lenient_xml import XmlDocument
from bodytext.sources.listings.sitemap import SitemapPage, SitemapProblem, read_sitemap, walk
from bodytext.sources.politeness.fetcher import PageRequest

BASE = "https://news.example/feed"

RSS_2 = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:c="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel><title>Harbour &amp; sea</title><link>https://news.example/</link>
<atom:link rel="self" href="https://news.example/feed"/>
<image><title>A picture</title></image>
<item>
  <title>Storm &lt;b&gt;ahead&lt;/b&gt;, AT&amp;amp;T says</title>
  <link>/1?a=1&amp;b=2</link>
  <pubDate>Sun, 15 Nov 2026 09:30:00 +0700</pubDate>
  <description><![CDATA[<p>Short]]></description>
  <c:encoded><![CDATA[<p>The whole text</p>]]></c:encoded>
  <category>Sea</category><category><![CDATA[Weather & tide]]></category>
  <enclosure url="/1.mp3" type="audio/mpeg" length="3"/>
  <guid isPermaLink="false">one</guid>
</item>
<item><title>Second</title><guid>https://news.example/2</guid></item>
</channel></rss>"""

RSS_091 = """<rss version="0.91"><channel><title>Old</title>
<item><title>First</title><link>https://old.example/1</link><description>Words</description></item></channel></rss>"""

RSS_1 = """<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://rdf.example/"><title>RDF</title><items><rdf:Seq><rdf:li resource="https://rdf.example/1"/></rdf:Seq></items></channel>
<item rdf:about="https://rdf.example/1"><title>Only</title><link>https://rdf.example/1</link>
<dc:date>2026-11-15T02:30:00Z</dc:date><dc:subject>Sea</dc:subject></item></rdf:RDF>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://atom.example/blog/">
<title type="text">A &lt; B</title>
<entry><title type="html">&lt;i&gt;First&lt;/i&gt; &amp;amp; last</title>
<link rel="self" href="self.xml"/><link rel="alternate" type="text/html" href="1.html"/>
<link rel="enclosure" type="application/pdf" href="1.pdf"/>
<id>tag:atom.example,2026:1</id><published>2026-11-15T09:30:00+07:00</published><updated>2026-11-16T00:00:00Z</updated>
<summary>Short</summary>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Whole <b>text</b></p></div></content>
<category term="sea"/></entry>
<entry><title type="xhtml"><div>In <b>markup</b></div></title><link href="https://other.example/2"/></entry>
</feed>"""

JSON = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "JSON",
        "items": [
            {
                "id": "1",
                "url": "/1",
                "title": "A <b> in a title",
                "content_html": "<p>Whole",
                "summary": "Short",
                "date_published": "2026-11-15T09:30:00+07:00",
                "tags": ["sea", "sea", 5],
                "attachments": [{"url": "/1.mp3", "mime_type": "audio/mpeg"}, "nonsense"],
            },
            {
                "id": 2,
                "external_url": "https://other.example/2",
                "title": None,
                "content_text": "\ud800",
            },
            "nonsense",
        ],
    }
)


def test_a_long_base_does_not_multiply_a_feed() -> None:
    long = f"https://atom.example/{'b' * 8_000}/"
    feed = read_feed(ATOM.replace("https://atom.example/blog/", long).encode(), BASE)
    assert feed.entries[0].url == urljoin(BASE, "1.html")
    assert (
        read_feed(ATOM.replace(' xml:base="https://atom.example/blog/"', "").encode(), long)
        .entries[0]
        .url
        == ""
    )


def test_rss_2() -> None:
    feed = read_feed(RSS_2.encode(), BASE)
    assert (feed.kind, feed.title) == ("RSS 2.0", "Harbour & sea")
    assert feed.entries == (
        FeedEntry(
            "https://news.example/1?a=1&b=2",
            "Storm ahead, AT&T says",
            "2026-11-15T02:30:00Z",
            "<p>Short",
            "<p>The whole text</p>",
            ("Sea", "Weather & tide"),
            (Enclosure("https://news.example/1.mp3", "audio/mpeg"),),
            "one",
        ),
        FeedEntry("https://news.example/2", "Second", identity="https://news.example/2"),
    )


def test_other_kinds_of_rss() -> None:
    old = read_feed(RSS_091.encode())
    assert (old.kind, old.title) == ("RSS 0.91", "Old")
    assert old.entries == (FeedEntry("https://old.example/1", "First", summary="Words"),)
    rdf = read_feed(RSS_1.encode())
    assert (rdf.kind, rdf.title) == ("RSS 1.0", "RDF")
    assert rdf.entries == (
        FeedEntry(
            "https://rdf.example/1",
            "Only",
            "2026-11-15T02:30:00Z",
            categories=("Sea",),
            identity="https://rdf.example/1",
        ),
    )


def _entry(markup: str, namespaces: str = "", kind: str = "rss") -> FeedEntry:
    """Read the one entry of a feed."""
    tag = "entry" if kind == "feed" else "item"
    document = f"<{kind} {namespaces}><{tag}>{markup}</{tag}></{kind}>"
    (entry,) = read_feed(document.encode(), BASE).entries
    return entry


@pytest.mark.parametrize(
    "namespace",
    [
        "http://purl.org/rss/1.0/",
        "http://my.netscape.com/rdf/simple/0.9/",
        "http://backend.userland.com/rss2",
        "http://blogs.law.harvard.edu/tech/rss",
    ],
)
def test_rss_whose_own_names_have_a_prefix(namespace: str) -> None:
    feed = read_feed(
        f"""<w:rss xmlns:w="{namespace}" xmlns:own="https://own.example/"><w:channel>
        <own:title>Not this</own:title><w:title>Tides</w:title>
        <w:item><own:title>Nor this</own:title><w:title>High water</w:title>
        <w:link>https://sea.example/1</w:link></w:item></w:channel></w:rss>""".encode()
    )
    assert (feed.title, len(feed.entries)) == ("Tides", 1)
    assert (feed.entries[0].title, feed.entries[0].url) == ("High water", "https://sea.example/1")


@pytest.mark.parametrize(
    "attributes",
    ['mode="base64"', 'type="application/octet-stream"', 'type="image/x" mode="BASE64"'],
)
def test_atom_values_in_base64(attributes: str) -> None:
    packed = base64.b64encode("Ebb &amp; <b>flöd</b>".encode()).decode()
    markup = f"<title {attributes}>\n{packed[:9]}\n{packed[9:]}\n</title><content {attributes}>{packed}</content>"
    entry = _entry(markup, kind="feed")
    assert (entry.title, entry.content) == ("Ebb & flöd", "Ebb &amp; <b>flöd</b>")


@pytest.mark.parametrize("text", ["no base64!", "AAA", "/////w=="])
def test_values_that_are_said_to_be_base64_and_are_not(text: str) -> None:
    assert _entry(f'<title mode="base64">{text}</title>', kind="feed").title == text


def test_html_in_atom_is_never_taken_for_base64() -> None:
    for kind in ("html", "text/html", "application/xhtml+xml", "image/svg+xml", "text/plain"):
        assert _entry(f'<content type="{kind}">abcd</content>', kind="feed").content == "abcd"


@pytest.mark.parametrize("name", ["issued", "created", "modified"])
def test_times_in_dublin_core_terms(name: str) -> None:
    markup = f"<t:{name}>2026-11-15T09:30:00Z</t:{name}>"
    entry = _entry(markup, 'xmlns:t="http://purl.org/dc/terms/"')
    assert entry.time == "2026-11-15T09:30:00Z"


@pytest.mark.parametrize(
    ("markup", "names"),
    [
        ('<category term="sea-1" label="The sea"/>', ("The sea",)),
        ('<category term="sea-1"/>', ("sea-1",)),
        ("<m:category>Boats</m:category>", ("Boats",)),
        ('<m:category label="All boats">7</m:category>', ("All boats",)),
        ('<i:category text="Sport"/><category>Sea</category>', ("Sea", "Sport")),
    ],
)
def test_categories_have_their_names_for_people(markup: str, names: tuple[str, ...]) -> None:
    media, podcast = "http://search.yahoo.com/mrss", "http://www.itunes.com/DTDs/Podcast-1.0.dtd"
    assert _entry(markup, f'xmlns:m="{media}" xmlns:i="{podcast}"').categories == names


@pytest.mark.parametrize(
    "markup",
    [
        "<m:group><m:title>Other</m:title><m:description>Words</m:description></m:group>",
        "<i:summary>Words</i:summary>",
        "<d:description>Words</d:description>",
    ],
)
def test_summaries_in_other_namespaces(markup: str) -> None:
    names = {
        "m": "http://search.yahoo.com/mrss/",
        "i": "http://www.itunes.com/dtds/podcast-1.0.dtd",
        "d": "http://purl.org/dc/elements/1.1/",
    }
    declared = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in names.items())
    assert _entry(f"<title>T</title>{markup}", declared).summary == "Words"
    assert _entry(f"<title>T</title>{markup}", declared).title == "T"


def test_the_title_of_a_picture_is_not_that_of_the_feed() -> None:
    picture = "<image><title>Logo</title></image><textInput><title>Search</title></textInput>"
    for own, title in (("", ""), ("<title>Tides</title>", "Tides")):
        data = f"<rss><channel>{picture}{own}<item><title>1</title></item></channel></rss>"
        assert read_feed(data.encode()).title == title


def test_an_identity_that_is_an_address_is_the_entry_s_address() -> None:
    assert _entry("<guid>HTTPS://News.example/1</guid>").url == "https://News.example/1"
    assert _entry('<guid isPermaLink="false">https://news.example/1</guid>').url == ""
    rdf = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <item rdf:about="https://rdf.example/7"><title>T</title></item></rdf:RDF>"""
    (entry,) = read_feed(rdf).entries
    assert (entry.identity, entry.url) == ("https://rdf.example/7", "https://rdf.example/7")


def test_atom() -> None:
    feed = read_feed(ATOM.encode(), BASE)
    assert (feed.kind, feed.title) == ("Atom", "A < B")
    first, second = feed.entries
    assert (first.url, first.title) == ("https://atom.example/blog/1.html", "First & last")
    assert first.time == "2026-11-15T02:30:00Z"
    assert (
        first.content == '<div xmlns="http://www.w3.org/1999/xhtml"><p>Whole <b>text</b></p></div>'
    )
    assert first.enclosures == (Enclosure("https://atom.example/blog/1.pdf", "application/pdf"),)
    assert (first.summary, first.categories, first.identity) == (
        "Short",
        ("sea",),
        "tag:atom.example,2026:1",
    )
    assert (second.url, second.title) == ("https://other.example/2", "In markup")


def test_json_feed() -> None:
    feed = read_feed(JSON.encode(), BASE)
    assert (feed.kind, feed.title) == ("JSON Feed 1.1", "JSON")
    first, second = feed.entries
    assert (first.url, first.title) == ("https://news.example/1", "A <b> in a title")
    assert (first.time, first.content, first.categories) == (
        "2026-11-15T02:30:00Z",
        "<p>Whole",
        ("sea",),
    )
    assert first.enclosures == (Enclosure("https://news.example/1.mp3", "audio/mpeg"),)
    assert (second.url, second.title, second.content) == ("https://other.example/2", "", "\ufffd")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "neither RSS nor Atom"),
        (b"words", "neither RSS nor Atom"),
        (b"<!DOCTYPE html><html><body>", "<html>, which is not a feed"),
        (b"<urlset></urlset>", "<urlset>"),
        (b"{", "not valid JSON"),
        (b'{"items": []}', "not a JSON feed"),
        (b'{"a":' * 100_000, "not valid JSON"),
    ],
)
def test_bytes_that_are_not_a_feed(data: bytes, message: str) -> None:
    with pytest.raises(NoFeedError, match=message):
        read_feed(data)
    assert not is_feed(data)


@pytest.mark.parametrize("data", [RSS_2, RSS_091, RSS_1, ATOM, JSON])
def test_feeds_are_recognised_by_their_beginning(data: str) -> None:
    assert is_feed(data.encode())


# Broken feeds


def _titles(data: str | bytes) -> list[tuple[str, str]]:
    feed = read_feed(data if isinstance(data, bytes) else data.encode(), BASE)
    return [(entry.title, entry.url.removeprefix("https://news.example")) for entry in feed.entries]


@pytest.mark.parametrize(
    "data",
    [
        "<rss><channel><item><title>One</title><link>/1</link></item><item><title>Two</title><link>/2</link></item>",
        "<rss><channel><item><title>One</title><link>/1</link><item><title>Two</title><link>/2</link>",
        "<rss><channel><item><title>One<link>/1</item><item><title>Two<link>/2</item></rss>",
        "<rss><item><link>/1</link><title>One</title></item></wrong></item><item><title>Two</title><link>/2</link></rss>",
        (
            "\n\n<?xml version='1.0'?><rss><item><title>One\x00\x01</title><link> /1 </link></item>"
            "<item><title>\n Two</title><link>\n/2\n</link></item></rss>"
        ),
        (
            "<br /><b>Warning</b>: a program<br /><rss><item><title>One</title><link>/1</link></item>"
            "<item><title>Two</title><link>/2</link></item></rss>"
        ),
        (
            "<rss><item><title>One</title><description>raw <p>a & b<br><hr a=x></description><link>/1</link></item>"
            "<item><title>Two</title><link>/2</link></item></rss>"
        ),
        (
            '<rss><item a="unclosed><title>One</title><link>/1</link></item>'
            '<item b="closed"><title>Two</title><link>/2</link></item></rss>'
        ),
        "<RSS><Item><Title>One</Title><Link>/1</Link></Item><Item><Title>Two</Title><Link>/2</Link></Item></RSS>",
    ],
    ids=[
        "cut",
        "items open",
        "fields open",
        "closed twice",
        "controls",
        "warnings",
        "raw markup",
        "quote",
        "capitals",
    ],
)
def test_broken_feeds_are_read(data: str) -> None:
    titles = _titles(data)
    assert ("Two", "/2") in titles
    assert len(titles) == 1 or titles[0] == ("One", "/1")
    assert len(titles) == 2 or "unclosed" in data


def test_references_and_encodings() -> None:
    assert _titles(
        "<rss><item><title>Caf&eacute; &nbsp;&hellip; R&D &unknown; &#x42; &#67</title></item>"
    ) == [("Café … R&D &unknown; B C", "")]
    legacy = '<?xml version="1.0" encoding="windows-1251"?><rss><item><title>Паром</title></item>'.encode(
        "windows-1251"
    )
    assert _titles(legacy) == [("Паром", "")]
    assert _titles("<rss><item><title>Phà ra đảo</title></item></rss>".encode("utf-16")) == [
        ("Phà ra đảo", "")
    ]


def test_addresses_of_entries() -> None:
    def address(fields: str) -> str:
        return read_feed(f"<rss><item>{fields}</item></rss>".encode(), BASE).entries[0].url

    assert address("<link>javascript:alert(1)</link>") == ""
    assert (
        address("<link>javascript:alert(1)</link><guid>https://a.example/1</guid>")
        == "https://a.example/1"
    )
    assert address("<guid isPermaLink='false'>https://a.example/1</guid>") == ""
    assert address("<guid>1234</guid>") == ""
    assert address("<link/>") == ""
    assert (
        address('<atom:link href="/a" rel="self"/><atom:link href="/b"/>')
        == "https://news.example/b"
    )
    counted = "<link>https://count.example/x</link><feedburner:origLink>https://a.example/1</feedburner:origLink>"
    assert address(counted) == "https://a.example/1"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<script>alert(1)</script>Calm", "Calm"),
        ("Calm<script>alert(1)", "Calm"),
        ("<img src=x onerror=alert(1)>Calm", "Calm"),
        # Escaped twice, so it is text
        (
            "&lt;img src=x onerror=alert(1)&gt;Calm",
            "<img src=x onerror=alert(1)>Calm",
        ),
        ("a < b and c > d", "a < b and c > d"),
        ("List<Integer> explained", "List<Integer> explained"),
        ("Calm\u202eevil\x07\x00", "Calm evil"),
        ("<!-- never closed", ""),
        ("x" * 5000, "x" * LONGEST_TITLE),
    ],
)
def test_titles_are_plain(text: str, title: str) -> None:
    assert plain_title(text) == title


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Sun, 15 Nov 2026 09:30:00 GMT", "2026-11-15T09:30:00Z"),
        ("15 Nov 26 09:30 EST", "2026-11-15T14:30:00Z"),
        ("2026-11-15T09:30:00.123+07:00", "2026-11-15T02:30:00Z"),
        ("2026-11-15 09:30:00", "2026-11-15T09:30:00Z"),
        ("2026-11-14", "2026-11-14"),
        ("0001-01-01T00:00:00+14:00", ""),
        ("Sun, 99 Nov 2026 09:30:00 GMT", ""),
        ("", ""),
    ],
)
def test_times(text: str, moment: str) -> None:
    assert read_time(text) == moment


# Hostile feeds

BOMB = (
    "<!DOCTYPE rss ["
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    + "]>"
)


@pytest.mark.parametrize(
    "data",
    [
        BOMB + "<rss><item><title>&a11;</title></item></rss>",
        '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><item><title>&x;</title></item></rss>',
    ],
    ids=["bomb", "file"],
)
def test_entities_are_not_expanded(data: str) -> None:
    (entry,) = read_feed(data.encode()).entries
    assert entry.title in {"&a11;", "&x;"}


_HOSTILE: dict[str, Callable[[int], str]] = {
    "less than": lambda size: "<" * size,
    "tags": lambda size: "<a>" * (size // 3),
    "fields": lambda size: "<title>x" * (size // 8),
    "quotes": lambda size: "<a b=\"'" * (size // 7),
    "sections": lambda size: "<![CDATA[" * (size // 9),
    "comments": lambda size: "<!--" * (size // 4),
    "doctypes": lambda size: "<!DOCTYPE a [" * (size // 13),
    "declarations": lambda size: "<!a>" * (size // 4),
    "declarations with brackets": lambda size: "<!a[>" * (size // 5) + "]",
    "instructions": lambda size: "<?x" * (size // 3),
    "nested": lambda size: "<description>" + "<div>" * (size // 5),
    "nested fields": lambda size: "<description>" * (size // 13),
    "items": lambda size: "<item>" * (size // 6),
    "name": lambda size: "<" + "a" * size,
    "attributes": lambda size: "<a " + "x=y " * (size // 4) + ">",
    "attribute": lambda size: "<a " + "x" * size + ">",
    "spaces": lambda size: "<a " + " " * size + "=",
    "digits": lambda size: "<title>&#" + "9" * size,
    "ampersands": lambda size: "<title>" + "&" * size,
    "comments in titles": lambda size: (
        ("<item><title>" + "&lt;!--" * 2500 + "</title>") * (size // 17_000)
    ),
    "scripts in titles": lambda size: (
        ("<item><title>" + "&lt;script>" * 1500 + "</title>") * (size // 17_000)
    ),
    "prefixes": lambda size: '<a xmlns:a="http://search.yahoo.com/mrss/">' * (size // 42),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", _HOSTILE)
def test_hostile_feeds_take_linear_time(kind: str) -> None:
    def seconds(size: int) -> float:
        data = ("<rss><channel><item>" + _HOSTILE[kind](size)).encode()
        start = time.process_time()
        feed = read_feed(data)
        assert (
            len(feed.title) + sum(len(entry.summary) for entry in feed.entries[:5])
            < 6 * LONGEST_CONTENT
        )
        return time.process_time() - start

    large = seconds(400_000)
    if large > 0.2:
        large = min(large, seconds(400_000))
        assert large < max(8 * min(seconds(100_000) for _ in range(2)), 0.2)
    assert large < 4


def test_giant_entries_are_cut() -> None:
    many = "<item><title>x</title></item>" * 12_000
    feed = read_feed(f"<rss>{many}</rss>".encode())
    assert (len(feed.entries), feed.left_out) == (10_000, 2_000)
    giant = f"<rss><item><description>{'word ' * 600_000}</description></item></rss>"
    assert len(read_feed(giant.encode()).entries[0].summary) <= LONGEST_CONTENT


_PIECES = st.sampled_from(
    ["<rss>", "<channel>", "<item>", "</item>", "<title>", "</title>", "<link>", "</link>", "<![CDATA[", "]]>",
     "<!--", "-->", "<feed>", "<entry>", "<content type='xhtml'>", "</content>", "&amp;", "&lt;", "'", '"', "<", ">",
     "/", "<!DOCTYPE x [", "]>", "<?", "?>", "\x00", "é", "{", "<url>", "<loc>", "http://a.example/1", "<urlset>"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=40))
def test_no_soup_breaks_the_readers(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    for read in (read_feed, read_sitemap):
        try:
            read(data, BASE)
        except ValueError as problem:
            assert str(problem)  # noqa: PT017 - either is right


@pytest.mark.slow
@given(st.binary(max_size=300))
def test_no_bytes_break_the_readers(data: bytes) -> None:
    for beginning in (b"", b"<rss><item>", b"<urlset><url><loc>", b"{", b"\x1f\x8b\x08"):
        for read in (read_feed, read_sitemap):
            try:
                read(beginning + data, BASE)
            except ValueError as problem:
                assert str(problem)  # noqa: PT017 - either is right


_TEXT = st.text(
    st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\u2028\ufffe\uffff"),
    max_size=20,
)


@given(st.lists(_TEXT, max_size=5))
def test_well_formed_xml_is_read_as_a_parser_reads_it(texts: list[str]) -> None:
    source = "<a>" + "".join(f"<b c='x'>{escape(text)}</b>" for text in texts) + "</a>"
    expected = [element.text or "" for element in ET.fromstring(source).iter("b")]  # noqa: S314 - made here
    read: list[str] = []
    for token in XmlDocument(source.encode(), "utf-8").tokens():
        if token.kind == "open" and token.name == "b":
            assert token.attributes == {"c": "x"}
            read.append("")
        elif token.kind == "text" and read:
            read[-1] += token.text
    assert read == expected


# Sitemaps

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>https://a.example/1?x=1&amp;y=2</loc><lastmod>2026-11-14</lastmod>
<image:image><image:loc>https://a.example/1.jpg</image:loc></image:image></url>
<url><loc>
 https://a.example/2 </loc><n:news><n:publication><n:name>News</n:name></n:publication>
<n:publication_date>2026-11-15T02:30:00Z</n:publication_date><n:title>Storm &amp; tide</n:title></n:news></url>
<url><loc>javascript:alert(1)</loc></url><url></url>
</urlset>"""
INDEX = "<sitemapindex>{}</sitemapindex>"


def test_a_sitemap() -> None:
    expected = (
        SitemapPage("https://a.example/1?x=1&y=2"),
        SitemapPage("https://a.example/2", "Storm & tide"),
    )
    assert read_sitemap(SITEMAP.encode()).pages == expected
    assert read_sitemap(gzip.compress(SITEMAP.encode())).pages == expected


def test_other_kinds_of_sitemap() -> None:
    index = INDEX.format(
        "<sitemap><loc>https://a.example/a.xml</loc></sitemap><sitemap><loc>/b.xml</loc></sitemap>"
    )
    assert read_sitemap(index.encode(), BASE).sitemaps == (
        "https://a.example/a.xml",
        "https://news.example/b.xml",
    )
    lines = read_sitemap(
        b"\xef\xbb\xbfhttps://a.example/1\r\n\r\nnonsense words\nhttps://a.example/2"
    )
    assert [page.url for page in lines.pages] == ["https://a.example/1", "https://a.example/2"]
    feed = read_sitemap(RSS_2.encode(), BASE)
    assert feed.pages[0] == SitemapPage("https://news.example/1?a=1&b=2", "Storm ahead, AT&T says")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no addresses"),
        (b"just words", "no addresses"),
        (b"<html><p>Not found", "<html>, which is not a sitemap"),
        (b"\x1f\x8b\x08broken", "broken gzip data"),
        (b"<!-- -->", "empty"),
    ],
)
def test_bytes_that_are_not_a_sitemap(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_sitemap(data)


def test_a_gzip_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.listings.sitemap.MOST_BYTES", 100_000)
    with pytest.raises(ValueError, match="unpacks to more than 100,000 bytes"):
        read_sitemap(gzip.compress(b"<urlset>" + bytes(1_000_000)))


def test_a_sitemap_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.listings.sitemap.MOST_ADDRESSES", 3)
    many = "".join(f"<url><loc>https://a.example/{number}</loc></url>" for number in range(5))
    sitemap = read_sitemap(f"<urlset>{many}</urlset>".encode())
    assert (len(sitemap.pages), sitemap.left_out) == (3, 2)
    sitemap = read_sitemap("\n".join(f"https://a.example/{number}" for number in range(5)).encode())
    assert (len(sitemap.pages), sitemap.left_out) == (3, 2)


def _getter(
    pages: dict[str, bytes | str], asked: list[str] | None = None
) -> Callable[[str], HttpResponse]:
    def get(url: str) -> HttpResponse:
        if asked is not None:
            asked.append(url)
        if url not in pages:
            return HttpResponse(url, 404, b"")
        body = pages[url]
        body = body if isinstance(body, bytes) else body.encode()
        return HttpResponse(
            url, 200, body, {"content-type": "text/html"} if body.startswith(b"<html") else {}
        )

    return get


def _index(*urls: str) -> str:
    return INDEX.format("".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls))


def _urls(*urls: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>"


def test_a_walk_through_sitemaps() -> None:
    """Pages come in order and once each, in spite of loops and missing sitemaps."""
    asked: list[str] = []
    pages: dict[str, bytes | str] = {
        "https://a.example/index": _index("https://a.example/1", "https://a.example/index", "https://a.example/gone",
                                          "https://a.example/2"),
        "https://a.example/1": _urls("https://a.example/p1", "https://a.example/p2"),
        "https://a.example/2": gzip.compress(_urls("https://a.example/p3").encode()),
    }  # fmt: skip
    items = list(walk("https://a.example/index", _getter(pages, asked)))
    assert [item.url.rpartition("/")[2] for item in items] == ["p1", "p2", "gone", "p3"]
    assert items[2] == SitemapProblem(
        "https://a.example/gone", "the sitemap could not be read: HTTP 404 Not Found"
    )
    assert len(asked) == len(set(asked)) == 4


def test_a_walk_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sitemaps without end, which are generated on request: deep ones, and many."""

    def deep(url: str) -> HttpResponse:
        return HttpResponse(url, 200, _index(url + "x").encode())

    *_, last = walk("https://a.example/", deep)
    assert isinstance(last, SitemapProblem)
    assert "nested more than 3 deep" in last.problem

    monkeypatch.setattr("bodytext.sources.listings.sitemap.MOST_SITEMAPS", 20)

    def wide(url: str) -> HttpResponse:
        return HttpResponse(
            url, 200, _index(*(f"{url}/{number}" for number in range(100))).encode()
        )

    items = list(walk("https://a.example/", wide))
    assert isinstance(items[-1], SitemapProblem)
    assert "beyond the limit of 20" in items[-1].problem


# Finding them


def test_the_entries_of_a_feed_with_their_titles() -> None:
    requests = list(feed_requests(BASE, _getter({BASE: RSS_2})))
    assert requests == [
        PageRequest("https://news.example/1?a=1&b=2", "Storm ahead, AT&T says", BASE, 0),
        PageRequest("https://news.example/2", "Second", BASE, 1),
    ]


PAGE = (
    '<html><head><link rel="alternate" type="application/rss+xml" href="/feed">'
    '<link rel="alternate" type="application/atom+xml" href="/comments/feed"><p>Words'
)


def test_feeds_that_a_page_names() -> None:
    page = HttpResponse(
        "https://news.example/a/b", 200, PAGE.encode(), {"content-type": "text/html"}
    )
    assert find_linked_feeds(page) == [BASE]
    requests = list(
        feed_requests(
            "https://news.example/", _getter({"https://news.example/": PAGE, BASE: RSS_2})
        )
    )
    assert [request.title for request in requests] == ["Storm ahead, AT&T says", "Second"]
    assert {request.source for request in requests} == {BASE}
    (lost,) = feed_requests("https://news.example/", _getter({"https://news.example/": PAGE}))
    assert (lost.url, lost.problem) == (BASE, "HTTP 404 Not Found")


def test_feeds_beyond_the_limit_are_reported() -> None:
    links = "".join(
        f'<link rel=alternate type=application/rss+xml href="/feed{number}">'
        for number in range(13)
    )
    *_, last = feed_requests(
        "https://news.example/", _getter({"https://news.example/": f"<html><head>{links}<p>x"})
    )
    assert last.problem == "feeds of the page beyond the limit of 10 were left out: 3"


def test_feeds_at_the_usual_addresses() -> None:
    pages: dict[str, bytes | str] = {
        "https://news.example/": "<html>",
        "https://news.example/atom.xml": ATOM,
    }
    requests = list(feed_requests("https://news.example/", _getter(pages)))
    assert [request.url for request in requests] == [
        "https://atom.example/blog/1.html",
        "https://other.example/2",
    ]
    asked: list[str] = []
    (lost,) = feed_requests(
        "https://news.example/", _getter({"https://news.example/": "<html>"}, asked)
    )
    assert "there is no feed" in lost.problem
    assert len(asked) == 1 + len(FEED_PATHS)


def test_feeds_that_cannot_be_read() -> None:
    def refuse(_url: str) -> HttpResponse:
        raise FetchError("the host is away")

    (lost,) = feed_requests(BASE, refuse)
    assert lost == PageRequest(BASE, source=BASE, problem="the host is away")
    picture = HttpResponse(BASE, 200, b"\x89PNG", {"content-type": "image/png"})
    (lost,) = feed_requests(BASE, lambda _url: picture)
    assert lost.problem == "the feed could not be read: it is image/png"
    (lost,) = feed_requests(
        BASE, _getter({BASE: "<rss><item><title>No address</title></item></rss>"})
    )
    assert (lost.title, lost.problem) == ("No address", "the entry of the feed has no address")


def test_sitemaps_that_a_site_names() -> None:
    site = "https://a.example/"
    named: dict[str, bytes | str] = {
        f"{site}robots.txt": "User-agent: *\nDisallow: /x\nSitemap: /one.xml\nsitemap: https://a.example/two.xml",
        f"{site}one.xml": _urls(f"{site}1"),
        f"{site}two.xml": SITEMAP,
    }
    requests = list(sitemap_requests(site, _getter(named)))
    assert [request.url for request in requests] == [
        f"{site}1",
        "https://a.example/1?x=1&y=2",
        "https://a.example/2",
    ]
    assert requests[2].title == "Storm & tide"
    unnamed: dict[str, bytes | str] = {f"{site}sitemap.xml": _urls(f"{site}1")}
    assert [request.url for request in sitemap_requests(site, _getter(unnamed))] == [f"{site}1"]
    (lost,) = sitemap_requests(site, _getter({}))
    assert "there is no sitemap" in lost.problem


def test_the_kind_of_an_address_is_found_by_its_content() -> None:
    url = "https://a.example/x"
    assert [request.title for request in web_requests(url, _getter({url: RSS_2}))] == [
        "Storm ahead, AT&T says",
        "Second",
    ]
    asked: list[str] = []
    assert len(list(web_requests(url, _getter({url: SITEMAP}, asked)))) == 2
    assert asked == [url]  # it is fetched once
    (page,) = web_requests(url, _getter({url: PAGE}))
    assert page.response is not None
    assert page.response.body == PAGE.encode()
    (lost,) = web_requests(url, _getter({}))
    assert lost.problem == "HTTP 404 Not Found"


def test_an_address_that_is_listed_twice_is_fetched_once() -> None:
    requests = [PageRequest("http://a/1"), PageRequest("http://a/2", problem="x"), PageRequest("http://a/1#part"),
                PageRequest("http://a/2")]  # fmt: skip
    marked = list(mark_repeated(iter(requests), lambda url: url.partition("#")[0]))
    assert [request.problem for request in marked] == [
        "",
        "x",
        "the same address was listed before",
        "",
    ]


def test_a_sitemap_that_was_cut_has_no_half_addresses() -> None:
    whole = "<urlset><url><loc>https://a.example/1</loc></url>"
    for end, last in (
        ("<url><loc>https://a.example/pa", "https://a.example/1"),
        ("<url><loc>https://a.example/2</loc><lastm", "https://a.example/2"),
        ("<url>", "https://a.example/1"),
    ):
        assert [page.url for page in read_sitemap((whole + end).encode()).pages][-1] == last
    never_closed = b"<urlset><url><loc>https://a.example/1<url><loc>https://a.example/2"
    assert len(read_sitemap(never_closed).pages) == 2


def test_a_sitemap_whose_names_have_a_prefix() -> None:
    data = b"""<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">
        <s:url><s:loc>https://a.example/1</s:loc></s:url></s:urlset>"""
    assert [page.url for page in read_sitemap(data).pages] == ["https://a.example/1"]
