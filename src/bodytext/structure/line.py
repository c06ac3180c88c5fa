"""Segments of a block, with the marks around them -> inline pieces: text, links, emphasis, line breaks."""

from bodytext.markup import TAGS
from bodytext.page import Column, Page
from bodytext.structure.element import Element
from bodytext.structure.links import Links

Pieces = list[Element | str]
Mark = tuple[int, str, str, int]  # its rank, its name, the address of a link, the node of a link

# Marks nest as they do in the page, but for links, which hold all others, and code, which holds text alone.
_LINK, _OTHER, _CODE = range(3)
_MEANINGS = {
    "strong": "b strong",
    "em": "i em cite dfn var",
    "code": "code tt kbd samp",
    "sub": "sub",
    "sup": "sup",
    "del": "del s strike",
    "mark": "mark",
    "a": "a",
}
_NAMES = {tag: name for name, tags in _MEANINGS.items() for tag in tags.split()}
_RANKS = {name: {"a": _LINK, "code": _CODE}.get(name, _OTHER) for name in _MEANINGS}


class Marks:
    """The marks around the text in a node, one of each name, remembered for the nodes around it."""

    def __init__(self, page: Page, nearest: Column, links: Links) -> None:
        """Take for each node the nearest marking one at or above it."""
        self._tags, self._parent, self._nearest, self._links = page.nodes.tag, page.nodes.parent, nearest, links
        self._known: dict[int, tuple[Mark, ...]] = {-1: ()}

    def around(self, node: int) -> tuple[Mark, ...]:
        """The marks of a marking node and those above it, in the order in which they nest."""
        known = self._known.get(node)
        if known is not None:
            return known
        waiting = []
        while node not in self._known:
            waiting.append(node)
            node = int(self._nearest[self._parent[node]])
        marks = self._known[node]
        for one in reversed(waiting):
            marks = self._known[one] = self._add(marks, one)
        return marks

    def _add(self, marks: tuple[Mark, ...], node: int) -> tuple[Mark, ...]:
        name = _NAMES[TAGS[self._tags[node]]]
        if any(mark[1] == name for mark in marks):
            return marks
        address = self._links.address(node) if name == "a" else ""
        if name == "a" and not address:
            return marks
        mark = (_RANKS[name], name, address, node if name == "a" else 0)
        return tuple(sorted((*marks, mark), key=_rank)) if marks else (mark,)


def _rank(mark: Mark) -> int:
    return mark[0]


class Line:
    """The inline pieces of one block, put together from left to right."""

    def __init__(self, links: Links) -> None:
        self._pieces: Pieces = []
        self._links = links
        self._marks: tuple[Mark, ...] = ()
        self._lists: list[Pieces] = [self._pieces]
        self._texts: list[str] = []  # not yet in the last list

    @property
    def pieces(self) -> Pieces:
        """What was put together so far."""
        self._flush()
        return self._pieces

    @property
    def is_empty(self) -> bool:
        """Whether nothing was put in."""
        return not (self._pieces or self._texts)

    @property
    def ends_with_image(self) -> bool:
        """Whether the last thing put in is an image."""
        last = self._lists[-1][-1] if self._lists[-1] and not self._texts else ""
        return isinstance(last, Element) and last.name == "img"

    def add(self, marks: tuple[Mark, ...], gap: str, piece: Element | str) -> None:
        """Append a text or an element inside marks, with a gap (nothing, a space, a line break) before it."""
        if isinstance(piece, Element):
            self._open(marks, gap)
            self._flush()
            self._lists[-1].append(piece)
            return
        for line in piece.split("\n") if "\n" in piece else (piece,):
            if marks != self._marks or gap == "\n":
                self._open(marks, gap)
            elif gap:
                self._texts.append(gap)
            self._texts.append(line)
            gap = "\n"

    def _flush(self) -> None:
        if self._texts:
            self._lists[-1].append("".join(self._texts))
            self._texts.clear()

    def _open(self, marks: tuple[Mark, ...], gap: str) -> None:
        """Close the marks that end here, write the gap, open the others."""
        shared = 0
        for mine, theirs in zip(self._marks, marks, strict=False):
            if mine != theirs or (gap == "\n" and mine[0] == _CODE):
                break
            shared += 1
        lists = self._lists
        if len(lists) > shared + 1 or gap == "\n":
            self._flush()
            del lists[shared + 1 :]
        if gap == "\n":
            lists[-1].append(Element("br"))
        elif gap:
            self._texts.append(gap)
        for _, name, address, _ in marks[shared:]:
            self._flush()
            element = Element(name, [], {"href": address}) if address else Element(name)
            if address.startswith("#"):
                self._links.inner.append(element)
            lists[-1].append(element)
            lists.append(element.children)
        self._marks = marks
