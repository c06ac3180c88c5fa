"""Find the words of a text, from which its keywords are chosen.

Where words have spaces between them, these are the terms. In Japanese, Chinese and Thai, terms are
overlapping pieces, which match wherever words begin, but nobody could read them as keywords: there
the text is cut at words.
"""

from collections.abc import Sequence

from bodytext.reader.analysis.languages import can_cut, cut_words
from bodytext.reader.analysis.sentences import Span
from bodytext.reader.analysis.terms import MOST_LETTERS, Term, find_terms, fold

_KATAKANA = ("\u30a1", "\u30ff")


def find_words(
    text: str, sentences: Sequence[Span], terms: Sequence[Sequence[Term]], language: str
) -> list[list[Term]]:
    """Return the words of each sentence, whose terms are given."""
    if not can_cut(language):
        return [list(found) for found in terms]
    return [
        _cut(text, start, min(end, MOST_LETTERS), found, language)
        for (start, end), found in zip(sentences, terms, strict=False)
    ]


def find_title_words(title: str, language: str) -> list[Term]:
    """Return the words of a title."""
    terms = find_terms(title)
    return find_words(title, [(0, len(title))], [terms], language)[0]


def _cut(text: str, start: int, end: int, terms: Sequence[Term], language: str) -> list[Term]:
    """Return the words of a sentence in two kinds of script, in the order of the text."""
    spaced = [term for term in terms if term.name[0] < "\u0e00" or term.name[0].isdigit()]
    cut = [
        Term(fold(text[first:last]), first, last, _KATAKANA[0] <= text[first] <= _KATAKANA[1])
        for first, last in cut_words(text, start, end, language)
    ]
    return sorted(spaced + cut, key=lambda term: term.start)
