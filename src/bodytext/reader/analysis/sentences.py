"""A text and its language in, where its sentences start and end out, in any script.

A line ends a sentence, and so do the marks that end one: at once where they are of scripts that put no space behind
them (Chinese, Japanese, Burmese, Khmer, Tibetan), elsewhere where white space and no small letter follows. A full stop
ends none behind an initial, behind a word that has one inside ("z.B."), behind an abbreviation, behind the number that
begins a list item, nor behind a day's number in languages that write ordinals so. Thai and Lao mark no sentences: there
one ends at the first space after so many letters as a sentence has.
"""

import re

Span = tuple[int, int]

# What ends a sentence where white space follows: Latin, Greek and Cyrillic, Devanagari, Arabic, Urdu, Armenian,
# Ethiopic, Sinhala; and what ends one whatever follows: Han and kana, Burmese, Khmer, Tibetan.
_SPACED = ".!?…।॥؟۔։።෴;" + "．"
_UNSPACED = "。！？｡။។།"
_CLOSING = "\"'”’»«“‘」』）)›]】》"
_CLOSING_UNSPACED = "”’」』）)》】"  # where no space follows, “ and « open what comes next
_OPENING = "\"'“‘«»„‚‹(［[（「『【《¿¡—–-"
_GREEK_QUESTION = ";"  # in Greek a question mark; elsewhere it ends nothing
_STOP = re.compile(
    f"[{re.escape(_UNSPACED)}]+[{re.escape(_CLOSING_UNSPACED)}]*"
    f"|[{re.escape(_SPACED)}]+[{re.escape(_CLOSING)}]*(?=\\s|$)"
)
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«„/–—-]+\Z")
_ITEM_NUMBER = re.compile(r"\(?(?:\d{1,3}|[A-Za-zА-я])[.)]*\Z")
_DAY = re.compile(r"\d{1,2}\Z")
# A word of capitals and small letters without a vowel is no word: Mr, Dr, St, Mrs, Sgt, Hr, Nr.
_VOWELLESS = re.compile(r"[A-Z][bcdfghjklmnpqrstvwxz]{1,3}\Z")
# Languages that write "3." for the third, so that a day's number is followed by a full stop.
_ORDINALS = frozenset((
    "bs", "cs", "da", "de", "et", "fi", "fo", "hr", "hu", "is", "lb", "lv", "nb", "nn", "no", "pl", "sk", "sl", "sr",
    "tr",
))  # fmt: skip
# Abbreviations that a capital follows often: titles, months, streets, references. Left out are those with which
# sentences end as often ("etc") and those that are words as well ("no", "art").
_ABBREVIATIONS = frozenset((
    "prof", "gen", "rep", "sen", "gov", "capt", "maj", "adm", "hon", "rev", "pres", "supt", "insp", "inc",
    "corp", "ltd", "jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "dept",
    "fig", "vol", "nos", "vs", "ca", "bzw", "ggf", "evtl", "inkl", "str", "sra",
    "srta", "sres", "uds", "mme", "mlle", "mgr", "dra", "avv", "dott", "geb", "gest", "ul",
    "św", "tzw", "tj", "np", "tzn", "mudr", "č", "čp", "им", "ул", "г", "гг", "стр", "см", "т", "тов", "проф",
    "акад", "αρ", "κ",
))  # fmt: skip
_LONGEST_ABBREVIATION = 5
_UNMARKED = frozenset({"th", "lo"})
_THAI = re.compile(r"[\u0E00-\u0EFF]")
_THAI_SENTENCE = 60  # letters; Thai news has clauses of 20 to 40 between spaces, and two or three make a sentence
_LEAST_SPACES = 3  # of a line that a small letter goes on from
_LOOK_BACK = 24  # characters before a full stop that may tell what it is


def split_sentences(text: str, language: str = "") -> list[Span]:
    """The starts and ends of the sentences, without the white space around them.

    >>> [text[start:end] for text in ["Dr. Ito came. He left."] for start, end in split_sentences(text)]
    ['Dr. Ito came.', 'He left.']
    """
    found: list[Span] = []
    for start, end in _split_lines(text):
        if language in _UNMARKED or (not language and _THAI.search(text, start, end)):
            found += _split_unmarked(text, start, end)
        else:
            found += _split_marked(text, start, end, language)
    return found


def _split_lines(text: str) -> list[Span]:
    """The lines of a text; one that breaks off before a small letter and the next are one."""
    found: list[Span] = []
    for line in re.finditer(r"[^\n]+", text):
        span = _trim(text, *line.span())
        if not span:
            continue
        if found and text[span[0]].islower() and text[found[-1][1] - 1].isalnum() and _are_near(text, found[-1], span):
            found[-1] = (found[-1][0], span[1])
        else:
            found.append(span)
    return found


def _are_near(text: str, one: Span, other: Span) -> bool:
    """Whether two lines have no blank line between them; a list of small words is no sentence."""
    words = text.count(" ", *one)
    return words >= _LEAST_SPACES and text.count("\n", one[1], other[0]) == 1


def _split_marked(text: str, start: int, end: int, language: str) -> list[Span]:
    found: list[Span] = []
    first = start
    for stop in _STOP.finditer(text, start, end):
        if _ends_sentence(text, (first, stop.start(), stop.end(), end), language):
            found.append((first, stop.end()))
            first = stop.end()
            while first < end and text[first].isspace():
                first += 1
    if first < end:
        found.append((first, end))
    return found


def _ends_sentence(text: str, places: tuple[int, int, int, int], language: str) -> bool:
    """Whether a mark ends a sentence: where that began, where the mark starts and ends, where the line ends."""
    first, start, stop, end = places
    mark = text[start]
    if stop >= end:
        return True
    if mark in _UNSPACED:  # 「はい。」と言った is one sentence
        return text[stop - 1] not in _CLOSING_UNSPACED or not _is_hiragana(text[stop])
    if mark == _GREEK_QUESTION and language != "el":
        return False
    follows = _letter_behind(text, stop, end)
    if follows.islower():
        return False
    return mark != "." or text.startswith("..", start) or not _is_abbreviated(text, first, start, language)


def _is_hiragana(letter: str) -> bool:
    return "\u3041" <= letter <= "\u309f"


def _letter_behind(text: str, place: int, end: int) -> str:
    """The first character behind a place that is neither white space nor opens something."""
    for letter in text[place : min(end, place + _LOOK_BACK)]:
        if not letter.isspace() and letter not in _OPENING:
            return letter
    return ""


def _is_abbreviated(text: str, first: int, stop: int, language: str) -> bool:
    """Whether the full stop at a place belongs to the word before it."""
    found = _LAST_WORD.search(text, max(first, stop - _LOOK_BACK), stop)
    if not found:
        return False
    word = found[0]
    if found.start() == first and _ITEM_NUMBER.match(word):
        return True
    if _DAY.match(word):
        return language in _ORDINALS
    is_initial = len(word) == 1 and word.isalpha() and not word.islower()
    return is_initial or "." in word.strip(".") or _is_short_form(word)


def _is_short_form(word: str) -> bool:
    return len(word) <= _LONGEST_ABBREVIATION and (
        (word.lower() in _ABBREVIATIONS and not word.isupper()) or _VOWELLESS.match(word) is not None
    )


def _split_unmarked(text: str, start: int, end: int) -> list[Span]:
    """Sentences of a script that marks none: so many letters, up to the next space."""
    found: list[Span] = []
    first = start
    while end - first > _THAI_SENTENCE:
        space = re.compile(r"\s+").search(text, first + _THAI_SENTENCE, end)
        if not space:
            break
        found.append((first, space.start()))
        first = space.end()
    if first < end:
        found.append((first, end))
    return found


def _trim(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None
