"""Cut a document into chunks for retrieval, each of at most so many words or tokens.

A chunk knows the headings above it and its place in the page. A heading begins a new chunk. A table
or a piece of code is kept whole where it fits; a longer one is cut between its rows or lines, and
the header of a table is repeated. Other text is cut between paragraphs, else between sentences,
else between words.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked
from bodytext.kernel.html import TAG
from bodytext.kernel.words import measure
from bodytext.page.tables import Page, or_above, tag_mask
from bodytext.views.paragraphs import Paragraph

Counter = Callable[[str], int]

DEFAULT_WORDS = 300

_HEADING, _CELL, _CODE = "heading", "cell", "code"
_TEXT, _TABLE = "text", "table"
_LEVEL = 2  # of a heading that is no h1 to h6
_LEVELS = {TAG[f"h{level}"]: level for level in range(1, 7)}
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]{0,4}\s+|(?<=[。！？])")
_GUESS = 8  # characters for each word or token, as a first guess


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that is small enough for a model."""

    text: str
    kind: str  # table, code, or text; what has some of each is text
    headings: tuple[str, ...]  # the headings of its sections, from the highest; its own too
    start: int  # offsets of its paragraphs in the page's UTF-8 source, as paragraphs have them
    end: int
    size: int  # in words, or as the caller's counter counts

    @property
    def in_context(self) -> str:
        """The text below those of its headings that it does not begin with, as an index needs it."""
        first = self.text.split("\n\n", len(self.headings))[: len(self.headings)]
        above = " > ".join(heading for heading in self.headings if heading not in first)
        return f"{above}\n\n{self.text}" if above else self.text


class _Piece(NamedTuple):
    """A text that goes into one chunk."""

    text: str
    kind: str
    start: int
    end: int
    gap: str  # before it
    size: int


class _Unit(NamedTuple):
    """What belongs together: a paragraph, or the rows of a table."""

    kind: str
    pieces: list[_Piece]
    header: list[_Piece]  # the first rows of a table, which every part of it needs
    level: int = 0  # of a heading


def cut_chunks(
    paragraphs: Iterable[Paragraph],
    places: tuple[Page | None, npt.NDArray[np.intp]],
    limit: "ChunkLimit",
) -> list[Chunk]:
    """Return the chunks of paragraphs, which are these blocks of a page."""
    page, blocks = places
    cutter = _ChunkCutter(limit)
    for unit in _group(paragraphs, _Surroundings.read(page, blocks), limit):
        cutter.add(unit)
    chunks = cutter.finish()
    if not any(chunk.size for chunk in chunks) and any(count_words(chunk.text) for chunk in chunks):
        raise ValueError("counter returns 0 for every text: it must count the tokens")
    return chunks


@dataclass(frozen=True, slots=True)
class ChunkLimit:
    """How large a chunk may be, how much of it the next one repeats, and how that is counted."""

    most: int
    overlap: int
    count: Counter

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ValueError(f"a chunk needs room for at least 1 word or token, not {self.most}")
        if not 0 <= self.overlap < self.most:
            raise ValueError(
                f"overlap must be from 0 to less than a chunk's size, {self.most}, not {self.overlap}"
            )


def read_limit(
    max_words: int | None, max_tokens: int | None, counter: Counter | None, overlap: int
) -> ChunkLimit:
    """Check what a caller asks for."""
    if max_tokens is None:
        if counter is not None:
            raise ValueError("a counter counts tokens: say how many with max_tokens")
        most = DEFAULT_WORDS if max_words is None else max_words
        return ChunkLimit(most, overlap, count_words)
    if max_words is not None:
        raise ValueError("say either max_words or max_tokens")
    if counter is None:
        raise ValueError(
            "max_tokens needs a counter, such as counter=lambda text: len(tokenizer.encode(text))"
        )
    if not callable(counter) or not isinstance(counter(""), Integral):
        raise ValueError("counter must be a function that returns the number of a text's tokens")
    return ChunkLimit(max_tokens, overlap, _check_counts(counter))


def _check_counts(counter: Counter) -> Counter:
    """Return the counter, which then raises for an answer that is no count."""

    def count(text: str) -> int:
        size = counter(text)
        if not isinstance(size, Integral) or size < 0:
            raise ValueError(f"counter must return the number of a text's tokens, not {size!r}")
        return size

    return count


def count_words(text: str) -> int:
    """Count the words of a text by the rule of the package."""
    return measure(text)[0]


# What the page says about the paragraphs.


class _Surroundings(NamedTuple):
    levels: list[int]  # of headings
    tables: list[int]  # the table that each is in, or -1
    heads: list[bool]  # whether it is in the header of its table

    @classmethod
    def read(cls, page: Page | None, blocks: npt.NDArray[np.intp]) -> "_Surroundings | None":
        if page is None:
            return None
        tag, parent = page.nodes.tag, page.nodes.parent
        nodes = page.blocks.node[blocks]
        heading = nearest_marked(tag_mask("h1 h2 h3 h4 h5 h6")[tag], parent)[nodes]
        tags = np.where(heading >= 0, tag[heading], 0).tolist()
        cell = nearest_marked(tag_mask("td th")[tag], parent)[nodes]
        is_head = (tag[cell] == TAG["th"]) | or_above(tag == TAG["thead"], parent)[nodes]
        return cls(
            [_LEVELS.get(number, _LEVEL) for number in tags],
            nearest_marked(tag == TAG["table"], parent)[nodes].tolist(),
            ((cell >= 0) & is_head).tolist(),
        )


def _group(
    paragraphs: Iterable[Paragraph], around: _Surroundings | None, limit: ChunkLimit
) -> Iterator[_Unit]:
    """Yield the units of a document, with the cells of each table as its rows."""
    rows: list[_TableRow] = []
    table = -1
    for number, paragraph in enumerate(paragraphs):
        if rows and (paragraph.kind != _CELL or (around and around.tables[number] != table)):
            yield _make_table(rows, limit)
            rows = []
        if paragraph.kind != _CELL:
            yield _make_unit(paragraph, around.levels[number] if around else _LEVEL, limit)
            continue
        table = around.tables[number] if around else -1
        if not rows or not paragraph.gap.startswith("\t"):
            rows.append(_TableRow())
        rows[-1].cells.append(paragraph)
        rows[-1].is_head &= bool(around) and around.heads[number]  # type: ignore[union-attr]
    if rows:
        yield _make_table(rows, limit)


@dataclass(slots=True)
class _TableRow:
    cells: list[Paragraph] = field(default_factory=list)
    is_head: bool = True


def _make_unit(paragraph: Paragraph, level: int, limit: ChunkLimit) -> _Unit:
    piece = _Piece(
        paragraph.text,
        paragraph.kind,
        paragraph.start,
        paragraph.end,
        paragraph.gap or "\n\n",
        limit.count(paragraph.text),
    )
    return _Unit(paragraph.kind, [piece], [], level)


def _make_table(rows: Sequence[_TableRow], limit: ChunkLimit) -> _Unit:
    pieces = []
    for number, row in enumerate(rows):
        text = "".join(cell.gap.lstrip("\n") + cell.text for cell in row.cells)
        place = (row.cells[0].start, row.cells[-1].end)
        gap = "\n" if number else "\n\n"
        pieces.append(_Piece(text, _CELL, *place, gap, limit.count(text)))
    heads = 0
    while heads < len(rows) - 1 and rows[heads].is_head:
        heads += 1
    return _Unit(_CELL, pieces, pieces[:heads])


class _ChunkCutter:
    """Fills chunks with units, in their order."""

    def __init__(self, limit: ChunkLimit) -> None:
        self._limit = limit
        self._chunks: list[Chunk] = []
        self._path: list[tuple[int, str]] = []
        self._pieces: list[_Piece] = []
        self._size = 0
        self._repeated = 0  # pieces at the beginning that the chunk before has too

    def add(self, unit: _Unit) -> None:
        if unit.kind == _HEADING:
            self._enter(unit)
        size = sum(piece.size for piece in unit.pieces)
        if size <= self._limit.most:
            self._make_room(size)
            self._take(unit.pieces)
        elif unit.kind == _CELL:
            self._split_table(unit)
        else:
            gap = "\n" if unit.kind == _CODE else " "
            for piece in _split(unit.pieces[0], gap, self._limit):
                self._make_room(piece.size)
                self._take([piece])

    def finish(self) -> list[Chunk]:
        self._close()
        return self._chunks

    def _enter(self, unit: _Unit) -> None:
        """Begin a section; its heading is in its first chunk and in the path of all."""
        if self._pieces and self._pieces[-1].kind != _HEADING:
            self._close()
        while self._path and self._path[-1][0] >= unit.level:
            self._path.pop()
        self._path.append((unit.level, " ".join(unit.pieces[0].text.split())))

    def _split_table(self, unit: _Unit) -> None:
        """Cut a table between rows, each part with the header where there is room for it."""
        header = unit.header
        room = self._limit.most - sum(piece.size for piece in header)
        if room < max((piece.size for piece in unit.pieces[len(header) :]), default=0):
            header, room = [], self._limit.most
        self._close()
        self._take(header)
        for row in unit.pieces[len(header) :]:
            for piece in _split(row, " ", self._limit) if row.size > room else [row]:
                if self._size + piece.size > self._limit.most:
                    self._close()
                    self._take(header)
                self._take([piece])
        self._close()

    def _make_room(self, size: int) -> None:
        """Close the chunk if there is no room; the next one begins with the end of this one."""
        most = self._limit.most
        if self._size + size <= most:
            return
        tail = _find_tail(self._pieces[self._repeated :], self._limit)
        self._close()
        self._take(tail)
        while tail and self._size + size > most:
            self._size -= tail.popleft().size
        self._pieces = [*tail]
        self._repeated = len(tail)

    def _take(self, pieces: Iterable[_Piece]) -> None:
        for piece in pieces:
            self._pieces.append(piece)
            self._size += piece.size

    def _close(self) -> None:
        """Make a chunk of the pieces, or several where they are larger together than one by one."""
        pieces = self._pieces
        if len(pieces) > self._repeated:
            while pieces:
                pieces = pieces[self._close_fitting(pieces) :]
        self._pieces, self._size, self._repeated = [], 0, 0

    def _close_fitting(self, pieces: Sequence[_Piece]) -> int:
        """Make a chunk of as many pieces as fit; return how many these are."""
        stop = len(pieces)
        text = _join(pieces)
        size = self._limit.count(text)
        while size > self._limit.most and stop > 1:
            stop -= max(1, stop // 8)  # a tokenizer may count a little more for the whole
            text = _join(pieces[:stop])
            size = self._limit.count(text)
        kinds = {piece.kind for piece in pieces[:stop]} - {_HEADING}
        names = {_CELL: _TABLE, _CODE: _CODE}
        kind = names.get(kinds.pop(), _TEXT) if len(kinds) == 1 else _TEXT
        start = min(piece.start for piece in pieces[:stop])
        end = max(piece.end for piece in pieces[:stop])
        path = tuple(text for _, text in self._path)
        self._chunks.append(Chunk(text, kind, path, start, end, size))
        return stop


def _join(pieces: Sequence[_Piece]) -> str:
    parts = [pieces[0].text]
    for piece in pieces[1:]:
        parts += (piece.gap, piece.text)
    return "".join(parts)


# Cutting texts.


def _split(piece: _Piece, gap: str, limit: ChunkLimit) -> Iterator[_Piece]:
    """Cut a piece that is too long: between sentences or lines, and where one is too long, in it."""
    gap_before = piece.gap
    parts = piece.text.split("\n") if gap == "\n" else _split_sentences(piece.text)
    for part in parts:
        for text in _cut(part, limit):
            yield piece._replace(text=text, gap=gap_before, size=limit.count(text))
            gap_before = gap


def _split_sentences(text: str) -> list[str]:
    parts, begin = [], 0
    for match in _SENTENCE_END.finditer(text):
        parts.append(text[begin : match.end()].strip())
        begin = match.end()
    return [part for part in (*parts, text[begin:].strip()) if part]


def _cut(text: str, limit: ChunkLimit) -> Iterator[str]:
    """Cut a text into parts that fit, between words if there are any."""
    begin = 0
    while (stop := _find_longest(text, begin, limit)) < len(text):
        space = text.rfind(" ", begin + 1, stop + 1)
        stop = space if space > 0 else stop
        yield text[begin:stop].rstrip()
        begin = stop
        while begin < len(text) and text[begin].isspace():
            begin += 1
    if begin < len(text):
        yield text[begin:]


def _find_longest(text: str, begin: int, limit: ChunkLimit) -> int:
    """Return the end of the longest part from a position on that fits, of at least one character."""

    def fits(stop: int) -> bool:
        return limit.count(text[begin:stop]) <= limit.most

    high = begin + limit.most * _GUESS
    if len(text) <= high and fits(len(text)):  # most
        return len(text)
    while high < len(text) and fits(high):
        high += high - begin
    low, high = begin + 1, min(high, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _find_tail(pieces: Sequence[_Piece], limit: ChunkLimit) -> deque[_Piece]:
    """Return the last sentences of a chunk, up to the size that the next one repeats."""
    tail: deque[_Piece] = deque()
    room = limit.overlap
    for piece in reversed(pieces):
        if piece.kind in {_HEADING, _CELL, _CODE}:
            break
        sentences = _split_sentences(piece.text)
        while sentences and (size := limit.count(sentences[-1])) <= room:
            gap = " " if len(sentences) > 1 else piece.gap
            tail.appendleft(piece._replace(text=sentences.pop(), size=size, gap=gap))
            room -= size
        if sentences:
            break
    return tail
