"""Element: a piece of a document's structure, a light tree (type)."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from types import MappingProxyType

# Every name an element can have, by what it may hold. They mean what HTML means by them; `math` holds TeX, `noteref`
# is the mark of a footnote, `notes` the list of them.
SECTIONS = frozenset({"body", "blockquote", "figure", "note"})  # hold blocks
ITEMS = frozenset({"li", "dd", "td", "th"})  # hold inline pieces, blocks, or the one and then the other
LINES = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption", "figcaption"})  # hold inline pieces
PARTED = frozenset({"ul", "ol", "dl", "table", "tr", "notes"})  # hold items, rows or cells of their own
MARKS = frozenset({"a", "del", "mark", "em", "strong", "sub", "sup", "code"})  # inline, hold inline pieces
LEAVES = frozenset({"pre", "math", "hr", "br", "img", "noteref"})  # hold text at most
NAMES = SECTIONS | ITEMS | LINES | PARTED | MARKS | LEAVES
INLINE = MARKS | {"math", "br", "img", "noteref"}


_WITHIN_WORDS = MARKS | {"img", "math", "noteref"}
_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


class Element:
    """A heading, a paragraph, a link ...: its name as in HTML, what it holds, and what its tag said.

    Attributes are those that mean something: `href` of a link, `src` and `alt` of an image, `start`, `type` and
    `reversed` of a numbered list, `value` of an item, `colspan` and `rowspan` of a cell, `language` of code,
    `display` of a formula that stands on its own, `name` of a footnote and its marks.
    """

    __slots__ = ("attributes", "children", "name")

    def __init__(
        self, name: str, children: list["Element | str"] | None = None, attributes: Mapping[str, str] = _NO_ATTRIBUTES
    ) -> None:
        self.name = name
        self.children: list[Element | str] = [] if children is None else children
        self.attributes = attributes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Element):
            return NotImplemented
        return all(_alike(mine, theirs) for mine, theirs in zip_longest(self.walk(), other.walk()))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type["Element"], tuple[str, list["Element | str"], dict[str, str]]]:
        return Element, (self.name, self.children, dict(self.attributes))  # documents travel between processes

    def __repr__(self) -> str:
        attributes = f", {dict(self.attributes)}" if self.attributes else ""
        return f"Element({self.name!r}, <{len(self.children)} children>{attributes})"

    def walk(self) -> Iterator["Element"]:
        """This element and all in it, in the order of the text."""
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(child for child in reversed(element.children) if not isinstance(child, str))

    @property
    def text(self) -> str:
        """The text in it, pieces that stand on lines of their own apart by a space."""
        only = self.children[0] if len(self.children) == 1 else None
        if isinstance(only, str):  # most
            return " ".join(only.split())
        pieces: list[str] = []
        waiting: list[Element | str] = [self]
        while waiting:
            one = waiting.pop()
            if isinstance(one, str):
                pieces.append(one)
                continue
            if one.name not in _WITHIN_WORDS:
                pieces.append(" ")
                waiting.append(" ")
            waiting.extend(reversed(one.children))
        return " ".join("".join(pieces).split())


def _alike(one: Element | None, other: Element | None) -> bool:
    """Whether two elements are the same but for the elements in them."""
    if one is None or other is None:
        return False
    texts = [[child if isinstance(child, str) else None for child in element.children] for element in (one, other)]
    return one.name == other.name and dict(one.attributes) == dict(other.attributes) and texts[0] == texts[1]
