"""Recognise short texts that many sites have around their articles: "Share this", "Written by Anna".

The phrases are in noise_phrases.txt. `python benchmarks/noise_phrases.py` learns them from labelled pages: texts of
blocks that are outside the content on several sites, and hardly ever inside. Those that end in "..." are the first
words of such texts. CUTER's authors want "lexica" that correct the text that is extracted; these are ours.
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache

LONGEST = 150  # bytes of a text that is looked up
OPENING_WORDS = (2, 3, 4)
OPENING = " ..."  # after the first words of a text

PhraseIndex = Mapping[str, Collection[str]]  # by their first words

_FILE = os.path.join(os.path.dirname(__file__), "noise_phrases.txt")  # noqa: PTH118, PTH120
_WORD = re.compile(r"[^\W\d_]+|\d+")


def find_words(text: str) -> list[str]:
    """Return the words of a text in lower case; every number is 0.

    >>> find_words("5 min read - Written by O'Neill")
    ['0', 'min', 'read', 'written', 'by', 'o', 'neill']
    """
    return ["0" if word.isdigit() else word for word in _WORD.findall(text.lower())]


def read_phrases(path: str = _FILE) -> list[str]:
    """Read a file of phrases, one on each line; a line that begins with # is a comment."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        lines = (line.strip() for line in file)
        return [line for line in lines if line and not line.startswith("#")]


def index_phrases(phrases: Iterable[str]) -> PhraseIndex:
    """Return phrases by their first words, so that one look settles most texts."""
    index: dict[str, set[str]] = {}
    for phrase in phrases:
        index.setdefault(phrase.partition(" ")[0], set()).add(phrase)
    return index


@cache
def _own_phrases() -> PhraseIndex:
    return index_phrases(read_phrases())


def is_noise_phrase(text: str, phrases: PhraseIndex | None = None) -> bool:
    """Whether a short text, or its first words, is one of the phrases.

    >>> is_noise_phrase("Share this"), is_noise_phrase("The harbour is closed.")
    (True, False)
    """
    first = _WORD.search(text)
    if first is None:
        return False
    word = first.group()
    index = _own_phrases() if phrases is None else phrases
    known = index.get("0" if word.isdigit() else word.lower(), ())
    if not known:
        return False
    words = find_words(text)
    return " ".join(words) in known or any(
        " ".join(words[:count]) + OPENING in known for count in OPENING_WORDS if count < len(words)
    )
