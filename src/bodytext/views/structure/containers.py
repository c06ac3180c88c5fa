"""Nodes of a page -> the elements that hold blocks (lists, tables, quotes ...), each made when first needed."""

import numpy as np
import numpy.typing as npt

from bodytext.kernel import nearest_marked, read_values
from bodytext.kernel.html import TAG, TAGS
from bodytext.page.tables import Page, tag_mask
from bodytext.views.structure.code import find_language, is_gutter
from bodytext.views.structure.element import LINES, Element
from bodytext.views.structure.tables import finish_table, unwrap

MOST_LEVELS = 40  # browsers stop at 512; nobody reads forty quotes in each other, and output grows with the depth

_NAMES = {
    **{f"h{level}": f"h{level}" for level in range(1, 7)},
    **dict.fromkeys(("ul", "menu", "dir"), "ul"),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext", "textarea"), "pre"),
    **{name: name for name in ("ol", "li", "dl", "dt", "dd", "blockquote", "figure", "figcaption")},
    **{name: name for name in ("table", "caption", "thead", "tr", "td", "th")},
}
_TAG_NAMES = [_NAMES.get(tag, "") for tag in TAGS]
_HOLDING = tag_mask(" ".join(_NAMES))
_IS_CELL = tag_mask("td th")
_THEAD = TAG["thead"]
_LISTS = ("ul", "ol")
# Those that wait for what they hold, or hold those.
_SETTLED = frozenset(("ul", "ol", "li", "dd", "td", "th", "pre", "table", "figure", "blockquote"))
_LEAST_IN_LAYOUT = 3
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_CLOSED = LINES | {"pre"}  # hold no other block
_SHORTEST_TAG = len("<li >")
# Where an element of this name can stand only in certain others: those, and what is made around it elsewhere.
_OWNERS = {"li": (_LISTS, "ul"), "dt": (("dl",), "dl"), "dd": (("dl",), "dl"), "td": (("tr",), ""), "th": (("tr",), "")}
_ONLY_IN = {"tr": "table", "caption": "table", "figcaption": "figure"}  # elsewhere they are nothing
# What is made in these to hold blocks.
_INNER = {"ul": "li", "ol": "li", "dl": "dd", "table": "tr", "tr": "td"}
_NUMBERS = {"ol": ("start", "type", "reversed"), "li": ("value",), "td": ("colspan", "rowspan")}
_NUMBERS["th"] = _NUMBERS["td"]
_HINTS = {name: [one.encode() for one in numbers] for name, numbers in _NUMBERS.items()}
_MOST_SPAN = 1_000  # the HTML standard's limit of colspan


class Containers(dict[int, Element]):
    """The elements around blocks, by node; one that is asked for is made, with all around it."""

    def __init__(self, page: Page) -> None:
        nodes = page.nodes
        self.body = Element("body")
        super().__init__({-1: self.body})
        self.page = page
        self.nearest: npt.NDArray[np.int32] = nearest_marked(_HOLDING[nodes.tag], nodes.parent)
        # One number at a time: a memoryview gives it several times as fast as an array.
        self._tag, self._parent, self._above = nodes.tag.data, nodes.parent.data, self.nearest.data
        self._start, self._end = nodes.start.data, nodes.end.data
        self.nodes: dict[int, int] = {}  # by the identity of an element
        self._levels = {-1: 0}
        self._unfinished: list[tuple[Element, Element]] = []  # each with the one that holds it, in their order
        self._implied: set[int] = set()
        self._gutters: set[int] = set()
        self._cells: dict[int, list[int]] | None = None

    def __missing__(self, node: int) -> Element:
        waiting, parent, above = [node], self._parent, self._above
        while (node := above[parent[node]]) not in self:  # the root holds nothing, so there is a parent
            waiting.append(node)
        element, level = self[node], self._levels[node]
        while waiting:
            node = waiting.pop()
            level += 1
            if level <= MOST_LEVELS:
                element = self._make(node, element)
            self[node] = element
            self._levels[node] = level
        return element

    def flow(self, element: Element) -> Element:
        """The element itself where blocks can stand in it, else one made in it that can hold them."""
        while element.name in _INNER:
            element = self._imply(element, _INNER[element.name])
        return element

    def finish(self) -> Element:
        """Give every element its final form, the inner ones first; those that say nothing give way to their content."""
        dissolved: set[int] = set()
        for element, holder in reversed(self._unfinished):
            if id(element) in dissolved:
                _splice(element)
            if self._finish_one(element):
                element.name = ""
                dissolved.add(id(holder))
        if id(self.body) in dissolved:
            _splice(self.body)
        return self.body

    def _make(self, node: int, above: Element) -> Element:
        name = _TAG_NAMES[self._tag[node]]
        if name == "li" and above.name in _LISTS:  # most are
            element = Element(name)
            self.nodes[id(element)] = node
            self._read_numbers(element, node)
            above.children.append(element)
            self._unfinished.append((element, above))
            return element
        if above.name in _CLOSED:
            is_number = above.name == "pre" and name in {"td", "th"} and is_gutter(self.page, node)
            return Element("td") if is_number else above  # line numbers: beside the tree
        place = self._place(name, above) if name != "thead" else None
        if place is None:
            return above
        element = Element(name)
        self.nodes[id(element)] = node
        if name in _NUMBERS:
            self._read_numbers(element, node)
            if name in {"td", "th"}:
                self._read_cell(element, node)
        elif name == "pre" and (language := find_language(self.page, node)):
            element.attributes = {"language": language}
        return self._hang(element, place)

    def _read_cell(self, cell: Element, node: int) -> None:
        row = self._parent[node]
        if _THEAD in (self._tag[row], self._tag[max(self._parent[row], 0)]):
            cell.name = "th"
        if is_gutter(self.page, node):
            self._gutters.add(id(cell))

    def _place(self, name: str, above: Element) -> Element | None:
        """Where an element of this name stands when the nearest one around it is this; None for nowhere."""
        if name in _OWNERS:
            owners, made = _OWNERS[name]
            if above.name in owners:
                return above
            if made:
                return self._imply(self.flow(above), made)
            return self._imply(above, "tr") if above.name == "table" else None
        if name in _ONLY_IN:
            is_late = name == "caption" and above.children  # behind rows it is one more of them
            return above if above.name == _ONLY_IN[name] and not is_late else None
        if name in _LISTS and above.name in _LISTS and above.children:
            last = above.children[-1]
            return last if isinstance(last, Element) else None
        return self.flow(above)

    def _imply(self, holder: Element, name: str) -> Element:
        """The last element in a holder where it was made for this, else a new one."""
        last = holder.children[-1] if holder.children else None
        if isinstance(last, Element) and last.name == name and id(last) in self._implied:
            return last
        element = self._hang(Element(name), holder)
        self._implied.add(id(element))
        return element

    def _hang(self, element: Element, holder: Element) -> Element:
        holder.children.append(element)
        if element.name in _SETTLED:
            self._unfinished.append((element, holder))
        return element

    def _read_numbers(self, element: Element, node: int) -> None:
        """Read the attributes that count, where the tag has any at all."""
        start, end = self._start[node], self._end[node]
        if end - start <= _SHORTEST_TAG:
            return
        tag = self.page.source[start:end].lower()
        for hint in _HINTS[element.name]:  # far faster than reading them all
            if hint in tag:
                break
        else:
            return
        attributes = read_values(self.page.source, start, end)
        values = {
            one: _clean_number(one, attributes[one].strip()) for one in _NUMBERS[element.name] if one in attributes
        }
        element.attributes = {one: value for one, value in values.items() if value}

    def _finish_one(self, element: Element) -> bool:
        """Settle an element whose content is complete; true where its content should take its place."""
        name = element.name
        if name == "table":
            return finish_table(element, self)
        if name in _LISTS:
            return _finish_list(element)
        if name in {"li", "dd"}:
            unwrap(element)
        elif name == "pre":
            if not element.children:  # its text stands elsewhere
                return True
            element.children = ["\n".join(map(str, element.children))]
        elif name == "figure":
            return _finish_figure(element)
        return False

    def cells_of(self, row: int) -> list[int]:
        """All cells of a row, those too of which nothing was kept."""
        if self._cells is None:
            parent = self.page.nodes.parent
            cells = np.flatnonzero(_IS_CELL[self.page.nodes.tag])
            self._cells = {}
            for cell, above in zip(cells.tolist(), parent[cells].tolist(), strict=True):
                self._cells.setdefault(above, []).append(cell)
        return self._cells.get(row, [])

    def empty_cell(self, node: int) -> Element:
        """A cell of which nothing was kept."""
        cell = Element(TAGS[self.page.nodes.tag[node]])
        self._read_numbers(cell, node)
        self._read_cell(cell, node)
        return cell

    def is_gutter(self, cell: Element) -> bool:
        """Whether a cell said that it holds line numbers, and does."""
        return id(cell) in self._gutters and cell.text.replace(" ", "").isdigit()


def _name(child: Element | str) -> str:
    return "" if isinstance(child, str) else child.name


def _clean_number(name: str, value: str) -> str:
    """The value of an attribute, or nothing where it says nothing."""
    if name == "reversed":
        return "reversed"
    if name == "type":
        return value if value in {"a", "A", "i", "I"} else ""
    digits = value.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        return ""
    if name in {"colspan", "rowspan"}:
        return str(min(int(value), _MOST_SPAN)) if int(value) > 1 else ""
    return str(int(value)) if name == "value" or int(value) != 1 else ""


def _finish_list(element: Element) -> bool:
    """A list of one item that has a heading and more than one thing beside it is a layout: no list at all."""
    item = element.children[0] if len(element.children) == 1 else ""
    if isinstance(item, str) or item.name != "li" or len(item.children) < _LEAST_IN_LAYOUT:
        return False
    if not any(_name(child) in _HEADINGS for child in item.children):
        return False
    element.children = item.children
    return True


def _finish_figure(figure: Element) -> bool:
    """A figure holds a medium, a table or code, and a caption; without the one or the other it is none."""
    inner: list[Element | str] = []
    for child in figure.children:
        only = child.children[0] if _name(child) == "p" and len(child.children) == 1 else ""  # type: ignore[union-attr]
        inner.append(only if _name(only) == "img" else child)
    has_caption = any(_name(one) == "figcaption" for one in inner)
    if has_caption and any(_name(one) not in {"p", "figcaption"} for one in inner):
        figure.children = inner
        return False
    for child in figure.children:
        if isinstance(child, Element) and child.name == "figcaption":
            child.name = "p"
    return True


def _splice(element: Element) -> None:
    """Replace the elements that gave way by what they hold."""
    children: list[Element | str] = []
    for child in element.children:
        if isinstance(child, Element) and not child.name:
            children += child.children
        else:
            children.append(child)
    element.children = children
