"""Links into the page itself -> the marks of footnotes and their notes, where both are there; else plain text."""

import re
from collections.abc import Mapping, Sequence

from bodytext.page.tables import Page
from bodytext.views.structure.element import INLINE, Element

_MARK = re.compile(r"[\[(]?\s*(\w{1,4}|[*†‡§¶]{1,4})\s*[\])]?")
_BACK = re.compile(r"\W{0,4}")  # an arrow, a caret: nothing that is read


def settle_inner_links(page: Page, body: Element, links: Sequence[Element], nodes: Mapping[int, int]) -> None:
    """Make footnotes of the links that lead to the items of a list of notes; all others become what they hold.

    A list is one of notes when a mark (a number, a letter, a sign) leads to each of its items. `nodes` gives the node
    of an element by its identity.
    """
    marks: dict[str, str] = {}
    for link in links:
        if found := _MARK.fullmatch(link.text):
            marks.setdefault(link.attributes["href"][1:], found[1])
    names = _name_notes(page, body, marks, nodes) if marks else {}
    waiting = [(body, False)]
    while waiting:
        element, is_note = waiting.pop()
        is_note = is_note or element.name == "note"
        is_settled = True
        for child in element.children:
            if isinstance(child, str):
                continue
            if child.name == "a":  # there are no links in links
                is_settled = is_settled and not _is_inner(child)
            elif not _is_text(child):
                waiting.append((child, is_note))
        if not is_settled:
            element.children = _settle(element.children, names, is_note=is_note)


def _name_notes(page: Page, body: Element, marks: Mapping[str, str], nodes: Mapping[int, int]) -> dict[str, str]:
    """Turn the lists of notes into such; the names of their notes by the names that links to them have."""
    names: dict[str, str] = {}
    for element in body.walk():
        if element.name not in {"ol", "ul"}:
            continue
        items = [child for child in element.children if isinstance(child, Element)]
        targets: list[str] = []
        for item in items:
            target = page.attributes(nodes[id(item)]).get("id", "") if id(item) in nodes else ""
            if target not in marks or target in names:
                break
            targets.append(target)
        if not items or len(targets) < len(items):
            continue
        element.name, element.attributes = "notes", {}
        taken = set(names.values())
        for item, target in zip(items, targets, strict=True):
            name = marks[target] if marks[target] not in taken and marks[target].isalnum() else str(len(taken) + 1)
            while name in taken:
                name += "a"
            taken.add(name)
            names[target] = name
            item.name, item.attributes = "note", {"name": name}
            item.children = _as_blocks(item.children)
    return names


def _as_blocks(children: list[Element | str]) -> list[Element | str]:
    """Wrap the inline pieces that an item begins with into a paragraph."""
    count = 0
    while count < len(children) and (isinstance(one := children[count], str) or one.name in INLINE):
        count += 1
    return [Element("p", children[:count]), *children[count:]] if count else children


def _is_text(element: Element) -> bool:
    """Whether an element holds nothing but one text, or nothing."""
    children = element.children
    return not children or (len(children) == 1 and isinstance(children[0], str))


def _is_inner(link: Element) -> bool:
    return link.attributes["href"].startswith("#")


def _settle(children: list[Element | str], names: Mapping[str, str], *, is_note: bool) -> list[Element | str]:
    """The pieces of a line, with links into the page as marks of notes, or as the words they hold."""
    settled: list[Element | str] = []
    texts: list[str] = []
    for child in children:
        if isinstance(child, str) or child.name != "a" or not _is_inner(child):
            pieces: list[Element | str] = [child]
        elif (name := names.get(child.attributes["href"][1:])) and _MARK.fullmatch(child.text):
            pieces = [Element("noteref", [child.text], {"name": name})]
        elif is_note and _BACK.fullmatch(child.text):
            pieces = []
        else:
            pieces = child.children
        for piece in pieces:
            if isinstance(piece, str):
                texts.append(piece)
                continue
            settled += ["".join(texts)] if texts else []
            texts.clear()
            settled.append(piece)
    last = "".join(texts)
    settled.append(last.rstrip() if is_note else last)
    return [piece for piece in settled if piece != ""]
