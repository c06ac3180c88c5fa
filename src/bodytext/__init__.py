"""Finds the body text of any web page."""

from bodytext.document import Document, Paragraph
from bodytext.methods import METHODS, Method
from bodytext.page import Page
from bodytext.parser import parse
from bodytext.pipeline import extract
from bodytext.selection import Scores, select

__version__ = "0.1.0"
__all__ = ["METHODS", "Document", "Method", "Page", "Paragraph", "Scores", "extract", "parse", "select"]
