"""Format moments, lengths and counts for readers."""

import time
from datetime import date, datetime

MINUTE, HOUR, DAY = 60, 3600, 86400
_WORDS_PER_MINUTE = 230  # of silent reading; Brysbaert 2019 measured 238 for English non-fiction
_DAYS_BY_NAME = 6


def format_age(moment: int, now: float | None = None) -> str:
    """Format how long ago a moment was, in the short form of a card.

    >>> format_age(1000, 1000), format_age(1000, 1000 + 7500), format_age(0)
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
    is_this_year = day.year == datetime.now().astimezone().year
    return f"{day.day} {day.strftime('%B' if is_this_year else '%B %Y')}"


def format_ago(moment: int) -> str:
    """Format how long ago a moment was, for a sentence."""
    age = format_age(moment)
    if age in {"", "now"}:
        return "just now" if age else "never"
    return f"{age} ago" if age.endswith((" min", " h")) else f"on {age}"


def format_date(moment: int) -> str:
    """Format a moment in full, in this machine's time zone."""
    day = datetime.fromtimestamp(moment).astimezone()
    return f"{day.strftime('%A')}, {day.day} {day.strftime('%B %Y, %H:%M')}"


def format_day(day: date, today: date) -> str:
    """Format the name of a day: today, yesterday, a weekday or a date."""
    days_ago = (today - day).days
    if days_ago in {0, 1}:
        return ("Today", "Yesterday")[days_ago]
    weekday = day.strftime("%A")
    if days_ago <= _DAYS_BY_NAME:
        return weekday
    return f"{weekday}, {day.day} {day.strftime('%B' if day.year == today.year else '%B %Y')}"


def day_of(moment: int) -> date:
    """Return the day of a moment, in this machine's time zone."""
    return datetime.fromtimestamp(moment).astimezone().date()


def format_timestamp(moment: int) -> str:
    """Format a moment as the `datetime` attribute of a time element."""
    return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")


def format_reading_time(words: int) -> str:
    """Format how long it takes to read an article with a number of words."""
    return f"{max(1, round(words / _WORDS_PER_MINUTE))} min read" if words else ""
