"""Analyse an article by its title, text and language: keywords, summary, noise, signature."""

from bodytext.reader.analysis.analysis import Analysis, analyse, find_asides
from bodytext.reader.analysis.frequencies import Frequencies

__all__ = ["Analysis", "Frequencies", "analyse", "find_asides"]
