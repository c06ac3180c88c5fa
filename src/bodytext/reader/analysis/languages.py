"""What the reader knows about languages: common words, stems, and where words without spaces end.

Three libraries of the extra `words` make it better where they are installed: stopwordsiso (function
words of 57 languages), snowballstemmer (stems of 30) and budoux (words of Japanese, Chinese and
Thai). Without them there are lists of our own for 19 languages, words are cut after six letters, Japanese
is cut where the script changes, and Chinese and Thai are not cut.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

_COMMON_WORDS = "common_words.txt"
_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
# English words that are in pages of all languages, and say nothing in any of them.
_EVERYWHERE = frozenset({"the", "and", "of", "for", "with"})
_CUTTERS = {
    "ja": "load_default_japanese_parser",
    "th": "load_default_thai_parser",
    "zh": "load_default_simplified_chinese_parser",
}
UNSPACED = frozenset(_CUTTERS)
_STEM_LETTERS = 6
_STEMS_KEPT = 20_000  # of a language
_HIRAGANA = r"\u3041-\u309f"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff"
_HAN = r"\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_THAI = r"\u0e01-\u0e4e"
# A stretch in which words are searched. Hiragana alone is endings and particles.
_STRETCH = re.compile(f"[{_HIRAGANA}{_KATAKANA}{_HAN}]+|[{_THAI}]+")
_SCRIPTS = re.compile(f"[{_KATAKANA}]+|[{_HAN}]+|[{_THAI}]+")

Stemmer = Callable[[str], str]


@cache
def list_common_words(language: str) -> frozenset[str]:
    """Return the words of a language that say nothing about an article."""
    own = read_words(_COMMON_WORDS).get(language, frozenset())
    library = _import("stopwordsiso")
    listed = library.stopwords(language) if library and library.has_lang(language) else ()
    return own | _EVERYWHERE | {unicodedata.normalize("NFKC", word).lower() for word in listed}


@cache
def list_all_common_words() -> frozenset[str]:
    """Return the common words of our own lists, of all languages together."""
    return frozenset().union(*read_words(_COMMON_WORDS).values())


@cache
def read_words(name: str) -> dict[str, frozenset[str]]:
    """Read a file of words, each line with a key such as the language before a colon."""
    words: dict[str, frozenset[str]] = {}
    for line in Path(__file__).with_name(name).read_text("utf-8").splitlines():
        key, _, listed = line.partition(": ")
        if not line.startswith("#"):
            words[key] = frozenset(unicodedata.normalize("NFKC", listed).split())
    return words


@cache
def find_stemmer(language: str) -> Stemmer:
    """Return a function that gives the inflected forms of a word the same stem."""
    library = _import("snowballstemmer") if language in _STEMMERS else None
    if library is None:
        return cut_ending
    stemmer, lock = library.stemmer(_STEMMERS[language]), Lock()

    @lru_cache(_STEMS_KEPT)
    def stem(word: str) -> str:
        with lock:  # a stemmer is for one thread at a time
            return str(stemmer.stemWord(word))

    return stem


def cut_ending(word: str) -> str:
    """Return the first letters of a word, in which its forms mostly agree.

    >>> cut_ending("elections"), cut_ending("election"), cut_ending("tax")
    ('electi', 'electi', 'tax')
    """
    return word[:_STEM_LETTERS]


def can_cut(language: str) -> bool:
    """Whether words of a language that writes no spaces can be found."""
    return language == "ja" or _find_cutter(language) is not None


def cut_words(text: str, start: int, end: int, language: str) -> list[tuple[int, int]]:
    """Return the starts and ends of the words without spaces between them in a part of a text."""
    words: list[tuple[int, int]] = []
    for stretch in _STRETCH.finditer(text, start, end):
        for first, last in _cut_stretch(stretch[0], language):
            # Within a word, the part of one script: 東京都の without its particle.
            words += [
                run.span()
                for run in _SCRIPTS.finditer(text, stretch.start() + first, stretch.start() + last)
            ]
    return words


def _cut_stretch(stretch: str, language: str) -> Iterable[tuple[int, int]]:
    cutter = _find_cutter(language)
    if cutter is None:
        return [(0, len(stretch))]
    ends = [0]
    for word in cutter.parse(stretch):
        ends.append(ends[-1] + len(word))
    return pairwise(ends)


@cache
def _find_cutter(language: str) -> Any:
    library = _import("budoux") if language in _CUTTERS else None
    return getattr(library, _CUTTERS[language])() if library else None


def _import(name: str) -> Any:
    """Return a library of the extra `words`, or None if it is not installed."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        return None
