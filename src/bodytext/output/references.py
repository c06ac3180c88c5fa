"""Keep the links and images of a structure, drop them, or list their addresses at its end."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from bodytext.views.structure.element import Element

Choice = Literal["keep", "drop", "references"]
CHOICES: tuple[str, ...] = get_args(Choice)


def choose(structure: Element, links: Choice, images: Choice) -> Element:
    """The structure with the links and images that are chosen; the same one where all are kept.

    With "references" a number in brackets takes the place of an address, and a numbered list at the
    end has the addresses.
    """
    check_choices(links, images)
    if links == images == "keep":
        return structure
    addresses: dict[str, int] = {}
    chosen = _rewrite(structure, {"a": links, "img": images}, addresses)
    if not addresses:
        return chosen
    items = tuple(
        Element("li", [Element("a", [address], {"href": address})]) for address in addresses
    )
    return Element(
        chosen.name, (*chosen.children, Element("hr"), Element("ol", items)), chosen.attributes
    )


def read_choice(value: Choice | bool) -> Choice:
    """A choice by its name; True keeps, and False drops."""
    if isinstance(value, bool):
        return "keep" if value else "drop"
    return value


def check_choices(links: str, images: str) -> None:
    """Raise a ValueError for a choice that does not exist."""
    for name, value in (("links", links), ("images", images)):
        if value not in CHOICES:
            raise ValueError(f"{name} must be one of {', '.join(CHOICES)}, not {value!r}")


def _rewrite(element: Element, choices: Mapping[str, Choice], addresses: dict[str, int]) -> Element:
    """Rewrite an element; it nests no deeper than a structure may."""
    children = [
        piece for child in element.children for piece in _rewrite_child(child, choices, addresses)
    ]
    return _settle_figure(Element(element.name, children, element.attributes))


def _rewrite_child(
    child: Element | str, choices: Mapping[str, Choice], addresses: dict[str, int]
) -> Sequence[Element | str]:
    """The pieces that take the place of a child."""
    if isinstance(child, str):
        return [child]
    choice = choices.get(child.name, "keep")
    inner = _rewrite(child, choices, addresses)
    if choice == "keep":
        return [inner] if inner.children or not child.children else []
    if choice == "drop":
        return inner.children
    return [*inner.children, _write_number(child, addresses)]


def _write_number(element: Element, addresses: dict[str, int]) -> str:
    """The number of a link's or an image's address in brackets, after the text of the image."""
    address = element.attributes["href" if element.name == "a" else "src"]
    number = addresses.setdefault(address, len(addresses) + 1)
    text = element.attributes.get("alt", "")
    return f"[{text}: {number}]" if text else f"[{number}]"


def _settle_figure(element: Element) -> Element:
    """A figure whose image is gone is its caption, as a paragraph."""
    only = element.children[0] if element.name == "figure" and len(element.children) == 1 else ""
    if isinstance(only, Element) and only.name == "figcaption":
        return Element("p", only.children)
    return element
