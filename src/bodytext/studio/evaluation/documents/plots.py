"""Plotted axes + their data -> NAME.png, NAME.svg and NAME.csv in a folder. Needs the extra "evaluate" (matplotlib)."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

# Okabe and Ito's colours: told apart by colour-blind readers and in grey.
BLUE, ORANGE, VERMILION, GREEN, SKY = "#0072B2", "#E69F00", "#D55E00", "#009E73", "#56B4E9"
SERIES = (BLUE, VERMILION, GREEN, ORANGE, SKY, "#CC79A7")
INK, GREY, PALE = "#1b1f24", "#7a828c", "#e3e6ea"
DOTS_PER_INCH = 150
_SAME_EVERY_TIME = {"svg.hashsalt": "bodytext", "svg.fonttype": "path"}


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure of so many inches and its axes, row by row."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes: list[Axes] = list(figure.subplots(rows, columns, squeeze=False).flat)
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
        one.spines[["left", "bottom"]].set_color(GREY)
        one.tick_params(colors=INK, labelsize=9, length=3)
        one.grid(visible=True, color=PALE, linewidth=0.8)
        one.set_axisbelow(True)
    return figure, axes


def name_axes(axes: Axes, title: str, horizontal: str, vertical: str) -> None:
    """Title and axis labels, all in the same sizes."""
    axes.set_title(title, fontsize=10.5, loc="left", color=INK, fontweight="bold")
    axes.set_xlabel(horizontal, fontsize=9.5, color=INK)
    axes.set_ylabel(vertical, fontsize=9.5, color=INK)


def show_legend(axes: Axes, place: str = "best", columns: int = 1) -> None:
    """The legend, on a quiet background."""
    axes.legend(loc=place, ncols=columns, fontsize=9, frameon=True, framealpha=0.9, edgecolor=PALE)


def save(figure: Figure, path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write the figure as PNG and SVG, and its data as CSV; the path has no suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(_SAME_EVERY_TIME):
        figure.savefig(path.with_suffix(".png"), dpi=DOTS_PER_INCH)
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([_written(value) for value in row] for row in rows)


def _written(value: object) -> object:
    return f"{value:.5g}" if isinstance(value, float) else value
