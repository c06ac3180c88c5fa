"""Build the tree of a page's kept blocks."""

from bisect import bisect_left, bisect_right

import numpy as np

from bodytext.kernel import Containers, read_lines
from bodytext.kernel.html import Kind
from bodytext.kernel.lines import Line, Mark, Stretch, make_mark
from bodytext.page.tables import Page
from bodytext.views.media import Pictures
from bodytext.views.structure.containers import PageDetails
from bodytext.views.structure.element import Children, Element, Pieces
from bodytext.views.structure.footnotes import settle_inner_links
from bodytext.views.structure.formulas import split_delimited
from bodytext.views.structure.leaves import Leaf, Numbers, find_leaves
from bodytext.views.structure.line import LineBuilder
from bodytext.views.structure.links import Links

_HEADING = int(Kind.HEADING)
_NO_RUNS = np.zeros(0, np.intp)


def build_structure(page: Page, blocks: Numbers, pictures: Pictures | None = None) -> Element:
    """The kept blocks of a page as an element `body`: headings, paragraphs, lists, tables ...

    `pictures` are images of the page that were read before.

    The time is linear in the page. Elements nest at most 40 deep; what a page nests deeper stays in
    the last of them.
    """
    if not len(blocks):
        return Element("body")
    return _StructureBuilder(Pictures(page) if pictures is None else pictures, blocks).build()


def find_tables(page: Page, blocks: Numbers) -> list[int]:
    """The nodes of the tables that the structure of these blocks has."""
    if not len(blocks):
        return []
    builder = _StructureBuilder(Pictures(page), blocks)
    builder.build()
    return [node for node in builder.details.tables.made if node >= 0]


class _StructureBuilder:
    """Puts each block, and each leaf between the words, into its container."""

    def __init__(self, pictures: Pictures, blocks: Numbers) -> None:
        self.page = page = pictures.page
        self.links = Links(pictures)
        self.details = PageDetails(page)
        self.containers = Containers(page.source, page.tables[0], Element, self.details)
        self.numbers = blocks
        table = page.blocks
        first, stop, node = self.kept = (
            table.first_run[blocks],
            table.stop_run[blocks],
            table.node[blocks],
        )
        self.nodes = node.tolist()
        self.firsts = [*first.tolist(), len(page.runs.start)]  # the last one is for none
        self.stops = stop.tolist()
        self.leaves = find_leaves(page, self.kept, pictures)
        self.lines, marks = self._read_lines()
        self.leaf_marks = {leaf.node: own for leaf, own in zip(self.leaves, marks, strict=True)}
        self.leaves.reverse()  # the next one is the last

    def _read_lines(self) -> tuple[list[Line], list[tuple[Mark, ...]]]:
        """The lines of all blocks, those with leaves in them in stretches; and the leaves' marks."""
        page, stops = self.page, self.stops
        has_leaves = bytearray(len(stops))
        # One with a line of its own is between two blocks, if it is no other form of some text.
        inside = [leaf for leaf in self.leaves if leaf.block >= 0 or leaf.stop != leaf.run]
        for leaf in inside:
            if leaf.block >= 0:
                has_leaves[leaf.block] = True
            place, end = bisect_right(stops, leaf.run), max(leaf.run, leaf.stop)
            while place < len(stops) and self.firsts[place] < end:
                has_leaves[place] = True
                place += 1
        runs = sorted({run for leaf in inside for run in (leaf.run, leaf.stop)})
        nodes = [leaf.node for leaf in self.leaves]
        return read_lines(
            page.source,
            (*page.tables[:2], (*self.kept[:2], has_leaves)),
            (nodes, np.array(runs, np.intp) if runs else _NO_RUNS),
            Element,
            self.links.resolve,
        )

    def build(self) -> Element:
        leaves, firsts, lines = self.leaves, self.firsts, self.lines
        block = 0
        while block < len(lines):
            line = lines[block]
            if leaves and leaves[-1].run <= firsts[block]:
                self._place_before(block, is_cut=isinstance(line, list))
            if isinstance(line, list):
                self._add_cut_line(block, line)
                block += 1
                continue
            stop = bisect_left(firsts, leaves[-1].run, 0, len(lines)) if leaves else len(lines)
            block = self.containers.add_lines(lines, self.nodes, block, stop)
        return self._finish()

    def _add_cut_line(self, block: int, stretches: list[Stretch]) -> None:
        pieces = self._read_line(block, stretches)
        if pieces:
            self.containers.add_line(self.nodes[block], pieces)

    def _finish(self) -> Element:
        for leaf in reversed(self.leaves):
            self._place(leaf)
        body: Element = self.containers.finish()
        if self.links.has_inner:
            return settle_inner_links(self.page, body, self.containers.item_nodes)
        return body

    # Lines with line breaks, formulas or leaves.

    def _read_line(self, block: int, stretches: list[Stretch]) -> Pieces:
        """The pieces of a line, with the leaves in it; those before it are placed too."""
        line, leaves = LineBuilder(), self.leaves
        covered = -1  # a formula takes the place of the runs before this one
        for run, marks, gap, text in stretches:
            if leaves and leaves[-1].run <= run:
                covered = max(covered, self._place_leaves(block, line, run, gap))
            if run >= covered and text:
                self._add_text(line, block, marks, gap or self._gap_after_image(line, run), text)
        while leaves and leaves[-1].block == block:
            self._place(leaves.pop(), block, line)
        return line.finish()

    def _wrap(self, marks: tuple[Mark, ...], piece: Element | str) -> Children:
        """A single piece inside its marks."""
        for mark in reversed(marks):
            piece = make_mark(mark, (piece,), Element)
        return (piece,)

    def _add_text(
        self, line: LineBuilder, block: int, marks: tuple[Mark, ...], gap: str, text: str
    ) -> None:
        if ("\n" in text or gap == "\n") and self._is_heading(block):
            text, gap = text.replace("\n", " "), gap.replace("\n", " ")
        if ("\\" in text or "$$" in text) and not (marks and marks[-1][1] == "code"):
            self._add_delimited(line, marks, gap, text)
        else:
            line.add_text(marks, gap, text)

    def _is_heading(self, block: int) -> bool:
        return self.page.blocks.kind.item(self.numbers.item(block)) == _HEADING

    def _add_delimited(
        self, line: LineBuilder, marks: tuple[Mark, ...], gap: str, text: str
    ) -> None:
        for piece in split_delimited(text):
            if isinstance(piece, str):
                line.add_text(marks, gap, piece)
            else:
                line.add(marks, gap, piece)
            gap = ""

    # Leaves: images, rules, formulas.

    def _place_before(self, block: int, *, is_cut: bool) -> None:
        """Place the leaves before a block on lines of their own; where it is cut, some are in it."""
        leaves, run = self.leaves, self.firsts[block]
        while leaves and leaves[-1].run <= run:
            if is_cut and (leaves[-1].block == block or leaves[-1].stop > run):
                break
            self._place(leaves.pop())

    def _place_leaves(self, block: int, line: LineBuilder, run: int, gap: str) -> int:
        """Place the leaves up to a run; return the run up to which formulas replace the text."""
        leaves, covered = self.leaves, -1
        while leaves and leaves[-1].run <= run:
            leaf = leaves.pop()
            if self._place(leaf, block, line, gap):
                covered = max(covered, leaf.stop)
        return covered

    def _gap_after_image(self, line: LineBuilder, run: int) -> str:
        if not line.ends_with_image:
            return ""
        start = self.page.runs.start.item(run)
        return " " if self._is_space(start, start - 1) else ""

    def _place(
        self, leaf: Leaf, block: int = -1, line: LineBuilder | None = None, gap: str = ""
    ) -> bool:
        """Put a leaf into the line of its block, or on a line of its own.

        False where it has no place, and the text has to take its place.
        """
        _, _, node, owner, element = leaf
        if line is not None and owner == block and element.name != "hr":
            self._add_leaf(line, node, gap, element)
            return True
        if element.name == "hr":
            self.containers.add_rule(node)
            return True
        return self.containers.add_leaf(node, self._wrap(self.leaf_marks[node], element))

    def _add_leaf(self, line: LineBuilder, node: int, gap: str, element: Element) -> None:
        if not gap and self._is_space(self.page.nodes.start.item(node) - 1):
            gap = " "
        line.add(self.leaf_marks[node], "" if line.is_empty else gap, element)

    def _is_space(self, *places: int) -> bool:
        """Whether the page has white space at one of these places."""
        return any(self.page.source[place : place + 1].isspace() for place in places if place >= 0)
