"""Split a text into sentences, in any script.

A line ends a sentence, and so do punctuation marks: always in scripts without a space after them
(Chinese, Japanese, Burmese, Khmer, Tibetan), elsewhere if white space follows and no lower-case
letter. A full stop does not end a sentence after an initial, a word with a full stop inside
("z.B."), an abbreviation, the number of a list item, or the number of a day in languages that write
ordinals that way. Thai and Lao do not mark sentences: there one ends at the first space after as
many letters as a sentence usually has.
"""

import re

Span = tuple[int, int]

# Marks that end a sentence if white space follows: Latin, Greek and Cyrillic, Devanagari, Arabic,
# Urdu, Armenian, Ethiopic, Sinhala; and marks that always end one: Han and kana, Burmese, Khmer,
# Tibetan.
_SPACED = ".!?…।॥؟۔։።෴;" + "．"
_UNSPACED = "。！？｡။។།"
_CLOSING = "\"'”’»«“‘」』）)›]】》"
_CLOSING_UNSPACED = (
    "”’」』）)》】"  # without a space after the mark, “ and « open the next sentence
)
_OPENING = "\"'“‘«»„‚‹(［[（「『【《¿¡—–-"
_GREEK_QUESTION = ";"  # in Greek a question mark; elsewhere it ends nothing
_STOP = re.compile(
    f"[{re.escape(_UNSPACED)}]+[{re.escape(_CLOSING_UNSPACED)}]*"
    f"|(?<![{re.escape(_SPACED)}])[{re.escape(_SPACED)}]++[{re.escape(_CLOSING)}]*+(?=\\s|$)"
)
_LAST_WORD = re.compile(r"(?<![^\s(\[{\"'“‘«„/–—-])[^\s(\[{\"'“‘«„/–—-]++\Z")
_ITEM_NUMBER = re.compile(r"\(?(?:\d{1,3}|[A-Za-zА-я])[.)]*\Z")
_DAY = re.compile(r"\d{1,2}\Z")
# A capital and lower-case letters without a vowel are an abbreviation: Mr, Dr, St, Mrs, Sgt, Hr,
# Nr.
_VOWELLESS = re.compile(r"[A-Z][bcdfghjklmnpqrstvwxz]{1,3}\Z")
# Languages that write "3." for the third, so that a day's number is followed by a full stop.
_ORDINALS = frozenset((
    "bs", "cs", "da", "de", "et", "fi", "fo", "hr", "hu", "is", "lb", "lv", "nb", "nn", "no", "pl", "sk", "sl", "sr",
    "tr",
))  # fmt: skip
# Abbreviations that are often followed by a capital: titles, months, streets, references. Those
# that end sentences as often ("etc") and those that are also words ("no", "art") are left out.
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
_THAI_SENTENCE = 60  # letters; clauses of Thai news have 20 to 40, and two or three make a sentence
_LEAST_SPACES = 3  # of a line that the next continues: a list of words is not a sentence
_CONTEXT = 24  # characters around a full stop that say what it is


def split_sentences(text: str, language: str = "") -> list[Span]:
    """Return the starts and ends of the sentences, without surrounding white space.

    >>> [text[start:end] for text in ["Dr. Ito came. He left."] for start, end in split_sentences(text)]
    ['Dr. Ito came.', 'He left.']
    """
    sentences: list[Span] = []
    for start, end in _split_lines(text):
        if language in _UNMARKED or (not language and _THAI.search(text, start, end)):
            sentences += _split_unmarked(text, start, end)
        else:
            sentences += _split_marked(text, start, end, language)
    return sentences


def _split_lines(text: str) -> list[Span]:
    """Split a text into lines; a line that continues the one before it is joined to that."""
    lines: list[Span] = []
    spaces = 0  # of the last line, before another is joined to it
    for match in re.finditer(r"[^\n]+", text):
        line = _trim(text, *match.span())
        if not line:
            continue
        if spaces >= _LEAST_SPACES and _continues(text, lines[-1], line):
            lines[-1] = (lines[-1][0], line[1])
        else:
            lines.append(line)
            spaces = text.count(" ", *line)
    return lines


def _continues(text: str, line: Span, following: Span) -> bool:
    """Whether a line breaks off within a sentence."""
    is_broken = text[following[0]].islower() and text[line[1] - 1].isalnum()
    return is_broken and text.count("\n", line[1], following[0]) == 1


def _split_marked(text: str, start: int, end: int, language: str) -> list[Span]:
    sentences: list[Span] = []
    first = start
    for stop in _STOP.finditer(text, start, end):
        if _ends_sentence(text, (first, stop.start(), stop.end(), end), language):
            sentences.append((first, stop.end()))
            first = stop.end()
            while first < end and text[first].isspace():
                first += 1
    if first < end:
        sentences.append((first, end))
    return sentences


def _ends_sentence(text: str, positions: tuple[int, int, int, int], language: str) -> bool:
    """Whether a mark ends a sentence: positions of sentence, mark start, mark end, line end."""
    first, start, stop, end = positions
    mark = text[start]
    if stop >= end:
        return True
    if mark in _UNSPACED:  # 「はい。」と言った is one sentence
        return text[stop - 1] not in _CLOSING_UNSPACED or not _is_hiragana(text[stop])
    if mark == _GREEK_QUESTION and language != "el":
        return False
    if _letter_after(text, stop, end).islower():
        return False
    return (
        mark != "."
        or text.startswith("..", start)
        or not _is_abbreviated(text, first, start, language)
    )


def _is_hiragana(letter: str) -> bool:
    return "\u3041" <= letter <= "\u309f"


def _letter_after(text: str, position: int, end: int) -> str:
    """Return the first character after a position, without spaces and opening marks."""
    for letter in text[position : min(end, position + _CONTEXT)]:
        if not letter.isspace() and letter not in _OPENING:
            return letter
    return ""


def _is_abbreviated(text: str, first: int, stop: int, language: str) -> bool:
    """Whether the full stop at a position belongs to the word before it."""
    start = max(first, stop - _CONTEXT)
    match = _LAST_WORD.search(text[start:stop])
    if not match:
        return False
    word = match[0]
    if start + match.start() == first and _ITEM_NUMBER.match(word):
        return True
    if _DAY.match(word):
        return language in _ORDINALS
    is_initial = len(word) == 1 and word.isalpha() and not word.islower()
    return is_initial or "." in word.strip(".") or _is_short_form(word)


def _is_short_form(word: str) -> bool:
    if len(word) > _LONGEST_ABBREVIATION:
        return False
    return (word.lower() in _ABBREVIATIONS and not word.isupper()) or _VOWELLESS.match(
        word
    ) is not None


def _split_unmarked(text: str, start: int, end: int) -> list[Span]:
    """Split a text of a script without marks at the first space after enough letters."""
    sentences: list[Span] = []
    first = start
    while end - first > _THAI_SENTENCE:
        space = re.compile(r"\s+").search(text, first + _THAI_SENTENCE, end)
        if not space:
            break
        sentences.append((first, space.start()))
        first = space.end()
    if first < end:
        sentences.append((first, end))
    return sentences


def _trim(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None
