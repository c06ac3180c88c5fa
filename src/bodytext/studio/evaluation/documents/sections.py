"""Lay out sections of text, tables and figures as one report, in Markdown and in HTML."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from bodytext.studio.evaluation.report import write_page

BAR = " | "


@dataclass(frozen=True, slots=True)
class CaptionedTable:
    """A caption, the names of the columns with bars between them, and rows of formatted values."""

    caption: str
    heading: str
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class CaptionedFigure:
    """A figure in the folder of the report (NAME.png and its data, NAME.csv), with its caption."""

    name: str
    caption: str


Part = str | CaptionedTable | CaptionedFigure


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the parts under it."""

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
        return f"![{part.caption}]({part.name}.png)\n\n{part.caption} ([data]({part.name}.csv))"
    names = part.heading.split(BAR)
    rule = ("---", *["---:"] * (len(names) - 1))
    lines = [f"| {BAR.join(row)} |" for row in (names, rule, *part.rows)]
    return f"**{part.caption}**\n\n" + "\n".join(lines)


def as_html(title: str, preface: Sequence[str], sections: Iterable[Section]) -> str:
    """The report as an HTML page, to be written beside its figures."""
    pieces = [f"<h1>{escape(title)}</h1>", *(f"<p>{escape(text)}</p>" for text in preface)]
    for section in sections:
        pieces.append(f"<h2>{escape(section.title)}</h2>")
        pieces += [_html(part) for part in section.parts]
    return write_page(title, pieces)


def _html(part: Part) -> str:
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>"
    if isinstance(part, CaptionedFigure):
        name, caption = escape(part.name), escape(part.caption)
        image = f'<img src="{name}.png" alt="{caption}">'
        return f'<figure>{image}<figcaption>{caption} (<a href="{name}.csv">data</a>)</figcaption></figure>'
    head = "".join(f"<th>{escape(name)}</th>" for name in part.heading.split(BAR))
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(value)}</td>" for value in row) + "</tr>"
        for row in part.rows
    )
    caption = f"<caption>{escape(part.caption)}</caption>"
    return f'<div class="scroll" tabindex="0"><table>{caption}<tr>{head}</tr>{rows}</table></div>'


def verdict(*, holds: bool) -> str:
    """Say whether a claim of a document holds.

    >>> verdict(holds=False)
    'The claim does not hold here.'
    """
    return "The claim holds here." if holds else "The claim does not hold here."


def per_cent(share: float, digits: int = 1) -> str:
    """A share in per cent; a dash for NaN.

    >>> per_cent(0.0965), per_cent(float("nan"))
    ('9.7 %', '-')
    """
    return "-" if math.isnan(share) else f"{100 * share:.{digits}f} %"
