"""Fit the headings of an article's body to the place where it is shown."""

import unicodedata

from bodytext.views.structure.element import HEADINGS, Element

_LOWEST = 6


def fit_headings(body: Element, title: str, deeper: int = 0, highest: int = 1) -> Element:
    """Return a body with deeper headings, none above the highest, without its title."""
    children = body.children
    first = children[0] if children else ""
    if isinstance(first, Element) and first.name in HEADINGS and _fold(first.text) == _fold(title):
        children = children[1:]
    return _shift(Element("body", children), deeper, highest)


def _shift(element: Element, deeper: int, highest: int) -> Element:
    name = element.name
    if name in HEADINGS:
        name = f"h{min(max(int(name[1]) + deeper, highest), _LOWEST)}"
    children = [child if isinstance(child, str) else _shift(child, deeper, highest) for child in element.children]
    return Element(name, children, element.attributes)


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
