"""Find and count in the stretches of a page, in Python: the specification of `spans_native.pyx`.

numpy could do most of it. But on a small page a call of numpy takes as long as all the work.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import UNSEEN, Kind
from bodytext.kernel.scanner import nearest_marked
from bodytext.kernel.table_columns import NodeColumn, RunColumn
from bodytext.kernel.words import MOST_COUNTED

Column = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.float32]

SHORTEST = 3  # bytes of a word: the native twin looks at every other byte
MOST_WORDS = 64
# Anything beyond ASCII may be white space.
_BLANK_LINES = re.compile(
    rb"\n(?=[\t\v\f\r\x1c-\x20\x80-\xff]*+\n[\t\v\f\r\x1c-\x20\x80-\xff]*+\n)"
)
_MAY_FOLLOW = rb"(?>[\s\0\x1c-\x1f\x80-\xff]*)(?:JSON|[\[{](?>[\s\0\x1c-\x1f\x80-\xff]*)[\"{\[])"
_MAY_BE_ASSIGNED = (re.compile(rb"=%b" % _MAY_FOLLOW), re.compile(rb"\(%b" % _MAY_FOLLOW))
_COUNTED = (RunColumn.WORDS, RunColumn.CHARS, RunColumn.FLAGS)
_OF_BLOCK = (RunColumn.CHARS, RunColumn.NODE, RunColumn.FLAGS)


def find_spans(
    source: bytes,
    starts: Column,
    ends: Column,
    words: Sequence[bytes],
    least: int = 1,
) -> list[int]:
    """Return the numbers of the spans that hold any of the words, in order.

    A span is the source from a start to the end of the same number; one that does not fit the
    source, or has less than the `least` bytes, holds nothing.
    """
    if any(len(word) < SHORTEST for word in words):
        raise ValueError(f"each word must have {SHORTEST} bytes or more")
    if len(words) > MOST_WORDS:
        raise ValueError(f"there may be {MOST_WORDS} words at most")
    size = len(source)
    return [
        number
        for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
        if 0 <= start < end <= size
        and end - start >= least
        and any(word in source[start:end] for word in words)
    ]


def find_marked(
    source: bytes, starts: Column, ends: Column, marks: bytes, words: Sequence[bytes]
) -> list[int]:
    """Return the numbers of the spans that hold any of the marks, or any of the words, in order.

    A mark is a byte. Words are in small letters, and they are found in capitals too.
    """
    found: list[int] = []
    for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        span = source[start:end] if 0 <= start < end <= len(source) else b""
        if not set(marks).isdisjoint(span) or any(word in span.lower() for word in words):
            found.append(number)
    return found


def find_places(source: bytes, mark: bytes, most: int, start: int = 0) -> list[int]:
    """Return the first places of some bytes, `most` of them, from an offset on."""
    if not mark or start < 0:
        raise ValueError("a mark must not be empty, and the start must not be negative")
    places: list[int] = []
    place = source.find(mark, start)
    while place >= 0 and len(places) < most:
        places.append(place)
        place = source.find(mark, place + len(mark))
    return places


def find_wordy(
    source: bytes, nodes: Sequence[Column] | Column, tag: int, least: float
) -> list[int]:
    """Return the elements with a tag whose raw text may have so many words.

    Words are apart by white space, or by what tags, references and escapes stand for. They are
    counted up to the next element. A text beyond ASCII or of more than MOST_COUNTED bytes may have
    any number.
    """
    starts, ends = nodes[NodeColumn.START].tolist(), nodes[NodeColumn.END].tolist()
    return [
        node
        for node in find_rows(nodes[NodeColumn.TAG], tag)
        if node + 1 == len(starts)
        or starts[node + 1] < ends[node]
        or _may_have_words(source[ends[node] : starts[node + 1]], least)
    ]


def _may_have_words(text: bytes, least: float) -> bool:
    if len(text) > MOST_COUNTED or not text.isascii():
        return True
    return len(text.decode("ascii").split()) + sum(map(text.count, (b"<", b"&", b"\\"))) >= least


def may_assign(source: bytes, start: int, stop: int) -> bool:
    """Return whether a script from `start` to `stop` assigns or passes what may be JSON."""
    return any(expression.search(source, start, stop) for expression in _MAY_BE_ASSIGNED)


def may_have_blank_lines(text: bytes) -> bool:
    """Return whether a text may have two blank lines or more, one after the other."""
    return _BLANK_LINES.search(text) is not None


def find_rows(column: Column, number: int, most: int = 2**31) -> list[int]:
    """Return the rows of a column that have a number, `most` of them."""
    rows: list[int] = (column == number).nonzero()[0][:most].tolist()
    return rows


def join_flags(flags: Column) -> int:
    """Return the flags that any row has."""
    return int(np.bitwise_or.reduce(flags))


def add_words(words: Column, first: Column, stop: Column) -> tuple[Words, int]:
    """Return the words of the runs of each block, and the words of all blocks.

    Blocks are spans of runs: they begin with the first and end before the stop.
    """
    total = np.zeros(len(words) + 1, np.int64)
    np.cumsum(words, out=total[1:])
    sums = total[stop] - total[first]
    return sums.astype(np.float32), int(sums.sum())


def count_shown(
    tables: Sequence[Sequence[Column] | Column], kept: npt.NDArray[np.intp]
) -> tuple[int, int]:
    """Return the words of the kept blocks, and those of all blocks of which a reader sees any text.

    `tables` are nodes, runs and blocks. A page whose seen runs have no text shows all of it.
    """
    _, runs, (*blocks, _, _) = tables
    words, chars, flags = (runs[column] for column in _COUNTED)
    seen = (flags & UNSEEN) == 0
    by_block, total = add_words(words, *blocks)
    if not seen.any():
        return int(by_block[kept].sum()), 0
    shown = add_words(np.where(seen, chars, 0), *blocks)[0] > 0
    return int(by_block[kept].sum()), int(by_block[shown].sum()) if shown.any() else total


def find_short_blocks(
    tables: Sequence[Sequence[Column] | Column], numbers: Iterable[int], longest: int, left_out: int
) -> list[tuple[int, int, int, int]]:
    """Return of some blocks those that have no more than the `longest` characters, in order.

    Captions are left out, and blocks whose first runs have one of some flags. A block is its first
    run, the one after its last, the element of its first run, and its kind.
    """
    _, runs, blocks = tables
    chars, nodes, flags = (runs[column] for column in _OF_BLOCK)
    found = []
    for number in numbers:
        first, stop, kind = (int(column[number]) for column in blocks[:3])
        is_left_out = kind == Kind.CAPTION or flags[first] & left_out
        if not is_left_out and chars[first:stop].sum() <= longest:
            found.append((first, stop, int(nodes[first]), kind))
    return found


def own_parts(parent: Column, run_nodes: Column, chosen: Numbers) -> tuple[Numbers, Numbers]:
    """Return for each node and for each run the place of the chosen node around it, or -1.

    Of several around it, and of a node that is chosen itself, it is the innermost.
    """
    marked = np.zeros(len(parent), np.bool_)
    marked[chosen] = True
    place = np.full(len(parent) + 1, -1, np.intp)
    place[chosen] = np.arange(len(chosen))
    owner: Numbers = place[nearest_marked(marked, parent)]
    return owner, owner[run_nodes]


def measure_parts(
    owners: tuple[Numbers, Numbers],
    count: int,
    nodes: tuple[Numbers, Numbers, Numbers],
    date_runs: Numbers,
    words: Column,
) -> tuple[Mask, Mask, Mask, Numbers]:
    """Return which parts of a page have an author, a date and a form, and the words of each.

    `owners` are the parts of nodes and of runs; `nodes` are authors, dates and forms. Runs can be
    dates too.
    """
    owner, owner_of_run = owners

    def has_any(owned: Numbers) -> Mask:
        found = np.zeros(count + 1, np.bool_)
        found[owned] = True  # the last one stands for no part
        return found[:-1]

    author, date, form = (has_any(owner[numbers]) for numbers in nodes)
    date |= has_any(owner_of_run[date_runs])
    sums = np.bincount(owner_of_run + 1, words, count + 1)[1:].astype(np.intp)
    return author, date, form, sums
