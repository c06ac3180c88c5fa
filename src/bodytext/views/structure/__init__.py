"""build_structure: Page + the numbers of kept blocks -> Element, a light tree of headings, paragraphs, lists ..."""

from bodytext.views.structure.element import Element
from bodytext.views.structure.tree import build_structure

__all__ = ["Element", "build_structure"]
