"""Lay out sections of text, tables and figures as one report, in Markdown and in HTML."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bodytext.studio.evaluation.report import render

BAR = " | "


@dataclass(frozen=True, slots=True)
class CaptionedTable:
    """A caption, the names of the columns with bars between them, and rows of formatted values."""

    caption: str
    heading: str
    rows: Sequence[Sequence[str]]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return self.heading.split(BAR)


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
    rule = ("---", *["---:"] * (len(part.names) - 1))
    lines = [f"| {BAR.join(row)} |" for row in (part.names, rule, *part.rows)]
    return f"**{part.caption}**\n\n" + "\n".join(lines)


def as_html(title: str, preface: Sequence[str], sections: Iterable[Section]) -> str:
    """The report as an HTML page, to be written beside its figures."""
    return render("documents.html", title, preface=preface, sections=sections)


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
