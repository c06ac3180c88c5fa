"""split_names: what a page says about who wrote it -> the names of people, cleaned, in order.

Words for "by" and for roles, addresses, dates and letters behind a name are taken off; what is no name is dropped.
"""

import re

from bodytext.views.metadata.vocabulary import BY, NO_FIRST_NAMES, NO_NAMES, PARTICLES, ROLE, ROLES

LONGEST_NAME = 60  # characters
_MOST_WORDS = 6
_LONGEST_BYLINE = 400  # characters

_BETWEEN = re.compile(
    r"\s*+[;|•·\n、/&+，،»]\s*+|\s[–—-]\s++|,?\s++(?:and|und|et|og|och|ve|та|și|és|và|with|mit|avec)\s++(?=\S)|\s++و\s++(?=\S)"
)
# Words for "and" that stand inside names too: they part two names of two words at least.
_PERHAPS_BETWEEN = re.compile(r",?\s++(?:y|e|i|a|en|и|і|ja|dan|con)\s++(?=\S)")
_AND_OTHERS = re.compile(r"\b(?:et\s++al\.?|and\s++others|u\.\s?a\.)\s*+$", re.IGNORECASE)
_ADDRESS = re.compile(r"\b(?:https?:|www\.)\S*+|<[^<>]{0,200}>|\S{1,80}@\S{1,80}", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*+[(\[（【][^()\[\]（）【】]{0,80}[)\]）】]")
# Words behind which a line no longer names its author.
_ENDS = re.compile(
    r"(?:\s++(?:[^\W\d_]{3,12}\.?\s++\d|\d|on\s++(?:\w++\s++)?\d|is\s++an?\s|is\s++the\s|(?:for|in|at|from)\s++\S)|"
    r"\b(?:published|updated|last\s++updated|posted|reviewed|modified|medically|fact[- ]checked|read\s++more|follow|"
    r"wrote|"
    r"aktualisiert|veröffentlicht|publié|mis\s++à\s++jour|publicado|actualizado|pubblicato|reading\s++time)\b).*+$",
    re.IGNORECASE | re.DOTALL,
)
_LETTERS = re.compile(
    r"(?:[A-Z][A-Za-z]?\.?-?){1,5}[®™]?|(?:Ph|Psy|Ed|Pharm)\.?\s?D\.?|Jr\.?|Sr\.?|M\.?Sc\.?|B\.?Sc\.?|Esq\.?|LL\.?[MB]\.?"
)
_DEGREE = re.compile(
    r"(?:Ph|Psy|Ed|Pharm)\.?\s?D\.?|Jr\.?|Sr\.?|M\.?Sc\.?|B\.?Sc\.?|Esq\.?|LL\.?[MB]\.?|\S{0,3}\.\S{0,3}\.?"
)
_TITLES = re.compile(r"^(?:(?:dr|prof|mr|mrs|ms|sir)\.?\s++){1,3}(?=\S++\s)", re.IGNORECASE)
# A key of a template, a credit of a picture, a number of minutes.
_NO_NAME_SHAPE = re.compile(
    r"^\w+\.\w+\.\w|[{}$%=]|^(?:foto|photo|bild|image|picture|credit|illustration)\b|^\d+\s|@", re.IGNORECASE
)
_WORD = re.compile(r"[^\s,]+")
_LETTERS_AND_DIGITS = re.compile(r"\w+")
_CASED = re.compile(r"[A-ZÀ-ÞĀ-ŽА-ЯЁЂ-ЏҐІЇЄΑ-Ωא-ת]")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_LONGEST_KOREAN_NAME, _LONGEST_HAN_NAME = 4, 8  # characters; the second has room for a dot and two katakana words
_KATAKANA_WORD = re.compile("[\u3040-\u30ff]+")  # a foreign word, not a name: that has a dot in the middle
_EAST_ASIAN_ROLE = re.compile("[\\s　]*+(?:記者|记者|기자|特派員|編集委員|論説委員|编辑|先生|さん)$")
_UNCASED = re.compile("[\u0590-\u08ff\u0900-\u0eff\u1780-\u17ff]")
_EDGES = " \t,.;:|/\\-–—•·*_\"“”„«»‘’'()[]{}<>@#&+=~…"


def split_names(text: str, *, seen: bool = False) -> list[str]:
    """The names in what data say, or in a line that is seen on the page, where more stands around them.

    >>> split_names("By Ann Lee, MD and Bo Ek | Staff Writer, 12 May 2024", seen=True), split_names("Von Eva Groß, dpa")
    (['Ann Lee', 'Bo Ek'], ['Eva Groß', 'dpa'])
    """
    text = text[:_LONGEST_BYLINE]
    if not text:
        return []
    text = _IN_BRACKETS.sub(" ", _ADDRESS.sub(" ", text))
    if match := BY.match(text):
        text = text[match.end() :]
    text = _AND_OTHERS.sub("", text)
    if seen:
        text = _ENDS.sub("", text)
    found: list[str] = []
    for group in _BETWEEN.split(text):
        for part in (part for one in _split_carefully(group) for part in one.split(",")):
            name = clean_name(part)
            if name and not (found and is_addition(name)):
                found.append(name)
    return found


def _split_carefully(text: str) -> list[str]:
    parts = _PERHAPS_BETWEEN.split(text)
    return parts if all(len(part.split()) > 1 for part in parts) else [text]


def clean_name(text: str) -> str:
    """One name without what people write around it; nothing where no name is left."""
    if match := BY.match(text):
        text = text[match.end() :]
    name = " ".join(text.split()).strip(_EDGES)
    name = _without_letters(_EAST_ASIAN_ROLE.sub("", name))
    if len(name) < 2 or len(name) > LONGEST_NAME or len(name.split()) > _MOST_WORDS:
        return ""
    if name.casefold() in NO_NAMES or _NO_NAME_SHAPE.search(name) or not any(map(str.isalpha, name)):
        return ""
    return name


def _without_letters(name: str) -> str:
    """A name without the letters of degrees behind it, and without titles before it."""
    words = name.split()
    while (
        len(words) > 2
        and _LETTERS.fullmatch(words[-1].strip(","))
        and words[-1].strip(".,").isupper()
        and len(words[-1]) > 1
    ):
        if not any(any(map(str.islower, word)) for word in words[:-1]):
            break  # a name that is written in capitals altogether
        words.pop()
    return " ".join(words)


def is_addition(text: str) -> bool:
    """Whether what stands behind a name and a comma is a degree or a role, not another name."""
    return bool((_LETTERS.fullmatch(text) and text.strip(".®™").isupper()) or _DEGREE.fullmatch(text) or has_role(text))


def has_role(text: str) -> bool:
    """Whether a text names a role rather than a person."""
    text = text.lower()
    return not ROLES.isdisjoint(_LETTERS_AND_DIGITS.findall(text)) or (not text.isascii() and bool(ROLE.search(text)))


def is_prose(text: str) -> bool:
    """Whether what follows a word for "by" goes on as a sentence: most of its words, two at least, are small ones.

    >>> is_prose("By following the tips below"), is_prose("By the Lavazza Team"), is_prose("By carla on 4 May 2024")
    (True, False, False)
    """
    match = BY.match(text)
    words = _WORD.findall(_ENDS.sub("", text[match.end() if match else 0 :]))
    return len(words) > 1 and 2 * sum(word.islower() and word not in PARTICLES for word in words) > len(words)


def is_person(name: str) -> bool:
    """Whether a name has the shape of a person's: two to five words in capitals, or letters of scripts without them.

    >>> is_person("Ludwig van Beethoven"), is_person("松岡大地"), is_person("More stories"), is_person("Share")
    (True, True, False, False)
    """
    if any(map(str.isdecimal, name)) or has_role(name):
        return False
    if _EAST_ASIAN.search(name):
        if _HANGUL.search(name):
            return 2 <= len(name) <= _LONGEST_KOREAN_NAME
        return 2 <= len(name.replace(" ", "")) <= _LONGEST_HAN_NAME and not _KATAKANA_WORD.fullmatch(name)
    words = _WORD.findall(name)
    if not 2 <= len(words) <= 5 or words[0].casefold() in NO_FIRST_NAMES:
        return False
    if _UNCASED.search(name):
        return True
    return all(_CASED.match(word) or word.casefold() in PARTICLES or word[:2] in {"d'", "d’", "l'"} for word in words)
