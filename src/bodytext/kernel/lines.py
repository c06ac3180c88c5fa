"""Cut the lines of blocks into texts and marks, in Python: the specification of `lines_native.pyx`.

A mark is what is around a text inside of a line: bold, a link ... Marks nest as they do in the page,
but for links, which hold all others, and code, which holds text alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bodytext.kernel.attributes import read_value
from bodytext.kernel.html import TAG, TAGS, Flag, NodeFlag
from bodytext.kernel.scanner import nearest_marked, write_texts
from bodytext.kernel.table_columns import RunColumn

Column = npt.NDArray[np.int32]
Columns = Sequence[Column] | Column  # or an array that has a row for each
Numbers = npt.NDArray[np.intp]
Mark = tuple[int, str, str, int]  # its rank, its name, the address of a link, the node of a link
Pieces = list[Any]  # texts and elements
Stretch = tuple[int, tuple[Mark, ...], str, str]  # its first run, its marks, the gap, the text
Line = tuple[Any, ...] | str | list[Stretch]
Resolve = Callable[[str], str]
Make = Callable[..., Any]

MOST_TEXTS = 64  # of a line; to append to one text again and again would be quadratic

_MEANINGS = {
    "strong": "b strong",
    "em": "i em cite dfn var",
    "code": "code tt kbd samp",
    "sub": "sub",
    "sup": "sup",
    "del": "del s strike",
    "mark": "mark",
    "a": "a",
}
_NAMES = {tag: name for name, tags in _MEANINGS.items() for tag in tags.split()}
MARK_NAMES = tuple(_NAMES.get(tag, "") for tag in TAGS)  # by tag; empty for one that marks nothing
_LINK, _OTHER, _CODE = RANKS = range(3)
# The mark of each tag; that of a link lacks the address.
_PLAIN_MARKS = [(_CODE if name == "code" else _OTHER, name, "", 0) for name in MARK_NAMES]
_IS_MARKING = np.array([bool(name) for name in MARK_NAMES])
_A, _IS_LINK = TAG["a"], int(NodeFlag.LINK)
_PRE = int(Flag.PRE)
# The second where nothing else remains
_LEFT_OUT = (int(Flag.HIDDEN | Flag.SPOKEN), int(Flag.HIDDEN))


def read_lines(
    source: bytes,
    tables: tuple[Columns, Columns, tuple[Column, Column, bytearray]],
    leaves: tuple[Sequence[int], Numbers],
    make: Make,
    resolve: Resolve,
) -> tuple[list[Line], list[tuple[Mark, ...]]]:
    """Return the line of each block as texts and elements.

    Arguments:
        source: the page.
        tables: the columns of its nodes and of its runs; first run and stop run of each block, and
            a byte that is not 0 if it is wanted in stretches.
        leaves: nodes between the texts, and runs before which texts are cut for them.
        make: makes an element of a name, its children and its attributes.
        resolve: makes an address of the value of a link; an empty one is no link. It gives an
            absolute address of plain characters back as it is.

    Returns:
        For each block the pieces of its line; or the text where white space counts; or stretches of
        text where they are wanted, where there are line breaks or what may be formulas, or where
        there are too many. And the marks of each leaf.
    """
    nodes, runs, (first, stop, wanted) = tables
    nearest = _find_nearest(nodes)
    marks_at = _MarksAt(source, nodes, nearest, resolve)
    marks = [marks_at[node] for node in nearest[np.array(leaves[0], np.intp)].tolist()]
    lines: list[Line] = []
    if not len(first):
        return lines, marks
    cut = _cut_blocks(source, runs, (first, stop), nearest[runs[RunColumn.NODE]], leaves[1])
    for (whole, stretches), is_wanted in zip(cut, wanted, strict=True):
        if not stretches:
            lines.append(whole)
            continue
        marked = [(run, marks_at[node], gap, text) for run, node, gap, text in stretches]
        is_plain = "\n" not in whole and "\\" not in whole and "$$" not in whole
        if is_wanted or not is_plain or len(marked) > MOST_TEXTS:
            lines.append(marked)
        else:
            lines.append((*_join_texts(marked, make),))
    return lines, marks


def _find_nearest(nodes: Columns) -> Column:
    """For each node, the nearest one at or above it that marks text (bold, a link ...), or -1."""
    tag, parent, *_, flags = nodes
    is_link = (flags & _IS_LINK) != 0
    return nearest_marked(_IS_MARKING[tag] & ((tag != _A) | is_link), parent)


def _cut_blocks(
    source: bytes, runs: Columns, blocks: Columns, marks: Column, cuts: Numbers
) -> Iterator[tuple[str, list[tuple[int, int, str, str]]]]:
    """The text of each block, and its stretches inside the same marks; none if white space counts.

    A stretch is its first run, the node of its marks, the gap before it and its text.
    """
    first, stop = blocks
    flags = runs[RunColumn.FLAGS]
    shown, block_of = _shown_runs(flags, first, stop)
    is_cut = np.ones(len(shown), dtype=np.bool_)
    is_cut[1:] = marks[shown[1:]] != marks[shown[:-1]]
    is_cut[shown.searchsorted(cuts[cuts <= shown[-1]])] = True
    is_cut[1:] |= block_of[1:] != block_of[:-1]
    begins = is_cut.nonzero()[0]
    firsts, lasts = shown[begins], shown[np.append(is_cut[1:], True)]
    texts = _read_texts(source, runs, (np.append(firsts, first), np.append(lasts + 1, stop)))
    owners, nodes = block_of[begins].tolist(), marks[firsts].tolist()
    stretches: list[list[tuple[int, int, str]]] = [[] for _ in first]
    for owner, *stretch in zip(owners, firsts.tolist(), nodes, texts[: len(owners)], strict=True):
        stretches[owner].append((*stretch,))
    is_verbatim = ((flags[first] & _PRE) != 0).tolist()
    for whole, own, verbatim in zip(texts[len(owners) :], stretches, is_verbatim, strict=True):
        yield whole, [] if verbatim else _add_gaps(whole, own)


def _add_gaps(whole: str, stretches: list[tuple[int, int, str]]) -> list[tuple[int, int, str, str]]:
    """Add the gap before each stretch: nothing, a space, a line break.

    It is read from the whole text: so structure and text never differ.
    """
    position, added = 0, []
    for run, node, text in stretches:
        gap = whole[position] if position and text and whole[position] != text[0] else ""
        position += len(gap) + len(text)
        added.append((run, node, gap, text))
    return added


def _shown_runs(flags: Column, first: Column, stop: Column) -> tuple[Numbers, Numbers]:
    """The runs of blocks, each with its block's place; hidden ones only if all of a block is."""
    lengths = stop - first
    block_of = np.arange(len(first)).repeat(lengths)
    before = lengths.cumsum() - lengths
    runs = np.arange(len(block_of)) + (first - before)[block_of]
    for left_out in _LEFT_OUT:
        hidden = (flags[runs] & left_out) != 0
        if not np.count_nonzero(hidden):
            break
        shown = np.bincount(block_of[~hidden], minlength=len(first)) > 0
        kept = ~(hidden & shown[block_of])
        runs, block_of = runs[kept], block_of[kept]
    return runs, block_of


def _read_texts(source: bytes, runs: Columns, spans: tuple[Numbers, Numbers]) -> list[str]:
    """The texts of intervals of runs."""
    nothing = bytes(len(spans[0]))
    chosen = [span.astype(np.int32) for span in spans]
    columns = [runs[column] for column in (RunColumn.START, RunColumn.END, RunColumn.FLAGS)]
    buffer, places = write_texts(source, columns, chosen, nothing, nothing)
    return [buffer[start:end].decode("utf-8") for start, end in places.T.tolist()]


class _MarksAt(dict[int, tuple[Mark, ...]]):
    """The mark of each marking node and those around it, one of each name, the outer first."""

    def __init__(self, source: bytes, nodes: Columns, nearest: Column, resolve: Resolve) -> None:
        """Take for each node the nearest marking one at or above it."""
        super().__init__({-1: ()})
        tag, parent, _, _, start, end, _ = nodes
        # A memoryview gives one number several times as fast as an array.
        self._tags, self._parent, self._nearest = tag.data, parent.data, nearest.data
        self._source, self._start, self._end = source, start.data, end.data
        self._resolve = resolve

    def __missing__(self, node: int) -> tuple[Mark, ...]:
        waiting, parent, nearest = [node], self._parent, self._nearest
        while (node := nearest[parent[node]]) not in self:
            waiting.append(node)
        marks = self[node]
        while waiting:
            node = waiting.pop()
            marks = self[node] = self._add(marks, node)
        return marks

    def _add(self, marks: tuple[Mark, ...], node: int) -> tuple[Mark, ...]:
        mark = _PLAIN_MARKS[self._tags[node]]
        if any(other[1] == mark[1] for other in marks):
            return marks
        if mark[1] == "a":
            value = read_value(self._source, self._start[node], self._end[node], b"href")
            mark = (_LINK, "a", self._resolve(value), node)
            if not mark[2]:
                return marks
        return tuple(sorted((*marks, mark), key=_rank)) if marks else (mark,)


def _rank(mark: Mark) -> int:
    return mark[0]


def count_shared(
    open_marks: tuple[Mark, ...], marks: tuple[Mark, ...], *, is_break: bool = False
) -> int:
    """How many of the open marks stay open; no code goes on after a line break."""
    shared = 0
    for mark, other in zip(open_marks, marks, strict=False):
        if mark != other or (is_break and mark[0] == _CODE):
            break
        shared += 1
    return shared


def close_marks(lists: list[Pieces], marks: tuple[Mark, ...], count: int, make: Make) -> None:
    """Close all open marks but the first of this count; each becomes an element."""
    while len(lists) > count + 1:
        pieces = lists.pop()
        lists[-1].append(make_mark(marks[len(lists) - 1], pieces, make))


def make_mark(mark: Mark, pieces: Sequence[Any], make: Make) -> Any:
    """The element of a mark around pieces."""
    _, name, address, _ = mark
    return make(name, pieces, {"href": address}) if address else make(name, pieces)


def _join_texts(stretches: Iterable[Stretch], make: Make) -> Pieces:
    """The pieces of a line: its texts, each with the gap before it, inside their marks."""
    lists: list[Pieces] = [[]]
    open_marks: tuple[Mark, ...] = ()
    for _, marks, gap, text in stretches:
        if not text:
            continue
        shared = count_shared(open_marks, marks)
        close_marks(lists, open_marks, shared, make)
        open_marks = marks
        if len(marks) > shared:
            _append(lists[-1], gap)
            lists += [[] for _ in marks[shared:]]
            _append(lists[-1], text)
        else:
            _append(lists[-1], gap + text)
    close_marks(lists, open_marks, 0, make)
    return lists[0]


def _append(pieces: Pieces, text: str) -> None:
    if pieces and isinstance(pieces[-1], str):
        pieces[-1] += text
    elif text:
        pieces.append(text)
