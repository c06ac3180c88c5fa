"""finish_table: a table as it was gathered -> a table of aligned rows, or its content where it only lays out."""

from collections.abc import Sequence
from typing import Protocol

from bodytext.page.tables import Page
from bodytext.views.structure.element import Element

_LINES = {"p", "h1", "h2", "h3", "h4", "h5", "h6"}
_MOST_BLOCKS = 4  # a cell with more of them is a part of a page, not a value
_LAYS_OUT = {"h1", "h2", "h3", "h4", "h5", "h6", "table", "figure", "hr"}


class Tabled(Protocol):
    """What a table asks of those who gathered it."""

    page: Page
    nodes: dict[int, int]

    def is_gutter(self, cell: Element) -> bool:
        """Whether a cell holds line numbers."""
        ...

    def cells_of(self, row: int) -> Sequence[int]:
        """All cells of a row, those too of which nothing was kept."""
        ...

    def empty_cell(self, node: int) -> Element:
        """A cell of which nothing was kept."""
        ...


def finish_table(table: Element, owner: Tabled) -> bool:
    """Align the cells of a table; true where it only lays out, with its blocks as its children then."""
    caption = [one for one in table.children if isinstance(one, Element) and one.name == "caption"]
    rows = [one for one in table.children if isinstance(one, Element) and one.name == "tr"]
    for row in rows:
        row.children = [one for one in row.children if isinstance(one, Element) and not owner.is_gutter(one)]
    rows = [row for row in rows if row.children]
    node = owner.nodes.get(id(table))
    if not rows:
        table.children = [Element("p", one.children) for one in caption]
        return True
    if not caption and _lays_out(rows, owner.page, node):
        table.children = _merge_code([block for row in rows for cell in _cells(row) for block in cell.children])
        return True
    for row in rows:
        _fill(row, owner)
        for cell in _cells(row):
            _flatten(cell)
    _drop_empty_columns(rows)
    table.children = [*caption, *rows]
    return False


def _cells(row: Element) -> list[Element]:
    return [one for one in row.children if isinstance(one, Element)]


def _lays_out(rows: Sequence[Element], page: Page, node: int | None) -> bool:
    cells = [cell for row in rows for cell in _cells(row)]
    widest = max((sum(bool(cell.children) for cell in _cells(row)) for row in rows), default=0)
    if not widest:
        return True
    if any(_name(block) in _LAYS_OUT for cell in cells if cell.name == "td" for block in cell.children):
        return True
    if any(len(cell.children) > _MOST_BLOCKS for cell in cells):
        return True
    if any(cell.name == "th" for cell in cells) and len(cells) > 1:
        return False
    if widest == 1 or len(rows) == 1:
        return True
    return node is not None and page.attributes(node).get("role", "").strip().lower() in {"presentation", "none"}


def _merge_code(blocks: list[Element | str]) -> list[Element | str]:
    """Put code that a table had line by line together again."""
    if len(blocks) < 2 or any(_name(block) != "pre" for block in blocks):
        return blocks
    first = blocks[0]
    lines = [str(line) for block in blocks for line in block.children]  # type: ignore[union-attr]
    return [Element("pre", ["\n".join(lines)], first.attributes)]  # type: ignore[union-attr]


def _fill(row: Element, owner: Tabled) -> None:
    """Put in the cells of which nothing was kept, so that columns stay columns."""
    cells = _cells(row)
    known = {owner.nodes[id(cell)]: cell for cell in cells if id(cell) in owner.nodes}
    own = owner.cells_of(owner.nodes.get(id(row), -1))
    if len(own) > len(known) == len(cells):
        row.children = [known.get(one) or owner.empty_cell(one) for one in own]


def _flatten(cell: Element) -> None:
    """Make lines of a cell's paragraphs and headings; where a cell holds more than these, they stay."""
    blocks = cell.children
    if any(_name(block) not in _LINES for block in blocks):
        unwrap(cell)
        return
    lines: list[Element | str] = []
    for block in blocks:
        if lines:
            lines.append(Element("br"))
        lines += block.children  # type: ignore[union-attr]
    cell.children = lines


def unwrap(item: Element) -> None:
    """Take the only paragraph of an item apart, or the first where nothing but lists follow it."""
    children = item.children
    first = children[0] if children else ""
    if isinstance(first, str) or first.name != "p":
        return
    if len(children) == 1:
        item.children = first.children
    elif all(_name(one) in {"ul", "ol"} for one in children[1:]):
        item.children = [*first.children, *children[1:]]


def _drop_empty_columns(rows: Sequence[Element]) -> None:
    """Drop columns in which nothing was kept, where no cell spans several."""
    table = [_cells(row) for row in rows]
    if any(cell.attributes for cells in table for cell in cells):
        return
    width = max(map(len, table), default=0)
    full = [False] * width
    for cells in table:
        for column, cell in enumerate(cells):
            full[column] = full[column] or bool(cell.children)
    if not all(full):
        for row, cells in zip(rows, table, strict=True):
            row.children = [cell for cell, is_full in zip(cells, full, strict=False) if is_full]


def _name(child: Element | str) -> str:
    return "" if isinstance(child, str) else child.name
