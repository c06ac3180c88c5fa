"""The learned method: network, decision, kind of page, confidence, and text that a page does not show."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bodytext
from bodytext import kernel
from bodytext.kernel.network_shape import PAGE_TYPES
from bodytext.methods.cuter import Cuter
from bodytext.methods.learned import method as learned
from bodytext.methods.learned import network as block_network
from bodytext.methods.learned.decision import RULE, Decision
from bodytext.methods.learned.features import (
    block_names,
    page_names,
    read_features,
    with_address,
)
from bodytext.methods.learned.method import Learned, is_flood
from bodytext.methods.learned.network import make_plan, read_blocks
from bodytext.methods.learned.weights import (
    OPTIONAL_SHAPES,
    SHAPES,
    read_network,
    read_weights,
    shipped_weights,
)
from bodytext.methods.scores import PRESETS
from bodytext.methods.weights import read_arrays, read_card
from bodytext.page.parser import parse
from bodytext.studio.labels.labelled_set import read_labelled

LABELLED = Path(__file__).parent.parent / "labelled"
PROSE = "The ferry left at dawn with nine passengers, a crate of eels and the post for the outer islands. "


def arrays_of(*values: float) -> npt.NDArray[np.float32]:
    return np.array(values, dtype=np.float32)


def save(path: Path, arrays: dict[str, npt.NDArray[np.float32]]) -> None:
    """Write a file of weights."""
    np.savez(path, **arrays)  # type: ignore[arg-type]


def test_it_is_the_default() -> None:
    html = read_labelled(LABELLED)[0].read()
    assert str(bodytext.extract(html)) == str(bodytext.extract(html, method="learned"))


def test_the_weights_fit_the_features() -> None:
    arrays, card = read_arrays(shipped_weights()), read_card("learned")
    advice = "the features changed: train new weights, see CONTRIBUTING.md"
    assert tuple(card["block_features"]) == block_names(), advice
    assert tuple(card["page_features"]) == page_names(), advice
    assert {name: array.shape for name, array in arrays.items()} == SHAPES | OPTIONAL_SHAPES, advice
    assert Path(shipped_weights()).stat().st_size < 2_000_000


def test_every_own_page_gets_text_kind_and_confidence() -> None:
    right = 0
    pages = read_labelled(LABELLED)
    for labelled in pages:
        document = bodytext.extract(labelled.read())
        assert document.page_type in PAGE_TYPES
        assert document.confidence is not None
        assert 0 <= document.confidence <= 1
        assert len(document.paragraphs) > 0, labelled.identity
        right += document.page_type == labelled.page_type
    assert right >= 0.7 * len(pages)


def test_other_methods_tell_no_kind() -> None:
    document = bodytext.extract("<p>a b c", method="finn")
    assert (document.page_type, document.confidence) == ("", None)


def test_an_empty_page_has_no_confidence() -> None:
    document = bodytext.extract("")
    assert (str(document), document.confidence, document.reason) == ("", 0.0, "the page is empty")


# The decision.


def decide(
    logits: npt.NDArray[np.float32], words: npt.NDArray[np.float32], original: npt.NDArray[np.intp]
) -> Decision:
    chances, scores, expected = kernel.decide(logits, words, original, RULE)
    return Decision(chances, scores, "", (expected,))


def test_the_cut_is_where_the_expected_f1_is_highest() -> None:
    logits, words = arrays_of(4, 3, -4, -5), arrays_of(100, 100, 100, 100)
    decision = decide(logits, words, np.arange(4))
    assert (decision.scores >= 0.5).tolist() == [True, True, False, False]
    assert decision.measures[0] > 0.9


def test_nothing_is_kept_where_nothing_is_likely() -> None:
    decision = decide(arrays_of(-2, -3), arrays_of(10, 10), np.arange(2))
    assert not (decision.scores >= 0.5).any()
    assert decision.scores[0] > decision.scores[1] > 0


def test_a_doubtful_block_that_is_small_beside_the_rest_is_kept() -> None:
    """At one in two: what is lost by leaving it out is about what is lost by keeping it, up to the 1.1."""
    decision = decide(arrays_of(5, 0.5, -3), arrays_of(500, 20, 300), np.arange(3))
    assert (decision.scores >= 0.5).tolist() == [True, True, False]


def test_of_equal_texts_the_first_is_kept_with_the_best_score() -> None:
    decision = decide(arrays_of(-1, 3, -6), arrays_of(30, 30, 30), np.array([0, 0, 2]))
    assert (decision.scores >= 0.5).tolist() == [True, False, False]
    assert decision.scores[1] == 0


@given(st.lists(st.tuples(st.floats(-30, 30), st.integers(0, 5000)), min_size=1, max_size=40))
def test_scores_keep_the_order_of_the_chances(blocks: list[tuple[float, int]]) -> None:
    logits = arrays_of(*(logit for logit, _ in blocks))
    words = arrays_of(*(count for _, count in blocks))
    scores = decide(logits, words, np.arange(len(blocks))).scores
    order = np.argsort(-logits, kind="stable")
    assert (np.diff(scores[order]) <= 1e-6).all()
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()


def test_the_threshold_trades_precision_for_recall() -> None:
    html = read_labelled(LABELLED)[0].read()
    lengths = [
        len(str(bodytext.extract(html, threshold=at))) for at in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]


def test_presets_are_names_of_thresholds() -> None:
    html = read_labelled(LABELLED)[0].read()
    for name, value in PRESETS.items():
        assert str(bodytext.extract(html, threshold=name)) == str(
            bodytext.extract(html, threshold=value)
        )
    with pytest.raises(ValueError, match="or one of precision, balanced, recall"):
        bodytext.extract(html, threshold="highest")  # type: ignore[arg-type]


# The network.


def test_a_long_page_is_read_in_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    page = parse("".join(f"<div class=a><h2>Head {n}</h2><p>{PROSE}</div>" for n in range(60)))
    whole = read_blocks(read_network(), read_features(page))
    monkeypatch.setattr(block_network, "STRETCH", 50)
    parts = read_blocks(read_network(), read_features(page))
    assert parts.logits.shape == whole.logits.shape
    assert np.isfinite(parts.logits).all()
    assert float(parts.types.sum()) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("limit", ["MOST_BLOCKS", "MOST_RUNS"])
def test_a_flood_is_left_to_cuter(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    page = parse("".join(f"<p>{PROSE}" for _ in range(20)) + "<ul>" + "<li><a href=/>x</a>" * 20)
    monkeypatch.setattr(learned, limit, 30)
    scores = Learned().score(page)
    assert np.array_equal(scores.values, Cuter().score(page).values)
    assert (scores.page_type, scores.confidence) == ("", None)


def test_a_plan_numbers_groups_from_nothing_on() -> None:
    page = parse("<ul><li>a<li>b<li>c</ul><p>d")
    plan = make_plan(read_features(page), range(4))
    assert len(set(plan.alike[:3].tolist())) == 1
    assert plan.alike.min() == 0
    assert ((plan.first <= np.arange(4)) & (plan.stop > np.arange(4))).all()


@settings(deadline=None)  # the first call reads the weights
@given(st.binary(max_size=300))
def test_any_bytes_are_judged(data: bytes) -> None:
    document = bodytext.extract(b"<p>" + data)
    assert document.confidence is not None
    assert np.isfinite(document.confidence)


def test_a_file_that_holds_no_weights_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "model.npz"
    broken.write_bytes(b"no weights")
    for path in (broken, tmp_path / "missing.npz"):
        with pytest.raises(ValueError, match="bodytext train"):
            Learned(str(path)).score(parse("<p>a"))


def test_weights_of_another_method_are_refused(tmp_path: Path) -> None:
    other, broken = str(Path(shipped_weights()).with_name("density.npz")), tmp_path / "broken.npz"
    arrays = read_arrays(shipped_weights())
    np.savez(broken, **(arrays | {"mean": arrays["mean"] * np.nan}))
    for path in (other, str(broken)):
        with pytest.raises(
            ValueError, match=r"no weights of this version|is not a file of weights"
        ):
            Learned(path).score(parse("<p>a"))


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("mean", (290,), "mean is 290, must be 289"),
        ("input.weights", (290, 24), "input.weights is 290 x 24, must be 289 x 24"),
        ("page.mean", (), "page.mean is a single number, must be 247"),
        ("confidence.weights", (27, 1), "confidence.weights is 27 x 1, must be 28 x 1"),
    ],
)
def test_weights_of_another_shape_are_refused_by_name(
    tmp_path: Path, name: str, shape: tuple[int, ...], message: str
) -> None:
    arrays, model = read_arrays(shipped_weights()), tmp_path / "other.npz"
    save(model, arrays | {name: np.zeros(shape, dtype=np.float32)})
    with pytest.raises(ValueError, match="train again") as refusal:
        Learned(str(model))
    assert message in str(refusal.value)


def test_own_weights_that_do_not_fit_are_refused_with_advice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(SHAPES, "mean", (290,))
    with pytest.raises(
        ValueError,
        match=r"the package's weights do not fit its features \(mean is 289, must be 290\): "
        r"train new ones, see CONTRIBUTING.md",
    ):
        read_weights.__wrapped__()


def test_weights_without_an_array_are_refused(tmp_path: Path) -> None:
    arrays, model = read_arrays(shipped_weights()), tmp_path / "less.npz"
    save(model, {name: array for name, array in arrays.items() if name != "mean"})
    with pytest.raises(ValueError, match=r"\(it has no array mean\)"):
        Learned(str(model))


def test_weights_may_have_no_confidence(tmp_path: Path) -> None:
    arrays, model = read_arrays(shipped_weights()), tmp_path / "less.npz"
    save(model, {name: arrays[name] for name in SHAPES})
    assert Learned(str(model)).score(parse(f"<p>{PROSE}")).confidence is not None


def test_the_address_is_the_canonical_one_where_none_is_given() -> None:
    page = parse("<link rel=canonical href='https://example.org/a'><p>x")
    assert with_address(page).url == "https://example.org/a"
    assert with_address(parse("<p>x", url="https://example.org/b")).url == "https://example.org/b"


# What the page carries but does not show.


def test_text_in_json_ld_serves_where_the_page_shows_none() -> None:
    body = " ".join(f"{PROSE} ({number})" for number in range(12))
    data = f'{{"@type": "NewsArticle", "headline": "Ferry", "author": "Ines Holm", "articleBody": "{body}"}}'
    html = f'<title>T</title><div id=root></div><script type="application/ld+json">{data}</script>'
    document = bodytext.extract(html)
    assert "(7)" in str(document)
    assert document.origin == "JSON-LD articleBody"
    assert document.title == "T"
    assert (document.metadata.title, tuple(document.metadata.authors)) == ("Ferry", ("Ines Holm",))
    assert document.confidence is None


def test_a_page_that_shows_its_text_is_not_searched_for_more() -> None:
    shown = "".join(f"<p>{PROSE} {number}" for number in range(20))
    html = f'{shown}<script type="application/ld+json">{{"@type":"NewsArticle","articleBody":"other words here"}}</script>'
    document = bodytext.extract(html)
    assert document.origin == ""
    assert "other words" not in str(document)
    assert document.reason == ""


def test_a_doubtful_answer_says_why() -> None:
    shell = "<title>App</title><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>"
    document = bodytext.extract(shell + "<script src=/static/js/main.js></script>")
    assert "JavaScript" in document.reason


@pytest.mark.parametrize("missing", ["confidence.weights", "confidence.bias"])
def test_weights_without_a_whole_curve_give_the_expected_f1(missing: str, tmp_path: Path) -> None:
    arrays = {
        name: array for name, array in read_arrays(shipped_weights()).items() if name != missing
    }
    np.savez(tmp_path / "model.npz", allow_pickle=False, **arrays)
    scores = Learned(str(tmp_path / "model.npz")).score(parse(f"<p>{PROSE}"))
    assert scores.confidence is not None
    assert 0 <= scores.confidence <= 1


def test_a_page_of_one_letter_pieces_is_a_flood() -> None:
    letters = parse("<b>a" * 12_000)
    assert is_flood(letters)
    assert Learned().score(letters).confidence is None  # CUTER answers, and gives none
    assert not is_flood(parse("<b>a" * 4_000))
    assert not is_flood(parse("<b>words of some length, as they are written</b>" * 12_000))
