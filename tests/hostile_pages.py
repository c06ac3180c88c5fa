"""Hostile pages by name, each of about any size in bytes, and whether its planted text must be found."""

import random
from collections.abc import Callable
from dataclasses import dataclass

MARKER = "The lighthouse keeper counted eleven ships before the fog came in."

_SENTENCES = (
    "Nobody on the island had asked for a new harbour, and yet the stones arrived every morning by boat.",
    MARKER,
    "By noon the wall was as high as a child, and by evening the tide had taken a third of it away again.",
    "The mayor wrote three letters, the engineer wrote one, and the sea, as usual, did not write at all.",
)
ARTICLE = "".join(f"<p>{' '.join(_SENTENCES[:stop])}</p>" for stop in (2, 3, 4)).encode()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of hostile page."""

    make: Callable[[int], bytes]
    planted: bool = True  # MARKER is visible text in it by the rules of HTML
    # Only the article is prose in it, so every method must find MARKER.
    extracted: bool = False


def _flood(unit: bytes, before: bytes = b"", after: bytes = ARTICLE) -> Callable[[int], bytes]:
    """Repeat a unit."""

    def make(size: int) -> bytes:
        return before + unit * max(1, (size - len(before) - len(after)) // len(unit)) + after

    return make


def _nest(
    opening: bytes, closing: bytes, inner: bytes = ARTICLE, before: bytes = b""
) -> Callable[[int], bytes]:
    """Nest elements, with the text innermost."""

    def make(size: int) -> bytes:
        count = max(1, (size - len(inner) - len(before)) // (len(opening) + len(closing)))
        return before + opening * count + inner + closing * count

    return make


def _under(stack: bytes, unit: bytes, after: bytes = ARTICLE) -> Callable[[int], bytes]:
    """Open elements in half of the page, and repeat a unit inside them in the other half."""

    def make(size: int) -> bytes:
        return (
            stack * max(1, size // 2 // len(stack)) + unit * max(1, size // 2 // len(unit)) + after
        )

    return make


def _numbered(unit: str, before: str = "", after: bytes = ARTICLE) -> Callable[[int], bytes]:
    """A unit with its number in it, as "%d"."""

    def make(size: int) -> bytes:
        count = max(1, (size - len(before) - len(after)) // (len(unit) + 2 * unit.count("%d")))
        return (
            before + "".join([unit.replace("%d", str(number)) for number in range(count)])
        ).encode() + after

    return make


def _encoded(encoding: str) -> Callable[[int], bytes]:
    """An article in an encoding that nothing in the page names."""

    def make(size: int) -> bytes:
        page = "<html><body>" + ARTICLE.decode()
        return (page * max(1, size // len(page.encode(encoding)))).encode(encoding)

    return make


def _random_bytes(size: int) -> bytes:
    return random.Random(7).randbytes(size)


def _random_markup(size: int) -> bytes:
    """Make random bytes that mean something to a parser."""
    pick = random.Random(11)
    return bytes(pick.choices(b"<<<>>>///!!--=\"' \n&;#xabpdiv[]\0\xc3\xa9", k=size))


def _news(size: int) -> bytes:
    """Make an ordinary page that is very long."""
    item = b'<li><a href="/section/page.html" class="menu-item">A section of the paper</a></li>'
    menu = b"<nav><ul>" + item * 40 + b"</ul></nav>"
    teaser = b'<div class="teaser"><img src="a.jpg" alt="A ship"><h3><a href="/x">Another story</a></h3></div>'
    part = teaser + ARTICLE * 4
    head = (
        b"<!doctype html><html><head><title>Harbour news</title><script>var a = 1 < 2;</script></head><body>"
        + menu
    )
    return head + part * max(1, (size - len(head)) // len(part)) + b"</body></html>"


def _long_names(size: int) -> bytes:
    """Make end tags of unknown elements whose names differ from the 64 open ones only in the last letter."""
    name = b"x" * 60
    return (
        b"".join(b"<%s%02d>" % (name, number) for number in range(64))
        + b"</%szz>" % name * (size // 65)
        + ARTICLE
    )


def _double_escapes(size: int) -> bytes:
    return b"<script>" + b"<!--<script></script>" * (size // 21) + b"--></script>" + ARTICLE


def _in_script(unit: str, before: str, after: str = "", kind: str = "") -> Callable[[int], bytes]:
    """Repeat a unit, with its number in it, in a script; of JSON-LD if no kind is named."""
    opening = f"<script {kind or 'type=application/ld+json'}>"
    return _numbered(unit, opening + before, (after + "</script>").encode() + ARTICLE)


def _nest_in_script(
    opening: str, closing: str, before: str, kind: str = ""
) -> Callable[[int], bytes]:
    """Nest a unit in a script."""
    script = f"<script {kind or 'type=application/ld+json'}>{before}".encode()

    def make(size: int) -> bytes:
        count = max(1, (size - len(script) - len(ARTICLE)) // (len(opening) + len(closing)))
        return script + (opening * count + "1" + closing * count).encode() + b"</script>" + ARTICLE

    return make


_END_TAGS = b"</p></li></b></a></td></table></form></h2></select></x-y></dd></button></option></svg></template></body>"
_PROSE = "".join(f" {sentence}" for sentence in _SENTENCES).encode()
_CJK = "港の灯台守は霧が来る前に十一隻の船を数えた。"

KINDS: dict[str, Kind] = {
    # Nesting
    "divs nested": Kind(_nest(b"<div>", b"</div>"), extracted=True),
    "divs never closed": Kind(_nest(b"<div>", b""), extracted=True),
    "sections with class nested": Kind(
        _nest(b'<section class="a">', b"</section>"), extracted=True
    ),
    "spans nested": Kind(_nest(b"<span>", b"</span>"), extracted=True),
    "bold nested": Kind(_nest(b"<b>", b"</b>"), extracted=True),
    "bold never closed": Kind(_nest(b"<b>", b""), extracted=True),
    "fonts nested": Kind(_nest(b'<font size="1">', b"</font>"), extracted=True),
    "everything unclosed": Kind(
        _flood(b"<div><ul><li><b><span><table><tr><td><h2><em>"), extracted=True
    ),
    "tables nested": Kind(_nest(b"<table><tr><td>", b"</td></tr></table>"), extracted=True),
    "tables nested, never closed": Kind(_nest(b"<table><tr><td>", b""), extracted=True),
    "lists nested": Kind(_nest(b"<ul><li>", b"</li></ul>"), extracted=True),
    "lists nested with text": Kind(_nest(b"<ul><li>a", b"</ul>")),
    "definitions nested": Kind(_nest(b"<dl><dd>", b"</dd></dl>"), extracted=True),
    "quotes nested": Kind(_nest(b"<blockquote>", b"</blockquote>"), extracted=True),
    "custom elements nested": Kind(_nest(b"<x-a>", b"</x-a>"), extracted=True),
    "forms nested": Kind(_nest(b"<form>", b"</form>"), extracted=True),
    "objects nested": Kind(_nest(b"<object>", b"</object>")),
    "templates nested": Kind(_nest(b"<template>", b"</template>")),
    "buttons nested": Kind(_nest(b"<button>", b"</button>")),
    "selects nested": Kind(_nest(b"<select><optgroup>", b"</select>")),
    "svg groups nested": Kind(_nest(b"<g>", b"</g>", b"</svg>" + ARTICLE, before=b"<svg>")),
    "svg and html in turns": Kind(
        _nest(b"<svg><foreignobject><div>", b"</div></foreignobject></svg>")
    ),
    "mathematics nested": Kind(
        _nest(b"<mrow>", b"</mrow>", b"</math>" + ARTICLE, before=b"<math>")
    ),
    "ruby nested": Kind(_nest(b"<ruby><rt>", b"</rt></ruby>")),
    "hidden divs nested": Kind(_nest(b"<div hidden>", b"</div>")),
    # Closing what is not open, or not on top
    "misnested formatting": Kind(_flood(b"<b><i></b></i>")),
    "misnested blocks": Kind(_flood(b"<b><p></b><i><div></i></p>")),
    "links over blocks": Kind(_flood(b"<a href=x><div></a></p>")),
    "links in links": Kind(_flood(b"<a href=x>a")),
    "end tags under divs": Kind(_under(b"<div>", _END_TAGS)),
    "end tags under spans": Kind(_under(b"<span>", _END_TAGS)),
    "end tags under items": Kind(_under(b"<ul><li>", b"</p></ol></dd></x-y></h1></b>")),
    "end tags under unknown elements": Kind(_under(b"<x-a>", b"</x-b>")),
    "end tags of long unknown names": Kind(_long_names),
    "end tags under formatting": Kind(_under(b"<b><p>", b"</b></i></b></u></a></p>")),
    "end tags under templates": Kind(_under(b"<template>", b"</td></tr></table></form></p>")),
    "end tags under buttons and paragraphs": Kind(_under(b"<button><p><object>", b"</p></button>")),
    "paragraph ends": Kind(_flood(b"</p>")),
    "text beside cells": Kind(_flood(b"<td>x</td>y<b>z", b"<table><tr>", b"</table>" + ARTICLE)),
    "text in nested tables": Kind(_nest(b"<table>a<tr><td>", b"</td>b</tr></table>")),
    "rows and cells in nested tables": Kind(_under(b"<table><tr><td>", b"<tr><td></table>")),
    "unclosed headings under inline": Kind(_flood(b"<h1><i><h2><b>")),
    # Dense pages
    "paragraphs of a letter": Kind(_flood(b"<p>a")),
    "bold after each letter": Kind(_flood(b"a<b>")),
    "bold around each letter": Kind(_flood(b"<b>a</b>")),
    "cells of a letter": Kind(_flood(b"<td>x", b"<table><tr>", b"</table>" + ARTICLE)),
    "items of a letter": Kind(_flood(b"<li>a", b"<ul>", b"</ul>" + ARTICLE)),
    "options of a letter": Kind(_flood(b"<option>a", b"<select>", b"</select>" + ARTICLE)),
    "headings of a letter": Kind(_flood(b"<h1>a")),
    "headings of a sign": Kind(_flood(b"<h2>#")),
    "paragraphs of a sign": Kind(_flood("<p>\u2191".encode())),
    "breaks after each letter": Kind(_flood(b"a<br>")),
    "breaks": Kind(_flood(b"<br>")),
    "two breaks after each letter": Kind(_flood(b"a<br><br>")),
    "breaks in pre": Kind(_flood(b"a<br>", b"<pre>", b"</pre>" + ARTICLE)),
    "bold in pre": Kind(_flood(b"a<b>\n</b>", b"<pre>", b"</pre>" + ARTICLE)),
    "pre of a letter": Kind(_flood(b"<pre>a")),
    "rules": Kind(_flood(b"<hr>")),
    "images": Kind(_flood(b"<img>")),
    "40,000 paragraphs": Kind(_flood(b"<p>A short paragraph.</p>\n")),
    "50,000-row table": Kind(
        _numbered("<tr><td>%d</td><td>a</td></tr>", "<table>", b"</table>" + ARTICLE)
    ),
    "50,000 links": Kind(_numbered('<li><a href="/%d">Story</a></li>', "<ul>", b"</ul>" + ARTICLE)),
    "news": Kind(_news),
    # Tags and attributes
    "a million <": Kind(_flood(b"<")),
    "<a without end": Kind(_flood(b"<a", ARTICLE, b"")),
    "< and a space": Kind(_flood(b"< ")),
    "</ and a space": Kind(_flood(b"</ ", ARTICLE, b"")),
    "empty end tags": Kind(_flood(b"</>")),
    "one giant attribute": Kind(_flood(b"x", b'<div title="', b'">' + ARTICLE)),
    "one giant style": Kind(_flood(b"display :\tnon; ", b'<div style="', b'">' + ARTICLE)),
    "one giant tag name": Kind(_flood(b"x", b"<x", b">" + ARTICLE)),
    "many attributes": Kind(_numbered("a%d=1 ", "<div ", b">" + ARTICLE)),
    "one attribute many times": Kind(_flood(b'style="display:no" ', b"<div ", b">" + ARTICLE)),
    "attributes on every tag": Kind(
        _flood(b"<i id=a class='b c' hidden=x style=\"color:red\">", b"", b"</i>" + ARTICLE)
    ),
    "slashes in a tag": Kind(_flood(b"/ ", b"<div ", b">" + ARTICLE)),
    "equals signs in a tag": Kind(_flood(b"= ", b"<div ", b">" + ARTICLE)),
    "quotes never closed": Kind(_flood(b"<a href='x\">y</a>", ARTICLE, b"")),
    "unknown elements with long names": Kind(_numbered(f"<{'n' * 50}%d>a")),
    # Comments, declarations, sections
    "endless comment": Kind(_flood(b"- -> --", ARTICLE + b"<!--", b"")),
    "comment openings": Kind(_flood(b"<!--", ARTICLE, b"")),
    "comments of nothing": Kind(_flood(b"<!-->")),
    "comments ended wrongly": Kind(_flood(b"<!-- --!>")),
    "hyphens in a comment": Kind(_flood(b"-", b"<!--", b"-->" + ARTICLE)),
    "> in a comment": Kind(_flood(b">", b"<!--", b"-->" + ARTICLE)),
    "declarations": Kind(_flood(b"<!x>")),
    "processing instructions": Kind(_flood(b"<?x>")),
    "sections in svg": Kind(_flood(b"<![CDATA[a]]>", b"<svg>", b"</svg>" + ARTICLE)),
    "brackets in a section in svg": Kind(_flood(b"]", b"<svg><![CDATA[", b"]]></svg>" + ARTICLE)),
    "sections outside svg": Kind(_flood(b"<![CDATA[a]]>")),
    # Raw text
    "formulas in svg, never closed": Kind(
        _flood(b"<script type=math/tex></b>", ARTICLE + b"<svg>", b"")
    ),
    "formulas before tables, never closed": Kind(
        _flood(b"<table><svg><script type=math/tex></b></table>", ARTICLE, b"")
    ),
    "script escaped twice": Kind(_double_escapes),
    "script of almost ends": Kind(_flood(b"</scrip", b"<script>", b"</script>" + ARTICLE)),
    "empty scripts": Kind(_flood(b"<script></script>")),
    "empty styles": Kind(_flood(b"<style></style>")),
    "titles": Kind(_flood(b"<title>a</title>")),
    "one giant title": Kind(_flood(b"a &amp; ", b"<title>", b"</title>" + ARTICLE)),
    "text areas": Kind(_flood(b"<textarea>a</textarea>")),
    "frames in the line": Kind(_flood(b"<iframe></iframe>")),
    "frames without scripts": Kind(_flood(b"<noscript><iframe></noscript>")),
    "plain text": Kind(_flood(b"a&amp;<b>\n", b"<plaintext>" + _PROSE, b"")),
    # References
    "ampersands": Kind(_flood(b"&")),
    "references": Kind(_flood(b"&amp;")),
    "references that grow": Kind(_flood(b"&nGt;")),
    "references without semicolon": Kind(_flood(b"&notit&amp")),
    "longest reference, cut short": Kind(_flood(b"&CounterClockwiseContourIntegra")),
    "references of no name": Kind(_flood(b"&zz")),
    "endless number": Kind(_flood(b"9", b"<p>&#", b";</p>" + ARTICLE)),
    "numbers": Kind(_flood(b"&#1;")),
    "numbers without digits": Kind(_flood(b"&#x")),
    "references in an attribute": Kind(_flood(b"&lt;", b'<a href="', b'">' + ARTICLE)),
    # Text
    "one giant word": Kind(_flood(b"a")),
    "words of two letters": Kind(_flood(b"ab ")),
    "words of one wide letter": Kind(_flood("ā ".encode())),
    "one emoji in much text": Kind(_flood(b"some words ", "😀".encode())),
    "prose": Kind(_flood(_PROSE)),
    "white space": Kind(_flood(b" \n\t")),
    "blank lines in pre": Kind(_flood(b"\n", b"<pre>a", b"b</pre>" + ARTICLE)),
    "lines of a space in pre": Kind(_flood(b" \n", b"<pre>a", b"b</pre>" + ARTICLE)),
    "white space in pre": Kind(_flood(b" \n", b"<pre>", b"</pre>" + ARTICLE)),
    "no-break spaces": Kind(_flood("\xa0".encode())),
    "zero-width characters": Kind(_flood("\u200b\u200d\ufeff".encode())),
    "combining marks": Kind(_flood("a\u0301\u0302".encode())),
    "one long line of CJK": Kind(_flood(_CJK.encode())),
    "emoji": Kind(_flood("😀🏽".encode())),
    "NULs": Kind(_flood(b"\0")),
    "NULs between letters": Kind(_flood(b"ab\0", b"<p>")),
    "carriage returns": Kind(_flood(b"a\r", b"<pre>", b"</pre>" + ARTICLE)),
    # Bytes
    "random bytes": Kind(_random_bytes, planted=False),
    "random markup": Kind(_random_markup, planted=False),
    "UTF-16 without a mark": Kind(_encoded("utf-16-le"), extracted=True),
    "UTF-16 with a mark": Kind(_encoded("utf-16"), extracted=True),
    "broken UTF-8": Kind(_flood(b"\xe2\x82 \xff\xc0\xaf a")),
    "Japanese escapes": Kind(_flood(b"\x1b$B\x1b(B")),
    "high bytes": Kind(_flood(bytes(range(0xA1, 0xFF)))),
    "meta elements": Kind(_flood(b"<meta charset=x>")),
    # JSON-LD
    "JSON-LD: blanks in the body": Kind(
        _in_script(" ", '{"@type":"NewsArticle","articleBody":"a', 'b"}')
    ),
    "JSON-LD: breaks in the body": Kind(
        _in_script("\\n ", '{"@type":"NewsArticle","articleBody":"a', 'b"}')
    ),
    "JSON-LD: escapes in the body": Kind(
        _in_script("\\u0061\\ud83d\\ude00", '{"@type":"NewsArticle","articleBody":"', '"}')
    ),
    "JSON-LD: tags in the body": Kind(
        _in_script("<p>a %d", '{"@type":"NewsArticle","articleBody":"', '"}')
    ),
    "JSON-LD: prose": Kind(
        _in_script("A sentence of some words, %d. ", '{"@type":"NewsArticle","articleBody":"', '"}')
    ),
    "JSON-LD: lists nested": Kind(_nest_in_script("[", "]", "")),
    "JSON-LD: objects nested": Kind(_nest_in_script('{"author":', "}", "")),
    "JSON-LD: many articles": Kind(
        _in_script('{"@type":"NewsArticle","headline":"A %d"},', "[", "{}]")
    ),
    "JSON-LD: many authors": Kind(
        _in_script('{"@type":"Person","name":"Ada %d"},', '{"@type":"Article","author":[', "{}]}")
    ),
    "JSON-LD: a chain of references": Kind(
        _in_script(
            '{"@id":"#%d","author":{"@id":"#%d1"},"isPartOf":{"@id":"#1%d"}},',
            '{"@graph":[',
            "{}]}",
        )
    ),
    "JSON-LD: breadcrumbs": Kind(
        _in_script(
            '{"@type":"ListItem","position":%d,"name":"A"},',
            '{"@type":"BreadcrumbList","itemListElement":[',
            "{}]}",
        )
    ),
    "JSON-LD: keys": Kind(_in_script('"key%d":1,', "{", '"a":1}')),
    "JSON-LD: quotes never closed": Kind(_in_script('{"a":"', "")),
    "JSON-LD: commas": Kind(_in_script(",", "[", "]")),
    "JSON-LD: many scripts": Kind(
        _flood(b'<script type=application/ld+json>{"@type":"Article","author":"A"}</script>')
    ),
    "JSON-LD: comments": Kind(
        _in_script(
            '{"@type":"Comment","text":"A reply, %d.","author":"Ada"},',
            '{"@type":"Article","comment":[',
            "{}]}",
        )
    ),
    # State in scripts
    "state nested": Kind(_nest_in_script('{"a":', "}", "window.__STATE__=", "x")),
    "state of many strings": Kind(
        _in_script('"A sentence of some words, number %d.",', "window.__STATE__=[", '""]', "x")
    ),
    "state of many keys": Kind(
        _in_script('"body%d":"A sentence of some words.",', "window.__STATE__={", '"a":1}', "x")
    ),
    "state that breaks off": Kind(_in_script('={"a', "window.__STATE__", "", "x")),
    "state in strings": Kind(_in_script('\\\\"', 'window.__STATE__={"a":"{\\"b\\":', '"}', "x")),
    "state parsed from strings": Kind(_in_script("JSON.parse('{\"a\":%d}');", "", "", "x")),
    "state in attributes": Kind(_numbered("<div data-page='{\"a\":%d}'></div>")),
    "state in one attribute": Kind(
        _flood(b"&quot;a&quot;,", b'<div data-props="[', b'1]"></div>' + ARTICLE)
    ),
    "state of a type": Kind(
        _in_script('{"text":"A few words."},', "[", "{}]", "type=application/json")
    ),
    # Metadata
    "meta: properties": Kind(_numbered('<meta property="og:title" content="Title %d">')),
    "meta: authors": Kind(_numbered('<meta name="author" content="Ada %d Lovelace">')),
    "meta: one giant list": Kind(
        _flood(b"word, ", b'<meta name="keywords" content="', b'">' + ARTICLE)
    ),
    "meta: one giant author": Kind(
        _flood(b"Ada and ", b'<meta name="author" content="', b'">' + ARTICLE)
    ),
    "meta: dates": Kind(_numbered('<meta name="date" content="2026-01-02T%d">')),
    "feeds linked": Kind(_numbered('<link rel="alternate" type="application/rss+xml" href="/%d">')),
    "microdata": Kind(
        _flood(b'<span itemprop="author" itemscope><b itemprop="name">Ada</b></span>')
    ),
    "microdata nested": Kind(_nest(b'<div itemscope itemprop="author">', b"</div>")),
    "times": Kind(_numbered('<time datetime="2026-01-02">2 January %d</time>')),
    "bylines": Kind(_numbered('<p class="byline">By Ada Lovelace %d</p>')),
    "one giant byline": Kind(_flood(b"Ada and ", b'<p class="byline">By ', b"</p>" + ARTICLE)),
    "dates in a row": Kind(_flood(b"2026-01-02, 3 May 2026; ", b"<p>")),
    "breadcrumbs": Kind(
        _numbered('<a href="/%d">Section</a> / ', '<nav class="breadcrumb">', b"</nav>" + ARTICLE)
    ),
    "licences": Kind(_numbered('<a rel="license" href="/licenses/%d">CC BY</a>')),
    # Comments
    "comments": Kind(
        _numbered(
            '<div class="comment"><b class="author">Ada</b> <time>2 May</time><p>Reply %d.</p></div>'
        )
    ),
    "comments nested": Kind(
        _nest(b'<div class="comment"><b class="author">Ada</b><p>A reply.</p>', b"</div>")
    ),
    "comments in lists": Kind(
        _nest(b'<ul class="comments"><li><p>Ada said: a reply.</p>', b"</li></ul>")
    ),
    "comments by numbers": Kind(
        _numbered('<li id="comment-%d"><p>Ada wrote on 2 May: yes.</p></li>')
    ),
    # Media and structure
    "figures": Kind(
        _numbered('<figure><img src="/%d.jpg" alt="A"><figcaption>A ship.</figcaption></figure>')
    ),
    "figures nested": Kind(
        _nest(b'<figure><img src="/a.jpg">', b"<figcaption>A</figcaption></figure>")
    ),
    "one giant srcset": Kind(_flood(b"/a.jpg 2x, ", b'<img srcset="', b'">' + ARTICLE)),
    "pictures of many sources": Kind(
        _numbered('<source srcset="/%d.jpg">', "<picture>", b"<img src=a></picture>" + ARTICLE)
    ),
    "players": Kind(_numbered('<iframe src="https://www.youtube.com/embed/%d"></iframe>')),
    "videos": Kind(_numbered('<video src="/%d.mp4"></video>')),
    "footnotes": Kind(_numbered('<sup><a href="#fn%d">%d</a></sup><li id="fn%d">Note.</li>')),
    "footnotes to one": Kind(
        _flood(b'a<sup><a href="#fn1">1</a></sup>', b'<li id="fn1">Note.</li>')
    ),
    "cells that span": Kind(
        _flood(b"<tr><td colspan=1000 rowspan=1000>a", b"<table>", b"</table>" + ARTICLE)
    ),
    "formulas": Kind(_flood(b"<math><mi>x</mi><mo>=</mo><msup><mi>y</mi><mn>2</mn></msup></math>")),
    "formulas nested": Kind(
        _nest(b"<msup><mi>x</mi>", b"</msup>", b"<mn>1</mn>", before=ARTICLE + b"<math>")
    ),
    "code": Kind(_numbered('<pre><code class="language-a">x = %d\n</code></pre>')),
    "definitions": Kind(_numbered("<dt>Word %d<dd>Its meaning.", "<dl>", b"</dl>" + ARTICLE)),
    "headings without text between": Kind(_numbered("<h2>Part %d</h2>")),
    "links with one address": Kind(_flood(b'<p><a href="/a">A link of some words</a>, ')),
    # Sentences
    "full stops": Kind(_flood(b".", b"<p>A word", b" and the end.</p>" + ARTICLE)),
    "abbreviations": Kind(_flood(b"e.g. Dr. A. B. ", b"<p>")),
    "questions": Kind(_flood(b"Why? ", b"<p>")),
    "quotation marks": Kind(_flood("\u201cA\u201d ".encode(), b"<p>")),
    "different words": Kind(_numbered("word%d ", "<p>")),
    "different sentences": Kind(_numbered("The word%d came home. ", "<p>")),
    "one sentence many times": Kind(_flood(b"The ship came home to the harbour. ", b"<p>")),
}
