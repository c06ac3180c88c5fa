"""Evaluation of metadata: normalisation, rates over labelled pages, and reports."""

import doctest
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bodytext.cli import main
from bodytext.studio.evaluation import metadata_evaluation as metadata
from bodytext.studio.evaluation.metadata_evaluation import (
    evaluate_metadata,
    normalise_authors,
    normalise_title,
)
from bodytext.studio.evaluation.metadata_peers import METADATA_PEERS, MetadataPeer

PAGE = '<title>{0}</title><h1>{0}</h1><meta name=author content="Ann Lee"><meta name=date content=2024-05-12><p>text'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of three pages: the first is right, the second wrong, the third has a title only."""
    root = tmp_path / "set"
    (root / "html").mkdir(parents=True)
    (root / "ground-truth").mkdir()
    truths = [
        {"title": "Page 0!", "author": "Ann Lee, MD", "publish_date": "2024-05-12"},
        {"title": "Another", "authors": ["Bo Ek"], "publish_date": "2024-05-13"},
        {"title": "page 2"},
    ]
    for number, truth in enumerate(truths):
        (root / "html" / f"{number}.html").write_text(PAGE.format(f"Page {number}"), "utf-8")
        (root / "ground-truth" / f"{number}.json").write_text(
            json.dumps({"url": "", "ground_truth": truth}), "utf-8"
        )
    return root


def test_doctests() -> None:
    assert doctest.testmod(metadata).failed == 0


def test_normalisation() -> None:
    assert normalise_title("Don’t\u200b stop") == normalise_title("DON'T   STOP")
    assert normalise_title("One") != normalise_title("Two")
    assert normalise_authors(["Ann Lee", "Bo Ek"]) == normalise_authors(["Bo Ek and Ann Lee"])
    assert normalise_authors(["Le Figaro et AFP"]) == normalise_authors(["AFP", "Le Figaro"])
    assert normalise_authors(["Ann Lee"]) != normalise_authors(["Ann Lee", "Bo Ek"])


@pytest.mark.slow
def test_rates_are_over_labelled_pages(folder: Path, tmp_path: Path) -> None:
    evaluation = evaluate_metadata(folder, tmp_path / "predictions", ["bodytext"])
    (ours,) = evaluation.scores
    hits = {name: field.hits for name, field in ours.fields.items()}
    assert hits == {"title": [1.0, 0.0, 1.0], "authors": [1.0, 0.0], "date": [1.0, 0.0]}
    assert (ours.fields["authors"].answered, ours.fields["authors"].unlabelled) == (1, 1)
    assert ours.rate("title") == pytest.approx(2 / 3)
    assert [page for page, *_ in ours.fields["title"].misses] == ["1"]
    assert ours.failures == 0


@pytest.mark.slow
@pytest.mark.parametrize("value", [3, ["x"], {"a": 1}])
def test_a_label_of_the_wrong_type_is_an_error_that_names_its_file(
    folder: Path, tmp_path: Path, value: object
) -> None:
    label = {"url": "", "ground_truth": {"publish_date": value}}
    (folder / "ground-truth" / "0.json").write_text(json.dumps(label), "utf-8")
    with pytest.raises(ValueError, match=r"0\.json: ground_truth: publish_date should be a string"):
        evaluate_metadata(folder, tmp_path / "predictions", ["bodytext"])


def test_the_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = ["--predictions", str(tmp_path / "predictions"), "--report", str(tmp_path / "report")]
    assert (
        main(["evaluate", "metadata", str(folder), "--systems", "bodytext,turbohtml", *paths]) == 0
    )
    shown = capsys.readouterr().out
    assert "# Evaluation on set" in shown
    assert (tmp_path / "report" / "set.md").read_text("utf-8").strip() == shown.strip()
    assert "Another" in (tmp_path / "predictions" / "set" / "metadata" / "misses.tsv").read_text(
        "utf-8"
    )


def test_a_missing_system_does_not_give_an_empty_table(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = replace(METADATA_PEERS[1], distribution="no-such-distribution")
    monkeypatch.setattr(
        "bodytext.studio.evaluation.metadata_evaluation.METADATA_PEERS", (METADATA_PEERS[0], absent)
    )
    with pytest.raises(ValueError, match=f"not installed: {absent.name}; pip install"):
        evaluate_metadata(folder, tmp_path, [absent.name])


def test_an_unknown_system_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no system 'nobody'"):
        evaluate_metadata(folder, tmp_path, ["nobody"])


@pytest.mark.filterwarnings("ignore")  # peers may warn
@pytest.mark.parametrize(
    "peer", [peer for peer in METADATA_PEERS if peer.version], ids=lambda peer: peer.name
)
def test_every_installed_peer_answers(peer: MetadataPeer) -> None:
    paragraphs = "<p>" + "The harbour was quiet, and nobody had come to count the ships. " * 20
    answer = json.loads(
        peer.function(PAGE.format("A harbour without ships").encode() + paragraphs.encode())
    )
    assert set(answer) == set(peer.fields)
