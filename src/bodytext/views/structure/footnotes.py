"""Make footnotes of links into the page itself, or plain text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from operator import is_

from bodytext.page.tables import Page
from bodytext.views.structure.element import INLINE, MARKS, Children, Element, Pieces

_MARK = re.compile(r"[\[(]?\s*(\w{1,4}|[*†‡§¶]{1,4})\s*[\])]?")
_BACK = re.compile(r"\W{0,4}")  # an arrow, a caret: nothing that is read


def settle_inner_links(page: Page, body: Element, nodes: Mapping[int, int]) -> Element:
    """Make footnotes of the links to the items of a list of notes, and plain text of all others.

    A list is one of notes when a mark (a number, a letter, a sign) leads to each of its items.
    `nodes` gives the node of a list item by the identity of its element.
    """
    return _Footnotes(page, body, nodes).rewrite(body)


class _Footnotes:
    """The notes of a page, and how its elements are rewritten with them."""

    def __init__(self, page: Page, body: Element, nodes: Mapping[int, int]) -> None:
        self._page, self._nodes = page, nodes
        self._changing: set[int] = set()  # what holds links into the page, by identity
        self._marks: dict[str, str] = {}  # by the id that they lead to
        self._names: dict[str, str] = {}  # of notes, by their ids
        self._taken: set[str] = set()  # names
        self._lists: set[int] = set()  # of notes, by the identity of the element
        self._notes: dict[int, str] = {}  # the name of each note, by the identity of the item
        lists: list[Element] = []
        self._find_links(body, lists)
        if self._marks:
            self._find_notes(lists)

    def _find_links(self, element: Element, lists: list[Element]) -> bool:
        """Find the links into the page and all lists; whether there are such links in an element."""
        is_changing = False
        if element.name in {"ol", "ul"}:
            lists.append(element)
        for child in element.children:
            if isinstance(child, str):
                continue
            if _is_inner(child):
                is_changing = True
                if match := _MARK.fullmatch(child.text):
                    self._marks.setdefault(_target(child), match[1])
            elif child.name in MARKS or _is_leaf(child.children):  # most; marks hold no link
                continue
            elif self._find_links(child, lists):
                is_changing = True
        if is_changing:
            self._changing.add(id(element))
        return is_changing

    def rewrite(self, element: Element, *, is_note: bool = False) -> Element:
        """The element with footnotes in it; itself if nothing changes."""
        name, attributes, children = element.name, element.attributes, element.children
        is_list = id(element) in self._lists
        if is_list:
            name, attributes = "notes", {}
        elif id(element) in self._notes:
            name, attributes, is_note = "note", {"name": self._notes[id(element)]}, True
            children = _as_blocks(children)
        written: Pieces = []
        has_inner = False
        for child in children:
            if not isinstance(child, str):
                if child.name == "a":
                    has_inner = has_inner or _is_inner(child)
                elif is_list or self._may_change(child):
                    child = self.rewrite(child, is_note=is_note)  # noqa: PLW2901
            written.append(child)
        if has_inner:
            written = self._settle(written, is_note=is_note)
        elif name == element.name and all(map(is_, written, children)):
            return element
        return Element(name, written, attributes)

    def _may_change(self, element: Element) -> bool:
        """Whether there are links into the page in an element; or lists of notes, which are rare."""
        return id(element) in self._changing or (
            len(self._lists) > 0 and not _is_leaf(element.children)
        )

    def _find_notes(self, lists: Iterable[Element]) -> None:
        for element in lists:
            items = [child for child in element.children if isinstance(child, Element)]
            targets = self._read_targets(items)
            if targets:
                self._lists.add(id(element))
            for item, target in zip(items, targets, strict=False):
                self._names[target] = self._notes[id(item)] = self._choose_name(target)

    def _read_targets(self, items: Sequence[Element]) -> list[str]:
        """The ids of items where a mark leads to each of them; else nothing."""
        targets: list[str] = []
        for item in items:
            target = self._read_id(item)
            if target not in self._marks or target in self._names:
                return []
            targets.append(target)
        return targets

    def _read_id(self, item: Element) -> str:
        node = self._nodes.get(id(item), -1)
        return self._page.attributes(node).get("id", "") if node >= 0 else ""

    def _choose_name(self, target: str) -> str:
        """The mark of a note where it is a word and free, else its number."""
        name = self._marks[target]
        if name in self._taken or not name.isalnum():
            name = str(len(self._taken) + 1)
        while name in self._taken:
            name += "a"
        self._taken.add(name)
        return name

    def _settle(self, children: Sequence[Element | str], *, is_note: bool) -> Pieces:
        """The pieces of a line, with links into the page as marks of notes or as their content."""
        settled: Pieces = []
        texts: list[str] = []
        for piece in (
            piece for child in children for piece in self._replace(child, is_note=is_note)
        ):
            if isinstance(piece, str):
                texts.append(piece)
                continue
            settled += ["".join(texts), piece]
            texts.clear()
        last = "".join(texts)
        settled.append(last.rstrip() if is_note else last)
        return [piece for piece in settled if piece != ""]

    def _replace(self, child: Element | str, *, is_note: bool) -> Sequence[Element | str]:
        """The pieces that replace a child: a mark, the content of a link, or the child itself."""
        if isinstance(child, str) or not _is_inner(child):
            return [child]
        name = self._names.get(_target(child))
        if name and _MARK.fullmatch(child.text):
            return [Element("noteref", [child.text], {"name": name})]
        if is_note and _BACK.fullmatch(child.text):
            return []
        return child.children


def _as_blocks(children: Sequence[Element | str]) -> Children:
    """Wrap the inline pieces that an item begins with into a paragraph."""
    count = 0
    while count < len(children) and (
        isinstance(piece := children[count], str) or piece.name in INLINE
    ):
        count += 1
    return (Element("p", [*children[:count]]), *children[count:]) if count else (*children,)


def _is_leaf(children: Children) -> bool:
    """Whether there is no element among the children, as in most."""
    return not children or (len(children) == 1 and isinstance(children[0], str))


def _is_inner(piece: Element | str) -> bool:
    return (
        not isinstance(piece, str)
        and piece.name == "a"
        and piece.attributes["href"].startswith("#")
    )


def _target(link: Element) -> str:
    """The id that a link into the page leads to."""
    return link.attributes["href"][1:]
