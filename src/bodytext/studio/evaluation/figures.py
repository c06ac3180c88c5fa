"""Draw the figures of an evaluation: quality against speed, and word F1 by page type."""

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.methods import LEARNED
from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.page_scores import SystemScore
from bodytext.studio.evaluation.peers import PEERS, VALIDATED
from bodytext.studio.evaluation.plots import GREY, STYLE, new_figure, save
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
SMALLEST_MS = 0.01  # a logarithmic axis has no 0
# Blue and orange, dark to light; hatches tell the families apart without colour.
OUR_SHADES = ("#00436b", "#0072b2", "#56a9dc", "#a3cfec")
PEER_SHADES = ("#7a3200", "#c85200", "#f0984f", "#f9c38f")
PEER_HATCHES = ("///", "\\\\\\", "...", "xxx")

_Numbers = npt.NDArray[np.float64]


class SavedFigure(NamedTuple):
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


class _Point(NamedTuple):
    system: str
    group: str
    ms: float
    word_f1: float

    @property
    def shades(self) -> tuple[str, ...]:
        return OUR_SHADES if self.group == _group(ours=True) else PEER_SHADES


def _write_quality_and_speed(
    evaluation: Evaluation, scores: Sequence[SystemScore], folder: Path
) -> SavedFigure:
    name, title = "quality-and-speed", "Quality against speed"
    ours = our_systems()
    points = [
        _Point(
            score.system,
            _group(ours=score.system in ours),
            max(1000 * score.mean("seconds"), SMALLEST_MS),
            score.mean("f1"),
        )
        for score in scores
    ]
    figure, (axes,) = new_figure(10, 6.8)
    axes.set_position((0.085, 0.1, 0.895, 0.765))
    subtitle = f"{evaluation.name}, {len(evaluation.pages):,} pages. Up is better, left is faster."
    _set_title(figure, title, subtitle)
    _draw_points(axes, points)
    figure.legend(loc="upper right", bbox_to_anchor=(0.985, 0.99), ncols=2, frameon=False)
    figure.draw_without_rendering()  # the labels need the places of the points
    _Labels(axes, points).add_all()
    save(figure, folder / name, ("system", "group", "cpu_ms_a_page", "word_f1"), points)
    best = points[0]
    description = (
        f"Word F1 against CPU time a page of {len(points)} systems. "
        f"The best is {best.system} with {best.word_f1:.3f} in {best.ms:.1f} ms."
    )
    return SavedFigure(name, title, description)


def _draw_points(axes: "Axes", points: Sequence[_Point]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for ours, marker, size in ((True, "o", 64), (False, "D", 46)):
        group = _group(ours=ours)
        chosen = [point for point in points if point.group == group]
        places = [point.ms for point in chosen], [point.word_f1 for point in chosen]
        shade = (OUR_SHADES if ours else PEER_SHADES)[1]
        edge: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.8, "zorder": 3}
        axes.scatter(*places, s=size, c=shade, marker=marker, label=group, **edge)
    milliseconds, word_f1 = [point.ms for point in points], [point.word_f1 for point in points]
    margin = max(0.1 * (max(word_f1) - min(word_f1)), 0.01)
    axes.set(
        xscale="log",
        xlim=(min(milliseconds) / 3, max(milliseconds) * 3),  # room for labels on both sides
        ylim=(min(word_f1) - margin, max(word_f1) + margin),
        xlabel="CPU time a page, ms (logarithmic)",
        ylabel="word F1, mean over pages",
    )
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


class _Labels:
    """Labels of points, each at the cheapest place near its point, with a line if needed.

    The cost of a place is its distance. It costs more to cover something, to cross something, to be
    next to the marker of another point, and to be on the wrong side of its own, in this order.
    Rectangles are left, bottom, right and top, in pixels.
    """

    SIZE_PT, MARKER_PT = 9.5, 9.0
    GAPS_PT = (2.0, 6.0, 12.0, 18.0, 25.0, 33.0, 42.0, 52.0, 64.0, 78.0, 94.0)
    TURNS = 24
    BLOCKED_PT, CROSSED_PT, AMBIGUOUS_PT, SIDE_PT = 1000.0, 60.0, 14.0, 6.0

    def __init__(self, axes: "Axes", points: Sequence[_Point]) -> None:
        self._axes, self._points = axes, points
        self._unit = axes.figure.dpi / 72  # pixels in a typographic point
        self._frame: _Numbers = np.array(axes.get_window_extent().extents)
        self._markers = axes.transData.transform([(point.ms, point.word_f1) for point in points])
        self._taken = self._squares(self._markers, self.MARKER_PT)

    def add_all(self) -> None:
        """Place the labels; earlier ones stay where they are."""
        for point, marker in zip(self._points, self._markers, strict=True):
            look: dict[str, Any] = {"fontsize": self.SIZE_PT, "va": "bottom", "zorder": 4}
            label = self._axes.annotate(
                point.system,
                point[2:],
                (0, 0),
                textcoords="offset points",
                color=point.shades[0],
                **look,
            )
            box = self._find_box(marker, np.array(label.get_window_extent().size), point.shades)
            label.set_position((box[:2] - marker) / self._unit)
            self._taken = np.concatenate((self._taken, [box]))
            end = np.clip(marker, box[:2], box[2:])
            is_far = math.dist(end, marker) > self.MARKER_PT * self._unit
            if is_far or self._count_ambiguous(marker, box):
                line = self._axes.transData.inverted().transform([marker, end])
                self._axes.plot(*line.T, color=GREY, linewidth=0.6, zorder=2)
                self._taken = np.concatenate((self._taken, self._beads(marker, end)))

    def _find_box(self, marker: _Numbers, size: _Numbers, shades: tuple[str, ...]) -> _Numbers:
        # Each family keeps to one side where it can, so that fewer lines cross.
        side = 1 if shades is OUR_SHADES else -1
        best, least = self._frame, math.inf
        for gap in self.GAPS_PT:  # the nearest first, so that it wins a tie
            for angle in 2 * np.pi * np.arange(self.TURNS) / self.TURNS:
                box = self._beside(marker, size, gap, angle)
                cost = gap + self.SIDE_PT * side * math.cos(angle) + self._judge(marker, box)
                if cost < least:
                    best, least = box, cost
        return best

    def _judge(self, marker: _Numbers, box: _Numbers) -> float:
        """What it costs to cover or to cross something, or to be next to another marker."""
        is_inside = (box[:2] >= self._frame[:2]).all() and (box[2:] <= self._frame[2:]).all()
        is_blocked = not is_inside or self._count_overlaps(box[None]) > 0
        crossed = self._count_overlaps(self._beads(marker, np.clip(marker, box[:2], box[2:])))
        ambiguous = self.AMBIGUOUS_PT * self._count_ambiguous(marker, box)
        return ambiguous + self.BLOCKED_PT * is_blocked + self.CROSSED_PT * crossed

    def _count_overlaps(self, boxes: _Numbers) -> int:
        low = np.maximum(boxes[:, None, :2], self._taken[:, :2])
        high = np.minimum(boxes[:, None, 2:], self._taken[:, 2:])
        return int((low < high).all(axis=2).sum())

    def _count_ambiguous(self, marker: _Numbers, box: _Numbers) -> int:
        """How many markers of other points a reader could take the label to belong to."""
        others = self._markers[(self._markers != marker).any(axis=1)]
        gaps = np.linalg.norm(others - np.clip(others, box[:2], box[2:]), axis=1)
        return int((gaps < self.MARKER_PT * self._unit).sum())

    def _beside(self, marker: _Numbers, size: _Numbers, gap: float, angle: float) -> _Numbers:
        reach = size / 2 + (self.MARKER_PT / 2 + gap) * self._unit
        middle = marker + np.array((math.cos(angle), math.sin(angle))) * reach
        return np.concatenate((middle - size / 2, middle + size / 2))

    def _beads(self, marker: _Numbers, end: _Numbers) -> _Numbers:
        """Small squares along the line from a point's marker to its label."""
        length, first = math.dist(marker, end), self.MARKER_PT * self._unit
        distances = np.arange(first, length - 3 * self._unit, 3 * self._unit)
        return self._squares(marker + (end - marker) * distances[:, None] / max(length, 1), 1.5)

    def _squares(self, places: _Numbers, side_pt: float) -> _Numbers:
        half = side_pt * self._unit / 2
        return np.concatenate((places - half, places + half), axis=1)


# word F1 by page type


def _write_page_types(
    evaluation: Evaluation, scores: Sequence[SystemScore], folder: Path
) -> SavedFigure:
    name, title, ours = "page-types", "Word F1 by page type", our_systems()
    types, chosen = page_types(evaluation), _choose(scores, ours)
    figure, (axes,) = new_figure(max(7.0, 2.4 + 1.35 * len(types)), 6)
    axes.set_position((0.065, 0.125, 0.92, 0.62))
    subtitle = f"{evaluation.name}, mean over pages. The best of every family of systems."
    _set_title(figure, title, subtitle)
    width, places = 0.84 / len(chosen), np.arange(len(types)) + 0.42 / len(chosen) - 0.42
    for index, (score, style) in enumerate(zip(chosen, _bar_styles(chosen, ours), strict=True)):
        heights = [type_mean(score, kind) for kind, _ in types]
        style |= {"label": score.system, "zorder": 3, "edgecolor": "white", "linewidth": 0}
        axes.bar(places + index * width, heights, width * 0.9, **style)
    names = [f"{kind or 'unknown'}\n{pages:,} pages" for kind, pages in types]
    axes.set_xticks(range(len(types)), names)
    axes.set(xlim=(-0.55, len(types) - 0.45), ylim=(0, 1), ylabel="word F1")
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0, pad=6)
    figure.legend(loc="upper left", bbox_to_anchor=(0.055, 0.88), ncols=4, frameon=False)
    rows = [
        (kind, pages, score.system, _group(ours=score.system in ours), type_mean(score, kind))
        for kind, pages in types
        for score in chosen
    ]
    save(figure, folder / name, ("page_type", "pages", "system", "group", "word_f1"), rows)
    systems = ", ".join(score.system for score in chosen)
    return SavedFigure(name, title, f"Word F1 of {systems} on {len(types)} page types.")


def _choose(scores: Sequence[SystemScore], ours: frozenset[str]) -> list[SystemScore]:
    """The best system of each family, half of them ours unless one side has fewer.

    A family is a peer, or one of our methods with all its rules. Otherwise variants would crowd out
    the rest.
    """
    families = {system: peer.name for peer in PEERS for system in peer.systems}
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
    return [{"color": OUR_SHADES[index % 4]} for index in range(own)] + [
        {"color": PEER_SHADES[index % 4], "hatch": PEER_HATCHES[index % 4]}
        for index in range(len(chosen) - own)
    ]


def _group(*, ours: bool) -> str:
    return "bodytext" if ours else "others"


def _set_title(figure: "Figure", title: str, subtitle: str) -> None:
    figure.text(0.02, 0.975, title, fontsize=16, fontweight="bold", va="top")
    figure.text(0.02, 0.915, subtitle, fontsize=11, color=GREY, va="top")
