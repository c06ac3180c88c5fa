"""Labelled pages -> weights of the learned method, with a card that says what they were trained on and how they do.

Labels were made by people and by models, and some are wrong. So a network does not learn from the labels alone:
teachers are trained first, each without some of the folds, and what they say of pages they have not seen is mixed into
the labels. Cross-validation keeps this honest: the network for a fold learns from teachers that have not seen that
fold either (there is one for every pair of folds).
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
from bodytext.methods.learned.network import Reading as PageReading
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


# Numbers of networks beside the folds': one that learns from all pages of the main sets, one from all pages there are.
MAIN, ALL = -1, -2


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """What is learned from: folders that only the last network sees, and whether others are trained to be scored."""

    also: tuple[Path, ...] = ()
    validate: bool = True
    reading: ReadOptions = field(default_factory=ReadOptions)

    def main(self, pages: TrainingPages) -> npt.NDArray[np.bool_]:
        """Which pages are in the main sets."""
        return np.array([not any(source.path.is_relative_to(one) for one in self.also) for source in pages.sources])


@dataclass(slots=True)
class TrainedNetworks:
    """What came out: weights, losses by epoch, and for every page the logits of a network that had not seen it."""

    arrays: Arrays
    losses: dict[str, list[float]]
    logits: npt.NDArray[np.float32]  # out of fold, by block
    types: npt.NDArray[np.float32]  # out of fold, by page
    folds: dict[int, Arrays]  # weights of networks that have not seen a fold (or MAIN), where they were asked for
    seconds: float


def choose_device() -> str:
    """A GPU where there is one. On a processor the same seed gives the same weights to the last bit."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.use_deterministic_algorithms(device == "cpu")
    return device


def train(pages: TrainingPages, recipe: Recipe, seed: int, say: Say, lesson: "TrainingOptions") -> TrainedNetworks:
    """Train from nothing: teachers, then the network; with validation, more networks that are not to see some pages."""
    started = time.monotonic()
    varied, told = add_variants(pages, recipe.variants, seed, lesson.reading)
    data, main = TrainingTensors(varied, choose_device(), Standardization.of(pages)), lesson.main(varied)
    groups: list[tuple[int, ...]] = list(combinations(range(FOLDS), 2 if lesson.validate else 1))
    count, learned = len(groups) * recipe.teachers, int(lesson.main(pages).sum())
    say(f"training {count} teachers on {learned:,} pages and {recipe.variants} variants of each ({data.device})")
    allowed = np.array([main & ~np.isin(varied.folds, group) for group in groups])
    teaching = FitOptions(replace(recipe, teaching=0.0), seed, allowed, _epochs(say, "teachers"), told=told)
    (logits, types), losses = _train_teachers(data, teaching)
    taught = torch.as_tensor(logits, device=data.device)
    own = _teachers_of(pages, groups, -1)
    logits, types = _out_of_fold(logits, types, pages, own)
    wanted = [*range(FOLDS), MAIN, ALL] if lesson.validate else [ALL]
    which = np.array([np.where(main, _teachers_of(varied, groups, fold), -1) for fold in wanted])
    allowed = np.array([(varied.folds != fold) & (main | (fold == ALL)) for fold in wanted])
    say(f"training {len(wanted)} networks")
    networks = Networks(len(wanted), data, seed + 1, recipe.width)
    course = FitOptions(recipe, seed + 1, allowed, _epochs(say, "networks"), TeacherLogits(taught, which), told)
    later = fit(networks, data, course)
    found = {fold: networks.export(number, data.standard) for number, fold in enumerate(wanted)}
    if lesson.validate:
        which = np.where(lesson.main(pages), pages.folds, wanted.index(MAIN))
        logits, types = _out_of_fold(*predict(networks, data, range(len(pages))), pages, which)
    return TrainedNetworks(
        found.pop(ALL), {"teachers": losses, "networks": later}, logits, types, found, time.monotonic() - started
    )


def _train_teachers(data: TrainingTensors, course: FitOptions) -> tuple[tuple[Any, Any], list[float]]:
    """What teachers say of every block and page: for each group of folds the mean over its teachers. And the losses."""
    count, groups = course.recipe.teachers, len(course.allowed)
    networks = Networks(count * groups, data, course.seed, course.recipe.teacher_width)
    losses = fit(networks, data, replace(course, allowed=np.tile(course.allowed, (count, 1))))
    logits, types = predict(networks, data, range(len(data.pages)))
    means = (said.reshape(count, groups, *said.shape[1:]).mean(0) for said in (logits, types))
    return (next(means), next(means)), losses


def _teachers_of(pages: TrainingPages, groups: list[tuple[int, ...]], fold: int) -> npt.NDArray[np.int64]:
    """For each page a teacher that has seen neither it nor the fold."""
    found = np.zeros(len(pages), dtype=np.int64)
    for own in range(FOLDS):
        missing = {own, fold} if fold in range(FOLDS) else {own}
        found[pages.folds == own] = next((n for n, group in enumerate(groups) if missing <= set(group)), -1)
    return found


def _out_of_fold(logits: Any, types: Any, pages: TrainingPages, which: npt.NDArray[np.int64]) -> tuple[Any, Any]:
    """Of each page what one network says: the one that has not seen it. Variants stand behind the pages."""
    return logits[which[pages.owner], np.arange(len(pages.words))], types[which, np.arange(len(pages))]


def tune(pages: TrainingPages, start: Arrays, recipe: Recipe, seed: int, say: Say) -> TrainedNetworks:
    """Go on from weights that are there, on a few pages of one's own; with cross-validation by site."""
    started = time.monotonic()
    standard = Standardization(start["mean"], start["scale"], start["page.mean"], start["page.scale"])
    data = TrainingTensors(pages, choose_device(), standard)
    folds = [fold for fold in range(FOLDS) if 0 < (pages.folds == fold).sum() < len(pages)]
    wanted = [*folds, ALL]
    networks = Networks(len(wanted), data, seed, start["output.weights"].shape[0])
    networks.load(start)
    allowed = np.array([pages.folds != fold for fold in wanted])
    losses = fit(networks, data, FitOptions(recipe, seed, allowed, _epochs(say, "networks")))
    if len(losses) < recipe.epochs:
        say(f"networks: done after epoch {len(losses)}: more made them no better on the pages that they had not seen")
    found = {fold: networks.export(number, standard) | _confidence(start) for number, fold in enumerate(wanted)}
    which = np.array([wanted.index(fold) if fold in folds else len(folds) for fold in range(FOLDS)])[pages.folds]
    logits, types = _out_of_fold(*predict(networks, data, range(len(pages))), pages, which)
    return TrainedNetworks(found.pop(ALL), {"networks": losses}, logits, types, found, time.monotonic() - started)


def _confidence(start: Arrays) -> Arrays:
    return {key: value for key, value in start.items() if key.startswith("confidence.")}


def _epochs(say: Say, name: str) -> Callable[[int, int, float], None]:
    def tick(epoch: int, epochs: int, loss: float) -> None:
        say(f"{name}: epoch {epoch} of {epochs}, loss {loss:.4f}")

    return tick


def decide_pages(
    pages: TrainingPages, logits: npt.NDArray[np.float32], types: npt.NDArray[np.float32]
) -> Iterator[tuple[Page, Decision, npt.NDArray[np.float32]]]:
    """Every page, what is decided of it with these logits and kinds of page, and the words of its blocks."""
    for number, source in enumerate(pages.sources):
        first, stop = pages.offsets[number : number + 2]
        page = parse(source.read(), url=source.url)
        words = pages.words[first:stop]
        reading = PageReading(logits[first:stop], types[number])
        yield page, decide_page(page, reading, words, read_features(page).topics), words


def calibrate(measures: npt.NDArray[np.float32], scores: npt.NDArray[np.float64]) -> Arrays:
    """Weights of the confidence: a logistic curve over the measures and their squares, fitted to true F1s."""
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
    """The text of every page from logits that did not know it, and the measures of each answer."""
    texts, measures = [], []
    for number, (page, decision, words) in enumerate(decide_pages(pages, logits, types)):
        texts.append(str(select(page, decision.scores)))
        measures.append(measure_answer(decision, words, types[number]))
    return texts, np.array(measures)


def write_weights(path: Path, arrays: Arrays, card: dict[str, Any]) -> None:
    """The weights as a file of plain arrays, and the card beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".new")
    with temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    temporary.replace(path)
    path.with_suffix(".json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", "utf-8")


def make_card(pages: TrainingPages, recipe: Recipe, seed: int, done: Training) -> dict[str, Any]:
    """What the weights are: data, features, recipe, losses."""
    return {
        "method": "learned",
        "pages": len(pages),
        "page_types": {name: int((pages.types == number).sum()) for number, name in enumerate(PAGE_TYPES)},
        "data": digest_of(list(pages.sources)),
        "seed": seed,
        "recipe": asdict(recipe),
        "losses": {name: [round(loss, 5) for loss in losses] for name, losses in done.losses.items()},
        "seconds": round(done.seconds),
        "block_features": list(block_names()),
        "page_features": list(page_names()),
    }
