"""Training of density: labels by alignment, folds, and networks that learn."""

import doctest
import gzip
import json
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bodytext.page.parser import parse
from bodytext.studio.labels import labelled_set as labelled
from bodytext.studio.training import density_training as density
from bodytext.studio.training import examples as dataset
from bodytext.studio.training.alignment import label_blocks, match_in_order

WORDS = st.lists(st.sampled_from("abcd"), max_size=14)


def longest_common_length(first: list[str], second: list[str]) -> int:
    row = [0] * (len(second) + 1)
    for word in first:
        before = row
        row = [0]
        for index, theirs in enumerate(second):
            row.append(before[index] + 1 if word == theirs else max(row[-1], before[index + 1]))
    return row[-1]


@given(WORDS, WORDS)
def test_matched_words_are_a_longest_common_subsequence(
    page: list[str], reference: list[str]
) -> None:
    matched = match_in_order(page, reference)
    common = [word for word, kept in zip(page, matched, strict=True) if kept]
    assert len(common) == longest_common_length(page, reference)
    rest = iter(reference)
    assert all(word in rest for word in common)


def test_blocks_are_labelled_by_the_reference() -> None:
    texts = [
        "Home news",
        "The story begins here.",
        "Buy now",
        "It ends there.",
        "A caption moved away",
        "About us",
    ]
    labels = label_blocks(texts, "A caption moved away\n\nThe story begins here. It ends there.")
    assert labels.tolist() == [False, True, False, True, True, False]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_both_forms_of_a_letter_are_one_word(form: Literal["NFC", "NFD"]) -> None:
    texts = [normalize(form, text) for text in ("Accueil", "L'été est déjà passé à Orléans")]
    for other in ("NFC", "NFD"):
        reference = normalize(other, "L'été est déjà passé à Orléans")
        assert label_blocks(texts, reference).tolist() == [False, True]


def test_domains_and_folds() -> None:
    assert doctest.testmod(labelled).failed == 0
    assert {labelled.fold_of(f"site{number}.example", 5) for number in range(60)} == set(range(5))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "html").mkdir()
    (tmp_path / "ground-truth").mkdir()
    for number in range(12):
        text = [
            f"Paragraph {line} of page {number} has a good number of plain words in it."
            for line in range(4)
        ]
        menu = "".join(
            f"<li class='item item-{n} long-class-name'><a href='/some/long/path/{n}'>Link {n}</a>"
            for n in range(6)
        )
        html = f"<ul>{menu}</ul>" + "".join(f"<p>{line}</p>" for line in text)
        (tmp_path / "html" / f"{number}.html.gz").write_bytes(gzip.compress(html.encode()))
        truth = {
            "url": f"http://site{number}.example/",
            "ground_truth": {"main_content": "\n".join(text)},
        }
        (tmp_path / "ground-truth" / f"{number}.json").write_text(json.dumps(truth))
    return tmp_path


@pytest.mark.slow
def test_networks_learn_from_labelled_pages(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(density, "STEPS", 150)
    density.main([str(folder), "-o", str(tmp_path)])
    card = json.loads((tmp_path / "density.json").read_text())
    assert card["data"]["pages"] == 12
    errors = card["cross_validated_by_domain"]["mlp"]
    assert errors["lines"] == 12 * 10
    assert errors["false_positives"] + errors["false_negatives"] <= 6
    with np.load(tmp_path / "density.npz") as arrays:
        assert "mlp.1.weights" in arrays.files


def test_training_is_reproducible(folder: Path) -> None:
    examples = list(dataset.read_examples(folder))
    first, second = (density.fit_network("3A", examples, seed=3) for _ in range(2))
    assert all(
        np.array_equal(a, b) for (a, _), (b, _) in zip(first.layers, second.layers, strict=True)
    )


def test_a_wrongly_kept_line_can_cost_more() -> None:
    random = np.random.default_rng(0)
    features = random.normal(size=(400, 1)).astype(np.float32)
    labels = features[:, 0] + random.normal(size=400) > 0
    plain, careful = (density.fit(features, labels, 0, false_positive_cost=cost) for cost in (1, 8))
    assert (careful.predict(features) > 0.5).sum() < (plain.predict(features) > 0.5).sum()


def test_cross_validation_trains_with_the_same_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(density, "STEPS", 60)
    random = np.random.default_rng(0)
    examples = []
    for number in range(10):
        page = parse("".join(f"<p>{'word ' * (3 + line % 9)}</p>" for line in range(30)))
        source = labelled.LabelledPage(
            str(number), Path("page.html"), f"https://site{number}.example/", "article", "", (), (),
            "", "en",
        )  # fmt: skip
        labels = page.per_block(page.runs.words) + random.normal(0, 4, len(page)) > 6
        examples.append(dataset.TrainingExample(source, page, labels))
    plain, careful = (
        density.cross_validate(examples, lambda _: None, cost)["3A"] for cost in (1, 5)
    )
    assert careful.false_positives < plain.false_positives
    assert careful.false_negatives > plain.false_negatives


def test_a_cost_must_be_greater_than_0(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="greater than 0, not -1"):
        density.train([folder], tmp_path / "none.npz", cost=-1)


def test_a_folder_without_pages_says_what_is_expected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a labelled set"):
        list(dataset.read_examples(tmp_path))
