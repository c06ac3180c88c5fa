"""build_structure: Page + the numbers of its kept blocks -> the tree of what is in them."""

import numpy as np

from bodytext.kernel.html import Kind
from bodytext.page.tables import Page
from bodytext.views.structure.containers import Containers
from bodytext.views.structure.element import ITEMS, LINES, SECTIONS, Element
from bodytext.views.structure.footnotes import settle_inner_links
from bodytext.views.structure.formulas import split_delimited
from bodytext.views.structure.leaves import Leaf, find_leaves
from bodytext.views.structure.line import Line, Mark, Marks, Pieces, join_texts, open_mark
from bodytext.views.structure.links import Links
from bodytext.views.structure.segments import Numbers, cut_segments, find_marks

_HEADING = int(Kind.HEADING)
_FLOWS = (SECTIONS | ITEMS) - {"note"}
_MOST_JOINED = 64  # texts of a line; to append to one text again and again would be quadratic


def build_structure(page: Page, blocks: Numbers) -> Element:
    """The kept blocks of a page as an element `body`: headings, paragraphs, lists, tables, quotes, code, figures ...

    Work is linear in the page; elements nest at most 40 deep, what a page nests deeper stays in the last of them.
    """
    if not len(blocks):
        return Element("body")
    return _Builder(page, blocks).build()


class _Builder:
    """Goes through the blocks and the leaves between their words, and puts each where it belongs."""

    def __init__(self, page: Page, blocks: Numbers) -> None:
        self.page = page
        self.links = Links(page)
        self.marks = find_marks(page)
        self.around = Marks(page, self.marks, self.links)
        self.containers = Containers(page)
        self.holders = self.containers.nearest[page.blocks.node[blocks]].tolist()
        self.kinds = page.blocks.kind[blocks].tolist()
        self.stops = page.blocks.stop_run[blocks].tolist()
        self.leaves = find_leaves(page, blocks, self.links)
        cuts = np.array([run for leaf in self.leaves for run in (leaf.run, leaf.stop)], dtype=np.intp)
        self.segments = cut_segments(page, blocks, self.marks, cuts)
        self.leaves.reverse()  # the next one is the last

    def build(self) -> Element:
        segments, leaves, holders = self.segments, self.leaves, self.holders
        marks, texts, verbatim = segments.marks, segments.texts, segments.verbatim
        first = 0
        for block, count in enumerate(segments.counts):
            text = texts[first] if count == 1 else ""
            if leaves and leaves[-1].run <= self.stops[block]:
                self._place_before(block, segments.runs[first])
            if leaves and leaves[-1].run <= self.stops[block]:
                self._add_with_leaves(block, first)
            elif verbatim[block]:
                self._attach_verbatim(holders[block], text)
            elif count == 1 and marks[first] < 0 and not ("\n" in text or "\\" in text or "$$" in text):
                self._attach(holders[block], [text] if text else [])
            else:
                self._attach(holders[block], self._read_line(block, first))
            first += count
        for leaf in reversed(leaves):
            self._place(leaf)
        body = self.containers.finish()
        if self.links.inner:
            settle_inner_links(self.page, body, self.links.inner, self.containers.nodes)
        return body

    def _attach(self, holder: int, pieces: Pieces) -> None:
        """Put the pieces of a block where it belongs."""
        if not pieces:
            return
        element = self.containers[holder]
        if element.name in _FLOWS:  # most
            element.children.append(Element("p", pieces))
        elif element.name in LINES:
            whole = pieces[0] if len(pieces) == 1 else ""
            if isinstance(whole, Element) and whole.name == "strong" and element.name[0] == "h":
                pieces = whole.children  # a heading is bold anyway
            if element.children:  # a second block in a heading goes on in it, in a caption or a term on a new line
                element.children.append(" " if element.name[0] == "h" else Element("br"))
            element.children += pieces
        else:
            self.containers.flow(element).children.append(Element("p", pieces))

    def _attach_verbatim(self, holder: int, text: str) -> None:
        if not text:
            return
        element = self.containers[holder]
        if element.name == "pre":
            element.children.append(text)  # its lines, where the page has an element for each
        elif element.name in LINES:
            self._attach(holder, [" ".join(text.split())])
        else:
            self.containers.flow(element).children.append(Element("pre", [text]))

    # Lines: a block with marks, line breaks or formulas in it.

    def _read_line(self, block: int, first: int) -> Pieces:
        segments, around = self.segments, self.around
        count, texts = segments.counts[block], segments.texts
        whole = texts[first] if count == 1 else segments.whole[block]
        if count <= _MOST_JOINED and not ("\n" in whole or "\\" in whole or "$$" in whole):
            if count == 1:
                return self._wrap(around[segments.marks[first]], whole) if whole else []
            stop = first + count
            marks = [around[mark] for mark in segments.marks[first:stop]]
            return join_texts(zip(texts[first:stop], marks, strict=True), whole, self.links)
        line = Line(self.links)
        for index, gap in enumerate(segments.gaps(block, first), first):
            self._add_text(line, block, index, gap)
        return line.pieces

    def _wrap(self, marks: tuple[Mark, ...], piece: Element | str) -> Pieces:
        """A single piece inside its marks."""
        for mark in reversed(marks):
            piece = open_mark(mark, [piece], self.links)
        return [piece]

    def _add_text(self, line: Line, block: int, index: int, gap: str) -> None:
        text = self.segments.texts[index]
        if not text:
            return
        marks = self.around[self.segments.marks[index]]
        if self.kinds[block] == _HEADING and ("\n" in text or gap == "\n"):
            text, gap = text.replace("\n", " "), gap.replace("\n", " ")
        if ("\\" in text or "$$" in text) and not (marks and marks[-1][1] == "code"):
            self._add_delimited(line, marks, gap, text)
        else:
            line.add_text(marks, gap, text)

    def _add_delimited(self, line: Line, marks: tuple[Mark, ...], gap: str, text: str) -> None:
        for piece in split_delimited(text):
            if isinstance(piece, str):
                line.add_text(marks, gap, piece)
            else:
                line.add(marks, gap, piece)
            gap = ""

    # Leaves: images, rules, formulas.

    def _place_before(self, block: int, run: int) -> None:
        """Place the leaves that stand before a block on lines of their own."""
        leaves = self.leaves
        while leaves and (leaf := leaves[-1]).run <= run and leaf.block != block and leaf.stop <= leaf.run:
            self._place(leaves.pop())

    def _add_with_leaves(self, block: int, first: int) -> None:
        """Add a block and the leaves before and in it; segments that a formula stands for are left out."""
        segments, leaves, covered = self.segments, self.leaves, -1
        if segments.verbatim[block]:
            while leaves and leaves[-1].run <= segments.runs[first]:
                self._place(leaves.pop())
            self._attach_verbatim(self.holders[block], segments.texts[first])
            return
        line = Line(self.links)
        for index, gap in enumerate(segments.gaps(block, first), first):
            run = segments.runs[index]
            while leaves and leaves[-1].run <= run:
                leaf = leaves.pop()
                if self._place(leaf, block, line, gap):
                    covered = max(covered, leaf.stop)
            if run >= covered:
                start = int(self.page.runs.start[run])
                is_apart = not gap and line.ends_with_image and self._is_space(start, start - 1)
                self._add_text(line, block, index, " " if is_apart else gap)
        while leaves and leaves[-1].block == block:
            self._place(leaves.pop(), block, line)
        self._attach(self.holders[block], line.pieces)

    def _place(self, leaf: Leaf, block: int = -1, line: Line | None = None, gap: str = "") -> bool:
        """Put a leaf into the line of its block, or on a line of its own where it has none or that is gone by.

        False where it has no place, and what it stands for is to be said by the text.
        """
        marks = self.around[self.marks.item(leaf.node)]
        holder = self.containers.nearest.item(leaf.node)
        if leaf.element.name == "hr":
            holding = self.containers[holder]
            if holding.name in SECTIONS and holding.children:
                holding.children.append(leaf.element)
        elif line is not None and leaf.block == block:
            if not gap and self._is_space(int(self.page.nodes.start[leaf.node]) - 1):
                gap = " "
            line.add(marks, "" if line.is_empty else gap, leaf.element)
        elif self.containers[holder].name == "pre":  # whose text says it all
            return False
        else:
            self._attach(holder, self._wrap(marks, leaf.element))
        return True

    def _is_space(self, *places: int) -> bool:
        """Whether the page has white space at one of these places."""
        return any(self.page.source[place : place + 1].isspace() for place in places if place >= 0)
