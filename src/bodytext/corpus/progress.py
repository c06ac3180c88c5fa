"""Show how far a long pass is: a line that changes on a terminal, some lines elsewhere."""

import sys
from collections.abc import Callable
from time import monotonic
from typing import TextIO

TERMINAL_SECONDS = 0.5
PLAIN_SECONDS = 30.0
_LEAST_SHARE = 0.005  # of the work must be done before the remaining time can be estimated


class StatusLine:
    """Show a text about work that goes on, unless one was shown a moment ago."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._is_terminal = self._stream.isatty()
        self._start = self._shown = monotonic()

    def update(self, describe: Callable[[float], str]) -> None:
        """Show what a function says after so many seconds, if it is time to."""
        now = monotonic()
        if now - self._shown >= (TERMINAL_SECONDS if self._is_terminal else PLAIN_SECONDS):
            self._shown = now
            self._write(describe(now - self._start))

    def clear(self) -> None:
        """Clear the line of a terminal for the next message."""
        if self._is_terminal:
            self._stream.write("\r\x1b[K")

    def _write(self, line: str, *, end: str = "") -> None:
        if self._is_terminal:
            self._stream.write(f"\r{line}\x1b[K{end}")
        else:
            self._stream.write(f"bodytext: {line}\n")
        self._stream.flush()


class ProgressLine(StatusLine):
    """Show how much of some work is done, how fast it goes, and how long it will take."""

    def __init__(self, name: str, total: int, unit: str, stream: TextIO | None = None) -> None:
        """Take the name of the work, its size (0 if unknown), and the unit that is counted."""
        super().__init__(stream)
        self.name, self._total, self._unit, self._done = name, total, unit, 0

    def show(self, done: int, count: int) -> None:
        """Show how much is done and the count so far, unless a line was shown a moment ago."""
        self.update(lambda seconds: self._line(done, count, seconds))

    def advance(self) -> None:
        """Show that one more of the units is done."""
        self._done += 1
        self.show(self._done, self._done)

    def finish(self, count: int, *, shown: bool = True) -> float:
        """Show that the work is done, and return the seconds that it took."""
        seconds = monotonic() - self._start
        rate = f", {count / seconds:,.0f} a second" if seconds and count else ""
        if shown:
            self._write(
                f"{self.name}: {format_count(count, self._unit)} in {format_duration(seconds)}{rate}",
                end="\n",
            )
        return seconds

    def _line(self, done: int, count: int, seconds: float) -> str:
        line = f"{format_count(count, self._unit)}, {count / seconds:,.0f} a second"
        if not done:
            return f"{self.name}: {line}"
        share = min(done / self._total, 1.0) if self._total else 0.0
        left = (
            f", about {format_duration(seconds / share - seconds)} left"
            if share > _LEAST_SHARE
            else ""
        )
        return f"{self.name}: {share:.0%}, {line}{left}"


def format_count(count: int, unit: str) -> str:
    """A number with its unit, in the singular if it is one.

    >>> format_count(1, "records"), format_count(2000, "records")
    ('1 record', '2,000 records')
    """
    return f"{count:,} {unit.removesuffix('s') if count == 1 else unit}"


def format_duration(seconds: float) -> str:
    """A duration as people write it.

    >>> format_duration(0.4), format_duration(75), format_duration(9000), format_duration(400000)
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
