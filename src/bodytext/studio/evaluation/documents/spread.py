"""Labelled pages -> how document 002's K falls on the way down, and word F1 for other stop values."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from bodytext.methods.spread import Spread, Step
from bodytext.page.tables import Page
from bodytext.selection import select
from bodytext.studio.evaluation.documents.plots import (
    BLUE,
    GREY,
    INK,
    SERIES,
    VERMILION,
    name_axes,
    new_figure,
    save,
    show_legend,
)
from bodytext.studio.evaluation.documents.sections import CaptionedFigure, CaptionedTable, Part, Section
from bodytext.studio.evaluation.metrics import compare_words
from bodytext.studio.training.examples import TrainingExample

PRINTED_STOP = 5
STOPS = tuple(range(1, 21))
_ABOUT = (
    "K = 100 * linear variance / text length. With n children K is at most 200 (n - 1) / n^2, when one child holds all "
    "text: an element with 39 or more text-bearing children always ends the descent at the document's 5 %."
)
_BOTTOM = 0.0  # no spread is below it, so the descent goes on to the last element


@dataclass(frozen=True, slots=True)
class StopScores:
    """Word F1 of a page for every stop value."""

    is_article: bool
    f1: tuple[float, ...]


def measure_stops(example: TrainingExample) -> StopScores:
    """Stops that end in the same element are scored once."""
    known: dict[bytes, float] = {}
    found = []
    for stop in STOPS:
        scores = Spread(stop=float(stop)).score(example.page)
        key = scores.tobytes()
        if key not in known:
            known[key] = compare_words(str(select(example.page, scores)), example.source.reference or "").f1
        found.append(known[key])
    return StopScores(example.source.page_type == "article", tuple(found))


def branching_steps(page: Page) -> tuple[list[Step], int]:
    """The steps with more than one text-bearing child down to the last element, and how many the method takes."""
    steps = [step for step in Spread(stop=_BOTTOM).descend(page) if step.children > 1]
    taken = next((index + 1 for index, step in enumerate(steps) if step.spread < PRINTED_STOP), len(steps))
    return steps, taken


def report(scores: Sequence[StopScores], examples: Sequence[TrainingExample], output: Path) -> Section:
    """Both figures and the table of stops."""
    parts: tuple[Part, ...] = (
        _ABOUT,
        _draw_descents(examples, output / "spread_descent"),
        _stop_table(scores),
        _draw_stops(scores, output / "spread_stops"),
    )
    return Section("Document 002: text distribution in the tree (spread)", parts)


def _draw_descents(examples: Sequence[TrainingExample], path: Path) -> CaptionedFigure:
    figure, (axes,) = new_figure(7.6, 4.2)
    rows: list[tuple[object, ...]] = []
    for example, colour in zip(examples, SERIES, strict=False):
        steps, taken = branching_steps(example.page)
        _draw_descent(axes, [step.spread for step in steps], taken, (colour, example.source.domain))
        rows += [
            (example.source.identity, example.source.domain, level, step.children, step.spread, int(level <= taken))
            for level, step in enumerate(steps, 1)
        ]
    axes.axhline(PRINTED_STOP, color=INK, linewidth=1.1, linestyle="--")
    axes.annotate("stop at 5 %", (1, PRINTED_STOP), (0, 4), textcoords="offset points", fontsize=9, color=INK)
    name_axes(axes, "K on the way down", "branching element on the way down from <body>", "K, per cent")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    show_legend(axes, "upper right")
    save(figure, path, ("page", "domain", "step", "children", "K", "taken"), rows)
    caption = "K on the way down; the square is where the method ends, a dotted line what lies below it"
    return CaptionedFigure(path.name, caption)


def _draw_descent(axes: Axes, spread: Sequence[float], taken: int, style: tuple[str, str]) -> None:
    """The way that is taken, what lies below it, and the end, in a colour and with a name."""
    colour, name = style
    level, end = range(1, len(spread) + 1), taken - 1
    axes.plot(level[:taken], spread[:taken], color=colour, linewidth=2, marker="o", markersize=4, label=name)
    axes.plot(level[end:], spread[end:], color=colour, linewidth=1, linestyle=":", marker=".", markersize=4)
    axes.plot(level[end:taken], spread[end:taken], color=colour, marker="s", markersize=9, linestyle="")


def _means(scores: Sequence[StopScores]) -> tuple[list[float], list[float]]:
    articles = [one.f1 for one in scores if one.is_article]
    nothing = [float("nan")] * len(STOPS)
    return (
        np.mean(articles, axis=0).tolist() if articles else nothing,
        np.mean([one.f1 for one in scores], axis=0).tolist() if scores else nothing,
    )


def _stop_table(scores: Sequence[StopScores]) -> CaptionedTable:
    rows = tuple(
        (f"{stop} %" + (" (document)" if stop == PRINTED_STOP else ""), f"{article:.3f}", f"{whole:.3f}")
        for stop, article, whole in zip(STOPS, *_means(scores), strict=True)
    )
    articles = sum(one.is_article for one in scores)
    header = ("stop", f"articles ({articles:,})", f"all pages ({len(scores):,})")
    return CaptionedTable("Mean word F1 for each stop value", header, rows)


def _draw_stops(scores: Sequence[StopScores], path: Path) -> CaptionedFigure:
    figure, (axes,) = new_figure(7, 3.8)
    articles, whole = _means(scores)
    axes.plot(STOPS, articles, color=BLUE, linewidth=2, marker="o", markersize=4, label="articles")
    if not all(one.is_article for one in scores):
        axes.plot(STOPS, whole, color=VERMILION, linewidth=2, marker="s", markersize=4, label="all pages")
    axes.axvline(PRINTED_STOP, color=GREY, linewidth=1.1, linestyle="--", label="the document's stop")
    name_axes(axes, "Word F1 against the stop value", "stop, per cent", "mean word F1")
    axes.set_xticks(STOPS)
    show_legend(axes)
    save(figure, path, ("stop", "articles", "all pages"), zip(STOPS, articles, whole, strict=True))
    return CaptionedFigure(path.name, "Mean word F1 for stop values from 1 to 20 per cent")
