"""Both twins of the kernel's discussion module find and measure the same units."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import parse
from bodytext.kernel.discussion import HIGHEST_CLIMB
from bodytext.kernel.html import TAG
from bodytext.page.tables import Page
from example_counts import some_of
from kernel_twins import compiled, import_both, import_native, import_twin

PARTS = (
    "<div>",
    "</div>",
    "<p>a",
    "<p>one two",
    "<i>b</i>",
    "</p>",
    "<table><td>c",
    "</table>",
    "<br>",
    "d ",
)
pages = st.lists(st.sampled_from(PARTS), max_size=24).map(lambda parts: parse("".join(parts)))


def assert_same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(theirs, np.ndarray):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    else:
        assert ours == theirs


def draw_numbers(data: st.DataObject, count: int, least: int = 0) -> Any:
    """Some of the numbers below a count, in order."""
    numbers = (
        st.sets(st.integers(0, count - 1), min_size=min(least, count)) if count else st.just(set())
    )
    return np.array(sorted(data.draw(numbers)), np.intp)


def draw_rows(data: st.DataObject, size: int, low: int, high: int) -> Any:
    return np.array(
        data.draw(st.lists(st.integers(low, high), min_size=size, max_size=size)), np.intp
    )


def draw_signs(data: st.DataObject, page: Page) -> tuple[Any, ...]:
    counts = (*[len(page.nodes.tag)] * 3, len(page.runs.words))
    return tuple(draw_numbers(data, count) for count in counts)


@compiled
@given(pages, st.data())
@settings(max_examples=some_of(300), deadline=None)
def test_both_measure_the_same_groups(page: Page, data: st.DataObject) -> None:
    native, twin = import_native("discussion"), import_twin("discussion")
    count = len(page.nodes.tag)
    groups = [draw_numbers(data, count) for _ in range(3)]
    allowed = draw_rows(data, count, 0, 3) > 0
    widened = native.widen_groups(page.tables[0], groups, allowed)
    assert_same(widened, twin.widen_groups(page.nodes, groups, allowed))
    signs, words = draw_signs(data, page), page.runs.words
    for fewest in (1, 2):
        measured = native.measure_groups(page.tables, widened, signs, words, fewest)
        assert_same(measured, twin.measure_groups(page.tables, widened, signs, words, fewest))
    for units in widened:
        owners = native.own_parts(page.tables, units)
        assert_same(owners, twin.own_parts(page.tables, units))
        measures = native.measure_parts(owners, len(units), signs, words)
        assert_same(measures, twin.measure_parts(owners, len(units), signs, words))
    columns = (words, page.runs.chars)
    assert_same(native.add_up(page.tables[0], columns), twin.add_up(page.nodes, columns))


@compiled
@given(pages, st.data())
@settings(max_examples=some_of(300), deadline=None)
def test_both_choose_the_same_nodes(page: Page, data: st.DataObject) -> None:
    native, twin = import_native("discussion"), import_twin("discussion")
    count, names = len(page.nodes.tag), 4
    units = draw_numbers(data, count, 1)
    owner, _ = twin.own_parts(page.tables, units)
    node = np.sort(draw_rows(data, 2 * count, 0, count - 1)) if count else np.zeros(0, np.intp)
    pairs = (node, draw_rows(data, len(node), 0, names - 1))
    rank = draw_rows(data, count, 0, 2).astype(np.int8)
    chosen = native.choose_nodes(pairs, names, owner, len(units), rank)
    assert_same(chosen, twin.choose_nodes(pairs, names, owner, len(units), rank))
    fields = (draw_rows(data, len(units), -1, 3), draw_rows(data, len(units), -1, 9))
    words = (page.per_node(page.runs.words), page.per_node(page.runs.chars))
    parts = (owner, units, *fields)
    free, sums = native.weigh_names(pairs, names, page.tables[0], parts, words)
    assert_same((free, sums), twin.weigh_names(pairs, names, page.nodes, parts, words))
    worth = draw_rows(data, names, 0, 2).astype(np.float64)
    texts = native.choose_texts(free, page.tables[0], owner, len(units), worth)
    assert texts == twin.choose_texts(free, page.nodes, owner, len(units), worth)


@compiled
def test_both_climb_as_high() -> None:
    page = parse(("<div>" * 60 + "<p>One" + "</div>" * 60) * 2)
    group, allowed = np.flatnonzero(page.nodes.tag == TAG["p"]), page.nodes.tag > 0
    for kernel in import_both("discussion"):
        (units,) = kernel.widen_groups(page.tables[0], [group], allowed)
        np.testing.assert_array_equal(units, group - HIGHEST_CLIMB)


PAGE = parse("<div><p>One</p><p>Two</p></div>")
NODES = len(PAGE.nodes.tag)
UNITS = np.arange(2)
SIGNS = (UNITS, UNITS, UNITS, UNITS)
OWNER = np.zeros(NODES, np.intp)
RUNS = np.zeros(2, np.intp)
RANK = np.ones(NODES, np.int8)
COLUMN = np.ones(NODES, np.int32)


def turned(column: int) -> Any:
    """The table of nodes with numbers that lead out of it."""
    nodes = PAGE.tables[0].copy()
    nodes[column] += 99
    return nodes


@compiled
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("own_parts", (PAGE.tables, UNITS + NODES)),
        ("own_parts", (PAGE.tables, UNITS - 1)),
        ("own_parts", ((turned(1), *PAGE.tables[1:]), UNITS)),
        ("own_parts", ((PAGE.tables[0][:, :1], *PAGE.tables[1:]), UNITS[:1])),
        ("measure_parts", ((OWNER, RUNS + 2), 2, SIGNS, PAGE.runs.words)),
        ("measure_parts", ((OWNER - 2, RUNS), 2, SIGNS, PAGE.runs.words)),
        ("measure_parts", ((OWNER, RUNS), -1, SIGNS, PAGE.runs.words)),
        ("measure_parts", ((OWNER, RUNS), 2, (UNITS + NODES, *SIGNS[1:]), PAGE.runs.words)),
        ("measure_parts", ((OWNER, RUNS), 2, (*SIGNS[:3], UNITS + 1), PAGE.runs.words)),
        ("measure_parts", ((OWNER, RUNS), 2, SIGNS[:3], PAGE.runs.words)),
        ("measure_parts", ((OWNER, RUNS), 2, SIGNS, PAGE.runs.words[:1])),
        ("measure_groups", (PAGE.tables, [UNITS + NODES], SIGNS, PAGE.runs.words, 1)),
        ("measure_groups", (PAGE.tables, [UNITS], SIGNS, PAGE.runs.words[:1], 1)),
        ("widen_groups", (PAGE.tables[0], [UNITS + NODES], RANK > 0)),
        ("widen_groups", (PAGE.tables[0], [UNITS], RANK[1:] > 0)),
        ("add_up", (turned(3), (PAGE.runs.words,))),
        ("add_up", (PAGE.tables[0], (PAGE.runs.words[:1],))),
        ("choose_nodes", ((UNITS + NODES, UNITS), 2, OWNER, 2, RANK)),
        ("choose_nodes", ((UNITS, UNITS), 1, OWNER, 2, RANK)),
        ("choose_nodes", ((UNITS, UNITS[:1]), 2, OWNER, 2, RANK)),
        ("choose_nodes", ((UNITS, UNITS), 2, OWNER + 2, 2, RANK)),
        ("choose_nodes", ((UNITS, UNITS), 2, OWNER, 2, RANK[1:])),
        ("weigh_names", ((UNITS, UNITS), 1, PAGE.nodes, (OWNER, UNITS, RUNS, RUNS), (COLUMN, COLUMN))),
        ("weigh_names", ((UNITS, UNITS), 2, PAGE.nodes, (OWNER[1:], UNITS, RUNS, RUNS), (COLUMN, COLUMN))),
        ("weigh_names", ((UNITS, UNITS), 2, PAGE.nodes, (OWNER, UNITS + NODES, RUNS, RUNS), (COLUMN, COLUMN))),
        ("weigh_names", ((UNITS, UNITS), 2, PAGE.nodes, (OWNER, UNITS, RUNS[1:], RUNS), (COLUMN, COLUMN))),
        ("weigh_names", ((UNITS, UNITS), 2, PAGE.nodes, (OWNER, UNITS, RUNS, RUNS), (COLUMN, COLUMN[1:]))),
        ("choose_texts", ((UNITS, UNITS), PAGE.nodes, OWNER, 2, np.ones(1))),
        ("choose_texts", ((UNITS, UNITS), PAGE.nodes, OWNER - 1, 2, np.ones(2))),
        ("choose_texts", ((UNITS, UNITS), PAGE.nodes, OWNER, 0, np.ones(2))),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"fit|size"):
        getattr(import_native("discussion"), name)(*arguments)
