"""How far a pass is -> a line that is written over on a terminal, a line now and then elsewhere."""

import sys
from time import monotonic
from typing import TextIO

TERMINAL_SECONDS = 0.5
PLAIN_SECONDS = 30.0
_LEAST_SHARE = 0.005  # of the work must be done before the time that is left can be told


class Progress:
    """Shows how much of some work is done, how fast it goes, and how long it will take."""

    def __init__(self, name: str, total: int, unit: str, stream: TextIO | None = None) -> None:
        """Take what is done, its size in any measure, 0 where nobody knows, and what is counted."""
        self._name, self._total, self._unit = name, total, unit
        self._stream = stream or sys.stderr
        self._is_terminal = self._stream.isatty()
        self._start = self._shown = monotonic()

    def show(self, done: int, count: int) -> None:
        """Tell how much of the total is done, and how many of what is counted, if it is time to."""
        now = monotonic()
        if now - self._shown < (TERMINAL_SECONDS if self._is_terminal else PLAIN_SECONDS):
            return
        self._shown = now
        self._write(self._line(done, count, now - self._start))

    def finish(self, count: int, *, tell: bool = True) -> float:
        """Tell that it is done, unless that is not worth a line; the seconds that it took."""
        seconds = monotonic() - self._start
        rate = f", {count / seconds:,.0f} a second" if seconds and count else ""
        if tell:
            self._write(f"{self._name}: {name_count(count, self._unit)} in {in_words(seconds)}{rate}", last=True)
        return seconds

    def _line(self, done: int, count: int, seconds: float) -> str:
        line = f"{name_count(count, self._unit)}, {count / seconds:,.0f} a second"
        share = min(done / self._total, 1.0) if self._total else 0.0
        left = f", about {in_words(seconds / share - seconds)} left" if share > _LEAST_SHARE else ""
        return f"{self._name}: {share:.0%}, {line}{left}" if done else f"{self._name}: {line}"

    def _write(self, line: str, *, last: bool = False) -> None:
        if self._is_terminal:
            self._stream.write(f"\r{line}\x1b[K" + ("\n" if last else ""))
        else:
            self._stream.write(f"bodytext: {line}\n")
        self._stream.flush()


def name_count(count: int, unit: str) -> str:
    """A number of things, of which there may be one.

    >>> name_count(1, "records"), name_count(2000, "records")
    ('1 record', '2,000 records')
    """
    return f"{count:,} {unit.removesuffix('s') if count == 1 else unit}"


def in_words(seconds: float) -> str:
    """A time as people say it.

    >>> in_words(0.4), in_words(75), in_words(9000), in_words(400000)
    ('0.4 s', '1 min 15 s', '2 h 30 min', '4 d 15 h')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
