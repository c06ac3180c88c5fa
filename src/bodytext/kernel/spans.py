"""Find and count in the stretches of a page, in Python: the specification of `spans_native.pyx`.

numpy could do most of it. But on a small page a call of numpy takes as long as all the work.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAG, UNSEEN, Flag, Kind
from bodytext.kernel.table_columns import NodeColumn, RunColumn
from bodytext.kernel.words import MOST_COUNTED

Column = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.float32]

SHORTEST = 3  # bytes of a word: the native twin looks at every other byte
MOST_WORDS = 64
MOST_FLAGS = 8
STATE_HEAD = 2_000  # bytes at the start of a script, where the state of a page is named if it is
LEAST_PROSE = 10  # words of a block
# Anything beyond ASCII may be white space.
_BLANK_LINES = re.compile(
    rb"\n(?=[\t\v\f\r\x1c-\x20\x80-\xff]*+\n[\t\v\f\r\x1c-\x20\x80-\xff]*+\n)"
)
# White space, and anything beyond ASCII, which may be white space too.
_BLANKS = r"(?>[^\x01-\x08\x0e-\x1b!-\x7f]*)"
_ASSIGNED = re.compile(rf"[=(]{_BLANKS}(?=JSON|[\[{{]{_BLANKS}[\"{{\[])".encode())
_BEGINS_WITH_DATA = re.compile(rf"{_BLANKS}[\[{{]".encode())
_NAMES_STATE = re.compile(rb"__[A-Z]|INITIAL_|PRELOADED|STATE|tate")
_SCRIPT = TAG["script"]
_OF_NODE = (NodeColumn.TAG, NodeColumn.START, NodeColumn.END)
_OF_HINTED = (
    NodeColumn.TAG,
    NodeColumn.FIRST_RUN,
    NodeColumn.STOP_RUN,
    NodeColumn.START,
    NodeColumn.END,
)
_COUNTED = (RunColumn.WORDS, RunColumn.CHARS, RunColumn.FLAGS)
_OF_BLOCK = (RunColumn.CHARS, RunColumn.NODE, RunColumn.FLAGS)


def holds_any(text: bytes, words: Sequence[bytes]) -> bool:
    """Return whether a text holds any of the words."""
    _check_words(words)
    return any(word in text for word in words)


def _check_words(words: Sequence[bytes]) -> None:
    if any(len(word) < SHORTEST for word in words):
        raise ValueError(f"each word must have {SHORTEST} bytes or more")
    if len(words) > MOST_WORDS:
        raise ValueError(f"there may be {MOST_WORDS} words at most")


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
    _check_words(words)
    size = len(source)
    return [
        number
        for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
        if 0 <= start < end <= size
        and end - start >= least
        and any(word in source[start:end] for word in words)
    ]


def find_hinted(
    source: bytes, nodes: Sequence[Column] | Column, words: Sequence[bytes], wordless: Mask
) -> list[int]:
    """Return the elements whose opening tags hold any of the words, in order.

    They have text, or a tag that is marked as `wordless`.
    """
    tags, first, stop, starts, ends = (nodes[column] for column in _OF_HINTED)
    numbers = ((first < stop) | wordless[tags]).nonzero()[0]
    found = find_spans(source, starts[numbers], ends[numbers], words)
    return numbers[found].tolist()  # type: ignore[no-any-return]


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


def find_data(
    source: bytes, nodes: Sequence[Column] | Column, names: tuple[bytes, ...], least: int
) -> tuple[list[int], list[int], bool]:
    """Return where a page may have data with a text of so many words.

    These are the scripts, the elements with an attribute that is called "data-" and one of the
    names, and whether any script says that it is JSON.
    """
    tags, starts, ends = (nodes[column].tolist() for column in _OF_NODE)
    stops = [*starts[1:], len(source)]
    scripts: list[int] = []
    tagged: list[int] = []
    is_json = False
    for node, (tag, start, end, stop) in enumerate(zip(tags, starts, ends, stops, strict=True)):
        opening = source[start:end] if 0 <= start < end <= len(source) else b""
        if len(opening) >= least and _has_data_name(
            opening.lower(), names
        ):  # a word has a byte or more
            tagged.append(node)
        if tag == _SCRIPT:
            is_json |= b"json" in opening.lower()
            fits = 0 <= end <= stop <= len(source)  # not if what follows was moved
            if not fits or _may_hold_data(source[end:stop], least):
                scripts.append(node)
    return scripts, tagged, is_json


def _has_data_name(tag: bytes, names: tuple[bytes, ...]) -> bool:
    """Return whether an opening tag in lower case has an attribute of such a name."""
    rests = (rest for name in names for rest in tag.split(b"data-" + name)[1:])
    return any(rest.lstrip(b" \t\n\v\f\r").startswith(b"=") for rest in rests)


def _may_hold_data(script: bytes, least: int) -> bool:
    """Return whether a script begins with JSON, assigns or passes it, or names a state, of so many words."""
    return bool(
        _BEGINS_WITH_DATA.match(script)
        or _ASSIGNED.search(script)
        or _NAMES_STATE.search(script, 0, STATE_HEAD)
    ) and _may_have_words(script, least)


def _may_have_words(text: bytes, least: int) -> bool:
    """Return whether a text may have so many words, as counted by their gaps.

    A gap is white space, or what a tag, a reference or an escape stands for. A string of prose, of
    ten words or more, has one less than words. A text beyond ASCII or of more than MOST_COUNTED
    bytes may have any number.
    """
    if len(text) > MOST_COUNTED or not text.isascii():
        return True
    gaps = len(text.decode("ascii").split()) + sum(map(text.count, (b"<", b"&", b"\\")))
    return 10 * gaps >= 9 * least


def find_assigned(script: bytes) -> list[int]:
    """Return where a script may assign or pass JSON: the offset of each such mark."""
    return [match.start() for match in _ASSIGNED.finditer(script)]


def may_have_blank_lines(text: bytes) -> bool:
    """Return whether a text may have two blank lines or more, one after the other."""
    return _BLANK_LINES.search(text) is not None


def find_rows(column: Column, number: int, most: int = 2**31) -> list[int]:
    """Return the rows of a column that have a number, `most` of them."""
    rows: list[int] = (column == number).nonzero()[0][:most].tolist()
    return rows


def add_words(words: Column, first: Column, stop: Column) -> tuple[Words, int]:
    """Return the words of the runs of each block, and the words of all blocks.

    Blocks are spans of runs: they begin with the first and end before the stop.
    """
    sums = _add_up(words, first, stop)
    return sums.astype(np.float32), int(sums.sum())


def _add_up(column: Column, first: Column, stop: Column) -> npt.NDArray[np.int64]:
    total = np.zeros(len(column) + 1, np.int64)
    np.cumsum(column, out=total[1:])
    return total[stop] - total[first]


def count_unseen(tables: Sequence[Sequence[Column] | Column], flags: Sequence[int]) -> list[int]:
    """Return for each of some flags the words of the blocks that have it on most of their text.

    Blocks of a few words are no prose, nor are those that are half links.
    """
    if len(flags) > MOST_FLAGS:
        raise ValueError(f"there may be {MOST_FLAGS} flags at most")
    _, runs, (first, stop, _, _) = tables
    words, chars, of_run = (runs[column] for column in _COUNTED)
    by_block, sizes = _add_up(words, first, stop), _add_up(chars, first, stop)
    linked = _add_up(np.where(of_run & Flag.LINK, chars, 0), first, stop)
    prose = np.where((by_block >= LEAST_PROSE) & (2 * linked < sizes), by_block, 0)
    counts = []
    for flag in flags:
        unseen = _add_up(np.where(of_run & flag, chars, 0), first, stop)
        counts.append(int(prose[2 * unseen > sizes].sum()))
    return counts


def count_without(runs: Sequence[Column] | Column, flags: int) -> int:
    """Return the words of the runs that have none of some flags."""
    words, _, of_run = (runs[column] for column in _COUNTED)
    return int(words[(of_run & flags) == 0].sum())


def count_shown(
    tables: Sequence[Sequence[Column] | Column], numbers: bytes
) -> tuple[int, int, int]:
    """Return the words of the kept blocks, and those of all blocks of which a reader sees any text.

    The third number is the flags that all kept blocks have in their first runs. `tables` are nodes,
    runs and blocks, and `numbers` those of the kept blocks as `write_kept` gives them. A page whose
    seen runs have no text shows all of it.
    """
    kept = np.frombuffer(numbers, np.intp)
    _, runs, (*blocks, _, _) = tables
    words, chars, flags = (runs[column] for column in _COUNTED)
    seen = (flags & UNSEEN) == 0
    by_block, total = add_words(words, *blocks)
    starts = blocks[0][kept]
    joint = int(np.bitwise_and.reduce(flags[starts[starts < len(flags)]]))
    in_kept = int(by_block[kept].sum())
    if not seen.any():
        return in_kept, 0, joint
    shown = add_words(np.where(seen, chars, 0), *blocks)[0] > 0
    return in_kept, int(by_block[shown].sum()) if shown.any() else total, joint


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
