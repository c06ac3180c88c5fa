"""An TrainingResult of training -> a report: learning curves, reliability of the confidence, what the threshold trades."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bodytext.selection import PRESETS
from bodytext.studio.evaluation.figures import (
    FAINT,
    GRID,
    OUR_SHADES,
    PEER_SHADES,
    STYLE,
    clear_frame,
    new_figure,
    save,
    write_data,
)
from bodytext.studio.evaluation.training_run import TrainingResult, rank_correlation, sweep_thresholds, to_table

BINS = 10
_SIZE = (7.0, 5.0)


def write_training_report(outcome: TrainingResult, folder: Path, command: str) -> None:
    """README.md with the figures learning, reliability and threshold, and their data."""
    import matplotlib as mpl

    folder.mkdir(parents=True, exist_ok=True)
    sweep = sweep_thresholds(outcome.pages, outcome.done)
    with mpl.rc_context(STYLE):
        _draw_learning(outcome, folder / "learning")
        bins = _draw_reliability(outcome, folder / "reliability")
        _draw_threshold(sweep, folder / "threshold")
    lines = [
        "# The learned method, cross-validated",
        "",
        f"Made by `{command}` on {len(outcome.pages):,} pages (digest `{outcome.card['data']}`),",
        f"seed {outcome.card['seed']}, in five folds by registered domain: every page was answered by a network that",
        "had not seen its site. Pages without any block of text are left out here; `bodytext evaluate` counts them.",
        "",
        "```",
        to_table(outcome),
        "```",
        "",
        _describe_confidence(outcome, bins),
        "",
        "![confidence against true F1](reliability.png)",
        "",
        "## The threshold",
        "",
        _threshold_table(sweep),
        "",
        "![precision and recall by threshold](threshold.png)",
        "",
        "## Learning",
        "",
        "![loss by epoch](learning.png)",
        "",
    ]
    (folder / "README.md").write_text("\n".join(lines), "utf-8")


def _describe_confidence(outcome: TrainingResult, bins: Sequence[tuple[float, float, int]]) -> str:
    error = sum(abs(said - true) * count for said, true, count in bins) / max(sum(count for *_, count in bins), 1)
    rank = rank_correlation(outcome.confidence, outcome.scores)
    return (
        f"Confidence: Spearman's rank correlation with the true F1 is {rank:.3f}; on average over ten bins, what it "
        f"says is off by {error:.3f}."
    )


def _threshold_table(sweep: Sequence[tuple[float, float, float, float]]) -> str:
    names = {value: f" ({name})" for name, value in PRESETS.items()}
    lines = ["| threshold | precision | recall | F1 |", "|---|---|---|---|"]
    lines += [f"| {at:g}{names.get(at, '')} | {p:.4f} | {r:.4f} | {f:.4f} |" for at, p, r, f in sweep]
    return "\n".join(lines)


def _draw_learning(outcome: TrainingResult, path: Path) -> None:
    figure = new_figure(*_SIZE)
    axes = figure.add_subplot()
    for (name, losses), colour in zip(outcome.done.losses.items(), (PEER_SHADES[1], OUR_SHADES[1]), strict=False):
        axes.plot(range(1, len(losses) + 1), losses, label=name, color=colour, linewidth=2)
    axes.set_xlabel("epoch")
    axes.set_ylabel("training loss")
    axes.legend(frameon=False)
    _finish(figure, axes, path)
    rows = [(name, epoch, loss) for name, losses in outcome.done.losses.items() for epoch, loss in enumerate(losses, 1)]
    write_data(path.with_suffix(".csv"), ("networks", "epoch", "loss"), rows)


def _draw_reliability(outcome: TrainingResult, path: Path) -> list[tuple[float, float, int]]:
    order = np.argsort(outcome.confidence, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    bins = [(float(outcome.confidence[p].mean()), float(outcome.scores[p].mean()), len(p)) for p in parts]
    figure = new_figure(*_SIZE)
    axes = figure.add_subplot()
    axes.plot((0, 1), (0, 1), color=FAINT, linewidth=1, linestyle="--")
    axes.scatter(outcome.confidence, outcome.scores, s=6, color=OUR_SHADES[3], linewidths=0)
    axes.plot(*zip(*[(said, true) for said, true, _ in bins], strict=True), "o-", color=OUR_SHADES[0])
    axes.set_xlabel("confidence: the F1 that was expected")
    axes.set_ylabel("the true word F1 (dots: pages; line: tenths of them)")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    _finish(figure, axes, path)
    write_data(path.with_suffix(".csv"), ("confidence", "f1", "pages"), bins)
    return bins


def _draw_threshold(sweep: Sequence[tuple[float, float, float, float]], path: Path) -> None:
    figure = new_figure(*_SIZE)
    axes = figure.add_subplot()
    at = [one[0] for one in sweep]
    for column, (name, colour, style) in enumerate(
        (("precision", OUR_SHADES[1], "-"), ("recall", PEER_SHADES[1], "-"), ("F1", OUR_SHADES[0], "--")), 1
    ):
        axes.plot(at, [one[column] for one in sweep], style, color=colour, label=name, linewidth=2)
    for name, value in PRESETS.items():
        axes.axvline(value, color=GRID)
        axes.text(value, axes.get_ylim()[0], f" {name}", rotation=90, va="bottom", color=FAINT, fontsize=9)
    axes.set_xlabel("threshold")
    axes.set_ylabel("mean over pages")
    axes.legend(frameon=False)
    _finish(figure, axes, path)
    write_data(path.with_suffix(".csv"), ("threshold", "precision", "recall", "f1"), sweep)


def _finish(figure, axes, path: Path) -> None:  # type: ignore[no-untyped-def]
    clear_frame(axes)
    axes.grid(color=GRID)
    figure.tight_layout()
    save(figure, path)
