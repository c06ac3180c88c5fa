"""Put the inline pieces of a block together: text, links, emphasis, line breaks."""

from collections.abc import Iterable

from bodytext.kernel.html import TAGS
from bodytext.page.tables import Column, Page
from bodytext.views.structure.element import Children, Element, Pieces
from bodytext.views.structure.links import Links

Mark = tuple[int, str, str, int]  # its rank, its name, the address of a link, the node of a link

# Marks nest as they do in the page, but for links, which hold all others, and code, which holds
# text alone.
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
# The mark of each tag; that of a link lacks the address.
_PLAIN_MARKS: list[Mark] = [
    (_CODE if name == "code" else _OTHER, name, "", 0)
    for name in (_NAMES.get(tag, "a") for tag in TAGS)
]


class Marks(dict[int, tuple[Mark, ...]]):
    """The mark of each marking node and those around it, one of each name, the outer first."""

    def __init__(self, page: Page, nearest: Column, links: Links) -> None:
        """Take for each node the nearest marking one at or above it."""
        super().__init__({-1: ()})
        self._tags, self._parent, self._nearest = (
            page.nodes.tag.data,
            page.nodes.parent.data,
            nearest.data,
        )
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
        if any(other[1] == mark[1] for other in marks):
            return marks
        return tuple(sorted((*marks, mark), key=_rank))


def _rank(mark: Mark) -> int:
    return mark[0]


class LineBuilder:
    """Puts the inline pieces of one block together, from left to right."""

    __slots__ = ("_links", "_lists", "_marks", "_texts")

    def __init__(self, links: Links) -> None:
        self._links = links
        self._marks: tuple[Mark, ...] = ()  # open now
        self._lists: list[Pieces] = [[]]  # the pieces of the line, and of each open mark
        self._texts: list[str] = []  # not yet in the last list

    def finish(self) -> Pieces:
        """All pieces."""
        self._flush()
        close_marks(self._lists, self._marks, 0, self._links)
        return self._lists[0]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was put in."""
        return not (self._lists[0] or self._texts or self._marks)

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
        shared = _count_shared(self._marks, marks, is_break=gap == "\n")
        if len(self._marks) > shared or gap == "\n":
            self._flush()
            close_marks(self._lists, self._marks, shared, self._links)
        if gap == "\n":
            self._lists[-1].append(Element("br"))
        elif gap:
            self._texts.append(gap)
        if len(marks) > shared:
            self._flush()
            self._lists += [[] for _ in marks[shared:]]
        self._marks = marks


def _count_shared(
    open_marks: tuple[Mark, ...], marks: tuple[Mark, ...], *, is_break: bool = False
) -> int:
    """How many of the open marks stay open; no code goes on after a line break."""
    shared = 0
    for mark, other in zip(open_marks, marks, strict=False):
        if mark != other or (is_break and mark[0] == _CODE):
            break
        shared += 1
    return shared


def close_marks(lists: list[Pieces], marks: tuple[Mark, ...], count: int, links: Links) -> None:
    """Close all open marks but the first of this count; each becomes an element."""
    while len(lists) > count + 1:
        pieces = lists.pop()
        lists[-1].append(make_mark(marks[len(lists) - 1], pieces, links))


def make_mark(mark: Mark, pieces: Children | Pieces, links: Links) -> Element:
    """The element of a mark around pieces."""
    _, name, address, _ = mark
    if not address:
        return Element(name, pieces)
    element = Element(name, pieces, {"href": address})
    if address[0] == "#":
        links.inner.append(element)
    return element


def join_texts(texts: Iterable[tuple[str, tuple[Mark, ...]]], whole: str, links: Links) -> Pieces:
    """The pieces of a line without breaks: its texts inside their marks, with gaps as in the whole.

    `LineBuilder` gives the same. This takes fewer steps for a line of few texts: it appends each to
    the one before it.
    """
    lists: list[Pieces] = [[]]
    open_marks: tuple[Mark, ...] = ()
    position = 0
    for text, marks in texts:
        if not text:
            continue
        gap = whole[position] if position and whole[position] != text[0] else ""
        position += len(gap) + len(text)
        if marks != open_marks:
            shared = _count_shared(open_marks, marks) if open_marks and marks else 0
            close_marks(lists, open_marks, shared, links)
            open_marks = marks
            if len(marks) > shared:
                if gap:
                    _append(lists[-1], gap)
                for _ in marks[shared:]:
                    lists.append([])  # noqa: PERF401 -- faster than a comprehension for one or two
                lists[-1].append(text)
                continue
        _append(lists[-1], gap + text)
    close_marks(lists, open_marks, 0, links)
    return lists[0]


def _append(pieces: Pieces, text: str) -> None:
    last = pieces[-1] if pieces else None
    if isinstance(last, str):
        pieces[-1] = last + text
    else:
        pieces.append(text)
