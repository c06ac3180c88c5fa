"""Make tables: rows of aligned cells, or the content alone where a table only lays out a page."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bodytext.kernel.elements import Draft, unwrap
from bodytext.kernel.html import TAG, TAGS
from bodytext.page.tables import Page, tag_mask
from bodytext.views.structure.code import is_gutter
from bodytext.views.structure.element import HEADINGS, Children, Element, Pieces, name_of
from bodytext.views.structure.tag_numbers import TagNumbers

_IS_CELL = tag_mask("td th")
_THEAD = TAG["thead"]
_LINES = HEADINGS | {"p"}
_LAYOUT = HEADINGS | {"table", "figure", "hr"}
_CODE = frozenset({"pre", "code"})
_MOST_BLOCKS = 4  # a cell with more of them is a part of a page, not a value


class _Row(NamedTuple):
    node: int
    cells: list[Draft]


class Tables:
    """Makes the tables of a page."""

    def __init__(self, page: Page, numbers: TagNumbers) -> None:
        self._page, self._numbers = page, numbers
        # A memoryview gives one number several times as fast as an array.
        self._tag, self._parent = page.nodes.tag.data, page.nodes.parent.data
        self._cells_by_row: dict[int, list[int]] | None = None
        self.made: list[int] = []  # the nodes of the tables that hold data

    def read_cell(self, name: str, node: int) -> tuple[str, Mapping[str, str]]:
        """The name and the attributes of a cell; every cell in a <thead> is a heading."""
        row = self._parent[node]
        if _THEAD in (self._tag[row], self._tag[max(self._parent[row], 0)]):
            name = "th"
        return name, self._numbers.read(name, node)

    def make_table(self, table: Draft) -> Pieces:
        """The table, or the blocks that take its place."""
        parts: list[Draft] = table.children
        captions = _captions(parts)
        rows = self._read_rows(parts)
        if not rows:
            return [Element("p", caption.children) for caption in captions]
        if not captions and self._is_layout(rows, table.node):
            return _merge_code(
                [piece for row in rows for cell in row.cells for piece in cell.pieces]
            )
        self.made.append(table.node)
        return [Element("table", [*captions, *self._make_rows(rows)])]

    def _read_rows(self, parts: Sequence[Draft]) -> list[_Row]:
        """The rows that hold more than line numbers."""
        rows: list[_Row] = []
        for part in parts:
            cells = [] if part.name == "caption" else self._shown_cells(part)
            if cells:
                rows.append(_Row(part.node, cells))
        return rows

    def _make_rows(self, rows: Sequence[_Row]) -> list[Element]:
        cells = [self._make_cells(row) for row in rows]
        return [Element("tr", (*row,)) for row in _drop_empty_columns(cells)]

    def _shown_cells(self, row: Draft) -> list[Draft]:
        """The cells of a row but those of line numbers before code."""
        cells: list[Draft] = row.children
        gutters = {place for place, cell in enumerate(cells) if self._is_gutter(cell)}
        if not gutters:
            return cells
        code = max((place for place, cell in enumerate(cells) if _holds_code(cell)), default=0)
        return [cell for place, cell in enumerate(cells) if place >= code or place not in gutters]

    def _is_gutter(self, cell: Draft) -> bool:
        """Whether a cell says that it holds line numbers, and holds nothing else."""
        if cell.node < 0 or not is_gutter(self._page, cell.node):
            return False
        return Element(cell.name, cell.pieces).text.replace(" ", "").isdigit()

    def _is_layout(self, rows: Sequence[_Row], node: int) -> bool:
        cells = [cell for row in rows for cell in row.cells]
        widest = max(map(_count_full, rows))
        if not widest or any(map(_holds_sections, cells)):
            return True
        if len(cells) > 1 and any(cell.name == "th" for cell in cells):
            return False
        return widest == 1 or len(rows) == 1 or self._is_presentation(node)

    def _is_presentation(self, node: int) -> bool:
        role = self._page.attributes(node).get("role", "") if node >= 0 else ""
        return role.strip().lower() in {"presentation", "none"}

    def _make_cells(self, row: _Row) -> list[Element]:
        """All cells of a row; those without kept text are empty, so that columns stay columns."""
        known = {cell.node: cell for cell in row.cells if cell.node >= 0}
        nodes = self._find_cells(row.node)
        if len(nodes) > len(known) == len(row.cells):
            return [
                _make_cell(known[node]) if node in known else self._make_empty(node)
                for node in nodes
            ]
        return [_make_cell(cell) for cell in row.cells]

    def _make_empty(self, node: int) -> Element:
        name, attributes = self.read_cell(TAGS[self._tag[node]], node)
        return Element(name, (), attributes)

    def _find_cells(self, row: int) -> list[int]:
        if self._cells_by_row is None:
            self._cells_by_row = {}
            nodes = np.flatnonzero(_IS_CELL[self._page.nodes.tag])
            rows = self._page.nodes.parent[nodes]
            for node, above in zip(nodes.tolist(), rows.tolist(), strict=True):
                self._cells_by_row.setdefault(above, []).append(node)
        return self._cells_by_row.get(row, [])


def _captions(parts: Iterable[Draft]) -> list[Element]:
    pieces = [piece for part in parts if part.name == "caption" for piece in part.pieces]
    return [piece for piece in pieces if isinstance(piece, Element)]


def _count_full(row: _Row) -> int:
    return sum(bool(cell.pieces) for cell in row.cells)


def _holds_sections(cell: Draft) -> bool:
    """Whether a cell holds a part of a page, not a value."""
    if len(cell.pieces) > _MOST_BLOCKS:
        return True
    return cell.name == "td" and any(name_of(piece) in _LAYOUT for piece in cell.pieces)


def _holds_code(cell: Draft) -> bool:
    elements = (piece for piece in cell.pieces if isinstance(piece, Element))
    return any(inner.name in _CODE for element in elements for inner in element.walk())


def _merge_code(blocks: Pieces) -> Pieces:
    """Put code together again that a table had line by line."""
    code = [block for block in blocks if isinstance(block, Element) and block.name == "pre"]
    if len(code) < 2 or len(code) < len(blocks):
        return blocks
    lines = [str(line) for block in code for line in block.children]
    return [Element("pre", ["\n".join(lines)], code[0].attributes)]


def _make_cell(cell: Draft) -> Element:
    return Element(cell.name, _flatten(cell.pieces), cell.attributes)


def _flatten(pieces: Pieces) -> Children | Pieces:
    """Join a cell's paragraphs and headings by line breaks; a cell with other blocks keeps all."""
    blocks = [piece for piece in pieces if isinstance(piece, Element) and piece.name in _LINES]
    if len(blocks) < len(pieces):
        return unwrap(pieces)
    lines: Pieces = []
    for block in blocks:
        if lines:
            lines.append(Element("br"))
        lines += block.children
    return lines


def _drop_empty_columns(rows: list[list[Element]]) -> list[list[Element]]:
    """Drop columns in which nothing was kept, where no cell spans several."""
    full: set[int] = set()
    for cells in rows:
        if any(cell.attributes for cell in cells):
            return rows
        full.update(column for column, cell in enumerate(cells) if cell.children)
    if len(full) == max(map(len, rows)):
        return rows
    return [[cell for column, cell in enumerate(cells) if column in full] for cells in rows]
