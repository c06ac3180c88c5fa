"""The structure of a document: a light tree of headings, paragraphs, lists, tables ..."""

from bodytext.views.structure.element import Element
from bodytext.views.structure.tree import build_structure

__all__ = ["Element", "build_structure"]
