"""Train the weights of the learned method, and describe them in a card.

Labels were made by people and by models, and some are wrong. So a network does not learn from the
labels alone (distillation): teachers are trained first, each without some of the folds, and their
predictions for pages that they have not seen are mixed into the labels. Cross-validation stays
honest: the network of a fold learns from teachers that have not seen that fold either. There is an
ensemble of teachers for every pair of folds.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from bodytext.methods.learned.decision import Decision, decide_page, measure_answer
from bodytext.methods.learned.features import block_names, page_names, read_features
from bodytext.methods.learned.network import PAGE_TYPES
from bodytext.methods.learned.network import NetworkOutput as PageReading
from bodytext.methods.scores import Scores
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.selection import select
from bodytext.studio.labels.labelled_set import digest_of
from bodytext.studio.training.batches import Recipe, Standardization, TrainingTensors
from bodytext.studio.training.torch_networks import Networks
from bodytext.studio.training.training_loop import FitOptions, TeacherLogits, fit, predict
from bodytext.studio.training.training_pages import FOLDS, ReadOptions, TrainingPages, add_variants

Arrays = dict[str, npt.NDArray[np.float32]]
Say = Callable[[str], None]

TUNING = Recipe(
    epochs=8, variants=0, pages_a_step=8, rate=4e-4, decay=0.0, dropout=0.1, teaching=0.0, averaging=0.98, patience=3
)


# Networks are numbered by the fold that they have not seen. Two have seen all folds: one learns
# from the main sets, one from all sets.
MAIN, ALL = -1, -2


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Sets that only the last network learns from, and whether to cross-validate."""

    also: tuple[Path, ...] = ()
    validate: bool = True
    reading: ReadOptions = field(default_factory=ReadOptions)

    def main(self, pages: TrainingPages) -> npt.NDArray[np.bool_]:
        """Which pages are in the main sets."""
        others = [any(source.path.is_relative_to(folder) for folder in self.also) for source in pages.sources]
        return ~np.array(others, dtype=np.bool_)


@dataclass(slots=True)
class TrainedNetworks:
    """The weights, the losses, and the logits of networks that had not seen a page."""

    arrays: Arrays
    losses: dict[str, list[float]]
    logits: npt.NDArray[np.float32]  # out of fold, by block
    types: npt.NDArray[np.float32]  # out of fold, by page
    folds: dict[int, Arrays]  # weights by unseen fold, or MAIN
    seconds: float


def choose_device() -> str:
    """Use a GPU if there is one. On a CPU the same seed gives the same weights."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.use_deterministic_algorithms(device == "cpu")
    return device


def train(pages: TrainingPages, recipe: Recipe, seed: int, say: Say, options: TrainingOptions) -> TrainedNetworks:
    """Train from scratch: first teachers, then the network, and one for each fold to validate."""
    started = time.monotonic()
    varied, original = add_variants(pages, recipe.variants, seed, options.reading)
    data, main = TrainingTensors(varied, choose_device(), Standardization.of(pages)), options.main(varied)
    groups: list[tuple[int, ...]] = list(combinations(range(FOLDS), 2 if options.validate else 1))
    count, learned = len(groups) * recipe.teachers, int(options.main(pages).sum())
    say(f"training {count} teachers on {learned:,} pages and {recipe.variants} variants of each ({data.device})")
    allowed = np.array([main & ~np.isin(varied.folds, group) for group in groups])
    teaching = FitOptions(
        replace(recipe, teaching=0.0), seed, allowed, _report_epochs(say, "teachers"), original=original
    )
    (logits, types), losses = _train_teachers(data, teaching)
    teacher_logits = torch.as_tensor(logits, device=data.device)
    logits, types = _out_of_fold(logits, types, pages, _choose_teachers(pages, groups, -1))
    folds = [*range(FOLDS), MAIN, ALL] if options.validate else [ALL]
    teacher = np.array([np.where(main, _choose_teachers(varied, groups, fold), -1) for fold in folds])
    allowed = np.array([(varied.folds != fold) & (main | (fold == ALL)) for fold in folds])
    say(f"training {len(folds)} networks")
    networks = Networks(len(folds), data, seed + 1, recipe.width)
    teachers, report = TeacherLogits(teacher_logits, teacher), _report_epochs(say, "networks")
    later = fit(networks, data, FitOptions(recipe, seed + 1, allowed, report, teachers, original))
    weights = {fold: networks.export(number, data.standard) for number, fold in enumerate(folds)}
    if options.validate:
        unseen = np.where(options.main(pages), pages.folds, folds.index(MAIN))
        logits, types = _out_of_fold(*predict(networks, data, range(len(pages))), pages, unseen)
    return TrainedNetworks(
        weights.pop(ALL), {"teachers": losses, "networks": later}, logits, types, weights, time.monotonic() - started
    )


def _train_teachers(data: TrainingTensors, options: FitOptions) -> tuple[tuple[Any, Any], list[float]]:
    """The mean predictions of the ensemble for each group of folds; and the losses."""
    count, groups = options.recipe.teachers, len(options.allowed)
    networks = Networks(count * groups, data, options.seed, options.recipe.teacher_width)
    losses = fit(networks, data, replace(options, allowed=np.tile(options.allowed, (count, 1))))
    logits, types = predict(networks, data, range(len(data.pages)))
    logits, types = (values.reshape(count, groups, *values.shape[1:]).mean(0) for values in (logits, types))
    return (logits, types), losses


def _choose_teachers(pages: TrainingPages, groups: list[tuple[int, ...]], fold: int) -> npt.NDArray[np.int64]:
    """For each page a teacher that has seen neither the page nor the fold."""
    teacher = np.zeros(len(pages), dtype=np.int64)
    for own in range(FOLDS):
        unseen = {own, fold} if fold in range(FOLDS) else {own}
        teacher[pages.folds == own] = next((n for n, group in enumerate(groups) if unseen <= set(group)), -1)
    return teacher


def _out_of_fold(logits: Any, types: Any, pages: TrainingPages, network: npt.NDArray[np.int64]) -> tuple[Any, Any]:
    """The predictions for each page by the network that has not seen it, without variants."""
    return logits[network[pages.owner], np.arange(len(pages.words))], types[network, np.arange(len(pages))]


def tune(pages: TrainingPages, start: Arrays, recipe: Recipe, seed: int, say: Say) -> TrainedNetworks:
    """Fine-tune weights on a few more pages, with cross-validation by site."""
    started = time.monotonic()
    standard = Standardization(start["mean"], start["scale"], start["page.mean"], start["page.scale"])
    data = TrainingTensors(pages, choose_device(), standard)
    folds = [fold for fold in range(FOLDS) if 0 < (pages.folds == fold).sum() < len(pages)]
    networks = Networks(len(folds) + 1, data, seed, start["output.weights"].shape[0])
    networks.load(start)
    allowed = np.array([pages.folds != fold for fold in (*folds, ALL)])
    losses = fit(networks, data, FitOptions(recipe, seed, allowed, _report_epochs(say, "networks")))
    if len(losses) < recipe.epochs:
        say(f"networks: stopped after epoch {len(losses)}: more training no longer helped on held-out pages")
    confidence = {key: value for key, value in start.items() if key.startswith("confidence.")}
    weights = {fold: networks.export(number, standard) | confidence for number, fold in enumerate((*folds, ALL))}
    unseen = np.array([folds.index(fold) if fold in folds else len(folds) for fold in range(FOLDS)])[pages.folds]
    logits, types = _out_of_fold(*predict(networks, data, range(len(pages))), pages, unseen)
    return TrainedNetworks(weights.pop(ALL), {"networks": losses}, logits, types, weights, time.monotonic() - started)


def _report_epochs(say: Say, name: str) -> Callable[[int, int, float], None]:
    def report(epoch: int, epochs: int, loss: float) -> None:
        say(f"{name}: epoch {epoch} of {epochs}, loss {loss:.4f}")

    return report


def decide_pages(
    pages: TrainingPages, logits: npt.NDArray[np.float32], types: npt.NDArray[np.float32]
) -> Iterator[tuple[Page, Decision, npt.NDArray[np.float32]]]:
    """Each page, the decision from these logits and page types, and the words of its blocks."""
    for number, source in enumerate(pages.sources):
        first, stop = pages.offsets[number : number + 2]
        page = parse(source.read(), url=source.url)
        words = pages.words[first:stop]
        reading = PageReading(logits[first:stop], types[number])
        yield page, decide_page(page, reading, words, read_features(page).topics), words


def calibrate(measures: npt.NDArray[np.float32], scores: npt.NDArray[np.float64]) -> Arrays:
    """Fit the confidence: a logistic curve over measures and their squares, to the true F1."""
    both = np.concatenate((measures, measures**2, np.ones((len(measures), 1))), 1).astype(np.float64)
    weights = np.zeros(both.shape[1])
    ridge = np.eye(both.shape[1]) * (len(measures) * 1e-3)
    ridge[-1, -1] = 0
    for _ in range(50):  # Newton's method; ten steps are usually enough
        expected = 1 / (1 + np.exp(-np.clip(both @ weights, -30, 30)))
        slope = both.T @ (expected - scores) + ridge @ weights
        curve = (both * (expected * (1 - expected) + 1e-6)[:, None]).T @ both + ridge
        weights -= np.linalg.solve(curve, slope)
    return {
        "confidence.weights": weights[:-1, None].astype(np.float32),
        "confidence.bias": weights[-1:].astype(np.float32),
    }


def measure_pages(
    pages: TrainingPages, logits: npt.NDArray[np.float32], types: npt.NDArray[np.float32]
) -> tuple[list[str], npt.NDArray[np.float32]]:
    """The text of each page, decided from these logits, and the measures of each answer."""
    texts, measures = [], []
    for number, (page, decision, words) in enumerate(decide_pages(pages, logits, types)):
        texts.append(str(select(page, Scores(decision.scores))))
        measures.append(measure_answer(decision, words, types[number]))
    return texts, np.array(measures)


def write_weights(path: Path, arrays: Arrays, card: dict[str, Any]) -> None:
    """Write the weights as a file of plain arrays, and the card beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".new")
    with temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    temporary.replace(path)
    path.with_suffix(".json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", "utf-8")


def make_card(pages: TrainingPages, recipe: Recipe, seed: int, trained: TrainedNetworks) -> dict[str, Any]:
    """The description of the weights: data, features, recipe, losses."""
    return {
        "method": "learned",
        "pages": len(pages),
        "page_types": {name: int((pages.types == number).sum()) for number, name in enumerate(PAGE_TYPES)},
        "data": digest_of(list(pages.sources)),
        "seed": seed,
        "recipe": asdict(recipe),
        "losses": {name: [round(loss, 5) for loss in losses] for name, losses in trained.losses.items()},
        "seconds": round(trained.seconds),
        "block_features": list(block_names()),
        "page_features": list(page_names()),
    }
