"""Write the report on a training: losses, reliability of the confidence, thresholds."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bodytext.methods.scores import PRESETS
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
from bodytext.studio.evaluation.training_run import (
    TrainingResult,
    rank_correlation,
    sweep_thresholds,
    to_table,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 10
_SIZE = (7.0, 5.0)


def write_training_report(result: TrainingResult, folder: Path, command: str) -> None:
    """Write README.md and the figures learning, reliability and threshold with their data."""
    import matplotlib as mpl

    folder.mkdir(parents=True, exist_ok=True)
    sweep = sweep_thresholds(result.pages, result.trained)
    with mpl.rc_context(STYLE):
        _draw_learning(result, folder / "learning")
        bins = _draw_reliability(result, folder / "reliability")
        _draw_threshold(sweep, folder / "threshold")
    lines = [
        "# The learned method, cross-validated",
        "",
        f"Made by `{command}` on {len(result.pages):,} pages (digest `{result.card['data']}`),",
        f"seed {result.card['seed']}, in five folds by registered domain: each page was scored by a network that",
        "had not seen its site. Pages without any block of text are left out here; `bodytext evaluate` counts them.",
        "",
        "```",
        to_table(result),
        "```",
        "",
        _describe_confidence(result, bins),
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


def _describe_confidence(result: TrainingResult, bins: Sequence[tuple[float, float, int]]) -> str:
    pages = sum(count for *_, count in bins)
    error = sum(abs(expected - true) * count for expected, true, count in bins) / max(pages, 1)
    rank = rank_correlation(result.confidence, result.scores)
    return (
        f"Confidence: Spearman's rank correlation with the true F1 is {rank:.3f}. Its mean error "
        f"over ten bins is {error:.3f}."
    )


def _threshold_table(sweep: Sequence[tuple[float, float, float, float]]) -> str:
    names = {value: f" ({name})" for name, value in PRESETS.items()}
    lines = ["| threshold | precision | recall | F1 |", "|---|---|---|---|"]
    lines += [
        f"| {at:g}{names.get(at, '')} | {p:.4f} | {r:.4f} | {f:.4f} |" for at, p, r, f in sweep
    ]
    return "\n".join(lines)


def _draw_learning(result: TrainingResult, path: Path) -> None:
    figure = new_figure(*_SIZE)
    axes = figure.add_subplot()
    curves = result.trained.losses.items()
    for (name, losses), colour in zip(curves, (PEER_SHADES[1], OUR_SHADES[1]), strict=False):
        axes.plot(range(1, len(losses) + 1), losses, label=name, color=colour, linewidth=2)
    axes.set_xlabel("epoch")
    axes.set_ylabel("training loss")
    axes.legend(frameon=False)
    _finish(figure, axes, path)
    rows = [(name, epoch, loss) for name, losses in curves for epoch, loss in enumerate(losses, 1)]
    write_data(path.with_suffix(".csv"), ("networks", "epoch", "loss"), rows)


def _draw_reliability(result: TrainingResult, path: Path) -> list[tuple[float, float, int]]:
    order = np.argsort(result.confidence, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    bins = [
        (float(result.confidence[p].mean()), float(result.scores[p].mean()), len(p)) for p in parts
    ]
    figure = new_figure(*_SIZE)
    axes = figure.add_subplot()
    axes.plot((0, 1), (0, 1), color=FAINT, linewidth=1, linestyle="--")
    axes.scatter(result.confidence, result.scores, s=6, color=OUR_SHADES[3], linewidths=0)
    axes.plot([part[0] for part in bins], [part[1] for part in bins], "o-", color=OUR_SHADES[0])
    axes.set_xlabel("confidence: the expected F1")
    axes.set_ylabel("true word F1 (dots: pages; line: ten bins of pages)")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    _finish(figure, axes, path)
    write_data(path.with_suffix(".csv"), ("confidence", "f1", "pages"), bins)
    return bins


def _draw_threshold(sweep: Sequence[tuple[float, float, float, float]], path: Path) -> None:
    figure = new_figure(*_SIZE)
    axes = figure.add_subplot()
    thresholds = [row[0] for row in sweep]
    for column, (name, colour, style) in enumerate(
        (
            ("precision", OUR_SHADES[1], "-"),
            ("recall", PEER_SHADES[1], "-"),
            ("F1", OUR_SHADES[0], "--"),
        ),
        1,
    ):
        axes.plot(
            thresholds, [row[column] for row in sweep], style, color=colour, label=name, linewidth=2
        )
    for name, value in PRESETS.items():
        axes.axvline(value, color=GRID)
        axes.text(
            value, axes.get_ylim()[0], f" {name}", rotation=90, va="bottom", color=FAINT, fontsize=9
        )
    axes.set_xlabel("threshold")
    axes.set_ylabel("mean over pages")
    axes.legend(frameon=False)
    _finish(figure, axes, path)
    write_data(path.with_suffix(".csv"), ("threshold", "precision", "recall", "f1"), sweep)


def _finish(figure: "Figure", axes: "Axes", path: Path) -> None:
    clear_frame(axes)
    axes.grid(color=GRID)
    figure.tight_layout()
    save(figure, path)
