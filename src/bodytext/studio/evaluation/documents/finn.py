"""Remake figure 3 of document 004: cumulative tags by token, with the chosen plateau."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bodytext.methods.finn import best_stretch, share_inside
from bodytext.page.tables import Page
from bodytext.studio.evaluation.documents.sections import (
    CaptionedFigure,
    Part,
    Section,
    per_cent,
    verdict,
)
from bodytext.studio.evaluation.plots import BLUE, GREEN, ORANGE, VERMILION, new_figure, save
from bodytext.studio.training.examples import TrainingExample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ABOUT = (
    "The flat part of the curve is text without tags. The span that maximises T(i, j) has no "
    "parameters. Where the content by the labels (green) is longer or shorter than the span, the "
    "method is wrong."
)

CLOSE = 0.9  # the least share of words on which plateau and content agree, on every page shown

_Positions = npt.NDArray[np.int64]


def cumulate(page: Page) -> tuple[_Positions, _Positions]:
    """Token positions and tags so far, before and after the words of each run."""
    runs = page.runs
    steps = np.append(
        np.stack((runs.tags, runs.words), axis=1).ravel(), page.tags - int(runs.tags.sum())
    )
    tags = np.where(np.arange(len(steps)) % 2 == 0, steps, 0)
    return np.append(0, np.cumsum(steps)), np.append(0, np.cumsum(tags))


def plateau(page: Page) -> tuple[int, int]:
    """The token positions where the body text starts and ends."""
    first, stop = best_stretch(page.runs.tags, page.runs.words)
    position, _ = cumulate(page)
    return int(position[2 * first + 1]), int(position[2 * stop])


def report(examples: Sequence[TrainingExample], output: Path) -> Section:
    """Figure 3 for a few pages."""
    parts: list[Part] = [_ABOUT]
    if examples:
        parts += [_draw(examples, output / "finn_plateau"), _describe(examples)]
    return Section("Document 004: body text extraction (finn)", tuple(parts))


def _describe(examples: Sequence[TrainingExample]) -> str:
    """Say how much of the content is on the plateau, and how much of the plateau is content."""
    found, right = [], []
    for example in examples:
        page = example.page
        words = page.per_block(page.runs.words)
        inside = words * share_inside(
            page, page.runs.words, *best_stretch(page.runs.tags, page.runs.words)
        )
        content = example.labels & page.seen
        found.append(float(inside[content].sum() / words[content].sum()))
        right.append(float(inside[content].sum() / inside.sum()))
    return (
        "The figure shows that these pages have one plateau. The document says that its ends are where the main body "
        f"begins and ends. On average {per_cent(sum(found) / len(found))} of the content's words are on the plateau, "
        f"and {per_cent(sum(right) / len(right))} of the words on the plateau are content. "
        f"{verdict(holds=min(*found, *right) >= CLOSE)}"
    )


def _draw(examples: Sequence[TrainingExample], path: Path) -> CaptionedFigure:
    columns = min(len(examples), 2)
    lines = -(-len(examples) // columns)
    figure, axes = new_figure(4.9 * columns, 3.3 * lines + 0.4, rows=lines, columns=columns)
    rows: list[tuple[object, ...]] = []
    for plot, example in zip(axes, examples, strict=False):
        position, tags = cumulate(example.page)
        _draw_page(plot, example, position, tags)
        rows += [
            (example.source.identity, example.source.domain, *row)
            for row in zip(position.tolist(), tags.tolist(), strict=True)
        ]
    for unused in axes[len(examples) :]:
        unused.set_visible(False)
    legend = axes[0].get_legend_handles_labels()
    figure.legend(*legend, loc="outside lower center", ncols=3, frameon=False)
    save(figure, path, ("page", "domain", "token", "tags so far"), rows)
    return CaptionedFigure(
        path.name, "Cumulative tags against token position, with the chosen plateau (its figure 3)"
    )


def _draw_page(
    axes: "Axes", example: TrainingExample, position: _Positions, tags: _Positions
) -> None:
    page = example.page
    begin, end = plateau(page)
    axes.axvspan(begin, end, color=ORANGE, alpha=0.25, linewidth=0, label="chosen plateau")
    axes.plot(position, tags, color=BLUE, linewidth=1.8, label="tags so far")
    axes.plot(
        (begin, end), np.interp((begin, end), position, tags), "o", color=VERMILION, markersize=6
    )
    content = np.flatnonzero(example.labels & page.seen)
    first, stop = page.blocks.first_run[content], page.blocks.stop_run[content]
    low = -0.04 * float(tags[-1])
    ends = [low] * len(content), position[2 * first], position[2 * stop]
    axes.hlines(*ends, color=GREEN, linewidth=5, label="content by the labels")
    axes.set(
        title=example.source.domain,
        xlabel="token position",
        ylabel="tags so far",
        xlim=(0, int(position[-1])),
        ylim=(2 * low, 1.03 * float(tags[-1])),
    )
