"""The network and its cut: native and in numpy the same on all tables that fit; others are refused."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.kernel import BlockNetwork
from bodytext.kernel.layers import CutRule, PoolingPlan
from bodytext.kernel.network_shape import COLUMNS, FIRST_ADDRESS
from bodytext.methods.learned import decision as learned
from bodytext.methods.learned.decision import RULE
from bodytext.methods.learned.features import read_features
from bodytext.methods.learned.network import NetworkOutput, read_blocks, run
from bodytext.methods.learned.weights import read_network, shipped_weights
from bodytext.methods.weights import read_arrays
from bodytext.page.parser import parse
from bodytext.studio.labels.labelled_set import read_labelled
from example_counts import some_of
from kernel_twins import IS_BUILT, compiled, import_both, import_native, import_twin

LABELLED = Path(__file__).parent.parent / "labelled"
BOTH = import_both("layers")
TWIN = import_twin("layers")
NETWORKS = [module.BlockNetwork for module in BOTH]
if IS_BUILT:  # as on processors that multiply few numbers at a time
    NETWORKS += [
        partial(import_native("layers").BlockNetwork, most_bytes=size) for size in (16, 32)
    ]
sizes = st.tuples(st.integers(1, 120), st.integers(0, 2**32 - 1))
Size = tuple[int, int]
Matrix = npt.NDArray[np.float32]
Arrays = dict[str, Matrix]


class Drawn:
    """Tables of random numbers for some blocks."""

    def __init__(self, size: Size) -> None:
        self.count, seed = size
        self.random = np.random.default_rng(seed)

    def weights(self) -> Arrays:
        """Those of a network that has learned nothing; no number grows over the layers."""
        known = read_arrays(shipped_weights())
        drawn = {
            key: self.table(*array.shape) / np.float32(max(len(array), 9) ** 0.5)
            for key, array in known.items()
        }
        return drawn | {
            key: self.random.random(known[key].shape, dtype=np.float32)
            for key in ("scale", "page.scale")
        }

    def table(self, *shape: int) -> Matrix:
        return self.random.normal(0, 1, shape).astype(np.float32)

    def rows(self, width: int) -> Matrix:
        """Rows that have much of the row before, as those of a page do, and numbers that are cut."""
        rows = self.table(self.count, width) * np.float32(9)
        kept = self.random.random(rows.shape) < self.random.random()
        for row in range(1, len(rows)):
            rows[row, kept[row]] = rows[row - 1, kept[row]]
        return rows

    def plan(self) -> PoolingPlan:
        words = self.random.integers(0, 5, self.count).astype(np.float32) + np.float32(0.1)
        return PoolingPlan(self.group(), self.group(), *self.span(), words)

    def group(self) -> npt.NDArray[np.int32]:
        """Numbers without gaps from 0 on."""
        drawn = self.random.integers(0, self.count, self.count) // self.random.integers(1, 9)
        numbers: npt.NDArray[np.int32] = np.unique(drawn, return_inverse=True)[1].astype(np.int32)
        return numbers

    def span(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        ends = np.sort(self.random.integers(0, self.count + 1, (2, self.count)), axis=0).astype(
            np.int32
        )
        repeated = np.sort(self.random.integers(0, self.count, self.count))
        return np.ascontiguousarray(ends[0, repeated]), np.ascontiguousarray(ends[1, repeated])


@compiled
@given(sizes)
@settings(max_examples=60, deadline=None)
def test_both_networks_say_the_same(size: Size) -> None:
    drawn = Drawn(size)
    arrays, plan = drawn.weights(), drawn.plan()
    rows, page = drawn.rows(len(arrays["mean"])), drawn.table(1, len(arrays["page.mean"]))
    expected = run(TWIN.BlockNetwork(arrays), rows, page, plan)
    for most_bytes in (16, 32, 64):
        network = import_native("layers").BlockNetwork(arrays, most_bytes=most_bytes)
        found = run(network, rows, page, plan)
        np.testing.assert_allclose(found.logits, expected.logits, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(found.types, expected.types, atol=1e-5)


def pass_on(**known: float) -> Arrays:
    """Weights of a network that gives the first feature of a block as it is, and the first number of some arrays."""
    arrays = {key: np.zeros_like(array) for key, array in read_arrays(shipped_weights()).items()}
    arrays |= {key: np.ones_like(arrays[key]) for key in ("scale", "page.scale")}
    for key in ("input.weights", "last.weights", "output.weights"):
        arrays[key][0, 0] = 1
    for key, value in known.items():
        arrays[key.replace("_", ".")].flat[0] = value
    return arrays


def read_numbers(
    network: BlockNetwork, numbers: list[float], plan: PoolingPlan | None = None
) -> list[float]:
    """The logits of blocks of which one number each is known."""
    shipped, count = read_arrays(shipped_weights()), len(numbers)
    rows = np.zeros((count, len(shipped["mean"])), dtype=np.float32)
    rows[:, 0] = numbers
    alone = np.arange(count, dtype=np.int32)
    plan = plan or PoolingPlan(alone, alone, alone, alone + 1, np.ones(count, dtype=np.float32))
    logits: list[float] = run(
        network, rows, np.zeros_like(shipped["page.mean"]), plan
    ).logits.tolist()
    return logits


@pytest.mark.parametrize("kind", NETWORKS)
def test_features_are_standardised_and_cut(kind: type[BlockNetwork]) -> None:
    assert read_numbers(kind(pass_on(mean=1, scale=2)), [0, 1, 2, 3, 4, 2]) == [0, 0, 2, 4, 5, 2]


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize(("layer", "step"), [(0, 1), (1, 2), (2, 4), (3, 8)])
def test_a_layer_mixes_a_block_with_those_so_far_away(
    kind: type[BlockNetwork], layer: int, step: int
) -> None:
    parts = {"before": 0.5, "behind": 0.25, "weights": 1}
    arrays = pass_on(**{f"mix{layer}_{part}": value for part, value in parts.items()})
    numbers = np.zeros(19)
    numbers[9] = 4
    expected = numbers.copy()
    expected[9 + step], expected[9 - step] = 2, 1
    assert read_numbers(kind(arrays), numbers.tolist()) == expected.tolist()


@pytest.mark.parametrize("kind", NETWORKS)
def test_means_of_like_blocks_and_of_those_around(kind: type[BlockNetwork]) -> None:
    alike, path = np.array([0, 1, 0, 2], np.int32), np.array([0, 0, 0, 0], np.int32)
    first, stop = np.array([0, 0, 1, 1], np.int32), np.array([2, 2, 2, 1], np.int32)
    plan = PoolingPlan(alike, path, first, stop, np.ones(4, dtype=np.float32))
    numbers = [1.0, 2, 3, 4]
    assert read_numbers(kind(pass_on(pool_alike=1)), numbers, plan) == [1 + 2, 2 + 2, 3 + 2, 4 + 4]
    assert read_numbers(kind(pass_on(pool_path=1)), numbers, plan) == [3.5, 4.5, 5.5, 6.5]
    assert read_numbers(kind(pass_on(pool_whole=1)), numbers, plan) == [3.5, 4.5, 5.5, 6.5]
    assert read_numbers(kind(pass_on(pool_around=1)), numbers, plan) == [2.5, 3.5, 5, 4]


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_group_looks_at_the_groups_with_the_most_words(kind: type[BlockNetwork]) -> None:
    """Of 49 groups 48, the earlier of equals; each by its words to the power of 0.3."""
    words = np.full(49, 2.0, dtype=np.float32)
    words[7] = 1024
    alone = np.arange(49, dtype=np.int32)
    numbers = np.zeros(49)
    numbers[[7, 48]] = [2, 5]  # the last is not looked at
    logits = read_numbers(
        kind(pass_on(look_seen=1, look_told=1)),
        numbers.tolist(),
        PoolingPlan(alone, alone, alone, alone + 1, words),
    )
    share = 1024**0.3 / (1024**0.3 + 47 * 2**0.3)
    np.testing.assert_allclose(np.subtract(logits, numbers), 2 * share, rtol=1e-5)


def plan_two_groups() -> PoolingPlan:
    """Three blocks of 1, 3 and 4 words; the first two are alike."""
    alike, alone = np.array([0, 0, 1], np.int32), np.arange(3, dtype=np.int32)
    return PoolingPlan(alike, alone, alone, alone + 1, np.array([1, 3, 4], dtype=np.float32))


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_group_asks_once_for_all_its_blocks(kind: type[BlockNetwork]) -> None:
    """It asks by the mean of its blocks over their words, so all of them get the same answer."""
    plan, numbers = plan_two_groups(), [1.0, 3, 2]
    arrays = pass_on(look_seen=1, look_told=1, look_query=1, look_key=1)
    logits = read_numbers(kind(arrays), numbers, plan)
    means = np.array([2.5, 2])  # (1 * 1 + 3 * 3) / 4, and that of the block alone
    powers = np.exp(np.outer(means, means) / 4)
    seen = powers @ means / powers.sum(1)
    np.testing.assert_allclose(np.subtract(logits, numbers), seen[plan.alike], rtol=1e-4)


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_group_tells_its_blocks_what_it_is_by_words(kind: type[BlockNetwork]) -> None:
    plan, numbers = plan_two_groups(), [1.0, 3, 2]
    logits = read_numbers(kind(pass_on(look_own=2, look_told=1)), numbers, plan)
    np.testing.assert_allclose(np.subtract(logits, numbers), [5, 5, 4], rtol=1e-5)


@pytest.mark.parametrize("kind", NETWORKS)
def test_the_page_tells_its_blocks_what_it_is(kind: type[BlockNetwork]) -> None:
    arrays = pass_on(whole_weights=2, whole_told=3)  # of the mean over blocks
    assert read_numbers(kind(arrays), [1.0, 2, 3]) == [13, 14, 15]


@pytest.mark.parametrize("kind", NETWORKS)
def test_an_address_that_is_not_known_says_nothing(kind: type[BlockNetwork]) -> None:
    arrays = pass_on(page_bias=1, input_page=1)
    arrays["page.weights"][FIRST_ADDRESS:, 0] = 1
    page = np.zeros_like(arrays["page.mean"])
    page[FIRST_ADDRESS + 1 :] = 1
    said = [read_alone(kind(arrays), page)]
    page[FIRST_ADDRESS] = 1
    said.append(read_alone(kind(arrays), page))
    assert said == [1, 1 + len(page) - FIRST_ADDRESS]


def read_alone(network: BlockNetwork, page: npt.NDArray[np.float32]) -> float:
    """The logit of the only block of a page, which has no features."""
    rows, alone = np.zeros((1, COLUMNS), dtype=np.float32), np.zeros(1, dtype=np.int32)
    plan = PoolingPlan(alone, alone, alone, alone + 1, np.ones(1, dtype=np.float32))
    return float(run(network, rows, page[None], plan).logits[0])


def assert_alike(name: str, *arguments: Any) -> None:
    """The same result."""
    found, expected = (
        getattr(import_native("layers"), name)(*arguments),
        getattr(TWIN, name)(*arguments),
    )
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@compiled
@given(sizes, st.sampled_from((1.0, 8.0, 80.0)), st.booleans())
@settings(max_examples=some_of(200), deadline=None)
def test_both_kernels_decide_alike(size: Size, spread: float, often_equal: bool) -> None:
    drawn = Drawn(size)
    logits = drawn.table(drawn.count) * np.float32(spread)
    if often_equal:
        logits = np.round(logits / 4) * 4
    words = drawn.random.integers(0, 300, drawn.count).astype(np.float32)
    original = np.arange(drawn.count)
    copies = (
        drawn.random.integers(1, drawn.count, drawn.count // 3) if drawn.count > 1 else original[:0]
    )
    original[copies] = 0
    native, plain = (
        module.decide(logits, words, original, RULE) for module in (import_native("layers"), TWIN)
    )
    for found, expected in zip(native, plain, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    chances = drawn.random.random(drawn.count).astype(np.float32)
    assert_alike(
        "add_up_answer", drawn.random.random(drawn.count).astype(np.float32), chances, words, 0.5
    )


@pytest.mark.parametrize("module", BOTH)
def test_chances_are_those_of_the_formula(module: ModuleType) -> None:
    logits = np.array([-100, 0, 1, 100], dtype=np.float32)
    chances, _, _ = module.decide(logits, np.ones_like(logits), np.arange(4), RULE)
    np.testing.assert_allclose(chances, [0, 0.5, 0.7310586, 1], rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("module", BOTH)
def test_the_cut_lies_where_the_expected_f1_is_highest(module: ModuleType) -> None:
    """Of 0.9 * 10, 0.5 * 10 and 0.1 * 10 likely words in blocks of ten the first two are kept: 28 / 36.5 of F1."""
    chances = np.array([0.5, 0.9, 0.1])
    logits = np.log(chances / (1 - chances)).astype(np.float32)
    words = np.full(3, 10, dtype=np.float32)
    _, scores, expected = module.decide(
        logits, words, np.arange(3), CutRule(weight=1.1, least=0.2, lean=0)
    )
    assert expected == pytest.approx(28 / 36.5, rel=1e-5)
    cut = (logits[0] + max(logits[2], logits[0] - 2)) / 2
    stretch = 4 / (logits[1] - cut)  # the likeliest block lies at least this high
    np.testing.assert_allclose(
        scores, 1 / (1 + np.exp((cut - logits) * [stretch, stretch, 1])), rtol=1e-4
    )


@pytest.mark.parametrize("module", BOTH)
def test_of_equal_logits_the_cut_is_one_of_them(module: ModuleType) -> None:
    logits, words = np.zeros(5, dtype=np.float32), np.array([1, 900, 1, 1, 1], dtype=np.float32)
    logits[1] = -0.0
    chances, scores, _ = module.decide(logits, words, np.arange(5), RULE)
    assert set(chances.tolist()) == {0.5}
    assert len(set(scores.tolist())) == 1


@pytest.mark.parametrize("module", BOTH)
def test_an_answer_is_added_up(module: ModuleType) -> None:
    scores, chances, words = np.array(
        [[0.5, 0.4, 0.9], [0.75, 0.5, 1], [4, 2, 10]], dtype=np.float32
    )
    assert module.add_up_answer(scores, chances, words, 0.5) == (
        14,
        16,
        13,
        4 * 0.75 * 0.25 + 2 * 0.5 * 0.5,
        1,
    )


@compiled
def test_tables_that_do_not_fit_are_refused() -> None:
    """The native kernel follows the numbers that it is given: wrong ones must not lead it out of its tables."""
    drawn, native = Drawn((3, 0)), import_native("layers")
    arrays, good = drawn.weights(), np.zeros(3, dtype=np.int32)
    rows, page = drawn.rows(len(arrays["mean"])), drawn.table(1, len(arrays["page.mean"]))
    bad, words, network = (
        np.array([0, 3, 1], dtype=np.int32),
        np.ones(3, dtype=np.float32),
        native.BlockNetwork(arrays),
    )
    plan = PoolingPlan(good, good, good, good + 3, words)
    wrong: list[tuple[Any, Matrix, PoolingPlan]] = [
        (rows[:2], page, plan),
        (rows[:, 1:].copy(), page, plan),
        (rows.astype(np.float64), page, plan),
        (rows, page[:, 1:].copy(), plan),
        (rows, page, plan._replace(alike=bad)),
        (rows, page, plan._replace(path=good - 1)),
        (rows, page, plan._replace(alike=good[:2])),
        (rows, page, plan._replace(stop=good + 4)),
        (rows, page, plan._replace(first=good - 1)),
        (rows, page, plan._replace(first=good + 3, stop=good + 2)),
        (rows, page, plan._replace(words=words[:2])),
        (rows[:0], page, PoolingPlan(good[:0], good[:0], good[:0], good[:0], words[:0])),
    ]
    assert np.isfinite(run(network, rows, page, plan).logits).all()
    for arguments in wrong:
        with pytest.raises(ValueError, match=r"fit|wanted"):
            run(network, *arguments)
    with pytest.raises(ValueError, match="fit"):
        native.BlockNetwork(arrays | {"last.weights": arrays["last.weights"][:9]})
    for original in ([0, 1, 3], [0, 1], [0, -1, 2]):
        with pytest.raises(ValueError, match="fit"):
            native.decide(words, words, np.array(original), RULE)
    with pytest.raises(ValueError, match="fit"):
        native.add_up_answer(words, words, words[:2], 0.5)


def read_page(html: bytes | str, module: ModuleType) -> tuple[NetworkOutput, learned.Decision]:
    page = parse(html)
    features = read_features(page)
    reading = read_blocks(module.BlockNetwork(read_arrays(shipped_weights())), features)
    return reading, learned.decide_page(page, reading, features.words, features.topics)


@compiled
def test_the_network_counts_a_survey_that_nobody_has_read() -> None:
    page, network = parse("<ul><li>a<li>b c</ul><p>d e f."), read_network()
    unread, read = read_features(page), read_features(page)
    assert read.words.tolist() == [1, 2, 3]
    first, second = network.run(unread), network.run(read)
    for ours, theirs in zip(first, second, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(unread.page, read.page)
    np.testing.assert_array_equal(unread.rows(0, 3), read.rows(0, 3))
    np.testing.assert_array_equal(network.run(unread)[0], first[0])


@compiled
@pytest.mark.parametrize("importer", [import_native, import_twin])
def test_one_call_answers_as_network_and_decision_do(
    importer: Callable[[str], ModuleType],
) -> None:
    units, own = importer("units"), [labelled.read() for labelled in read_labelled(LABELLED)][::12]
    pages: list[bytes | str] = [*own, "<p>a", "<ul><li>a<li>b c</ul><p>d e f."]
    for page in map(parse, pages):
        for network in (read_network(), TWIN.BlockNetwork(read_arrays(shipped_weights()))):
            survey, whole, rule = read_features(page), (page.source, page.tables), (RULE, 0.5)
            output, answer = units.answer_page(network, survey, whole, rule)
            for ours, theirs in zip(output, network.run(survey), strict=True):
                np.testing.assert_array_equal(ours, theirs)
            values = (output[0], survey.words, survey.topics)
            expected = units.decide_page(*whole, values, output[1], rule)
            for ours, theirs in zip(answer[:2], expected[:2], strict=True):
                np.testing.assert_array_equal(ours, theirs)
            assert answer[2:] == expected[2:]


@compiled
def test_a_survey_that_was_handed_over_is_not_read() -> None:
    page = parse("<p>a")
    survey = import_native("survey").Survey(
        page.source, (page.nodes, page.runs, page.blocks), (b"", b"", b"")
    )
    with pytest.raises(ValueError, match="fit"):
        read_network().run(survey)  # its row is too short
    with pytest.raises(ValueError, match="counted"):
        import_native("units").answer_page(read_network(), survey, (page.source, page.tables), RULE)
    for name in ("page", "words", "source", "blocks"):
        with pytest.raises(ValueError, match="counted"):
            getattr(survey, name)


@compiled
def test_pages_are_read_the_same_with_both(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [labelled.read() for labelled in read_labelled(LABELLED)][::4]
    pages: list[bytes | str] = [*own, "<p>a", "<p>a b<p>c", "<ul>" + "<li>x" * 99]
    native = [read_page(page, import_native("layers")) for page in pages]
    monkeypatch.setattr(learned, "decide", import_twin("units").decide_page)
    for page, (reading, decision) in zip(pages, native, strict=True):
        plain, decided = read_page(page, TWIN)
        np.testing.assert_allclose(reading.logits, plain.logits, atol=1e-4)
        np.testing.assert_allclose(reading.types, plain.types, atol=1e-5)
        np.testing.assert_allclose(decision.chances, decided.chances, atol=1e-4)
        assert decision.measures == pytest.approx(decided.measures, abs=1e-3)
        assert decision.page_type == decided.page_type
