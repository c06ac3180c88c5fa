"""Scan the bytes of a page into tables, in Python: the specification of `scanner_native.pyx`.

The scan is one pass, without a tree and without backtracking. The open elements are a stack. For
each tag the depth of its topmost open element is known, and for each depth the nearest special,
barrier and scope elements at or below it. So every "is X open in scope" of the HTML standard is one
comparison, and hostile nesting costs nothing.

What is in a table, but in no cell, goes before the table ("foster parenting"). It is read where it
stands, with the state that the table found, and the rows are put in order at the end.

The scan deviates from the standard's tree construction where a flat table of text has no use for
more. Formatting elements that are closed across a block stay open in the table (only links are
tracked exactly). Implied table rows make no node. `noscript` is markup and stays where it is; raw
text in it ends with it. A `<table>` closes a `<p>` in every mode. A NUL in a `<textarea>` is
dropped. Frames make no nodes. In a flood of tiny pieces most tags only break the line (`FLOOD_TAGS`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel.attributes import read_attributes
from bodytext.kernel.html import (
    CONCEALED_CLASSES,
    CONCEALING,
    FLOOD_BYTES,
    FLOOD_ROWS,
    FLOOD_TAGS,
    FLOOD_TEXT,
    GAPS,
    INHERITED_FLAGS,
    INSET_FLAGS,
    KIND_MASK,
    KIND_SHIFT,
    KINDS,
    LINES_SHIFT,
    LONGEST_NAME,
    MOST_EMPTY,
    MOST_LINES,
    PARAGRAPH_OVERRIDES,
    RULES,
    RUNNING_TEXT,
    TAG,
    TAG_FLAGS,
    UNKNOWN,
    UNKNOWN_REACH,
    Flag,
    Kind,
    NodeFlag,
    TagRule,
)
from bodytext.kernel.table_columns import BlockColumn, NodeColumn, RunColumn
from bodytext.kernel.tokens import unescape
from bodytext.kernel.words import measure

Table = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.intp]

DEAD = -1  # the tag of a stack entry whose element was closed while others above it stay open

_MARKUP = re.compile(rb"<(?:[A-Za-z!?]|/.)", re.DOTALL)
_TAG_NAME = re.compile(rb"[A-Za-z][^\t\n\f\r />]*")
_SCRIPT_POINT = re.compile(rb"<!--|-->|</?script(?=[\t\n\f\r />])", re.IGNORECASE)
_COMMENT = re.compile(rb"-?>|.*?--!?>", re.DOTALL)  # what follows "<!--"
_LEADING_LINES = re.compile(r"\A(?>(?:[^\S\n]*+\n)+)")
# Characters that nobody sees: word joiners, marks of byte order, spaces without width. The last separate words in
# scripts from Thai to Khmer, and stay there.
_INVISIBLE = re.compile("[\u2060-\u2064\ufeff]")
_SPACES_WITHOUT_WIDTH = re.compile("(?<![\u0e00-\u17ff])\u200b")
_POWER = re.compile(rb"<sup[ >]")
_SPACES = re.compile(rb"[\t\n\f\r ]+")
_CLASSES = {name.encode(): flag for name, flag in CONCEALED_CLASSES.items()}
_CONCEALING = {words.encode(): flag for words, flag in CONCEALING.items()}
# A text begins a word or a price, and the text right before it ends one: "Big Agnes" and "Anthracite", but neither
# "iPhone" nor "json.JSONEncoder". Letters are those of Latin, Greek and Cyrillic, capitals those of ASCII and Cyrillic.
_BEGINS_APART = re.compile(rb"[A-Z$]|\xd0[\x90-\xaf]|\xc2\xa3|\xe2\x82\xac")
_ENDS_APART = re.compile(
    rb"(?:[0-9!?:)%]|[a-z\x80-\xff]{2}[a-z]|[a-z\x80-\xff][\xc3-\xd4][\x80-\xbf]|\xe1[\x80-\xbf]{2})\Z"
)
_LINE_MARK = "\0"  # for a line break until the text is folded: no text has a NUL

# Plain numbers, because the operators of enumerations are slow.
_BLOCK, _SPECIAL, _BARRIER, _SCOPE = (
    int(rule) for rule in (TagRule.BLOCK, TagRule.SPECIAL, TagRule.BARRIER, TagRule.SCOPE)
)
_NOSCRIPT = int(Flag.NOSCRIPT)
_RAW, _RAW_TEXT, _HEADING = int(TagRule.RAW), int(TagRule.RAW_TEXT), int(TagRule.HEADING)
_MARKER, _INTEGRATION = int(TagRule.MARKER), int(TagRule.INTEGRATION)
_INSET, _FOSTERING, _PIECE = (
    int(rule) for rule in (TagRule.INSET, TagRule.FOSTERING, TagRule.PIECE)
)
_FOREIGN, _SILENT, _PRE, _SPOKEN, _HIDDEN = (
    int(flag) for flag in (Flag.FOREIGN, Flag.SILENT, Flag.PRE, Flag.SPOKEN, Flag.HIDDEN)
)
_PARENT, _FIRST_RUN, _STOP_RUN, _START, _END, _NODE_FLAGS = map(int, list(NodeColumn)[1:])
_WRITTEN = (RunColumn.START, RunColumn.END, RunColumn.CHARS, RunColumn.FLAGS)
# In the mask of an open element: it is hidden by `visibility` alone. No run has this bit.
_VEIL = int(Flag.VERBATIM)
# In these a NUL is a replacement character; elsewhere the standard drops it.
_KEEPS_NUL = int(Flag.FOREIGN | Flag.VERBATIM)
_FORM_GONE = -2  # a form was open and was closed by another end tag than its own

_HEADING_TAGS = tuple(TAG[f"h{level}"] for level in range(1, 7))
_PAGE_TAGS = (TAG["html"], TAG["head"], TAG["body"])
_SECTIONS = (TAG["tbody"], TAG["thead"], TAG["tfoot"])
_CELLS = (TAG["td"], TAG["th"])
_LISTS = (TAG["ul"], TAG["ol"], TAG["menu"])
_QUOTES = (TAG["blockquote"],)
_CODES = (TAG["pre"], TAG["listing"], TAG["xmp"], TAG["plaintext"])
_BLANK_LINE, _LINE, _TAB = GAPS.index("\n\n"), GAPS.index("\n"), GAPS.index("\t")
# Kinds that follow each other line by line; a blank line separates all others.
_LINE_KINDS = (Kind.ITEM, Kind.TERM, Kind.DEFINITION, Kind.CELL, Kind.CONTROL)
_TERMS = (TAG["dt"], TAG["dd"])
_RUBY = (TAG["rb"], TAG["rp"], TAG["rt"], TAG["rtc"])
_FRAMES = (TAG["frame"], TAG["frameset"])
_FLOOD_TAGS = frozenset(map(TAG.__getitem__, FLOOD_TAGS))
_ROW_PARTS = (TAG["tr"], TAG["col"], *_CELLS)
_TABLE_PARTS = frozenset({TAG["caption"], TAG["colgroup"], *_SECTIONS, *_ROW_PARTS})
_TABLE_TAGS = _TABLE_PARTS | {TAG["table"]}
_MODES_IN_TABLE = (*_CELLS, TAG["caption"], TAG["template"])
# Runs that the text of a block leaves out: all that it can without becoming empty.
_LEFT_OUT = (int(Flag.HIDDEN | Flag.SPOKEN), int(Flag.HIDDEN), 0)
# What the attributes of a node mean for the runs in it.
_CONCEALED = (
    (NodeFlag.ARIA_HIDDEN, Flag.ARIA_HIDDEN),
    (NodeFlag.SPOKEN, Flag.SPOKEN),
)


_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\f\r\x1b")


def count_sequences(data: bytes) -> int:
    """Count the characters of UTF-8 that take several bytes; -1 if the bytes are not UTF-8."""
    try:
        return sum(not character.isascii() for character in data.decode("utf-8"))
    except UnicodeDecodeError:
        return -1


def count_controls(data: bytes, most: int) -> int:
    """Count the control characters in the first bytes, `most` of them, that are in no text.

    White space and ESC, which is in Japanese pages, are.
    """
    head = data[: max(most, 0)]
    return len(head) - len(head.translate(None, _CONTROLS))


def nearest_marked(marked: npt.NDArray[np.bool_], parent: Table) -> Table:
    """Return for each node the nearest marked one at or above it, or -1.

    Parents come before their children.
    """
    nearest: list[int] = []
    for node, (mark, above) in enumerate(zip(marked.tolist(), parent.tolist(), strict=True)):
        if mark:
            nearest.append(node)
        else:
            nearest.append(nearest[above] if above >= 0 else -1)
    return np.array(nearest, dtype=np.int32)


# The texts of blocks.


def write_texts(
    source: bytes, runs: Sequence[Table], blocks: Sequence[Table], gaps: bytes, folded: bytes
) -> tuple[bytes, Table]:
    """Return the texts of blocks as one UTF-8 buffer, and where each starts and ends.

    Runs are given by their start, end and flags, blocks by their first and stop runs. `gaps` has
    the number of what comes before each block (an index into GAPS), `folded` whether its line
    breaks become spaces. White space is folded. In <pre> it is kept, except for blank lines before
    the text and all that follows it. An empty block gets no gap.
    """
    buffer = bytearray()
    rows = list(zip(*(column.tolist() for column in runs), strict=True))
    spans = np.zeros((2, len(gaps)), dtype=np.int32)
    for index, (first, stop) in enumerate(
        zip(*(column.tolist() for column in blocks), strict=True)
    ):
        text = _write_block(source, rows[first:stop], b" " if folded[index] else b"\n")
        if text and buffer:
            buffer += GAPS[gaps[index]].encode()
        spans[0, index] = len(buffer)
        buffer += text
        spans[1, index] = len(buffer)
    return bytes(buffer), spans


class KeptTexts(NamedTuple):
    """Blocks that are kept, and their texts. Columns are bytes, of which arrays can be made."""

    blocks: bytes  # np.intp
    buffer: bytes  # UTF-8: every text with its gap before it
    spans: bytes  # np.int32: starts, then ends of the texts in the buffer
    gaps: bytes  # numbers in GAPS
    kinds: bytes  # np.int32
    offsets: bytes  # np.int32: starts, then ends in the source
    scores: bytes  # np.float32


def write_kept(
    source: bytes,
    tables: Sequence[Sequence[Table] | Table],
    scores: npt.NDArray[np.float32],
    cut: float,
) -> KeptTexts:
    """Write the texts of the blocks that score enough.

    `tables` are the columns of nodes, runs and blocks. Blocks that show nothing are left out.
    """
    nodes, runs, blocks = tables
    first, stop, kind, _ = blocks
    start, end, chars, flags = (runs[column] for column in _WRITTEN)
    kept = np.flatnonzero(scores >= np.float32(cut))
    chars = np.add.reduceat(chars, first, dtype=np.int32) if len(first) else first
    kept = kept[chars[kept] > 0]
    gaps, in_row = _separate(nodes, blocks, kept)
    buffer, spans = write_texts(
        source,
        (start, end, flags),
        (first[kept], stop[kept]),
        gaps.tobytes(),
        in_row.tobytes(),
    )
    full = spans[0] < spans[1]
    kept, gaps, spans = kept[full], gaps[full], spans[:, full]
    offsets = np.stack((start[first[kept]], end[stop[kept] - 1]))
    columns = (spans, gaps, kind[kept], offsets, scores[kept])
    return KeptTexts(kept.tobytes(), buffer, *(column.tobytes() for column in columns))


def _separate(
    nodes: Sequence[Table] | Table, blocks: Sequence[Table] | Table, kept: Numbers
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """Return the gap before each kept block, and which blocks share a line with others."""
    tag, parent = nodes[NodeColumn.TAG], nodes[NodeColumn.PARENT]
    kind, node = blocks[2][kept], blocks[3][kept]
    gaps = np.full(len(kept), _BLANK_LINE, dtype=np.uint8)
    in_lines = np.isin(kind, _LINE_KINDS)
    gaps[1:][in_lines[1:] & in_lines[:-1]] = _LINE
    code = np.where(kind == Kind.CODE, nearest_marked(np.isin(tag, _CODES), parent)[node], -1)
    is_line = (code[1:] == code[:-1]) & (code[1:] >= 0)  # of code, in an element of its own
    gaps[1:][is_line] = _LINE
    gaps[:1] = 0
    cell = np.where(kind == Kind.CELL, nearest_marked(np.isin(tag, _CELLS), parent)[node], -1)
    row = np.where(cell >= 0, parent[cell], -1)
    beside = (row[1:] == row[:-1]) & (row[1:] >= 0) & (cell[1:] != cell[:-1])
    if beside.any():
        _put_tabs(gaps, beside, (row, cell), _count_empty(nodes))
    in_row = np.zeros(len(kept), dtype=np.bool_)
    in_row[1:] |= beside
    in_row[:-1] |= beside
    return gaps, in_row


def _put_tabs(
    gaps: npt.NDArray[np.uint8],
    beside: npt.NDArray[np.bool_],
    places: tuple[Table, Table],
    empty: Numbers,
) -> None:
    """Put tabs between the cells of a row, one more for each empty cell, also before the row."""
    row, cell = places
    gaps[1:][beside] = _TAB + (empty[cell[1:]] - empty[cell[:-1]])[beside].clip(0, MOST_EMPTY)
    begins = np.ones(len(row), dtype=np.bool_)
    begins[1:] = (row[1:] != row[:-1]) | (row[1:] < 0)
    first, last = np.flatnonzero(begins), np.flatnonzero(beside)
    owner, which = np.unique(first.searchsorted(last, "right") - 1, return_index=True)
    tabs = empty[cell[last[which]]].clip(0, MOST_EMPTY).astype(np.uint8)
    gaps[first[owner]] += np.where(gaps[first[owner]] > 0, tabs, np.uint8(0))


def _count_empty(nodes: Sequence[Table] | Table) -> Numbers:
    """Return for each cell how many empty ones are before it in its row."""
    is_cell = np.isin(nodes[NodeColumn.TAG], _CELLS)
    is_empty = nodes[NodeColumn.FIRST_RUN] == nodes[NodeColumn.STOP_RUN]
    empty: Numbers = np.zeros(len(is_cell), dtype=np.intp)
    for cell in np.flatnonzero(is_cell).tolist():
        row = int(nodes[NodeColumn.PARENT][cell])
        if 0 <= row < cell:
            empty[cell] = empty[row]
            empty[row] += is_empty[cell]
    return empty


def find_originals(
    source: bytes,
    runs: Sequence[Table],
    blocks: Sequence[Table],
    wanted: npt.NDArray[np.bool_] | None = None,
) -> Numbers:
    """Return for each block the first block that has the same text; for one that is not wanted, itself.

    The source must be valid.
    """
    count = len(blocks[0])
    buffer, spans = write_texts(source, runs, blocks, bytes(count), b"\1" * count)
    first: dict[bytes, int] = {}
    places = [
        block
        if wanted is not None and not wanted[block]
        else first.setdefault(buffer[start:end], block)
        for block, (start, end) in enumerate(spans.T.tolist())
    ]
    return np.array(places, dtype=np.intp)


def choose_copies(
    nodes: Sequence[Table],
    blocks: Sequence[Table],
    originals: Numbers,
    logits: npt.NDArray[np.float32],
    *,
    is_thread: bool = False,
) -> Numbers:
    """Return for each block the copy of it that is kept, given the first block with the same text.

    Nodes are given by tag and parent, blocks by kind and node. All blocks with the same text in the
    same place are kept, in the place where one of them is likeliest. The place is the list around
    them, or the parent. A list item that recurs in another list is kept in both, unless a neighbour
    recurs as well.

    In a thread the list is the thread, so the parent is the place. A quotation is a copy of the post
    that it quotes, never the other way round.
    """
    (tag, parent), (kind, node) = nodes, blocks
    numbers = np.arange(len(originals), dtype=np.intp)
    is_copy = originals != numbers
    if not is_copy.any():
        return numbers
    is_copied = is_copy.copy()
    is_copied[originals[is_copy]] = True
    is_copied[_find_lone_items(kind, originals, is_copy)] = False
    members = is_copied.nonzero()[0]
    text = originals[members]
    around = nearest_marked(np.isin(tag, _QUOTES if is_thread else _LISTS), parent)[node[members]]
    is_inside, place = around >= 0, parent[node[members]]
    if not is_thread:
        place[is_inside] = around[is_inside]
    # The members by text, of each text the likeliest first; in threads those outside of quotations.
    order = np.lexsort((-logits[members], is_inside & is_thread, text))
    in_order = text[order]
    leads = np.ones(len(order), dtype=np.bool_)
    leads[1:] = in_order[1:] != in_order[:-1]
    lead = np.empty(len(members), dtype=np.intp)
    lead[order] = order[leads][leads.cumsum() - 1]
    dropped = place != place[lead]
    numbers[members[dropped]] = members[lead[dropped]]
    return numbers


def _find_lone_items(kind: Table, originals: Numbers, is_copy: npt.NDArray[np.bool_]) -> Numbers:
    """Return the list items that are copies without their neighbours."""
    copies = is_copy.nonzero()[0]
    items = copies[kind[copies] == Kind.ITEM]
    # The block before it is the same in copy and original
    follows = np.zeros(len(originals) + 1, dtype=np.bool_)
    follows[1:-1] = is_copy[1:] & is_copy[:-1] & (originals[1:] == originals[:-1] + 1)
    lone: Numbers = items[~follows[items] & ~follows[items + 1]]
    return lone


def _write_block(source: bytes, runs: list[tuple[int, int, int]], line_break: bytes) -> bytes:
    preformatted = bool(runs) and bool(runs[0][2] & _PRE)
    joined = "".join(_write_runs(source, runs, preformatted=preformatted))
    if not joined.isascii():
        joined = _SPACES_WITHOUT_WIDTH.sub("", _INVISIBLE.sub("", joined))
    if preformatted:
        return _LEADING_LINES.sub(
            "", joined.replace("\r\n", "\n").replace("\r", "\n").rstrip()
        ).encode()
    lines = (" ".join(line.split()) for line in joined.split(_LINE_MARK))
    return line_break.join(line.encode() for line in lines if line)


def _write_runs(
    source: bytes, runs: list[tuple[int, int, int]], *, preformatted: bool
) -> Iterator[str]:
    """Yield the texts of runs, each with what is before it."""
    left_out, gap, before = _find_left_out(runs), "", -1
    for start, end, flags in runs:
        if before >= 0:  # what is before a run that is left out is before the next
            gap += _separator(flags, preformatted=preformatted)
        if flags & left_out:
            continue
        if before >= 0 and not gap and not preformatted:
            gap = _mark_power(source, before, start)
        yield gap + _read_run(source[start:end], flags)
        gap, before = "", end


def _find_left_out(runs: list[tuple[int, int, int]]) -> int:
    """Return the flags of runs that are left out: hidden ones and those for screen readers, if there are others."""
    return next(
        (flags for flags in _LEFT_OUT if not all(run[2] & flags for run in runs)), _LEFT_OUT[-1]
    )


def _mark_power(source: bytes, before: int, start: int) -> str:
    """Return the sign of a power between two numbers: 10<sup>15</sup> is not 1015."""
    if not (source[before - 1 : before].isdigit() and source[start : start + 1].isdigit()):
        return ""
    is_power = _POWER.match(source, before, start) or source.endswith(b"<sup>", before, start)
    return "^" if is_power else ""


def _read_run(source: bytes, flags: int) -> str:
    text = source.decode("utf-8", "replace")
    if not flags & Flag.VERBATIM:  # before a NUL is dropped: it ends a reference
        # A reference to a soft hyphen is one; its byte is a letter where the encoding is mistaken.
        text = (
            unescape(text.replace("\xad", "\udcad")).replace("\xad", "").replace("\udcad", "\xad")
        )
    return text.replace("\0", "\ufffd" if flags & _KEEPS_NUL else "")


def _separator(flags: int, *, preformatted: bool) -> str:
    """Return what comes before a run that is not the first in its block."""
    lines = flags >> LINES_SHIFT & MOST_LINES
    if preformatted:
        return "\n" * lines
    if lines:
        return _LINE_MARK
    return " " if flags & Flag.SPACE else ""


def are_apart(before: bytes, after: bytes) -> bool:
    """Whether style sheets put room between two texts in elements side by side: see TagRule.PIECE."""
    if not _BEGINS_APART.match(after):
        return False
    if before.endswith(b"."):  # a sentence
        return b" " in before
    return _ENDS_APART.search(before[-3:]) is not None


# The attributes that the scan reads.


def _read_style(value: bytes) -> int:
    flags = 0
    for declaration in _SPACES.sub(b"", value).lower().split(b";"):
        for words, flag in _CONCEALING.items():
            if declaration.startswith(words):
                flags |= flag
    return flags


def _read_class(value: bytes) -> int:
    names = [name for name in _SPACES.split(value) if name]
    at_ends = (
        {value[: value.find(names[0]) + len(names[0])], value[value.rfind(names[-1]) :]}
        if names
        else set()
    )
    return next((flag for name, flag in _CLASSES.items() if name in at_ends), 0)


def _read_aria_hidden(value: bytes) -> int:
    return NodeFlag.ARIA_HIDDEN if value.lower() == b"true" else 0


_ATTRIBUTES: dict[bytes, Callable[[bytes], int]] = {
    b"style": _read_style,
    b"class": _read_class,
    b"aria-hidden": _read_aria_hidden,
    b"hidden": lambda _: NodeFlag.HIDDEN,
    b"href": lambda _: NodeFlag.LINK,
}
_ATTRIBUTE_LENGTHS = frozenset(map(len, _ATTRIBUTES))


def scan(source: bytes) -> tuple[Table, Table, Table, int]:
    """Return the tables of nodes, runs and blocks, by columns, and the number of tags.

    Nobody can write to the tables.
    """
    scanner = _Scanner(source)
    scanner.read()
    if scanner.moves:
        _rearrange(scanner)
    return (
        _table(scanner.nodes, len(NodeColumn)),
        _table(scanner.runs, len(RunColumn)),
        _table(scanner.blocks, len(BlockColumn)),
        scanner.tags,
    )


def _table(rows: list[list[int]], columns: int) -> Table:
    table = np.array(rows, dtype=np.int32).reshape(len(rows), columns).T.copy()
    table.setflags(write=False)
    return table


class _Gap(NamedTuple):
    """What is between the run before and the next one."""

    at_break: bool = True
    line_breaks: int = 0
    space: bool = False
    inset: int = 0  # the flags of the run before that are among INSET_FLAGS


class _OpenElement:
    """An open element, and the depths of the elements that the standard asks about below it."""

    __slots__ = (
        "barrier", "before", "fostered", "link", "mask", "node", "same", "scope", "special", "tag",
    )  # fmt: skip

    def __init__(self, tag: int, node: int, mask: int) -> None:
        self.tag, self.node, self.mask = tag, node, mask
        self.fostered = False
        self.before: _Gap  # the gap before a table, which what goes there continues
        self.same = self.link = (
            0  # the depth of the next open element of this tag; the link that it shuts out
        )
        self.special = self.barrier = self.scope = -1


_BOTTOM = _OpenElement(DEAD, -1, 0)  # below the first element


class _Scanner:
    def __init__(self, source: bytes) -> None:
        self.source, self.length = source, len(source)
        self.nodes: list[list[int]] = []
        self.runs: list[list[int]] = []
        self.blocks: list[list[int]] = []
        self.tags = self.tags_before = 0
        self.stack: list[_OpenElement] = []
        self.last: dict[int, int] = {}  # the depth of the topmost open element of each tag
        self.body = self.head = self.form = -1
        self.link = 0
        self.at_break, self.line_breaks, self.space, self.inset = _Gap()
        # Since the last run: 1, one of the elements of TagRule.PIECE was closed; 2, and then one was opened.
        self.pieces = 0
        self.at = 0
        self.is_frameset, self.fills_body = False, False
        self.is_flood = self.was_flood = False  # now, and at some time
        # What goes before a table: the table's node, and a node or (if that is -1) a run.
        self.moves: list[tuple[int, int, int]] = []
        self.push(TAG["html"], (0, 0, 0), -1)

    # Reading: from one "<" to the next.

    def read(self) -> None:
        text_start = 0
        while markup := _MARKUP.search(self.source, text_start):
            self.text_between(text_start, markup.start())
            text_start = self.markup(markup.start())
        self.text_between(text_start, self.length)
        self.pop_to(0)

    def text_between(self, start: int, end: int) -> None:
        if start < end:
            self.at = start
            self.text(start, end)

    def markup(self, opening: int) -> int:
        """Read the markup that begins at an offset; return the offset after it."""
        self.at = opening
        following = self.source[opening + 1 : opening + 2]
        if following == b"!":
            return self.declaration(opening)
        if following == b"/" and _TAG_NAME.match(self.source, opening + 2):
            return self.end_tag(opening)
        if following in {b"/", b"?"}:
            return self.find(b">", opening + 2)
        return self.start_tag(opening)

    def find(self, needle: bytes, position: int) -> int:
        """Return the offset after the next needle, or the page's end."""
        found = self.source.find(needle, position)
        return self.length if found < 0 else found + len(needle)

    def declaration(self, opening: int) -> int:
        if self.source.startswith(b"<!--", opening):
            comment = _COMMENT.match(self.source, opening + 4)
            return comment.end() if comment else self.length
        if self.source.startswith(b"<![CDATA[", opening) and self.in_foreign_element():
            return self.character_data(opening + len(b"<![CDATA["))
        return self.find(b">", opening + 2)

    def character_data(self, start: int) -> int:
        """Read a CDATA section whose text begins at an offset."""
        end = self.source.find(b"]]>", start)
        if end < 0:
            end = self.length
        if start < end:
            self.text(start, end, escapable=False)
        return min(end + len(b"]]>"), self.length)

    def in_foreign_element(self) -> bool:
        """Whether the element at the top is of SVG or MathML, though it may hold HTML."""
        if self.stack[-1].mask & _FOREIGN:
            return True
        return len(self.stack) > 1 and bool(
            self.top_rules() & _INTEGRATION and self.stack[-2].mask & _FOREIGN
        )

    # Tags.

    def start_tag(self, opening: int) -> int:
        name, name_end = self.tag_name(opening + 1)
        flags, position, self_closing = self.attributes(name_end)
        if position < 0:
            return self.length
        self.tags += 1
        tag = TAG.get(name, UNKNOWN)
        opened = self.open(tag, (opening, position, flags), self_closing=self_closing)
        if opened and RULES[tag] & (_RAW | _RAW_TEXT):
            return self.raw_content(tag, name, position)
        return position

    def end_tag(self, opening: int) -> int:
        name, name_end = self.tag_name(opening + 2)
        return self.finish_end_tag(TAG.get(name, UNKNOWN), name, name_end)

    def finish_end_tag(self, tag: int, name: str, name_end: int) -> int:
        """Apply an end tag from the end of its name on; return the offset after it."""
        _, position, _ = self.attributes(name_end)
        if position < 0:
            return self.length
        self.tags += 1
        self.close(tag, name)
        return position

    def tag_name(self, start: int) -> tuple[str, int]:
        end = _TAG_NAME.match(self.source, start).end()  # type: ignore[union-attr]
        name = (
            self.source[start:end].lower().decode("latin-1") if end - start <= LONGEST_NAME else ""
        )
        return name, end

    def attributes(self, position: int) -> tuple[int, int, bool]:
        """Return the node's flags, the offset after the tag, and whether it closes itself.

        The offset is -1 if the page ends inside the tag.
        """
        flags = 0
        seen: set[bytes] = set()
        for name_start, name_end, value_start, value_end in read_attributes(self.source, position):
            if value_end < 0:
                return flags, name_start, bool(name_end)
            if name_end - name_start in _ATTRIBUTE_LENGTHS:
                name = self.source[name_start:name_end].lower()
                if name in _ATTRIBUTES and name not in seen:
                    seen.add(name)
                    flags |= _ATTRIBUTES[name](self.source[value_start:value_end])
        raise AssertionError  # pragma: no cover: read_attributes always ends with an end

    def raw_content(self, tag: int, name: str, position: int) -> int:
        """Read the content of a raw-text element; return the offset after its end tag."""
        if tag == TAG["plaintext"]:
            end = self.length
        elif tag == TAG["script"]:
            end = self.script_end(position)
        else:
            end = self.raw_end(name, position)
        if RULES[tag] & _RAW_TEXT and position < end:
            self.text(position, end, escapable=bool(RULES[tag] & TagRule.ESCAPABLE))
        if end >= self.length:
            return self.length
        name_end = end + len("</") + len(name)
        if self.source[end + len("</") : name_end].lower() != name.encode():  # a noscript's end
            self.close(tag, name)
            return end
        return self.finish_end_tag(tag, name, name_end)

    def raw_end(self, name: str, position: int) -> int:
        """Return where the end tag of a raw-text element begins, or the page's end.

        Browsers that run scripts end a noscript at the first </noscript>, whatever is open in it.
        """
        names = name.encode() + (b"|noscript" if self.stack[-1].mask & _NOSCRIPT else b"")
        pattern = re.compile(rb"</(?:" + names + rb")(?=[\t\n\f\r />])", re.IGNORECASE)
        match = pattern.search(self.source, position)
        return match.start() if match else self.length

    def script_end(self, position: int) -> int:
        """Return where a script's end tag begins.

        Inside <!-- a nested <script> hides one </script>.
        """
        escaped = nested = False
        while match := _SCRIPT_POINT.search(self.source, position):
            point, position = match.group().lower(), match.end()
            if point == b"</script":
                if not nested:
                    return match.start()
                nested = False
            elif point == b"-->":
                escaped = nested = False
            elif point == b"<script":
                nested = nested or escaped
            else:  # "<!-->" and "<!--->" open and close at once
                escaped = True
                position -= len("--")
        return self.length

    # Opening elements.

    def open(self, tag: int, opening: tuple[int, int, int], *, self_closing: bool) -> bool:
        """Apply a start tag; return whether it opened an HTML element that needs an end."""
        if (self.is_frameset and tag != TAG["noframes"]) or self.only_breaks(tag, opening):
            return False
        if self.stack[-1].mask & _FOREIGN and not RULES[tag] & TagRule.BREAKOUT:
            self.insert(tag, opening, closed=self_closing)
            return False
        self.leave_foreign()
        if tag in _FRAMES:
            self.open_frames(tag)
            return False
        if tag in _PAGE_TAGS:
            self.open_page(tag, *opening)
            return False
        if self.body < 0 and not RULES[tag] & TagRule.HEAD:
            self.enter_body()
        if not self.make_room(tag):
            return False
        closed = self.is_empty(tag, self_closing=self_closing)
        self.insert(tag, opening, closed=closed)
        if tag == TAG["form"]:
            self.note_form(closed=closed)
        elif tag == TAG["a"]:
            self.link = opening[2] & NodeFlag.LINK
        return not closed

    def only_breaks(self, tag: int, opening: tuple[int, int, int]) -> bool:
        """Break the line at a tag, if that is all that it does because the page is a flood."""
        rows = len(self.nodes) + len(self.runs)
        self.is_flood = rows >= FLOOD_ROWS and opening[0] < FLOOD_BYTES * rows
        self.was_flood = self.was_flood or self.is_flood
        mask = self.stack[-1].mask
        if (
            not self.is_flood
            or tag not in _FLOOD_TAGS
            or opening[2]
            or self.body < 0
            or mask & _FOREIGN
        ):
            return False
        self.mark_break(tag, mask)
        self.line_breaks += tag == TAG["br"]
        return True

    def is_empty(self, tag: int, *, self_closing: bool) -> bool:
        """Whether an element is closed as soon as it is opened."""
        if tag == TAG["form"]:
            return self.in_table()
        return bool(RULES[tag] & TagRule.VOID) or (self_closing and bool(TAG_FLAGS[tag] & _FOREIGN))

    def note_form(self, *, closed: bool) -> None:
        """Remember the form that is open; templates have forms of their own."""
        if self.depth("template") < 0:
            self.form = _FORM_GONE if closed else len(self.stack) - 1

    def open_frames(self, tag: int) -> None:
        """Make the page a frameset, which shows no text of its own, unless it has content."""
        if tag != TAG["frameset"] or self.fills_body or self.depth("template") >= 0:
            return
        body = self.nodes[self.body] if self.body >= 0 else None
        self.fills_body = (
            bool(self.runs)
            or (body is not None and body[_START] != body[_END])
            or any(RULES[node[0]] & TagRule.FILLS_BODY for node in self.nodes)
        )
        if not self.fills_body:
            self.pop_to(1)
            self.is_frameset = True

    def leave_foreign(self) -> None:
        while self.stack[-1].mask & _FOREIGN:
            self.pop()

    def open_page(self, tag: int, start: int, end: int, flags: int) -> None:
        """Open <html>, <head> or <body>: once, later ones are ignored."""
        if tag == TAG["html"]:
            self.place(0, start, end)
        elif tag == TAG["head"]:
            if self.head < 0 and self.body < 0:
                self.insert(tag, (start, end, flags), closed=False)
                self.head = len(self.stack) - 1
        elif self.depth("template") < 0:
            if self.body < 0:
                self.open_body(start, end, flags)
            else:
                self.place(self.body, start, end)

    def place(self, node: int, start: int, end: int) -> None:
        """Give an implied node the offsets of the tag that came later."""
        if self.nodes[node][_START] == self.nodes[node][_END]:
            self.nodes[node][_START], self.nodes[node][_END] = start, end

    def open_body(self, start: int, end: int, flags: int) -> None:
        self.pop_to(1)
        self.body = len(self.nodes)
        self.insert(TAG["body"], (start, end, flags), closed=False)

    def enter_body(self) -> None:
        """Open the body for content that cannot be in the head."""
        if self.stack[-1].tag in {TAG["head"], TAG["html"]}:
            self.open_body(self.at, self.at, 0)

    def make_room(self, tag: int) -> bool:
        """Close what a start tag closes; False if the standard ignores the tag."""
        if tag in _TABLE_PARTS:
            return self.enter_table(tag)
        if tag == TAG["form"] and self.form != -1 and self.depth("template") < 0:
            return False
        if tag == TAG["table"] and self.in_table():
            self.pop_to(self.depth("table"))
        if tag in {TAG["select"], TAG["input"]} and self.in_scope(TAG["select"]):
            self.pop_to(self.depth("select"))
            if tag == TAG["select"]:
                return False
        self.close_before(tag)
        self.close_sibling(tag)
        return True

    def close_before(self, tag: int) -> None:
        """Close the item, the term, the paragraph or the heading that a start tag ends."""
        if tag == TAG["li"]:
            self.close_barrier((tag,))
        elif tag in _TERMS:
            self.close_barrier(_TERMS)
        if RULES[tag] & TagRule.CLOSES_P and self.in_button_scope():
            self.pop_to(self.depth("p"))
        if RULES[tag] & self.top_rules() & _HEADING:
            self.pop()

    def close_sibling(self, tag: int) -> None:
        """Close the element of the same sort that a start tag ends."""
        if tag == TAG["a"]:
            self.close_formatting(tag, 0)
            self.link = 0
        elif tag in {TAG["option"], TAG["optgroup"]}:
            self.close_options(tag)
        elif tag == TAG["button"] and self.in_scope(tag):
            self.pop_to(self.depth("button"))
        elif tag in _RUBY and self.in_scope(TAG["ruby"]):
            self.close_ruby(tag)

    def close_options(self, tag: int) -> None:
        if self.stack[-1].tag == TAG["option"]:
            self.pop()
        if tag == TAG["optgroup"] and self.stack[-1].tag == tag:
            self.pop()

    def close_ruby(self, tag: int) -> None:
        kept = TAG["rtc"] if tag in {TAG["rt"], TAG["rp"]} else UNKNOWN
        while self.top_rules() & TagRule.IMPLIED_END and self.stack[-1].tag != kept:
            self.pop()

    def enter_table(self, tag: int) -> bool:
        """Close what a part of a table ends; return False outside of any table."""
        context = max(self.depth("table"), self.depth("template"))
        if context < 0:
            return False
        if tag in _ROW_PARTS:
            context = max(context, self.deepest(_SECTIONS))
        if tag in _CELLS:
            context = max(context, self.depth("tr"))
        self.pop_to(context + 1)
        return True

    def close_barrier(self, tags: tuple[int, ...]) -> None:
        """Close an open item or term, unless another list or block hides it."""
        barrier = self.stack[-1].barrier
        if barrier >= 0 and self.stack[barrier].tag in tags:
            self.pop_to(barrier)

    def in_table(self) -> bool:
        """Whether a table is open, and in it neither cell nor caption."""
        return self.depth("table") > self.deepest(_MODES_IN_TABLE)

    def home(self) -> int:
        """Return the depth of what holds content that comes now: the top, or what is around a table."""
        top = len(self.stack) - 1
        if not self.top_rules() & _FOSTERING or self.stack[top].mask & _FOREIGN or self.was_flood:
            return top
        table = self.depth("table")  # else the part is of a template
        return table - 1 if self.stack[top].scope == table else top

    def enter_gap(self, table: _OpenElement) -> None:
        """Go on before a table."""
        self.at_break, self.line_breaks, self.space, self.inset = table.before

    def leave_gap(self, table: _OpenElement) -> None:
        """Return into a table."""
        table.before = self.gap()

    def gap(self) -> _Gap:
        return _Gap(self.at_break, self.line_breaks, self.space, self.inset)

    def insert(self, tag: int, opening: tuple[int, int, int], *, closed: bool) -> None:
        """Append a node; push it unless it is closed already."""
        top = len(self.stack) - 1
        home = top if RULES[tag] & TagRule.TABLE_CONTENT else self.home()
        if home < top:
            self.enter_gap(self.stack[home + 1])
            self.moves.append((self.stack[home + 1].node, len(self.nodes), -1))
        if closed:
            self.append_node(tag, self.stack[home].node, opening)
        else:
            self.push(tag, opening, home)
        self.mark_break(tag, self.stack[home].mask)
        self.line_breaks += tag == TAG["br"]
        self.space = self.space or tag == TAG["img"]
        if closed and home < top:
            self.leave_gap(self.stack[home + 1])

    def append_node(self, tag: int, parent: int, opening: tuple[int, int, int]) -> None:
        run = len(self.runs)
        self.nodes.append([tag, parent, run, run, *opening])

    def mark_break(self, tag: int, mask: int) -> None:
        """Note that an element ends the block that it opens or closes in."""
        rules = RULES[tag]
        if rules & _INSET:
            self.at_break |= not RUNNING_TEXT >> _kind(mask) & 1
        elif rules & _BLOCK:
            self.at_break |= not _is_tooltip(tag, mask)

    def push(self, tag: int, opening: tuple[int, int, int], home: int) -> None:
        """Open an element; `home` is the depth of its parent, which is the top or around a table."""
        below, depth = self.stack[-1] if self.stack else _BOTTOM, len(self.stack)
        around = self.stack[home] if self.stack else _BOTTOM
        entry = _OpenElement(tag, len(self.nodes), _inherit(around.mask, tag, opening[2]))
        entry.fostered = around is not below
        entry.before = self.gap()
        rules = RULES[tag]
        if bool(rules & TagRule.FOREIGN_ONLY) != bool(below.mask & _FOREIGN):
            rules &= ~(_SPECIAL | _BARRIER | _SCOPE)
        entry.special = depth if rules & _SPECIAL else below.special
        entry.barrier = depth if rules & _BARRIER else below.barrier
        entry.scope = depth if rules & _SCOPE else below.scope
        entry.same = self.last.get(tag, -1)
        self.last[tag] = depth
        if rules & _PIECE and self.pieces:
            self.pieces = 2
        if rules & _MARKER:
            entry.link, self.link = self.link, 0
        self.append_node(tag, around.node, opening)
        self.stack.append(entry)

    # Closing elements.

    def pop(self) -> None:
        entry = self.stack.pop()
        node = self.nodes[entry.node]
        node[_STOP_RUN] = len(self.runs)
        if entry.tag != DEAD:
            self.last[entry.tag] = entry.same
            if RULES[entry.tag] & _MARKER:
                self.link = entry.link
            self.mark_break(entry.tag, self.stack[-1].mask if self.stack else 0)
            self.pieces |= bool(RULES[entry.tag] & _PIECE)
            if RULES[entry.tag] & _INSET and node[_FIRST_RUN] < len(self.runs):
                self.at_break = True
        if self.form == len(self.stack):
            self.form = _FORM_GONE
        if entry.fostered:
            self.leave_gap(self.stack[self.depth("table")])

    def pop_to(self, depth: int) -> None:
        """Close everything down to a depth, and the element there too."""
        while len(self.stack) > depth:
            self.pop()

    def top_rules(self) -> int:
        """Return the rules of the element at the top; those of an unknown one if it is dead."""
        return RULES[max(self.stack[-1].tag, UNKNOWN)]

    def depth(self, name: str) -> int:
        """Return the depth of the topmost open element of a name, or -1."""
        return self.last.get(TAG[name], -1)

    def deepest(self, tags: Sequence[int]) -> int:
        """Return the depth of the topmost open element of some tags, or -1."""
        return max(self.last.get(tag, -1) for tag in tags)

    def in_scope(self, tag: int) -> bool:
        depth = self.last.get(tag, -1)
        return depth >= 0 and depth >= self.stack[-1].scope

    def in_button_scope(self) -> bool:
        return self.in_scope(TAG["p"]) and self.depth("p") > self.depth("button")

    def close(self, tag: int, name: str) -> None:
        """Apply an end tag to the stack."""
        if tag in {TAG["html"], TAG["body"]} or self.is_frameset:
            return
        if tag in {TAG["br"], TAG["p"]}:
            self.leave_foreign()
        if tag == TAG["br"] or (tag == TAG["p"] and not self.in_button_scope()):
            self.open_by_end(tag)
        elif tag == TAG["form"] and self.depth("template") < 0:
            self.close_form()
        elif RULES[tag] & TagRule.FORMATTING:
            self.close_formatting(tag, NodeFlag.CLOSED)
            if tag == TAG["a"]:
                self.link = 0
        else:
            self.close_matching(tag, name)

    def open_by_end(self, tag: int) -> None:
        """Read </br> as <br> and a stray </p> as an empty paragraph, as browsers do."""
        if self.body < 0:
            self.enter_body()
        table = self.home() + 1
        if table < len(self.stack):
            self.enter_gap(self.stack[table])
        self.mark_break(tag, 0)
        if tag == TAG["br"]:
            self.line_breaks += 1
            self.fills_body = True
        if table < len(self.stack):
            self.leave_gap(self.stack[table])

    def close_matching(self, tag: int, name: str) -> None:
        depth = self.matching(tag) if tag != UNKNOWN else self.matching_unknown(name)
        if depth > 0:
            self.mark_closed(depth, NodeFlag.CLOSED)
            self.pop_to(depth)

    def mark_closed(self, depth: int, flag: int) -> None:
        self.nodes[self.stack[depth].node][_NODE_FLAGS] |= flag

    def matching(self, tag: int) -> int:
        """Return the depth of the element that an end tag closes, or -1 if it is ignored."""
        if tag in _TABLE_TAGS:
            return self.matching_in_table(tag)
        rules, top = RULES[tag], self.stack[-1]
        depth = self.deepest(_HEADING_TAGS) if rules & _HEADING else self.last.get(tag, -1)
        if tag in {TAG["template"], TAG["head"]}:
            return depth if depth >= self.depth("template") else -1
        if tag == TAG["li"] and depth < max(self.depth("ul"), self.depth("ol")):
            return -1
        is_block = tag == TAG["dialog"] or (rules & _SPECIAL and not rules & _INTEGRATION)
        limit = top.scope if is_block else top.special
        return depth if depth >= limit else -1

    def matching_in_table(self, tag: int) -> int:
        table = max(self.depth("table"), self.depth("template"))
        depth = self.last.get(tag, -1)
        if depth < table and (tag == TAG["tr"] or tag in _SECTIONS):  # an implied row ends its cell
            depth = self.deepest(_CELLS)
        return depth if depth >= table else -1

    def matching_unknown(self, name: str) -> int:
        top = len(self.stack) - 1 if name else 0
        for depth in range(top, max(top - UNKNOWN_REACH, 0), -1):
            entry = self.stack[depth]
            if (
                entry.tag == UNKNOWN
                and self.tag_name(self.nodes[entry.node][_START] + 1)[0] == name
            ):
                return depth
            if entry.special == depth:
                return -1
        return -1

    def close_form(self) -> None:
        depth, self.form = self.form, -1
        if depth < 0 or depth < self.stack[-1].scope:
            return
        while self.top_rules() & TagRule.IMPLIED_END:
            self.pop()
        self.mark_closed(depth, NodeFlag.CLOSED)
        if depth == len(self.stack) - 1:
            self.pop()
        else:
            self.bury(depth)

    def close_formatting(self, tag: int, flag: int) -> None:
        depth, top = self.last.get(tag, -1), self.stack[-1]
        if depth < 0 or depth < top.scope:
            return
        self.mark_closed(depth, flag)
        if depth > top.special:
            self.pop_to(depth)
        else:
            self.bury(depth)

    def bury(self, depth: int) -> None:
        """Close an element whose descendants stay open: no end tag finds it any more."""
        entry = self.stack[depth]
        self.last[entry.tag] = entry.same
        entry.tag = DEAD

    # Text.

    def text(self, start: int, end: int, *, escapable: bool = True) -> None:
        """Make a run of a stretch of text, and a block if one begins."""
        if self.stack[-1].mask & _SILENT or self.is_frameset:
            return
        text = self.source[start:end].decode("utf-8", "replace")
        if not escapable or self.stack[-1].mask & _FOREIGN:
            text = text.replace("\0", "\ufffd")
        if escapable:
            text = unescape(text)
        words, chars, size = measure(text)
        if not chars and not self.stack[-1].mask & _PRE:
            self.space = self.space or any(map(str.isspace, text))
            return
        if self.body < 0:
            self.enter_body()
        home = self.home() if chars else len(self.stack) - 1
        table = self.stack[home + 1] if home + 1 < len(self.stack) else None
        if table:
            self.enter_gap(table)
            self.moves.append((table.node, -1, len(self.runs)))
        flags = self.run_flags(self.stack[home].mask, has_words=words > 0, escapable=escapable)
        self.append_run([start, end, 0, words, chars, size, 0, flags], home)
        if table:
            self.leave_gap(table)

    def append_run(self, run: list[int], home: int) -> None:
        """Append a run that an open element holds, and a block if one begins."""
        flags = run[RunColumn.FLAGS]
        lines = min(self.line_breaks, MOST_LINES)
        if self.begins_block(flags):
            lines = max(lines, 1) if self.floods(run, self.stack[home]) else 0
            if not lines:
                self.begin_block(self.stack[home])
        elif not lines and self.parts(run):
            flags |= Flag.SPACE
        if lines:
            flags |= Flag.LINE | lines << LINES_SHIFT
        run[RunColumn.TAGS], self.tags_before = self.tags - self.tags_before, self.tags
        run[RunColumn.NODE], run[RunColumn.FLAGS] = self.stack[home].node, flags
        self.runs.append(run)
        self.blocks[-1][BlockColumn.STOP_RUN] = len(self.runs)
        self.at_break, self.line_breaks, self.space, self.inset = _Gap(
            at_break=False, inset=flags & INSET_FLAGS
        )
        self.pieces = 0

    def run_flags(self, mask: int, *, has_words: bool, escapable: bool) -> int:
        flags = mask & INHERITED_FLAGS
        if not has_words:  # a mark alone, such as a colon, separates the texts around it
            flags &= ~_SPOKEN
            if self.link and _kind(mask) == Kind.HEADING:  # the sign of the heading's own address
                flags |= _HIDDEN
        if self.link:
            flags |= Flag.LINK
        if self.space:
            flags |= Flag.SPACE
        if not escapable:
            flags |= Flag.VERBATIM
        return flags

    def begins_block(self, flags: int) -> bool:
        return (
            self.at_break
            or (self.line_breaks > 1 and not flags & _PRE)
            or flags & INSET_FLAGS != self.inset
        )

    def parts(self, run: list[int]) -> bool:
        """Whether a run that nothing separates from the one before it is shown apart from it."""
        if self.pieces < 2 or run[RunColumn.FLAGS] & (Flag.SPACE | _PRE):
            return False
        before = self.source[self.runs[-1][RunColumn.START] : self.runs[-1][RunColumn.END]]
        return are_apart(before, self.source[run[RunColumn.START] : run[RunColumn.END]])

    def floods(self, run: list[int], around: _OpenElement) -> bool:
        """Whether a short text in a flood is a line of the last block, which the same element holds."""
        if not self.is_flood or not self.blocks or self.moves:
            return False
        return (
            run[RunColumn.FLAGS] & INSET_FLAGS == self.inset
            and all(
                each[RunColumn.END] - each[RunColumn.START] < FLOOD_TEXT
                for each in (run, self.runs[-1])
            )
            and self.stack[self.holder(around.special)].node == self.blocks[-1][BlockColumn.NODE]
        )

    def begin_block(self, around: _OpenElement) -> None:
        run, holder = len(self.runs), self.stack[self.holder(around.special)].node
        self.blocks.append([run, run, _kind(around.mask), holder])

    def holder(self, special: int) -> int:
        """Return the depth of what holds a block, from that of its nearest special element.

        No table holds what goes before it.
        """
        entry, table = self.stack[max(special, 0)], self.depth("table")
        if RULES[max(entry.tag, UNKNOWN)] & _FOSTERING and entry.scope == table:
            special = self.stack[table - 1].special
        return max(special, 0)


# What goes before tables.


def _rearrange(scanner: _Scanner) -> None:
    """Put the rows of nodes and runs in the order of the document, and tile the runs anew."""
    nodes, runs = scanner.nodes, scanner.runs
    node_order: list[int] = []
    run_order: list[int] = []
    first_runs: list[int] = []
    for item in _order_items(nodes, scanner.moves):
        if item < 0:
            run_order.append(~item)
        else:
            first_runs.append(len(run_order))
            node_order.append(item)
    rank = {node: place for place, node in enumerate(node_order)} | {-1: -1}
    scanner.nodes = [nodes[node] for node in node_order]
    scanner.runs = [runs[run] for run in run_order]
    for run in scanner.runs:
        run[RunColumn.NODE] = rank[run[RunColumn.NODE]]
    for node, first_run in zip(scanner.nodes, first_runs, strict=True):
        node[_PARENT], node[_FIRST_RUN], node[_STOP_RUN] = rank[node[_PARENT]], first_run, first_run
    _count_runs(scanner)
    _tile(scanner, run_order, rank)


def _order_items(nodes: list[list[int]], moves: list[tuple[int, int, int]]) -> list[int]:
    """Return the nodes and (inverted) the runs of a page in the order of the document.

    They are a chain, out of which each move takes a link with all that is in it, to put it before
    its table.
    """
    source_order = _source_order(nodes)
    place = {item: number for number, item in enumerate(source_order)}
    count = len(source_order)
    after, before = [*range(1, count + 1), 0], [count, *range(count)]
    sizes = [1] * len(nodes)
    for node in range(len(nodes) - 1, 0, -1):
        sizes[nodes[node][_PARENT]] += sizes[node]
    for table, node, run in moves:
        first = last = place[node if node >= 0 else ~run]
        if node >= 0:
            last = node + sizes[node] + nodes[node][_STOP_RUN] - 1
        left, right, target = before[first], after[last], place[table]
        after[left], before[right] = right, left
        left = before[target]
        after[left], before[first] = first, left
        after[last], before[target] = target, last
    chain, item = [], after[count]
    while item != count:
        chain.append(source_order[item])
        item = after[item]
    return chain


def _source_order(nodes: list[list[int]]) -> list[int]:
    """Return the nodes and (inverted) the runs of a page as they were read."""
    items: list[int] = []
    run = 0
    for number, node in enumerate(nodes):
        while run < node[_FIRST_RUN]:
            items.append(~run)
            run += 1
        items.append(number)
    return items + [~late for late in range(run, nodes[0][_STOP_RUN])]


def _count_runs(scanner: _Scanner) -> None:
    """Extend each node over the runs in it."""
    for run in scanner.runs:
        scanner.nodes[run[RunColumn.NODE]][_STOP_RUN] += 1
    for node in reversed(scanner.nodes[1:]):
        scanner.nodes[node[_PARENT]][_STOP_RUN] += node[_STOP_RUN] - node[_FIRST_RUN]


def _tile(scanner: _Scanner, run_order: list[int], rank: dict[int, int]) -> None:
    """Make the blocks anew: each begins with the run that began it, up to the next one."""
    begun = {block[0]: block for block in scanner.blocks}
    scanner.blocks = []
    for run, old in enumerate(run_order):
        if old in begun:
            _, _, kind, node = begun[old]
            scanner.blocks.append([run, run, kind, rank[node]])
        scanner.blocks[-1][BlockColumn.STOP_RUN] = run + 1


def _is_tooltip(tag: int, mask: int) -> bool:
    """Whether an element is the title of a drawing in running text: only who points at the drawing sees it."""
    return tag == TAG["title"] and bool(mask & _FOREIGN and RUNNING_TEXT >> _kind(mask) & 1)


def _inherit(mask: int, tag: int, flags: int) -> int:
    """Return the flags and the kind of an element's content, from those around it."""
    inherited = mask & (INHERITED_FLAGS | _VEIL)
    if not inherited & _FOREIGN:
        inherited |= TAG_FLAGS[tag]
    elif RULES[tag] & _INTEGRATION:
        inherited &= ~_FOREIGN
        if _is_tooltip(tag, mask):
            inherited |= _SILENT
    elif tag in {TAG["script"], TAG["style"]}:
        inherited |= _SILENT
    # a body that is hidden until its script has run is the page all the same
    if flags and tag != TAG["body"]:
        inherited = _inherit_hidden(inherited, flags)
        for node_flag, flag in _CONCEALED:
            if flags & node_flag:
                inherited |= flag
    return inherited | _inherit_kind(_kind(mask), KINDS[tag]) << KIND_SHIFT


def _inherit_hidden(inherited: int, flags: int) -> int:
    """Hide what an element hides; show what `visibility` hid around one that is visible."""
    if flags & NodeFlag.UNVEILED and inherited & _VEIL:
        inherited &= ~(_HIDDEN | _VEIL)
    if not flags & NodeFlag.HIDDEN:
        return inherited
    if not flags & NodeFlag.VEILED:
        return (inherited | _HIDDEN) & ~_VEIL
    return inherited if inherited & _HIDDEN else inherited | _HIDDEN | _VEIL


def _kind(mask: int) -> int:
    return mask >> KIND_SHIFT & KIND_MASK


def _inherit_kind(around: int, own: int) -> int:
    if own == Kind.OTHER or (own == Kind.PARAGRAPH and around not in PARAGRAPH_OVERRIDES):
        return around
    return own
