"""Draw figures with matplotlib and write each as PNG, with its data as CSV."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bodytext.studio.evaluation.figures import write_data

# The colours of Okabe and Ito, distinct for colour-blind readers and in grey.
BLUE, ORANGE, VERMILION, GREEN, SKY = "#0072B2", "#E69F00", "#D55E00", "#009E73", "#56B4E9"
SERIES = (BLUE, VERMILION, GREEN, ORANGE, SKY, "#CC79A7")
INK, GREY, PALE = "#1b1f24", "#7a828c", "#e3e6ea"
DOTS_PER_INCH = 150


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """A figure of this size in inches, and its axes row by row."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    plots: list[Axes] = list(figure.subplots(rows, columns, squeeze=False).flat)
    for plot in plots:
        plot.spines[["top", "right"]].set_visible(False)
        plot.spines[["left", "bottom"]].set_color(GREY)
        plot.tick_params(colors=INK, labelsize=9, length=3)
        plot.grid(visible=True, color=PALE, linewidth=0.8)
        plot.set_axisbelow(True)
    return figure, plots


def name_axes(axes: Axes, title: str, horizontal: str, vertical: str) -> None:
    """Set the title and the axis labels, in the same sizes everywhere."""
    axes.set_title(title, fontsize=10.5, loc="left", color=INK, fontweight="bold")
    axes.set_xlabel(horizontal, fontsize=9.5, color=INK)
    axes.set_ylabel(vertical, fontsize=9.5, color=INK)


def show_legend(axes: Axes, place: str = "best", columns: int = 1) -> None:
    """Show the legend on a light background."""
    axes.legend(loc=place, ncols=columns, fontsize=9, frameon=True, framealpha=0.9, edgecolor=PALE)


def save(
    figure: Figure, path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Write the figure as PNG and its data as CSV; the path has no suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path.with_suffix(".png"), dpi=DOTS_PER_INCH)
    write_data(path.with_suffix(".csv"), header, rows)
