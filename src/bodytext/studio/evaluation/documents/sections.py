"""Sections of text, tables and pictures -> one report, as Markdown and as HTML."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

_STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; color: #1b1f24; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 3rem; border-top: 1px solid #d5d9de; padding-top: 1.5rem }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #e3e6ea; text-align: right; vertical-align: bottom }
th:first-child, td:first-child { text-align: left }
figure { margin: 1.5rem 0 } img { max-width: 100%; height: auto } figcaption { color: #50575f }
"""


@dataclass(frozen=True, slots=True)
class CaptionedTable:
    """A caption, the names of the columns, and rows of written values."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CaptionedFigure:
    """A figure in the report's folder: NAME.png, NAME.svg and its data, NAME.csv."""

    name: str
    caption: str


Part = str | CaptionedTable | CaptionedFigure


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it."""

    title: str
    parts: tuple[Part, ...]


def as_markdown(title: str, preface: Sequence[str], sections: Iterable[Section]) -> str:
    """The report as Markdown."""
    pieces = [f"# {title}", *preface]
    for section in sections:
        pieces.append(f"## {section.title}")
        pieces += [_markdown(part) for part in section.parts]
    return "\n\n".join(pieces) + "\n"


def _markdown(part: Part) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, CaptionedFigure):
        links = f"[SVG]({part.name}.svg), [data]({part.name}.csv)"
        return f"![{part.caption}]({part.name}.png)\n\n{part.caption} ({links})"
    rule = ("---", *["---:"] * (len(part.header) - 1))
    lines = [f"| {' | '.join(row)} |" for row in (part.header, rule, *part.rows)]
    return f"**{part.caption}**\n\n" + "\n".join(lines)


def as_html(title: str, preface: Sequence[str], sections: Iterable[Section]) -> str:
    """The report as an HTML page beside its pictures."""
    pieces = [f"<h1>{escape(title)}</h1>", *(f"<p>{escape(text)}</p>" for text in preface)]
    for section in sections:
        pieces.append(f"<h2>{escape(section.title)}</h2>")
        pieces += [_html(part) for part in section.parts]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(pieces) + "\n</body></html>\n"


def _html(part: Part) -> str:
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>"
    if isinstance(part, CaptionedFigure):
        image = f'<img src="{escape(part.name)}.svg" alt="{escape(part.caption)}">'
        links = f'<a href="{escape(part.name)}.png">PNG</a>, <a href="{escape(part.name)}.csv">data</a>'
        return f"<figure>{image}<figcaption>{escape(part.caption)} ({links})</figcaption></figure>"
    head = "".join(f"<th>{escape(name)}</th>" for name in part.header)
    rows = "".join("<tr>" + "".join(f"<td>{escape(value)}</td>" for value in row) + "</tr>" for row in part.rows)
    return f"<table><caption>{escape(part.caption)}</caption><tr>{head}</tr>{rows}</table>"


def per_cent(share: float, digits: int = 1) -> str:
    """A share as per cent; a dash where it is not known.

    >>> per_cent(0.0965), per_cent(float("nan"))
    ('9.7 %', '-')
    """
    return "-" if share != share else f"{100 * share:.{digits}f} %"  # noqa: PLR0124 - NaN alone is not itself
