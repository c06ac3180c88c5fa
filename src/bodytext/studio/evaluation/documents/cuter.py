"""Scores of every system + how pages are built -> table 2 and figures 5 to 7 of document 001 (Adam and others)."""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bodytext.methods.density import NETWORKS
from bodytext.methods.perceptron import read_card
from bodytext.studio.evaluation.documents.page_layouts import (
    ANCHOR_WORDS,
    COMMENT_WORDS,
    COMMENTED,
    INTERRUPTION_WORDS,
    KINDS,
    MULTI,
    SINGLE,
    PageLayout,
)
from bodytext.studio.evaluation.documents.plots import BLUE, GREY, VERMILION, name_axes, new_figure, save
from bodytext.studio.evaluation.documents.sections import CaptionedFigure, CaptionedTable, Part, Section, per_cent
from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.metrics import bootstrap_interval
from bodytext.studio.evaluation.page_scores import PageScore
from bodytext.studio.evaluation.tables import our_systems

# Its table 2: accuracy and noise.
PRINTED = {SINGLE: (0.9671, 0.0340), MULTI: (0.9046, 0.0655), COMMENTED: (0.9191, 0.0606)}
OTHER_LIMITS = (5, 10, 20, 50)  # words of an interruption, to see how much the kinds hang on the limit

_ABOUT = (
    "Accuracy is kept useful text / useful text, noise is 1 - kept useful / kept, in characters of words (multisets), "
    "the mean over article pages. A page is commented where an element whose class or id says so holds at least "
    f"{COMMENT_WORDS} words behind the article that are not content; else multi-body where at least "
    f"{INTERRUPTION_WORDS} words that are not content stand between two content blocks that follow each other (the "
    f"ends are blocks of at least {ANCHOR_WORDS} words); else single-body. A set that names the kind itself is "
    "believed. The document's pages come from feeds, so that its titles are known; here cuter is not told the title."
)

Builds = Mapping[tuple[str, str], PageLayout]  # by set and page
_Scores = Mapping[str, Mapping[tuple[str, str], PageScore]]  # by system, then by set and page


@dataclass(frozen=True, slots=True)
class Mean:
    """Mean accuracy and noise over so many pages."""

    accuracy: float
    noise: float
    pages: int


def gather_scores(evaluations: Sequence[Evaluation], builds: Builds) -> _Scores:
    """The scores of each system on the pages whose build is known."""
    gathered: dict[str, dict[tuple[str, str], PageScore]] = {}
    for evaluation in evaluations:
        for system in evaluation.systems:
            pages = {(evaluation.name, one.identity): one for one in system.pages}
            known = {key: one for key, one in pages.items() if key in builds}
            gathered.setdefault(system.system, {}).update(known)
    return gathered


def mean_by_kind(
    scores: Mapping[tuple[str, str], PageScore], builds: Builds, limit: int = INTERRUPTION_WORDS
) -> dict[str, Mean]:
    """Accuracy and noise of one system for each kind of page."""
    means = {}
    for kind in KINDS:
        chosen = [one for key, one in scores.items() if builds[key].kind(limit) == kind]
        accuracy = [one.accuracy for one in chosen]
        means[kind] = Mean(_mean(accuracy), _mean([one.noise for one in chosen]), len(chosen))
    return means


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]  # a page of which nothing was kept has no noise
    return sum(known) / len(known) if known else math.nan


def report(evaluations: Sequence[Evaluation], builds: Builds, output: Path) -> Section:
    """Table 2 for every system, and the three figures for cuter."""
    scores = gather_scores(evaluations, builds)
    parts: list[Part] = [_ABOUT, _system_table(scores, builds)]
    if scores.get("cuter"):
        parts += [_limit_table(scores["cuter"], builds), _draw(scores["cuter"], builds, output / "cuter_pages")]
    return Section("Document 001: CUTER (cuter)", tuple(parts))


def _system_table(scores: _Scores, builds: Builds) -> CaptionedTable:
    rows = [("document, its own pages", *_written({kind: Mean(*PRINTED[kind], 0) for kind in KINDS}))]
    means = {system: mean_by_kind(pages, builds) for system, pages in scores.items()}
    if "cuter" in scores:
        rows += [("cuter", *_written(means["cuter"])), ("cuter, 95 % interval", *_intervals(scores["cuter"], builds))]
    rest = [system for system in scores if system != "cuter"]
    ours = [system for system in rest if system in our_systems()]
    trained = _trained_on({name for name, _ in builds})
    rows += [(f"{system} *" if system in trained else system, *_written(means[system])) for system in ours]
    rows += [(f"{system} (peer)", *_written(means[system])) for system in rest if system not in ours]
    counts = [sum(build.kind() == kind for build in builds.values()) for kind in KINDS]
    header = ["system"]
    for kind, count in zip(KINDS, counts, strict=True):
        header += [f"{kind} ({count}) accuracy", "noise"]
    caption = "Table 2: accuracy and noise by kind of page" + ("; * was trained on these very pages" if trained else "")
    return CaptionedTable(caption, tuple(header), tuple(rows))


def _trained_on(sets: AbstractSet[str]) -> set[str]:
    """The systems whose weights were made from one of these sets, so that their numbers here flatter them."""
    networks = {"density", *(f"density-{name}" for name in NETWORKS)}
    trained = networks if read_card("density")["data"]["name"] in sets else set()
    return trained | ({"learned"} if not sets.isdisjoint(read_card("learned")["sets"]) else set())


def _written(means: Mapping[str, Mean]) -> list[str]:
    return [per_cent(value, 2) for kind in KINDS for value in (means[kind].accuracy, means[kind].noise)]


def _intervals(scores: Mapping[tuple[str, str], PageScore], builds: Builds) -> list[str]:
    written = []
    for kind in KINDS:
        chosen = [one for key, one in scores.items() if builds[key].kind() == kind]
        for metric in ("accuracy", "noise"):
            values = [getattr(one, metric) for one in chosen]
            low, high = bootstrap_interval([value for value in values if not math.isnan(value)])
            written.append("-" if math.isnan(low) else f"{100 * low:.1f} to {100 * high:.1f}")
    return written


def _limit_table(scores: Mapping[tuple[str, str], PageScore], builds: Builds) -> CaptionedTable:
    rows = []
    for limit in OTHER_LIMITS:
        means = mean_by_kind(scores, builds, limit)
        row = [str(limit)]
        for kind in (SINGLE, MULTI):
            mean = means[kind]
            row += [f"{mean.pages:,}", per_cent(mean.accuracy), per_cent(mean.noise)]
        rows.append(tuple(row))
    header = (
        "words of an interruption",
        "single-body pages",
        "accuracy",
        "noise",
        "multi-body pages",
        "accuracy",
        "noise",
    )
    return CaptionedTable("How much the kinds hang on the limit: cuter", header, tuple(rows))


def _draw(scores: Mapping[tuple[str, str], PageScore], builds: Builds, path: Path) -> CaptionedFigure:
    figure, axes = new_figure(10.5, 3.7, columns=3)
    rows: list[tuple[object, ...]] = []
    for one, kind in zip(axes, KINDS, strict=True):
        chosen = {key: score for key, score in scores.items() if builds[key].kind() == kind}
        rows += [(kind, *key, score.accuracy, score.noise) for key, score in sorted(chosen.items())]
        printed_accuracy, printed_noise = PRINTED[kind]
        place = (np.arange(len(chosen)) + 0.5) / max(len(chosen), 1) * 100
        accuracy = 100 * np.sort([score.accuracy for score in chosen.values()])[::-1]
        noise = 100 * np.sort([score.noise for score in chosen.values()])
        one.plot(place, accuracy, color=BLUE, linewidth=2, label="accuracy")
        one.plot(place, noise, color=VERMILION, linewidth=2, label="noise")
        one.axhline(
            100 * printed_accuracy, color=BLUE, linewidth=1.1, linestyle=":", label="the document's mean accuracy"
        )
        one.axhline(
            100 * printed_noise, color=VERMILION, linewidth=1.1, linestyle=":", label="the document's mean noise"
        )
        name_axes(one, f"{kind}, {len(chosen)} pages", "pages, sorted for each line, per cent", "per cent of the text")
        one.set_xlim(0, 100)
        one.set_ylim(-2, 102)
    figure.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=4,
        fontsize=9,
        frameon=False,
        labelcolor=GREY,
    )
    save(figure, path, ("kind", "set", "page", "accuracy", "noise"), rows)
    return CaptionedFigure(path.name, "Accuracy and noise of cuter on every page, by kind (its figures 5, 6 and 7)")
