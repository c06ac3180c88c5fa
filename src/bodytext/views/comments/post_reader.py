"""Read the text, the author and the date of each unit."""

import re
from dataclasses import dataclass

import numpy as np

from bodytext.kernel import nearest_marked, write_texts
from bodytext.kernel.html import GAPS, TAG
from bodytext.page.dates import read_date
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page, tag_mask
from bodytext.views.comments.element_names import UNREAD, Mask, Numbers
from bodytext.views.comments.post import Post
from bodytext.views.comments.units import Units

_BLANK_LINE, _LINE = GAPS.index("\n\n"), GAPS.index("\n")
_LINES = tag_mask("li dt dd td th")  # each is a line of its own
_ATTRIBUTES = "datetime content title data-time data-timestamp data-utime data-date"
_DATE_ATTRIBUTES = tuple(_ATTRIBUTES.split())
_LONGEST_AUTHOR = 100  # characters; an attribute may have any number
_BEFORE_NAME = late_pattern(
    r"(?>(?:(?:posted|written|by|von|par|por|di|door)\b[\s:]*+)+)", re.IGNORECASE
)
_AFTER_NAME = late_pattern(
    r"(?:(?<!\s)\s++(?:says|said|wrote|schrieb|a écrit|dice)|(?<![\s:,|·•—–-]))[\s:,|·•—–-]*+$",
    re.IGNORECASE,
)
_YEAR = late_pattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MARKUP = late_pattern(r"<[^<>]*>")
_SEVERAL = 3  # posts
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
    """Reads units, all at once: a call of numpy for each field of each post would take longer."""

    def __init__(self, page: Page, units: Units, fields: PostFields, controls: Mask) -> None:
        """`controls` are nodes whose words are not for reading: votes, tooltips."""
        self.page, self.units, self.fields = page, units, fields
        self.order = np.argsort(units.owner_of_run, kind="stable")
        owners = units.owner_of_run[self.order]
        self.starts = np.searchsorted(owners, np.arange(len(units.node) + 1))
        chars = page.per_block(page.runs.chars)
        self.linked = page.per_block(page.runs.linked) > _MOSTLY_LINKS * chars
        self.shown = (page.runs.flags & UNREAD) == 0
        self.line = nearest_marked(_LINES[page.nodes.tag], page.nodes.parent)
        self.control = None  # of each run
        if controls.any():
            self.control = nearest_marked(controls, page.nodes.parent)[page.runs.node]

    def read(self, units: list[int], depth: list[int]) -> list[Post]:
        """Read some units; `depth` is that of each."""
        fields = self.fields
        texts = self._write(
            [self._find_text(unit) for unit in units], [self._outermost(unit) for unit in units]
        )
        authors = self._read_fields(fields.author[units], fields.author_run[units])
        shown = self._read_fields(fields.date[units], fields.date_run[units])
        dates = [self._read_date(fields.date.item(unit)) for unit in units]
        if _are_wrong(dates, shown):
            dates = [""] * len(dates)
        posts = []
        for place, (text, start, end) in enumerate(texts):
            author = self._read_author(fields.author.item(units[place]), authors[place])
            date = dates[place]
            posts.append(Post(author, date, shown[place], text, depth[place], start, end))
        return posts

    def _read_fields(self, nodes: Numbers, runs: Numbers) -> list[str]:
        """The texts of fields in one line each: of a run, or else of all runs of a node."""
        first = np.where(runs < 0, self.page.nodes.first_run[nodes], runs)
        stop = np.where(runs < 0, self.page.nodes.stop_run[nodes], runs + 1)
        stop = np.where((nodes < 0) & (runs < 0), first, stop)
        spans = [np.arange(*span) for span in zip(first.tolist(), stop.tolist(), strict=True)]
        return [" ".join(text.split()) for text, _, _ in self._write(spans, [-1] * len(spans))]

    def _read_author(self, node: int, name: str) -> str:
        """The name of an author without the words around it; for a <meta> its content."""
        if not name and node >= 0 and self.page.nodes.tag[node] == TAG["meta"]:
            content = self.page.attributes(node).get("content", "")
            name = " ".join(_MARKUP.sub("", content).split())
        name = name[:_LONGEST_AUTHOR]
        if match := _BEFORE_NAME.match(name):
            name = name[match.end() :]
        return _AFTER_NAME.sub("", name)

    def _find_text(self, unit: int) -> Numbers:
        """The runs of a unit's text: in its bodies, or all but other fields and controls."""
        nodes, fields = self.page.nodes, self.fields
        if bodies := fields.bodies[unit]:
            first, stop = nodes.first_run.item, nodes.stop_run.item
            runs = np.concatenate([np.arange(first(body), stop(body)) for body in bodies])
        else:
            runs = self.order[int(self.starts[unit]) : int(self.starts[unit + 1])]
            for node in (int(fields.author[unit]), int(fields.date[unit])):
                if node >= 0:
                    runs = runs[(runs < nodes.first_run[node]) | (runs >= nodes.stop_run[node])]
            runs = runs[(runs != fields.author_run[unit]) & (runs != fields.date_run[unit])]
            runs = runs[~self.linked[self._blocks(runs)]]
        if self.control is not None:
            is_text = self.control[runs] <= self._outermost(unit)
            runs = runs[is_text] if is_text.any() else runs
        shown: Numbers = runs[self.shown[runs]]
        return shown

    def _outermost(self, unit: int) -> int:
        bodies = self.fields.bodies[unit]
        return bodies[0] if bodies else int(self.units.node[unit])

    def _blocks(self, runs: Numbers) -> Numbers:
        return np.searchsorted(self.page.blocks.first_run, runs, "right") - 1

    def _write(self, parts: list[Numbers], outermost: list[int]) -> list[tuple[str, int, int]]:
        """The text of each list of runs, block by block, and its offsets in the source.

        Items are lines, except one that is around all of the text: `outermost` or an element around
        it.
        """
        page, sizes = self.page, list(map(len, parts))
        if not any(sizes):
            return [("", 0, 0)] * len(parts)
        runs, part = np.concatenate(parts), np.arange(len(parts)).repeat(sizes)
        block = self._blocks(runs)
        is_new = (block[1:] != block[:-1]) | (runs[1:] != runs[:-1] + 1) | (part[1:] != part[:-1])
        breaks = is_new.nonzero()[0] + 1
        first, last = np.concatenate(([0], breaks)), np.concatenate((breaks - 1, [len(runs) - 1]))
        chosen = (runs[first].astype(np.int32), runs[last].astype(np.int32) + 1)
        in_lines = self.line[page.blocks.node[block[first]]] > np.array(outermost)[part[first]]
        gaps = np.full(len(first), _BLANK_LINE, np.uint8)
        gaps[1:][in_lines[1:] & in_lines[:-1]] = _LINE
        columns = (page.runs.start, page.runs.end, page.runs.flags)
        buffer, spans = write_texts(page.source, columns, chosen, gaps.tobytes(), bytes(len(first)))
        places = part[first].searchsorted(np.arange(len(parts) + 1)).tolist()
        texts = []
        for here, following, own in zip(places, places[1:], parts, strict=False):
            if here == following:
                texts.append(("", 0, 0))
                continue
            text = buffer[spans.item(0, here) : spans.item(1, following - 1)].decode("utf-8")
            start, end = page.runs.start.item(own[0]), page.runs.end.item(own[-1])
            texts.append((text.strip(), start, end))  # an empty block may leave the gap after it
        return texts

    def _read_date(self, node: int) -> str:
        """A date in ISO form, if an attribute of its node or of the one around it has it."""
        if node < 0:
            return ""
        for element in (node, self.page.nodes.parent.item(node)):
            attributes = self.page.attributes(element) if element >= 0 else {}
            for name in _DATE_ATTRIBUTES:
                if name in attributes and (date := read_date(attributes[name])):
                    return date
        return ""


def _are_wrong(dates: list[str], shown: list[str]) -> bool:
    """Whether the dates in ISO form contradict the texts beside them: a template's, most likely.

    Either each is of another year, or all are the same time while the texts differ.
    """
    if len(dates) >= _SEVERAL and len(set(dates)) == 1 < len(set(shown)) and "T" in dates[0]:
        return True
    is_wrong = False
    for date, text in zip(dates, shown, strict=True):
        if date and (years := _YEAR.findall(text)):
            if date[:4] in years:
                return False
            is_wrong = True
    return is_wrong
