"""Mark the runs of a page that say when something was written, as dates or as times ago."""

import re

import numpy as np
import numpy.typing as npt

from bodytext.kernel import find_marked
from bodytext.kernel.tokens import unescape
from bodytext.page.late_pattern import late_pattern
from bodytext.page.months import MONTHS
from bodytext.page.tables import Page

_LONGEST_DATE = 80  # characters of a run
_LONGEST_RUN = 1_000  # bytes, with the white space of the markup around it
_SHORTEST_DATE = 2  # "3h"

_MONTH = r"[^\W\d_]{3,12}\.?"
_UNIT = r"(?:s|m|h|d|w|y|mo|sec|min|hr|second|minute|hour|day|week|month|year)s?"
# Words for "ago" after or before a number in the languages of the web; with them any unit of time
# counts.
_AGO_AFTER = r"ago|назад|тому|önce|geleden|sedan|siden|sitten|fa|temu|atrás|előtt|πριν|trước|lalu|पहले|আগে|پیش|ที่แล้ว"
_AGO_BEFORE = r"vor|hace|há|il\sy\sa|acum|před|pred|πριν|منذ|قبل|לפני"
_CLOCK = r"\d{1,2}\s?[:h.時]\s?\d\d"
_AT = r"(?:(?:at|um|à|às|alle|ore|om|kl\.?|в|о|a\slas|saat)\s)?"
_YEAR_OR_TIME = rf"(?:(?:19|20)\d\d | '\d\d | {_AT}{_CLOCK} | at\s\d)"
_DAY = r"today|yesterday|heute|gestern|hoy|ayer|hier|aujourd|oggi|ieri|hoje|ontem|сегодня|вчера|vandaag|gisteren|bugün|dün"
# What begins with a digit, and what begins with a letter: few characters begin either.
_WHEN = late_pattern(
    rf"""(?<!\d)(?=\d)(?:
      (?:19|20)\d\d[-./年년]\s?\d{{1,2}}[-./月월] | \d{{1,2}}[-./]\d{{1,2}}[-./](?:\d{{4}}|\d{{2}})(?!\d)
      | \d{{1,2}}(?:st|nd|rd|th|\.|er)?\s(?:de\s|of\s)?{_MONTH},?\s(?:de\s)?{_YEAR_OR_TIME}
      | \d{{1,3}}\s?\S{{1,12}}\s(?:{_AGO_AFTER})(?!\w))
    | \d\s?[^\W\d_]{{1,4}}[前전]
    | (?<!\w)(?=[^\W\d_])(?:{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s(?:{_YEAR_OR_TIME}|\d{{3,4}}(?!\d))
      | (?:{_AGO_BEFORE})\s(?:\d{{1,3}}|an?|eine[mnr]?|une?|un[oa]?)\s\S{{1,12}} | (?:an?|one)\s{_UNIT}\sago\b
      | (?:{_DAY})\b.{{0,12}}\d)
    | ^\W*+(?:\d{{1,3}}\s?{_UNIT} | yesterday | just\snow | \d{{1,2}}:\d\d(?:\s?[ap]m)?)
      \W*+$""",
    re.IGNORECASE | re.VERBOSE,
)
# Every date has a digit or one of these words, and so one of the last two in its source: a digit, a
# letter beyond those of English (neither dashes nor quotes) or a word.
_DIGIT = late_pattern(r"\d")
_WORD = late_pattern(rf"ago|yesterday|now|{_AGO_BEFORE}", re.IGNORECASE)
_MARKS = b"0123456789&" + bytes([*range(0xC3, 0xE2), *range(0xE3, 0x100)])
_MAYBE_WORDS = (
    *b"ago acum yesterday now vor hace pred".split(),
    *(b"il" + blank for blank in (b" ", b"\t", b"\n", b"\v", b"\f", b"\r")),
)
_AROUND_NUMBER = b"#() \t\n\r"  # of a post or of answers
# Dates of other things: an edit, the author's registration, the last reply.
_OTHER = late_pattern(
    r"join|regist|member since|edited|last |updated|modified|mitglied seit|dabei seit|inscri|miembro desde|bearbeitet",
    re.IGNORECASE,
)


def mark_dates(page: Page, among: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.bool_]:
    """Which runs, or which among some, are a date or a time ago, and hardly anything else."""
    source, runs = page.source, page.runs
    marked = np.zeros(len(runs.chars), np.bool_)
    is_short = (runs.chars >= _SHORTEST_DATE) & (runs.chars <= _LONGEST_DATE)
    if among is not None:
        is_short &= among
    chosen = np.flatnonzero(is_short & (runs.end - runs.start <= _LONGEST_RUN))
    starts, ends = runs.start[chosen], runs.end[chosen]
    maybe = find_marked(source, starts, ends, _MARKS, _MAYBE_WORDS)
    columns = (chosen[maybe], starts[maybe], ends[maybe])
    known: dict[bytes, bool] = {}  # posts of one day have the same date
    for run, start, end in zip(*(column.tolist() for column in columns), strict=True):
        text = source[start:end]
        if text not in known:
            is_number = text.strip(_AROUND_NUMBER).isdigit()  # most, and this is far quicker
            known[text] = not is_number and says_when(text.decode("utf-8", "replace"))
        marked[run] = known[text]
    return marked


_DAY_OF_MONTH = late_pattern(rf"\W*+({_MONTH})\s'?\d{{1,2}}\W*+|\W*+\d{{1,2}}\.?\s({_MONTH})\W*+")


def says_when(text: str) -> bool:
    """Whether a short text says when something was written.

    >>> says_when("Posted on May 4, 2019 at 10:33"), says_when("vor 3 Tagen")
    (True, True)
    >>> says_when("Joined: 4 May 2011")
    False
    """
    folded = " ".join(unescape(text).split())
    if folded.strip("#() ").isdecimal():
        return False  # the number of a post or of answers, most likely
    if not _DIGIT.search(folded) and not _WORD.search(folded):
        return False
    if match := _DAY_OF_MONTH.fullmatch(folded):
        is_date = (match[1] or match[2]).rstrip(".").casefold() in MONTHS
    else:
        is_date = _WHEN.search(folded) is not None
    return is_date and not _OTHER.search(folded)
