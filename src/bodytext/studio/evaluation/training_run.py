"""Labelled sets -> weights of the learned method on file, scored on pages that no network had seen.

What `bodytext train` does: read, train or tune, score, write. Predictions of networks that had not seen a page are
written as those of the system `learned-validated`, so that `bodytext evaluate` sets them beside the peers'.
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
from bodytext.methods import as_method
from bodytext.methods.learned.method import Learned
from bodytext.methods.learned.network import PAGE_TYPES
from bodytext.methods.learned.weights import shipped_weights
from bodytext.methods.perceptron import read_arrays
from bodytext.page.parser import parse
from bodytext.selection import select
from bodytext.studio.evaluation.metrics import compare_words
from bodytext.studio.evaluation.peers.ours import VALIDATED, VALIDATED_VERSION
from bodytext.studio.evaluation.predictions import Prediction, Task, page_mark, write_predictions
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
    write_weights,
)
from bodytext.studio.training.training_pages import FOLDS, ReadOptions, TrainingPages, read_training_pages

THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
ENOUGH_TO_CALIBRATE = 200  # pages; fewer keep the confidence of the weights they began with
# On six small pages whose labels have one box taken out, 8 steps left it in and 20 took it out of pages not seen.
LEAST_TUNING_STEPS = 40
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingSpec:
    """What is to be trained."""

    sets: tuple[Path, ...]
    output: Path
    scratch: bool = False  # from nothing, not from the package's weights
    validate: bool = True
    also: tuple[Path, ...] = ()  # sets that only the network which is kept learns from, not those that are scored
    tests: tuple[Path, ...] = ()  # sets that are scored and not learned from
    predictions: Path = Path("predictions")
    seed: int = 0
    epochs: int = 0  # the recipe's where 0
    workers: int = 2


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What came of it: every page's F1 by a network that had not seen it, before (where tuned) and after."""

    pages: TrainingPages
    done: Training
    scores: Scores
    before: Scores | None
    confidence: Scores  # expected by a curve that had not seen the page's fold
    card: dict[str, Any]


def run_training(order: TrainingSpec, say: Callable[[str], None]) -> TrainingResult:
    """Train, score, and write the weights with their card."""
    pages = read_training_pages((*order.sets, *order.also), order.workers, _reading(say))
    recipe = Recipe() if order.scratch else replace(TUNING, epochs=_tuning_epochs(len(pages)))
    recipe = replace(recipe, epochs=order.epochs) if order.epochs else recipe
    if order.scratch:
        done = train(pages, recipe, order.seed, say, _lesson(order, say))
    else:
        done = tune(pages, read_arrays(shipped_weights()), recipe, order.seed, say)
    say("scoring")
    texts, measures = measure_pages(pages, done.logits, done.types)
    scores = score_texts(pages, texts)
    confidence = _settle_confidence(pages, done, measures, scores)
    before = None if order.scratch else score_model(pages, shipped_weights())
    card = make_card(pages, recipe, order.seed, done) | {"validation": summarise(pages, scores, confidence)}
    card["sets"] = {path.resolve().name: digest_of(read_set(path)) for path in (*order.sets, *order.also)}
    write_weights(order.output, done.arrays, card)
    if done.folds and order.scratch:
        _predict_sets(order, done, say)
    return TrainingResult(pages, done, scores, before, confidence, card)


def _lesson(order: TrainingSpec, say: Callable[[str], None]) -> TrainingOptions:
    return TrainingOptions(order.also, order.validate, ReadOptions(order.workers, _reading(say, "variants")))


def _tuning_epochs(pages: int) -> int:
    """A handful of pages gives a step or two an epoch, which would change nothing: then there are more of them."""
    return max(TUNING.epochs, math.ceil(LEAST_TUNING_STEPS / max(pages // TUNING.pages_a_step, 1)))


def _reading(say: Callable[[str], None], what: str = "pages") -> Callable[[int, int], None]:
    last = [time.monotonic()]

    def tick(number: int, total: int) -> None:
        if number == total or time.monotonic() - last[0] > 5:
            last[0] = time.monotonic()
            say(f"reading {what}: {number:,} of {total:,}")

    return tick


def score_texts(pages: TrainingPages, texts: Sequence[str]) -> Scores:
    """The word F1 of each page's text."""
    pairs = zip(texts, pages.sources, strict=True)
    return np.array([compare_words(text, source.reference or "").f1 for text, source in pairs])


def score_model(pages: TrainingPages, model: str) -> Scores:
    """The word F1 of each page with a file of weights."""
    method = as_method(Learned(model))
    texts = [str(select(page, method.score(page))) for page in map(_parse, pages.sources)]
    return score_texts(pages, texts)


def _parse(source: LabelledPage) -> Any:
    return parse(source.read(), url=source.url)


def _settle_confidence(
    pages: TrainingPages, done: TrainedNetworks, measures: npt.NDArray[np.float32], scores: Scores
) -> Scores:
    """Fit the confidence where there are pages enough; what is returned of a page was fitted without its fold."""
    if len(pages) < ENOUGH_TO_CALIBRATE:
        return np.array([expect(done.arrays, one) for one in measures])
    found = np.zeros(len(pages))
    for fold in range(FOLDS):
        inside = pages.folds == fold
        curve = calibrate(measures[~inside], scores[~inside])
        found[inside] = [expect(curve, one) for one in measures[inside]]
    curve = calibrate(measures, scores)
    for arrays in (done.arrays, *done.folds.values()):
        arrays.update(curve)
    return found


def summarise(pages: TrainingPages, scores: Scores, confidence: Scores) -> dict[str, Any]:
    """The mean word F1, by kind of page, and how well the confidence knows it."""
    full = np.array([bool((source.reference or "").strip()) for source in pages.sources])
    kinds = {
        name: round(float(scores[pages.types == number].mean()), 4)
        for number, name in enumerate(PAGE_TYPES)
        if (pages.types == number).any()
    }
    return {
        "word_f1": round(float(scores.mean()), 4),
        "without_empty_references": round(float(scores[full].mean()), 4) if full.any() else None,
        "by_page_type": kinds,
        "confidence_spearman": _rounded(rank_correlation(confidence, scores)),
        "confidence_mean": round(float(confidence.mean()), 4),
    }


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 3)


def rank_correlation(one: Scores, other: Scores) -> float:
    """Spearman's: the correlation of the ranks, ties sharing theirs."""
    if len(one) < 2 or not (np.ptp(one) and np.ptp(other)):
        return math.nan
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: Scores) -> Scores:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks: Scores = middle[inverse]
    return ranks


def _predict_sets(order: TrainingSpec, done: TrainedNetworks, say: Callable[[str], None]) -> None:
    """The answers of the whole path, each page by weights that had not seen it, as files of predictions."""
    with TemporaryDirectory() as folder:
        models = {fold: _keep(Path(folder) / f"{fold}.npz", arrays) for fold, arrays in done.folds.items()}
        for path in (*order.sets, *order.also, *order.tests):
            say(f"predicting {path.name}")
            seen = path in order.sets
            pages = read_set(path)
            answers = {
                page.identity: _answer(page, models[fold_of(page.domain, FOLDS) if seen else MAIN]) for page in pages
            }
            task = Task(VALIDATED, VALIDATED_VERSION, order.predictions / path.resolve().name / f"{VALIDATED}.jsonl")
            task.path.parent.mkdir(parents=True, exist_ok=True)
            write_predictions(task, answers)


def _keep(path: Path, arrays: Arrays) -> str:
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return str(path)


def _answer(page: LabelledPage, model: str) -> Prediction:
    html, start = page.read(), time.process_time()
    text = str(extract(html, method=Learned(model)))
    return Prediction(page.identity, page_mark(page), text, time.process_time() - start, "")


def sweep_thresholds(pages: TrainingPages, done: Training) -> list[tuple[float, float, float, float]]:
    """Threshold, and mean precision, recall and F1 over the pages, from answers that had not seen them."""
    sums: dict[float, list[Scores]] = defaultdict(list)
    for source, (page, decision, _) in zip(pages.sources, decide_pages(pages, done.logits, done.types), strict=True):
        for threshold in THRESHOLDS:
            overlap = compare_words(str(select(page, decision.scores, threshold)), source.reference or "")
            sums[threshold].append(np.array([overlap.precision, overlap.recall, overlap.f1]))
    return [(threshold, *np.mean(values, 0).tolist()) for threshold, values in sorted(sums.items())]


def to_table(outcome: TrainingResult) -> str:
    """What a reader wants to see at the end: F1 by kind of page, and by site where pages are few."""
    lines = [f"{'':<28}{'pages':>6}{'word F1':>9}" + (f"{'before':>9}" if outcome.before is not None else "")]
    lines.append(_row("all", np.ones(len(outcome.pages), dtype=np.bool_), outcome))
    for number, name in enumerate(PAGE_TYPES):
        lines.append(_row(name, outcome.pages.types == number, outcome))
    domains = np.array([source.domain for source in outcome.pages.sources])
    if outcome.before is not None:
        lines += [_row(domain, domains == domain, outcome) for domain in sorted(set(domains.tolist()))]
    lines.append(_claim(outcome))
    return "\n".join(line for line in lines if line)


def summarise_sites(outcome: TrainingResult) -> dict[str, Any]:
    """Word F1 before and after, over all pages and by site, and who answered the pages; for a program to show."""
    domains = np.array([source.domain for source in outcome.pages.sources])
    before = outcome.scores if outcome.before is None else outcome.before
    chosen = {"": np.ones(len(domains), dtype=np.bool_)} | {
        one: domains == one for one in sorted(set(domains.tolist()))
    }
    rows = [
        {
            "site": site,
            "pages": int(rows.sum()),
            "before": round(float(before[rows].mean()), 4),
            "after": round(float(outcome.scores[rows].mean()), 4),
        }
        for site, rows in chosen.items()
    ]
    return {"all": rows[0], "sites": rows[1:], "claim": _claim(outcome).strip("()"), "losses": outcome.done.losses}


def _claim(outcome: TrainingResult) -> str:
    """Who answered the pages."""
    if not outcome.done.folds and len(outcome.pages) < FOLDS:
        return "(not validated: too few pages; every page was learned from)"
    unseen = "its site" if outcome.pages.by_site else "it; all pages are of one site, or nearly"
    return f"(each page by a network that had not seen {unseen})"


def _row(name: str, chosen: npt.NDArray[np.bool_], outcome: TrainingResult) -> str:
    if not chosen.any():
        return ""
    before = f"{outcome.before[chosen].mean():9.4f}" if outcome.before is not None else ""
    return f"{name[:27]:<28}{chosen.sum():>6}{outcome.scores[chosen].mean():9.4f}{before}"
