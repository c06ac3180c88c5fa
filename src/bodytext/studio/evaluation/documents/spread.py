"""Show how K of document 002 falls on the way down the tree, and word F1 for other stop values."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bodytext.methods.spread import Spread, Step
from bodytext.page.tables import Page
from bodytext.studio.evaluation.documents.sections import (
    CaptionedFigure,
    CaptionedTable,
    Part,
    Section,
    verdict,
)
from bodytext.studio.evaluation.documents.settings import (
    SettingScores,
    mean_scores,
    measure_settings,
    settings_table,
)
from bodytext.studio.evaluation.plots import (
    BLUE,
    GREY,
    INK,
    SERIES,
    VERMILION,
    new_figure,
    save,
)
from bodytext.studio.training.examples import TrainingExample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PRINTED_STOP = 5
STOPS = tuple(range(1, 21))
MUCH = 0.01  # word F1; the document's stop is good if none is better by so much
_ABOUT = (
    "K = 100 * linear variance / text length. With n children, K is at most 200 (n - 1) / n^2, "
    "which it is when one child has all text. So an element with 39 or more text-bearing children "
    "always ends the descent at the document's 5 %."
)
_BOTTOM = 0.0  # no spread is lower, so the descent goes on to the last element


def measure_stops(example: TrainingExample) -> SettingScores:
    """Score a page with each stop value."""
    return measure_settings(example, [Spread(stop=float(stop)) for stop in STOPS])


def branching_steps(page: Page) -> tuple[list[Step], int]:
    """The steps with several text-bearing children, and how many of them the method takes."""
    steps = [step for step in Spread(stop=_BOTTOM).descend(page) if step.children > 1]
    taken = next(
        (index + 1 for index, step in enumerate(steps) if step.spread < PRINTED_STOP), len(steps)
    )
    return steps, taken


def report(
    scores: Sequence[SettingScores], examples: Sequence[TrainingExample], output: Path
) -> Section:
    """Both figures and the table of stops."""
    parts: tuple[Part, ...] = (
        _ABOUT,
        _draw_descents(examples, output / "spread_descent"),
        _describe_descents(examples),
        _stop_table(scores),
        _draw_stops(scores, output / "spread_stops"),
        _describe_stops(scores),
    )
    return Section("Document 002: text distribution in the tree (spread)", parts)


def _describe_descents(examples: Sequence[TrainingExample]) -> str:
    ends = [
        steps[taken - 1].spread < PRINTED_STOP
        for steps, taken in map(branching_steps, [example.page for example in examples])
        if steps
    ]
    return (
        "The figure shows K at each branching element from the body down. The document says that K is low at the "
        f"content. The descent finds such an element on {sum(ends)} of these {len(ends)} pages, and goes down to the "
        f"last branching on the others. {verdict(holds=all(ends))}"
    )


def _describe_stops(scores: Sequence[SettingScores]) -> str:
    articles, _ = mean_scores(scores, len(STOPS))
    own, best = articles[STOPS.index(PRINTED_STOP)], int(np.argmax(articles))
    return (
        "The figure shows what another stop value would give. The document takes 5 %, which worked in "
        f"all of its tests. On articles its value gives {own:.3f}, and the best one, {STOPS[best]} %, gives {articles[best]:.3f}. "
        f"{verdict(holds=articles[best] - own < MUCH)}"
    )


def _draw_descents(examples: Sequence[TrainingExample], path: Path) -> CaptionedFigure:
    figure, (axes,) = new_figure(7.6, 4.2)
    rows: list[tuple[object, ...]] = []
    for example, colour in zip(examples, SERIES, strict=False):
        source = example.source
        steps, taken = branching_steps(example.page)
        _draw_descent(axes, [step.spread for step in steps], taken, (colour, source.domain))
        rows += [
            (source.identity, source.domain, level, step.children, step.spread, int(level <= taken))
            for level, step in enumerate(steps, 1)
        ]
    axes.axhline(PRINTED_STOP, color=INK, linewidth=1.1, linestyle="--")
    axes.annotate("stop at 5 %", (1, PRINTED_STOP), (0, 4), textcoords="offset points", fontsize=9)
    axes.set(
        title="K on the way down",
        xlabel="branching element on the way down from <body>",
        ylabel="K, per cent",
    )
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)
    axes.legend(loc="upper right")
    save(figure, path, ("page", "domain", "step", "children", "K", "taken"), rows)
    caption = "K on the way down; the square is where the method stops, the dotted line is what lies below"
    return CaptionedFigure(path.name, caption)


def _draw_descent(
    axes: "Axes", spread: Sequence[float], taken: int, style: tuple[str, str]
) -> None:
    """Draw the path taken, its end, and the path below it, in a colour and with a name."""
    colour, name = style
    level, end = range(1, len(spread) + 1), taken - 1
    axes.plot(level[:taken], spread[:taken], "o-", color=colour, label=name)
    axes.plot(level[end:], spread[end:], ".:", color=colour, linewidth=1)
    axes.plot(level[end:taken], spread[end:taken], "s", color=colour, markersize=9)


def _stop_table(scores: Sequence[SettingScores]) -> CaptionedTable:
    names = [f"{stop} %" + (" (document)" if stop == PRINTED_STOP else "") for stop in STOPS]
    return settings_table(scores, names, "Mean word F1 for each stop value", "stop")


def _draw_stops(scores: Sequence[SettingScores], path: Path) -> CaptionedFigure:
    figure, (axes,) = new_figure(7, 3.8)
    articles, whole = mean_scores(scores, len(STOPS))
    axes.plot(STOPS, articles, "o-", color=BLUE, label="articles")
    if not all(page.is_article for page in scores):
        axes.plot(STOPS, whole, "s-", color=VERMILION, label="all pages")
    label = "the document's stop"
    axes.axvline(PRINTED_STOP, color=GREY, linewidth=1.1, linestyle="--", label=label)
    axes.set(
        title="Word F1 against the stop value",
        xlabel="stop, per cent",
        ylabel="mean word F1",
        xticks=STOPS,
    )
    axes.legend()
    save(figure, path, ("stop", "articles", "all pages"), zip(STOPS, articles, whole, strict=True))
    return CaptionedFigure(path.name, "Mean word F1 for stop values from 1 to 20 per cent")
