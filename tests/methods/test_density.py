"""density: lines, rules and networks."""

import numpy as np
import pytest

from bodytext import parse
from bodytext.methods import density
from bodytext.methods.density import (
    NETWORKS,
    RULES,
    Density,
    inputs,
    line_bytes,
    measure_lines,
    two_normal_threshold,
)
from bodytext.methods.perceptron import read_perceptrons
from bodytext.methods.weights import read_card

PAGE = "<div class='a long attribute'><a href='/x'>menu</a></div><p>" + "plain words " * 20 + "</p>"


def test_a_line_takes_all_bytes_since_the_line_before() -> None:
    html, text = line_bytes(parse("<p>abc</p><p>de</p>"))
    assert html.tolist() == [len("<p>abc"), len("</p><p>de")]
    assert text.tolist() == [3, 2]


def test_bytes_are_utf8_and_references_are_resolved() -> None:
    html, text = line_bytes(parse("<p>é&amp;ế</p>"))
    assert text.tolist() == [2 + 1 + 3]
    assert html.tolist() == [3 + 2 + 5 + 3]


def test_the_fixed_threshold_is_one_half() -> None:
    page = parse("<p>1234</p><b></b><p>1234567890123456789012345</p>")
    html, text = line_bytes(page)
    assert Density("threshold").score(page).values == pytest.approx(text / html)
    assert (Density("threshold").score(page).values > 0.5).tolist() == [True, True]


def test_the_average_rule_keeps_what_is_denser_than_the_mean() -> None:
    page = parse(PAGE + PAGE)
    dense = measure_lines(page)[:, 0]
    assert ((Density("average").score(page).values > 0.5) == (dense > dense.mean())).all()


def test_two_normal_finds_the_point_between_two_heaps() -> None:
    random = np.random.default_rng(0)
    dense = np.concatenate((random.normal(0.1, 0.03, 300), random.normal(0.8, 0.06, 200))).astype(
        np.float32
    )
    threshold = two_normal_threshold(dense)
    assert 0.15 < threshold < 0.65
    assert ((dense > threshold) == (np.arange(500) >= 300)).mean() > 0.99


@pytest.mark.parametrize("values", [[0.5], [0.5] * 4, [0.0, 1.0], [0.1, 0.1, 0.9, 0.9]])
def test_two_normal_survives_degenerate_pages(values: list[float]) -> None:
    assert np.isfinite(two_normal_threshold(np.array(values, dtype=np.float32)))


def test_networks_see_one_three_or_nine_numbers() -> None:
    lines = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert inputs(lines, "1A").shape == (4, 1)
    assert inputs(lines, "3A").shape == (4, 3)
    assert inputs(lines, "3L").shape == inputs(lines, "mlp").shape == (4, 9)
    assert inputs(lines, "3L")[0, :3].tolist() == [0, 0, 0]
    assert inputs(lines, "3L")[1].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert inputs(lines, "3L")[3, 6:].tolist() == [0, 0, 0]


def test_the_shipped_networks_have_the_shapes_of_the_article() -> None:
    networks = read_perceptrons("density")
    assert set(networks) == set(NETWORKS)
    assert [networks[name].layers[0][0].shape[0] for name in ("1A", "3A", "3L", "mlp")] == [
        1,
        3,
        9,
        9,
    ]
    assert [len(networks[name].layers) for name in ("1A", "3A", "3L", "mlp")] == [1, 1, 1, 2]


def test_the_card_names_data_and_errors() -> None:
    card = read_card("density")
    assert card["data"]["digest"]
    errors = card["cross_validated_by_domain"]
    total = {
        name: errors[name]["false_positives"] + errors[name]["false_negatives"] for name in errors
    }
    assert set(total) == set(RULES + NETWORKS)
    assert total["mlp"] < total["3L"] < total["threshold"]


@pytest.mark.parametrize("rule", RULES + NETWORKS)
def test_every_rule_tells_text_from_a_menu(rule: str) -> None:
    menu, text = Density(rule).score(parse(PAGE)).values
    assert menu < text


def test_stretches_of_a_huge_page_join_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    page = parse(PAGE * 20)
    whole = Density().score(page).values
    monkeypatch.setattr(density, "_STRETCH", 7)
    assert Density().score(page).values == pytest.approx(whole)


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="rule must be one of"):
        Density("best")
