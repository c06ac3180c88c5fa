"""Train the weights of the learned method, and describe them in a card.

Labels were made by people and by models, and some are wrong. So a network does not learn from the
labels alone (distillation): teachers are trained first, each without some of the folds, and their
predictions for pages that they have not seen are mixed into the labels. Cross-validation stays
honest: the network of a fold learns from teachers that have not seen that fold either. Teachers
leave out two of five folds, and there is an ensemble of them for every pair; networks leave out one
of ten, half of a teachers' fold.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from bodytext.kernel.network_shape import PAGE_TYPES
from bodytext.methods.learned.decision import Decision, decide_page
from bodytext.methods.learned.features import block_names, page_names, read_features
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
Numbers = npt.NDArray[np.int64]
Say = Callable[[str], None]

TUNING = Recipe(
    epochs=8,
    variants=0,
    pages_a_step=8,
    rate=4e-4,
    decay=0.0,
    dropout=0.1,
    teaching=0.0,
    averaging=0.98,
    patience=3,
)

TEACHER_FOLDS = FOLDS // 2  # a teachers' fold is two folds whose numbers are equal modulo this

# Networks are numbered by the fold that they have not seen. Two have seen all folds: one learns
# from the main sets, one from all sets.
MAIN, ALL = -1, -2


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Sets that only the last network learns from, and whether to cross-validate.

    Pages without labels are learned from too, through the teachers.
    """

    also: tuple[Path, ...] = ()
    validate: bool = True
    reading: ReadOptions = field(default_factory=ReadOptions)

    def main(self, pages: TrainingPages) -> npt.NDArray[np.bool_]:
        """Which pages are in the main sets, or have no labels."""
        return np.array([self._is_main(source.path) for source in pages.sources], dtype=np.bool_)

    def _is_main(self, path: Path) -> bool:
        return not any(path.is_relative_to(folder) for folder in self.also)


@dataclass(slots=True)
class TrainedNetworks:
    """The weights, the losses, and the logits of networks that had not seen a labelled page."""

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
    torch.set_float32_matmul_precision("high" if device == "cuda" else "highest")
    return device


def train(
    pages: TrainingPages, recipe: Recipe, seed: int, say: Say, options: TrainingOptions
) -> TrainedNetworks:
    """Train from scratch: first teachers, then the network, and one for each fold to validate."""
    started = time.monotonic()
    varied, original = add_variants(pages, recipe.variants, seed, options.reading)
    data = TrainingTensors(varied, choose_device(), Standardization.of(pages))
    main, folds = options.main(varied), varied.folds
    groups: list[tuple[int, ...]] = list(
        combinations(range(TEACHER_FOLDS), 2 if options.validate else 1)
    )
    learned = f"{int(options.main(pages).sum()):,} pages and {recipe.variants} variants of each"
    say(f"training {len(groups) * recipe.teachers} teachers on {learned} ({data.device})")
    known = varied.labelled
    allowed = np.array([main & known & ~np.isin(folds % TEACHER_FOLDS, group) for group in groups])
    report = _report_epochs(say, "teachers")
    alone = replace(
        recipe, epochs=recipe.teacher_epochs, teaching=0.0, dropout=recipe.teacher_dropout
    )
    plain = FitOptions(alone, seed, allowed, report, original=original)
    (logits, types), losses = _train_teachers(data, plain)
    wanted = [*range(FOLDS), MAIN, ALL] if options.validate else [ALL]
    chances = np.where(known[varied.owner], varied.labels, _chances(logits.mean(0)))
    data.weights = torch.as_tensor(varied.weights(chances), device=data.device)
    teachers = _join_teachers(data, groups, (logits, types), wanted, main)
    scored = pages.without_unlabelled()
    logits, types = _out_of_fold(logits, types, scored, _choose_teachers(scored, groups, -1))
    candidates = recipe.candidates if options.validate else 1
    say(f"training {len(wanted) * candidates} networks")
    networks = Networks(len(wanted) * candidates, data, seed + 1, recipe.width)
    allowed = np.array([((folds != fold) | ~known) & (main | (fold == ALL)) for fold in wanted])
    learning = FitOptions(
        recipe,
        seed + 1,
        np.tile(allowed, (candidates, 1)),
        _report_epochs(say, "networks"),
        replace(teachers, teacher=np.tile(teachers.teacher, (candidates, 1))),
        original,
    )
    later, chosen = fit(networks, data, learning), 0
    if options.validate:
        unseen = np.where(options.main(scored), scored.folds, wanted.index(MAIN))
        predicted = predict(networks, data, range(len(scored)))
        parts = [
            _out_of_fold(*predicted, scored, unseen + first)
            for first in range(0, networks.count, len(wanted))
        ]
        chosen = _choose_candidate([part for part, _ in parts], scored, say)
        logits, types = parts[chosen]
    weights = {
        fold: networks.export(chosen * len(wanted) + number, data.standard)
        for number, fold in enumerate(wanted)
    }
    by_name, seconds = {"teachers": losses, "networks": later}, time.monotonic() - started
    return TrainedNetworks(weights.pop(ALL), by_name, logits, types, weights, seconds)


def _train_teachers(
    data: TrainingTensors, options: FitOptions
) -> tuple[tuple[Any, Any], list[float]]:
    """The mean predictions of the ensemble for each group of folds; and the losses."""
    count, groups = options.recipe.teachers, len(options.allowed)
    networks = Networks(count * groups, data, options.seed, options.recipe.teacher_width)
    losses = fit(networks, data, replace(options, allowed=np.tile(options.allowed, (count, 1))))
    predicted = predict(networks, data, range(len(data.pages)))
    logits, types = (part.reshape(count, groups, *part.shape[1:]).mean(0) for part in predicted)
    return (logits, types), losses


def _join_teachers(
    data: TrainingTensors,
    groups: list[tuple[int, ...]],
    predicted: tuple[Any, Any],
    wanted: list[int],
    main: npt.NDArray[np.bool_],
) -> TeacherLogits:
    """The mean predictions of all teachers that have seen neither a page nor a network's fold.

    After one row for each group of folds come the means over the groups without each fold, for the
    networks that have seen all folds and for pages without labels, and the mean over all groups.
    """
    pages, numbers = data.pages, range(len(groups))
    without = [
        [number for number in numbers if fold in groups[number]] for fold in range(TEACHER_FOLDS)
    ]
    rows = [*([number] for number in numbers), *without, list(numbers)]
    logits, types = (np.stack([part[row].mean(0) for row in rows]) for part in predicted)
    everyone = len(rows) - 1
    teacher = []
    for fold in wanted:
        single = _choose_teachers(pages, groups, fold)
        unseen = len(groups) + fold % TEACHER_FOLDS if fold in range(FOLDS) else everyone
        if fold not in range(FOLDS):
            single = len(groups) + pages.folds % TEACHER_FOLDS
        teacher.append(np.where(pages.labelled, np.where(main, single, -1), unseen))
    send = partial(torch.as_tensor, device=data.device)
    return TeacherLogits(send(logits), send(types), np.array(teacher))


def _chances(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    cut = np.clip(logits, np.float32(-30), np.float32(30))
    chances: npt.NDArray[np.float32] = np.reciprocal(1 + np.exp(-cut))
    return chances


def _choose_teachers(pages: TrainingPages, groups: list[tuple[int, ...]], fold: int) -> Numbers:
    """For each page a teacher that has seen neither the page nor the fold."""
    teacher = np.zeros(len(pages), dtype=np.int64)
    for own in range(TEACHER_FOLDS):
        unseen = {own, fold % TEACHER_FOLDS} if fold in range(FOLDS) else {own}
        fitting = [number for number, group in enumerate(groups) if unseen <= set(group)]
        teacher[pages.folds % TEACHER_FOLDS == own] = fitting[0] if fitting else -1
    return teacher


def _out_of_fold(
    logits: Any, types: Any, pages: TrainingPages, network: Numbers
) -> tuple[Any, Any]:
    """The predictions for each page by the network that has not seen it, without variants."""
    by_block = logits[network[pages.owner], np.arange(len(pages.words))]
    return by_block, types[network, np.arange(len(pages))]


def _choose_candidate(
    candidates: list[npt.NDArray[np.float32]], pages: TrainingPages, say: Say
) -> int:
    """The candidate whose logits have the least cross entropy, averaged over blocks, then pages."""
    errors = []
    for logits in candidates:
        by_block = np.logaddexp(np.float32(0), logits) - logits * pages.labels
        errors.append(float((np.bincount(pages.owner, by_block) / np.diff(pages.offsets)).mean()))
    say("errors out of fold: " + ", ".join(f"{error:.4f}" for error in errors))
    return int(np.argmin(errors))


def tune(
    pages: TrainingPages, start: Arrays, recipe: Recipe, seed: int, say: Say
) -> TrainedNetworks:
    """Fine-tune weights on a few more pages, with cross-validation by site."""
    started = time.monotonic()
    measures = ("mean", "scale", "page.mean", "page.scale")
    standard = Standardization(*(start[name] for name in measures))
    data = TrainingTensors(pages, choose_device(), standard)
    folds = [fold for fold in range(FOLDS) if 0 < (pages.folds == fold).sum() < len(pages)]
    networks = Networks(len(folds) + 1, data, seed, start["output.weights"].shape[0])
    networks.load(start)
    allowed = np.array([pages.folds != fold for fold in (*folds, ALL)])
    losses = fit(networks, data, FitOptions(recipe, seed, allowed, _report_epochs(say, "networks")))
    if len(losses) < recipe.epochs:
        say(f"networks: stopped after epoch {len(losses)}: more did not help on held-out pages")
    confidence = {key: value for key, value in start.items() if key.startswith("confidence.")}
    exported = [networks.export(number, standard) | confidence for number in range(networks.count)]
    unseen = np.full(FOLDS, len(folds))
    unseen[folds] = np.arange(len(folds))
    predicted = predict(networks, data, range(len(pages)))
    logits, types = _out_of_fold(*predicted, pages, unseen[pages.folds])
    weights, seconds = dict(zip(folds, exported, strict=False)), time.monotonic() - started
    return TrainedNetworks(exported[-1], {"networks": losses}, logits, types, weights, seconds)


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
    both = np.concatenate((measures, measures**2, np.ones((len(measures), 1))), 1).astype(
        np.float64
    )
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
    for page, decision, _ in decide_pages(pages, logits, types):
        texts.append(str(select(page, Scores(decision.scores))))
        measures.append(decision.measures)
    return texts, np.array(measures, dtype=np.float32)


def make_card(
    pages: TrainingPages, recipe: Recipe, seed: int, trained: TrainedNetworks
) -> dict[str, Any]:
    """The description of the weights: data, features, recipe, losses."""
    losses = {name: [round(loss, 5) for loss in values] for name, values in trained.losses.items()}
    types = np.bincount(pages.types, minlength=len(PAGE_TYPES)).tolist()
    return {
        "method": "learned",
        "pages": len(pages),
        "page_types": dict(zip(PAGE_TYPES, types, strict=True)),
        "data": digest_of(list(pages.sources)),
        "seed": seed,
        "recipe": asdict(recipe),
        "losses": losses,
        "seconds": round(trained.seconds),
        "block_features": list(block_names()),
        "page_features": list(page_names()),
    }
