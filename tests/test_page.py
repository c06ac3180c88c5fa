"""The page: columns over intervals, flags, attributes, title."""

import copy
import doctest
import pickle
from html.entities import html5

import numpy as np
import pytest

from bodytext import parse
from bodytext.kernel import tokens
from bodytext.kernel.html import TAG, Flag, Kind
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import or_above


def flags_of(html: str, text: str) -> Flag:
    page = parse(html)
    return Flag(int(page.runs.flags[page.blocks.first_run[page.texts().index(text)]]))


@pytest.mark.parametrize(
    ("html", "flag"),
    [
        ("<header>x", Flag.HEADER),
        ("<nav>x", Flag.NAV),
        ("<main>x", Flag.MAIN),
        ("<article>x", Flag.ARTICLE),
        ("<aside>x", Flag.ASIDE),
        ("<footer>x", Flag.FOOTER),
        ("<form>x", Flag.FORM),
        ("<button>x", Flag.BUTTON),
        ("<select><option>x", Flag.SELECT),
        ("<noscript><p>x", Flag.NOSCRIPT),
        ("<template><p>x", Flag.TEMPLATE),
        ("<p hidden>x", Flag.HIDDEN),
        ("<div style='color: red; DISPLAY : none'><p>x", Flag.HIDDEN),
        ("<div style=visibility:hidden>x", Flag.HIDDEN),
        ("<div style=display:none><p style=visibility:visible>x", Flag.HIDDEN),
        ("<div style=visibility:hidden><p style=visibility:visible><b hidden>x", Flag.HIDDEN),
        ("<div style=visibility:hidden><p hidden><b style=visibility:visible>x", Flag.HIDDEN),
        ("<p aria-hidden=true>x", Flag.ARIA_HIDDEN),
        ("<p class=sr-only>x", Flag.SPOKEN),
        ("<p class='link screen-reader-text'>x", Flag.SPOKEN),
        ("<pre><span class=linenos>x", Flag.HIDDEN),
        ("<p class='a headerlink'>x", Flag.HIDDEN),
        ("<p style='margin:0; clip: rect(0 0 0 0); width: 1px'>x", Flag.SPOKEN),
        ("<p style='clip:rect(1px, 1px, 1px, 1px)'>x", Flag.SPOKEN),
        ("<p style='clip-path: inset(50%)'>x", Flag.SPOKEN),
        ("<a href=y>x", Flag.LINK),
        ("<svg><text>x", Flag.SVG),
        ("<math><mi>x", Flag.MATH),
        ("<pre>x", Flag.PRE),
        ("<video>x", Flag.FALLBACK),
    ],
)
def test_hidden_or_special_text_is_marked_not_dropped(html: str, flag: Flag) -> None:
    assert flags_of(html, "x") & flag


@pytest.mark.parametrize(
    "html",
    [
        "<p aria-hidden=false>x",
        "<p style='xdisplay:none'>x",
        "<a name=y>x",
        "<body hidden>x",
        "<div style=visibility:hidden><p style='visibility: visible'>x",
    ],
)
def test_other_text_is_not_marked_as_hidden_or_linked(html: str) -> None:
    assert not flags_of(html, "x") & (Flag.HIDDEN | Flag.ARIA_HIDDEN | Flag.LINK)


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<p>x", Kind.PARAGRAPH),
        ("<h3>x", Kind.HEADING),
        ("<ul><li>x", Kind.ITEM),
        ("<ul><li><p>x", Kind.ITEM),
        ("<table><td>x", Kind.CELL),
        ("<table><td><p>x", Kind.PARAGRAPH),
        ("<table><caption>x", Kind.CAPTION),
        ("<figure><figcaption>x", Kind.CAPTION),
        ("<dl><dt>x", Kind.TERM),
        ("<dl><dd><p>x", Kind.DEFINITION),
        ("<blockquote><p>x", Kind.QUOTE),
        ("<pre>x", Kind.CODE),
        ("<button>x", Kind.CONTROL),
        ("<div>x", Kind.OTHER),
    ],
)
def test_blocks_have_their_kind(html: str, kind: Kind) -> None:
    assert parse(html).blocks.kind.tolist() == [kind]


def test_a_link_ends_where_its_element_ends() -> None:
    page = parse(
        "<p><a href=x>one</p><p>two</a> three</p><table><td>four<td><a href=y>five</table>six"
    )
    linked = dict(zip(page.texts(), page.per_block(page.runs.linked).tolist(), strict=True))
    assert linked == {"one": 3, "two three": 3, "four": 0, "five": 4, "six": 0}


def test_sums_over_nodes_and_blocks() -> None:
    page = parse("<div><p>one two</p><p>three</p></div><p>four")
    words = page.per_node(page.runs.words)
    assert words[page.nodes.tag == TAG["div"]].tolist() == [3]
    assert page.per_block(page.runs.words).tolist() == [2, 1, 1]
    assert parse("").per_block(parse("").runs.words).tolist() == []


def test_attributes_by_offset() -> None:
    page = parse("<p CLASS='a &amp; b' id=x data-n=\"1>2\" class=second checked>t")
    assert page.attributes(int(np.flatnonzero(page.nodes.tag == TAG["p"])[0])) == {
        "class": "a & b",
        "id": "x",
        "data-n": "1>2",
        "checked": "",
    }
    assert page.attributes(0) == {}


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>A &amp; B\n C</title>", "A & B C"),
        ("<title>a <b>c</b></title><title>second</title>", "a <b>c</b>"),
        ("<svg><title>icon</title></svg><title>real</title><p>x", "real"),
        ("<svg><title/></svg><p>x", ""),
        ("<p>x", ""),
        ("<title>open", "open"),
    ],
)
def test_title(html: str, title: str) -> None:
    assert parse(html).title == title


@pytest.mark.parametrize(
    ("html", "contents"),
    [
        ("<script>a</b></script><script>c", ["a</b>", "c"]),
        ("<svg><script>a</b><script>b</SCRIPT >c", ["a</b>", "b"]),
        ("<table><tr><svg><script>a</i></svg></table><script>b", ["a</i></svg></table>", "b"]),
    ],
)
def test_content_ends_where_the_next_element_starts(html: str, contents: list[str]) -> None:
    page = parse(html)
    scripts = np.flatnonzero(page.nodes.tag == TAG["script"]).tolist()
    assert [page.content(node) for node in scripts] == contents


@pytest.mark.parametrize("inner", ["<iframe src=a />", "<iframe src=a>", "<style>a{}", "<title>b"])
def test_an_element_left_open_in_noscript_ends_with_it(inner: str) -> None:
    page = parse(f"<p>a</p><noscript>{inner}</noscript><p>b</p><iframe></iframe><p>c</p>")
    assert [text for text, seen in zip(page.texts(), page.seen, strict=True) if seen] == [
        "a",
        "b",
        "c",
    ]


def test_the_representation_of_a_page_is_short() -> None:
    page = parse("<p>word</p>" * 1_234, url="https://a.example/")
    assert repr(page) == "<Page at https://a.example/: 13,574 bytes, 1,236 elements, 1,234 blocks>"


def test_if_all_text_is_hidden_it_counts_as_visible() -> None:
    assert parse("<p hidden>a</p><p>b").seen.tolist() == [False, True]
    assert parse("<noscript><p>a</p><p>b</p></noscript>").seen.tolist() == [True, True]
    assert parse("<p><span aria-hidden=true>¶</span> a</p><p hidden>b").seen.tolist() == [
        True,
        False,
    ]


def test_marks_are_inherited_by_descendants() -> None:
    parent = np.array([-1, 0, 1, 2, 0, 4], dtype=np.int32)
    marked = np.array([False, True, False, False, False, False])
    assert or_above(marked, parent).tolist() == [False, True, True, True, False, False]


def test_the_examples() -> None:
    assert doctest.testmod(tokens).failed == 0


def test_no_reference_has_a_longer_name() -> None:
    assert max(len(name.removesuffix(";")) for name in html5) == tokens._LONGEST_NAME
    bare = (name for name in html5 if not name.endswith(";"))
    assert max(map(len, bare)) == tokens._LONGEST_BARE_NAME


def test_a_copy_of_a_page_has_its_tables_once() -> None:
    page = parse("<p>One<p>Two")
    size = len(pickle.dumps(page))
    assert len(page.nodes.tag) == 4
    assert len(pickle.dumps(page)) == size
    assert copy.deepcopy(page).texts() == ["One", "Two"]


def test_an_expression_that_is_compiled_late_can_be_copied() -> None:
    assert copy.copy(late_pattern("[a-c]+", 0)).findall("ab d c") == ["ab", "c"]
