"""Draw the figures of an evaluation with matplotlib: PNG files, each with its data as CSV."""

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bodytext.methods import LEARNED
from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.page_scores import SystemScore
from bodytext.studio.evaluation.peers import VALIDATED, read_peers
from bodytext.studio.evaluation.tables import (
    has_seen,
    our_systems,
    page_types,
    rank_systems,
    type_mean,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_BARS = 8  # in a group; more are hard to distinguish
DOTS_PER_INCH = 160
SMALLEST_MS = 0.01  # a logarithmic axis has no 0
INK, FAINT, GRID = "#1f2328", "#6e7781", "#e3e6ea"
# Blue and orange after Okabe and Ito, distinct for any colour vision; dark to light.
OUR_SHADES = ("#00436b", "#0072b2", "#56a9dc", "#a3cfec")
PEER_SHADES = ("#7a3200", "#c85200", "#f0984f", "#f9c38f")
PEER_HATCHES = ("///", "\\\\\\", "...", "xxx")  # so that the families differ without colour
STYLE: dict[Any, object] = {  # Any: matplotlib has a type of its own for the names
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "xtick.color": INK,
    "ytick.color": INK,
    "hatch.linewidth": 0.7,
    "text.parse_math": False,  # a $ in a name does not start a formula
}


@dataclass(frozen=True, slots=True)
class SavedFigure:
    """A figure on file (NAME.png and NAME.csv), its title and its description."""

    name: str
    title: str
    description: str


def write_figures(evaluation: Evaluation, folder: Path) -> tuple[SavedFigure, ...]:
    """Draw the figures, unless only snippets are known or matplotlib is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    scores = _drawn_systems(evaluation)
    if not scores or find_spec("matplotlib") is None:
        return ()
    from matplotlib import rc_context

    with rc_context(STYLE):
        saved = [_write_quality_and_speed(evaluation, scores, folder)]
        if len(page_types(evaluation)) > 1:
            saved.append(_write_page_types(evaluation, scores, folder))
    return tuple(saved)


def _drawn_systems(evaluation: Evaluation) -> list[SystemScore]:
    """The systems with a word F1; cross-validation for a method that has seen the pages."""
    scores = [score for score in rank_systems(evaluation) if not math.isnan(score.mean("f1"))]
    if has_seen(evaluation) and any(score.system == VALIDATED for score in scores):
        scores = [score for score in scores if score.system != LEARNED]
    return scores


# quality against speed


@dataclass(frozen=True, slots=True)
class _Point:
    system: str
    ours: bool
    ms: float
    word_f1: float


def _write_quality_and_speed(
    evaluation: Evaluation, scores: Sequence[SystemScore], folder: Path
) -> SavedFigure:
    name, title = "quality-and-speed", "Quality against speed"
    ours = our_systems()
    points = [
        _Point(
            score.system,
            score.system in ours,
            max(1000 * score.mean("seconds"), SMALLEST_MS),
            score.mean("f1"),
        )
        for score in scores
    ]
    rows = [(point.system, _group(ours=point.ours), point.ms, point.word_f1) for point in points]
    write_data(folder / f"{name}.csv", ("system", "group", "cpu_ms_a_page", "word_f1"), rows)
    figure = new_figure(10, 6.8)
    axes = figure.add_axes((0.085, 0.1, 0.895, 0.765))
    _set_title(
        figure,
        title,
        f"{evaluation.name}, {len(evaluation.pages):,} pages. Up is better, left is faster.",
    )
    _set_speed_axes(axes, points)
    _draw_points(axes, points)
    figure.legend(
        loc="upper right", bbox_to_anchor=(0.985, 0.99), ncols=2, frameon=False, handletextpad=0.2
    )
    figure.draw_without_rendering()  # the labels need the places of the points
    labels = _Labels(axes, figure.dpi, points)
    for point in points:
        labels.add(point)
    save(figure, folder / name)
    best = points[0]
    description = (
        f"Word F1 against CPU time a page of {len(points)} systems. "
        f"The best is {best.system} with {best.word_f1:.3f} in {best.ms:.1f} ms."
    )
    return SavedFigure(name, title, description)


def _set_speed_axes(axes: "Axes", points: Sequence[_Point]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    milliseconds, word_f1 = [point.ms for point in points], [point.word_f1 for point in points]
    margin = max(0.1 * (max(word_f1) - min(word_f1)), 0.01)
    axes.set_xscale("log")
    axes.set_xlim(min(milliseconds) / 3, max(milliseconds) * 3)  # room for labels on both sides
    axes.set_ylim(min(word_f1) - margin, max(word_f1) + margin)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("CPU time a page, ms (logarithmic)", labelpad=8)
    axes.set_ylabel("word F1, mean over pages", labelpad=8)
    axes.grid(color=GRID, linewidth=0.8)
    clear_frame(axes)


def _draw_points(axes: "Axes", points: Sequence[_Point]) -> None:
    for ours, marker, size in ((True, "o", 64), (False, "D", 46)):
        chosen = [point for point in points if point.ours == ours]
        axes.scatter(
            [point.ms for point in chosen],
            [point.word_f1 for point in chosen],
            s=size,
            c=(OUR_SHADES if ours else PEER_SHADES)[1],
            marker=marker,
            label=_group(ours=ours),
            edgecolors="white",
            linewidths=0.8,
            zorder=3,
        )


# labels that do not overlap


@dataclass(frozen=True, slots=True)
class _Box:
    """A rectangle in pixels."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: "_Box") -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.bottom < other.top and other.bottom < self.top

    def within(self, other: "_Box") -> bool:
        across = other.left <= self.left and self.right <= other.right
        return across and other.bottom <= self.bottom and self.top <= other.top

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        return min(max(x, self.left), self.right), min(max(y, self.bottom), self.top)


class _Labels:
    """Labels of points, each at the cheapest place near its point, with a line if needed.

    The cost of a place is its distance. It costs more to cover something, to cross something, to be
    next to the marker of another point, and to be on the wrong side of its own, in this order.
    """

    SIZE_PT, MARKER_PT = 9.5, 9.0
    GAPS_PT = (2.0, 6.0, 12.0, 18.0, 25.0, 33.0, 42.0, 52.0, 64.0, 78.0, 94.0)
    TURNS = 24
    BLOCKED_PT, CROSSED_PT, AMBIGUOUS_PT, SIDE_PT = 1000.0, 60.0, 14.0, 6.0

    def __init__(self, axes: "Axes", dots_per_inch: float, points: Sequence[_Point]) -> None:
        self._axes, self._unit = axes, dots_per_inch / 72  # pixels in a typographic point
        frame = axes.get_window_extent()
        self._frame = _Box(frame.x0, frame.y0, frame.x1, frame.y1)
        self._markers = [self._place(point) for point in points]
        self._taken = [self._square(marker, self.MARKER_PT) for marker in self._markers]

    def add(self, point: _Point) -> None:
        """Place one label; earlier labels stay where they are."""
        x, y = self._place(point)
        shade = (OUR_SHADES if point.ours else PEER_SHADES)[0]
        label = self._axes.annotate(
            point.system,
            (point.ms, point.word_f1),
            xytext=(0, 0),
            textcoords="offset points",
            fontsize=self.SIZE_PT,
            color=shade,
            va="bottom",
            zorder=4,
        )
        extent = label.get_window_extent()
        box = self._find_box((x, y), (extent.width, extent.height), leftwards=point.ours)
        label.set_position(((box.left - x) / self._unit, (box.bottom - y) / self._unit))
        end = box.nearest(x, y)
        self._taken.append(box)
        if math.dist(end, (x, y)) > self.MARKER_PT * self._unit or self._count_ambiguous(
            (x, y), box
        ):
            self._join((x, y), end)

    def _find_box(
        self, point: tuple[float, float], size: tuple[float, float], *, leftwards: bool
    ) -> _Box:
        candidates = [
            (gap, 2 * math.pi * turn / self.TURNS)
            for gap in self.GAPS_PT
            for turn in range(self.TURNS)
        ]  # the nearest first, so that it wins a tie

        def cost(candidate: tuple[float, float]) -> float:
            gap, angle = candidate
            box = self._beside(point, size, candidate)
            # Each family keeps to one side where it can, so that fewer lines cross.
            against = math.cos(angle) if leftwards else -math.cos(angle)
            blocked = not box.within(self._frame) or any(box.meets(other) for other in self._taken)
            crossed = sum(
                bead.meets(other) for bead in self._beads(point, box) for other in self._taken
            )
            cost = (
                gap + self.SIDE_PT * against + self.AMBIGUOUS_PT * self._count_ambiguous(point, box)
            )
            return cost + self.BLOCKED_PT * blocked + self.CROSSED_PT * crossed

        return self._beside(point, size, min(candidates, key=cost))

    def _count_ambiguous(self, point: tuple[float, float], box: _Box) -> int:
        """How many markers of other points a reader could take the label to belong to."""
        others = (marker for marker in self._markers if marker != point)
        return sum(
            math.dist(marker, box.nearest(*marker)) < self.MARKER_PT * self._unit
            for marker in others
        )

    def _beside(
        self, point: tuple[float, float], size: tuple[float, float], candidate: tuple[float, float]
    ) -> _Box:
        gap, angle = candidate
        half_width, half_height = size[0] / 2, size[1] / 2
        reach = (self.MARKER_PT / 2 + gap) * self._unit
        x = point[0] + math.cos(angle) * (half_width + reach)
        y = point[1] + math.sin(angle) * (half_height + reach)
        return _Box(x - half_width, y - half_height, x + half_width, y + half_height)

    def _beads(self, point: tuple[float, float], box: _Box) -> list[_Box]:
        """Small squares along the line from a point's marker to a box."""
        end = box.nearest(*point)
        length = math.dist(point, end)
        step, first = 3 * self._unit, self.MARKER_PT * self._unit
        distances = [first + step * number for number in range(int(max(length - first, 0) / step))]
        return [
            self._square(
                tuple(a + (b - a) * distance / length for a, b in zip(point, end, strict=True)), 1.5
            )
            for distance in distances
        ]

    def _join(self, point: tuple[float, float], end: tuple[float, float]) -> None:
        back = self._axes.transData.inverted()
        (x_from, y_from), (x_to, y_to) = back.transform(point), back.transform(end)
        self._axes.plot([x_from, x_to], [y_from, y_to], color=FAINT, linewidth=0.6, zorder=2)
        self._taken += self._beads(point, _Box(*end, *end))

    def _place(self, point: _Point) -> tuple[float, float]:
        x, y = self._axes.transData.transform((point.ms, point.word_f1))
        return float(x), float(y)

    def _square(self, place: tuple[float, ...], side_pt: float) -> _Box:
        x, y = place
        half = side_pt * self._unit / 2
        return _Box(x - half, y - half, x + half, y + half)


# word F1 by page type


def _write_page_types(
    evaluation: Evaluation, scores: Sequence[SystemScore], folder: Path
) -> SavedFigure:
    name, title, ours = "page-types", "Word F1 by page type", our_systems()
    types, chosen = page_types(evaluation), _choose(scores, ours)
    rows = [
        (kind, pages, score.system, _group(ours=score.system in ours), type_mean(score, kind))
        for kind, pages in types
        for score in chosen
    ]
    write_data(folder / f"{name}.csv", ("page_type", "pages", "system", "group", "word_f1"), rows)
    figure = new_figure(max(7.0, 2.4 + 1.35 * len(types)), 6)
    axes = figure.add_axes((0.065, 0.125, 0.92, 0.62))
    _set_title(
        figure, title, f"{evaluation.name}, mean over pages. The best of every family of systems."
    )
    width = 0.84 / len(chosen)
    for index, (score, style) in enumerate(zip(chosen, _bar_styles(chosen, ours), strict=True)):
        offset = (index - (len(chosen) - 1) / 2) * width
        places = [place + offset for place in range(len(types))]
        heights = [type_mean(score, kind) for kind, _ in types]
        axes.bar(
            places,
            heights,
            width * 0.9,
            label=score.system,
            zorder=3,
            edgecolor="white",
            linewidth=0,
            **style,
        )
    axes.set_xticks(
        range(len(types)), [f"{kind or 'unknown'}\n{pages:,} pages" for kind, pages in types]
    )
    axes.set_xlim(-0.55, len(types) - 0.45)
    _set_share_axis(axes)
    figure.legend(
        loc="upper left", bbox_to_anchor=(0.055, 0.88), ncols=4, frameon=False, fontsize=10
    )
    save(figure, folder / name)
    systems = ", ".join(score.system for score in chosen)
    return SavedFigure(name, title, f"Word F1 of {systems} on {len(types)} page types.")


def _choose(scores: Sequence[SystemScore], ours: frozenset[str]) -> list[SystemScore]:
    """The best system of each family, half of them ours unless one side has fewer.

    A family is a peer, or one of our methods with all its rules. Otherwise variants would crowd out
    the rest.
    """
    families = {system: peer.name for peer in read_peers() for system in peer.systems}
    families |= {system: system.partition("-")[0] for system in ours}
    best: dict[str, SystemScore] = {}
    for score in scores:
        best.setdefault(families.get(score.system, score.system), score)
    own = [score for score in best.values() if score.system in ours]
    others = [score for score in best.values() if score.system not in ours]
    half = MOST_BARS // 2
    return own[: max(half, MOST_BARS - len(others))] + others[: max(half, MOST_BARS - len(own))]


def _bar_styles(chosen: Sequence[SystemScore], ours: frozenset[str]) -> list[dict[str, Any]]:
    own = sum(score.system in ours for score in chosen)
    others = len(chosen) - own
    return [{"color": OUR_SHADES[index % 4]} for index in range(own)] + [
        {"color": PEER_SHADES[index % 4], "hatch": PEER_HATCHES[index % 4]}
        for index in range(others)
    ]


def _set_share_axis(axes: "Axes") -> None:
    axes.set_ylim(0, 1)
    axes.set_ylabel("word F1", labelpad=8)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.tick_params(axis="x", length=0, pad=6)
    clear_frame(axes)


# all figures


def _group(*, ours: bool) -> str:
    return "bodytext" if ours else "others"


def new_figure(width_inches: float, height_inches: float) -> "Figure":
    """A new figure, made without pyplot, which would keep it in memory."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_inches, height_inches), dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    return figure


def _set_title(figure: "Figure", title: str, subtitle: str) -> None:
    figure.text(0.02, 0.975, title, fontsize=16, fontweight="bold", va="top")
    figure.text(0.02, 0.915, subtitle, fontsize=11, color=FAINT, va="top")


def clear_frame(axes: "Axes") -> None:
    """Show only the two axes, beneath the data."""
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def write_data(path: Path, heading: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write the data of a figure as CSV."""
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heading)
        writer.writerows([_format_value(value) for value in row] for row in rows)


def _format_value(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value


def save(figure: "Figure", path: Path) -> None:
    """Write a figure as PNG, without a version, so that the same data give the same file."""
    figure.savefig(path.with_suffix(".png"), facecolor="white", metadata={"Software": None})
