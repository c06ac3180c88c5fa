"""Put lines into the elements that hold them, in Python: the specification of `elements_native.pyx`.

A line goes into the element of the nearest tag around it that means something: a list item, a table
cell, a quote, a heading ... Until the last line is in its place, an element is a draft.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAGS
from bodytext.kernel.scanner import nearest_marked
from bodytext.kernel.table_columns import NodeColumn

Column = npt.NDArray[np.int32]
Columns = Sequence[Column] | Column  # or an array that has a row for each
Pieces = list[Any]  # texts and elements
Make = Callable[..., Any]

MOST_LEVELS = 40  # browsers stop at 512; nobody reads forty quotes in each other, and output grows with the depth
LEAST_IN_LAYOUT = 3  # blocks of the only item of a list that is none
NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})

# Names of inline elements; the first ones hold inline pieces
MARKS = frozenset({"a", "del", "mark", "em", "strong", "sub", "sup", "code"})
INLINE = MARKS | {"math", "br", "img", "noteref"}

# What a draft can be, in this order: what holds blocks, what holds a line, code, and what holds items.
_SECTIONS = ("body", "blockquote", "figure")
_ITEMS = ("li", "dd", "td", "th")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LINES = ("dt", "caption", "figcaption", *_HEADINGS)
_LISTS = ("ul", "ol")
DRAFT_NAMES = (*_SECTIONS, *_ITEMS, *_LINES, "pre", *_LISTS, "dl", "table", "tr", "thead")
_FLOWS = frozenset({*_SECTIONS, *_ITEMS})
_CLOSED = frozenset({*_LINES, "pre"})  # hold no other block
_CELLS = frozenset({"td", "th"})
_ALIASES = {
    **dict.fromkeys(("menu", "dir"), "ul"),
    **dict.fromkeys(("listing", "xmp", "plaintext", "textarea"), "pre"),
}
_NAMED = frozenset(DRAFT_NAMES) - {"body"}
# By tag; empty for one that makes no draft
NAME_OF_TAG = tuple(_ALIASES.get(tag, tag if tag in _NAMED else "") for tag in TAGS)
_IS_NAMED = np.array([bool(name) for name in NAME_OF_TAG])

_OWNERS = {"li": _LISTS, "dt": ("dl",), "dd": ("dl",), "td": ("tr",), "th": ("tr",)}
_IMPLIED_OWNERS = {"li": "ul", "dt": "dl", "dd": "dl"}  # made around items that lie elsewhere
# Elsewhere they mean nothing
_ONLY_IN = {"tr": "table", "caption": "table", "figcaption": "figure", "thead": ""}
# Made in these to hold blocks
_INNER = {"ul": "li", "ol": "li", "dl": "dd", "table": "tr", "tr": "td"}


class Tagged:
    """A name with children and attributes, which never change."""

    __slots__ = ("attributes", "children", "name")

    name: str
    children: tuple[Any, ...]
    attributes: Mapping[str, str]

    def __init__(
        self,
        name: str,
        children: Iterable[Any] = (),
        attributes: Mapping[str, str] = NO_ATTRIBUTES,
    ) -> None:
        _set_name(self, name)
        _set_children(self, tuple(children))
        _set_attributes(
            self, attributes if attributes is NO_ATTRIBUTES else MappingProxyType(attributes)
        )


# The slots' own setters, which work where a class forbids to set anything
_set_name = Tagged.__dict__["name"].__set__
_set_children = Tagged.__dict__["children"].__set__
_set_attributes = Tagged.__dict__["attributes"].__set__


class Draft:
    """An element to be made: a list, a table, a quote, a heading ...

    `node` is the node of the page that it comes from, or -1 where the page has no tag for it.
    """

    __slots__ = ("attributes", "children", "name", "node", "pieces")

    def __init__(self, name: str, node: int = -1) -> None:
        self.name = name
        self.node = node
        self.attributes: Mapping[str, str] = NO_ATTRIBUTES
        self.children: list[Any] = []  # drafts, elements and texts
        self.pieces: Pieces = []  # the elements that take its place, as soon as they are made

    def gather(self) -> Pieces:
        """The children, with the elements of those that were drafts."""
        pieces: Pieces = []
        for child in self.children:
            if isinstance(child, Draft):
                pieces += child.pieces
            else:
                pieces.append(child)
        return pieces


class Details(Protocol):
    """What few drafts need: to read what tags say, and to make what is more than its pieces."""

    def is_gutter(self, node: int) -> bool:
        """Whether the tag of a cell says that it holds the line numbers of code."""

    def read_cell(self, name: str, node: int) -> tuple[str, Mapping[str, str]]:
        """The name and the attributes of a cell of a table."""

    def read_numbers(self, name: str, node: int) -> Mapping[str, str]:
        """The attributes that number an item or a list."""

    def make(self, draft: Draft) -> Pieces:
        """What takes the place of a table, a figure or code."""


class Containers:
    """The drafts of a page; to add something makes those that it needs."""

    def __init__(self, source: bytes, nodes: Columns, make: Make, details: Details) -> None:
        """Take the page, the columns of its nodes, and what makes elements."""
        self._source, self._make, self._details = source, make, details
        # A memoryview gives one number several times as fast as an array.
        self._tag, self._parent, self._start, self._end = (
            nodes[column].data
            for column in (NodeColumn.TAG, NodeColumn.PARENT, NodeColumn.START, NodeColumn.END)
        )
        self._nearest = nearest_marked(
            _IS_NAMED[nodes[NodeColumn.TAG]], nodes[NodeColumn.PARENT]
        ).data
        self._drafts = [Draft("body")]  # each after the one that holds it
        self._by_node = {-1: self._drafts[0]}
        self._levels = {-1: 0}
        self.item_nodes: dict[int, int] = {}  # of each list item, by the identity of its element

    def add_line(self, node: int, pieces: Sequence[Any]) -> None:
        """Add a line below a node."""
        self._attach(self._find(node), pieces)

    def add_leaf(self, node: int, pieces: Sequence[Any]) -> bool:
        """Add a line that has no text of its own; False where it is in code, whose text says it all."""
        draft = self._find(node)
        if draft.name == "pre":
            return False
        self._attach(draft, pieces)
        return True

    def add_rule(self, node: int) -> None:
        """Add a rule between the blocks of a section."""
        draft = self._find(node)
        if draft.name in _SECTIONS and draft.children:
            draft.children.append(self._make("hr"))

    def add_verbatim(self, node: int, text: str) -> None:
        """Add a text whose white space counts."""
        draft = self._find(node)
        if draft.name == "pre":
            draft.children.append(text)  # one of its lines, where the page has an element for each
        elif draft.name in _LINES:
            self._attach(draft, [" ".join(text.split())])
        else:
            self._flow(draft).children.append(self._make("pre", [text]))

    def finish(self) -> Any:
        """Make the elements of all drafts, the inner ones first."""
        body, *others = self._drafts
        for draft in reversed(others):
            draft.pieces = self._make_pieces(draft)
        return self._make("body", body.gather())

    # Adding

    def _attach(self, draft: Draft, pieces: Sequence[Any]) -> None:
        if draft.name in _LINES:
            self._attach_to_line(draft, pieces)
        else:
            self._flow(draft).children.append(self._make("p", pieces))

    def _attach_to_line(self, draft: Draft, pieces: Sequence[Any]) -> None:
        is_heading = draft.name in _HEADINGS
        if is_heading:
            pieces = _bare(pieces)
        if draft.children:  # a second one goes on in a heading; elsewhere it is a new line
            draft.children.append(" " if is_heading else self._make("br"))
        draft.children += pieces

    def _find(self, node: int) -> Draft:
        """The draft of the nearest container at or above a node, made with all around it."""
        waiting: list[int] = []
        node = self._nearest[node]
        while node not in self._by_node:
            waiting.append(node)
            node = self._nearest[self._parent[node]]  # the root holds nothing, so there is a parent
        draft, level = self._by_node[node], self._levels[node]
        while waiting:
            node = waiting.pop()
            level += 1
            if level <= MOST_LEVELS:
                draft = self._add(node, draft)
            self._by_node[node] = draft
            self._levels[node] = level
        return draft

    def _add(self, node: int, above: Draft) -> Draft:
        """Start the draft of a node inside the one above it; return that one if there is no place."""
        name = NAME_OF_TAG[self._tag[node]]
        if above.name in _CLOSED:
            is_number = above.name == "pre" and name in _CELLS and self._details.is_gutter(node)
            return Draft("td") if is_number else above  # line numbers go to a cell outside the tree
        holder = self._find_holder(name, above)
        return above if holder is None else self._hang(self._start_draft(name, node), holder)

    def _start_draft(self, name: str, node: int) -> Draft:
        if name in _CELLS:
            name, attributes = self._details.read_cell(name, node)
            draft = Draft(name, node)
            draft.attributes = attributes
            return draft
        draft = Draft(name, node)
        # Looking for the name is far faster than reading all attributes.
        if name == "ol" or (name == "li" and b"value" in self._read_tag(node)):
            draft.attributes = self._details.read_numbers(name, node)
        return draft

    def _read_tag(self, node: int) -> bytes:
        return self._source[self._start[node] : self._end[node]].lower()

    def _find_holder(self, name: str, above: Draft) -> Draft | None:
        """The draft that one of this name goes into, made if it is missing; None for no place."""
        if name in _OWNERS:
            return self._find_owner(name, above)
        if name in _ONLY_IN:
            is_late = name == "caption" and above.children  # after rows it is one more of them
            return above if above.name == _ONLY_IN[name] and not is_late else None
        if name in _LISTS and above.name in _LISTS and above.children:
            return cast(
                "Draft", above.children[-1]
            )  # a list right in a list goes to the item before it
        return self._flow(above)

    def _find_owner(self, name: str, above: Draft) -> Draft | None:
        if above.name in _OWNERS[name]:
            return above
        if name in _IMPLIED_OWNERS:
            return self._imply(self._flow(above), _IMPLIED_OWNERS[name])
        return self._imply(above, "tr") if above.name == "table" else None

    def _flow(self, draft: Draft) -> Draft:
        """The draft itself where it can hold blocks, else one in it that can."""
        while draft.name in _INNER:
            draft = self._imply(draft, _INNER[draft.name])
        return draft

    def _imply(self, holder: Draft, name: str) -> Draft:
        """The last draft in a holder where it was made for this, else a new one."""
        last = holder.children[-1] if holder.children else None
        if isinstance(last, Draft) and last.name == name and last.node < 0:
            return last
        return self._hang(Draft(name), holder)

    def _hang(self, draft: Draft, holder: Draft) -> Draft:
        holder.children.append(draft)
        self._drafts.append(draft)
        return draft

    # Making

    def _make_pieces(self, draft: Draft) -> Pieces:
        if draft.name in {"table", "figure", "pre"}:
            return self._details.make(draft)
        pieces = draft.gather()
        if draft.name in _CELLS:
            return pieces  # the table makes the element
        if draft.name in _LISTS and self._is_layout(pieces):
            return [*pieces[0].children]
        if draft.name in {"li", "dd"}:
            pieces = [*unwrap(pieces)]
        element = self._make(draft.name, pieces, draft.attributes)
        if draft.name == "li":
            self.item_nodes[id(element)] = draft.node
        return [element]

    def _is_layout(self, items: Pieces) -> bool:
        """Whether the only item of a list is a section with a heading."""
        children = items[0].children if len(items) == 1 and items[0].name == "li" else ()
        return len(children) >= LEAST_IN_LAYOUT and any(
            not isinstance(child, str) and child.name in _HEADINGS for child in children
        )


def unwrap(pieces: Pieces) -> tuple[Any, ...] | Pieces:
    """Unwrap an item's only paragraph, or its first if only lists follow it."""
    first = pieces[0] if pieces else ""
    if isinstance(first, str) or first.name != "p":
        return pieces
    if len(pieces) == 1:  # most
        return cast("tuple[Any, ...]", first.children)
    if all(not isinstance(piece, str) and piece.name in _LISTS for piece in pieces[1:]):
        return [*first.children, *pieces[1:]]
    return pieces


def _bare(pieces: Sequence[Any]) -> Sequence[Any]:
    """The pieces of a heading, which is bold anyway."""
    only = pieces[0] if len(pieces) == 1 else ""
    if isinstance(only, str) or only.name != "strong":
        return pieces
    return cast("tuple[Any, ...]", only.children)
