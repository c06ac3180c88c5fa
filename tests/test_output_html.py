"""HTML: semantic tags alone, and nothing in it that a browser would run, whatever the page holds."""

import re
from pathlib import Path

import nh3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html

from bodytext import extract
from bodytext.output.html import to_html, write_blocks
from bodytext.output.markdown import to_markdown
from bodytext.output.tei import to_tei
from bodytext.studio.labels.labelled_set import read_labelled
from example_counts import some_of
from expected_pages import ADDRESS, keep_all
from shapes import render_markdown

LABELLED = Path(__file__).parents[1] / "labelled"
TAGS = {
    *(
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "blockquote",
        "pre",
        "code",
        "hr",
        "br",
    ),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "img"),
    *("a", "del", "mark", "em", "strong", "sub", "sup"),
}
ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "ol": {"start", "type", "reversed"},
    "li": {"value", "id"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "code": {"class"},
}
SCHEMES = re.compile(r"(?:https?://|#note-\w|(?![\w+.-]+:))", re.IGNORECASE)

# Written for this test: ways to smuggle script into what is shown, by where they hide. Each goes into the page as it
# is, as the text of a paragraph, as a link's and an image's address, and as every value that we write.
ADDRESSES = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "\tjavascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)", "java\r\nscript:alert(1)", "\x01javascript:alert(1)", "\x00javascript:alert(1)",
    "java\x00script:alert(1)", "javascript\t:alert(1)", "javascript :alert(1)", "javascript&colon;alert(1)",
    "javascript&#58;alert(1)", "javascript&#x3a;alert(1)", "javascript&#0000058alert(1)", "&#106;avascript:alert(1)",
    "&#x6A;&#x61;vascript:alert(1)", "&#1;javascript:alert(1)", "&Tab;javascript:alert(1)", "java&Tab;script:alert(1)",
    "java&NewLine;script:alert(1)", "javascript:&sol;&sol;%0aalert(1)", "javascript://example.org/%0aalert(1)",
    "vbscript:msgbox(1)", "VBSCRIPT:msgbox(1)", "livescript:alert(1)", "mocha:alert(1)", "jscript:alert(1)",
    "data:text/html,<script>alert(1)</script>", "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "DATA:text/html,x", "data:image/svg+xml,<svg onload=alert(1)>", " data:text/html,x", "data&colon;text/html,x",
    "view-source:javascript:alert(1)", "feed:javascript:alert(1)", "jar:javascript:alert(1)!/", "about:blank",
    "file:///etc/passwd", "blob:https://example.org/x", "filesystem:https://example.org/x", "intent://x#Intent;end",
    "ms-msdt:/id", "chrome://settings", "resource://x", "ws://example.org", "ftp://example.org/x", "mhtml:file://x",
    "\u2028javascript:alert(1)", "\u00a0javascript:alert(1)", "\ufeffjavascript:alert(1)", "\u200bjavascript:alert(1)",
    "ｊavascript:alert(1)", "//javascript:alert(1)", "https://example.org/\"onclick=alert(1) x=\"",
    "https://example.org/'onclick=alert(1) x='", "https://example.org/><script>alert(1)</script>",
    "https://example.org/`onclick=alert(1)`", "https://example.org/)<script>alert(1)</script>",
    "https://[javascript:alert(1)",
    "http:javascript:alert(1)", "https:javascript:alert(1)", "#javascript:alert(1)", "?javascript:alert(1)",
]  # fmt: skip
MARKUP = [
    "<script>alert(1)</script>", "<script src=//evil.example/x.js></script>", "<scr<script>ipt>alert(1)</script>",
    "<SCRIPT/XSS>alert(1)</SCRIPT>", "<<script>alert(1);//<</script>", "<script\x00>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "<img src=/i.png onload=alert(1)>", "<img src=\"/i.png\"onerror=\"alert(1)\">",
    "<img/src=/i.png/onerror=alert(1)>", "<img src='/i.png' alt='\"><script>alert(1)</script>'>",
    "<img src=/i.png alt='x\" onerror=\"alert(1)'>", "<img src=/i.png srcset='javascript:alert(1) 2x'>",
    "<img src=/i.png data-src='javascript:alert(1)'>", "<img src=/i.png data-src='/x\"onerror=alert(1)//.png'>",
    "<svg onload=alert(1)>x</svg>", "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>", "<math href='javascript:alert(1)'><mi>x</mi></math>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "<math alttext='</p><script>alert(1)</script>'></math>",
    "<math><annotation encoding='application/x-tex'>&lt;script></annotation></math>",
    "<script type='math/tex'></p><img src=x onerror=alert(1)></script>", "<p>\\(<img src=x onerror=alert(1)>\\)",
    "<p>\\(&lt;img src=x onerror=alert(1)>\\) $$&lt;script>alert(1)&lt;/script>$$",
    "<iframe src='javascript:alert(1)'></iframe>", "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='javascript:alert(1)'>x</object>", "<embed src='javascript:alert(1)'>", "<applet code=x>x</applet>",
    "<base href='javascript:alert(1)//'><a href='x'>x</a>", "<base href='data:text/html,'><a href='x'>x</a>",
    "<form action='javascript:alert(1)'><button formaction='javascript:alert(1)'>x</button></form>",
    "<input autofocus onfocus=alert(1)>", "<textarea onfocus=alert(1)></textarea><script>alert(1)</script>",
    "<textarea><script>alert(1)</script></textarea>", "<xmp><script>alert(1)</script></xmp>",
    "<plaintext><script>alert(1)</script>", "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>x</noscript>",
    "<style>@import 'javascript:alert(1)'</style>x", "<style><!--</style><script>alert(1)</script>-->",
    "<div style='background:url(javascript:alert(1))'>x</div>", "<div onmouseover=alert(1)>x</div>",
    "<a href=/x onclick=alert(1)>x</a>", "<a href='/x' style='position:fixed'>x</a>", "<a href=/x target=_blank>x</a>",
    "<a href=\"/x\" id='\"><script>alert(1)</script>'>x</a>", "<body onload=alert(1)>x",
    "<marquee onstart=alert(1)>x</marquee>",
    "<details open ontoggle=alert(1)><summary>x</summary>y</details>", "<video src=x onerror=alert(1)>x</video>",
    "<video poster='javascript:alert(1)'>x</video>", "<audio src=x onerror=alert(1)>x</audio>",
    "<table background='javascript:alert(1)'><tr><th>x<td>y<tr><td>z<td>w</table>",
    "<table><tr><th colspan='2\" onclick=\"alert(1)'>x<td>y<tr><td>z</table>",
    "<ol start='1\" onclick=\"alert(1)'><li>x</ol>",
    "<ol type='a\" onclick=\"alert(1)'><li value='1\"onclick=alert(1)'>x</ol>",
    "<pre class='language-x\"onclick=alert(1)'>x</pre>",
    "<pre><code class='language-\"><script>alert(1)</script>'>x</code></pre>",
    "<pre data-lang='x\"onclick=alert(1)'>x</pre>",
    "<pre></code></pre><script>alert(1)</script></pre>",
    "<pre>&lt;/code>&lt;/pre>&lt;script>alert(1)&lt;/script></pre>",
    "<p>a<sup><a href='#x\"onclick=alert(1)'>1</a></sup><ol><li id='x\"onclick=alert(1)'>n</ol>",
    "<p>a<sup><a href='#javascript:alert(1)'>1</a></sup><ol><li id='javascript:alert(1)'>n</ol>",
    "<figure><img src=/i.png><figcaption><script>alert(1)</script>&lt;script>x</figcaption></figure>",
    "<!--><script>alert(1)</script>-->x", "<!--[if IE]><script>alert(1)</script><![endif]-->x",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>x", "<!ENTITY x 'javascript:alert(1)'>&x;",
    "<title></title><script>alert(1)</script>",
    "<title>&lt;/title>&lt;script>alert(1)&lt;/script></title>x", "<link rel=stylesheet href='javascript:alert(1)'>x",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>x", "<template><script>alert(1)</script></template>x",
    "<x-y onclick=alert(1)>x</x-y>", "<p/onclick=alert(1)>x", "<p\x0bonclick=alert(1)>x",
    "<a href=/x\x0c onclick=alert(1)>x</a>",
    "<isindex type=image src=1 onerror=alert(1)>", "<keygen autofocus onfocus=alert(1)>",
    "<select onfocus=alert(1)><option>x</select>",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-", "\ufeff<script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&amp;lt;script&amp;gt;alert(1)", "&#60;script&#62;alert(1)", "<p>&lt;img src=x onerror=alert(1)&gt;",
    "<p>[x](javascript:alert(1)) &lt;javascript:alert(1)> ![x](javascript:alert(1))", "<p>[x]: javascript:alert(1)",
    "<p>`&lt;img src=x onerror=alert(1)>`", "<p><code>`&lt;script>alert(1)&lt;/script></code>", "<p>```<br>&lt;script>",
    "<ul><li>&lt;script>alert(1)&lt;/script></ul>",
    "<table><tr><th>a<th>b<tr><td>| &lt;script><td>\\&lt;script></table>",
    "<dl><dt>&lt;script>alert(1)&lt;/script><dd><script>alert(1)</script>x</dl>",
]  # fmt: skip
CARRIERS = [
    "{0}",
    "<p>before {0} after</p>",
    '<p>x <a href="{0}">link</a> y <img src="{0}" alt="{0}" srcset="{0} 2x" data-src="{0}"></p>',
    "<p>x <a href='{0}'>link</a> <img src='{0}' alt='{0}'></p>",
    '<base href="{0}"><p><a href="x">y</a></p>',
]  # fmt: skip


def check_safe(html: str) -> None:
    """No tag, attribute or address that is not ours: by an HTML5 sanitiser, and by looking at each of them."""
    assert nh3.is_html(html) in {True, False}
    cleaned = nh3.clean(
        html, tags=TAGS, attributes=ATTRIBUTES, url_schemes={"http", "https"}, link_rel=None
    )
    assert events(cleaned) == events(html)
    for element in lxml_html.document_fromstring(f"<body>{html}</body>").find("body").iter():
        assert element.tag in TAGS | {"body"}
        for name, value in element.attrib.items():
            assert name in ATTRIBUTES.get(element.tag, set())
            assert name not in {"href", "src"} or SCHEMES.match(value), value


def events(html: str) -> list[object]:
    body = lxml_html.document_fromstring(f"<body>{html}</body>").find("body")
    return [(tag.tag, dict(tag.attrib), tag.text or "", tag.tail or "") for tag in body.iter()]


def test_there_are_enough_of_them() -> None:
    assert len({*ADDRESSES, *MARKUP}) == len(ADDRESSES) + len(MARKUP) >= 150


@pytest.mark.slow
@pytest.mark.parametrize("vector", ADDRESSES + MARKUP)
def test_nothing_runs(vector: str) -> None:
    for carrier in CARRIERS:
        check_carried(vector, carrier)


def check_carried(vector: str, carrier: str) -> None:
    document = keep_all("<p>Text before.</p>" + carrier.format(vector) + "<p>Text after.</p>")
    check_safe(write_blocks(document.structure.children))
    rendered = render_markdown(to_markdown(document))
    addresses = re.findall(r'(?:href|src)="([^"]*)"', rendered)
    assert all(SCHEMES.match(address) for address in addresses)
    assert not re.search(r"<(?!/?(?:%s)\b)[a-zA-Z]" % "|".join([*TAGS, "s"]), rendered)  # noqa: UP031
    assert "<script" not in to_tei(document)


@pytest.mark.parametrize("vector", ADDRESSES + MARKUP)
def test_the_head_is_safe_too(vector: str) -> None:
    head = f'<title>{vector}</title><meta name="author" content="{vector}"><meta name="description" content="{vector}">'
    html = to_html(keep_all(f'<html lang="{vector}"><head>{head}</head><body><p>x</p>', url=vector))
    tree = lxml_html.document_fromstring(html)
    assert {element.tag for element in tree.iter()} <= {
        "html",
        "head",
        "meta",
        "title",
        "link",
        "body",
        *TAGS,
    }
    for element in tree.iter():
        allowed = ATTRIBUTES.get(element.tag, {"lang", "charset", "name", "content", "rel", "href"})
        assert set(element.attrib) <= allowed
        assert SCHEMES.match(element.get("href", ""))
        assert "javascript" not in element.get("href", "").split("?")[0].split("#")[
            0
        ].lower() or "//" in element.get("href")


def test_a_whole_page() -> None:
    assert to_html(keep_all("<title>A & B</title><h1>A & B</h1><p>x</p>")) == (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>A &amp; B</title>\n'
        f'<link rel="canonical" href="{ADDRESS}">\n</head>\n'
        "<body>\n<h1>A &amp; B</h1>\n<p>x</p>\n</body>\n</html>"
    )


@pytest.mark.parametrize("page", read_labelled(LABELLED), ids=lambda page: page.identity)
def test_nothing_more_to_remove_on_labelled_pages(page: object) -> None:
    document = extract(page.read(), url=page.url)  # type: ignore[attr-defined]
    check_safe(write_blocks(document.structure.children))


@settings(max_examples=some_of(100), deadline=None)
@given(
    st.lists(
        st.sampled_from(MARKUP)
        | st.sampled_from(
            ["<p>", "</p>", "<a href='", '<img alt="', "'>", '">', "x", "<table><tr><td>"]
        )
    )
)
def test_no_mixture_runs(pieces: list[str]) -> None:
    check_safe(write_blocks(keep_all("".join(pieces)).structure.children))


def test_links_as_references() -> None:
    document = keep_all("<p>a <a href=/x>b</a> c</p>")
    html = to_html(document, links="references")
    assert (
        '<p>a b[1] c</p>\n<hr>\n<ol>\n<li><a href="https://example.org/x">https://example.org/x</a></li>\n</ol>'
        in html
    )
