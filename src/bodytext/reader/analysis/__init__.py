"""Title, text and language of an article, and the stored frequencies, in; its Analysis out. Pure functions."""

from bodytext.reader.analysis.analysis import Analysis, analyse
from bodytext.reader.analysis.frequencies import Frequencies

__all__ = ["Analysis", "Frequencies", "analyse"]
