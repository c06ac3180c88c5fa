"""A page: three flat tables in document order, and the UTF-8 source that they point into.

Every node and every block covers an interval of runs. So the sum of a run column over any of them
is one subtraction of running sums (`per_node`, `per_block`).
"""

from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bodytext.kernel import (
    find_content,
    nearest_marked,
    read_title,
    read_value,
    read_values,
    write_texts,
)
from bodytext.kernel.html import TAGS, UNSEEN, Flag
from bodytext.kernel.table_columns import NodeColumn
from bodytext.page.once import once

Column = npt.NDArray[np.int32]
Table = npt.NDArray[np.int32]  # a row for each column

_LINK = int(Flag.LINK)
IN_MENU = int(Flag.NAV | Flag.HEADER | Flag.FOOTER)  # flags of runs that may be menus
# As plain numbers: looking up a member takes as long as reading a value.
_START, _END = int(NodeColumn.START), int(NodeColumn.END)


class NodeTable(NamedTuple):
    """A row is an element, in the order of the document.

    That is the order of the opening tags, but what a table cannot hold is before the table.
    """

    tag: Column  # a number in `bodytext.kernel.html.TAGS`, 0 for an unknown name
    parent: Column  # -1 for the root
    first_run: Column
    stop_run: Column
    start: Column  # offsets of the opening tag; equal if the element is implied
    end: Column
    flags: Column  # bodytext.kernel.html.NodeFlag


class RunTable(NamedTuple):
    """A row is a stretch of text between two pieces of markup, in the order of the document.

    White space alone is not a run, except in <pre>.
    """

    start: Column
    end: Column
    tags: Column  # tags between the run before in the source and this one
    words: Column
    chars: Column  # white space folded
    bytes: Column  # the same text as UTF-8
    node: Column
    flags: Column  # bodytext.kernel.html.Flag

    @property
    def linked(self) -> Column:
        """The characters of each run that are inside links."""
        return np.where(self.flags & _LINK, self.chars, 0)


class BlockTable(NamedTuple):
    """A row is what a reader sees as one paragraph, heading, item or cell. Blocks tile the runs."""

    first_run: Column
    stop_run: Column
    kind: Column  # bodytext.kernel.html.Kind
    node: Column  # the element that holds it


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """A parsed page. Offsets count bytes of `source`."""

    source: bytes
    url: str
    encoding: str
    tables: tuple[Table, Table, Table]  # nodes, runs and blocks, as the kernel takes them
    tags: int  # all tags of the page, also those after the last run
    # The page's JSON-LD, which `bodytext.page.json_ld` reads once, when it is first needed.
    _json_ld: tuple[dict[str, Any], ...] | None = field(default=None, init=False)
    # This is read once too: what `bodytext.page.urls` finds.
    _base: str | None = field(default=None, init=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs: what `once` has found is found again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __len__(self) -> int:
        """Return how many blocks there are."""
        blocks: int = self.tables[2].shape[1]
        return blocks

    def __repr__(self) -> str:
        """Return a summary: a whole page would fill the screen."""
        at = f" at {self.url}" if self.url else ""
        return f"<Page{at}: {len(self.source):,} bytes, {len(self.nodes.tag):,} elements, {len(self):,} blocks>"

    @once
    def nodes(self) -> NodeTable:
        """The elements of the page, a row each, by columns."""
        return NodeTable(*self.tables[0])

    @once
    def runs(self) -> RunTable:
        """The stretches of its text between two pieces of markup."""
        return RunTable(*self.tables[1])

    @once
    def blocks(self) -> BlockTable:
        """What a reader sees as its paragraphs, headings, items and cells."""
        return BlockTable(*self.tables[2])

    def per_node(self, column: Column) -> Column:
        """Return the sum of a run column over each node."""
        total = running_sum(column)
        return total[self.nodes.stop_run] - total[self.nodes.first_run]

    def per_block(self, column: Column) -> Column:
        """Return the sum of a run column over each block."""
        if not len(self):
            return np.zeros(0, dtype=np.int32)
        return np.add.reduceat(column, self.blocks.first_run, dtype=np.int32)

    @property
    def seen(self) -> npt.NDArray[np.bool_]:
        """Whether a reader sees any of each block.

        If all text of a page is unseen, all of it counts as seen.
        """
        seen: npt.NDArray[np.bool_] = (
            self.per_block(np.where(self.runs.flags & UNSEEN, 0, self.runs.chars)) > 0
        )
        return seen if seen.any() else ~seen

    @once
    def title(self) -> str:
        """The text of the page's first <title> outside of drawings, white space folded; or nothing."""
        return read_title(self.source, self.tables[0])

    def content(self, node: int) -> str:
        """Return the source text inside a raw-text element such as <title>, <script> or <style>."""
        start, end = self.find_content(node)
        return self.source[start:end].replace(b"\0", b"").decode("utf-8")

    def find_content(self, node: int) -> tuple[int, int]:
        """Return where the content of a raw-text element starts and ends in the source."""
        return find_content(self.source, self.tables[0], node)

    def find_nodes(self, places: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return for each place in the source the last node whose opening tag begins before it, or -1."""
        order = np.argsort(self.nodes.start, kind="stable")
        found = np.searchsorted(self.nodes.start[order], places, side="right")
        return np.append(-1, order)[found]

    def attributes(self, node: int) -> dict[str, str]:
        """Return the attributes of an element by name in lower case; of duplicates the first."""
        item = self.tables[0].item
        return read_values(self.source, item(_START, node), item(_END, node))

    def attribute(self, node: int, name: bytes) -> str:
        """Return the value of one attribute of an element, or nothing; its name is in lower case."""
        item = self.tables[0].item
        return read_value(self.source, item(_START, node), item(_END, node), name)

    def write_texts(
        self, blocks: npt.NDArray[np.intp], gaps: bytes, folded: bytes
    ) -> tuple[bytes, Column]:
        """Return the texts of blocks as one UTF-8 buffer, and where each starts and ends.

        White space is folded (not in <pre>). One <br> is a line break, or a space in `folded`
        blocks.
        """
        runs, chosen = self.runs, (self.blocks.first_run[blocks], self.blocks.stop_run[blocks])
        return write_texts(self.source, (runs.start, runs.end, runs.flags), chosen, gaps, folded)

    def texts(self) -> list[str]:
        """Return the text of every block."""
        nothing = bytes(len(self))
        buffer, spans = self.write_texts(np.arange(len(self)), nothing, nothing)
        return [buffer[start:end].decode("utf-8") for start, end in spans.T.tolist()]


def running_sum(column: Column) -> Column:
    """Return the sums of a column up to each row.

    result[stop] - result[first] is the sum from first to stop.
    """
    total = np.zeros(len(column) + 1, dtype=np.int32)
    np.cumsum(column, out=total[1:], dtype=np.int32)
    return total


def or_above(marked: npt.NDArray[np.bool_], parent: Column) -> npt.NDArray[np.bool_]:
    """Return which nodes are marked themselves or inside a marked one."""
    return nearest_marked(marked, parent) >= 0


def tag_mask(names: str) -> npt.NDArray[np.bool_]:
    """Return which tags have one of these names: mask[page.nodes.tag] marks the nodes."""
    wanted = frozenset(names.split())
    return np.array([tag in wanted for tag in TAGS])
