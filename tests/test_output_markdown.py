"""Markdown: what it looks like, and that a CommonMark renderer makes of it what our HTML says."""

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import extract
from bodytext.output.html import write_blocks
from bodytext.output.markdown import to_markdown
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.views.structure import Element
from example_counts import some_of
from expected_pages import keep_all
from shapes import render_markdown, seen_words, shape, words

LABELLED = Path(__file__).parents[1] / "labelled"


def markdown(html: str) -> str:
    return to_markdown(keep_all(html))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>A <i>b</i></h2>", "## A *b*"),
        ("<h1>One<br>two</h1>", "# One two"),
        ("<h3>C #</h3>", "### C \\#"),
        ("<p>a<br>b", "a\\\nb"),
        ("<p>1. x<p>2) y<p>12 z<p>- a", "1\\. x\n\n2\\) y\n\n12 z\n\n\\- a"),
        ("<p>+ b<p># c<p>#d<p>> e", "\\+ b\n\n\\# c\n\n#d\n\n\\> e"),
        ("<p>===<p>---<p>~~~<p>a<br>---<p>|-|", "\\===\n\n\\---\n\n\\~\\~\\~\n\na\\\n\\---\n\n\\|-|"),
        ("<p>*a* _b_ c_d `e` [f] <b>!</b><a href=/x>g</a>", "\\*a\\* \\_b\\_ c_d \\`e\\` \\[f\\] **!**[g](https://example.org/x)"),
        ("<p>Wow!<a href=/x>g</a>", "Wow\\![g](https://example.org/x)"),
        ("<p>&lt;b> 1 < 2 &amp;copy; AT&amp;T", "\\<b> 1 < 2 \\&copy; AT&T"),
        ("<p>C:\\new \\* x\\", "C:\\new \\\\\\* x\\\\"),
        ("<p><code>a`b</code> <code>`</code>", "`` a`b ` ``"),
        ("<p><b>a </b>b<b> c</b>", "**a** b **c**"),
        ("<p><b>Note:</b>text", "<strong>Note:</strong>text"),
        ("<p>これは<b>太字</b>です。<b>「強」</b>は", "これは**太字**です。<strong>「強」</strong>は"),
        ("<p><i>a</i><b>b</b>", "<em>a</em>**b**"),
        ("<p><i><b>x</b></i> <b>y <i>z</i> w</b>", "***x*** **y *z* w**"),
        ("<p><s>a</s> <sub>b</sub><sup>c</sup> <mark>d</mark>", "~~a~~ <sub>b</sub><sup>c</sup> <mark>d</mark>"),
        ("<p><a href='/a b(c)&amp;copy;=1'>x [y]</a>", "[x \\[y\\]](<https://example.org/a%20b(c)&amp;copy;=1>)"),
        ("<p><a href=/l><img src=/i.png alt='a]b'></a>x", "[![a\\]b](https://example.org/i.png)](https://example.org/l)x"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ol start=9><li>a<li>b<ul><li>c</ul></ol>", "9. a\n10. b\n    - c"),
        ("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"),
        ("<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n\n- c"),
        ("<ul><li>1. x<li># y</ul>", "- 1\\. x\n- \\# y"),
        ("<blockquote><p>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<pre><code class=language-js>a\n```\nb</code></pre>", "````js\na\n```\nb\n````"),
        ("<ul><li>a<pre>b\n\n\nc</pre></ul>", "- a\n\n  ```\n  b\n\n\n  c\n  ```"),
        ("<table><tr><th>a<th>b<tr><td>c|d<td><code>|</code></table>", "| a | b |\n| --- | --- |\n| c\\|d | `\\|` |"),
        ("<table><tr><td>a<td>b<tr><td>c<br>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c<br>d |  |"),
        ("<p>a<hr><p>b", "a\n\n---\n\nb"),
        ("<dl><dt>a<dd>b</dl>", "<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>"),
        ("<ol type=i><li>a</ol>", '<ol type="i">\n<li>a</li>\n</ol>'),
        ("<p>so \\(a_1*b\\) and \\[c\\]", "so $a_1*b$ and $$c$$"),
        ("<p>so $$a=b$$ and $$x$$", "so $$a=b$$ and $$x$$"),
    ],
)  # fmt: skip
def test_structures_in_markdown(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    "name", ["no-gutter", "gutter-right", "line-number", "lntd", "linenos-off", "gutter"]
)
def test_numbers_in_tables_of_data_stay(name: str) -> None:
    row = f"<tr><td>Nes<td class='{name}'>42<tr><td>Dal<td class='{name}'>43"
    table = f"<table><tr><th>Village<th>Ships{row}</table>"
    assert "| Nes | 42 |" in markdown(table)
    assert "| `x` | 42 |" in markdown(table.replace("<td>Nes", "<td><code>x</code>"))


@pytest.mark.parametrize(
    "row",
    [
        "<td class=gutter><pre>1<br>2</pre><td class=code><pre>a\n5</pre>",  # Hexo
        "<td class='lntd'><pre><code>1\n2\n</code></pre><td class='lntd'><pre><code>a\n5</code></pre>",
        "<td class='rouge-gutter gl'><pre>1\n2\n</pre><td class=rouge-code><pre>a\n5</pre>",
        "<td class='gutter'><div>1</div><div>2</div><td class=code><pre>a\n5</pre>",
        "<td class='blob-num'>1<td class='blob-num'>2<td><pre>a\n5</pre>",  # a difference
    ],
)
def test_numbers_of_lines_are_no_code(row: str) -> None:
    assert markdown(f"<table><tr>{row}</table>") == "```\na\n5\n```"


def test_code_of_numbers_stays() -> None:
    lines = "<pre><code>1\n2</code></pre>"
    html = f"<table><tr><td class=lntd>{lines}<td class=lntd>{lines}</table>"
    assert markdown(html) == "```\n1\n2\n```"


@pytest.mark.parametrize(
    ("links", "images", "expected"),
    [
        (
            "keep",
            "keep",
            "[a **b**](https://example.org/x) ![i](https://example.org/i.png) [c](https://example.org/x)",
        ),
        ("drop", "keep", "a **b** ![i](https://example.org/i.png) c"),
        ("keep", "drop", "[a **b**](https://example.org/x) [c](https://example.org/x)"),
        (
            "references",
            "references",
            "[a **b**][1] ![i][2] [c][1]\n\n[1]: https://example.org/x\n[2]: https://example.org/i.png",
        ),
    ],
)
def test_links_and_images_are_kept_dropped_or_listed(
    links: str, images: str, expected: str
) -> None:
    document = keep_all("<p><a href=/x>a <b>b</b></a> <img src=/i.png alt=i> <a href=/x>c</a>")
    assert (
        " ".join(to_markdown(document, links=links, images=images).split(" ")).replace("  ", " ")  # type: ignore[arg-type]
        == expected
    )


def test_references_are_numbered_in_the_order_of_the_text() -> None:
    document = keep_all("<p><a href=/a>a</a><ul><li><a href=/b>b</a></ul><p><a href=/c>c</a>")
    expected = "[a][1]\n\n- [b][2]\n\n[c][3]\n\n[1]: https://example.org/a\n"
    assert to_markdown(document, links="references").startswith(expected)


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(ValueError, match="links must be one of keep, drop, references, not 'all'"):
        to_markdown(keep_all("<p>x"), links="all")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("javascript:alert(1)", "javascript:alert(1) &#32;"),
        ("javascript:alert(1)<br>and more", "javascript:alert(1) &#32;\\\n    and more"),
        ("Ibid. (p. 5)", "Ibid. (p. 5) &#32;"),
        ('Ibid., <code>a "b</code> c"', 'Ibid., `a "b` c"'),
        ("Two words", "Two words"),
        ("<p>One<p>Two", "One &#32;\n\n    Two"),
    ],
)
def test_a_note_is_no_address_of_a_link(note: str, expected: str) -> None:
    html = f'<p>One<sup><a href="#n">1</a></sup> and more.<ol><li id=n>{note}</ol>'
    text = to_markdown(keep_all(html))
    assert text == f"One[^1] and more.\n\n[^1]: {expected}"
    assert "href" not in render_markdown(text)
    seen = seen_words(render_markdown(text, footnotes=True))
    assert seen[-1] == seen_words(f"<p>{note}")[-1]


def test_a_line_that_begins_with_the_mark_of_a_note_is_none() -> None:
    html = (
        '<p>One<sup><a href="#n">1</a></sup><p><a href="#n">1</a>: x:y<ol><li id=n>The note.</ol>'
    )
    assert to_markdown(keep_all(html)) == "One[^1]\n\n[^1]\\: x:y\n\n[^1]: The note."


def same_shape(structure: Element) -> None:
    document = keep_all("")
    document.__dict__["structure"] = structure
    text = to_markdown(document)
    assert shape(render_markdown(text)) == shape(write_blocks(structure.children)), text


# Generated structures: everything that Markdown can say, in every order.

SIGNS = st.sampled_from("ab 1.é漢*_`[]()<>&;#!~|\\-+=:\"'/$^{}")
LETTERS = st.characters(codec="utf-8", categories=["L", "N", "P", "S"])
TEXT = st.text(SIGNS | LETTERS, min_size=1).map(lambda text: " ".join(text.split()) or "x")
LINKS = st.sampled_from(
    [
        "https://example.org/",
        "https://example.org/a_(b)",
        "https://example.org/?a=1&copy;=2*3",
        "/x",
    ]
)


MARKS = ("del", "mark", "em", "strong", "sub", "sup", "code")


@st.composite
def draw_span(draw: st.DrawFn) -> Element:
    """A text in one or more marks; the outer ones may hold more text beside the inner."""
    names = draw(st.lists(st.sampled_from(MARKS), min_size=1, max_size=3, unique=True))
    names.sort(key="code".__ne__)  # which holds no other
    span: Element | str = draw(TEXT)
    for name in names:
        pieces = (
            [span]
            if name == "code"
            else merge([*draw(st.lists(TEXT, max_size=1)), span, *draw(st.lists(TEXT, max_size=1))])
        )
        span = Element(name, pieces)
    assert isinstance(span, Element)
    return span


def merge(pieces: list[Element | str]) -> list[Element | str]:
    """Join texts that touch; a line has no white space and no break at its ends."""
    merged: list[Element | str] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] = f"{merged[-1]} {piece}"
        elif not (
            isinstance(piece, Element)
            and piece.name == "br"
            and (not merged or is_break(merged[-1]))
        ):
            merged.append(piece)
    while merged and is_break(merged[-1]):
        merged.pop()
    return merged or ["x"]


def is_break(piece: Element | str) -> bool:
    return isinstance(piece, Element) and piece.name == "br"


IMAGES = st.builds(
    lambda address, text: Element("img", [], {"src": address, "alt": text}), LINKS, TEXT
)
SPANS = draw_span() | IMAGES
LINKED = st.builds(
    lambda href, inner: Element("a", merge(inner), {"href": href}),
    LINKS,
    st.lists(TEXT | SPANS, min_size=1),
)
LINE = st.lists(
    TEXT | SPANS | LINKED | st.just(" ") | st.builds(Element, st.just("br")), min_size=1
).map(lambda pieces: merge([piece for piece in pieces if piece != " "]))
PARAGRAPH = st.builds(partial(Element, "p"), LINE)
CODE = st.builds(
    lambda text, language: Element("pre", [text], {"language": language} if language else {}),
    st.text(st.sampled_from("ab `~#-\n\t<&\\"), min_size=1).map(lambda text: text.strip() or "x"),
    st.sampled_from(["", "python", "c++"]),
)
HEADING = st.builds(
    lambda level, line: Element(
        f"h{level}", [piece for piece in line if not is_break(piece)] or ["x"]
    ),
    st.integers(1, 6),
    LINE,
)


def in_list(blocks: st.SearchStrategy[Element]) -> st.SearchStrategy[Element]:
    loose = st.lists(blocks, min_size=1, max_size=3)
    items = st.lists(LINE | loose, min_size=1, max_size=3)

    def build(name: str, contents: list[list[Element | str]], start: int) -> Element:
        attributes = {"start": str(start)} if name == "ol" and start != 1 else {}
        return Element(name, [Element("li", content) for content in contents], attributes)

    return st.builds(build, st.sampled_from(["ul", "ol"]), items, st.sampled_from([1, 3, 99]))


CELL = st.builds(Element, st.sampled_from(["td", "th"]), LINE | st.just([]))
ROW = st.builds(partial(Element, "tr"), st.lists(CELL, min_size=1, max_size=3))
TABLE = st.builds(partial(Element, "table"), st.lists(ROW, min_size=1, max_size=3))
LEAF_BLOCKS = PARAGRAPH | CODE | HEADING | TABLE | st.builds(Element, st.just("hr"))
BLOCKS = st.recursive(
    LEAF_BLOCKS,
    lambda inner: (
        st.builds(partial(Element, "blockquote"), st.lists(inner, min_size=1, max_size=3))
        | in_list(inner)
    ),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=some_of(100), deadline=None)
@given(LINE)
def test_lines_round_trip(line: list[Element | str]) -> None:
    same_shape(Element("body", [Element("p", line)]))


@pytest.mark.slow
@settings(max_examples=some_of(100), deadline=None)
@given(st.lists(BLOCKS, min_size=1, max_size=4))
def test_structures_round_trip(blocks: list[Element]) -> None:
    same_shape(Element("body", list(blocks)))


@pytest.mark.parametrize("page", read_labelled(LABELLED), ids=lambda page: page.identity)
def test_labelled_pages_round_trip(page: object) -> None:
    document = extract(page.read(), url=page.url)  # type: ignore[attr-defined]
    text = to_markdown(document)
    html = write_blocks(document.structure.children)
    assert seen_words(html) == words(str(document))
    assert shape(render_markdown(text)) == shape(html)


def test_a_script_with_another_formula_replaces_none() -> None:
    formulas = "<math alttext='a'><mi>a</mi></math> <script type=math/tex>b</script>"
    text = markdown(f"<p>So {formulas} holds.")
    assert "$a$" in text
    assert "$b$" in text
