"""Moments and lengths in, words for them out."""

import time
from datetime import date, datetime

MINUTE, HOUR, DAY = 60, 3600, 86400
_WORDS_PER_MINUTE = 230  # of silent reading; Brysbaert 2019 found 238 for English non-fiction
_DAYS_BY_NAME = 6


def tell_age(moment: int, now: float | None = None) -> str:
    """How long ago a moment was, as short as a card has it.

    >>> tell_age(1000, 1000), tell_age(1000, 1000 + 7500), tell_age(0)
    ('now', '2 h', '')
    """
    if not moment:
        return ""
    age = (time.time() if now is None else now) - moment
    if age < MINUTE:
        return "now"
    if age < HOUR:
        return f"{int(age // MINUTE)} min"
    if age < DAY:
        return f"{int(age // HOUR)} h"
    day = datetime.fromtimestamp(moment).astimezone()
    if age < DAY * _DAYS_BY_NAME:
        return day.strftime("%A")
    this_year = day.year == datetime.now().astimezone().year
    return f"{day.day} {day.strftime('%B')}" if this_year else f"{day.day} {day.strftime('%B %Y')}"


def tell_ago(moment: int) -> str:
    """How long ago a moment was, in a sentence."""
    age = tell_age(moment)
    if not age:
        return "never"
    if age == "now":
        return "just now"
    return f"{age} ago" if age.endswith((" min", " h")) else f"on {age}"


def tell_date(moment: int) -> str:
    """A moment in full, in this machine's time."""
    day = datetime.fromtimestamp(moment).astimezone()
    return f"{day.strftime('%A')}, {day.day} {day.strftime('%B %Y, %H:%M')}"


def tell_day(day: date, today: date) -> str:
    """What a day is called."""
    apart = (today - day).days
    if apart in {0, 1}:
        return ("Today", "Yesterday")[apart]
    weekday = day.strftime("%A")
    if apart <= _DAYS_BY_NAME:
        return weekday
    return f"{weekday}, {day.day} {day.strftime('%B')}" + ("" if day.year == today.year else f" {day.year}")


def day_of(moment: int) -> date:
    """The day of a moment, in this machine's time."""
    return datetime.fromtimestamp(moment).astimezone().date()


def stamp(moment: int) -> str:
    """A moment as the `datetime` of a time element."""
    return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")


def tell_length(words: int) -> str:
    """How long an article takes to read."""
    return f"{max(1, round(words / _WORDS_PER_MINUTE))} min read" if words else ""


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> count(1, "article"), count(1200, "article")
    ('1 article', '1,200 articles')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
