"""Remake table 2 and figures 5 to 7 of document 001 (Adam and others) with every system."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bodytext.methods.density import NETWORKS
from bodytext.methods.weights import read_card
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
from bodytext.studio.evaluation.documents.sections import (
    BAR,
    CaptionedFigure,
    CaptionedTable,
    Part,
    Section,
    per_cent,
    verdict,
)
from bodytext.studio.evaluation.documents.titles import (
    TOLD,
    UNTOLD,
    TitlePage,
    TitleScore,
    title_parts,
)
from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.metrics import bootstrap_interval, mean_of
from bodytext.studio.evaluation.page_scores import PageScore
from bodytext.studio.evaluation.plots import BLUE, VERMILION, new_figure, save
from bodytext.studio.evaluation.tables import our_systems

# Its table 2: accuracy and noise.
PRINTED = {SINGLE: (0.9671, 0.0340), MULTI: (0.9046, 0.0655), COMMENTED: (0.9191, 0.0606)}
OTHER_LIMITS = (5, 10, 20, 50)  # words of an interruption

_ABOUT = (
    "Accuracy is kept useful text / useful text, and noise is 1 - kept useful / kept, in "
    "characters of words (multisets), as means over article pages. A page is commented if an "
    f"element with a class or id for comments has at least {COMMENT_WORDS} words after the article "
    f"that are not content. Otherwise it is multi-body if at least {INTERRUPTION_WORDS} words that "
    "are not content are between two successive content blocks (the ends are blocks of at least "
    f"{ANCHOR_WORDS} words), and single-body if not. Kinds that the set itself names are used. The "
    "document's pages come from feeds, so that their titles are known; here cuter gets the labelled "
    "title in its own row, and finds the page's own title in the others."
)

Layouts = Mapping[tuple[str, str], PageLayout]  # by set and page
PageScores = Mapping[tuple[str, str], PageScore | TitleScore]  # by set and page
TitlePages = Mapping[tuple[str, str], TitlePage]  # by set and page


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean accuracy and noise over a number of pages."""

    accuracy: float
    noise: float
    pages: int


def gather_scores(evaluations: Sequence[Evaluation], layouts: Layouts) -> dict[str, PageScores]:
    """The scores of each system on the pages whose layout is known."""
    gathered: dict[str, dict[tuple[str, str], PageScore | TitleScore]] = {}
    for evaluation in evaluations:
        for system in evaluation.systems:
            pages = {(evaluation.name, score.identity): score for score in system.pages}
            known = {key: score for key, score in pages.items() if key in layouts}
            gathered.setdefault(system.system, {}).update(known)
    return dict(gathered)


def mean_by_kind(
    scores: PageScores, layouts: Layouts, limit: int = INTERRUPTION_WORDS
) -> dict[str, Mean]:
    """The mean accuracy and noise of one system for each kind of page."""
    means = {}
    for kind in KINDS:
        chosen = [score for key, score in scores.items() if layouts[key].kind(limit) == kind]
        accuracy = [score.accuracy for score in chosen]
        means[kind] = Mean(
            mean_of(accuracy), mean_of([score.noise for score in chosen]), len(chosen)
        )
    return means


def report(
    evaluations: Sequence[Evaluation],
    layouts: Layouts,
    titles: TitlePages,
    output: Path,
    further: Sequence[Part] = (),
) -> Section:
    """Table 2 with every system, what a title gives, and the three figures with cuter."""
    scores = gather_scores(evaluations, layouts)
    by_title = {
        name: {key: page.scores[name] for key, page in titles.items()} for name in (UNTOLD, TOLD)
    }
    parts: list[Part] = [_ABOUT, _system_table(scores, by_title, layouts)]
    if titles:
        parts += title_parts(list(titles.values()))
    if scores.get("cuter"):
        parts += [
            _describe_table(by_title[TOLD] or scores["cuter"], layouts),
            _limit_table(scores["cuter"], layouts),
            _draw(scores["cuter"], layouts, output / "cuter_pages"),
            _describe_figure(scores["cuter"], layouts),
        ]
    return Section("Document 001: CUTER (cuter)", (*parts, *further))


def _describe_figure(scores: PageScores, layouts: Layouts) -> str:
    """Say what the figure shows: most pages are right, and a few are wrong as a whole."""
    known = [score for key, score in scores.items() if not math.isnan(score.noise)]
    good = sum(score.accuracy >= 0.95 and score.noise <= 0.05 for score in known) / max(
        len(known), 1
    )
    single = mean_by_kind(scores, layouts)[SINGLE]
    others = [mean_by_kind(scores, layouts)[kind] for kind in (MULTI, COMMENTED)]
    holds = all(single.noise <= other.noise for other in others if other.pages)
    return (
        f"The figure shows that CUTER's means come from two sorts of pages: {per_cent(good)} have at least 95 % of the "
        "text and at most 5 % noise, and the others lose or add a large part. The document finds more noise on "
        f"multi-body and commented pages than on single-body ones. {verdict(holds=holds)}"
    )


def _describe_table(scores: PageScores, layouts: Layouts) -> str:
    """Say for which kinds of pages CUTER is as accurate and as clean as the document prints."""
    means, said = mean_by_kind(scores, layouts), []
    for kind in KINDS:
        accuracy, noise = PRINTED[kind]
        mean = means[kind]
        if mean.pages:
            said.append(
                f"on {kind} pages accuracy is {per_cent(mean.accuracy)} (printed {per_cent(accuracy)}) and noise "
                f"{per_cent(mean.noise)} ({per_cent(noise)})"
            )
    reached = all(
        means[kind].accuracy >= PRINTED[kind][0] and means[kind].noise <= PRINTED[kind][1]
        for kind in KINDS
        if means[kind].pages
    )
    return f"Told the title, {'; '.join(said)}. {verdict(holds=reached)}"


def _system_table(
    scores: Mapping[str, PageScores], by_title: Mapping[str, PageScores], layouts: Layouts
) -> CaptionedTable:
    trained = trained_on({name for name, _ in layouts})
    rows = [
        (
            "document, its own pages",
            *_format_means({kind: Mean(*PRINTED[kind], 0) for kind in KINDS}),
        )
    ]
    if "cuter" in scores:
        rows.append(("cuter", *_format_means(mean_by_kind(scores["cuter"], layouts))))
        rows.append(("cuter, 95 % interval", *_format_intervals(scores["cuter"], layouts)))
    for name, titled in by_title.items():
        if titled:
            rows.append((f"cuter, {name}", *_format_means(mean_by_kind(titled, layouts))))
    for system, name in _name_others(scores, trained):
        rows.append((name, *_format_means(mean_by_kind(scores[system], layouts))))
    kinds = Counter(layout.kind() for layout in layouts.values())
    names = [f"{kind} ({kinds[kind]}) accuracy | noise" for kind in KINDS]
    caption = "Table 2: accuracy and noise by kind of page"
    if trained:
        caption += "; * was trained on these pages"
    return CaptionedTable(caption, BAR.join(["system", *names]), rows)


def _name_others(systems: Iterable[str], trained: AbstractSet[str]) -> Iterator[tuple[str, str]]:
    """The systems other than cuter and their names in the table, ours first."""
    ours = our_systems()
    for system in sorted(systems, key=lambda name: name not in ours):
        if system not in ours:
            yield system, f"{system} (peer)"
        elif system != "cuter":
            yield system, f"{system} *" if system in trained else system


def trained_on(sets: AbstractSet[str]) -> set[str]:
    """The systems that were trained on one of these sets, so that their numbers are too good."""
    trained = set()
    if read_card("density")["data"]["name"] in sets:
        trained |= {"density", *(f"density-{name}" for name in NETWORKS)}
    if not sets.isdisjoint(read_card("learned")["sets"]):
        trained.add("learned")
    return trained


def _format_means(means: Mapping[str, Mean]) -> list[str]:
    return [
        per_cent(value, 2) for kind in KINDS for value in (means[kind].accuracy, means[kind].noise)
    ]


def _format_intervals(scores: PageScores, layouts: Layouts) -> list[str]:
    cells = []
    for kind in KINDS:
        chosen = [score for key, score in scores.items() if layouts[key].kind() == kind]
        for metric in ("accuracy", "noise"):
            values = [getattr(score, metric) for score in chosen]
            low, high = bootstrap_interval([value for value in values if not math.isnan(value)])
            cells.append("-" if math.isnan(low) else f"{100 * low:.1f} to {100 * high:.1f}")
    return cells


def _limit_table(scores: PageScores, layouts: Layouts) -> CaptionedTable:
    rows = []
    for limit in OTHER_LIMITS:
        means = mean_by_kind(scores, layouts, limit)
        row = [str(limit)]
        for kind in (SINGLE, MULTI):
            mean = means[kind]
            row += [f"{mean.pages:,}", per_cent(mean.accuracy), per_cent(mean.noise)]
        rows.append(row)
    kinds = "single-body pages | accuracy | noise | multi-body pages | accuracy | noise"
    caption = "How much the kinds depend on the limit: cuter"
    return CaptionedTable(caption, f"words of an interruption | {kinds}", rows)


def _draw(scores: PageScores, layouts: Layouts, path: Path) -> CaptionedFigure:
    figure, axes = new_figure(10.5, 3.7, columns=3)
    rows: list[tuple[object, ...]] = []
    for plot, kind in zip(axes, KINDS, strict=True):
        chosen = {key: score for key, score in scores.items() if layouts[key].kind() == kind}
        rows += [(kind, *key, score.accuracy, score.noise) for key, score in sorted(chosen.items())]
        place = (np.arange(len(chosen)) + 0.5) / max(len(chosen), 1) * 100
        accuracy = 100 * np.sort([score.accuracy for score in chosen.values()])[::-1]
        noise = 100 * np.sort([score.noise for score in chosen.values()])
        drawn = (("accuracy", accuracy, BLUE), ("noise", noise, VERMILION))
        for (metric, values, colour), printed in zip(drawn, PRINTED[kind], strict=True):
            plot.plot(place, values, color=colour, label=metric)
            label = f"the document's mean {metric}"
            plot.axhline(100 * printed, color=colour, linewidth=1.1, linestyle=":", label=label)
        plot.set(
            title=f"{kind}, {len(chosen)} pages",
            xlabel="pages, sorted for each line, per cent",
            ylabel="per cent of the text",
            xlim=(0, 100),
            ylim=(-2, 102),
        )
    legend = axes[0].get_legend_handles_labels()
    figure.legend(*legend, loc="outside lower center", ncols=4, frameon=False)
    save(figure, path, ("kind", "set", "page", "accuracy", "noise"), rows)
    return CaptionedFigure(
        path.name, "Accuracy and noise of cuter on every page, by kind (its figures 5, 6 and 7)"
    )
