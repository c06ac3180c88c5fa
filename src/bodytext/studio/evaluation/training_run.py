"""Train the learned method on labelled sets, score it by cross-validation, and write its weights.

This is `bodytext train`. When it trains from scratch, the predictions of networks that had not seen
a page are written as those of the system `learned-validated`, so that `bodytext evaluate` compares
them with those of the peers.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from bodytext.extraction import extract
from bodytext.kernel.network_shape import PAGE_TYPES
from bodytext.methods import as_method
from bodytext.methods.learned.decision import estimate_f1, read_curve
from bodytext.methods.learned.method import Learned
from bodytext.methods.learned.weights import read_weights, shipped_weights
from bodytext.methods.scores import Scores
from bodytext.page.parser import parse
from bodytext.selection import select
from bodytext.studio.evaluation.metrics import compare_words
from bodytext.studio.evaluation.peers import VALIDATED, VALIDATED_VERSION
from bodytext.studio.evaluation.predictions import Prediction, Task, page_digest, write_predictions
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import LabelledPage, digest_of, fold_of
from bodytext.studio.training.batches import Recipe
from bodytext.studio.training.learned_training import (
    MAIN,
    TUNING,
    Arrays,
    TrainedNetworks,
    TrainingOptions,
    calibrate,
    decide_pages,
    make_card,
    measure_pages,
    train,
    tune,
)
from bodytext.studio.training.training_pages import (
    FOLDS,
    ReadOptions,
    TrainingPages,
    read_training_pages,
)
from bodytext.studio.training.weights_file import write_weights

THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
ENOUGH_TO_CALIBRATE = 200  # pages; with fewer, the confidence of the initial weights is kept
# On six small pages whose labels leave out one box, 20 steps learned that, and 8 did not.
LEAST_TUNING_STEPS = 40
MOST_LOSS = 0.02  # of word F1 on a site; a model that loses more got worse
ENOUGH_TO_TELL = 10  # pages; with fewer, a single page decides whether the mean rises
Figures = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingSpec:
    """What to train, on which sets, and where the results go."""

    sets: tuple[Path, ...]
    output: Path
    from_scratch: bool = False  # instead of fine-tuning the package's weights
    validate: bool = True
    also: tuple[Path, ...] = ()  # sets that only the final network learns from
    unlabelled: tuple[Path, ...] = ()  # pages without labels, learned from through teachers
    test_sets: tuple[Path, ...] = ()  # predicted, but not learned from
    predictions: Path = Path("predictions")
    seed: int = 0
    epochs: int = 0  # 0: as many as the recipe has
    workers: int = 2


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """The trained networks, and the F1 of each page by a network that had not seen it."""

    pages: TrainingPages
    trained: TrainedNetworks
    scores: Figures
    before: Figures | None  # the scores of the initial weights, where they were fine-tuned
    confidence: Figures  # by a curve that had not seen the page's fold
    card: dict[str, Any]


def run_training(spec: TrainingSpec, say: Callable[[str], None]) -> TrainingResult:
    """Train, score, and write the weights with their card."""
    pages = read_training_pages(
        (*spec.sets, *spec.also), spec.workers, _report_reading(say, "pages"), spec.unlabelled
    )
    recipe = _choose_recipe(spec, len(pages))
    if spec.from_scratch:
        reading = ReadOptions(spec.workers, _report_reading(say, "variants"))
        trained = train(
            pages, recipe, spec.seed, say, TrainingOptions(spec.also, spec.validate, reading)
        )
    else:
        trained = tune(pages, dict(read_weights()), recipe, spec.seed, say)
    others = int((~pages.labelled).sum())
    pages = pages.without_unlabelled()
    say("scoring")
    texts, measures = measure_pages(pages, trained.logits, trained.types)
    scores = score_texts(pages, texts)
    confidence = _calibrate_confidence(pages, trained, measures, scores)
    before = None if spec.from_scratch else score_model(pages, shipped_weights())
    card = make_card(pages, recipe, spec.seed, trained) | {
        "validation": summarise(pages, scores, confidence)
    }
    card["pages_without_labels"] = others
    card["sets"] = {
        path.resolve().name: digest_of(read_set(path)) for path in (*spec.sets, *spec.also)
    }
    write_weights(spec.output, trained.arrays, card)
    if trained.folds and spec.from_scratch:
        _predict_sets(spec, trained, say)
    return TrainingResult(pages, trained, scores, before, confidence, card)


def _choose_recipe(spec: TrainingSpec, pages: int) -> Recipe:
    recipe = Recipe() if spec.from_scratch else replace(TUNING, epochs=_tuning_epochs(pages))
    if spec.epochs:
        recipe = replace(recipe, epochs=spec.epochs, teacher_epochs=spec.epochs)
    return recipe


def _tuning_epochs(pages: int) -> int:
    """More epochs for few pages, where an epoch is only a step or two."""
    return max(TUNING.epochs, math.ceil(LEAST_TUNING_STEPS / max(pages // TUNING.pages_a_step, 1)))


def _report_reading(say: Callable[[str], None], what: str) -> Callable[[int, int], None]:
    last = time.monotonic()

    def report(number: int, total: int) -> None:
        nonlocal last
        if number == total or time.monotonic() - last > 5:
            last = time.monotonic()
            say(f"reading {what}: {number:,} of {total:,}")

    return report


def score_texts(pages: TrainingPages, texts: Sequence[str]) -> Figures:
    """The word F1 of each page's text."""
    pairs = zip(texts, pages.sources, strict=True)
    return np.array([compare_words(text, source.reference or "").f1 for text, source in pairs])


def score_model(pages: TrainingPages, model: str) -> Figures:
    """The word F1 of each page with a file of weights."""
    method = as_method(Learned(model))
    texts = [str(select(page, method.score(page))) for page in map(_parse, pages.sources)]
    return score_texts(pages, texts)


def _parse(source: LabelledPage) -> Any:
    return parse(source.read(), url=source.url)


def _calibrate_confidence(
    pages: TrainingPages,
    trained: TrainedNetworks,
    measures: npt.NDArray[np.float32],
    scores: Figures,
) -> Figures:
    """Fit the confidence, if there are enough pages; return that of each page."""
    if len(pages) < ENOUGH_TO_CALIBRATE:
        return np.array([estimate_f1(read_curve(trained.arrays), row) for row in measures])
    confidence = np.zeros(len(pages))
    for fold in range(FOLDS):
        inside = pages.folds == fold
        curve = calibrate(measures[~inside], scores[~inside])
        confidence[inside] = [estimate_f1(read_curve(curve), row) for row in measures[inside]]
    curve = calibrate(measures, scores)
    for arrays in (trained.arrays, *trained.folds.values()):
        arrays.update(curve)
    return confidence


def summarise(pages: TrainingPages, scores: Figures, confidence: Figures) -> dict[str, Any]:
    """The mean word F1, also by page type, and how well the confidence predicts it."""
    full = np.array([bool((source.reference or "").strip()) for source in pages.sources])
    by_type = {
        name: round(float(scores[pages.types == number].mean()), 4)
        for number, name in enumerate(PAGE_TYPES)
        if (pages.types == number).any()
    }
    return {
        "word_f1": round(float(scores.mean()), 4),
        "without_empty_references": round(float(scores[full].mean()), 4) if full.any() else None,
        "by_page_type": by_type,
        "confidence_spearman": _rounded(rank_correlation(confidence, scores)),
        "confidence_mean": round(float(confidence.mean()), 4),
    }


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 3)


def rank_correlation(first: Figures, second: Figures) -> float:
    """Spearman's rank correlation; equal values share a rank."""
    if len(first) < 2 or not (np.ptp(first) and np.ptp(second)):
        return math.nan
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: Figures) -> Figures:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks: Figures = middle[inverse]
    return ranks


def _predict_sets(spec: TrainingSpec, trained: TrainedNetworks, say: Callable[[str], None]) -> None:
    """Write files of predictions, each page predicted by weights that had not seen it."""
    with TemporaryDirectory() as folder:
        models = {
            fold: _save(Path(folder) / f"{fold}.npz", arrays)
            for fold, arrays in trained.folds.items()
        }
        for path in (*spec.sets, *spec.also, *spec.test_sets):
            say(f"predicting {path.name}")
            predictions = {}
            for page in read_set(path):
                fold = fold_of(page.domain, FOLDS) if path in spec.sets else MAIN
                predictions[page.identity] = _predict(page, models[fold])
            task = Task(
                VALIDATED,
                VALIDATED_VERSION,
                spec.predictions / path.resolve().name / f"{VALIDATED}.jsonl",
            )
            task.path.parent.mkdir(parents=True, exist_ok=True)
            write_predictions(task, predictions)


def _save(path: Path, arrays: Arrays) -> str:
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return str(path)


def _predict(page: LabelledPage, model: str) -> Prediction:
    html, start = page.read(), time.process_time()
    text = str(extract(html, method=Learned(model)))
    return Prediction(page.identity, page_digest(page), text, time.process_time() - start, "")


def sweep_thresholds(
    pages: TrainingPages, trained: TrainedNetworks
) -> list[tuple[float, float, float, float]]:
    """The threshold, and the mean precision, recall and F1 in cross-validation."""
    sums: dict[float, list[Figures]] = defaultdict(list)
    decisions = decide_pages(pages, trained.logits, trained.types)
    for source, (page, decision, _) in zip(pages.sources, decisions, strict=True):
        for threshold in THRESHOLDS:
            overlap = compare_words(
                str(select(page, Scores(decision.scores), threshold)), source.reference or ""
            )
            sums[threshold].append(np.array([overlap.precision, overlap.recall, overlap.f1]))
    return [(threshold, *np.mean(values, 0).tolist()) for threshold, values in sorted(sums.items())]


def to_table(result: TrainingResult) -> str:
    """Word F1 by page type and, after fine-tuning, by site, as lines of text."""
    heading = f"{'':<28}{'pages':>6}{'word F1':>9}"
    rows = [("all", np.ones(len(result.pages), dtype=np.bool_))]
    rows += [(name, result.pages.types == number) for number, name in enumerate(PAGE_TYPES)]
    rows += _pages_by_set(result).items()
    if result.before is not None:
        heading += f"{'before':>9}"
        rows += _pages_by_site(result).items()
    lines = [_write_row(name, chosen, result) for name, chosen in rows if chosen.any()]
    return "\n".join([heading, *lines, _describe_validation(result)])


def _pages_by_set(result: TrainingResult) -> dict[str, npt.NDArray[np.bool_]]:
    """The pages of each set, if there are several."""
    groups = _group_pages([source.path.parent.parent.name for source in result.pages.sources])
    return groups if len(groups) > 1 else {}


def _group_pages(names: Sequence[str]) -> dict[str, npt.NDArray[np.bool_]]:
    """The pages of each name."""
    return {name: np.array(names) == name for name in sorted(set(names))}


def _pages_by_site(result: TrainingResult) -> dict[str, npt.NDArray[np.bool_]]:
    return _group_pages([source.domain for source in result.pages.sources])


def summarise_sites(result: TrainingResult) -> dict[str, Any]:
    """Word F1 before and after training, over all pages and by site, for a program to show.

    `worse` says that the model should not be used: the mean falls, or a site loses too much. With
    fewer pages than `enough` this is hard to tell.
    """
    everything = _summarise_pages(result, "", np.ones(len(result.pages), dtype=np.bool_))
    sites = [_summarise_pages(result, *site) for site in _pages_by_site(result).items()]
    losses = [row["before"] - row["after"] for row in sites]
    return {
        "all": everything,
        "sites": sites,
        "worse": everything["after"] < everything["before"] or max(losses) > MOST_LOSS,
        "enough": ENOUGH_TO_TELL,
        "claim": _describe_validation(result).strip("()"),
        "losses": result.trained.losses,
    }


def _summarise_pages(
    result: TrainingResult, site: str, chosen: npt.NDArray[np.bool_]
) -> dict[str, Any]:
    """The mean word F1 of some pages; that of pages without an address has the site ""."""
    before = result.scores if result.before is None else result.before
    return {
        "site": site,
        "pages": int(chosen.sum()),
        "before": round(float(before[chosen].mean()), 4),
        "after": round(float(result.scores[chosen].mean()), 4),
    }


def _describe_validation(result: TrainingResult) -> str:
    """Which networks scored the pages."""
    if not result.trained.folds and len(result.pages) < FOLDS:
        return "(not validated: too few pages; every page was learned from)"
    unseen = "its site" if result.pages.by_site else "it; all pages are of one site, or nearly"
    return f"(each page by a network that had not seen {unseen})"


def _write_row(name: str, chosen: npt.NDArray[np.bool_], result: TrainingResult) -> str:
    before = ""
    if result.before is not None:
        before = f"{result.before[chosen].mean():9.4f}"
    return f"{name[:27]:<28}{chosen.sum():>6}{result.scores[chosen].mean():9.4f}{before}"
