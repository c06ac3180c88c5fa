"""Make the elements that hold blocks: lists, tables, quotes, figures ..."""

from collections.abc import Callable
from typing import cast

from bodytext.kernel import nearest_marked
from bodytext.kernel.html import TAGS
from bodytext.page.tables import Page, tag_mask
from bodytext.views.structure.code import find_language, is_gutter
from bodytext.views.structure.data_tables import CELLS, Tables
from bodytext.views.structure.draft import Draft, name_of, unwrap
from bodytext.views.structure.element import (
    HEADINGS,
    ITEMS,
    LINES,
    SECTIONS,
    Children,
    Element,
    Pieces,
)
from bodytext.views.structure.tag_numbers import NUMBERED, TagNumbers

MOST_LEVELS = 40  # browsers stop at 512; nobody reads forty quotes in each other, and output grows with the depth

_NAMES = {
    **{name: name for name in HEADINGS},
    **dict.fromkeys(("ul", "menu", "dir"), "ul"),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext", "textarea"), "pre"),
    **{name: name for name in ("ol", "li", "dl", "dt", "dd", "blockquote", "figure", "figcaption")},
    **{name: name for name in ("table", "caption", "thead", "tr", "td", "th")},
}
_TAG_NAMES = [_NAMES.get(tag, "") for tag in TAGS]
_HOLDING = tag_mask(" ".join(_NAMES))
_LISTS = frozenset({"ul", "ol"})
FLOWS = (SECTIONS | ITEMS) - {"note"}  # containers that hold blocks
_LEAST_IN_LAYOUT = 3
_CLOSED = LINES | {"pre"}  # hold no other block
_OWNERS = {"li": _LISTS, "dt": {"dl"}, "dd": {"dl"}, "td": {"tr"}, "th": {"tr"}}
_IMPLIED_OWNERS = {"li": "ul", "dt": "dl", "dd": "dl"}  # made around items that lie elsewhere
_SINGLE = _IMPLIED_OWNERS.keys() | HEADINGS
# Elsewhere they mean nothing
_ONLY_IN = {
    "tr": "table",
    "caption": "table",
    "figcaption": "figure",
    "thead": "",
}
# Made in these to hold blocks
_INNER = {
    "ul": "li",
    "ol": "li",
    "dl": "dd",
    "table": "tr",
    "tr": "td",
}


class Containers(dict[int, Draft]):
    """The containers of blocks by node; looking one up makes it, with all around it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.body = Draft("body")
        super().__init__({-1: self.body})
        self.nearest = nearest_marked(_HOLDING[page.nodes.tag], page.nodes.parent)
        self.item_nodes: dict[
            int, int
        ] = {}  # the node of each list item, by the identity of its element
        # A memoryview gives one number several times as fast as an array.
        self._tag, self._parent, self._above = (
            page.nodes.tag.data,
            page.nodes.parent.data,
            self.nearest.data,
        )
        self._numbers = TagNumbers(page)
        self.tables = Tables(page, self._numbers)
        self._levels = {-1: 0}
        self._drafts: list[Draft] = []  # each after the one that holds it

    def __missing__(self, node: int) -> Draft:
        waiting, parent, above = [node], self._parent, self._above
        # The root holds nothing, so there is a parent.
        while (outer := above[parent[node]]) not in self:
            waiting.append(outer)
            node = outer
        draft, level = self[outer], self._levels[outer]
        for inner in reversed(waiting):
            level += 1
            if level <= MOST_LEVELS:
                draft = self._add(inner, draft)
            self[inner] = draft
            self._levels[inner] = level
        return draft

    def add_single(self, node: int, pieces: Children | Pieces) -> bool:
        """Make the element of a node around the only line that it holds, without a draft of it.

        False where its own place has to be made.
        """
        name = _TAG_NAMES[self._tag[node]]
        if name not in _SINGLE:
            return False
        outer = self._above[self._parent[node]]
        above = self[outer]
        if above.name not in _OWNERS.get(name, FLOWS) or self._levels[outer] >= MOST_LEVELS:
            return False
        if name == "li":
            element = Element(name, pieces, self._numbers.read(name, node))
            self.item_nodes[id(element)] = node
        else:
            element = Element(name, bare(pieces) if name in HEADINGS else pieces)
        above.children.append(element)
        return True

    def flow(self, draft: Draft) -> Draft:
        """The draft itself where it can hold blocks, else one in it that can."""
        while draft.name in _INNER:
            draft = self._imply(draft, _INNER[draft.name])
        return draft

    def finish(self) -> Element:
        """Make the elements of all drafts, the inner ones first."""
        for draft in reversed(self._drafts):
            make = _MAKERS.get(draft.name)
            if make is None:
                draft.pieces = [Element(draft.name, draft.gather(), draft.attributes)]
            else:
                draft.pieces = make(self, draft)
        return Element("body", self.body.gather())

    def _add(self, node: int, above: Draft) -> Draft:
        """Start the container of a node inside the one above it; return that one if there is no place."""
        name = _TAG_NAMES[self._tag[node]]
        if name == "li" and above.name in _LISTS:  # most
            item = Draft(name, node)
            item.attributes = self._numbers.read(name, node)
            return self._hang(item, above)
        if above.name in _CLOSED:
            is_number = above.name == "pre" and name in CELLS and is_gutter(self.page, node)
            return Draft("td") if is_number else above  # line numbers go to a cell outside the tree
        holder = self._find_holder(name, above)
        return above if holder is None else self._hang(self._start(name, node), holder)

    def _start(self, name: str, node: int) -> Draft:
        if name in CELLS:
            return self.tables.start_cell(name, node)
        draft = Draft(name, node)
        if name in NUMBERED:
            draft.attributes = self._numbers.read(name, node)
        elif name == "pre" and (language := find_language(self.page, node)):
            draft.attributes = {"language": language}
        return draft

    def _find_holder(self, name: str, above: Draft) -> Draft | None:
        """The draft that an element of this name goes into, made if it is missing; None for no place."""
        if name in _OWNERS:
            return self._find_owner(name, above)
        if name in _ONLY_IN:
            is_late = name == "caption" and above.children  # after rows it is one more of them
            return above if above.name == _ONLY_IN[name] and not is_late else None
        if name in _LISTS and above.name in _LISTS and above.children:
            return self._reopen_item(above)
        return self.flow(above)

    def _reopen_item(self, above: Draft) -> Draft:
        """The last item of a list as a draft, for a list that follows it without one of its own."""
        last = above.children[-1]
        if isinstance(last, Draft):
            return last
        item = cast("Element", last)
        above.children.pop()
        draft = self._hang(Draft("li", self.item_nodes.pop(id(item))), above)
        draft.attributes = item.attributes
        draft.children.append(Element("p", item.children))
        return draft

    def _find_owner(self, name: str, above: Draft) -> Draft | None:
        if above.name in _OWNERS[name]:
            return above
        if name in _IMPLIED_OWNERS:
            return self._imply(self.flow(above), _IMPLIED_OWNERS[name])
        return self._imply(above, "tr") if above.name == "table" else None

    def _imply(self, holder: Draft, name: str) -> Draft:
        """The last draft in a holder where it was made for this, else a new one."""
        last = holder.children[-1] if holder.children else None
        if isinstance(last, Draft) and last.name == name and last.node < 0:
            return last
        return self._hang(Draft(name), holder)

    def _hang(self, draft: Draft, holder: Draft) -> Draft:
        holder.children.append(draft)
        holder.is_nested = True
        self._drafts.append(draft)
        return draft


def _make_item(containers: Containers, draft: Draft) -> Pieces:
    item = Element("li", unwrap(draft.gather()), draft.attributes)
    containers.item_nodes[id(item)] = draft.node
    return [item]


def _make_definition(_: Containers, draft: Draft) -> Pieces:
    return [Element("dd", unwrap(draft.gather()))]


def _make_list(_: Containers, draft: Draft) -> Pieces:
    """The list; or its content, if its only item is a section with a heading."""
    pieces = draft.gather()
    item = pieces[0] if len(pieces) == 1 else ""
    if isinstance(item, Element) and item.name == "li" and _is_layout(item):
        return [*item.children]
    return [Element(draft.name, pieces, draft.attributes)]


def _is_layout(item: Element) -> bool:
    children = item.children
    return len(children) >= _LEAST_IN_LAYOUT and any(
        name_of(child) in HEADINGS for child in children
    )


def _make_table(containers: Containers, draft: Draft) -> Pieces:
    return containers.tables.make_table(draft)


def _make_cell(_: Containers, draft: Draft) -> Pieces:
    return draft.gather()  # the table makes the element


def _make_code(_: Containers, draft: Draft) -> Pieces:
    """The code with all its lines; nothing where its text is elsewhere."""
    lines = draft.gather()
    return [Element("pre", ["\n".join(map(str, lines))], draft.attributes)] if lines else []


def _make_figure(_: Containers, draft: Draft) -> Pieces:
    """The figure: a medium, a table or code, and a caption; without one of the two it is none."""
    pieces = draft.gather()
    inner = [_bare_image(piece) for piece in pieces]
    names = {name_of(piece) for piece in inner}
    if "figcaption" in names and names - {"p", "figcaption"}:
        return [Element("figure", inner)]
    return [_as_paragraph(piece) for piece in pieces]


def _as_paragraph(piece: Element | str) -> Element | str:
    """A caption as a paragraph; else the piece itself."""
    if isinstance(piece, Element) and piece.name == "figcaption":
        return Element("p", piece.children)
    return piece


def _bare_image(piece: Element | str) -> Element | str:
    """The image that a paragraph holds and nothing else; else the piece itself."""
    if isinstance(piece, Element) and piece.name == "p" and len(piece.children) == 1:
        only = piece.children[0]
        return only if name_of(only) == "img" else piece
    return piece


def bare(pieces: Children | Pieces) -> Children | Pieces:
    """The pieces of a heading, which is bold anyway."""
    only = pieces[0] if len(pieces) == 1 else ""
    return only.children if isinstance(only, Element) and only.name == "strong" else pieces


_MAKERS: dict[str, Callable[[Containers, Draft], Pieces]] = {
    "li": _make_item,
    "dd": _make_definition,
    "ul": _make_list,
    "ol": _make_list,
    "table": _make_table,
    "td": _make_cell,
    "th": _make_cell,
    "pre": _make_code,
    "figure": _make_figure,
}
