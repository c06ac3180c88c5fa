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
_PLAIN_MARKS: dict[str, Mark] = {
    name: (_CODE if name == "code" else _OTHER, name, "", 0) for name in _MEANINGS if name != "a"
}


class Marks:
    """The marks around the text in a node, one of each name, remembered for the nodes around it."""

    def __init__(self, page: Page, nearest: Column, links: Links) -> None:
        """Take for each node the nearest marking one at or above it."""
        self._tags, self._parent, self._nearest = page.nodes.tag.data, page.nodes.parent.data, nearest.data
        self._links = links
        self.known: dict[int, tuple[Mark, ...]] = {-1: ()}

    def around(self, node: int) -> tuple[Mark, ...]:
        """The marks of a marking node and those above it, in the order in which they nest."""
        known = self.known
        waiting = []
        while node not in known:
            waiting.append(node)
            node = self._nearest[self._parent[node]]
        marks = known[node]
        for one in reversed(waiting):
            marks = known[one] = self._add(marks, one)
        return marks

    def _add(self, marks: tuple[Mark, ...], node: int) -> tuple[Mark, ...]:
        name = _NAMES[TAGS[self._tags[node]]]
        mark = _PLAIN_MARKS.get(name)
        if mark is None:
            address = self._links.address(node)
            if not address:
                return marks
            mark = (_LINK, name, address, node)
        if not marks:
            return (mark,)
        if any(one[1] == name for one in marks):
            return marks
        return tuple(sorted((*marks, mark), key=_rank))


def _rank(mark: Mark) -> int:
    return mark[0]


class Line:
    """The inline pieces of one block, put together from left to right."""

    __slots__ = ("_links", "_lists", "_marks", "_pieces", "_texts")

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

    def add_text(self, marks: tuple[Mark, ...], gap: str, text: str) -> None:
        """Append a text inside marks, with a gap (nothing, a space, a line break) before it."""
        if "\n" in text:
            for line in text.split("\n"):
                self._open(marks, gap)
                self._texts.append(line)
                gap = "\n"
            return
        if marks != self._marks or gap == "\n":
            self._open(marks, gap)
            self._texts.append(text)
        else:
            self._texts.append(gap + text)

    def add(self, marks: tuple[Mark, ...], gap: str, element: Element) -> None:
        """Append an element inside marks, with a gap before it."""
        self._open(marks, gap)
        self._flush()
        self._lists[-1].append(element)

    def _flush(self) -> None:
        texts = self._texts
        if texts:
            self._lists[-1].append(texts[0] if len(texts) == 1 else "".join(texts))
            texts.clear()

    def _open(self, marks: tuple[Mark, ...], gap: str) -> None:
        """Close the marks that end here, write the gap, open the others."""
        lists, mine = self._lists, self._marks
        shared = 0
        if mine and marks:
            for one, other in zip(mine, marks, strict=False):
                if one != other or (gap == "\n" and one[0] == _CODE):
                    break
                shared += 1
        if len(mine) > shared or gap == "\n":
            self._flush()
            del lists[shared + 1 :]
        if gap == "\n":
            lists[-1].append(Element("br"))
        elif gap:
            self._texts.append(gap)
        if len(marks) > shared:
            self._flush()
            for _, name, address, _ in marks[shared:]:
                lists.append(self._open_one(name, address))
        self._marks = marks

    def _open_one(self, name: str, address: str) -> Pieces:
        element = Element(name, [], {"href": address}) if address else Element(name)
        if address.startswith("#"):
            self._links.inner.append(element)
        self._lists[-1].append(element)
        return element.children
