"""Read the date in a text as an ISO date, as exact as the text gives it.

A date is never made up. It needs a year, it is never counted from today, and dates that do not
exist or are in the future are refused. A time and a zone are kept if they are given; no zone is
converted into another.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from time import time
from typing import NamedTuple

from bodytext.page.late_pattern import late_pattern
from bodytext.page.months import JALALI_MONTHS, MONTHS, OVERRIDES

EARLIEST_YEAR = 1970  # an earlier date is one in the story, or none
LONGEST_TEXT = 300  # characters that are searched; dates are short
_LAST_ZONE = 14  # hours from Greenwich: there a day begins first
_AHEAD = _LAST_ZONE * 3_600  # seconds
_SECONDS_A_DAY = 86_400
_FIRST_DAY = date(1970, 1, 1)
_BUDDHIST = 543  # years that Thai dates count more
_BUDDHIST_YEARS = range(2400, 2700)
_JALALI_YEARS = range(1300, 1500)
_JALALI_LEAPS = frozenset({1, 5, 9, 13, 17, 22, 26, 30})  # of a cycle of 33 years
_THIS_CENTURY = 2000  # years of two digits are counted from here

# An expression that begins with a class of characters is searched several times as fast.
_MAY_BE_DATE = late_pattern(r"\d(?:\d{3}|\s?[./-]\s?\d{1,2}\s?[./-]\s?\d{2}|\D{2,20}\d\d)")
_ISO = late_pattern(
    r"(\d\d{3})(?<!\d\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?!\d)"
    r"(?:(?:[Tt]|\s{1,3})(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2}\b)?)?"
)
# Most dates in data are written in this way: nothing is left to check but the day.
_EXACT = late_pattern(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:(T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2})(?:[.,][0-9]{1,9})?"
    r"(Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])?)?"
)
_COMPACT = late_pattern(r"(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?(Z|[+-]\d{4})?)?")
_STAMP = late_pattern(r"(\d{10})(?:\d{3})?(?:\.\d{1,6})?")
_EARLIEST_STAMP = "1990"  # earlier seconds since 1970 are other numbers
_EAST_ASIAN = late_pattern(
    r"(\d\d{3})(?<!\d\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})(?:\s?[日일号])?"
    r"(?:\s{0,3}\(?[日月火水木金土一二三四五六월화수목금토일]?\)?\s{0,3}(午前|午後|上午|下午|오전|오후)?\s?(\d{1,2})\s?[:時时시]\s?(\d{2}))?"
)
_YEAR_FIRST = late_pattern(r"(\d\d{3})(?<![\d.]\d{4})([./])\s?(\d{1,2})\2\s?(\d{1,2})(?![\d/])")
_YEAR_LAST = late_pattern(
    r"(\d(?<![\d./]\d)\d?)\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})(?![\d/-])"
)
_YEAR_AND_MONTH = late_pattern(r"(\d{4})[/.](\d{1,2})")
_YEAR = late_pattern(r"(?:19|20)\d\d")
_CLOCK = late_pattern(
    r"(\d(?<![\d:.]\d)\d?)(?:[:.h時]|\s?h\s?)(\d{2})(?::(\d{2}))?(?![\d.]\d)\s?(a\.?m\.?|p\.?m\.?)?"
    r"(?:\s?\(?(Z\b|(?:UTC|GMT)\s?[+-]\d{1,2}(?::?\d{2})?|UTC\b|GMT\b|[+-]\d{2}:?\d{2})\)?)?",
    re.IGNORECASE,
)
_HOURS = late_pattern(r"\d(?:\d?:\d{2}(?::\d{2})?|(?<![\d.]\d)\d?\.\d{2}(?![\d.]))")
# The last day of several, "12-14 June" or "June 12–14, 2021": the first one counts.
_LAST_DAY = late_pattern(r"(\d(?<![\d./-]\d)\d?)\.?\s?[–—-]\s?\d{1,2}(?=\.?\s?[^\W\d_]|,|\s\d{4})")
_DASH = late_pattern("[–—-]")
# A name is anything between digits, spaces and marks; Thai abbreviations keep their full stops.
_TOKEN = late_pattern(
    r"\d{1,4}|(?:[\u0e00-\u0e7f]{1,3}\.){2}|[^\s\d,،;:|/()\[\]<>«»\"“”·•.–—_+\u200e\u200f\u202a-\u202e-]{1,40}"
)
_DIRECTIONS = late_pattern("[\u200e\u200f\u061c]")  # marks between the numbers of Arabic dates
_HIDING = late_pattern("[&<\u200e\u200f\u061c]")  # what is taken out before a date is read
_ORDINAL = frozenset({"st", "nd", "rd", "th", "er", "º", "ª", "°"})
# Words between day, month and year that mean nothing for the date.
_JOINING_WORDS = """
    m d g de del of di d' do da den der the dne року г год năm ngày à a í ii ở на в tháng พ.ศ. ค.ศ. في من سنة ב
    gada ж оны e ko წლის წ
"""
_JOINING = frozenset(_JOINING_WORDS.split())
_VIETNAMESE_MONTH = frozenset({"tháng", "thg"})
_HEBREW_IN = "ב"
_FIRST_WORDS = frozenset(name.partition(" ")[0] for name in MONTHS if " " in name)
_MONTH_WORDS = _FIRST_WORDS.union(_VIETNAMESE_MONTH, MONTHS, JALALI_MONTHS, *OVERRIDES.values())
_PREFIX = late_pattern(f"d['’]|{_HEBREW_IN}")  # of a month's name
_MOST_TOKENS = 60
# Countries and languages that write the month before the day.
_MONTH_FIRST = frozenset({"en", "en-us", "en-ph", "fil", "tl"})


@dataclass(frozen=True, slots=True)
class DateFormat:
    """How a page writes dates: its language, and, if known, whether the day comes first."""

    language: str = ""
    day_first: bool | None = None

    @property
    def starts_with_day(self) -> bool:
        """Whether 3/4/2024 is in April."""
        if self.day_first is not None:
            return self.day_first
        return bool(self.language) and self.language.lower() not in _MONTH_FIRST

    def month(self, name: str) -> int:
        """Return the number of a month's name, or 0."""
        special = OVERRIDES.get(self.language[:2], {}).get(name)
        return special or MONTHS.get(name, 0)


UNKNOWN_FORMAT = DateFormat()


def read_date(text: str, date_format: DateFormat = UNKNOWN_FORMAT) -> str:
    """Return the date in a text in ISO form, or an empty string.

    >>> read_date("Mon, 06 May 2024 15:04:05 +0200"), read_date("ngày 5 tháng 4 năm 2024"), read_date("12. März 2031x")
    ('2024-05-06T15:04:05+02:00', '2024-04-05', '')
    """
    text = text[:LONGEST_TEXT]
    if not text.isascii():
        text = _DIRECTIONS.sub("", text)
    text = text.strip()
    if not _MAY_BE_DATE.search(text):
        return ""
    for read in (_read_iso, _read_plain_digits, _read_east_asian, _read_named, _read_numeric):
        if when := read(text, date_format):
            return when
    return ""


def may_hold_date(text: str) -> bool:
    """Whether a short text may hold a date: a quick no for most. References and marks may hide one.

    >>> may_hold_date("12 May 2024"), may_hold_date("Chapter 12")
    (True, False)
    """
    return _MAY_BE_DATE.search(text) is not None or _HIDING.search(text) is not None


def is_past(when: str) -> bool:
    """Whether an ISO date is no later than now, wherever on earth it was written."""
    return when[:10] <= _write_day(int(time() + _AHEAD) // _SECONDS_A_DAY)[: len(when)]


@lru_cache(maxsize=1)
def _write_day(number: int) -> str:
    """A day after the first of 1970 in ISO form."""
    return (_FIRST_DAY + timedelta(days=number)).isoformat()


def _read_iso(text: str, _: DateFormat) -> str:
    if match := _EXACT.fullmatch(text):
        clock, zone = match.groups(default="")
        return _write(int(text[:4]), int(text[5:7]), int(text[8:10]), clock + zone)
    match = _ISO.search(text) if "-" in text else None
    if match is None:
        return ""
    year, month, day, *times = match.groups()
    if day is None:
        return _month_of(year, month) if match[0] == text else ""
    return _write(int(year), int(month), int(day), _clock(*times))


def _read_plain_digits(text: str, _: DateFormat) -> str:
    if not text[:4].isdecimal():
        return ""
    if match := _STAMP.fullmatch(text):
        seconds = int(match[1])
        moment = datetime.fromtimestamp(seconds, UTC).isoformat()
        return (
            moment.replace("+00:00", "Z") if moment >= _EARLIEST_STAMP and is_past(moment) else ""
        )
    if match := _COMPACT.fullmatch(text):
        year, month, day, *clock = match.groups()
        return _write(int(year), int(month), int(day), _clock(*clock))
    if match := _YEAR_AND_MONTH.fullmatch(text):
        return _month_of(match[1], match[2])
    return text if _YEAR.fullmatch(text) and is_past(text) else ""


def _read_east_asian(text: str, _: DateFormat) -> str:
    match = _EAST_ASIAN.search(text) if "年" in text or "년" in text else None
    if match is None:
        return ""
    year, month, day, half, hour, minute = match.groups()
    if hour is None:
        return _write(int(year), int(month), int(day))
    if half:
        hour = str(_hour(int(hour), half in {"午後", "下午", "오후"}))
    return _write(int(year), int(month), int(day), _clock(hour, minute, None, None))


def _read_named(text: str, date_format: DateFormat) -> str:
    """Read day, month's name and year in any order that people use, with words between them."""
    # Else 8 May, 17:46 would be in 2017, and June 12-14, 2021 in 2014.
    days = _HOURS.sub(" ", text) if ":" in text or "." in text else text
    days = _LAST_DAY.sub(r"\1 ", days).casefold() if _DASH.search(days) else days.casefold()
    tokens = [token for token in _TOKEN.findall(days)[:_MOST_TOKENS] if token not in _ORDINAL]
    if _MONTH_WORDS.isdisjoint(tokens) and not _PREFIX.search(days):
        return ""  # most
    for place, token in enumerate(tokens):
        if token.isdecimal():
            continue
        month = _month_at(tokens, place, date_format)
        if month.number and (day := _date_around(tokens, place, month)):
            return day + _clock_in(text)
    return ""


class _Month(NamedTuple):
    number: int  # 0 for none
    calendar: str  # empty for the Gregorian one
    width: int  # tokens of its name


def _month_at(tokens: list[str], place: int, date_format: DateFormat) -> _Month:
    """Return the month whose name begins at a token."""
    token = tokens[place].removeprefix("d’").removeprefix("d'")
    for width in (3, 2) if token in _FIRST_WORDS else ():
        if number := MONTHS.get(" ".join(tokens[place : place + width])):
            return _Month(number, "", width)
    if token in _VIETNAMESE_MONTH and place + 1 < len(tokens) and tokens[place + 1].isdecimal():
        return _Month(int(tokens[place + 1]), "", 2)
    if number := date_format.month(token) or date_format.month(token.removeprefix(_HEBREW_IN)):
        return _Month(number, "", 1)
    return _Month(JALALI_MONTHS.get(token, 0), "jalali", 1)


def _date_around(tokens: list[str], place: int, month: _Month) -> str:
    """Return the date around a month's name, in one of the four orders that people use."""
    earlier = _without_joining(tokens[max(place - 4, 0) : place])
    before, first = earlier[-1:], earlier[-2:-1]
    after = _without_joining(tokens[place + month.width : place + month.width + 5])
    for day_token, year_token in (
        (before, after[:1]),
        (after[:1], after[1:2]),
        (after[:1], before),
        (before, first if first and len(first[0]) == len("2024") else []),
    ):
        day, year = _day(day_token), _year(year_token, month.calendar)
        if day and year:
            write = _from_jalali if month.calendar else _write
            return write(year, month.number, day)
    return ""


def _without_joining(tokens: list[str]) -> list[str]:
    return [token for token in tokens if token not in _JOINING]


def _day(tokens: list[str]) -> int:
    if tokens and tokens[0].isdecimal() and len(tokens[0]) <= 2 and 1 <= int(tokens[0]) <= 31:
        return int(tokens[0])
    return 0


def _year(tokens: list[str], calendar: str) -> int:
    if not tokens or not tokens[0].isdecimal():
        return 0
    year = int(tokens[0])
    if calendar:
        return year if year in _JALALI_YEARS else 0
    if len(tokens[0]) == 2:
        return _THIS_CENTURY + year
    return _as_gregorian(year) if len(tokens[0]) == 4 else 0


def _as_gregorian(year: int) -> int:
    return year - _BUDDHIST if year in _BUDDHIST_YEARS else year


def _from_jalali(year: int, month: int, day: int) -> str:
    """Return a Persian date as a Gregorian one.

    Leap years follow the 33-year cycle, which holds for the years accepted here. 1 Farvardin 1300
    was 21 March 1921.
    """
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return ""
    before = range(_JALALI_YEARS.start, year)
    leaps = sum(earlier % 33 in _JALALI_LEAPS for earlier in before)
    days = len(before) * 365 + leaps + (month - 1) * 31 - max(month - 7, 0) + day - 1
    gregorian = date(1921, 3, 21) + timedelta(days=days)
    return _write(gregorian.year, gregorian.month, gregorian.day)


def _read_numeric(text: str, date_format: DateFormat) -> str:
    if "." not in text and "/" not in text and "-" not in text:
        return ""
    if match := _YEAR_FIRST.search(text):
        year, month, day = int(match[1]), int(match[3]), int(match[4])
        if year in _JALALI_YEARS and date_format.language.startswith("fa"):
            return _from_jalali(year, month, day)
        return _with_clock(_write(_as_gregorian(year), month, day), text)
    if match := _YEAR_LAST.search(text):
        return _read_year_last(match, text, date_format)
    return ""


def _read_year_last(match: re.Match[str], text: str, date_format: DateFormat) -> str:
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:
        year += _THIS_CENTURY
    day_first = second <= 12 and (first > 12 or match[2] == "." or date_format.starts_with_day)
    day, month = (first, second) if day_first else (second, first)
    rest = text[: match.start()] + " " + text[match.end() :]
    return _with_clock(_write(_as_gregorian(year), month, day), rest)


def _with_clock(day: str, text: str) -> str:
    return day + _clock_in(text) if day else ""


def _clock_in(text: str) -> str:
    match = _CLOCK.search(text)
    if match is None or match[1] is None:
        return ""
    hour, minute, second, half, zone = match.groups()
    if half:
        hour = str(_hour(int(hour), half[0] in "pP"))
    return _clock(hour, minute, second, zone)


def _hour(hour: int, afternoon: bool) -> int:
    return hour % 12 + 12 * afternoon if hour <= 12 else hour


def _clock(hour: str | None, minute: str | None, second: str | None, zone: str | None) -> str:
    """Return the time in ISO form with its T; nothing if there is none or it does not exist."""
    if hour is None or minute is None:
        return ""
    if int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
        return ""
    return f"T{int(hour):02}:{int(minute):02}:{int(second or 0):02}" + (_zone(zone) if zone else "")


def _zone(zone: str) -> str:
    """Return a zone in ISO form; nothing if there is none on earth."""
    offset = zone.upper().removeprefix("UTC").removeprefix("GMT").strip()
    if offset in {"Z", ""}:
        return "Z"
    hours, minutes = (offset[1:3], offset[-2:]) if len(offset) > 3 else (offset[1:], "00")
    hour, minute = int(hours.replace(":", "")), int(minutes)
    return f"{offset[0]}{hour:02}:{minute:02}" if hour <= _LAST_ZONE and minute < 60 else ""


def _month_of(year: str, month: str) -> str:
    """Return a month without a day, as old papers have it."""
    return _write(int(year), int(month), 1)[: len("2024-05")]


def _write(year: int, month: int, day: int, clock: str = "") -> str:
    """Return a date and a time in ISO form; nothing if the date does not exist or is not past."""
    if year < EARLIEST_YEAR:
        return ""
    try:
        written = date(year, month, day).isoformat()
    except ValueError:
        return ""
    return written + clock if is_past(written) else ""
