"""Find the headline of a page and the lines near it, where pages say who wrote them and when."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from bodytext.kernel import find_short_blocks, write_texts
from bodytext.kernel.html import UNSEEN, Flag, Kind
from bodytext.kernel.table_columns import RunColumn
from bodytext.page.dates import read_date
from bodytext.page.late_pattern import late_pattern
from bodytext.page.once import once
from bodytext.page.tables import Page
from bodytext.views.metadata.element_text import runs_text
from bodytext.views.metadata.site import fold
from bodytext.views.metadata.statements import LONGEST_TAG, Statements

LINES_AFTER = 14  # blocks after the headline that are near it
LINES_BEFORE = 6
LINES_WITHOUT_HEADLINE = 40  # from the first block on
LONGEST_LINE = 160  # characters; a longer block is prose
MOST_LINES = 400  # short lines of the whole page that may hold a date
_LONGEST_STAMP = 80  # characters of a line that is a date with some words
_LEVELS_UP = 2  # elements around a line whose names are read
_MOST_HEADINGS = 40
_SHORTEST_TITLE_PART = 10  # characters that a title must exceed for a part of it to count

_OUTSIDE = int(Flag.NAV | Flag.FOOTER | Flag.ASIDE | Flag.BUTTON | Flag.SELECT)
_OUTSIDE |= UNSEEN & ~int(Flag.ARIA_HIDDEN)
_COLUMNS = [int(column) for column in (RunColumn.START, RunColumn.END, RunColumn.FLAGS)]
_HEADING, _CAPTION = int(Kind.HEADING), int(Kind.CAPTION)
# Every date has a year, or digits with marks between them; also in the digits of Arabic and
# Persian.
_YEAR = late_pattern(rb"\d(?:\d{3}|[./-]\d{1,2}[./-]\d\d)")
_EASTERN_YEAR = late_pattern(rb"[\xd9\xdb][\xa0-\xb9](?:[\xd9\xdb][\xa0-\xb9]){3}")
_NAMES = late_pattern(
    rb"""\s(?:class|id|itemprop|rel|data-testid)\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s>"']++)""",
    re.IGNORECASE,
)

_Block = tuple[int, int, int, int]  # a `ShortBlock` without its text
_Texts = tuple[list[_Block], bytes, list[list[int]]]  # blocks, their texts, the span of each


class ShortBlock(NamedTuple):
    """A short block of the page: a line."""

    text: str
    first_run: int
    stop_run: int
    node: int  # the element of its first run
    kind: int  # bodytext.kernel.html.Kind


@dataclass(frozen=True)
class Surroundings:
    """The headline of a page, and the lines around it."""

    statements: Statements
    title: str

    @property
    def page(self) -> Page:
        """The page."""
        return self.statements.page

    @once
    def headline(self) -> int:
        """The block of the headline: a heading like the title, or the first <h1>; -1 for none."""
        title = fold(self.title)
        headlines = self.statements.headlines
        for node, text in headlines:
            if _reads_like(fold(text), title):
                return self._block_of_node(node)
        if title and (block := self._find_heading(title)) >= 0:
            return block
        return self._block_of_node(headlines[0][0]) if headlines else -1

    @property
    def headline_run(self) -> int:
        """The first run of the headline; 0 if there is none."""
        return int(self.page.blocks.first_run[self.headline]) if self.headline >= 0 else 0

    def _find_heading(self, title: str) -> int:
        """The first heading that is the title, folded; -1 for none."""
        headings = np.flatnonzero(self.page.blocks.kind == _HEADING)[:_MOST_HEADINGS].tolist()
        return next((block for block in headings if fold(self._text(block)) == title), -1)

    @once
    def lines(self) -> list[ShortBlock]:
        """The lines near the headline: those after it, then those before it, nearest first."""
        return _lines(*self._near)

    @once
    def may_be_dated(self) -> bool:
        """Whether any line near the headline has the digits of a date."""
        buffer = self._near[1]
        return _year_in(buffer).search(buffer) is not None

    def is_dated(self, text: str) -> bool:
        """Whether a line has a date. Several signs of a byline ask so of the same lines."""
        known = self._is_dated.get(text)
        if known is None:
            known = self._is_dated[text] = bool(read_date(text))
        return known

    @once
    def _is_dated(self) -> dict[str, bool]:
        return {}

    @once
    def _near(self) -> _Texts:
        start, count = self.headline, len(self.page)
        if start < 0:
            return self._read(range(min(LINES_WITHOUT_HEADLINE, count)), LONGEST_LINE)
        after = range(start + 1, min(start + 1 + LINES_AFTER, count))
        before = range(start - 1, max(start - 1 - LINES_BEFORE, -1), -1)
        return self._read((*after, *before), LONGEST_LINE)

    @once
    def stamped_lines(self) -> list[ShortBlock]:
        """The short lines of the page with a year or a date, those after the headline first."""
        blocks, buffer, spans = self._read(range(len(self.page)), _LONGEST_STAMP)
        years = _find_years(buffer)
        if not years:
            return []
        starts = [start for start, _ in spans]
        hits = sorted({bisect_right(starts, year) - 1 for year in years})
        headline = self.headline_run
        hits.sort(key=lambda hit: blocks[hit][0] < headline)
        return _lines([blocks[hit] for hit in hits], buffer, [spans[hit] for hit in hits])

    def names_around(self, node: int) -> str:
        """The classes, ids and other names of an element and those around it, in lower case."""
        page, names = self.page, []
        for _ in range(_LEVELS_UP + 1):
            if node < 0:
                break
            start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
            tag = page.source[start : min(end, start + LONGEST_TAG)]
            names += [name.decode("utf-8", "replace") for name in _NAMES.findall(tag)]
            node = int(page.nodes.parent[node])
        return " ".join(names).lower()

    def is_caption(self, run: int) -> bool:
        """Whether a run belongs to the caption of a picture."""
        return bool(self.page.blocks.kind[self._block_of(run)] == _CAPTION)

    def _read(self, numbers: Iterable[int], longest: int) -> _Texts:
        """The short visible ones of some blocks, without captions, and their texts."""
        page, runs = self.page, self.page.tables[1]
        blocks = find_short_blocks(page.tables, numbers, longest, _OUTSIDE)
        columns, nothing = [runs[column] for column in _COLUMNS], bytes(len(blocks))
        chosen = [np.array([block[place] for block in blocks], np.int32) for place in (0, 1)]
        buffer, spans = write_texts(page.source, columns, chosen, nothing, nothing)
        return blocks, buffer, spans.T.tolist()

    def _block_of_node(self, node: int) -> int:
        return self._block_of(self.page.nodes.first_run.item(node))

    def _block_of(self, run: int) -> int:
        return bisect_right(self.page.blocks.first_run.data, run) - 1

    def _text(self, block: int) -> str:
        blocks = self.page.blocks
        return runs_text(self.page, int(blocks.first_run[block]), int(blocks.stop_run[block]))


def _lines(blocks: list[_Block], buffer: bytes, spans: list[list[int]]) -> list[ShortBlock]:
    """The lines with any text among some blocks."""
    lines = []
    for block, (start, end) in zip(blocks, spans, strict=True):
        if text := " ".join(buffer[start:end].decode("utf-8", "replace").split()):
            lines.append(tuple.__new__(ShortBlock, (text, *block)))  # as `first_candidate` does it
    return lines


def _reads_like(text: str, title: str) -> bool:
    """Whether a headline is the title or one is a part of the other, both folded."""
    if text == title:
        return True
    return len(title) > _SHORTEST_TITLE_PART and bool(text) and (title in text or text in title)


def _find_years(buffer: bytes) -> list[int]:
    """The places of the first digits of dates."""
    years = islice(_year_in(buffer).finditer(buffer), MOST_LINES)
    return [match.start() for match in years]


def _year_in(buffer: bytes) -> re.Pattern[bytes]:
    """What the years in a text are found by."""
    may_be_eastern = b"\xd9" in buffer or b"\xdb" in buffer  # searching is slow, and few have any
    is_eastern = may_be_eastern and _EASTERN_YEAR.search(buffer)
    return _EASTERN_YEAR if is_eastern else _YEAR
