"""Read the names of people in a byline, in their order.

Words for "by" and for roles, addresses, dates and letters after a name are taken off; texts that
are no names are dropped.
"""

import re
from collections.abc import Iterator

from bodytext.page.late_pattern import late_pattern
from bodytext.views.metadata.vocabulary import (
    NO_FIRST_NAMES,
    NO_NAMES,
    PARTICLES,
    ROLE,
    ROLES,
    match_by,
)

LONGEST_NAME = 60  # characters
_MOST_WORDS = 6
_LONGEST_BYLINE = 400  # characters

# Expressions that are searched begin with a class of characters: that is several times as fast.
_MARKS = "[;|•·、/&+，،»]"
_AND = "and|und|et|og|och|ve|та|și|és|và|with|mit|avec"
_SEPARATOR = late_pattern(
    rf"[\s,{_MARKS[1:-1]}](?:(?<={_MARKS})\s*+|(?<=\s)(?:(?<!\s\s)\s*+{_MARKS}\s*+|[–—-]\s++"
    rf"|(?<!\s\s)\s*+(?:{_AND}|و)\s++(?=\S))|(?<=,)\s++(?:{_AND})\s++(?=\S))"
)
# Words for "and" that occur inside names too: they separate names of two words or more.
_POSSIBLE_SEPARATOR = late_pattern(
    r"[\s,](?:(?<=,)\s++|(?<=\s)(?<!\s\s)\s*+)(?:y|e|i|a|en|и|і|ja|dan|con)\s++(?=\S)"
)
_AND_OTHERS = late_pattern(r"\b(?:et\s++al\.?|and\s++others|u\.\s?a\.)\s*+$", re.IGNORECASE)
_ENDS_OF_OTHERS = ("al", "al.", "others", "a.")
_ADDRESS = late_pattern(r"\b(?:https?:|www\.)\S*+|<[^<>]{0,200}>|\S{1,80}@\S{1,80}", re.IGNORECASE)
_IN_BRACKETS = late_pattern(r"(?:(?<!\s)\s++)?[(\[（【][^()\[\]（）【】]{0,80}[)\]）】]")
_BRACKET = late_pattern(r"[)\]）】]")
# Words after which a line no longer names its author.
_ENDS = late_pattern(
    r"(?:(?<!\s)\s++(?:[^\W\d_]{3,12}\.?\s++\d|\d|on\s++(?:\w++\s++)?\d|is\s++an?\s|is\s++the\s"
    r"|(?:for|in|at|from)\s++\S)"
    r"|\b(?:published|updated|last\s++updated|posted|reviewed|modified|medically"
    r"|fact[- ]checked|read\s++more|follow|wrote|aktualisiert|veröffentlicht|publié"
    r"|mis\s++à\s++jour|publicado|actualizado|pubblicato|reading\s++time)\b).*+$",
    re.IGNORECASE | re.DOTALL,
)
_KNOWN_DEGREE = r"(?:Ph|Psy|Ed|Pharm)\.?\s?D\.?|Jr\.?|Sr\.?|M\.?Sc\.?|B\.?Sc\.?|Esq\.?|LL\.?[MB]\.?"
_LETTERS = late_pattern(r"(?:[A-Z][A-Za-z]?\.?-?){1,5}[®™]?|" + _KNOWN_DEGREE)
_DEGREE = late_pattern(_KNOWN_DEGREE + r"|\S{0,3}\.\S{0,3}\.?")
# The key of a template, the credit of a picture, a number of minutes, "view" in Chinese.
_NO_NAME_START = late_pattern(
    r"\w+\.\w+\.\w|(?:foto|photo|bild|image|picture|credit|illustration)\b|\d+\s|查看",
    re.IGNORECASE,
)
_NO_NAME_MARK = late_pattern("[{}$%=@]")
_WORD = late_pattern(r"[^\s,]+")
_LETTERS_AND_DIGITS = late_pattern(r"\w+")
_CASED = late_pattern(r"[A-ZÀ-ÞĀ-ŽА-ЯЁЂ-ЏҐІЇЄΑ-Ωא-ת]")
_EAST_ASIAN = late_pattern("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_HANGUL = late_pattern("[\uac00-\ud7af]")
_KANA_ALONE = late_pattern("[\u3040-\u30ff]*+")
_LONGEST_KOREAN_NAME = 4  # characters
_LONGEST_HAN_NAME = 8  # characters; it has room for a dot and two katakana words
_EAST_ASIAN_ROLE = late_pattern(
    r"(?:(?<!\s)\s++)?(?:記者|记者|기자|特派員|編集委員|論説委員|编辑|先生|さん)$"
)
_ELIDED = frozenset({"d'", "d’", "l'"})
_UNCASED = late_pattern("[\u0590-\u08ff\u0900-\u0eff\u1780-\u17ff]")
_EDGES = " \t,.;:|/\\-–—•·*_\"“”„«»‘’'()[]{}<>@#&+=~…"


def split_names(text: str, *, seen: bool = False) -> list[str]:
    """The names in a value of data, or with `seen` in a line of the page with other words.

    >>> split_names("By Ann Lee, MD and Bo Ek | Staff Writer, 12 May 2024", seen=True)
    ['Ann Lee', 'Bo Ek']
    >>> split_names("Von Eva Groß, dpa")
    ['Eva Groß', 'dpa']
    """
    text = text[:_LONGEST_BYLINE]
    if not text:
        return []
    if not text.replace(" ", "").isalpha():  # few names have anything but letters
        text = _without_brackets(_without_address(text))
    text = _without_others(_without_by(text))
    if seen:
        text = _ENDS.sub("", text)
    names: list[str] = []
    for part in _split_parts(text):
        name = clean_name(part)
        if name and not (names and is_addition(name)):
            names.append(name)
    return names


def _without_address(text: str) -> str:
    if "@" in text or "<" in text or ":" in text or "www." in text.lower():
        return _ADDRESS.sub(" ", text)
    return text  # most


def _without_brackets(text: str) -> str:
    return _IN_BRACKETS.sub(" ", text) if _BRACKET.search(text) else text


def _without_by(text: str) -> str:
    match = match_by(text)
    return text[match.end() :] if match else text


def _without_others(text: str) -> str:
    if text.isascii() and not text.rstrip().lower().endswith(_ENDS_OF_OTHERS):
        return text  # most
    return _AND_OTHERS.sub("", text)


def _split_parts(text: str) -> Iterator[str]:
    """The parts of a byline between separators and commas."""
    for group in _SEPARATOR.split(text):
        parts = _POSSIBLE_SEPARATOR.split(group)
        if any(len(part.split()) < 2 for part in parts):
            parts = [group]
        for part in parts:
            yield from part.split(",")


def clean_name(text: str) -> str:
    """A name without what people write around it; empty where no name is left."""
    name = " ".join(_without_by(text).split()).strip(_EDGES)
    name = _without_letters(name if name.isascii() else _EAST_ASIAN_ROLE.sub("", name))
    if len(name) < 2 or len(name) > LONGEST_NAME or len(name.split()) > _MOST_WORDS:
        return ""
    if name.casefold() in NO_NAMES or _NO_NAME_MARK.search(name) or _NO_NAME_START.match(name):
        return ""
    return name if any(map(str.isalpha, name)) else ""


def _without_letters(name: str) -> str:
    """A name without the letters of degrees after it, unless all of it is in capitals."""
    words = name.split()
    while len(words) > 2 and _are_letters(words[-1]):
        if not any(any(map(str.islower, word)) for word in words[:-1]):
            break
        words.pop()
    return " ".join(words)


def _are_letters(word: str) -> bool:
    is_upper = len(word) > 1 and word.strip(".,").isupper()
    return is_upper and _LETTERS.fullmatch(word.strip(",")) is not None


def is_addition(text: str) -> bool:
    """Whether the text after a name and a comma is a degree or a role, not another name."""
    if _LETTERS.fullmatch(text) and text.strip(".®™").isupper():
        return True
    return bool(_DEGREE.fullmatch(text)) or has_role(text)


def has_role(text: str) -> bool:
    """Whether a text names a role rather than a person."""
    text = text.lower()
    if not ROLES.isdisjoint(_LETTERS_AND_DIGITS.findall(text)):
        return True
    return not text.isascii() and bool(ROLE.search(text))


def is_prose(text: str) -> bool:
    """Whether the text after a word for "by" is a sentence: most of its words are in lower case.

    >>> is_prose("By following the tips below"), is_prose("By the Lavazza Team")
    (True, False)
    >>> is_prose("By carla on 4 May 2024")
    False
    """
    words = _WORD.findall(_ENDS.sub("", _without_by(text)))
    in_lower_case = sum(word.islower() and word not in PARTICLES for word in words)
    return len(words) > 1 and 2 * in_lower_case > len(words)


def is_person(name: str) -> bool:
    """Whether a name looks like a person's: two to five words, with capitals if there are any.

    >>> is_person("Ludwig van Beethoven"), is_person("松岡大地")
    (True, True)
    >>> is_person("More stories"), is_person("Share")
    (False, False)
    """
    if is_east_asian(name):
        is_likely = _is_east_asian_person(name)
    else:
        words = _WORD.findall(name)
        is_likely = 2 <= len(words) <= 5 and words[0].casefold() not in NO_FIRST_NAMES
        is_likely = is_likely and (all(map(_is_name_word, words)) or bool(_UNCASED.search(name)))
    return is_likely and not any(map(str.isdecimal, name)) and not has_role(name)


def is_east_asian(name: str) -> bool:
    """Whether a name has letters of China, Japan or Korea."""
    return not name.isascii() and bool(_EAST_ASIAN.search(name))


def _is_east_asian_person(name: str) -> bool:
    if _HANGUL.search(name):
        return 2 <= len(name) <= _LONGEST_KOREAN_NAME
    # Kana alone are a foreign word.
    length = len(name.replace(" ", ""))
    return 2 <= length <= _LONGEST_HAN_NAME and not _KANA_ALONE.fullmatch(name)


def _is_name_word(word: str) -> bool:
    return bool(_CASED.match(word)) or word.casefold() in PARTICLES or word[:2] in _ELIDED
