"""Remake the plots of lines and the figure of errors of document 003 (AI Depot)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bodytext.methods.density import FIXED_THRESHOLD, NETWORKS, RULES, line_bytes, measure_lines
from bodytext.methods.weights import read_card
from bodytext.studio.evaluation.documents.sections import (
    CaptionedFigure,
    CaptionedTable,
    Part,
    Section,
    per_cent,
    verdict,
)
from bodytext.studio.evaluation.plots import BLUE, GREEN, INK, VERMILION, new_figure, save
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import LabelledPage, digest_of, fold_of
from bodytext.studio.training.density_training import (
    FOLDS,
    Errors,
    count_network_errors,
    count_rule_errors,
    cross_validate,
    fit_network,
)
from bodytext.studio.training.examples import TrainingExample, read_examples

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    """The cross-validated errors on a set, from the card or computed; None if it is not split."""
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
    fixed = max(measured.errors["threshold"].total, 1)
    rows = [
        (
            name,
            *count_errors(measured.errors[name]),
            per_cent(measured.errors[name].total / max(measured.errors[name].lines, 1)),
            per_cent(measured.errors[name].total / fixed),
            per_cent(1 - measured.errors[name].total / fixed),
        )
        for name in NAMES
    ]
    printed = per_cent(1 - PRINTED_FEWER), per_cent(PRINTED_FEWER)
    rows.append(("document, best network", "", "", "", "", *printed))
    lines = measured.errors["threshold"].lines
    caption = f"Errors on {lines:,} lines of {measured.name} ({measured.digest}), {measured.origin}"
    columns = "of lines | of the threshold's errors | fewer errors"
    return CaptionedTable(caption, f"rule | {ERRORS} | {columns}", rows)


def _draw_errors(sets: Sequence[SetErrors], path: Path) -> CaptionedFigure:
    figure, axes = new_figure(5.8 * len(sets), 3.9, columns=len(sets))
    rows: list[tuple[object, ...]] = []
    for plot, measured in zip(axes, sets, strict=True):
        fixed = max(measured.errors["threshold"].total, 1)
        positive = np.array([100 * measured.errors[name].false_positives / fixed for name in NAMES])
        negative = np.array([100 * measured.errors[name].false_negatives / fixed for name in NAMES])
        plot.bar(NAMES, positive, 0.7, color=VERMILION, label="false positives")
        bars = plot.bar(NAMES, negative, 0.7, bottom=positive, color=BLUE, label="false negatives")
        heights = [f"{height:.0f}" for height in positive + negative]
        plot.bar_label(bars, heights, padding=3, fontsize=9)
        best, label = 100 * (1 - PRINTED_FEWER), "the document's best network"
        plot.axhline(best, color=INK, linewidth=1.2, linestyle="--", label=label)
        plot.tick_params(axis="x", labelsize=8.5)
        plot.grid(visible=False, axis="x")
        plot.set(
            title=measured.name,
            ylabel="errors, fixed threshold = 100",
            ylim=(0, 1.3 * float((positive + negative).max())),
        )
        plot.legend(loc="upper right", ncols=2)
        values = zip(NAMES, positive.tolist(), negative.tolist(), strict=True)
        rows += [(measured.name, *row) for row in values]
    save(figure, path, ("set", "rule", "false positives", "false negatives"), rows)
    caption = (
        "Errors of every rule and network, cross-validated by domain, against the fixed threshold's"
    )
    return CaptionedFigure(path.name, caption)


def _draw_lines(example: TrainingExample, path: Path) -> CaptionedFigure:
    page, domain = example.page, example.source.domain
    html, text = line_bytes(page)
    density = measure_lines(page)[:, 0]
    number = np.arange(1, len(page) + 1)
    figure, (above, below) = new_figure(9.5, 5.6, rows=2)
    for axes in (above, below):
        _shade_content(axes, example)
        axes.set(xlim=(0.5, len(page) + 0.5), xlabel="line")
    above.plot(number, html, color=VERMILION, linewidth=1.4, label="HTML bytes")
    above.plot(number, text, color=BLUE, linewidth=1.4, label="text bytes")
    above.set_yscale("symlog", linthresh=10)
    above.yaxis.set_major_formatter("{x:g}")
    above.set_ylim(bottom=0)
    above.set(title=f"Bytes of each line, {domain}", ylabel="bytes (logarithmic)")
    below.bar(number, density, 0.9, color=BLUE)
    label = "fixed threshold"
    below.axhline(FIXED_THRESHOLD, color=INK, linewidth=1.2, linestyle="--", label=label)
    below.set(title="Density of each line", ylabel="text bytes / HTML bytes", ylim=(0, 1.05))
    above.legend(loc="upper right", ncols=3)
    below.legend(loc="upper right")
    columns = (number, html, text, density, example.labels.astype(int))
    rows = zip(*(column.tolist() for column in columns), strict=True)
    save(figure, path, ("line", "HTML bytes", "text bytes", "density", "content"), rows)
    caption = f"Bytes and density of every line of a page of {domain}; content is shaded"
    return CaptionedFigure(path.name, caption)


def _shade_content(axes: "Axes", example: TrainingExample) -> None:
    content = np.concatenate(([False], example.labels & example.page.seen, [False]))
    edges = np.flatnonzero(np.diff(content.astype(int)))
    for index, (first, stop) in enumerate(edges.reshape(-1, 2).tolist()):
        label = "content by the labels" if index == 0 else "_nolegend_"
        axes.axvspan(first + 0.5, stop + 0.5, color=GREEN, alpha=0.15, linewidth=0, label=label)


STUDIED_PAGES = 40  # articles of each set; more would take long and change little
COSTS = (0.2, 0.5, 1.0, 2.0, 5.0)  # of a wrongly kept line, against 1
NETWORK = "mlp"  # the article's best
ERRORS = "false positives | false negatives | errors"


def study(name: str, examples: Sequence[TrainingExample]) -> list[Part]:
    """Both tables for some articles of a set; nothing if they cannot be split."""
    by_domain = [fold_of(example.source.domain, FOLDS) for example in examples]
    by_page = [fold_of(example.source.identity, FOLDS) for example in examples]
    if min(len(set(by_domain)), len(set(by_page))) < 2:
        return []
    fixed = Errors.sum(count_rule_errors("threshold", examples))
    cases = {
        "pages of other domains": _errors_in_folds(examples, by_domain),
        "other pages, of the same domains too": _errors_in_folds(examples, by_page),
        "the same pages": _errors(examples, examples),
        "the same page alone": _sum([_errors([example], [example]) for example in examples]),
    }
    rows = [(f"trained on {case}", *_row(errors, fixed)) for case, errors in cases.items()]
    caption = f"Errors of {NETWORK} on {fixed.lines:,} lines of {len(examples)} articles of {name}, by what it was trained on"
    heading = f"network | {ERRORS} | fewer than the fixed threshold's"
    table = CaptionedTable(caption, heading, [("fixed threshold", *_row(fixed, fixed)), *rows])
    return [table, _describe(cases, fixed), _cost_table(name, examples, by_domain)]


def _describe(cases: dict[str, Errors], fixed: Errors) -> str:
    fewer = [per_cent(1 - errors.total / max(fixed.total, 1)) for errors in cases.values()]
    return (
        "The article tests on pages that people tagged, and does not say whether these are pages of the training. If "
        f"they are, its network makes {fewer[2]} fewer errors here, and {fewer[3]} with a network for each page, "
        f"against {fewer[0]} on sites it has not seen. So a part of the 80 % can come from testing on pages of the "
        "training, most of all if there were few of them."
    )


def _cost_table(
    name: str, examples: Sequence[TrainingExample], folds: Sequence[int]
) -> CaptionedTable:
    rows = [(f"{cost:g}", *count_errors(_errors_in_folds(examples, folds, cost))) for cost in COSTS]
    caption = f"The cost of a wrongly kept line ({NETWORK}, the same articles of {name}, in folds by domain)"
    return CaptionedTable(caption, f"cost | {ERRORS}", rows)


def _row(errors: Errors, fixed: Errors) -> tuple[str, ...]:
    return *count_errors(errors), per_cent(1 - errors.total / max(fixed.total, 1))


def count_errors(errors: Errors) -> tuple[str, str, str]:
    """The numbers of errors, under the heading ERRORS."""
    return f"{errors.false_positives:,}", f"{errors.false_negatives:,}", f"{errors.total:,}"


def _errors_in_folds(
    examples: Sequence[TrainingExample], folds: Sequence[int], cost: float = 1.0
) -> Errors:
    """The errors on each fold by a network that was trained on the others."""
    pairs, parts = list(zip(examples, folds, strict=True)), []
    for fold in sorted(set(folds)):
        rest = [example for example, own in pairs if own != fold]
        parts.append(_errors(rest, [example for example, own in pairs if own == fold], cost))
    return _sum(parts)


def _errors(
    trained: Sequence[TrainingExample], tested: Sequence[TrainingExample], cost: float = 1.0
) -> Errors:
    network = fit_network(NETWORK, trained, false_positive_cost=cost)
    return Errors.sum(count_network_errors(NETWORK, network, tested))


def _sum(parts: Sequence[Errors]) -> Errors:
    counts = [(part.lines, part.false_positives, part.false_negatives) for part in parts]
    return Errors(*np.sum(counts, axis=0).tolist())
