"""A structure -> the same with its links and images kept, dropped, or listed at its end."""

from typing import Literal, get_args

from bodytext.views.structure.element import Element

Choice = Literal["keep", "drop", "references"]
CHOICES: tuple[str, ...] = get_args(Choice)


def choose(structure: Element, links: Choice, images: Choice) -> Element:
    """The structure itself where all is kept, else a new one.

    As references, a number in brackets takes an address's place, and a numbered list at the end has the addresses.
    """
    check_choices(links, images)
    if links == images == "keep":
        return structure
    addresses: dict[str, int] = {}
    chosen = _copy(structure, {"a": links, "img": images}, addresses)
    if addresses:
        items = [Element("li", [Element("a", [address], {"href": address})]) for address in addresses]
        chosen.children += [Element("hr"), Element("ol", list(items))]
    return chosen


def check_choices(links: str, images: str) -> None:
    """Refuse a choice that is none."""
    for name, value in (("links", links), ("images", images)):
        if value not in CHOICES:
            raise ValueError(f"{name} must be one of {', '.join(CHOICES)}, not {value!r}")


def _copy(element: Element, choices: dict[str, Choice], addresses: dict[str, int]) -> Element:
    """Copy an element; it nests no deeper than a structure may."""
    copied = Element(element.name, [], element.attributes)
    for child in element.children:
        if isinstance(child, str):
            copied.children.append(child)
            continue
        choice = choices.get(child.name, "keep")
        inner = _copy(child, choices, addresses)
        if choice == "keep":
            if inner.children or not child.children:
                copied.children.append(inner)
            continue
        copied.children += inner.children
        if choice == "references":
            address = child.attributes["href" if child.name == "a" else "src"]
            number = addresses.setdefault(address, len(addresses) + 1)
            text = child.attributes.get("alt", "")
            copied.children.append(f"[{text}: {number}]" if text else f"[{number}]")
    return _settle_figure(copied)


def _settle_figure(element: Element) -> Element:
    """A figure whose image is gone is its caption, as a paragraph."""
    names = [child.name for child in element.children if isinstance(child, Element)]
    if element.name == "figure" and names == ["figcaption"] and len(element.children) == 1:
        caption = element.children[0]
        return Element("p", caption.children if isinstance(caption, Element) else [])
    return element
