"""Fit the headings of an article's body to the place where it is shown."""

import unicodedata
from collections.abc import Mapping

from bodytext.views.structure.element import HEADINGS, Element

_LOWEST = 6


def fit_headings(body: Element, title: str, deeper: int = 0, highest: int = 1) -> Element:
    """Return a body with deeper headings, none above the highest, without its title."""
    first = body.children[0] if body.children else ""
    if isinstance(first, Element) and first.name in HEADINGS and _fold(first.text) == _fold(title):
        body = Element("body", body.children[1:])
    levels = {level: min(max(level + deeper, highest), _LOWEST) for level in range(1, _LOWEST + 1)}
    names = {f"h{old}": f"h{new}" for old, new in levels.items() if old != new}
    return _rename(body, names) if any(element.name in names for element in body.walk()) else body


def _rename(element: Element, names: Mapping[str, str]) -> Element:
    children = [
        child if isinstance(child, str) else _rename(child, names) for child in element.children
    ]
    return Element(names.get(element.name, element.name), children, element.attributes)


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
