"""The structure of a document: what markup becomes, and that no page makes it slow or fail."""

import os
import pickle
import time
import timeit
from dataclasses import FrozenInstanceError
from pathlib import Path
from random import Random
from types import SimpleNamespace
from urllib.parse import urljoin

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bodytext import extract, parse
from bodytext.kernel import is_native
from bodytext.kernel.html import TAG
from bodytext.kernel.lines import Helpers
from bodytext.output.markdown import to_markdown
from bodytext.page.tables import Page
from bodytext.page.urls import absolute, is_rooted, is_whole
from bodytext.selection import select_all
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.views.media import Pictures, place_media
from bodytext.views.structure import Element, build_structure
from bodytext.views.structure.containers import PageDetails
from bodytext.views.structure.element import (
    INLINE,
    ITEMS,
    LEAVES,
    LINES,
    MARKS,
    NAMES,
    PARTED,
    SECTIONS,
)
from bodytext.views.structure.formulas import find_formulas, split_delimited
from bodytext.views.structure.links import Links, clean
from hostile_pages import KINDS
from kernel_twins import import_native, with_elements
from shapes import words

ADDRESS = "https://example.org/a/b.html"
REAL = (
    Path(os.environ.get("BODYTEXT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    / "wcxb-dev"
)


def build(html: str, *blocks: int) -> Element:
    """The structure of all blocks of a page, or of some."""
    page = parse(html, url=ADDRESS)
    return build_structure(page, np.array(blocks) if blocks else np.arange(len(page)))


def sketch(element: Element) -> str:
    """A structure on one line: name(children), with attributes after the name."""
    attributes = "".join(f" {name}={value}" for name, value in element.attributes.items())
    inner = "|".join(
        child if isinstance(child, str) else sketch(child) for child in element.children
    )
    return f"{element.name}{attributes}({inner})"


def sketch_of(html: str) -> str:
    return "; ".join(
        child if isinstance(child, str) else sketch(child) for child in build(html).children
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # Lines and marks.
        ("<p>a<p>b", "p(a); p(b)"),
        ("<div>a<br><br>b</div>", "p(a); p(b)"),
        ("<p>a <b>b</b>c", "p(a |strong(b)|c)"),
        ("<p><b>a</b> <b>b</b>", "p(strong(a b))"),
        ("<p><b>a</b> <i>b</i>", "p(strong(a)| |em(b))"),
        ("<p>a<b> b </b>c", "p(a |strong(b)| c)"),
        ("<p><tt>a<br>b</tt>", "p(code(a)|br()|code(b))"),
        ("<p><b>a<br>b</b>", "p(strong(a|br()|b))"),
        ("<p><code>a <b>b</b></code>", "p(code(a)| |strong(code(b)))"),
        ("<p><b>a <strong>b</strong></b>", "p(strong(a b))"),
        ("<b><p>a<p>b</b>", "p(strong(a)); p(strong(b))"),
        ("<a href=/x><h2>a</h2><p>b</a>", "h2(a href=https://example.org/x(a)); p(a href=https://example.org/x(b))"),
        ("<p><a href=c?d#e>a</a><a href=/f>b</a>", "p(a href=https://example.org/a/c?d#e(a)|a href=https://example.org/f(b))"),
        ("<p><a>a</a><a href=''>b</a><a href='javascript:x'>c</a><a href='#d'>d</a>", "p(abcd)"),
        ("<p>a<span hidden> b</span> c", "p(a c)"),
        ("<p>a&nbsp;<b>&nbsp;b</b>", "p(a |strong(b))"),
        # Headings.
        ("<h1>a<br>b</h1><h6>c</h6>", "h1(a b); h6(c)"),
        ("<h2><div>a</div><div>b</div></h2>", "h2(a| |b)"),
        ("<h2><b>a <i>b</i></b></h2><h3><b>a</b> b</h3>", "h2(a |em(b)); h3(strong(a)| b)"),
        ("<blockquote><h2><b>a</b></h2><p>b</blockquote>", "blockquote(h2(a)|p(b))"),
        ("<h2>a <h3>b</h3></h2>", "h2(a); h3(b)"),
        # Lists.
        ("<ul><li>a<ul><li>b</ul></ul>", "ul(li(a|ul(li(b))))"),
        ("<ul><li><p>a</ul>", "ul(li(a))"),
        ("<ul><li><p>a<p>b</ul>", "ul(li(p(a)|p(b)))"),
        ("<ul><li>a</li><ul><li>b</ul></ul>", "ul(li(a|ul(li(b))))"),
        ("<ol><li value=4><b>a</b></li><ol><li>b</ol><li>c</ol>", "ol(li value=4(strong(a)|ol(li(b)))|li(c))"),
        ("<ul><li>a</li><li><div>b</div><img src=i></li></ul>", "ul(li(a)|li(p(b)|p(img src=https://example.org/a/i alt=())))"),
        ("<ul><li>a</li><p>b</p><li>c</ul>", "ul(li(a)|li(b)|li(c))"),
        ("<ul>a<li>b</ul>", "ul(li(a)|li(b))"),
        ("<li>a<li>b<p>c", "ul(li(a)|li(p(b)|p(c)))"),
        ("<div><li>a</li><li>b</li></div><p>c", "ul(li(a)|li(b)); p(c)"),
        ("<ol start=3 reversed type=i><li value=7>a</ol>", "ol start=3 type=i reversed=reversed(li value=7(a))"),
        ("<ol start=x type=9><li value=1e9>a</ol>", "ol(li(a))"),
        ("<dl><dt>a<dd>b<dd>c</dl>", "dl(dt(a)|dd(b)|dd(c))"),
        ("<dl><div><dt>a<dd>b</div></dl>", "dl(dt(a)|dd(b))"),
        # Quotes and code.
        ("<blockquote>a<p>b</blockquote>", "blockquote(p(a)|p(b))"),
        ("<pre>a\n  b</pre>", "pre(a\n  b)"),
        ("<pre><div>a</div><div> b</div></pre>", "pre(a\n b)"),
        ("<pre class='lang-js x'>a</pre>", "pre language=js(a)"),
        ("<pre data-lang=Rust>a</pre>", "pre language=rust(a)"),
        ("<div class='highlight-python notranslate'><div><pre>a</pre></div></div>", "pre language=python(a)"),
        ("<pre class='sourceCode haskell'>a</pre>", "pre language=haskell(a)"),
        ("<pre><code class='hljs rust'>a</code></pre><pre class=notes>b</pre>", "pre language=rust(a); pre(b)"),
        ("<pre class='language-none'>a</pre><pre class='code-block'>b</pre>", "pre(a); pre(b)"),
        ("<li><pre>a</pre>", "ul(li(pre(a)))"),
        # Tables.
        ("<table><tr><th>a<tr><td>b</table>", "table(tr(th(a))|tr(td(b)))"),
        ("<table><thead><tr><td>a<td>b<tbody><tr><td>c</table>", "table(tr(th(a)|th(b))|tr(td(c)))"),
        ("<table><td>a<td>b<tr><td>c<td>d</table>", "table(tr(td(a)|td(b))|tr(td(c)|td(d)))"),
        ("<table><tr><th>a<th>b<tr><td><td>c</table>", "table(tr(th(a)|th(b))|tr(td()|td(c)))"),
        ("<table><tr><th>a<th><tr><td>b<td></table>", "table(tr(th(a))|tr(td(b)))"),
        ("<table><tr><th colspan=2>a<tr><td>b<td>c</table>", "table(tr(th colspan=2(a))|tr(td(b)|td(c)))"),
        ("<table><tr><th>a<td rowspan=9999>b</table>", "table(tr(th(a)|td rowspan=1000(b)))"),
        ("<table><caption>a</caption><tr><td>b</table>", "table(caption(a)|tr(td(b)))"),
        ("<table><tr><td><p>a<p>b<td>c<tr><td><h3>d</h3>", "p(a); p(b); p(c); h3(d)"),
        ("<table><tr><td>a</table>", "p(a)"),
        ("<table><tr><td>a<td>b</table>", "p(a); p(b)"),
        ("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "p(a); p(b); p(c); p(d)"),
        ("<table><tr><td><table><tr><th>a<tr><td>b</table></table>", "table(tr(th(a))|tr(td(b)))"),
        ("<table><caption>a</caption></table><p>b", "p(a); p(b)"),
        # Figures, images, rules.
        ("<figure><img src=i><figcaption>c</figure>", "figure(img src=https://example.org/a/i alt=()|figcaption(c))"),
        ("<figure><figcaption>c</figure><p>a", "p(c); p(a)"),
        ("<p>a<p><img src=i><p>b", "p(a); p(img src=https://example.org/a/i alt=()); p(b)"),
        ("<p>a<img src=/p.gif width=1 height=1><img src=/icons/x.png>", "p(a)"),
        ("<p>a<hr><p>b<hr>", "p(a); hr(); p(b)"),
        ("<blockquote><p>a<hr><p>b</blockquote>", "blockquote(p(a)|hr()|p(b))"),
        # Formulas.
        ("<p>a <math alttext=x^2><mi>x</mi></math> b", "p(a |math(x^2)| b)"),
        ("<p><math alttext=x^2><mi>x</mi></math> b", "p(math(x^2)| b)"),
        ("<p>a \\(x\\) b $$y$$", "p(a |math(x)| b |math display=block(y))"),
        ("<p><code>\\(x\\)</code>", "p(code(\\(x\\)))"),
        ("<p>find . \\( -name '*.ts' -o -empty \\)", "p(find . \\( -name '*.ts' -o -empty \\))"),
        ('<p>a \\(x - "y"\\)', 'p(a \\(x - "y"\\))'),
    ],
)  # fmt: skip
def test_markup_becomes_structure(html: str, expected: str) -> None:
    assert sketch_of(html) == expected


def test_only_kept_blocks_are_in_it() -> None:
    html = "<ul><li>a<li>b<ul><li>c</ul></ul><p>d <img src=/i.png><p>e<hr><p>f"
    assert (
        sketch(build(html, 1, 3))
        == "body(ul(li(b))|p(d |img src=https://example.org/i.png alt=()))"
    )
    assert sketch(build(html, 2)) == "body(ul(li(ul(li(c)))))"


def images_of(page: Page, kept: npt.NDArray[np.intp]) -> list[str]:
    return [
        element.attributes["src"]
        for element in build_structure(page, kept).walk()
        if element.name == "img"
    ]


def outline(element: Element | str) -> str:
    """The words of an element, and the files of its images."""
    if isinstance(element, str) or element.name == "img":
        return element if isinstance(element, str) else element.attributes["src"].split("/")[-1]
    return "".join(map(outline, element.children))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # A byline may be between the image that leads an article and its text.
        ("<figure><img src=i></figure><div>By Ann Lee, 4 May</div><p>Text", ["i", "Text"]),
        ("<h1>A ship</h1><img src=i><div>By Ann Lee</div><p>Text", ["i", "Text"]),
        (f"<img src=i><div>{'words ' * 70}</div><p>Text", ["Text"]),
        # So may a caption and buttons that are left out, on both sides.
        (
            "<p>Text 1<div>Share</div><figure><img src=i><figcaption>A ship</figcaption></figure><div>Like</div><p>Text 2",
            ["Text 1", "i", "Text 2"],
        ),
        # Two of them keep their order, and one that is in a paragraph stays in it.
        (
            "<p>Text 1<div>Share</div><img src=i><div>Like</div><img src=j><p>Text <img src=k> 2",
            ["Text 1", "i", "j", "Text k 2"],
        ),
        # An image of something else is none of the article, however near it is.
        (
            "<p>Text 1<div><a href=/x><img src=i><b>Read this next</b></a></div><p>Text 2",
            ["Text 1", "Text 2"],
        ),
        ("<p>Text 1<div class=related><img src=i></div><p>Text 2", ["Text 1", "Text 2"]),
        ("<aside><img src=i></aside><p>Text 1<p>Text 2", ["Text 1", "Text 2"]),
        # Images are not all <img>, and the second of two that are the same is none.
        ("<p>Text 1</p><amp-img src=i></amp-img><p>Text 2", ["Text 1", "i", "Text 2"]),
        ("<p>Text 1</p><video poster=i></video><p>Text 2", ["Text 1", "i", "Text 2"]),
        ("<p>Text 1</p><video src=v><img src=i></video><p>Text 2", ["Text 1", "Text 2"]),
        ("<p>Text 1</p><img src=i><p>Text 2</p><img src=i><p>Text 3", ["Text 1", "i", "Text 2", "Text 3"]),
    ],
)  # fmt: skip
def test_images_are_where_the_article_has_them(html: str, expected: list[str]) -> None:
    page = parse(html, url=ADDRESS)
    kept = [number for number, text in enumerate(page.texts()) if text.startswith("Text")]
    assert [*map(outline, build(html, *kept).children)] == expected


IMAGE_PIECES = [
    "<img src=a.jpg>", "<img src=b.jpg>", "<img src=c.jpg width=9>", "<amp-img src=d.jpg>", "<video poster=e.jpg>",
    "</video>", "<video src=f.mp4>", "<object data=g.png type=image/png>", "</object>", "<noscript>", "</noscript>",
    "<figure>", "</figure>", "<figcaption>", "</figcaption>", "<aside>", "</aside>", "<div class=related>", "<div>",
    "</div>", "<div hidden>", "<p>", "<li>", "<td>", "<h2>", "<svg>", "</svg>", "<select>", "<canvas>", "</canvas>",
    "<blockquote>", "</blockquote>", "fog", "a few words of text ", "<a href=/x>a link</a>", "one two three " * 25,
]  # fmt: skip


@given(st.lists(st.sampled_from(IMAGE_PIECES), max_size=40), st.randoms(use_true_random=False))
def test_the_images_of_a_structure_are_those_of_the_media(parts: list[str], random: Random) -> None:
    page = parse("".join(parts), url=ADDRESS)
    kept = np.array([block for block in range(len(page)) if random.random() < 0.6], np.intp)
    media = [medium.source for medium in place_media(page, kept) if medium.kind == "image"]
    assert images_of(page, kept) == media


def test_no_kept_block_gives_an_empty_body() -> None:
    assert sketch(build_structure(parse("<p>x"), np.zeros(0, dtype=np.intp))) == "body()"
    assert extract("").structure == Element("body")


def test_elements_are_values() -> None:
    assert build("<p>a <b>b") == build("<p>a <strong>b")
    assert build("<p>a <b>b") != build("<p>a <i>b")
    assert build("<p>a") != build("<p>a<p>b")
    assert repr(build("<p>a").children[0]) == "Element('p', <1 children>)"
    assert pickle.loads(pickle.dumps(build("<p>a <a href=/x>b"))) == build("<p>a <a href=/x>b")  # noqa: S301
    assert len({build("<p>a <a href=/x>b"), build("<p>a <a href=/x>b"), build("<p>a")}) == 2


def test_elements_never_change() -> None:
    for element in build(
        "<p>a <a href=/x>b</a><ol start=3><li>c<li>d</ol><table><tr><th>e<td>f</table>"
    ).walk():
        assert isinstance(element.children, tuple)
        for name in ("name", "children", "attributes"):
            with pytest.raises(FrozenInstanceError):
                setattr(element, name, getattr(element, name))
        with pytest.raises(TypeError):
            element.attributes["href"] = "/y"  # type: ignore[index]


@pytest.mark.parametrize(
    "address",
    ["http://a.example/x?y=1", "/x/y.html", "x", "../x", "//b.example", "?q", "/x y", "/a/../b"],
)
def test_links_have_clean_absolute_addresses(address: str) -> None:
    page = parse(f'<a href="{address}">', url=ADDRESS)
    assert Links(Pictures(page)).resolve(address) == clean(absolute(address, ADDRESS))


ADDRESS_PIECES = [
    "/",
    "//",
    ".",
    "..",
    "?",
    "#",
    ":",
    "a",
    "b-1",
    "=",
    "&",
    "%20",
    "@",
    "~",
    ",",
    "http:",
    "_",
    "+",
]


@given(
    st.sampled_from(["/", "https://a.example/"]),
    st.lists(st.sampled_from(ADDRESS_PIECES), max_size=8).map("".join),
)
def test_addresses_that_need_no_cleaning_are_what_a_browser_makes_of_them(
    start: str, rest: str
) -> None:
    assert absolute(start + rest, ADDRESS) == urljoin(ADDRESS, start + rest)
    if is_whole(start + rest):
        assert clean(start + rest) == start + rest


@with_elements
@given(
    st.sampled_from(["https://a.example/", "http://", "https://a", "HTTP://a/", "http:///", "/"]),
    st.lists(st.sampled_from([*ADDRESS_PIECES, "\u00e9", " "]), max_size=8).map("".join),
)
def test_the_kernel_knows_addresses_that_need_no_cleaning(start: str, rest: str) -> None:
    page = parse(f'<a href="{start}{rest}">x</a>')
    containers = import_native("elements").Containers(
        page.source, page.nodes, Element, PageDetails(page)
    )
    links = SimpleNamespace(root="from the root ", resolve="to clean {}".format)
    import_native("lines").add_lines(
        containers,
        (page.source, page.tables),
        np.zeros(1, np.intp),
        (),
        Helpers(Element, links, split_delimited),
    )
    address = page.attributes(page.nodes.tag.tolist().index(TAG["a"]))["href"]
    cleaned = f"from the root {address}" if is_rooted(address) else f"to clean {address}"
    (line,) = containers.finish().children
    assert line.children[0].attributes["href"] == (address if is_whole(address) else cleaned)


def test_formulas_in_an_element_with_a_long_tag_take_linear_time() -> None:
    page = parse(f"<div title='{'x' * 80_000}'>{'<math><mi>x</mi></math>' * 3_000}")
    best = min(timeit.repeat(lambda: find_formulas(page), number=1, repeat=3))
    assert best < 1  # 5 seconds before


def test_a_cell_over_all_rows_below_spans_them() -> None:
    body = build("<table><tr><th>a<th>b<tr><td rowspan=0>c<td colspan=0>d<tr><td>e</table>")
    spans = [element.attributes for element in body.walk() if element.name in {"td", "th"}]
    assert [span.get("rowspan") for span in spans] == [None, None, "1000", None, None]
    assert not any("colspan" in span for span in spans)


@pytest.mark.parametrize(
    "text",
    [
        "Luigi is a restaurant of class $$ in town, while Marco is $$ too.",
        "Prices: $, $$, or $$$, mostly $$-$$$",
        "$$ is the process; kill -9 $$ ends it",
        "from $$ to $$, $$-$$ or $$ or $$",
    ],
)
def test_prices_and_processes_are_no_formulas(text: str) -> None:
    assert split_delimited(text) == [text]


def check_model(body: Element) -> None:
    """Every element is one of the names, and holds what its name may hold."""
    for element in body.walk():
        assert element.name in NAMES
        names = {child.name for child in element.children if isinstance(child, Element)}
        texts = [child for child in element.children if isinstance(child, str)]
        if element.name in SECTIONS - {"figure"}:
            assert not texts
            assert not names & (INLINE | ITEMS | {"tr", "caption", "figcaption", "dt"})
        elif element.name in PARTED:
            assert not texts
            assert names <= ITEMS | {"tr", "caption", "dt", "note"}
            assert element.children
        elif element.name in LINES | MARKS:
            assert names <= INLINE
            assert element.children
        elif element.name in LEAVES:
            assert not names


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KINDS))
def test_hostile_pages_take_linear_time(name: str) -> None:
    page = parse(KINDS[name].make(50_000))
    started = time.process_time()
    body = build_structure(page, np.arange(len(page)))
    assert time.process_time() - started < (0.6 if is_native("scanner") else 6)
    check_model(body)


@pytest.mark.slow
@pytest.mark.parametrize(
    "opening",
    [
        "<div>",
        "<b>",
        "<ul><li>",
        "<blockquote>",
        "<table><tr><td>",
        "<dl><dd>",
        "<a href=x>",
        "<math>",
    ],
)
def test_nesting_has_an_end(opening: str) -> None:
    body = build(f"{opening}x" * 20_000)
    depth = 0
    level = [body]
    while level:
        depth += 1
        level = [
            child for element in level for child in element.children if isinstance(child, Element)
        ]
    assert depth < 200
    check_model(body)


def test_a_ragged_table_is_not_padded_without_end() -> None:
    html = "<table><tr>" + "<th>a" * 3_000 + "<tr><td>b<td>" * 3_000 + "</table>"
    page = parse(html)
    document = select_all(page)
    assert len(to_markdown(document)) < 10 * len(html)


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason="real pages are not here")
def test_real_pages_keep_their_words_and_the_model() -> None:
    for page in read_labelled(REAL)[::10]:
        document = extract(page.read(), url=page.url)
        check_model(document.structure)
        elements = list(document.structure.walk())
        if not any(element.name == "math" for element in elements):
            kept, written = words(str(document)), words(document.structure.text)
            assert written == kept or _lost_numbers(kept, written), page.identity


def _lost_numbers(kept: list[str], written: list[str]) -> bool:
    """Whether only line numbers are missing."""
    missing = len(kept) - len(written)
    return (
        missing > 0
        and sum(word.isdigit() for word in kept) - sum(word.isdigit() for word in written)
        == missing
    )


def test_a_list_of_one_item_with_a_heading_is_a_layout() -> None:
    inner = "<h1>Ferry</h1><p>It left.<ul><li>Eels<li>Post</ul>"
    assert (
        sketch(build(f"<ul><li>{inner}</ul>"))
        == "body(h1(Ferry)|p(It left.)|ul(li(Eels)|li(Post)))"
    )
    both = sketch(build(f"<ul><li>{inner}<li><h1>Bus</h1><p>It came.</ul>"))
    assert (
        both == "body(ul(li(h1(Ferry)|p(It left.)|ul(li(Eels)|li(Post)))|li(h1(Bus)|p(It came.))))"
    )


def test_a_formula_in_a_drawing_keeps_its_text() -> None:
    """In a drawing <textarea> is not a field: its text is not code."""
    assert sketch(build("<svg><textarea><math><a>1</a>")) == "body(p(1))"
