"""Segments of a block, with the marks around them -> inline pieces: text, links, emphasis, line breaks."""

from collections.abc import Iterable

from bodytext.kernel.html import TAGS
from bodytext.page.tables import Column, Page
from bodytext.views.structure.element import Element
from bodytext.views.structure.links import Links

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
# For each tag its mark; that of a link lacks the address.
_PLAIN_MARKS: list[Mark] = [
    (_CODE if name == "code" else _OTHER, name, "", 0) for name in (_NAMES.get(tag, "a") for tag in TAGS)
]


class Marks(dict[int, tuple[Mark, ...]]):
    """For each marking node its mark and those around it, one of each name, in the order in which they nest."""

    def __init__(self, page: Page, nearest: Column, links: Links) -> None:
        """Take for each node the nearest marking one at or above it."""
        super().__init__({-1: ()})
        self._tags, self._parent, self._nearest = page.nodes.tag.data, page.nodes.parent.data, nearest.data
        self._links = links

    def __missing__(self, node: int) -> tuple[Mark, ...]:
        waiting, parent, nearest = [node], self._parent, self._nearest
        while (node := nearest[parent[node]]) not in self:
            waiting.append(node)
        marks = self[node]
        while waiting:
            node = waiting.pop()
            marks = self[node] = self._add(marks, node)
        return marks

    def _add(self, marks: tuple[Mark, ...], node: int) -> tuple[Mark, ...]:
        mark = _PLAIN_MARKS[self._tags[node]]
        if mark[1] == "a":
            address = self._links.address(node)
            if not address:
                return marks
            mark = (_LINK, "a", address, node)
        if not marks:
            return (mark,)
        if any(one[1] == mark[1] for one in marks):
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
            for mark in marks[shared:]:
                inner: Pieces = []
                lists[-1].append(open_mark(mark, inner, self._links))
                lists.append(inner)
        self._marks = marks


def open_mark(mark: Mark, pieces: Pieces, links: Links) -> Element:
    """The element of a mark around pieces."""
    _, name, address, _ = mark
    if not address:
        return Element(name, pieces)
    element = Element(name, pieces, {"href": address})
    if address[0] == "#":
        links.inner.append(element)
    return element


def join_texts(texts: Iterable[tuple[str, tuple[Mark, ...]]], whole: str, links: Links) -> Pieces:
    """The pieces of a line without breaks, from its texts inside their marks and from the text of all of it.

    What `Line` does, with fewer steps, for a line of few texts: each is appended to the one before it.
    """
    pieces: Pieces = []
    lists = [pieces]
    open_marks: tuple[Mark, ...] = ()
    position = 0
    for text, marks in texts:
        if not text:
            continue
        gap = whole[position] if position and whole[position] != text[0] else ""
        position += len(gap) + len(text)
        if marks != open_marks:
            shared = _count_shared(open_marks, marks) if open_marks and marks else 0
            del lists[shared + 1 :]
            open_marks = marks
            if len(marks) > shared:
                if gap:
                    _append(lists[-1], gap)
                for mark in marks[shared:]:
                    inner: Pieces = []
                    lists[-1].append(open_mark(mark, inner, links))
                    lists.append(inner)
                inner.append(text)
                continue
        _append(lists[-1], gap + text)
    return pieces


def _append(pieces: Pieces, text: str) -> None:
    last = pieces[-1] if pieces else None
    if isinstance(last, str):
        pieces[-1] = last + text
    else:
        pieces.append(text)


def _count_shared(one: tuple[Mark, ...], other: tuple[Mark, ...]) -> int:
    shared = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        shared += 1
    return shared
