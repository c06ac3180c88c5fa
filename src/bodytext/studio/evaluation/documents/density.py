"""Remake the plots of lines and the figure of errors of document 003 (AI Depot)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from bodytext.methods.density import FIXED_THRESHOLD, NETWORKS, RULES, line_bytes, measure_lines
from bodytext.methods.weights import read_card
from bodytext.studio.evaluation.documents.density_study import study
from bodytext.studio.evaluation.documents.plots import (
    BLUE,
    GREEN,
    INK,
    VERMILION,
    name_axes,
    new_figure,
    save,
    show_legend,
)
from bodytext.studio.evaluation.documents.sections import (
    CaptionedFigure,
    CaptionedTable,
    Part,
    Section,
    per_cent,
    verdict,
)
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import LabelledPage, digest_of, fold_of
from bodytext.studio.training.density_training import FOLDS, Errors, cross_validate
from bodytext.studio.training.examples import TrainingExample, read_examples

PRINTED_FEWER = 0.80  # errors, of its best network against the fixed threshold
NAMES = RULES + NETWORKS


@dataclass(frozen=True, slots=True)
class SetErrors:
    """The errors of every rule and network on a set, and the origin of the numbers."""

    name: str
    digest: str
    origin: str
    errors: Mapping[str, Errors]


def read_errors(folder: Path) -> SetErrors | None:
    """The cross-validated errors on a set, from the card of the weights or computed.

    None if the pages are of too few domains to be split.
    """
    pages = [page for page in read_set(folder) if page.reference]
    digest, card = digest_of(pages), read_card("density")
    if card["data"]["digest"] == digest:
        errors = {
            name: Errors(**numbers) for name, numbers in card["cross_validated_by_domain"].items()
        }
        return SetErrors(folder.name, digest, "from the card of the shipped weights", errors)
    if not _can_be_split(pages):
        return None
    return SetErrors(
        folder.name, digest, "computed here", cross_validate(list(read_examples(folder)))
    )


def _can_be_split(pages: Sequence[LabelledPage]) -> bool:
    return len({fold_of(page.domain, FOLDS) for page in pages}) > 1


def report(
    sets: Sequence[SetErrors],
    examples: Sequence[TrainingExample],
    studied: Mapping[str, Sequence[TrainingExample]],
    output: Path,
) -> Section:
    """Two plots of the lines of a page, and the errors as tables and as a figure."""
    parts: list[Part] = []
    if examples:
        shown = min(examples, key=lambda example: len(example.page))
        parts += [_draw_lines(shown, output / "density_lines"), _describe_lines(shown)]
    parts.append(
        f"Errors on visible lines, in {FOLDS} folds by domain: no page is scored by a network that "
        "saw its domain. The rules have nothing to learn. The document does not say how many "
        "lines it tested, nor whether they come from the sites it trained on. It reports "
        f"{PRINTED_FEWER:.0%} fewer errors for its best network."
    )
    parts += [_error_table(each) for each in sets]
    if sets:
        parts += [_draw_errors(sets, output / "density_errors"), *map(_describe_errors, sets)]
    for name, articles in studied.items():
        parts += study(name, articles)
    return Section("Document 003: text density of lines (density)", tuple(parts))


def _describe_lines(example: TrainingExample) -> str:
    seen = example.page.seen
    density, labels = measure_lines(example.page)[seen, 0], example.labels[seen]
    inside, outside = float(density[labels].mean()), float(density[~labels].mean())
    return (
        "The figure shows that lines of content need few HTML bytes for many text bytes. The document says that density "
        f"shows this best. Here the mean density of content lines is {inside:.2f}, that of the others {outside:.2f}. "
        f"{verdict(holds=inside > outside)}"
    )


def _describe_errors(measured: SetErrors) -> str:
    fixed = max(measured.errors["threshold"].total, 1)
    best = min(NETWORKS, key=lambda name: measured.errors[name].total)
    fewer = 1 - measured.errors[best].total / fixed
    alone = 1 - measured.errors["1A"].total / fixed
    return (
        f"On {measured.name} the figure shows that the best network, {best}, makes {per_cent(fewer)} fewer errors than "
        f"the fixed threshold. The document's {PRINTED_FEWER:.0%}: {verdict(holds=fewer >= PRINTED_FEWER)} A network "
        f"that sees the density alone makes {per_cent(alone)} fewer, and the document says that it cannot find a much "
        f"better threshold. {verdict(holds=alone < 0.1)}"
    )


def _error_table(measured: SetErrors) -> CaptionedTable:
    fixed = measured.errors["threshold"].total
    rows = []
    for name in NAMES:
        errors = measured.errors[name]
        total = errors.total
        counts = (f"{errors.false_positives:,}", f"{errors.false_negatives:,}", f"{total:,}")
        relative = total / max(fixed, 1)
        rows.append(
            (
                name,
                *counts,
                per_cent(total / max(errors.lines, 1)),
                per_cent(relative),
                per_cent(1 - relative),
            )
        )
    rows.append(
        (
            "document, best network",
            "",
            "",
            "",
            "",
            per_cent(1 - PRINTED_FEWER),
            per_cent(PRINTED_FEWER),
        )
    )
    lines = measured.errors["threshold"].lines
    header = (
        "rule",
        "false positives",
        "false negatives",
        "errors",
        "of lines",
        "of the threshold's errors",
        "fewer errors",
    )
    return CaptionedTable(
        f"Errors on {lines:,} lines of {measured.name} ({measured.digest}), {measured.origin}",
        header,
        tuple(rows),
    )


def _draw_errors(sets: Sequence[SetErrors], path: Path) -> CaptionedFigure:
    figure, axes = new_figure(5.8 * len(sets), 3.9, columns=len(sets))
    rows: list[tuple[object, ...]] = []
    for plot, measured in zip(axes, sets, strict=True):
        fixed = max(measured.errors["threshold"].total, 1)
        positive = np.array([100 * measured.errors[name].false_positives / fixed for name in NAMES])
        negative = np.array([100 * measured.errors[name].false_negatives / fixed for name in NAMES])
        place = np.arange(len(NAMES))
        plot.bar(place, positive, 0.7, color=VERMILION, label="false positives")
        plot.bar(place, negative, 0.7, bottom=positive, color=BLUE, label="false negatives")
        for at, height in zip(place, positive + negative, strict=True):
            plot.annotate(
                f"{height:.0f}",
                (at, height),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=9,
            )
        plot.axhline(
            100 * (1 - PRINTED_FEWER),
            color=INK,
            linewidth=1.2,
            linestyle="--",
            label="the document's best network",
        )
        plot.set_xticks(place, NAMES, fontsize=8.5)
        plot.set_ylim(0, 1.3 * float((positive + negative).max()))
        plot.grid(visible=False, axis="x")
        name_axes(plot, measured.name, "", "errors, fixed threshold = 100")
        show_legend(plot, "upper right", 2)
        rows += [
            (measured.name, *row)
            for row in zip(NAMES, positive.tolist(), negative.tolist(), strict=True)
        ]
    save(figure, path, ("set", "rule", "false positives", "false negatives"), rows)
    return CaptionedFigure(
        path.name,
        "Errors of every rule and network, cross-validated by domain, against the fixed threshold's",
    )


def _draw_lines(example: TrainingExample, path: Path) -> CaptionedFigure:
    page = example.page
    html, text = line_bytes(page)
    density = measure_lines(page)[:, 0]
    number = np.arange(1, len(page) + 1)
    figure, (above, below) = new_figure(9.5, 5.6, rows=2)
    for axes in (above, below):
        _shade_content(axes, example)
        axes.set_xlim(0.5, len(page) + 0.5)
    above.plot(number, html, color=VERMILION, linewidth=1.4, label="HTML bytes")
    above.plot(number, text, color=BLUE, linewidth=1.4, label="text bytes")
    above.set_yscale("symlog", linthresh=10)
    above.set_ylim(bottom=0)
    name_axes(above, f"Bytes of each line, {example.source.domain}", "line", "bytes (logarithmic)")
    below.bar(number, density, 0.9, color=BLUE)
    below.axhline(
        FIXED_THRESHOLD, color=INK, linewidth=1.2, linestyle="--", label="fixed threshold"
    )
    below.set_ylim(0, 1.05)
    name_axes(below, "Density of each line", "line", "text bytes / HTML bytes")
    show_legend(above, "upper right", 3)
    show_legend(below, "upper right")
    rows = zip(
        number.tolist(),
        html.tolist(),
        text.tolist(),
        density.tolist(),
        example.labels.astype(int).tolist(),
        strict=True,
    )
    save(figure, path, ("line", "HTML bytes", "text bytes", "density", "content"), rows)
    return CaptionedFigure(
        path.name,
        f"Bytes and density of every line of a page of {example.source.domain}; content is shaded",
    )


def _shade_content(axes: Axes, example: TrainingExample) -> None:
    content = np.concatenate(([False], example.labels & example.page.seen, [False]))
    edges = np.flatnonzero(np.diff(content.astype(int)))
    for index, (first, stop) in enumerate(edges.reshape(-1, 2).tolist()):
        label = "content by the labels" if index == 0 else "_nolegend_"
        axes.axvspan(first + 0.5, stop + 0.5, color=GREEN, alpha=0.15, linewidth=0, label=label)
