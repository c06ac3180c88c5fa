"""Write the report on a training: losses, reliability of the confidence, thresholds."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bodytext.methods.scores import PRESETS
from bodytext.studio.evaluation.plots import (
    BLUE,
    GREY,
    INK,
    SKY,
    STYLE,
    VERMILION,
    new_figure,
    save,
)
from bodytext.studio.evaluation.training_run import (
    TrainingResult,
    rank_correlation,
    sweep_thresholds,
    to_table,
)

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
        f"seed {result.card['seed']}, in ten folds by registered domain: each page was scored by a network that",
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
    figure, (axes,) = new_figure(*_SIZE)
    curves = result.trained.losses.items()
    for (name, losses), colour in zip(curves, (VERMILION, BLUE), strict=False):
        axes.plot(range(1, len(losses) + 1), losses, label=name, color=colour)
    axes.set(xlabel="epoch", ylabel="training loss")
    axes.legend()
    rows = [(name, epoch, loss) for name, losses in curves for epoch, loss in enumerate(losses, 1)]
    save(figure, path, ("networks", "epoch", "loss"), rows)


def _draw_reliability(result: TrainingResult, path: Path) -> list[tuple[float, float, int]]:
    order = np.argsort(result.confidence, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    bins = [
        (float(result.confidence[p].mean()), float(result.scores[p].mean()), len(p)) for p in parts
    ]
    figure, (axes,) = new_figure(*_SIZE)
    axes.plot((0, 1), (0, 1), color=GREY, linewidth=1, linestyle="--")
    axes.scatter(result.confidence, result.scores, s=6, color=SKY, linewidths=0)
    axes.plot([part[0] for part in bins], [part[1] for part in bins], "o-", color=BLUE)
    axes.set(
        xlabel="confidence: the expected F1",
        ylabel="true word F1 (dots: pages; line: ten bins of pages)",
        xlim=(0, 1),
        ylim=(0, 1.02),
    )
    save(figure, path, ("confidence", "f1", "pages"), bins)
    return bins


def _draw_threshold(sweep: Sequence[tuple[float, float, float, float]], path: Path) -> None:
    figure, (axes,) = new_figure(*_SIZE)
    thresholds, *columns = zip(*sweep, strict=True)
    looks = (("precision", BLUE, "-"), ("recall", VERMILION, "-"), ("F1", INK, "--"))
    for values, (name, colour, style) in zip(columns, looks, strict=True):
        axes.plot(thresholds, values, style, color=colour, label=name)
    for name, value in PRESETS.items():
        axes.axvline(value, color=GREY, linewidth=0.8)
        axes.text(
            value, axes.get_ylim()[0], f" {name}", rotation=90, va="bottom", color=GREY, fontsize=9
        )
    axes.set(xlabel="threshold", ylabel="mean over pages")
    axes.legend()
    save(figure, path, ("threshold", "precision", "recall", "f1"), sweep)
