"""What came of a request -> whether and when to ask again."""

import email.utils
import time
from dataclasses import dataclass

from bodytext.sources.fetch import FetchError, Response
from bodytext.sources.politeness.schedule import Outcome, Politeness

_PASSING = frozenset({429, 500, 502, 503, 504})  # statuses that may go away by themselves
_BUSY = frozenset({429, 503})  # and those with which a host asks for rest


@dataclass(frozen=True, slots=True)
class Advice:
    """`retry` after `rest_seconds`, which the host rests in any case; `leave` it for the whole run with that reason."""

    retry: bool = False
    rest_seconds: float = 0.0
    leave: str = ""


def advise(outcome: Outcome, attempt: int, failures: int, politeness: Politeness) -> Advice:
    """What to do about an outcome of the attempt of this number, counted from 0.

    A host that has failed with other addresses in a row gets a retry less for each of them.
    """
    asked = read_retry_after(outcome) if isinstance(outcome, Response) and outcome.status in _BUSY else None
    if asked is not None and asked > politeness.longest_wait_seconds:
        status = outcome.problem if isinstance(outcome, Response) else ""
        return Advice(leave=f"{status}: the host asked to be left alone for {asked:,.0f} s")
    if not is_passing(outcome):
        return Advice()
    rest = politeness.backoff_seconds * 2**attempt if asked is None else asked
    return Advice(attempt < politeness.retries - failures, min(rest, politeness.longest_wait_seconds))


def is_passing(outcome: Outcome) -> bool:
    """Whether a failure may go away by itself."""
    return outcome.passing if isinstance(outcome, FetchError) else outcome.status in _PASSING


def read_retry_after(response: Response) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or as a date; None where it says nothing."""
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:12])
    try:
        return max(email.utils.parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError, OSError):
        return None
