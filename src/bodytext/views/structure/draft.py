"""Drafts of the elements that hold blocks: a draft takes children until its element is made."""

from collections.abc import Mapping
from typing import cast

from bodytext.views.structure.element import NO_ATTRIBUTES, Children, Element, Pieces


class Draft:
    """An element to be made: a list, a table, a quote, a heading ...

    `node` is the node of the page that it comes from, or -1 where the page has no tag for it.
    """

    __slots__ = ("attributes", "children", "is_nested", "name", "node", "pieces")

    def __init__(self, name: str, node: int = -1) -> None:
        self.name = name
        self.node = node
        self.attributes: Mapping[str, str] = NO_ATTRIBUTES
        self.children: list[Draft | Element | str] = []
        self.is_nested = False  # there are drafts among the children
        self.pieces: Pieces = []  # the elements that take its place, as soon as they are made

    def gather(self) -> Pieces:
        """The children, with the elements of those that were drafts."""
        if not self.is_nested:  # most
            return cast("Pieces", self.children)
        pieces: Pieces = []
        for child in self.children:
            if isinstance(child, Draft):
                pieces += child.pieces
            else:
                pieces.append(child)
        return pieces


def name_of(piece: Element | str) -> str:
    """The name of an element; nothing for text."""
    return "" if isinstance(piece, str) else piece.name


def unwrap(pieces: Pieces) -> Children | Pieces:
    """Unwrap an item's only paragraph, or its first if only lists follow it."""
    first = pieces[0] if pieces else ""
    if isinstance(first, str) or first.name != "p":
        return pieces
    if len(pieces) == 1:  # most
        return first.children
    if all(name_of(piece) in {"ul", "ol"} for piece in pieces[1:]):
        return [*first.children, *pieces[1:]]
    return pieces
