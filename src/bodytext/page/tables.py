"""A page: three flat tables in document order, and the UTF-8 source that they point into.

Every node and every block covers an interval of runs. So the sum of a run column over any of them
is one subtraction of running sums (`per_node`, `per_block`).
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from bodytext.kernel import find_rows, nearest_marked, read_values, write_texts
from bodytext.kernel.html import TAG, TAGS, UNSEEN, Flag
from bodytext.kernel.tokens import unescape

Column = npt.NDArray[np.int32]

_LINK = int(Flag.LINK)
_AFTER_NAME = frozenset(bytes([byte]) for byte in b"\t\n\f\r />")  # of a closing tag


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


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A parsed page. Offsets count bytes of `source`."""

    source: bytes
    url: str
    encoding: str
    nodes: NodeTable
    runs: RunTable
    blocks: BlockTable
    tags: int  # all tags of the page, also those after the last run
    # The page's JSON-LD, which `bodytext.page.json_ld` reads once, when it is first needed.
    _json_ld: tuple[dict[str, Any], ...] | None = field(default=None, init=False)
    # These are read once too: the text of <title>, and what `bodytext.page.urls` finds.
    _title: str | None = field(default=None, init=False)
    _base: str | None = field(default=None, init=False)

    def __len__(self) -> int:
        """Return how many blocks there are."""
        return len(self.blocks.kind)

    def __repr__(self) -> str:
        """Return a summary: a whole page would fill the screen."""
        at = f" at {self.url}" if self.url else ""
        return f"<Page{at}: {len(self.source):,} bytes, {len(self.nodes.tag):,} elements, {len(self):,} blocks>"

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

    @property
    def title(self) -> str:
        """The text of the page's first <title> outside of drawings, white space folded; or nothing."""
        if self._title is None:
            object.__setattr__(self, "_title", self._read_title())
        return cast("str", self._title)

    def _read_title(self) -> str:
        tags = self.nodes.tag
        titles, drawings = find_rows(tags, TAG["title"]), find_rows(tags, TAG["svg"])
        if titles and drawings and drawings[0] < titles[0]:
            inside = or_above(tags == TAG["svg"], self.nodes.parent)
            titles = [title for title in titles if not inside[title]]
        return " ".join(unescape(self.content(titles[0])).split()) if titles else ""

    def content(self, node: int) -> str:
        """Return the source text inside a raw-text element such as <title>, <script> or <style>."""
        start, end = self.find_content(node)
        return self.source[start:end].decode("utf-8").replace("\0", "")

    def find_content(self, node: int) -> tuple[int, int]:
        """Return where the content of a raw-text element starts and ends in the source.

        There are no elements in it. So it ends where the next one starts, if it is never closed.
        """
        starts, start = self.nodes.start.data, self.nodes.end.item(node)
        later = node + 1
        while later < len(starts) and starts[later] < start:  # before a table that cannot hold it
            later += 1
        limit = starts[later] if later < len(starts) else len(self.source)
        name = TAGS[self.nodes.tag.item(node)].encode()
        place, size = start - 2, len(name)
        while (place := self.source.find(b"</", place + 2, limit)) >= 0:
            stop = place + 2 + size
            if self.source[place + 2 : stop].lower() == name and (
                self.source[stop : stop + 1] in _AFTER_NAME
            ):
                return start, place
        return start, limit

    def find_nodes(self, places: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return for each place in the source the last node whose opening tag begins before it, or -1."""
        order = np.argsort(self.nodes.start, kind="stable")
        found = np.searchsorted(self.nodes.start[order], places, side="right")
        return np.append(-1, order)[found]

    def attributes(self, node: int) -> dict[str, str]:
        """Return the attributes of an element by name in lower case; of duplicates the first."""
        return read_values(self.source, self.nodes.start.item(node), self.nodes.end.item(node))

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
