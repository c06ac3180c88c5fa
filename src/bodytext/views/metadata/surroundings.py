"""Surroundings: Statements + the title -> the headline's place, and the lines where pages say who wrote and when."""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from bodytext.kernel.html import Flag, Kind
from bodytext.page.tables import UNSEEN, Column, Page, running_sum
from bodytext.views.metadata.element_text import Numbers, runs_text
from bodytext.views.metadata.site import fold
from bodytext.views.metadata.statements import LONGEST_TAG, Statements

LINES_BEHIND = 14  # blocks behind the headline that count as beside it, and before it
LINES_BEFORE = 6
LINES_WITHOUT_HEADLINE = 40  # from the first block on
LONGEST_LINE = 160  # characters; a longer block is prose
MOST_LINES = 400  # short lines of the whole page that are looked at where nothing stands beside the headline
_LONGEST_STAMP = 80  # characters of a line that is a date with some words
_LEVELS_UP = 2  # elements around a line whose names are read
_MOST_HEADINGS = 40

_OUTSIDE = int(Flag.NAV | Flag.FOOTER | Flag.ASIDE | Flag.BUTTON | Flag.SELECT) | (UNSEEN & ~int(Flag.ARIA_HIDDEN))
# What holds a date holds a year, or digits with marks between; also in the digits of Arabic and Persian.
_YEAR = re.compile(rb"\d(?:\d{3}|[./-]\d{1,2}[./-]\d\d)")
_EASTERN_YEAR = re.compile(rb"[\xd9\xdb][\xa0-\xb9](?:[\xd9\xdb][\xa0-\xb9]){3}")
_NAMES = re.compile(
    rb"""\s(?:class|id|itemprop|rel|data-testid)\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s>"']++)""", re.IGNORECASE
)


_Texts = tuple[Numbers, bytes, Column]  # blocks, a buffer with their texts, and where each starts and ends in it


@dataclass(frozen=True, slots=True)
class Line:
    """A short block of the page."""

    text: str
    first_run: int
    stop_run: int
    node: int  # the element of its first run
    kind: int  # bodytext.kernel.html.Kind


@dataclass(frozen=True)
class Surroundings:
    """Where the headline of a page stands, and what stands around it."""

    statements: Statements
    title: str

    @property
    def page(self) -> Page:
        """The page."""
        return self.statements.page

    @cached_property
    def headline(self) -> int:
        """The block of the headline: a heading that reads as the title, or else the first <h1>; -1 where none is."""
        page, wanted = self.page, fold(self.title)
        runs = [(int(page.nodes.first_run[node]), fold(text)) for node, text in self.statements.headlines]
        for run, text in runs:
            if text == wanted or (len(wanted) > 10 and (wanted in text or (text and text in wanted))):
                return self._block_of(run)
        for block in np.flatnonzero(page.blocks.kind == Kind.HEADING)[:_MOST_HEADINGS].tolist():
            if wanted and fold(self._text(block)) == wanted:
                return int(block)
        return self._block_of(runs[0][0]) if runs else -1

    @cached_property
    def chars(self) -> Column:
        """How many characters stand before each run."""
        return running_sum(self.page.runs.chars)

    @cached_property
    def lines(self) -> list[Line]:
        """Short seen blocks beside the headline, those behind it first, nearest first."""
        return self._lines(*self._near)

    @property
    def may_be_dated(self) -> bool:
        """Whether any line beside the headline holds the digits of a date."""
        return bool(_find_years(self._near[1]))

    @cached_property
    def _near(self) -> _Texts:
        start, count = self.headline, len(self.page)
        if start < 0:
            return self._read(np.arange(min(LINES_WITHOUT_HEADLINE, count)), LONGEST_LINE)
        behind = np.arange(start + 1, min(start + 1 + LINES_BEHIND, count))
        before = np.arange(start - 1, max(start - 1 - LINES_BEFORE, -1), -1)
        return self._read(np.concatenate((behind, before)), LONGEST_LINE)

    @cached_property
    def stamped_lines(self) -> list[Line]:
        """The short lines of the whole page with a year or a date in digits, those behind the headline first."""
        blocks, buffer, spans = self._read(np.arange(len(self.page)), _LONGEST_STAMP)
        hits = np.unique(np.searchsorted(spans[0], _find_years(buffer), side="right") - 1)
        hits = np.concatenate((hits[blocks[hits] >= self.headline], hits[blocks[hits] < self.headline]))
        return self._lines(blocks[hits], buffer, spans[:, hits])

    def names_around(self, node: int) -> str:
        """What an element and those around it are called in the markup, in lower case."""
        page, names = self.page, []
        for _ in range(_LEVELS_UP + 1):
            if node < 0:
                break
            start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
            tag = page.source[start : min(end, start + LONGEST_TAG)]
            names += [found.decode("utf-8", "replace") for found in _NAMES.findall(tag)]
            node = int(page.nodes.parent[node])
        return " ".join(names).lower()

    def is_caption(self, run: int) -> bool:
        """Whether a run belongs to the caption of a picture."""
        return bool(self.page.blocks.kind[self._block_of(run)] == Kind.CAPTION)

    def _read(self, blocks: Numbers, longest: int) -> _Texts:
        """The seen ones of some blocks that are no longer than this and no captions, with their texts."""
        page = self.page
        first, stop = page.blocks.first_run[blocks], page.blocks.stop_run[blocks]
        total = self.chars
        short = (total[stop] - total[first] <= longest) & (page.runs.flags[first] & _OUTSIDE == 0)
        kept = blocks[short & (page.blocks.kind[blocks] != Kind.CAPTION)]
        nothing = bytes(len(kept))
        return kept, *page.write_texts(kept, nothing, nothing)

    def _lines(self, blocks: Numbers, buffer: bytes, spans: Column) -> list[Line]:
        page = self.page
        first_run = page.blocks.first_run[blocks]
        columns = (first_run, page.blocks.stop_run[blocks], page.runs.node[first_run], page.blocks.kind[blocks], *spans)
        lines = []
        for first, stop, node, kind, start, end in zip(*(column.tolist() for column in columns), strict=True):
            if text := " ".join(buffer[start:end].decode("utf-8", "replace").split()):
                lines.append(Line(text, first, stop, node, kind))
        return lines

    def _block_of(self, run: int) -> int:
        return int(self.page.blocks.first_run.searchsorted(np.int32(run), side="right")) - 1

    def _text(self, block: int) -> str:
        return runs_text(self.page, int(self.page.blocks.first_run[block]), int(self.page.blocks.stop_run[block]))


def _find_years(buffer: bytes) -> list[int]:
    """Where the digits of dates stand, the first of them."""
    pattern = _YEAR if buffer.isascii() or not _EASTERN_YEAR.search(buffer) else _EASTERN_YEAR
    return [match.start() for match in islice(pattern.finditer(buffer), MOST_LINES)]
