"""Finds the body text of any web page."""

from bodytext.document import Document, Paragraph
from bodytext.extraction import extract
from bodytext.methods import METHODS, Method
from bodytext.methods.scores import Scores
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.selection import select

__version__ = "0.1.0"
__all__ = [
    "METHODS",
    "Document",
    "Method",
    "Page",
    "Paragraph",
    "Scores",
    "extract",
    "parse",
    "select",
]
