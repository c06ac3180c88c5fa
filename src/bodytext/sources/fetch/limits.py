"""FetchLimits: how much time and memory one fetch may take, and which hosts it may reach."""

import time
from dataclasses import dataclass

from bodytext.sources.fetch.errors import TimeLimitError

MIB = 2**20


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Limits of one fetch with its redirects; an error names the limit that was reached."""

    # Of a body, compressed or not; the largest of 1,473 real pages has 6 MB.
    max_bytes: int = 20 * MIB
    max_seconds: float = 30.0  # from the look-up of the host's name to the last byte
    max_redirects: int = 10  # browsers follow 20; RFC 9309 asks for five for robots.txt
    max_header_bytes: int = 64 * 2**10  # status and headers; servers commonly stop at 8 to 32 KiB
    # Of decompressed to compressed bytes; real pages stay under 30, gzip can reach 1,030.
    max_ratio: int = 250
    allow_private: bool = False  # hosts on this machine and in private networks, and any port
    cut: bool = False  # a body that is too large is cut at max_bytes, not refused

    def __post_init__(self) -> None:
        for name in ("max_bytes", "max_seconds", "max_header_bytes", "max_ratio"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be more than 0, not {getattr(self, name)}")
        if self.max_redirects < 0:
            raise ValueError(f"max_redirects must not be negative, and is {self.max_redirects}")


class Deadline:
    """The moment by which a fetch must have ended."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left, or raise a TimeLimitError if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.error()
        return left

    def error(self) -> TimeLimitError:
        """Return the error to raise after the deadline."""
        return TimeLimitError(f"not done in {self._seconds:g} s")
