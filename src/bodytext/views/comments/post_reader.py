"""Reader: Page + Units + Fields -> the text, the author and the date of each unit."""

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
_LINES = tag_mask("li dt dd td th")  # what stands in them follows line by line
_DATE_ATTRIBUTES = ("datetime", "content", "title", "data-time", "data-timestamp", "data-utime", "data-date")
_LONGEST_AUTHOR = 100  # characters; an attribute may hold any number
_BEFORE_NAME = re.compile(r"(?:(?:posted|written|by|von|par|por|di|door)\b[\s:]*+)++", re.IGNORECASE)
_BEHIND_NAME = re.compile(r"(?:\s++(?:says|said|wrote|schrieb|a écrit|dice))?+[\s:,|·•—–-]*+$", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*>")
_MOSTLY_LINKS = 0.8  # of a block's characters: it is a row of controls, not prose


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """Where the fields of each unit are: nodes, or a run without a node of its own; -1 where there is none."""

    author: Numbers
    author_run: Numbers
    date: Numbers
    date_run: Numbers
    bodies: list[list[int]]


class Reader:
    """Reads units one by one; what it needs of the whole page is made once."""

    def __init__(self, page: Page, units: Units, fields: Fields) -> None:
        self.page, self.units, self.fields = page, units, fields
        self.order = np.argsort(units.owner_of_run, kind="stable")
        self.starts = np.searchsorted(units.owner_of_run[self.order], np.arange(len(units.node) + 1))
        self.linked = page.per_block(page.runs.linked) > _MOSTLY_LINKS * page.per_block(page.runs.chars)
        self.line = nearest_marked(_LINES[page.nodes.tag], page.nodes.parent)

    def read(self, unit: int, depth: int) -> Post:
        """Read one unit."""
        fields = self.fields
        text, start, end = self._write(self._find_text(unit), self._outermost(unit))
        node, run = int(fields.author[unit]), int(fields.author_run[unit])
        author = self._read_node(node) if run < 0 else _fold(self._write(np.array([run]))[0])
        author = author[:_LONGEST_AUTHOR]
        author = author[(found.end() if (found := _BEFORE_NAME.match(author)) else 0) :]
        shown, date = self._read_date(int(fields.date[unit]))
        if (run := int(fields.date_run[unit])) >= 0:
            shown = _fold(self._write(np.array([run]))[0])
        return Post(_BEHIND_NAME.sub("", author), date, shown, text, depth, start, end)

    def _find_text(self, unit: int) -> Numbers:
        """The runs of a unit's text: of the nodes that hold it, or else all that are no other field and no control."""
        nodes, fields = self.page.nodes, self.fields
        if bodies := fields.bodies[unit]:
            runs = np.concatenate([np.arange(nodes.first_run[one], nodes.stop_run[one]) for one in bodies])
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
        """The text of runs, block by block, and its offsets in the source. An item around all of it makes no lines."""
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
        return buffer.decode("utf-8").strip(), int(page.runs.start[runs[0]]), int(page.runs.end[runs[-1]])

    def _read_node(self, node: int) -> str:
        """The text of a node in one line; of a <meta> what it says."""
        if node < 0:
            return ""
        nodes = self.page.nodes
        if nodes.tag[node] == TAG["meta"]:
            return _fold(_MARKUP.sub("", self.page.attributes(node).get("content", "")))
        return _fold(self._write(np.arange(nodes.first_run[node], nodes.stop_run[node]))[0])

    def _read_date(self, node: int) -> tuple[str, str]:
        """A date as shown, and in ISO form where the attributes of its element or the one around it say so."""
        if node < 0:
            return "", ""
        nodes = self.page.nodes
        shown = self._read_node(node) if nodes.tag[node] != TAG["meta"] else ""
        for one in (node, int(nodes.parent[node])):
            attributes = self.page.attributes(one) if one >= 0 else {}
            for name in _DATE_ATTRIBUTES:
                if found := read_date(attributes.get(name, "")):
                    return shown, found
        return shown, ""


def _fold(text: str) -> str:
    return " ".join(text.split())
