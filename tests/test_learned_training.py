"""Training of the learned method: networks side by side, equal results in torch and numpy, fine-tuning."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bodytext.cli import main
from bodytext.kernel import BlockNetwork
from bodytext.kernel.layers import PoolingPlan
from bodytext.methods.learned.method import Learned
from bodytext.methods.learned.network import run
from bodytext.methods.learned.weights import shipped_weights
from bodytext.methods.weights import read_arrays
from bodytext.page.parser import parse
from bodytext.studio.labels.labelled_set import read_labelled

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'bodytext[train]'")
pytestmark = pytest.mark.slow

from bodytext.studio.evaluation.training_run import (  # noqa: E402
    TrainingSpec,
    rank_correlation,
    run_training,
    to_table,
)
from bodytext.studio.training.batches import Recipe, TrainingTensors  # noqa: E402
from bodytext.studio.training.learned_training import (  # noqa: E402
    MAIN,
    TrainingOptions,
    calibrate,
    choose_device,
    train,
    tune,
)
from bodytext.studio.training.torch_networks import Networks  # noqa: E402
from bodytext.studio.training.training_loop import FitOptions, fit, predict  # noqa: E402
from bodytext.studio.training.training_pages import (  # noqa: E402
    FOLDS,
    TrainingPages,
    read_training_pages,
)

LABELLED = Path(__file__).parent.parent / "labelled"
QUICK = Recipe(
    epochs=2,
    pages_a_step=12,
    variants=1,
    teachers=1,
    teacher_epochs=2,
    teacher_width=16,
    candidates=2,
)
WIDTH = QUICK.width


def ignore(*_: object) -> None:
    pass


@pytest.fixture(scope="module")
def pages() -> TrainingPages:
    return read_training_pages([LABELLED], workers=1)


def test_pages_are_read_one_after_another(pages: TrainingPages) -> None:
    assert len(pages) == len(read_labelled(LABELLED))
    assert pages.offsets[-1] == len(pages.rows) == len(pages.words) == len(pages.labels)
    assert 0.1 < pages.labels.mean() < 0.9
    assert pages.weights(pages.labels).max() <= 0.51


def test_numpy_and_torch_give_the_same_logits(pages: TrainingPages) -> None:
    data = TrainingTensors(pages, "cpu")
    networks = Networks(2, data, 0, WIDTH)
    fit(networks, data, FitOptions(QUICK, 0, np.ones((2, len(pages)), dtype=np.bool_), ignore))
    logits, types = predict(networks, data, range(len(pages)))
    arrays = networks.export(1, data.standard)
    for key in ("mean", "scale"):  # the rows are standardised already
        arrays[key] = np.full_like(arrays[key], key == "scale")
    for page in range(0, len(pages), 7):
        blocks = slice(pages.offsets[page], pages.offsets[page + 1])
        groups = [
            np.unique(pages.groups[k, blocks], return_inverse=True)[1].astype(np.int32)
            for k in (0, 2)
        ]
        first, stop = pages.around[:, blocks].astype(np.int32)
        plan = PoolingPlan(groups[0], groups[1], first, stop, pages.words[blocks] + np.float32(0.1))
        reading = run(
            BlockNetwork(arrays),
            data.rows[blocks].float().numpy(),
            pages.page[page : page + 1],
            plan,
        )
        np.testing.assert_allclose(reading.logits, logits[1, blocks], atol=2e-3)
        np.testing.assert_allclose(reading.types, types[1, page], atol=1e-4)


def test_training_can_start_from_exported_weights(pages: TrainingPages) -> None:
    data = TrainingTensors(pages, "cpu")
    networks = Networks(1, data, 0, WIDTH)
    fit(networks, data, FitOptions(QUICK, 0, np.ones((1, len(pages)), dtype=np.bool_), ignore))
    again = Networks(1, data, 5, WIDTH)
    again.load(networks.export(0, data.standard))
    np.testing.assert_allclose(
        predict(again, data, [0, 1])[0], predict(networks, data, [0, 1])[0], atol=1e-3
    )


def test_the_same_seed_gives_the_same_weights(pages: TrainingPages) -> None:
    first, second = (
        train(pages, QUICK, 3, ignore, TrainingOptions(validate=False)).arrays for _ in range(2)
    )
    assert all(np.array_equal(first[key], second[key]) for key in first)


def test_a_network_does_not_learn_from_pages_it_may_not_see(pages: TrainingPages) -> None:
    """Other labels on the hidden pages give the same weights."""
    hidden = pages.folds == 0
    allowed = ~hidden[None]
    weights = []
    for labels in (pages.labels, np.where(hidden[pages.owner], ~pages.labels, pages.labels)):
        changed = TrainingPages(
            pages.sources,
            pages.rows,
            pages.page,
            pages.groups,
            pages.around,
            pages.words,
            labels,
            pages.offsets,
        )
        data = TrainingTensors(changed, choose_device())
        networks = Networks(1, data, 0, WIDTH)
        fit(networks, data, FitOptions(QUICK, 0, allowed, ignore))
        weights.append(networks.export(0, data.standard)["output.weights"])
    assert np.array_equal(weights[0], weights[1])


def test_cross_validation_gives_every_page_logits_of_a_network_that_had_not_seen_it(
    pages: TrainingPages,
) -> None:
    trained = train(pages, QUICK, 0, ignore, TrainingOptions())
    assert sorted(trained.folds) == [MAIN, *range(FOLDS)]
    assert trained.logits.shape == pages.words.shape
    assert len(trained.losses["teachers"]) == len(trained.losses["networks"]) == QUICK.epochs


def test_tuning_reports_that_it_stops_early(
    pages: TrainingPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    worse = iter(range(100))
    monkeypatch.setattr(
        "bodytext.studio.training.training_loop._held_out_loss", lambda *_: float(next(worse))
    )
    messages: list[str] = []
    trained = tune(
        pages,
        read_arrays(shipped_weights()),
        Recipe(epochs=9, pages_a_step=8, patience=2),
        0,
        messages.append,
    )
    count = len(trained.losses["networks"])
    assert count < 9
    assert messages[-2].startswith(f"networks: epoch {count} of 9, ")
    assert messages[-1].startswith(f"networks: stopped after epoch {count}: ")


def test_tuning_fits_the_pages_better_and_stops_in_time(pages: TrainingPages) -> None:
    start = read_arrays(shipped_weights())
    trained = tune(
        pages,
        start,
        Recipe(epochs=6, pages_a_step=8, rate=4e-4, dropout=0.1, patience=2),
        0,
        ignore,
    )
    assert trained.losses["networks"][-1] < trained.losses["networks"][0]
    assert not np.array_equal(trained.arrays["output.weights"], start["output.weights"])
    assert np.array_equal(trained.arrays["confidence.weights"], start["confidence.weights"])


def test_the_confidence_is_fitted_to_the_true_f1() -> None:
    random = np.random.default_rng(0)
    measures = random.random((4000, 3)).astype(np.float32)
    true = 0.2 + 0.6 * measures[:, 0]
    curve = calibrate(measures, true.astype(np.float64))
    both = np.concatenate((measures, measures**2), 1)
    expected = 1 / (
        1 + np.exp(-(both @ curve["confidence.weights"][:, 0] + curve["confidence.bias"][0]))
    )
    assert np.abs(expected - true).mean() < 0.02


def test_rank_correlation() -> None:
    values = np.array([0.1, 0.4, 0.4, 0.9])
    assert rank_correlation(values, values * 3) == pytest.approx(1)
    assert rank_correlation(values, -values) == pytest.approx(-1)


def test_one_command_tunes_and_its_weights_are_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "mine.npz"
    assert (
        main(
            [
                "train",
                str(LABELLED),
                "-o",
                str(model),
                "--epochs",
                "2",
                "--report",
                str(tmp_path / "report"),
            ]
        )
        == 0
    )
    printed = capsys.readouterr()
    assert "word F1" in printed.out
    assert f"--model {model}" in printed.out
    assert "epoch 2 of 2" in printed.err
    card = json.loads(model.with_suffix(".json").read_text("utf-8"))
    assert card["pages"] == len(read_labelled(LABELLED))
    assert (tmp_path / "report" / "reliability.png").stat().st_size > 1000
    page = parse(read_labelled(LABELLED)[3].read())
    assert not np.array_equal(Learned(str(model)).score(page).values, Learned().score(page).values)


def test_training_from_scratch_writes_predictions_of_its_folds(tmp_path: Path) -> None:
    spec = TrainingSpec(
        (LABELLED,),
        tmp_path / "model.npz",
        from_scratch=True,
        test_sets=(LABELLED,),
        predictions=tmp_path,
        epochs=1,
        workers=1,
    )
    result = run_training(spec, ignore)
    lines = (tmp_path / "labelled" / "learned-validated.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 1 + len(result.pages)
    assert "(each page by a network that had not seen its site)" in to_table(result)


def test_pages_of_one_site_are_split_by_page(pages: TrainingPages) -> None:
    sources = tuple(replace(source, url="https://one.example/") for source in pages.sources)
    same_site = replace(pages, sources=sources)
    assert pages.by_site
    assert not same_site.by_site
    assert len(set(same_site.folds.tolist())) > 1


def test_unknown_page_types_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ground-truth").mkdir()
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "a.html").write_text("<p>x", "utf-8")
    label = {
        "url": "https://a.example/",
        "page_type": "poem",
        "ground_truth": {"main_content": "x"},
    }
    (tmp_path / "ground-truth" / "a.json").write_text(json.dumps(label), "utf-8")
    with pytest.raises(ValueError, match="page types must be among article"):
        read_training_pages([tmp_path])
