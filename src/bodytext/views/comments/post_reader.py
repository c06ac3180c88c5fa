"""Read the text, the author and the date of each unit."""

import re
from dataclasses import dataclass

import numpy as np

from bodytext.kernel import nearest_marked, write_texts
from bodytext.kernel.html import GAPS, TAG
from bodytext.page.dates import read_date
from bodytext.page.tables import Page, tag_mask
from bodytext.views.comments.element_names import UNREAD, Numbers
from bodytext.views.comments.post import Post
from bodytext.views.comments.units import Units

_BLANK_LINE, _LINE = GAPS.index("\n\n"), GAPS.index("\n")
_LINES = tag_mask("li dt dd td th")  # each is a line of its own
_ATTRIBUTES = "datetime content title data-time data-timestamp data-utime data-date"
_DATE_ATTRIBUTES = tuple(_ATTRIBUTES.split())
_LONGEST_AUTHOR = 100  # characters; an attribute may have any number
_BEFORE_NAME = re.compile(
    r"(?>(?:(?:posted|written|by|von|par|por|di|door)\b[\s:]*+)+)", re.IGNORECASE
)
_AFTER_NAME = re.compile(
    r"(?:(?<!\s)\s++(?:says|said|wrote|schrieb|a écrit|dice)|(?<![\s:,|·•—–-]))[\s:,|·•—–-]*+$",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<[^<>]*>")
_MOSTLY_LINKS = 0.8  # of a block's characters: it is a row of controls, not prose


@dataclass(frozen=True, slots=True, eq=False)
class PostFields:
    """Where the fields of each unit are: nodes, or runs without a node; -1 for none."""

    author: Numbers
    author_run: Numbers
    date: Numbers
    date_run: Numbers
    bodies: list[list[int]]


class PostReader:
    """Reads units one by one; the values that it needs for the whole page are computed once."""

    def __init__(self, page: Page, units: Units, fields: PostFields) -> None:
        self.page, self.units, self.fields = page, units, fields
        self.order = np.argsort(units.owner_of_run, kind="stable")
        owners = units.owner_of_run[self.order]
        self.starts = np.searchsorted(owners, np.arange(len(units.node) + 1))
        chars = page.per_block(page.runs.chars)
        self.linked = page.per_block(page.runs.linked) > _MOSTLY_LINKS * chars
        self.line = nearest_marked(_LINES[page.nodes.tag], page.nodes.parent)

    def read(self, unit: int, depth: int) -> Post:
        """Read one unit."""
        fields = self.fields
        text, start, end = self._write(self._find_text(unit), self._outermost(unit))
        shown, date = self._read_date(int(fields.date[unit]))
        if (run := int(fields.date_run[unit])) >= 0:
            shown = self._read_run(run)
        return Post(self._read_author(unit), date, shown, text, depth, start, end)

    def _read_author(self, unit: int) -> str:
        run = int(self.fields.author_run[unit])
        name = self._read_run(run) if run >= 0 else self._read_node(int(self.fields.author[unit]))
        name = name[:_LONGEST_AUTHOR]
        if match := _BEFORE_NAME.match(name):
            name = name[match.end() :]
        return _AFTER_NAME.sub("", name)

    def _find_text(self, unit: int) -> Numbers:
        """The runs of a unit's text: in its bodies, or all but other fields and controls."""
        nodes, fields = self.page.nodes, self.fields
        if bodies := fields.bodies[unit]:
            spans = zip(nodes.first_run[bodies], nodes.stop_run[bodies], strict=True)
            runs = np.concatenate([np.arange(first, stop) for first, stop in spans])
        else:
            runs = self.order[int(self.starts[unit]) : int(self.starts[unit + 1])]
            for node in (int(fields.author[unit]), int(fields.date[unit])):
                if node >= 0:
                    runs = runs[(runs < nodes.first_run[node]) | (runs >= nodes.stop_run[node])]
            runs = runs[(runs != fields.author_run[unit]) & (runs != fields.date_run[unit])]
            runs = runs[~self.linked[self._blocks(runs)]]
        shown: Numbers = runs[(self.page.runs.flags[runs] & UNREAD) == 0]
        return shown

    def _outermost(self, unit: int) -> int:
        bodies = self.fields.bodies[unit]
        return bodies[0] if bodies else int(self.units.node[unit])

    def _blocks(self, runs: Numbers) -> Numbers:
        return np.searchsorted(self.page.blocks.first_run, runs, "right") - 1

    def _write(self, runs: Numbers, outermost: int = -1) -> tuple[str, int, int]:
        """The text of runs, block by block, and its offsets in the source.

        Items are lines, except one that is around all of the text: `outermost` or an element around
        it.
        """
        if not len(runs):
            return "", 0, 0
        page, block = self.page, self._blocks(runs)
        breaks = np.flatnonzero((np.diff(block) != 0) | (np.diff(runs) != 1)) + 1
        first, last = np.concatenate(([0], breaks)), np.concatenate((breaks - 1, [len(runs) - 1]))
        chosen = (runs[first].astype(np.int32), runs[last].astype(np.int32) + 1)
        in_lines = self.line[page.blocks.node[block[first]]] > outermost
        gaps = np.full(len(first), _BLANK_LINE, np.uint8)
        gaps[1:][in_lines[1:] & in_lines[:-1]] = _LINE
        gaps[0] = 0
        columns = (page.runs.start, page.runs.end, page.runs.flags)
        buffer, _ = write_texts(page.source, columns, chosen, gaps.tobytes(), bytes(len(first)))
        start, end = int(page.runs.start[runs[0]]), int(page.runs.end[runs[-1]])
        return buffer.decode("utf-8").strip(), start, end

    def _read_run(self, run: int) -> str:
        runs, first = self.page.runs, np.array([run], np.int32)
        columns = (runs.start, runs.end, runs.flags)
        buffer, _ = write_texts(self.page.source, columns, (first, first + 1), b"\0", b"\0")
        return _fold(buffer.decode("utf-8"))

    def _read_node(self, node: int) -> str:
        """The text of a node in one line; for a <meta> its content."""
        if node < 0:
            return ""
        nodes = self.page.nodes
        if nodes.tag[node] == TAG["meta"]:
            return _fold(_MARKUP.sub("", self.page.attributes(node).get("content", "")))
        first, stop = nodes.first_run.item(node), nodes.stop_run.item(node)
        if stop == first + 1:  # most
            return self._read_run(first)
        return _fold(self._write(np.arange(first, stop))[0])

    def _read_date(self, node: int) -> tuple[str, str]:
        """A date as shown, and in ISO form if an attribute of it or its parent has it."""
        if node < 0:
            return "", ""
        nodes = self.page.nodes
        shown = self._read_node(node) if nodes.tag[node] != TAG["meta"] else ""
        for element in (node, int(nodes.parent[node])):
            attributes = self.page.attributes(element) if element >= 0 else {}
            for name in _DATE_ATTRIBUTES:
                if date := read_date(attributes.get(name, "")):
                    return shown, date
        return shown, ""


def _fold(text: str) -> str:
    return " ".join(text.split())
