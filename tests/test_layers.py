"""What a network does between two products: native and in numpy the same, on anything that fits, and refused else."""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import block_network
from bodytext._kernel import layers, layers_reference
from bodytext.block_network import Reading, read_blocks
from bodytext.features import read_features
from bodytext.methods import learned
from bodytext.methods.learned import shipped_weights
from bodytext.network import read_arrays
from bodytext.parser import parse
from bodytext.sources.labelled import read_labelled

LABELLED = Path(__file__).parent.parent / "labelled"
BOTH = [
    layers_reference,
    pytest.param(
        layers, marks=pytest.mark.skipif(layers is layers_reference, reason="the native kernel is not compiled here")
    ),
]
compiled = pytest.mark.skipif(layers is layers_reference, reason="the native kernel is not compiled here")
sizes = st.tuples(st.integers(1, 70), st.integers(1, 60), st.integers(0, 2**32 - 1))
Size = tuple[int, int, int]
Matrix = npt.NDArray[np.float32]


class Drawn:
    """Tables of random numbers."""

    def __init__(self, size: Size) -> None:
        self.rows, self.width, seed = size
        self.random = np.random.default_rng(seed)

    def table(self, rows: int | None = None, width: int | None = None) -> Matrix:
        shape = (self.rows if rows is None else rows, self.width if width is None else width)
        return self.random.normal(0, 2, shape).astype(np.float32)

    def row(self) -> Matrix:
        row: Matrix = self.table(1)[0]
        return row

    def group(self) -> npt.NDArray[np.int32]:
        """Numbers without gaps from 0 on."""
        drawn = self.random.integers(0, self.rows, self.rows) // self.random.integers(1, 9)
        numbers: npt.NDArray[np.int32] = np.unique(drawn, return_inverse=True)[1].astype(np.int32)
        return numbers

    def span(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        ends = np.sort(self.random.integers(0, self.rows + 1, (2, self.rows)), axis=0).astype(np.int32)
        repeated = np.sort(self.random.integers(0, self.rows, self.rows))
        return np.ascontiguousarray(ends[0, repeated]), np.ascontiguousarray(ends[1, repeated])


def assert_alike(name: str, *arguments: Any) -> None:
    """The same result, and the same change of the first argument."""
    ours, theirs = ([one.copy() if isinstance(one, np.ndarray) else one for one in arguments] for _ in range(2))
    found, expected = getattr(layers, name)(*ours), getattr(layers_reference, name)(*theirs)
    for one, other in ((found, expected), (ours[0], theirs[0])):
        pairs = zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]
        for mine, other_one in pairs:
            if mine is None:
                assert other_one is None
                continue
            assert np.shape(mine) == np.shape(other_one)
            assert getattr(mine, "dtype", None) == getattr(other_one, "dtype", None)
            np.testing.assert_allclose(mine, other_one, rtol=1e-5, atol=1e-5)


@compiled
@given(sizes, st.sampled_from((0.5, 5.0)), st.integers(1, 9))
@settings(max_examples=150, deadline=None)
def test_both_kernels_do_the_same(size: Size, limit: float, step: int) -> None:
    drawn = Drawn(size)
    values, bias = drawn.table(), drawn.row()
    assert_alike("standardise", values, bias, drawn.row(), limit)
    assert_alike("dense", drawn.table(1), drawn.table(drawn.width, 7), drawn.table(1, 7))
    assert_alike("rectify", values, bias)
    assert_alike("add_rectified", values, drawn.table(), bias)
    assert_alike("mix", values, drawn.row(), drawn.row(), drawn.row(), step)
    assert_alike("soften", values, limit, bias)
    assert_alike("sum_rectified", values, bias, drawn.row(), limit)
    assert_alike("find_chances", bias * 20, limit * 8)


@compiled
@given(sizes)
@settings(max_examples=150, deadline=None)
def test_both_kernels_pool_alike(size: Size) -> None:
    drawn = Drawn(size)
    values, groups = drawn.table(), [drawn.group() for _ in range(3)]
    weights = drawn.random.random(drawn.rows).astype(np.float32) + np.float32(0.1)
    assert_alike("group_means", values, groups[0], weights)
    assert_alike("means_between", values, *drawn.span())
    tables = [(drawn.table(int(group.max()) + 1), group) for group in groups]
    assert_alike("add_pooled", values, drawn.row(), *tables)


@compiled
@given(sizes)
@settings(max_examples=100, deadline=None)
def test_both_kernels_cut_alike(size: Size) -> None:
    drawn = Drawn(size)
    chances = drawn.random.random(drawn.rows).astype(np.float32)
    words = drawn.random.integers(0, 300, drawn.rows).astype(np.float32)
    order = np.argsort(-chances, kind="stable")
    assert_alike("find_cut", chances, words, order, 1.1)


@pytest.mark.parametrize("kernel", BOTH)
def test_the_figures_are_those_of_the_formulas(kernel: ModuleType) -> None:
    values = np.array([[1, -2], [3, 4], [5, 0]], dtype=np.float32)
    row = np.array([1, -1], dtype=np.float32)
    np.testing.assert_allclose(kernel.mix(values, row, 2 * row, 3 * row, 2), [[17, 4], [6, -8], [11, 2]])
    group = np.array([0, 1, 0], dtype=np.int32)
    means, sums = kernel.group_means(values, group, np.array([1, 1, 3], dtype=np.float32))
    np.testing.assert_allclose(means, np.array([[4, -0.5], [3, 4]]))
    np.testing.assert_allclose(sums, [4, 1])
    first, stop = np.array([0, 0, 1], dtype=np.int32), np.array([2, 2, 1], dtype=np.int32)
    means, owner = kernel.means_between(values, first, stop)
    np.testing.assert_allclose(means, [[2, 1], [0, 0]])
    assert owner.tolist() == [0, 0, 1]
    shares = values.copy()
    kernel.soften(shares, 0.5, row)
    np.testing.assert_allclose(shares[:, 0], 1 / (1 + np.exp(-np.array([3.5, 1.5, 4.5]))), rtol=1e-6)
    assert kernel.sum_rectified(values, row, row, 0.25).tolist() == [2.25, 1.25, 6.25]
    chances = kernel.find_chances(np.array([-100, 0, 1, 100], dtype=np.float32), 12.0)
    np.testing.assert_allclose(chances, [6.144e-6, 0.5, 0.7310586, 1 - 6.144e-6], rtol=1e-4)


@pytest.mark.parametrize("kernel", BOTH)
def test_shares_of_far_apart_numbers_are_finite(kernel: ModuleType) -> None:
    values = np.array([[1e30, -1e30, 0], [-1e4, 0, 1e4], [3, 3, 3]], dtype=np.float32)
    kernel.soften(values, 1.0, np.zeros(3, dtype=np.float32))
    np.testing.assert_allclose(values, np.array([[1, 0, 0], [0, 0, 1], [1 / 3, 1 / 3, 1 / 3]]), atol=1e-6)


@compiled
def test_tables_that_do_not_fit_are_refused() -> None:
    """The native kernel follows the numbers that it is given: wrong ones must not lead it out of its tables."""
    values, row, ones = np.ones((3, 4), dtype=np.float32), np.ones(4, dtype=np.float32), np.ones(3, dtype=np.float32)
    good, bad = np.zeros(3, dtype=np.int32), np.array([0, 3, 1], dtype=np.int32)
    wrong: list[tuple[Any, ...]] = [
        (layers.standardise, values, row[:3], row, 5.0),
        (layers.dense, row, values, row),
        (layers.rectify, values, ones),
        (layers.rectify, values.astype(np.float64), row),
        (layers.add_rectified, values, values[:2], row),
        (layers.mix, values, row, row, row, 0),
        (layers.group_means, values, bad, ones),
        (layers.group_means, values, good - 1, ones),
        (layers.group_means, values, good[:2], ones),
        (layers.means_between, values, good, good + 4),
        (layers.means_between, values, good + 1, good),
        (layers.add_pooled, values, row, (values, good), (values[:1], bad // 2), (values, good)),
        (layers.soften, values, 1.0, ones),
        (layers.sum_rectified, values, row, ones, 0.0),
        (layers.find_cut, ones, ones, np.array([0, 1, 3]), 1.1),
        (layers.find_cut, ones, ones, np.array([0, 1]), 1.1),
    ]
    for call, *arguments in wrong:
        with pytest.raises(ValueError, match=r"fit|wanted"):
            call(*arguments)


def read_page(html: bytes | str) -> tuple[Reading, learned.Decision]:
    page = parse(html)
    words = page.per_block(page.runs.words).astype(np.float32)
    reading = read_blocks(read_arrays(shipped_weights()), read_features(page), words)
    return reading, learned.decide(reading.logits, words, learned.find_copies(page))


@compiled
def test_the_network_says_the_same_with_both(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [labelled.read() for labelled in read_labelled(LABELLED)][::4]
    pages: list[bytes | str] = [*own, "<p>a", "<p>a b<p>c", "<ul>" + "<li>x" * 99]
    native = [read_page(page) for page in pages]
    monkeypatch.setattr(block_network, "layers", layers_reference)
    monkeypatch.setattr(learned, "layers", layers_reference)
    for page, (reading, decision) in zip(pages, native, strict=True):
        plain, decided = read_page(page)
        np.testing.assert_allclose(reading.logits, plain.logits, atol=2e-4)
        np.testing.assert_allclose(reading.types, plain.types, atol=1e-4)
        np.testing.assert_allclose(decision.chances, decided.chances, atol=1e-4)
        assert decision.expected == pytest.approx(decided.expected, abs=1e-4)
