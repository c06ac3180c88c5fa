"""Decide from the outcome of a fetch how healthy a feed is and when it is due again."""

from bodytext.reader.store.records import Subscription

HOUR, DAY = 3600, 24 * 3600
# Feeds with new articles are fetched more often, those without less often, within these bounds.
SHORTEST_INTERVAL, LONGEST_INTERVAL = HOUR // 2, DAY // 2
LONGEST_REST = DAY  # of a feed that fails, however often it does
# Both must hold: a week without a network kills no feed.
DEAD_AFTER_FAILURES, DEAD_AFTER_SECONDS = 12, 7 * DAY
OFFLINE_REST = 300  # seconds until the next attempt if no host at all was reached
SILENCE = HOUR  # if no feed has answered for so long, the network is to blame, not the feed
GONE = 410

Changes = dict[str, str | int]


def succeed(feed: Subscription, now: int, *, new: int) -> Changes:
    """Return the new columns of a feed that was read and had a number of new articles."""
    interval = feed.interval * 2 // 3 if new else feed.interval * 3 // 2
    interval = min(max(interval, SHORTEST_INTERVAL), LONGEST_INTERVAL)
    state = "live" if feed.state == "dead" else feed.state
    return {
        "checked": now,
        "succeeded": now,
        "due": now + interval,
        "interval": interval,
        "failures": 0,
        "problem": "",
        "state": state,
    }


def fail(feed: Subscription, now: int, problem: str, status: int = 0) -> Changes:
    """Return the new columns of a feed that could not be read."""
    failures = feed.failures + 1
    changes: Changes = {"checked": now, "failures": failures, "problem": problem[:500]}
    changes["due"] = now + min(feed.interval * 2 ** min(failures, 10), LONGEST_REST)
    if status == GONE:
        changes |= {
            "state": "dead",
            "problem": "its host says that the feed is gone for good (HTTP 410)",
        }
    elif (
        failures >= DEAD_AFTER_FAILURES
        and now - max(feed.succeeded, feed.added) >= DEAD_AFTER_SECONDS
    ):
        changes |= {"state": "dead"}
    return changes


def wait(now: int, problem: str) -> Changes:
    """Return the new columns of a feed that was not reached for lack of a network."""
    return {"checked": now, "due": now + OFFLINE_REST, "problem": problem[:500]}
