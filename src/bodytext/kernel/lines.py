"""Put the lines of blocks together, in Python: the specification of `lines_native.pyx`.

A line is texts inside of marks, with leaves between them. A mark is what is around a text: bold, a link ... Marks nest as
they do in the page, but for links, which hold all others, and code, which holds text alone. A leaf has no text: an image, a
rule; or it is another form of some text: a formula.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from bodytext.kernel.addresses import Addresses
from bodytext.kernel.attributes import read_value
from bodytext.kernel.html import TAG, TAGS, Flag, Kind, NodeFlag
from bodytext.kernel.scanner import nearest_marked, write_texts
from bodytext.kernel.table_columns import NodeColumn, RunColumn

Column = npt.NDArray[np.int32]
Columns = Sequence[Column] | Column  # or an array that has a row for each
Numbers = npt.NDArray[np.intp]
Mark = tuple[int, str, str, int]  # its rank, its name, the address of a link, the node of a link
Pieces = list[Any]  # texts and elements
Stretch = tuple[int, int, str, str]  # its first run, the node of its marks, the gap, the text
Make = Callable[..., Any]
PlacedLeaf = tuple[int, int, int, int, Any]  # the values of a Leaf

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
_PRE, _HEADING = int(Flag.PRE), int(Kind.HEADING)
# The second where nothing else remains
_LEFT_OUT = (int(Flag.HIDDEN | Flag.SPOKEN), int(Flag.HIDDEN))


class Leaf(NamedTuple):
    """Something without text, and its place."""

    run: int  # it comes before this one
    stop: int  # the runs up to here are another form of it
    node: int
    block: int  # the place of the block whose line it is in, or -1 if it has a line of its own
    element: Any


class Helpers(NamedTuple):
    """What lines are made with."""

    make: Make  # an element of a name, its children and its attributes
    links: Addresses  # a link without an address is none
    split: Callable[[str], Pieces]  # a text into words and formulas


class Holders(Protocol):
    """What lines are added to, as `Containers` are."""

    def add_line(self, node: int, pieces: Sequence[Any]) -> None:
        """Add a line below a node."""

    def add_leaf(self, node: int, pieces: Sequence[Any]) -> bool:
        """Add a line that has no text of its own; False where there is no place for it."""

    def add_rule(self, node: int) -> None:
        """Add a rule."""

    def add_verbatim(self, node: int, text: str) -> None:
        """Add a text whose white space counts."""


def add_lines(
    holders: Holders,
    page: tuple[bytes, Sequence[Columns]],
    numbers: Numbers,
    leaves: Sequence[PlacedLeaf],
    helpers: Helpers,
) -> None:
    """Add the lines of some blocks, and the leaves in and between them, to what holds them.

    Arguments:
        holders: they have the same class of elements.
        page: its source and its tables.
        numbers: the blocks, in order.
        leaves: in the order of the page.
        helpers: what lines are made with.
    """
    _LineAdder(holders, page, leaves, helpers).add_all(numbers)


class _LineAdder:
    """Puts each line together, with the leaves in it."""

    def __init__(
        self,
        holders: Holders,
        page: tuple[bytes, Sequence[Columns]],
        leaves: Sequence[PlacedLeaf],
        helpers: Helpers,
    ) -> None:
        self._source, (nodes, self._runs, self._blocks) = page
        self._holders, self._helpers = holders, helpers
        self._leaves = [*map(Leaf._make, reversed(leaves))]  # the next one is the last
        self._starts = nodes[NodeColumn.START]
        self._nearest = _find_nearest(nodes)
        self._marks_at = _MarksAt(self._source, nodes, self._nearest, helpers.links)

    def add_all(self, numbers: Numbers) -> None:
        first, stop, kind, node = (column[numbers] for column in self._blocks)
        cut = _cut_blocks(self._source, self._runs, (first, stop), self._nearest, self._find_cuts())
        places = zip(first.tolist(), kind.tolist(), node.tolist(), strict=True)
        for block, ((run, kind_of, holder), (whole, stretches)) in enumerate(
            zip(places, cut, strict=True)
        ):
            self._place_before(block, run, is_verbatim=not stretches)
            if stretches:
                pieces = self._read_line(block, stretches, is_heading=kind_of == _HEADING)
                if pieces:
                    self._holders.add_line(holder, pieces)
            elif whole:
                self._holders.add_verbatim(holder, whole)
        while self._leaves:
            self._place(self._leaves.pop())

    def _find_cuts(self) -> Numbers:
        """The runs before which texts are cut for leaves."""
        # One with a line of its own is between two blocks, if it is no other form of some text.
        inside = [leaf for leaf in self._leaves if leaf.block >= 0 or leaf.stop != leaf.run]
        return np.array([run for leaf in inside for run in (leaf.run, leaf.stop)], np.intp)

    def _read_line(self, block: int, stretches: list[Stretch], *, is_heading: bool) -> Pieces:
        """The pieces of a line, with the leaves in it; those before it are placed too."""
        line, leaves = LineBuilder(self._helpers.make), self._leaves
        covered = -1  # a formula takes the place of the runs before this one
        for run, node, gap, text in stretches:
            if leaves and leaves[-1].run <= run:
                covered = max(covered, self._place_leaves(block, line, run, gap))
            if run >= covered and text:
                gap = gap or self._gap_after_image(line, run)  # noqa: PLW2901
                if is_heading:
                    gap, text = gap.replace("\n", " "), text.replace("\n", " ")  # noqa: PLW2901
                self._add_text(line, self._marks_at[node], gap, text)
        while leaves and leaves[-1].block == block:
            self._place(leaves.pop(), block, line)
        return line.finish()

    def _add_text(self, line: "LineBuilder", marks: tuple[Mark, ...], gap: str, text: str) -> None:
        if ("\\" not in text and "$$" not in text) or (marks and marks[-1][0] == _CODE):
            line.add_text(marks, gap, text)
            return
        for piece in self._helpers.split(text):
            if isinstance(piece, str):
                line.add_text(marks, gap, piece)
            else:
                line.add(marks, gap, piece)
            gap = ""

    # Leaves

    def _place_before(self, block: int, run: int, *, is_verbatim: bool) -> None:
        """Place the leaves before a block on lines of their own, but for those in its line."""
        leaves = self._leaves
        while leaves and leaves[-1].run <= run:
            if not is_verbatim and (leaves[-1].block == block or leaves[-1].stop > run):
                break
            self._place(leaves.pop())

    def _place_leaves(self, block: int, line: "LineBuilder", run: int, gap: str) -> int:
        """Place the leaves up to a run; return the run up to which formulas replace the text."""
        leaves, covered = self._leaves, -1
        while leaves and leaves[-1].run <= run:
            leaf = leaves.pop()
            if self._place(leaf, block, line, gap):
                covered = max(covered, leaf.stop)
        return covered

    def _place(
        self, leaf: Leaf, block: int = -1, line: "LineBuilder | None" = None, gap: str = ""
    ) -> bool:
        """Put a leaf into the line of its block, or on a line of its own.

        False where it has no place, and the text has to take its place.
        """
        if leaf.element.name == "hr":
            self._holders.add_rule(leaf.node)
            return True
        marks = self._marks_at[self._nearest.item(leaf.node)]
        if line is None or leaf.block != block:
            return self._holders.add_leaf(leaf.node, self._wrap(marks, leaf.element))
        if not gap and self._is_space(self._starts.item(leaf.node) - 1):
            gap = " "
        line.add(marks, "" if line.is_empty else gap, leaf.element)
        return True

    def _wrap(self, marks: tuple[Mark, ...], piece: Any) -> tuple[Any, ...]:
        """A single piece inside its marks."""
        for mark in reversed(marks):
            piece = _make_mark(mark, (piece,), self._helpers.make)
        return (piece,)

    def _gap_after_image(self, line: "LineBuilder", run: int) -> str:
        if not line.ends_with_image:
            return ""
        start = self._runs[RunColumn.START].item(run)
        return " " if self._is_space(start, start - 1) else ""

    def _is_space(self, *places: int) -> bool:
        """Whether the page has white space at one of these places."""
        return any(self._source[place : place + 1].isspace() for place in places if place >= 0)


def _find_nearest(nodes: Columns) -> Column:
    """For each node, the nearest one at or above it that marks text (bold, a link ...), or -1."""
    tag, parent, *_, flags = nodes
    is_link = (flags & _IS_LINK) != 0
    return nearest_marked(_IS_MARKING[tag] & ((tag != _A) | is_link), parent)


def _cut_blocks(
    source: bytes, runs: Columns, blocks: Columns, nearest: Column, cuts: Numbers
) -> Iterator[tuple[str, list[Stretch]]]:
    """The text of each block, and its stretches inside the same marks; none if white space counts."""
    first, stop = blocks
    if not len(first):
        return
    flags, marks = runs[RunColumn.FLAGS], nearest[runs[RunColumn.NODE]]
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


def _add_gaps(whole: str, stretches: list[tuple[int, int, str]]) -> list[Stretch]:
    """Add the gap before each stretch: nothing, a space, a line break.

    It is read from the whole text: so structure and text never differ.
    """
    position, added = 0, []
    for run, node, text in stretches:
        gap = whole[position] if position and text and whole[position] != text[0] else ""
        position += len(gap) + len(text)
        added.append((run, node, "" if gap == "^" else gap, text))  # a superscript is marked as one
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

    def __init__(self, source: bytes, nodes: Columns, nearest: Column, links: Addresses) -> None:
        """Take for each node the nearest marking one at or above it."""
        super().__init__({-1: ()})
        tag, parent, _, _, start, end, _ = nodes
        # A memoryview gives one number several times as fast as an array.
        self._tags, self._parent, self._nearest = tag.data, parent.data, nearest.data
        self._source, self._start, self._end = source, start.data, end.data
        self._links = links

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
            mark = (_LINK, "a", self._links.resolve(value), node)
            if not mark[2]:
                return marks
        return tuple(sorted((*marks, mark), key=_rank)) if marks else (mark,)


def _rank(mark: Mark) -> int:
    return mark[0]


class LineBuilder:
    """Puts the inline pieces of one line together, from left to right."""

    __slots__ = ("_lists", "_make", "_marks", "_texts")

    def __init__(self, make: Make) -> None:
        self._make = make
        self._marks: tuple[Mark, ...] = ()  # open now
        self._lists: list[Pieces] = [[]]  # the pieces of the line, and of each open mark
        self._texts: list[str] = []  # not yet in the last list

    def finish(self) -> Pieces:
        """All pieces."""
        self._close(0)
        return self._lists[0]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was put in."""
        return not (self._lists[0] or self._texts or self._marks)

    @property
    def ends_with_image(self) -> bool:
        """Whether the last thing put in is an image."""
        last = self._lists[-1][-1] if self._lists[-1] and not self._texts else ""
        return not isinstance(last, str) and last.name == "img"

    def add_text(self, marks: tuple[Mark, ...], gap: str, text: str) -> None:
        """Append a text inside marks, with a gap (nothing, a space, a line break) before it."""
        for line in text.split("\n"):
            self._open(marks, gap)
            self._put(line)
            gap = "\n"

    def add(self, marks: tuple[Mark, ...], gap: str, element: Any) -> None:
        """Append an element inside marks, with a gap before it."""
        self._open(marks, gap)
        self._flush()
        self._lists[-1].append(element)

    def _put(self, text: str) -> None:
        if text:
            self._texts.append(text)

    def _flush(self) -> None:
        if self._texts:
            self._lists[-1].append("".join(self._texts))
            self._texts.clear()

    def _open(self, marks: tuple[Mark, ...], gap: str) -> None:
        """Close the marks that end here, write the gap, open the others."""
        is_break = gap == "\n"
        shared = _count_shared(self._marks, marks, is_break=is_break)
        if len(self._marks) > shared or is_break:
            self._close(shared)
        if is_break:
            self._lists[-1].append(self._make("br"))
        else:
            self._put(gap)
        if len(marks) > shared:
            self._flush()
            self._lists += [[] for _ in marks[shared:]]
        self._marks = marks

    def _close(self, count: int) -> None:
        """Close all open marks but the first of this count; each becomes an element."""
        self._flush()
        while len(self._lists) > count + 1:
            pieces = self._lists.pop()
            mark = self._marks[len(self._lists) - 1]
            self._lists[-1].append(_make_mark(mark, pieces, self._make))


def _count_shared(open_marks: tuple[Mark, ...], marks: tuple[Mark, ...], *, is_break: bool) -> int:
    """How many of the open marks stay open; no code goes on after a line break."""
    shared = 0
    for mark, other in zip(open_marks, marks, strict=False):
        if mark != other or (is_break and mark[0] == _CODE):
            break
        shared += 1
    return shared


def _make_mark(mark: Mark, pieces: Sequence[Any], make: Make) -> Any:
    """The element of a mark around pieces."""
    _, name, address, _ = mark
    return make(name, pieces, {"href": address}) if address else make(name, pieces)
