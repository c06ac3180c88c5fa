"""Small elements and their texts: native and in Python the same."""

from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bodytext import parse
from bodytext.kernel.html import UNSEEN, Flag
from example_counts import some_of
from hostile_pages import KINDS
from kernel_twins import compiled, import_both, import_native, import_twin

WORDS = (b"author", b"byline", b"user")
PIECES = st.sampled_from([
    "<p>", "</p>", "<br>", "<b>", "</b>", "<div class=AUTHOR>", "<a href=/users/1 rel='author'>", "</a>", "</div>", "<pre>",
    "</pre>", "<span class=bylin>", "<i id=x-Byline>", "<xmp>&amp;", "</xmp>", "<li hidden>", "<li>", "<td>", "<table>", "<h1>",
    "a", " b ", "\n", "\u00a0", "\u00e9", "&amp;", "&#50;", "&nbsp", "\0", "By Ann Lee", "x" * 130, "<!-- author -->",
])  # fmt: skip
PAGES = st.lists(PIECES, max_size=20).map("".join)


def assert_read_alike(source: str | bytes) -> None:
    page, native, twin = (
        parse(source),
        import_native("small_elements"),
        import_twin("small_elements"),
    )
    nodes, runs, _ = (table.shape[1] for table in page.tables)
    for without in (0, UNSEEN, int(Flag.LINK)):
        for node in range(min(nodes, 40)):
            arguments = page.source, page.tables, node, without, 5
            assert native.read_element(*arguments) == twin.read_element(*arguments)
        for first, stop in ((0, runs), (runs // 2, runs), (runs, runs), (runs // 3, runs // 2)):
            arguments = page.source, page.tables, first, stop, without
            assert native.read_runs(*arguments) == twin.read_runs(*arguments)
    for longest, last in ((120, runs), (1, runs), (10_000, runs // 2)):
        sought = page.source, page.tables, (0, last), longest, WORDS
        assert native.find_small(*sought) == twin.find_small(*sought)
    for most in (0, 1, 7, 8_000):
        sample = page.source, page.tables[1], most
        assert native.read_first_runs(*sample) == twin.read_first_runs(*sample)


@compiled
@given(PAGES)
@settings(max_examples=some_of(200), deadline=None)
@example("")
@example("<p class=author>A<p class=Byline>Ann<br>Lee<p class=user>" + "x" * 121)
def test_both_read_small_elements_alike(source: str) -> None:
    assert_read_alike(source)


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_small_elements_of_hostile_pages_are_read_alike(kind: str) -> None:
    assert_read_alike(KINDS[kind].make(8000))


@pytest.mark.parametrize("kernel", import_both("small_elements"))
def test_a_text_is_folded_and_has_spaces_between_blocks_and_lines(kernel: ModuleType) -> None:
    page = parse(
        "<div><h1> Ships &amp;\n call</h1><p>at<br>night<b>fall</b><i hidden>unseen</i></div>"
    )
    runs = page.tables[1].shape[1]
    text = kernel.read_runs(page.source, page.tables, 0, runs, int(Flag.HIDDEN))
    assert text == "Ships & call at nightfall"


@pytest.mark.parametrize("kernel", import_both("small_elements"))
def test_an_element_with_many_runs_has_no_small_text(kernel: ModuleType) -> None:
    page = parse("<p>a<b>b</b>c")
    node = page.tables[0].shape[1] - 2
    assert kernel.read_element(page.source, page.tables, node, 0, 3) == "abc"
    assert kernel.read_element(page.source, page.tables, node, 0, 2) == ""


@pytest.mark.parametrize("kernel", import_both("small_elements"))
def test_small_elements_are_found_by_words_in_any_case(kernel: ModuleType) -> None:
    page = parse("<p class=x>author<p class=AUthor>Ann Lee<p id=autho>Bo Ek<p rel=user>B")
    found = kernel.find_small(page.source, page.tables, (0, 4), 120, WORDS)
    assert [kernel.read_element(page.source, page.tables, node, 0, 9) for node in found] == [
        "Ann Lee"
    ]
    with pytest.raises(ValueError, match="words"):
        kernel.find_small(page.source, page.tables, (0, 4), 120, (b"",))


@pytest.mark.parametrize("kernel", import_both("small_elements"))
def test_a_sample_is_the_beginning_of_the_text(kernel: ModuleType) -> None:
    page = parse("<title>t</title><p>Ships<p>call<p>at night")
    assert kernel.read_first_runs(page.source, page.tables[1], 7) == b"Ships ca"


@compiled
def test_native_small_elements_refuse_tables_that_do_not_fit() -> None:
    native, page = import_native("small_elements"), parse("<p class=author>Ann Lee")
    nodes, runs, blocks = page.tables
    for first, stop in ((-1, 1), (0, 2), (2, 2)):
        with pytest.raises(ValueError, match="fit"):
            native.read_runs(page.source, page.tables, first, stop, 0)
    for node in (-1, nodes.shape[1]):
        with pytest.raises(ValueError, match="fit"):
            native.read_element(page.source, page.tables, node, 0, 9)
    for table in (runs + 100, runs - 100):
        with pytest.raises(ValueError, match="fit"):
            native.read_runs(page.source, (nodes, table, blocks), 0, 1, 0)
        with pytest.raises(ValueError, match="fit"):
            native.read_first_runs(page.source, table, 9)
    with pytest.raises(ValueError, match="fit"):
        native.find_small(page.source, page.tables, (0, 2), 120, WORDS)
    longer = nodes + np.array([0, 0, 0, 0, 0, 999, 0], np.int32)[:, None]
    with pytest.raises(ValueError, match="fit"):
        native.find_small(page.source, (longer, runs, blocks), (0, 1), 120, WORDS)
