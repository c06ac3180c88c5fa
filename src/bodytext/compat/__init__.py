"""The functions of other packages, with their parameters, so that a change of one import tries ours.

from bodytext.compat import trafilatura
from bodytext.compat.readability import Document
from bodytext.compat.newspaper import Article
"""
