"""Find the lines of an article that are not its prose: headings, captions and the items of lists."""

from collections.abc import Iterable, Mapping
from typing import Any

from bodytext.views.structure.element import HEADINGS, Element

_NAMES = HEADINGS | {"caption", "figcaption", "li", "dt"}


def find_asides(body: Element, media: Iterable[Mapping[str, Any]] = ()) -> frozenset[str]:
    """Return the lines of headings, captions and items, as they are in the text of the body."""
    texts = [element.text for element in body.walk() if element.name in _NAMES]
    texts += [str(medium.get("caption", "")) for medium in media]
    lines = (line.strip() for text in texts for line in text.splitlines())
    return frozenset(line for line in lines if line)
