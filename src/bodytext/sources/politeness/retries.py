"""Decide whether and when a failed request is sent again."""

import email.utils
import time
from dataclasses import dataclass

from bodytext.sources.fetch import FetchError, HttpResponse
from bodytext.sources.fetch.response import FetchOutcome
from bodytext.sources.politeness.policy import Politeness

_PASSING = frozenset({429, 500, 502, 503, 504})  # statuses that may be temporary
_BUSY = frozenset({429, 503})  # those with which a host asks for a pause


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """What follows from an outcome."""

    retry: bool = False
    rest_seconds: float = 0.0  # how long the host rests in any case
    skip_reason: str = ""  # why the host is skipped for the rest of the run; empty if it is not


def decide_retry(
    outcome: FetchOutcome, attempt: int, failures: int, politeness: Politeness
) -> RetryDecision:
    """Decide what follows from the outcome of an attempt, counted from 0.

    Each address that failed at a host since its last success costs the host one retry.
    """
    asked = None
    if isinstance(outcome, HttpResponse) and outcome.status in _BUSY:
        asked = read_retry_after(outcome)
        if asked is not None and asked > politeness.longest_wait_seconds:
            reason = f"{outcome.problem}: the host asked to be left alone for {asked:,.0f} s"
            return RetryDecision(skip_reason=reason)
    if not is_passing(outcome):
        return RetryDecision()
    rest = politeness.backoff_seconds * 2**attempt if asked is None else asked
    return RetryDecision(
        attempt < politeness.retries - failures, min(rest, politeness.longest_wait_seconds)
    )


def is_passing(outcome: FetchOutcome) -> bool:
    """Whether a failure may be temporary."""
    return outcome.passing if isinstance(outcome, FetchError) else outcome.status in _PASSING


def read_retry_after(response: HttpResponse) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None if invalid."""
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:12])
    try:
        return max(email.utils.parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError, OSError):
        return None
