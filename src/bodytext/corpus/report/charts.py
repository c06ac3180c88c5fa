"""Draw charts as HTML with inline SVG.

Positions and widths are shares of the chart's width, so text keeps its size on every screen. There
is no script: a <title> shows when the pointer is over a shape.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

_PLOT_HEIGHT = 150  # pixels, without the labels under it
_HEAD = 14  # pixels of it for the number at the top line
_LABEL_HEIGHT = 22
_GAP = 0.16  # of the width of a column
_LEAST_HEIGHT = 1.5  # pixels, so that one record among a million is visible


class Bar(NamedTuple):
    """A bar: its name, its length, and the note at its end."""

    name: str
    value: float
    note: str
    shown: str = ""  # instead of the value


class Series(NamedTuple):
    """Columns of one colour of the stylesheet, with their name and counts."""

    colour: str
    name: str
    counts: Sequence[int]


def draw_bars(bars: Sequence[Bar], colour: str) -> str:
    """Draw bars under their names. A bar's length is its share of the longest."""
    longest = max((bar.value for bar in bars), default=0) or 1
    rows = []
    for bar in bars:
        width = max(0.3, 100 * bar.value / longest)
        shown = bar.shown or f"{bar.value:,}"
        rows.append(
            f'<li><span class="name" title="{escape(bar.name)}">{escape(bar.name)}</span>'
            f'<span class="value">{escape(shown)}</span><span class="note">{escape(bar.note)}</span>'
            f'<svg class="bar" height="8" aria-hidden="true"><rect class="track" width="100%" height="8" rx="4"/>'
            f'<rect class="{colour}" width="{width:.2f}%" height="8" rx="4"/></svg></li>'
        )
    return f'<ul class="bars">{"".join(rows)}</ul>'


def draw_stack(parts: Sequence[tuple[str, str, int]]) -> str:
    """Draw one bar in parts: colour, name and count of each."""
    whole = sum(count for _, _, count in parts) or 1
    pieces, start = [], 0.0
    for colour, name, count in parts:
        width = 100 * count / whole
        title = f"<title>{escape(name)}: {count:,}, {share(count, whole)}</title>"
        pieces.append(
            f'<rect class="{colour}" x="{start:.3f}%" width="{width:.3f}%" height="28">{title}</rect>'
        )
        start += width
    label = ", ".join(f"{name} {count:,}" for _, name, count in parts)
    return f'<svg class="stack" height="28" role="img" aria-label="{escape(label)}">{"".join(pieces)}</svg>'


def draw_columns(
    series: Sequence[Series], edges: Sequence[str], labels: Sequence[tuple[float, str]]
) -> str:
    """Draw named columns, series stacked, over an axis with labels at places from 0 to 1."""
    totals = [sum(column.counts[place] for column in series) for place in range(len(edges))]
    highest = max(totals, default=0) or 1
    shapes = [_draw_lines(highest)]
    for place, edge in enumerate(edges):
        shapes += _draw_stacked(series, place, edge, (100 / len(edges), highest))
    shapes.append(f'<line class="axis" x1="0" x2="100%" y1="{_PLOT_HEIGHT}" y2="{_PLOT_HEIGHT}"/>')
    shapes += [_draw_label(place, label) for place, label in labels]
    summary = "; ".join(f"{column.name}: {sum(column.counts):,}" for column in series)
    return (
        f'<svg class="columns" height="{_PLOT_HEIGHT + _LABEL_HEIGHT}" role="img" aria-label="{escape(summary)}">'
        f"{''.join(shapes)}</svg>"
    )


def _draw_stacked(
    series: Sequence[Series], place: int, edge: str, scale: tuple[float, int]
) -> Iterator[str]:
    """Draw the columns at one place; `scale` is their width and the highest count."""
    width, highest = scale
    bottom = float(_PLOT_HEIGHT)
    title = f"{edge}: " + "; ".join(f"{column.name} {column.counts[place]:,}" for column in series)
    for column in series:
        if column.counts[place]:
            height = max(_LEAST_HEIGHT, (_PLOT_HEIGHT - _HEAD) * column.counts[place] / highest)
            bottom -= height
            yield (
                f'<rect class="{column.colour}" x="{(place + _GAP / 2) * width:.3f}%" y="{bottom:.1f}" rx="1.5" '
                f'width="{width * (1 - _GAP):.3f}%" height="{height:.1f}"><title>{escape(title)}</title></rect>'
            )


def _draw_label(place: float, label: str) -> str:
    anchor = "middle"
    if place <= 0:
        anchor = "start"
    elif place >= 1:
        anchor = "end"
    return f'<text x="{100 * place:.2f}%" y="{_PLOT_HEIGHT + 16}" text-anchor="{anchor}">{escape(label)}</text>'


def _draw_lines(highest: int) -> str:
    """Draw a line at the height of the highest column with its number, and a line at half of it."""
    top, half = _HEAD, (_HEAD + _PLOT_HEIGHT) / 2
    return (
        f'<line class="grid" x1="0" x2="100%" y1="{top}" y2="{top}"/>'
        f'<line class="grid" x1="0" x2="100%" y1="{half:.0f}" y2="{half:.0f}"/>'
        f'<text x="0" y="10">{highest:,}</text>'
    )


def share(part: int, whole: int) -> str:
    """Format a part as a percentage, with no false zeros or hundreds.

    >>> share(1, 3), share(1, 100_000), share(0, 5), share(5, 5)
    ('33.3%', '<0.1%', '0%', '100%')
    """
    if not part or not whole:
        return "0%"
    if part == whole:
        return "100%"
    percent = 100 * part / whole
    return "<0.1%" if percent < 0.1 else f"{min(percent, 99.9):.1f}%"


def shorten(number: float) -> str:
    """Format a number in a few characters.

    >>> shorten(950), shorten(13_247_636), shorten(2_000), shorten(1_500_000_000)
    ('950', '13.2M', '2k', '1.5G')
    """
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= size:
            figure = f"{number / size:.1f}".removesuffix(".0")
            return f"{figure}{unit}"
    return f"{number:.0f}"
