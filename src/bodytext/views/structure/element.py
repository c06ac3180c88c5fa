"""One element of a document's structure, and the names that elements have."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bodytext.kernel import Tagged, elements

# Every name an element can have, by what it may hold. They mean what HTML means by them. `math`
# holds TeX, `noteref` is the mark of a footnote, and `notes` is the list of footnotes.
SECTIONS = frozenset({"body", "blockquote", "figure", "note"})  # hold blocks
# Hold inline pieces, blocks, or inline pieces and then blocks
ITEMS = frozenset({"li", "dd", "td", "th"})
HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
LINES = HEADINGS | {"p", "dt", "caption", "figcaption"}  # hold inline pieces
# Hold items, rows or cells of their own
PARTED = frozenset({"ul", "ol", "dl", "table", "tr", "notes"})
MARKS = elements.MARKS  # inline, hold inline pieces
LEAVES = frozenset({"pre", "math", "hr", "br", "img", "noteref"})  # hold text at most
INLINE = elements.INLINE
NAMES = SECTIONS | ITEMS | LINES | PARTED | MARKS | LEAVES

Children = tuple["Element | str", ...]
Pieces = list["Element | str"]

_WITHIN_WORDS = MARKS | {"img", "math", "noteref"}


@dataclass(frozen=True, init=False, repr=False)
class Element(Tagged):
    """A heading, a paragraph, a link ...: its name as in HTML, its children, its attributes.

    It never changes. Only attributes that mean something are kept: `href` of a link, `src` and
    `alt` of an image, `start`, `type` and `reversed` of a numbered list, `value` of an item,
    `colspan` and `rowspan` of a cell, `language` of code, `display` of a formula on a line of its
    own, `name` of a footnote and its marks.
    """

    __slots__ = ()

    name: str
    children: Children
    attributes: Mapping[str, str]

    def __hash__(self) -> int:
        return hash((self.name, self.children))  # a mapping has no hash

    # Documents travel between processes
    def __reduce__(self) -> tuple[type["Element"], tuple[str, Children, dict[str, str]]]:
        return Element, (
            self.name,
            self.children,
            dict(self.attributes),
        )

    def __repr__(self) -> str:
        attributes = f", {dict(self.attributes)}" if self.attributes else ""
        return f"Element({self.name!r}, <{len(self.children)} children>{attributes})"

    def walk(self) -> Iterator["Element"]:
        """Yield this element and all elements in it, in the order of the text."""
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(
                child for child in reversed(element.children) if not isinstance(child, str)
            )

    @property
    def text(self) -> str:
        """The text on one line, with spaces between pieces that have lines of their own."""
        only = self.children[0] if len(self.children) == 1 else None
        if isinstance(only, str):  # most
            return " ".join(only.split())
        texts: list[str] = []
        waiting: list[Element | str] = [self]
        while waiting:
            piece = waiting.pop()
            if isinstance(piece, str):
                texts.append(piece)
                continue
            if piece.name not in _WITHIN_WORDS:
                texts.append(" ")
                waiting.append(" ")
            waiting.extend(reversed(piece.children))
        return " ".join("".join(texts).split())


def name_of(piece: Element | str) -> str:
    """The name of an element; nothing for text."""
    return "" if isinstance(piece, str) else piece.name
