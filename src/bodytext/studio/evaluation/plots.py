"""Draw figures with matplotlib in one style, and write each as PNG with its data as CSV."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The colours of Okabe and Ito, distinct for colour-blind readers and in grey.
BLUE, ORANGE, VERMILION, GREEN, SKY = "#0072b2", "#e69f00", "#d55e00", "#009e73", "#56b4e9"
SERIES = (BLUE, VERMILION, GREEN, ORANGE, SKY, "#cc79a7")
INK, GREY, PALE = "#1f2328", "#6e7781", "#e3e6ea"
# For `matplotlib.rc_context`, around all that draws. Any: matplotlib has a type for the names.
STYLE: dict[Any, object] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "axes.titleweight": "bold",
    "figure.constrained_layout.use": True,
    "figure.dpi": 160,
    "font.family": "sans-serif",
    "grid.color": PALE,
    "hatch.linewidth": 0.7,
    "legend.edgecolor": PALE,
    "legend.fontsize": 9,
    "lines.linewidth": 2,
    "lines.markersize": 4,
    "savefig.facecolor": "white",
    "text.color": INK,
    "text.parse_math": False,  # a $ in a name does not start a formula
    "xtick.color": INK,
    "ytick.color": INK,
}


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1
) -> tuple["Figure", list["Axes"]]:
    """A figure of this size in inches, and its axes row by row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))  # pyplot would keep it in memory
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def save(
    figure: "Figure", path: Path, heading: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Write a figure and its data; the path has no suffix. The same data give the same files."""
    figure.savefig(path.with_suffix(".png"), metadata={"Software": None})  # without a version
    file = path.with_suffix(".csv").open("w", encoding="utf-8", errors="replace", newline="")
    with file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heading)
        writer.writerows([_format_value(value) for value in row] for row in rows)


def _format_value(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value
