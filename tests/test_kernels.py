"""Scanner, clues, survey, units, lines: native and in Python the same, and tables that keep their promises."""

import gzip
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bodytext import parse
from bodytext.kernel.class_names import TOPIC_WORDS
from bodytext.kernel.html import FLOOD_ROWS, TAG, TAG_FLAGS, TAGS, UNSEEN, Flag, Kind, NodeFlag
from bodytext.kernel.images import Picture
from bodytext.kernel.lines import Helpers, Leaf
from bodytext.kernel.network_shape import PAGE_TYPES
from bodytext.kernel.table_columns import NodeColumn, RunColumn
from bodytext.kernel.tokens import unescape
from bodytext.kernel.unit_rules import TRAITS
from bodytext.methods.learned.decision import RULE
from bodytext.methods.learned.features import block_names, read_features
from bodytext.page.encoding import decode
from bodytext.page.tables import BlockTable, NodeTable, Page, RunTable, or_above, tag_mask
from bodytext.page.urls import absolute
from bodytext.views.structure import Element
from bodytext.views.structure.containers import PageDetails
from bodytext.views.structure.formulas import split_delimited
from bodytext.views.structure.links import clean
from example_counts import some_of
from hostile_pages import KINDS
from kernel_twins import compiled, import_both, import_native, import_twin, with_elements

DATA = Path(os.environ.get("BODYTEXT_DATA", Path(__file__).parents[2] / "shared" / "data"))
ALL_PAGES = os.environ.get("BODYTEXT_ALL_PAGES") == "1"
QUICK_PAGES = 60

# Implied first, they take the offsets of their tag where it turns up
PLACED_LATER = (
    TAG["html"],
    TAG["body"],
)
RAW = frozenset(TAG[name] for name in ("textarea", "xmp", "plaintext"))
FOREIGN = (TAG["svg"], TAG["math"])
INHERITED = int(
    Flag.HEADER | Flag.NAV | Flag.MAIN | Flag.ARTICLE | Flag.ASIDE | Flag.FOOTER | Flag.FORM | Flag.BUTTON | Flag.SELECT
    | Flag.NOSCRIPT | Flag.TEMPLATE | Flag.PRE | Flag.FALLBACK
)  # fmt: skip
MARKUP = re.compile(rb"<(?:[A-Za-z!?]|/(?!\Z))")


SCANNERS = import_both("scanner")


def real_pages() -> list[Path]:
    paths = sorted(DATA.rglob("*.html.gz"))
    return paths if ALL_PAGES else paths[:: max(1, len(paths) // QUICK_PAGES)]


# Generated HTML

WORDS = [
    "a", "two words", " ", "\n\t", "\r\n", "\0", "é", "\xa0", "\u200b", "\xad", "\ufeff",
    "ไ\u200b", "港の灯台", "ไทย", "😀", "\U000f0000", "9",
    "-", "]", "Big", "word", "end.", "the end.", "thế", "хор", "Мир", "£5", "€5", "Mc", "all:", "<sup>2</sup>",
    "5<sup>6", "<b>5</b><sup>6",
]  # fmt: skip
REFERENCES = [
    "&", "&&", "&#", "&#x", "&#;", "&#9", "&#x41;", "&#X1F600", "&#0;", "&#x80;", "&#xD800;", "&#1114112;",
    "&#" + "9" * 50, "&amp;", "&shy;", "&amp", "&AMP", "&notit;", "&not", "&zz;", "&NotEqualTilde;", "&ngE", "&nbsp;",
    "&CounterClockwiseContourIntegral;", "&CounterClockwiseContourIntegralx;", "&Tab;", "&ZeroWidthSpace;",
    "&lt;p&gt;", "&a" + "b" * 40,
]  # fmt: skip
BROKEN = [
    "<", "<<", "< a", "</", "</>", "</ x>", "<!", "<!>", "<!x", "<!doctype html>", "<?", "<?php ?>", "<!--",
    "<!-->", "<!--->", "<!-- a -->", "<!-- a --!>", "<!--a--x>", "<!--!>", "<!----", "--!>", "-->", "<![CDATA[",
    "<![CDATA[a<b>&amp;]]>", "]]>", "<![cdata[a]]>", "<a", "<a ", '<a href="', "<a href='x", "<a href=", "<a/",
    "</a", "</a href='", "<a\0b>", "<p\x0c>", "<é>", "<script><!--<script></script>", "<script>", "</script",
    "</SCRIPT\n>", "<script><!-->", "<script><!--</script>", "<title>a&amp;", "</title>", "<textarea>\n<b>",
    "</textarea x>", "<xmp>&amp;<p>", "<plaintext>", "<iframe><p>", "<noscript>", "</noscript>", "<noframes>", "<style>a<b",
]  # fmt: skip
NAMES = [
    *TAGS[1:],
    "x-a",
    "X-A",
    "x-b",
    "blink",
    "n" * 63,
    "n" * 64,
    "n" * 65,
    "é".join("ab"),
    "p:a",
    "a\0",
]
COMMON = [
    "p", "div", "b", "i", "a", "span", "table", "table", "tr", "td", "ul", "li", "form", "button", "svg", "math",
    "template", "pre", "x-a",
]  # fmt: skip
SMALLEST = [
    b"",
    b" ",
    b"<",
    b"</",
    b"<!--",
    b"<a",
    b"<p>",
    b"a",
    b"\0",
    b"&",
    b"<html>",
    b"</body>",
]
ATTRIBUTES = [
    "", " ", "/", " /", " hidden", " HIDDEN=''", " href", " href=x", ' href="a>b"', " HREF = 'x' ", " a=b/", " =",
    " =a", " a==b", ' style="display:none"', " style=' DISPLAY :\tNone; x'", " style=x style=display:none",
    ' style="a:b;visibility:hidden"', " style=visibility:visible", ' style="xdisplay:none"',
    " style=display:nonesuch", " aria-hidden=true",
    ' aria-hidden="TRUE"', " aria-hidden=false", " a='\"'b", ' a="x"y="z"', "\na\n=\nb\n", " 港=灯",
    ' title="&quot;<p>"', " a/b/c", " 'a'", ' "', " class=sr-only", ' class="a visually-hidden"', " class='sr-only\tb'",
    " class='a sr-only b'", " class=' sr-only'", " CLASS=sr-onl", " class=xsr-only", " class=b class=sr-only",
    " class=lineno", " class='a headerlink'", " class='sr-only lineno'",
    " style='Clip : rect(0 0 0 0)'", " style='a:b;clip:rect(1px, 1px, 1px, 1px);'", " style='clip:rect(0,9px,9px,0)'",
    " style='clip-path:inset( 50% ); display:none'", " style='clip:rect(0,0,0,0'",
]  # fmt: skip

names = st.one_of(
    st.sampled_from(COMMON), st.sampled_from(NAMES), st.sampled_from(NAMES).map(str.upper)
)
attributes = st.lists(st.sampled_from(ATTRIBUTES), max_size=3).map("".join)
start_tags = st.builds("<{}{}>".format, names, attributes)
end_tags = st.builds(
    "</{}{}>".format, names, st.sampled_from(["", "", "", " ", " a=b", "/", ' a=">"'])
)
texts = st.one_of(st.sampled_from(WORDS), st.sampled_from(REFERENCES), st.text(max_size=6))
pieces = st.one_of(start_tags, end_tags, texts, st.sampled_from(BROKEN))
elements = st.recursive(
    pieces,
    lambda inner: st.builds(
        lambda name, attribute, content: f"<{name}{attribute}>{''.join(content)}</{name}>",
        names,
        attributes,
        st.lists(inner, max_size=5),
    ),
    max_leaves=20,
)
pages = st.lists(st.one_of(elements, pieces), max_size=25).map(
    lambda parts: "".join(parts).encode("utf-8", "replace")
)

surrogates = st.text().map(lambda text: text.encode("utf-8", "surrogatepass"))


def write_all(
    kernel: ModuleType, source: bytes, runs: RunTable, blocks: BlockTable
) -> tuple[bytes, list[list[int]]]:
    """Every text, with every sort of gap and both sorts of line break."""
    gaps = bytes(index % 4 for index in range(len(blocks.kind)))
    folded = bytes(index % 3 == 0 for index in range(len(blocks.kind)))
    columns, chosen = (runs.start, runs.end, runs.flags), (blocks.first_run, blocks.stop_run)
    buffer, spans = kernel.write_texts(source, columns, chosen, gaps, folded)
    return buffer, spans.tolist()


def assert_agreement(source: bytes) -> None:
    native, twin = import_native("scanner"), import_twin("scanner")
    tables, expected = native.scan(source), twin.scan(source)
    for name, table, other in zip(
        ("nodes", "runs", "blocks"), tables[:3], expected[:3], strict=True
    ):
        assert table.dtype == other.dtype, name
        np.testing.assert_array_equal(table, other, err_msg=name)
    assert tables[3] == expected[3]
    runs, blocks = RunTable(*expected[1]), BlockTable(*expected[2])
    assert write_all(native, source, runs, blocks) == write_all(twin, source, runs, blocks)


@pytest.mark.slow
@compiled
@given(pages)
@settings(max_examples=some_of(600), deadline=None)
@example(b"")
@example(b"<form><svg><form></svg></form><form>a")
@example(b"a" * 100 + b"</")
@example(b"<p>a<table>b<div>c<tr>d<td>e<table>f<b>g</b></table>h</table>i</table>j")
@example(b"<table><svg><template>a<desc>b</svg><col>c<math>d<dd>e</table>f")
@example(b"<p>&a\0mp; &#6\x005; <svg>&am\0p;")
def test_kernels_agree_on_generated_html(source: bytes) -> None:
    assert_agreement(source)


@pytest.mark.slow
@compiled
@given(st.text().map(lambda text: text.encode("utf-8", "replace")))
@settings(max_examples=some_of(500), deadline=None)
def test_kernels_agree_on_any_text(source: bytes) -> None:
    assert_agreement(source)


@pytest.mark.slow
@compiled
@given(st.text(alphabet="<>/!-&#;x[]='\" \nab\0é", max_size=60).map(str.encode))
@settings(max_examples=some_of(1500), deadline=None)
def test_kernels_agree_on_broken_markup(source: bytes) -> None:
    assert_agreement(source)


@pytest.mark.slow
@compiled
@given(st.text(alphabet="ab9 \n-&;é港\0\x1c\x7f", min_size=40, max_size=200).map(str.encode))
@settings(max_examples=some_of(300), deadline=None)
def test_kernels_agree_on_long_text(source: bytes) -> None:
    assert_agreement(source)


@compiled
@pytest.mark.parametrize("markup", [b"<a>", b"a<p>", b"a</>", b"a<!>", b"<svg><![CDATA[a]]>a"])
def test_kernels_agree_on_pages_of_markup_alone(markup: bytes) -> None:
    assert_agreement(markup * 500)


FLOOD_PIECES = [
    b"a", b"b c ", b"a text of more than a few letters ", b"<p>", b"</p>", b"<li>", b"<b>", b"</b>", b"<br>",
    b"<div>", b"</div>", b"<div hidden>", b"<pre>\n", b"</pre>", b"<table>", b"<table>", b"</table>", b"<tr>",
    b"<td>x", b"</td>", b"<svg>", b"</svg>", b"<a href=#>", b"</a>", b"<h1>", b"<select><option>o", b"</select>",
    b"<script>1</script>", b"<nav>", b"</nav>", b"<p><table>y<tr>",
]  # fmt: skip


def make_flood(seed: int) -> bytes:
    """A page that is a flood from its middle on, and no longer at its end."""
    chance = Random(seed)
    flood = b"".join(chance.choices(FLOOD_PIECES, k=6_000))
    return b"<b>a" * (FLOOD_ROWS // 2 + 10) + flood + b"words of an end " * 4_000 + flood[:4_000]


@compiled
@pytest.mark.parametrize("seed", range(3))
def test_kernels_agree_on_floods(seed: int) -> None:
    assert_agreement(make_flood(seed))


@compiled
def test_kernels_agree_on_a_flood_before_the_first_text() -> None:
    assert_agreement(b"<b>" * (FLOOD_ROWS + 10) + b"a<p>b<p>c")


@pytest.mark.parametrize("kernel", SCANNERS)
@pytest.mark.parametrize("seed", range(3))
def test_tables_of_floods_keep_their_promises(kernel: ModuleType, seed: int) -> None:
    assert_promises(kernel, make_flood(seed))


@pytest.mark.parametrize("kernel", SCANNERS)
def test_the_pieces_of_a_flood_are_lines(kernel: ModuleType) -> None:
    source = b"<p>a" * FLOOD_ROWS + b"<p>the end"
    nodes, runs, blocks, tags = kernel.scan(source)
    assert tags == FLOOD_ROWS + 1 == len(runs[0])
    assert len(nodes[0]) < FLOOD_ROWS // 2 + 10
    text, _ = write_all(kernel, source, RunTable(*runs), BlockTable(*blocks))
    assert text.endswith(b"a\na\na\nthe end")


@pytest.mark.parametrize("kernel", SCANNERS)
def test_an_article_in_a_flood_keeps_its_paragraphs(kernel: ModuleType) -> None:
    source = b"<b>" * FLOOD_ROWS + b"<p>The ships came in before the night.</p>" * 3
    _, runs, blocks, _ = kernel.scan(source)
    assert len(runs[0]) == len(blocks[0]) == 3


@pytest.mark.slow
@compiled
@given(
    st.one_of(
        st.binary(), st.text().map(lambda text: text.encode("utf-8", "surrogatepass")), pages
    ),
    st.integers(0, 300),
    st.binary(max_size=3),
)
@settings(max_examples=some_of(500), deadline=None)
def test_sequences_are_counted_alike(start: bytes, between: int, end: bytes) -> None:
    data = start + b"a" * between + end
    assert import_native("scanner").count_sequences(data) == import_twin("scanner").count_sequences(
        data
    )


@compiled
@given(st.binary(), st.integers(-2, 300))
@example(bytes(range(256)), 256)
def test_controls_are_counted_alike(data: bytes, most: int) -> None:
    counted = import_native("scanner").count_controls(data, most)
    assert counted == import_twin("scanner").count_controls(data, most)


@pytest.mark.slow
@compiled
@pytest.mark.skipif(not real_pages(), reason=f"there are no real pages in {DATA}")
def test_kernels_agree_on_real_pages() -> None:
    for path in real_pages():
        source = decode(gzip.decompress(path.read_bytes())).source
        try:
            assert_agreement(source)
        except AssertionError as error:
            raise AssertionError(f"{path.name}: {error}") from error


# What the tables promise


def assert_node_promises(source: bytes, nodes: NodeTable, runs: int) -> None:
    assert nodes.parent[0] == -1
    assert nodes.first_run[0] == 0
    assert nodes.stop_run[0] == runs
    parent = nodes.parent[1:]
    assert (parent < np.arange(1, len(nodes.tag))).all()
    assert (parent >= 0).all()
    assert (nodes.first_run[parent] <= nodes.first_run[1:]).all()
    assert (nodes.first_run <= nodes.stop_run).all()
    assert (nodes.stop_run[1:] <= nodes.stop_run[parent]).all()
    assert (np.diff(nodes.first_run) >= 0).all()
    assert ((nodes.tag >= 0) & (nodes.tag < len(TAGS))).all()
    assert not (nodes.flags & ~int(NodeFlag(0b1111111))).any()
    placed = ~np.isin(nodes.tag, PLACED_LATER)
    steps = np.diff(nodes.start[placed])
    assert (steps != 0).all()
    # only what a table cannot hold comes from further down: it is before that table
    assert (nodes.tag[placed][1:][steps < 0] == TAG["table"]).all()
    for start, end in zip(nodes.start.tolist(), nodes.end.tolist(), strict=True):
        assert 0 <= start <= end <= len(source)
        assert start == end or (source[start] == ord("<") and source[end - 1] == ord(">"))


def assert_siblings_apart(nodes: NodeTable) -> None:
    """Of two nodes with one parent the later one begins after the earlier one has ended."""
    stop_of_last_child: dict[int, int] = {}
    columns = (nodes.parent.tolist(), nodes.first_run.tolist(), nodes.stop_run.tolist())
    for parent, first, stop in zip(*columns, strict=True):
        assert stop_of_last_child.get(parent, 0) <= first
        stop_of_last_child[parent] = stop


def assert_run_promises(source: bytes, nodes: NodeTable, runs: RunTable) -> None:
    assert (runs.start < runs.end).all()
    in_table = or_above(nodes.tag == TAG["table"], nodes.parent)[runs.node]
    assert ((runs.end[:-1] <= runs.start[1:]) | in_table[1:]).all()
    in_order = np.argsort(runs.start)
    assert (runs.end[in_order][:-1] <= runs.start[in_order][1:]).all()
    assert (runs.end <= len(source)).all()
    number = np.arange(len(runs.node))
    assert (nodes.first_run[runs.node] <= number).all()
    assert (number < nodes.stop_run[runs.node]).all()
    assert (runs.tags >= 0).all()
    assert (runs.chars <= runs.bytes).all()
    assert (runs.words <= runs.chars).all()
    assert ((runs.chars > 0) | (runs.flags & int(Flag.PRE) > 0)).all()
    assert not (runs.flags & int(Flag.SILENT)).any()
    assert (
        (runs.flags & int(Flag.FOREIGN) == 0) | (runs.flags & int(Flag.SVG | Flag.MATH) > 0)
    ).all()
    for start, end, node in zip(
        runs.start.tolist(), runs.end.tolist(), runs.node.tolist(), strict=True
    ):
        if nodes.tag[node] not in RAW and not source.endswith(b"<![CDATA[", 0, start):
            assert not MARKUP.search(source[start:end] + (b"" if end == len(source) else b"<")), (
                source[start:end]
            )


def assert_inherited_flags(nodes: NodeTable, runs: RunTable) -> None:
    """Outside of SVG and MathML a run's flags are those of the elements around it."""
    if np.isin(nodes.tag, FOREIGN).any():
        return
    around: list[int] = []
    hidden: list[int] = []
    concealed = int(NodeFlag.HIDDEN | NodeFlag.SPOKEN)
    if (nodes.flags & int(NodeFlag.UNVEILED)).any():
        return
    for tag, parent, flags in zip(
        nodes.tag.tolist(), nodes.parent.tolist(), nodes.flags.tolist(), strict=True
    ):
        around.append((TAG_FLAGS[tag] & INHERITED) | (around[parent] if parent >= 0 else 0))
        own = flags & concealed if tag != TAG["body"] else 0
        hidden.append(own | (hidden[parent] if parent >= 0 else 0))
    columns = (runs.node.tolist(), runs.flags.tolist(), runs.words.tolist())
    for node, flags, words in zip(*columns, strict=True):
        assert flags & INHERITED == around[node]
        assert bool(flags & int(Flag.HIDDEN)) == bool(hidden[node] & int(NodeFlag.HIDDEN))
        assert bool(flags & int(Flag.SPOKEN)) == bool(words and hidden[node] & int(NodeFlag.SPOKEN))


def assert_block_promises(nodes: NodeTable, runs: RunTable, blocks: BlockTable) -> None:
    assert (blocks.first_run < blocks.stop_run).all()
    assert blocks.first_run.tolist() == [0, *blocks.stop_run.tolist()][: len(blocks.first_run)]
    assert (blocks.stop_run[-1] if len(blocks.stop_run) else 0) == len(runs.start)
    assert set(blocks.kind.tolist()) <= {int(kind) for kind in Kind}
    assert not (runs.flags[blocks.first_run] & int(Flag.LINE)).any()
    assert (nodes.first_run[blocks.node] <= blocks.first_run).all()
    assert (blocks.first_run < nodes.stop_run[blocks.node]).all()


def assert_text_promises(
    kernel: ModuleType, source: bytes, runs: RunTable, blocks: BlockTable
) -> None:
    buffer, (starts, ends) = write_all(kernel, source, runs, blocks)
    last = 0
    preformatted = (runs.flags[blocks.first_run] & int(Flag.PRE)).tolist()
    for start, end, verbatim in zip(starts, ends, preformatted, strict=True):
        assert last <= start <= end
        text = buffer[start:end].decode()
        assert "\0" not in text
        assert text == text.rstrip()
        assert verbatim or text == "\n".join(
            " ".join(line.split()) for line in text.split("\n") if line
        )
        last = end
    assert last == len(buffer)


def assert_promises(kernel: ModuleType, source: bytes) -> None:
    node_table, run_table, block_table, tags = kernel.scan(source)
    nodes, runs, blocks = NodeTable(*node_table), RunTable(*run_table), BlockTable(*block_table)
    assert_node_promises(source, nodes, len(runs.start))
    assert_siblings_apart(nodes)
    assert_run_promises(source, nodes, runs)
    assert_inherited_flags(nodes, runs)
    assert_block_promises(nodes, runs, blocks)
    assert_text_promises(kernel, source, runs, blocks)
    assert runs.tags.sum() <= tags
    assert np.count_nonzero(nodes.start < nodes.end) <= tags


@pytest.mark.slow
@pytest.mark.parametrize("kernel", SCANNERS)
@given(source=pages)
@settings(max_examples=some_of(300), deadline=None)
def test_tables_keep_their_promises(kernel: ModuleType, source: bytes) -> None:
    assert_promises(kernel, source)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", SCANNERS)
@pytest.mark.skipif(not real_pages(), reason=f"there are no real pages in {DATA}")
def test_tables_of_real_pages_keep_their_promises(kernel: ModuleType) -> None:
    for path in real_pages()[:: 1 if ALL_PAGES else 4]:
        assert_promises(kernel, decode(gzip.decompress(path.read_bytes())).source)


@pytest.mark.parametrize("kernel", SCANNERS)
@pytest.mark.parametrize("source", SMALLEST)
def test_smallest_pages(kernel: ModuleType, source: bytes) -> None:
    assert_promises(kernel, source)


# What the features are counted from

CLUES = [
    ' class="post-body item2"', " class='adSlot'", " ID=mainContent", " role = navigation ", " itemprop=articleBody",
    ' class="" class="late"', " class", " class=a/b>", ' itemtype="http://schema.org/Product"', " id='never closed",
]  # fmt: skip
CLUE_TEXTS = [
    "Soft red cotton.", "Soft red cotton, 9 $", "a b c d a b c d", "É Ж Ω", "٣؟", "你好。", "😀", "&amp;b", "&nbsp;",
    "|»",
    '<meta name="description" content="Soft red cotton">', "<title>Soft red cotton</title>", "<h1>Soft</h1>",
    '<script type="application/ld+json">{"@type":"Product","name":"a b c d \U0001f600"}</script>', "&#8230;",
]  # fmt: skip
clue_pages = st.lists(
    st.one_of(
        st.builds(
            "<{}{}>".format,
            st.sampled_from(COMMON),
            st.lists(st.sampled_from(CLUES), max_size=2).map("".join),
        ),
        st.sampled_from(CLUE_TEXTS),
        pieces,
    ),
    max_size=40,
).map(lambda parts: "".join(parts).encode("utf-8", "replace"))


def assert_same_survey(page: Page, known: tuple[bytes, bytes, bytes]) -> None:
    nodes = page.nodes[:6]
    native, twin = import_native("clues"), import_twin("clues")
    names = native.read_names(page.source, nodes)
    assert [str(column.dtype) for column in names] == ["uint64", "uint64", "uint32", "int32"]
    for column, other in zip(names, twin.read_names(page.source, nodes), strict=True):
        np.testing.assert_array_equal(column, other)
    shapes = native.read_shapes(page.source, page.runs.start, page.runs.end, known)
    expected = twin.read_shapes(page.source, page.runs.start, page.runs.end, known)
    assert shapes.dtype == expected.dtype
    np.testing.assert_array_equal(shapes, expected)
    tables = (page.source, unit_tables(page), known, [0.5, 2])
    first, second = import_native("survey").Survey(*tables), import_twin("survey").Survey(*tables)
    assert first.count == second.count == len(page)
    np.testing.assert_array_equal(first.groups, second.groups)
    np.testing.assert_array_equal(first.around, second.around)
    np.testing.assert_array_equal(first.topics, second.topics)
    np.testing.assert_array_equal(first.words, second.words)
    assert first.page.shape == second.page.shape
    np.testing.assert_allclose(first.page, second.page, rtol=1e-5, atol=1e-6)
    for start, stop in (
        (0, len(page)),
        (len(page) // 3, len(page) // 2),
        (len(page) - 1, len(page) + 9),
        (3, 1),
    ):
        ours, theirs = first.rows(start, stop), second.rows(start, stop)
        assert ours.dtype == theirs.dtype == np.float32
        assert ours.shape == theirs.shape
        wrong = ~np.isclose(ours, theirs, rtol=1e-5, atol=1e-6).all(axis=0)
        assert not wrong.any(), [block_names()[column] for column in np.flatnonzero(wrong)]


@pytest.mark.slow
@compiled
@given(clue_pages, st.sampled_from(CLUE_TEXTS), st.integers(0, 9))
@settings(max_examples=some_of(400), deadline=None)
@example(b"", "", 0)
@example(b"<p>-", "", 0)
def test_surveys_agree_on_generated_html(source: bytes, text: str, cut: int) -> None:
    data = text.encode()[: -cut or None]  # characters may be cut
    assert_same_survey(parse(source), (data, data[1:], b"a b c " + data))


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_surveys_agree_on_hostile_pages(kind: str) -> None:
    assert_same_survey(
        parse(KINDS[kind].make(8000)), (b"some words", b"short paragraph", b"the fog came in")
    )


@compiled
def test_surveys_agree_on_a_block_with_all_topics() -> None:
    words = [line.split()[0].replace("|", "-") for line in TOPIC_WORDS.values()]
    tags = "".join(f'<div class="{" ".join(words[at : at + 16])}">' for at in range(0, 64, 16))
    page = parse(f"{tags}<p>It rained.</p></div></div></div></div><p class=nav>Up".encode())
    near = import_native("clues").read_names(page.source, page.nodes[:6])[0]
    assert near.max() == 2**64 - 1
    assert_same_survey(page, (b"", b"", b""))


@compiled
@given(st.text("abzABZ019-_ \0é", max_size=40), st.integers(0, 530))
@settings(deadline=None)
def test_names_agree_on_capitals_and_digits(name: str, size: int) -> None:
    value = (name * 40)[:size]
    page = parse(f"<p class='{value}'>It rained.<p id='{name}'>It rained.".encode())
    assert_same_survey(page, (b"", b"", b""))


@compiled
def test_surveys_agree_on_labelled_pages() -> None:
    paths = sorted((Path(__file__).parents[1] / "labelled" / "html").glob("*.html*"))
    assert paths
    for path in paths[::6]:
        data = path.read_bytes()
        page = parse(gzip.decompress(data) if path.suffix == ".gz" else data)
        assert_same_survey(page, (page.title.encode(), page.source[:2000], page.source[2000:9000]))


@compiled
@given(clue_pages)
@settings(max_examples=some_of(100), deadline=None)
def test_tags_are_found_alike(source: bytes) -> None:
    assert_same_tags(parse(source))


def assert_same_tags(page: Page) -> None:
    native, twin = import_native("clues"), import_twin("clues")
    for tags, words in (
        ((TAG["meta"],), (b"escription", b"zzz")),
        ((TAG["div"], TAG["a"]), (b"class", b"ID=", b"href", b"id=")),
        ((TAG["p"], 0), (b"<p>", b"<p c", b"<x-")),
        ((), (b"<p>",)),
    ):
        for most in (0, 1, 3, 64):
            found = native.find_tags(page.source, page.tables[0], tags, words, most)
            assert found == twin.find_tags(page.source, page.nodes, tags, words, most)


@compiled
@pytest.mark.parametrize("table", [0, 1, 2])
def test_tables_that_do_not_fit_are_refused(table: int) -> None:
    """The native survey follows the numbers in the tables: wrong ones must not lead it out of them."""
    page = parse("<div><p>One<p>Two <b>three</b></div>")
    told = (b"", b"", b"")
    wrong = [column[:1] for column in unit_tables(page)[table]]
    for columns in (wrong, [column + 1000 for column in unit_tables(page)[table]]):
        tables = unit_tables(page)
        tables[table] = columns
        with pytest.raises(ValueError, match="fit"):
            import_native("survey").Survey(page.source, tables, told)
    with pytest.raises(ValueError, match="fit"):
        import_native("survey").Survey(page.source[:9], unit_tables(page), told)


def test_the_plain_survey_serves_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    page = parse(
        "<title>One</title><div class=post><p>One two.<p>Three</div>",
        url="https://example.org/news/a",
    )
    expected = read_features(page)
    twins = {"read_address": "head", "read_head": "head", "Survey": "survey"}
    for name, module in twins.items():
        monkeypatch.setattr(
            f"bodytext.methods.learned.features.{name}", getattr(import_twin(module), name)
        )
    found = read_features(page)
    np.testing.assert_allclose(found.blocks, expected.blocks, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.page, expected.page, rtol=1e-5, atol=1e-6)


@compiled
@given(st.lists(st.floats(-9, 9), max_size=9), st.integers(0, 2**32 - 1))
def test_both_estimate_the_same_f1(measures: list[float], seed: int) -> None:
    curve = np.random.default_rng(seed).normal(0, 4, 1 + 2 * len(measures)).tolist()
    native, twin = import_native("units"), import_twin("units")
    assert native.estimate_f1(curve, measures) == twin.estimate_f1(curve, measures)
    with pytest.raises(IndexError):
        native.estimate_f1(curve[1:], measures)


# Blocks that belong together

UNIT_PIECES = [
    "<p>The ferry left at dawn with nine passengers and a crate of eels.", "<p>Here they are:", "<p>Of these:&nbsp;",
    "<p>港：", "<p>:\u00a0 ", "<p>&nbsp;", "<p>a;", "<p>bash", "<p><a href=x>How the eels came back</a>",
    "<h1>Eels", "<h2>Of the bay", "<h2><div><h3>Twice</h3></div></h2>", "</h2>", "<pre>sail()</pre>",
    "<button>Copy</button>", "<table>", "<caption>Times", "<tr>", "<td>One", "<th>Two <p>Three", "</table>", "<ul>", "<li>Cod",
    "<li><p>Cod<p>Eel", "</ul>", "<dl><dt>Eel<dd>A fish", "</dl>", "<blockquote><p>No land.<p>No light.", "</blockquote>",
    "<table><tr><td>One<tr><td>Two</table>", "<table><tr><td>One<td>Two<tr><td>Three<td>Four</table>",
    "<p>Far:" + "&nbsp;" * 12,
    "<details><summary>Ice?</summary>", "</details>", "<svg><dir>a</dir></svg>", "<div>", "</div>",
    "<label>Port", "</label>", "<dialog>Buy", "</dialog>", "<h2><button>Ask</button></h2>",
    "<table>" + "<tr><td>A long name of a ferry<td>9<td>8" * 4 + "</table>",
    "<template>Tide", "</template>", "<h3><a href=/eel>Eel</a></h3>",
]  # fmt: skip
unit_pages = st.lists(st.sampled_from(UNIT_PIECES), max_size=40).map(
    lambda parts: "".join(parts).encode()
)


def unit_tables(page: Page) -> list[Sequence[npt.NDArray[np.int32]]]:
    return [page.nodes, page.runs, page.blocks]


def assert_settled_alike(page: Page, seed: int) -> None:
    random = np.random.default_rng(seed)
    words = page.per_block(page.runs.words).astype(np.float32)
    topics = np.where(random.random(len(page.nodes.tag)) < 0.1, ~np.uint64(0), np.uint64(0))
    scores = random.choice([0, 0.1, 0.3, 0.5, 0.7, 0.9, 1], len(page)).astype(np.float32)
    for page_type in TRAITS:
        ours, theirs = scores.copy(), scores.copy()
        for kernel, values in ((import_native("units"), ours), (import_twin("units"), theirs)):
            given_values = (values, words, topics)
            kernel.settle_scores(page.source, unit_tables(page), given_values, page_type, 0.5)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
    if not len(page):
        return
    logits = random.normal(0, 4, len(page)).astype(np.float32)
    for page_type in ("article", "forum", "documentation"):
        types = np.array([name == page_type for name in PAGE_TYPES], np.float32) / 2
        ours, theirs = (
            kernel.decide_page(
                page.source, unit_tables(page), (logits, words, topics), types, (RULE, 0.5)
            )
            for kernel in (import_native("units"), import_twin("units"))
        )
        np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-5)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=0, atol=1e-5)
        assert ours[2] == theirs[2]
        assert ours[3] == pytest.approx(theirs[3], rel=1e-4, abs=1e-4)


@compiled
@given(st.one_of(unit_pages, pages), st.integers(0, 2**32 - 1))
@settings(max_examples=some_of(300), deadline=None)
@example(b"", 0)
@example(b"<p>a:<pre>b", 1)
def test_scores_are_settled_alike(source: bytes, seed: int) -> None:
    assert_settled_alike(parse(source), seed)


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_hostile_pages_are_settled_alike(kind: str) -> None:
    assert_settled_alike(parse(KINDS[kind].make(8000)), 1)


@compiled
@pytest.mark.parametrize("table", [0, 1, 2])
@pytest.mark.parametrize("change", [1000, -1000])
def test_scores_of_tables_that_do_not_fit_are_left_alone(table: int, change: int) -> None:
    page = parse("<table><tr><td>One<td>Two</table><h2>Three</h2><p>Four:<p>Five")
    words, topics = np.ones(len(page), np.float32), np.zeros(len(page.nodes.tag), np.uint64)
    types = np.zeros(len(PAGE_TYPES), np.float32)
    wrong = [tuple(column[:-1] for column in unit_tables(page)[table])]
    wrong.append(tuple(column + change for column in unit_tables(page)[table]))
    for columns in wrong:
        scores = np.full(len(page), 0.7, np.float32)
        tables = unit_tables(page)
        tables[table] = columns
        with pytest.raises(ValueError, match="fit"):
            import_native("units").settle_scores(
                page.source, tables, (scores, words, topics), "article", 0.5
            )
        with pytest.raises(ValueError, match="fit"):
            import_native("units").decide_page(
                page.source, tables, (scores, words, topics), types, (RULE, 0.5)
            )
        assert set(scores.tolist()) == {scores[0]}


# Lines

LINE_PIECES = [
    "<p>", "<b>", "</b>", "<i>", "</i>", "<code>", "</code>", "<sup>2</sup>", "<a href='https://a.example/b.c?d#e'>",
    "<a href='../x y'>", "<a href='/r?s&t'>",
    "<a href='#n1'>", "<a href=''>", "<a>", "</a>", "fog", " ice ", "caf\u00e9", "\u6e2f", "&amp;", "<br>",
    "\\(x\\)", "$$y$$", "$", "<i hidden>no</i>", "<span class=sr-only>spoken</span>", "<pre>a\n <b>b</b>\n", "</pre>", "<li>",
    "<h2>", "<td>", "<img src=a.png>", "<hr>", "<b><i><s><mark><sub><var><tt>", " ", "\n",
]  # fmt: skip
line_pages = st.lists(st.sampled_from(LINE_PIECES), max_size=40).map(
    lambda parts: "".join(parts).encode()
)


class SomeAddresses:
    """Addresses of links, made without a base."""

    root = "https://b.example"

    def resolve(self, value: str) -> str:
        if value.startswith(("#", "https://")):
            return value
        return self.root + value if value.startswith("/") else value.replace(" ", "%20")


def make_leaves(page: Page, blocks: int, random: Random) -> list[Leaf]:
    """Leaves anywhere, in lines and between them, some of them in place of some text."""
    leaves = []
    for node in range(len(page.nodes.tag)):
        run, owner = random.randrange(len(page.runs.start) + 2), random.randrange(-1, blocks + 1)
        stop = random.choice([0, run, run, run + 1, run + 3])
        name = random.choice(["img", "img", "hr", "math"])
        leaves.append(Leaf(run, stop, node, owner, Element(name)))
    chosen = [leaf for leaf in leaves if random.random() < 0.2]
    return sorted(chosen, key=lambda leaf: (leaf.run, leaf.node))


def add_some_lines(import_kernel: Callable[[str], ModuleType], page: Page, seed: int) -> Element:
    random = Random(seed)
    kept = [number for number in range(len(page)) if random.random() < 0.8]
    leaves = make_leaves(page, len(kept), random) if random.random() < 0.7 else []
    containers = import_kernel("elements").Containers(
        page.source, page.nodes, Element, PageDetails(page)
    )
    helpers = Helpers(Element, SomeAddresses(), split_delimited)
    import_kernel("lines").add_lines(
        containers, (page.source, page.tables), np.array(kept, np.intp), leaves, helpers
    )
    body: Element = containers.finish()
    return body


def assert_read_alike(page: Page, seed: int) -> None:
    ours, theirs = (add_some_lines(kernel, page, seed) for kernel in (import_native, import_twin))
    assert ours == theirs


@with_elements
@given(st.one_of(line_pages, pages), st.integers(0, 2**32 - 1))
@settings(max_examples=some_of(300), deadline=None)
@example(b"", 0)
def test_lines_are_read_alike(source: bytes, seed: int) -> None:
    assert_read_alike(parse(source), seed)


@with_elements
@pytest.mark.parametrize("kind", KINDS)
def test_lines_of_hostile_pages_are_read_alike(kind: str) -> None:
    assert_read_alike(parse(KINDS[kind].make(8000)), 1)


@with_elements
@pytest.mark.parametrize(
    ("table", "column"),
    [(0, NodeColumn.TAG), (0, NodeColumn.PARENT), (1, RunColumn.NODE), (2, 0), (2, 1), (2, 3)],
)
@pytest.mark.parametrize("change", [1000, -1000, None])
def test_lines_of_tables_that_do_not_fit_are_not_read(
    table: int, column: int, change: int | None
) -> None:
    page = parse("<p>One <b>two</b><p>Three <a href=x>four</a>")
    tables: list[list[Any]] = [[*page.nodes], [*page.runs], [*page.blocks]]
    wrong = tables[table][column]
    tables[table][column] = wrong[:-1] if change is None else wrong + change
    with pytest.raises(ValueError, match="fit"):
        add_native_lines(page, tables, [0, 1])


def add_native_lines(
    page: Page, tables: Sequence[Any], numbers: list[int], leaves: Sequence[Leaf] = ()
) -> None:
    containers = import_native("elements").Containers(
        page.source, page.nodes, Element, PageDetails(page)
    )
    helpers = Helpers(Element, SomeAddresses(), split_delimited)
    import_native("lines").add_lines(
        containers, (page.source, tables), np.array(numbers, np.intp), leaves, helpers
    )


@with_elements
def test_texts_longer_than_their_line_are_not_read() -> None:
    page = parse(f"<p>One<b>{' ' * 400}two</b>")
    runs = np.array(page.runs)
    runs[RunColumn.FLAGS, 1] |= int(Flag.PRE)  # the scanner begins a block there
    with pytest.raises(ValueError, match="fit"):
        add_native_lines(page, (page.nodes, runs, page.blocks), [0])


@with_elements
@pytest.mark.parametrize("numbers", [[-1], [2], [1, 0], [0, 0]])
def test_blocks_that_a_page_has_not_are_not_read(numbers: list[int]) -> None:
    page = parse("<p>One<p>Two")
    with pytest.raises(ValueError, match="fit"):
        add_native_lines(page, page.tables, numbers)


@with_elements
@pytest.mark.parametrize("node", [-1, 100])
def test_leaves_that_a_page_has_not_are_not_placed(node: int) -> None:
    page = parse("<p>One<p>Two")
    with pytest.raises(ValueError, match="fit"):
        add_native_lines(page, page.tables, [0], [Leaf(0, 0, node, -1, Element("img"))])


# Elements

CONTAINER_PIECES = [
    "<ul>", "</ul>", "<ol start=4>", "</ol>", "<li>", "<li value=7>", "</li>", "<menu>", "<dl>", "</dl>", "<dt>", "<dd>",
    "<table>", "</table>", "<caption>", "</caption>", "<thead>", "<tbody>", "<tr>", "</tr>", "<td>", "<td colspan=2>",
    "<th>", "<td class=gutter>", "</td>", "<blockquote>", "</blockquote>", "<figure>", "</figure>", "<figcaption>",
    "</figcaption>", "<pre class=lang-c>", "</pre>", "<textarea>", "</textarea>", "<h2>", "</h2>", "<p>", "<div>", "</div>",
    "fog", "1", "<b>ice</b>", "<hr>", "<img src=a>",
]  # fmt: skip
container_pages = st.lists(st.sampled_from(CONTAINER_PIECES), max_size=60).map(
    lambda parts: "".join(parts).encode()
)


def fill_containers(kernel: ModuleType, page: Page, seed: int) -> tuple[object, ...]:
    """The structure of a page with a line of some kind for each block, and leaves anywhere between."""
    random, nodes = Random(seed), range(len(page.nodes.tag))
    strong = Element("strong", ["ice"])
    kinds = [("fog",), ("fog",), (strong,), ("fog ", strong), [strong], "a  b"]
    containers = kernel.Containers(page.source, page.nodes, Element, PageDetails(page))
    answers: list[object] = []
    for node in page.blocks.node.tolist():
        line = random.choice(kinds)
        if isinstance(line, str):
            containers.add_verbatim(node, line)
        else:
            containers.add_line(node, line)
        if random.random() < 0.3:
            answers.append(containers.add_leaf(random.choice(nodes), (Element("img"),)))
        if random.random() < 0.3:
            containers.add_rule(random.choice(nodes))
    body = containers.finish()
    items = [containers.item_nodes.get(id(element)) for element in body.walk()]
    return body, items, answers


@with_elements
@given(st.one_of(container_pages, pages), st.integers(0, 2**32 - 1))
@settings(max_examples=some_of(600), deadline=None)
@example(b"", 0)
def test_containers_are_filled_alike(source: bytes, seed: int) -> None:
    page = parse(source)
    ours, theirs = (
        fill_containers(kernel, page, seed)
        for kernel in (import_native("elements"), import_twin("elements"))
    )
    assert ours == theirs


@with_elements
@pytest.mark.parametrize("kind", KINDS)
def test_containers_of_hostile_pages_are_filled_alike(kind: str) -> None:
    page = parse(KINDS[kind].make(8000))
    ours, theirs = (
        fill_containers(kernel, page, 1)
        for kernel in (import_native("elements"), import_twin("elements"))
    )
    assert ours == theirs


@with_elements
@pytest.mark.parametrize("column", [NodeColumn.TAG, NodeColumn.PARENT])
@pytest.mark.parametrize("change", [1000, -1000, None])
def test_containers_of_tables_that_do_not_fit_are_not_made(column: int, change: int | None) -> None:
    page = parse("<ul><li value=2>One</ul>")
    nodes = [*page.nodes]
    nodes[column] = nodes[column][:-1] if change is None else nodes[column] + change
    with pytest.raises(ValueError, match="fit"):
        import_native("elements").Containers(page.source, nodes, Element, PageDetails(page))


@with_elements
def test_containers_read_nothing_outside_of_their_page() -> None:
    page = parse("<ul><li value=2>One</ul>")
    nodes = [*page.nodes]
    nodes[NodeColumn.END] = nodes[NodeColumn.END] + 1000
    containers = import_native("elements").Containers(
        page.source, nodes, Element, PageDetails(page)
    )
    for node in (-1, len(page.nodes.tag)):
        with pytest.raises(ValueError, match="fit"):
            containers.add_line(node, ("fog",))
    containers.add_line(len(page.nodes.tag) - 1, ("fog",))
    assert containers.finish() == Element("body", [Element("ul", [Element("li", ["fog"])])])


@pytest.mark.parametrize("kernel", import_both("elements"))
def test_what_is_tagged_has_a_tuple_and_a_mapping_that_cannot_be_written(
    kernel: ModuleType,
) -> None:
    attributes = {"href": "a"}
    tagged = kernel.Tagged("a", children=["b"], attributes=attributes)
    assert (tagged.name, tagged.children, tagged.attributes) == ("a", ("b",), attributes)
    with pytest.raises(TypeError):
        tagged.attributes["href"] = "c"
    bare = kernel.Tagged("br")
    assert (bare.children, bare.attributes) == ((), {})


# Lines of Markdown

MARKED_TEXTS = [
    "fog", " ", "a_b", "_a", "a_", "__", "*", "[", "]", "`", "``", "\\", "\\*", "a\\b", "<", "<b", "< b", "&amp;", "&#38;", "& b",
    "&" + "x" * 41 + ";", "~", "~1", "~ ", "~a", "!", "caf\u00e9", "\u00e9_a", "_\u00e9", "&\u00e9;", "~\u0661", "~\u00a0",
    "\u6e2f", "\u201c", "\U0001f600", "\ud800", "\x00", "\x1c", "$", "(", ".", "\n", "<\n", "_\n", "~\n", "\\\n", "",
]  # fmt: skip
marked_texts = st.lists(st.sampled_from(MARKED_TEXTS), max_size=4).map("".join)
ADDRESSES = st.sampled_from(["https://a.example/b", "a(b)", "a&amp;b", "a&b", "", "\u00e9"])
MARK_NAMES = st.sampled_from(
    ["em", "strong", "del", "em", "strong", "code", "sub", "mark", "sup", "note", "p", "ul"]
)
LEAVES = (
    st.builds(lambda to, alt: Element("img", (), {"src": to, "alt": alt}), ADDRESSES, marked_texts)
    | st.builds(lambda text: Element("math", [text], {"display": "block"}), marked_texts)
    | st.just(Element("noteref", ["1"], {"name": "1"}))
    | st.just(Element("br"))
)
marked_pieces = st.recursive(
    marked_texts | LEAVES,
    lambda inner: (
        st.builds(Element, MARK_NAMES, st.lists(inner, max_size=3))
        | st.builds(
            lambda pieces, to: Element("a", pieces, {"href": to}),
            st.lists(inner, max_size=3),
            ADDRESSES,
        )
    ),
    max_leaves=8,
)


def refer(name: str, text: str, address: str) -> str:
    return f"{text}[{name} {len(address)}]"


@with_elements
@given(st.lists(marked_pieces, max_size=6), st.sampled_from([None, refer]))
@settings(max_examples=some_of(2000), deadline=None)
@example([Element("em", ["a"]), "\ud800"], None)
@example(["a!", "", Element("a", ["b"], {"href": "c"})], None)
def test_lines_of_markdown_are_written_alike(pieces: list[Element | str], write_link: Any) -> None:
    ours, theirs = (
        kernel.MarkdownLines("<br>", write_link)
        for kernel in (import_native("markdown_lines"), import_twin("markdown_lines"))
    )
    for _ in range(2):  # nothing stays of the line before
        assert ours.write(pieces) == theirs.write(pieces)


BLOCK_TEXTS = st.sampled_from(
    ["fog", "", "\n", "a\n\n\nb", "\n\n", "a\n", "# a", "#", "a#", "- a", "---", "--- b", "1. a", "12) a\n3) b", "> a", "=="]
)  # fmt: skip
LIST_ATTRIBUTES = st.sampled_from(
    [{}, {}, {}, {"start": "9"}, {"start": "-1"}, {"type": "a"}, {"value": "3"}]
)
BLOCK_NAMES = st.sampled_from(
    ["p", "h1", "h6", "ul", "ol", "li", "li", "pre", "blockquote", "em", "table"]
)
marked_blocks = st.recursive(
    BLOCK_TEXTS | marked_pieces,
    lambda inner: st.builds(Element, BLOCK_NAMES, st.lists(inner, max_size=4), LIST_ATTRIBUTES),
    max_leaves=20,
)


@with_elements
@given(st.lists(marked_blocks, max_size=6), st.sampled_from([None, refer]))
@settings(max_examples=some_of(2000), deadline=None)
@example([Element("ul", [Element("li", ["", Element("p", ["a\n\n\n"])])])], None)
@example([Element("p"), Element("p", ["a"]), Element("h2"), Element("ul"), Element("ul")], None)
def test_blocks_of_markdown_are_written_alike(pieces: list[Element | str], write_link: Any) -> None:
    def write(module: Any) -> tuple[str, list[str]]:
        asked = []

        def write_other(element: Element) -> str:  # which may ask the same writer for more
            asked.append(element.name)
            return "" if element.name == "pre" else lines.write_blocks(element.children, str)

        lines = module.MarkdownLines(write_link=write_link)
        return lines.write_blocks(pieces, write_other) + lines.write(["end"]), asked

    assert write(import_native("markdown_lines")) == write(import_twin("markdown_lines"))


@with_elements
def test_lines_of_markdown_that_nest_without_end_are_an_error() -> None:
    piece = Element("em", ["a"])
    for _ in range(100_000):
        piece = Element("em", [piece])
    lines = import_native("markdown_lines").MarkdownLines()
    with pytest.raises(RecursionError):
        lines.write([piece])
    for _ in range(100_000):
        piece = Element("ul", [Element("li", [piece])])
    with pytest.raises(RecursionError):
        lines.write_blocks([piece], str)
    assert lines.write(["a", "b"]) == "ab"
    with pytest.raises(TypeError):
        lines.write([b"a"])


# Media

MEDIA_PIECES = [
    "<img src=a>", "<video>", "</video>", "<object>", "</object>", "<blockquote>", "</blockquote>", "<x-y>",
    "<amp-img>", "<Lite-Youtube x=y>", "<amp-tik\u212aok>", "<amp-", "<amp-imgs>",
    "<figure>",
    "</figure>", "<figcaption>", "</figcaption>", "<noscript>", "</noscript>", "<template>", "</template>", "<aside>",
    "</aside>", "<nav>", "<div hidden>", "<div>", "</div>", "<p>", "fog", "a few words of text ", "<a href=x>a link</a>",
    "one two three " * 25, "x" * 11_000, "<hr>", "<math>", "<script></script>", "<svg>", "</svg>", "<b>",
]  # fmt: skip
media_pages = st.lists(st.sampled_from(MEDIA_PIECES), max_size=40).map(
    lambda parts: "".join(parts).encode()
)


def assert_placed_alike(page: Page, seed: int) -> None:
    random = np.random.default_rng(seed)
    kept = np.flatnonzero(random.random(len(page)) < 0.6)
    blocks = (page.blocks.first_run[kept], page.blocks.stop_run[kept])
    runs = len(page.runs.start)
    interval = (int(blocks[0][0]), int(blocks[1][-1])) if len(kept) else (0, runs)
    for chosen in (blocks, None):
        ours, theirs = (
            kernel.place_media(page.source, (page.nodes, page.runs), interval, chosen)
            for kernel in (import_native("placement"), import_twin("placement"))
        )
        assert ours == theirs
    if len(kept):
        tables = (*blocks, page.blocks.node[kept])
        images = np.flatnonzero(random.random(len(page.nodes.tag)) < 0.3).tolist()
        ours, theirs = (
            kernel.place_leaves(page.nodes, tables, images)
            for kernel in (import_native("placement"), import_twin("placement"))
        )
        assert ours == theirs


@compiled
@given(st.one_of(media_pages, pages), st.integers(0, 2**32 - 1))
@settings(max_examples=some_of(300), deadline=None)
@example(b"", 0)
def test_media_are_placed_alike(source: bytes, seed: int) -> None:
    assert_placed_alike(parse(source), seed)


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_media_of_hostile_pages_are_placed_alike(kind: str) -> None:
    assert_placed_alike(parse(KINDS[kind].make(8000)), 1)


@compiled
@pytest.mark.parametrize(
    ("table", "column"),
    [
        (0, NodeColumn.TAG),
        (0, NodeColumn.PARENT),
        (0, NodeColumn.FIRST_RUN),
        (0, NodeColumn.STOP_RUN),
        (1, RunColumn.NODE),
        (2, 0),
        (2, 1),
    ],
)
@pytest.mark.parametrize("change", [1000, -1000, None])
def test_media_of_tables_that_do_not_fit_are_not_placed(
    table: int, column: int, change: int | None
) -> None:
    page = parse("<p>One <img src=a> two<p>Three")
    blocks = [page.blocks.first_run, page.blocks.stop_run]
    tables: list[list[Any]] = [[*page.nodes], [*page.runs], blocks]
    wrong = tables[table][column]
    tables[table][column] = wrong[:-1] if change is None else wrong + change
    nodes, runs, kept = tables
    interval = (0, len(page.runs.start))
    with pytest.raises(ValueError, match="fit"):
        import_native("placement").place_media(page.source, (nodes, runs), interval, kept)
    if table == 0 and column in (NodeColumn.TAG, NodeColumn.PARENT):
        with pytest.raises(ValueError, match="fit"):
            import_native("placement").place_leaves(
                nodes, (*kept, page.blocks.node), [len(page.nodes.tag) - 1]
            )


@compiled
@pytest.mark.parametrize("image", [-1, 1000])
def test_images_that_are_no_nodes_are_not_placed(image: int) -> None:
    page = parse("<p>One <img src=a> two<p>Three")
    kept = (page.blocks.first_run, page.blocks.stop_run, page.blocks.node)
    with pytest.raises(ValueError, match="fit"):
        import_native("placement").place_leaves(page.nodes, kept, [image])


@compiled
@pytest.mark.parametrize("interval", [(-1, 1), (0, 9), (2, 1)])
def test_media_of_no_interval_are_not_placed(interval: tuple[int, int]) -> None:
    page = parse("<p>One <img src=a> two<p>Three")
    tables = (page.nodes, page.runs)
    with pytest.raises(ValueError, match="fit"):
        import_native("placement").place_media(page.source, tables, interval, None)


NAME_PIECES = [
    "caption", "Captions", "image", "photo", "-", "_", " ", "\n", "\x1c", "text", "TITLE", "bu", "bus", "pie-de-foto", "ad",
    "ads", "advert", "Sponsored", "recommend", "9", ".", "related", "logo", "\u017f", "\u212a", "\xa0", "&#45;", "&amp;", "x" * 990,
]  # fmt: skip
class_names = st.lists(st.sampled_from(NAME_PIECES), max_size=6).map("".join)


@compiled
@given(st.lists(class_names, min_size=3, max_size=8), st.integers(0, 2**32 - 1))
@settings(max_examples=some_of(300), deadline=None)
@example(["advert9_x", "caption", "x"], 0)
@example(["advert.x ads", "image-text", "bu-"], 0)
@example(["x" * 998 + " ad", "x" * 997 + " ad", "legend"], 0)
def test_media_are_placed_alike_by_the_names_around_them(names: list[str], seed: int) -> None:
    boxes = [
        f'<div class="{name}"><img src=a><p CLASS="{name}">One <blockquote>two</div><p>Words of text.'
        for name in names
    ]
    assert_placed_alike(parse("<p>Some words of text.<div>".join(boxes)), seed)
    for name in names:
        page = parse(f'<p>One<div><div class="{name}"><img src=a></div><p class="{name}">two</div>')
        kept = (page.blocks.first_run[:1], page.blocks.stop_run[:1])
        for chosen in (kept, None):
            ours, theirs = (
                kernel.place_media(page.source, (page.nodes, page.runs), (0, 2), chosen)
                for kernel in (import_native("placement"), import_twin("placement"))
            )
            assert ours == theirs


@pytest.mark.parametrize("kernel", import_both("placement"))
def test_a_caption_is_what_is_called_so(kernel: ModuleType) -> None:
    page = parse("<div><img src=a><p class=x>One<p class='y photo-Credit'>two</div><p>Three")
    ((node, *_, caption),) = kernel.place_media(page.source, (page.nodes, page.runs), (0, 3), None)
    assert page.source[page.nodes.start[caption] :].startswith(b"<p class='y")
    assert page.nodes.tag[node] == TAG["img"]


# Texts that are equal

BITS = [
    "same", "fog &amp; ice", "fog & ice", "fog &ampamp; ice", "caf\u00e9", "caf&eacute;", "\u6e2f", "&#x6e2f;",
    "x" * 30, "x" * 31, "<b>sa</b>me", "<i hidden>not</i>", "<textarea>a &amp; b</textarea>", "&ltb", "&lt;b", "a\0b",
    "ab", "\u3042", "\ufffd",
]  # fmt: skip
BETWEEN = [
    " ",
    "\n\n",
    "\u00a0",
    "&nbsp;",
    "\u3000",
    "&#8195;",
    "<br>",
    "<b> </b>",
    "",
    "\u0085",
    "\x1f",
]
paragraphs = st.lists(st.tuples(st.sampled_from(BITS), st.sampled_from(BETWEEN)), max_size=4).map(
    lambda parts: "<p>" + "".join(bit + between for bit, between in parts)
)


@pytest.mark.slow
@compiled
@given(
    st.one_of(st.lists(paragraphs, max_size=12).map(lambda parts: "".join(parts).encode()), pages)
)
@settings(max_examples=some_of(400), deadline=None)
@example("<p>a&#32;b c<p>a b\u2003c<p>abc".encode())
def test_all_equal_texts_are_found(source: bytes) -> None:
    page = parse(source)
    columns = (page.runs.start, page.runs.end, page.runs.flags)
    chosen = (page.blocks.first_run, page.blocks.stop_run)
    originals = import_native("scanner").find_originals(page.source, columns, chosen)
    assert (
        originals.tolist()
        == import_twin("scanner").find_originals(page.source, columns, chosen).tolist()
    )


@pytest.mark.slow
@compiled
@given(
    st.one_of(st.lists(paragraphs, max_size=12).map(lambda parts: "".join(parts).encode()), pages),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=some_of(300), deadline=None)
@example(b"<ul><li>a b<li>c d</ul><ul><li>a b<li>c d</ul><p>a b<table><td>a b<td>c d</table>", 1)
def test_blocks_are_chosen_alike(source: bytes, seed: int) -> None:
    """Which copies are kept, and what is written of the blocks that score enough."""
    page, random = parse(source), np.random.default_rng(seed)
    nodes, runs, blocks = page.nodes, page.runs, page.blocks
    native, twin = import_native("scanner"), import_twin("scanner")
    scores = random.integers(0, 4, len(page)).astype(np.float32) / np.float32(3)
    wanted = random.random(len(page)) < 0.8
    texts, spans = (runs.start, runs.end, runs.flags), (blocks.first_run, blocks.stop_run)
    originals = native.find_originals(page.source, texts, spans, wanted)
    assert originals.tolist() == twin.find_originals(page.source, texts, spans, wanted).tolist()
    chosen = ((nodes.tag, nodes.parent), (blocks.kind, blocks.node), originals)
    for is_thread in (False, True):
        ours, theirs = (
            kernel.choose_copies(*chosen, scores, is_thread=is_thread) for kernel in (native, twin)
        )
        assert ours.tolist() == theirs.tolist()
    for cut in (0.5, 1e-9):
        for ours, theirs in zip(
            native.write_kept(page.source, page.tables, scores, cut),
            twin.write_kept(page.source, page.tables, scores, cut),
            strict=True,
        ):
            assert ours == theirs


@compiled
def test_choices_that_do_not_fit_the_page_are_refused() -> None:
    page, native = parse("<table><td>One<td>Two <b>three</b></table>"), import_native("scanner")
    scores = np.ones(len(page), dtype=np.float32)
    tables = [page.nodes, page.runs, page.blocks]
    assert native.write_kept(page.source, tables, scores, 0.5)[1] == b"One\tTwo three"
    with pytest.raises(ValueError, match="wanted"):
        native.write_kept(page.source, tables, scores[1:], 0.5)
    for column in range(4):
        moved = [*tables[2]]
        moved[column] = moved[column] + 1000
        with pytest.raises(ValueError, match="fit"):
            native.write_kept(page.source, (*tables[:2], moved), scores, 0.5)
    with pytest.raises(ValueError, match="fit"):
        native.write_kept(page.source[:20], tables, scores, 0.5)
    for array in (page.tables[2][:3], page.tables[2].astype(np.int64), page.tables[2].ravel()):
        with pytest.raises(ValueError, match="fit"):
            native.write_kept(page.source, (*page.tables[:2], array), scores, 0.5)
    for originals in ([1, 1], [0, -1]):
        with pytest.raises(ValueError, match="fit"):
            native.choose_copies(
                tables[0][:2], tables[2][2:], np.array(originals, dtype=np.intp), scores
            )


@pytest.mark.parametrize("kernel", SCANNERS)
def test_originals_are_the_first_of_equal_texts(kernel: ModuleType) -> None:
    long = "The same beginning, of more letters than are looked at first"
    texts = [
        "One.",
        "Another.",
        "<b>One</b>.",
        "caf&eacute;",
        f"{long}.",
        "caf\u00e9",
        f"{long}!",
        f"{long}.",
        "One.",
        "\ufeffOn\u200be.",
        "10<sup>2</sup>",
        "10^2",
    ]
    page = parse("<p>" + "<p>".join(texts))
    columns = (page.runs.start, page.runs.end, page.runs.flags)
    found = kernel.find_originals(
        page.source, columns, (page.blocks.first_run, page.blocks.stop_run)
    )
    assert found.tolist() == [0, 1, 0, 3, 4, 3, 6, 4, 0, 0, 10, 10]


# The attributes of a tag

TAG_PIECES = [
    "HREF",
    "data-x",
    "=",
    " ",
    '"',
    "'",
    ">",
    "/",
    "\n",
    "é",
    "İ",
    "&amp;",
    "&#0;",
    "\0",
    "N" * 70,
    '="b"',
]


@compiled
@given(st.lists(st.sampled_from(TAG_PIECES)).map("".join), st.sampled_from(["", ">", "/>"]))
@example("a HREF=1 href=2 =x Éa='&lt;", ">")
def test_both_read_the_same_attributes(inside: str, end: str) -> None:
    source = f"text <{inside}{end}".encode()
    values = import_native("attributes").read_values(source, 5, len(source))
    assert list(values.items()) == list(
        import_twin("attributes").read_values(source, 5, len(source)).items()
    )
    for name in (b"href", b"a", "é".encode()):
        value = import_native("attributes").read_value(source, 5, len(source), name)
        assert value == values.get(name.decode(), "")
        assert value == import_twin("attributes").read_value(source, 5, len(source), name)
    wanted = frozenset({b"href", b"class", b"a", b"b"})
    raw = import_native("attributes").read_raw_values(source[5:], wanted)
    assert list(raw.items()) == list(
        import_twin("attributes").read_raw_values(source[5:], wanted).items()
    )


@pytest.mark.parametrize("kernel", import_both("attributes"))
@pytest.mark.parametrize("interval", [(3, 3), (9, 2), (-1, 5), (0, 99)])
def test_no_tag_has_no_attributes(kernel: ModuleType, interval: tuple[int, int]) -> None:
    assert kernel.read_values(b"<a href=x>", *interval) == {}
    assert kernel.read_value(b"<a href=x>", *interval, b"href") == ""


# Spans with marks or words

MARKED = [
    "ago",
    "AGO",
    "Yesterday",
    "7",
    "&",
    "\u00e9",
    "il ",
    "iL\n",
    "il",
    "x",
    " ",
    "a",
    "go",
    "yes",
]


@compiled
@given(st.lists(st.lists(st.sampled_from(MARKED), max_size=6).map("".join), max_size=6))
def test_both_find_the_same_marked_spans(texts: list[str]) -> None:
    source, ends = b"", []
    for text in texts:
        source += text.encode()
        ends.append(len(source))
    spans = (np.array([0, *ends], np.int32), np.array([*ends, len(source) + 1], np.int32))
    words = (b"ago", b"yesterday", b"il ", b"il\n")
    for marks in (b"7&", b"\xc3]^-", b""):
        ours, theirs = (
            kernel.find_marked(source, *spans, marks, words)
            for kernel in (import_native("spans"), import_twin("spans"))
        )
        assert ours == theirs


@pytest.mark.parametrize("kernel", import_both("spans"))
def test_marked_spans_hold_a_mark_or_a_word(kernel: ModuleType) -> None:
    starts = np.array([0, 3, 6, 9], np.int32)
    assert kernel.find_marked(b"AGOx7xagx", starts, starts + 3, b"7", [b"ago"]) == [0, 1]


# The names of elements

ELEMENT_ATTRIBUTES = st.sampled_from([
    "class", "CLASS", "id", "data-testid", "Data-TestID", "itemprop", "itemtype", "rel", "href", "datetime", "role", "data-x",
])  # fmt: skip
ELEMENT_PARTS = st.sampled_from([
    "a", "post-12", "PostBody", "item12B", "#7", "12", "X", "-", "_", " ", "\n", "\x1c", "\v", "/", "//", "author", "Creator",
    "name", "dateModified", "datePublished", "time", "https://schema.org/Comment", "/users/", "/U/", "member.php", "?u=1",
    "&uid=x", "&user=y", "/~", "/@", "user?id=", "/people", "action=profile", "\u00e9", "\u0130", "\u017f", "\xa0", "\u0663",
    "&amp;", "b" * 70, "Aa" * 40, "w " * 20,
])  # fmt: skip
ELEMENT_VALUES = st.lists(ELEMENT_PARTS, max_size=4).map("".join)
ELEMENT_TAGS = st.tuples(
    st.sampled_from(["div", "li", "time", "x-y", "a"]),
    st.lists(st.tuples(ELEMENT_ATTRIBUTES, ELEMENT_VALUES), max_size=5).map(
        lambda pairs: "".join(f' {name}="{value}"' for name, value in pairs)
    ),
)


def assert_named_alike(page: Page, numbers: npt.NDArray[np.intp]) -> None:
    ours, theirs = (
        kernel.name_elements(page.source, page.tables[0], numbers)
        for kernel in (import_native("element_names"), import_twin("element_names"))
    )
    assert ours[0] == theirs[0]
    for own, other in zip(ours[1:], theirs[1:], strict=True):
        assert own.dtype == other.dtype
        assert own.tolist() == other.tolist()


@compiled
@given(st.lists(ELEMENT_TAGS, max_size=8))
@settings(max_examples=some_of(300), deadline=None)
@example([("div", " class='a a B'"), ("p", " class='a a B'"), ("div", " class=''"), ("div", " id")])
@example(
    [("a", " href='/user/1'"), ("a", " href='?U=1'"), ("a", " href='x&uid='"), ("a", " rel=AUTHOR")]
)
@example([("div", ' class="x" itemtype="a/b/ c//d e"'), ("div", " itemprop='name name'")])
@example([("div", f" title='{'x' * 5_000}' class=a"), ("div", f" class='{'x' * 5_000}' id=b")])
def test_both_name_elements_alike(tags: list[tuple[str, str]]) -> None:
    page = parse("".join(f"<{name}{attributes}>x" for name, attributes in tags).encode())
    assert_named_alike(page, np.arange(len(page.nodes.tag)))
    assert_named_alike(page, np.arange(len(page.nodes.tag))[::-2])


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_elements_of_hostile_pages_are_named_alike(kind: str) -> None:
    page = parse(KINDS[kind].make(8000))
    assert_named_alike(page, np.arange(len(page.nodes.tag)))


@pytest.mark.parametrize("kernel", import_both("element_names"))
def test_the_names_of_an_element_are_in_its_class_and_other_attributes(kernel: ModuleType) -> None:
    page = parse("<p>x<div class='PostBody post-12' id=c9 itemtype=s.org/Comment itemprop=author>y")
    names, numbers, counts, signs = kernel.name_elements(
        page.source, page.tables[0], np.array([len(page.nodes.tag) - 1])
    )
    assert names == ["div", "div.post-body", "div.post-#", "div#c#", "@comment", "$author"]
    assert (numbers.tolist(), counts.tolist(), signs.tolist()) == ([0, 1, 2, 3, 4, 5], [6], [1])


@compiled
@pytest.mark.parametrize("number", [-1, 99])
def test_no_other_nodes_are_named(number: int) -> None:
    page = parse("<p>x")
    with pytest.raises(ValueError, match="fit"):
        import_native("element_names").name_elements(
            page.source, page.tables[0], np.array([number])
        )


META_PIECES = [
    " content='a &amp; b'",
    " content=''",
    " CONTENT=c",
    " value=v",
    " value",
    " name='og.Title DC.x\u00a0y'",
    " property=OG.Title",
    " itemprop=name",
    " itemprop=''",
    " http-equiv='&#65; \u212a'",
    f" name={'n' * 59}",
    f" itemprop={'n' * 60}",
    f" name='{'n ' * 250}'",
    f" property='{'n ' * 250}n'",
    " content-x=1",
]


@compiled
@given(st.lists(st.lists(st.sampled_from(META_PIECES)).map("".join)), st.integers(0, 3))
@example([" name=a content=1", " content=2 name=a property=a.b"], 3)
def test_both_read_the_same_contents(tags: list[str], most: int) -> None:
    page = parse("<p>".join(f"<meta{attributes}>" for attributes in tags))
    arguments = (page.source, page.tables[0], TAG["meta"], most)
    found = import_native("attributes").read_contents(*arguments)
    assert list(found.items()) == list(import_twin("attributes").read_contents(*arguments).items())


@pytest.mark.parametrize("kernel", import_both("attributes"))
def test_tags_outside_of_the_source_have_no_content(kernel: ModuleType) -> None:
    page = parse("<meta name=a content=b><meta name=a content=c>")
    table = page.tables[0].copy()
    table[NodeColumn.END, table[NodeColumn.TAG].tolist().index(TAG["meta"])] = 10**6
    found = kernel.read_contents(page.source, table, TAG["meta"], 10)
    assert found == {"a": ["c"]}


ESCAPED_PARTS = [
    "/a?b=1",
    "&",
    "&amp;",
    "&amp",
    "&c=2",
    "&copy=3",
    "&re=4",
    "&reg",
    "&order;",
    "&#38;",
    "&#",
    "#;",
    "&lt",
    "caf\u00e9",
    ";",
]


@compiled
@given(st.lists(st.sampled_from(ESCAPED_PARTS), max_size=8).map("".join))
def test_references_in_values_are_resolved_alike(value: str) -> None:
    source = f'<a href="{value}">'.encode()
    ours, theirs = (
        kernel.read_value(source, 0, len(source), b"href") for kernel in import_both("attributes")
    )
    assert ours == theirs == unescape(value)


IMAGE_NAMES = st.sampled_from([
    "src", "SRC", "srcset", "data-srcset", "data-src", "data-lazy", "data-x", "data-caption", "width", "height", "style",
    "class", "id", "alt", "title", "aria-label", "data-flic\u212aity-lazyload-srcset", "d\xe9-",
])  # fmt: skip
IMAGE_PARTS = st.sampled_from([
    "https://e.org/a.jpg", "/b/c.png?d=1&amp;e=2", "d.webp", "spacer.gif", "/Blank.PNG#x", "/grey-placeholder.png", "cleardot.gif", "https://e.org/1x1.jpg",
    "http://a.gravatar.com/e", "https://s.w.org/f", "/icons/g.svg", "logo", "wp-smiley", "qr-codes", "\u0130con", "h\xe9",
    " 300w", " 2x", " 1.5X ,", " 12345678.123456789w", " 0600W", " 1234567890w", " 9.w", ",", " ", "\n", "\xa0", "&#32;",
    "640", "64", "32px", " 20 ", "1e3", "\u0663", "width:30px", "HEIGHT: 300", ";", "color:red", "A picture", "&amp;", "//",
    "?", "x" * 1_200, " !important ", "100%", ".5", "px", "/", "_", "-", "\x1f", "flags", "icon", "Arrows", "width : 7",
])  # fmt: skip
IMAGE_VALUES = st.lists(IMAGE_PARTS, max_size=4).map("".join)
IMAGE_TAGS = st.lists(st.tuples(IMAGE_NAMES, IMAGE_VALUES), max_size=6).map(
    lambda pairs: "".join(f" {name}='{value}'" for name, value in pairs)
)


@compiled
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["img", "source", "picture", "/picture", "noscript", "p"]), IMAGE_TAGS
        )
    )
)
@example([("img", " src=a.jpg width=64 height=64"), ("img", " src=/Spacer.gif data-x=b.png")])
@example([("picture", ""), ("source", " srcset='a 1x, b 2x'"), ("img", " srcset='c 2x'")])
@example([("img", " srcset='a 12345678.123456781w, b 12345678.123456782w'"), ("img", " srcset")])
@example([("img", " src=a.jpg class='a b' id=icon"), ("img", " src=//s.w.org/a.png alt=' a  b '")])
@example(
    [("img", " src='data:image/png,&quot;'"), ("img", " src=data: data-a=b.jpg"), ("img", " src='")]
)
def test_both_read_the_same_images(tags: list[tuple[str, str]]) -> None:
    page = parse("".join(f"<{name}{attributes}>" for name, attributes in tags))
    numbers = np.flatnonzero(page.nodes.tag == TAG["img"]).tolist()
    addresses = SimpleNamespace(
        root="https://e.org", resolve=partial(absolute, base="https://e.org/d/")
    )
    arguments = (page.source, page.nodes, numbers, addresses)
    found = import_native("images").read_images(*arguments)
    assert found == import_twin("images").read_images(*arguments)


IMAGE_PLACES = st.tuples(st.integers(0, 3), st.integers(-1, 2))
STATED = st.sampled_from(
    ["", "https://e.org/a.jpg", "/b.png?c=1", "//e.org/d", "e f.png", "http:x"]
)


@with_elements
@given(st.lists(st.tuples(IMAGE_PLACES, STATED)))
def test_both_make_the_same_leaves_of_images(
    stated: list[tuple[tuple[int, int], str]],
) -> None:
    places = [place for place, _ in stated]
    images = {
        node: Picture(address, None, None, False, False, "alt", "text", "")
        for node, (_, address) in enumerate(stated)
    }
    ours, theirs = (
        kernel.make_leaves(places, images, Element, clean)
        for kernel in (import_native("images"), import_twin("images"))
    )
    assert ours == theirs


@compiled
def test_native_images_refuse_tables_that_do_not_fit() -> None:
    native, page = (
        import_native("images"),
        parse("<picture><source srcset=a><img src=a.jpg></picture>"),
    )
    image = int(np.flatnonzero(page.nodes.tag == TAG["img"])[0])
    as_they_are = SimpleNamespace(root="", resolve=str)
    for number in (-1, len(page.nodes.tag)):
        with pytest.raises(ValueError, match="fit"):
            native.read_images(page.source, page.nodes, [number], as_they_are)
    shorter = page.nodes._replace(end=page.nodes.end[:1])
    with pytest.raises(ValueError, match="fit"):
        native.read_images(page.source, shorter, [image], as_they_are)
    for parent in (-5, 10**6):
        parents = np.full_like(page.nodes.parent, parent)
        (found,) = native.read_images(
            page.source, page.nodes._replace(parent=parents), [image], as_they_are
        )
        assert found[0] == "a.jpg"
    ends = np.full_like(page.nodes.end, 10**6)  # beyond the source: a tag without attributes
    (found,) = native.read_images(page.source, page.nodes._replace(end=ends), [image], as_they_are)
    assert found[0] == ""


@compiled
@given(st.binary(max_size=60), st.lists(st.tuples(st.integers(-2, 62), st.integers(-2, 62))))
@example(b"a comment, a cmt", [(0, 16), (2, 9), (3, 9), (2, 8), (13, 16), (12, 16), (14, 16)])
@example(b"\xff\xff\xff\xff", [(0, 4), (1, 4), (2, 4), (0, 3)])
def test_both_find_the_same_spans(source: bytes, spans: list[tuple[int, int]]) -> None:
    words = (
        b"omment",
        b"cmt",
        b"\0\0\0",
        b"\xff\xff\xff",
        source[1:5] + b"   ",
        source[-3:] + b"abc"[len(source[-3:]) :],
    )
    starts, ends = (np.array([span[side] for span in spans], np.int32) for side in (0, 1))
    found = import_native("spans").find_spans(source, starts, ends, words)
    assert found == import_twin("spans").find_spans(source, starts, ends, words)


@compiled
def test_each_of_many_words_is_found_at_any_offset() -> None:
    native, twin = import_native("spans"), import_twin("spans")
    words = [bytes([97 + number % 16, 109, 97 + number // 16]) for number in range(twin.MOST_WORDS)]
    source = b"".join(b"." * (number % 3) + word for number, word in enumerate(words))
    starts = np.arange(len(source) - 3, dtype=np.int32)
    for size in (3, 4):
        for few in (words, words[17:], words[-1:]):
            found = native.find_spans(source, starts, starts + size, few)
            assert found == twin.find_spans(source, starts, starts + size, few)


NUMBERS = st.lists(st.integers(0, 9), max_size=12).map(lambda rows: np.array(rows, np.int32))


@compiled
@given(st.lists(st.integers(0, 2**20), max_size=20), st.integers(0, 2**20))
def test_both_count_the_words_without_flags(flags: list[int], unwanted: int) -> None:
    runs = np.ones((8, len(flags)), np.int32)
    runs[3], runs[7] = np.arange(len(flags)), flags
    native, twin = import_native("spans"), import_twin("spans")
    counted = native.count_without(runs, unwanted)
    assert counted == twin.count_without(runs, unwanted)
    assert native.count_without(runs, 0) == sum(range(len(flags)))


@compiled
@given(
    st.lists(st.sampled_from([b"cat", b"ca", b"t", b"house", b"hous", b"e", b"\xff"])).map(b"".join)
)
def test_both_find_out_whether_a_text_holds_any_word(text: bytes) -> None:
    words = (b"cat", b"house", b"\xff\xff\xff")
    held = import_native("spans").holds_any(text, words)
    assert (
        held == import_twin("spans").holds_any(text, words) == any(word in text for word in words)
    )


SCRIPT_PARTS = (
    "=", "(", "[", "{", '"', "JSON", "JSO", "x", ">", "/", " ", "\t", "\x1c", "\0", "é", "<", "</", "__", "A", "tate",
    "STATE", "INITIAL_", "PRELOADED", "PRELOADE", "\\", "&",
)  # fmt: skip


@compiled
@given(st.lists(st.sampled_from(SCRIPT_PARTS)).map("".join))
@example("a=é [\n{")
@example("(JSON")
@example("é=é({[(é[\u3000{")
@example("a" * 1_995 + "STATE")
@example("a" * 1_996 + "STATE")
@settings(max_examples=some_of(500))
def test_both_find_the_same_data(script: str) -> None:
    native, twin = import_native("spans"), import_twin("spans")
    assert native.find_assigned(script.encode()) == twin.find_assigned(script.encode())
    page = parse(f"<script>{script}</script>{script}<script type=json>a")
    for least in (0, 2, 4):
        found = native.find_data(page.source, page.tables[0], (), least)
        assert found == twin.find_data(page.source, page.nodes, (), least)


@compiled
def test_long_texts_and_those_beyond_ascii_may_have_any_words() -> None:
    for kernel in (import_native("spans"), import_twin("spans")):
        for text, expected in (
            ("{" * 9, []), ("{" * 4_001, [1]), ("{é", [1]), ("{ b<c", [1]), ("a b<c", []),
        ):  # fmt: skip
            page = parse(f"<script>{text}</script><p>")
            assert kernel.find_data(page.source, page.tables[0], (), 4) == (expected, [], False)


@compiled
@given(
    st.lists(
        st.sampled_from(("data-", "DATA-", "ata-", "-", "page", "Page", "react-props", "=", " ", "\v", "x", "'"))
    ).map("".join)
)  # fmt: skip
@settings(max_examples=some_of(500))
def test_both_find_the_same_data_attributes(attributes: str) -> None:
    native, twin = import_native("spans"), import_twin("spans")
    page = parse(f"<p {attributes}>a</p><script {attributes}JsOn>")
    for least in (0, 20):
        found = native.find_data(page.source, page.tables[0], (b"page", b"react-props"), least)
        assert found == twin.find_data(page.source, page.nodes, (b"page", b"react-props"), least)


@pytest.mark.parametrize("kernel", import_both("spans"))
@pytest.mark.parametrize(("end", "following"), [(8, 4), (-1, 4), (99, 4), (8, 99)])
def test_the_element_after_a_script_may_be_anywhere(
    kernel: ModuleType, end: int, following: int
) -> None:
    columns = ([TAG["script"], 1], *[[0, 0]] * 3, [0, following], [end, following], [0, 0])
    nodes = tuple(np.array(column, np.int32) for column in columns)
    assert kernel.find_data(b"<script>a</script>", nodes, (), 1) == ([0], [], False)


@compiled
@given(st.text("a\n\r\t\x1c \x85\xa0é\u3000", max_size=12))
def test_both_find_the_same_blank_lines(text: str) -> None:
    found = import_native("spans").may_have_blank_lines(text.encode())
    assert found == import_twin("spans").may_have_blank_lines(text.encode())
    if re.search(r"\n[^\S\n]*\n[^\S\n]*\n", text):
        assert found


# What a page says about itself

HEAD_PARTS = (
    "<title>", "<title>One &amp;\n two \0 é</title>", "</title", "</TITLE>", "</titles>", "<svg>", "</svg>",
    "<svg><title>Drawn</title></svg>", "<table><title>", "<meta name=description ", "<meta property='og:type' ",
    'content="', "Content = 'product'", "content=", "xcontent", "=", " " * 9, " " * 10, " " * 19, "\n", "a" * 199,
    "b" * 2_001, "article", "https://schema.org/Product ", '"', "'", ">", "/", "<", "é", "— ",
    "<link rel=canonical href=/a>", "<link>", "<meta>", "<script>", '<script type="application/ld+json">',
    "</script>", "</script", "<p>One", '"@type"', '"@type":"Event"', '"@type" : [ "Blog"',
    '"@type":"http://schema.org/Recipe"', '"@type":"Recipe"@type":"Blog"', ":", "[", "@", "c" * 61, "{", "\0",
)  # fmt: skip


@compiled
@given(st.lists(st.sampled_from(HEAD_PARTS), max_size=24).map("".join))
@example('<script type="application/ld+json">"@type":' + " " * 18 + '"Event"')
@example('<script type="application/ld+json">"@type":' + " " * 19 + '"Event"')
@example('<script type="application/ld+json">"@type":' + " " * 10 + '["Event"')
@example('<script type="application/ld+json">"@type":"' + "c" * 61 + '"')
@example("<meta property=og:type content=" + "a" * 201 + "><meta name=description content")
@example("<meta name=description content" + " " * 10 + "=a content=b>")
@example("<title>x</Title>")
@example("<title>x</title")
@settings(max_examples=some_of(500))
def test_both_read_the_same_heads(html: str) -> None:
    page, native, twin = parse(html), import_native("head"), import_twin("head")
    assert native.read_head(page.source, page.tables[0]) == twin.read_head(page.source, page.nodes)
    assert native.read_title(page.source, page.nodes) == twin.read_title(page.source, page.nodes)
    for node in range(len(page.nodes.tag)):
        found = native.find_content(page.source, page.tables[0], node)
        assert found == twin.find_content(page.source, page.nodes, node)


@compiled
def test_titles_with_any_white_space_are_folded_alike() -> None:
    blanks = [chr(code) for code in range(0x3100) if chr(code).isspace() or code == 0]
    for title in (f"{blank}a{blank}b {blank}" for blank in [*blanks, " ", "&nbsp;", "é", "日", ""]):
        for html in (f"<title>{title}</title>", f"<title>é {title}b</title>"):
            page = parse(html)
            expected = import_twin("head").read_title(page.source, page.nodes)
            assert import_native("head").read_title(page.source, page.nodes) == expected, ascii(
                title
            )


ADDRESS_PARTS = (
    "http://", "https://", "HTTP://", "http:", "//", "/", "?", "#", "a", "news", "Comments", "2024", "1907-1", "20ab", "0",
    "12345678", "a-b-c-", ".", ".html", ":", "@", "[", "]", "%20", " ", "\t", "é", "\\", "\ud800", "٣", "b" * 110, "c/" * 240,
)  # fmt: skip


@compiled
@given(st.lists(st.sampled_from(ADDRESS_PARTS), max_size=12).map("".join))
@example("https://example.org")
@example("https://example.org/2024/1")
@example("https://example.org/2024-a/19990")
@example("https://example.org/a.html/?#")
@example("https://")
@settings(max_examples=some_of(500))
def test_both_read_the_same_addresses(url: str) -> None:
    for address in (url, f"https://a.example/{url}"):
        found = import_native("head").read_address(address)
        assert found == import_twin("head").read_address(address)


@compiled
def test_both_read_the_same_heads_of_real_pages() -> None:
    native, twin = import_native("head"), import_twin("head")
    for path in real_pages():
        page = parse(gzip.decompress(path.read_bytes()))
        found = native.read_head(page.source, page.tables[0])
        assert found == twin.read_head(page.source, page.tables[0])
        assert page.title == twin.read_title(page.source, page.tables[0])


@compiled
def test_heads_of_other_pages_are_refused() -> None:
    page, native = (
        parse("<title>One</title><meta name=description content=a><p>Two"),
        import_native("head"),
    )
    for read in (native.read_head, native.read_title):
        with pytest.raises(ValueError, match="fit"):
            read(page.source[:3], page.tables[0])
    with pytest.raises(IndexError):
        native.find_content(page.source, page.tables[0], 99)


@compiled
@given(pages)
def test_both_find_the_same_tags(source: bytes) -> None:
    page, native = parse(source), import_native("clues")
    assert_same_tags(page)
    with pytest.raises(ValueError, match="three"):
        native.find_tags(b"<p>", parse(b"<p>").nodes, (TAG["p"],), (b"p",), 1)
    with pytest.raises(ValueError, match="fit"):
        native.find_tags(page.source, page.nodes, (-1,), (), 1)


@compiled
@given(NUMBERS, st.integers(0, 9))
def test_both_find_the_same_rows(column: npt.NDArray[np.int32], number: int) -> None:
    native, twin = import_native("spans"), import_twin("spans")
    assert native.find_rows(column, number) == twin.find_rows(column, number)
    assert native.find_rows(column, number, 1) == twin.find_rows(column, number, 1)


@compiled
@given(
    st.lists(st.sampled_from([b"a", b"ab", b"aab", b"b" * 15, b"=" * 20])).map(b"".join),
    st.sampled_from([b"a", b"aa", b"aab", b"ab="]),
    st.integers(0, 3),
    st.integers(0, 40),
)
def test_both_find_the_same_places(source: bytes, mark: bytes, most: int, start: int) -> None:
    native, twin = import_native("spans"), import_twin("spans")
    assert native.find_places(source, mark, 99) == twin.find_places(source, mark, 99)
    found = native.find_places(source, mark, most, start)
    assert found == twin.find_places(source, mark, most, start)


@pytest.mark.parametrize("kernel", import_both("spans"))
def test_places_need_a_mark_and_a_start(kernel: ModuleType) -> None:
    for arguments in ((b"", 1), (b"a", 1, -1)):
        with pytest.raises(ValueError, match="must not"):
            kernel.find_places(b"abc", *arguments)


@compiled
@given(st.lists(st.tuples(*[st.integers(0, 9)] * 2, st.booleans()), max_size=12), st.data())
def test_both_count_the_same_words(rows: list[tuple[int, int, bool]], data: st.DataObject) -> None:
    native, twin = import_native("spans"), import_twin("spans")
    words, chars = (np.array([row[part] for row in rows], np.int32) for part in (0, 1))
    flags = np.array([int(Flag.LINK) | (UNSEEN if row[2] else 0) for row in rows], np.int32)
    ends = sorted(data.draw(st.sets(st.integers(1, len(rows))))) if rows else []
    first, stop = np.array([0, *ends], np.int32), np.array([*ends, len(rows)], np.int32)
    kept = np.array(sorted(data.draw(st.sets(st.integers(0, len(ends))))), np.intp)
    found, expected = native.add_words(words, first, stop), twin.add_words(words, first, stop)
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1] == expected[1] == words.sum()
    runs = np.zeros((8, len(rows)), np.int32)
    runs[[RunColumn.WORDS, RunColumn.CHARS, RunColumn.FLAGS]] = words, chars, flags
    tables = ((), runs, (first, stop, first, first))
    assert native.count_shown(tables, kept.tobytes()) == twin.count_shown(tables, kept.tobytes())


@compiled
@given(pages)
def test_both_count_the_same_unseen_words(source: bytes) -> None:
    native, twin = import_native("spans"), import_twin("spans")
    flags = (int(Flag.NOSCRIPT), int(Flag.HIDDEN | Flag.LINK), int(Flag.TEMPLATE))
    prose = b"<p>" + b"a b " * 6
    page = parse(source + prose + b"<a href=/>c</a><p hidden>" + prose + source + prose)
    assert native.count_unseen(page.tables, flags) == twin.count_unseen(page.tables, flags)
    for kernel in (native, twin):
        with pytest.raises(ValueError, match="flags"):
            kernel.count_unseen(page.tables, (1,) * 9)


@compiled
def test_native_counts_refuse_tables_that_do_not_fit() -> None:
    native, rows = import_native("spans"), np.arange(3, dtype=np.int32)
    with pytest.raises(ValueError, match="fit"):
        native.add_words(rows, rows, rows + 2)
    with pytest.raises(ValueError, match="fit"):
        native.add_words(rows, rows - 1, rows)
    with pytest.raises(IndexError, match="kept"):
        native.count_shown(((), [rows] * 8, (rows, rows + 1)), np.array([3], np.intp).tobytes())


@compiled
@given(pages)
def test_both_find_the_same_hinted_elements(source: bytes) -> None:
    native, twin = import_native("spans"), import_twin("spans")
    page = parse(source + b"<p class=hint>a<p class=hint><i class=hint></i>" + source)
    wordless = tag_mask("p")
    found = native.find_hinted(page.source, page.tables[0], (b"hint", b"<di"), wordless)
    assert found == twin.find_hinted(page.source, page.nodes, (b"hint", b"<di"), wordless)
    with pytest.raises(ValueError, match="size"):
        native.find_hinted(page.source, page.tables[0], (b"hint",), wordless[1:])


@compiled
@given(pages, st.integers(0, 20))
def test_both_find_the_same_short_blocks(source: bytes, longest: int) -> None:
    page, native, twin = parse(source), import_native("spans"), import_twin("spans")
    numbers = range(len(page) - 1, -1, -1)
    found = native.find_short_blocks(page.tables, numbers, longest, UNSEEN)
    assert found == twin.find_short_blocks(page.tables, numbers, longest, UNSEEN)
    with pytest.raises(ValueError, match="fit"):
        native.find_short_blocks(page.tables, (len(page),), longest, 0)


@compiled
def test_blocks_without_runs_are_refused() -> None:
    native, rows = import_native("spans"), np.arange(3, dtype=np.int32)
    for blocks in ((rows - 1, rows, rows), (rows, rows, rows), (rows, rows + 3, rows)):
        with pytest.raises(ValueError, match="fit"):
            native.find_short_blocks(((), [rows] * 8, blocks), range(3), 9, 0)


@pytest.mark.parametrize("kernel", import_both("spans"))
def test_short_words_are_not_looked_for(kernel: ModuleType) -> None:
    nothing = np.zeros(1, np.int32)
    assert kernel.find_spans(b"<a>", nothing, nothing + 3, (b"<a>",)) == [0]
    assert kernel.find_spans(b"<a>", nothing, nothing + 3, ()) == []
    with pytest.raises(ValueError, match="3 bytes"):
        kernel.find_spans(b"<a>", nothing, nothing + 3, (b"ab",))
    with pytest.raises(ValueError, match=r"length|argument"):
        kernel.find_spans(b"<a>", nothing, np.zeros(2, np.int32), (b"abc",))
