"""Record: a page as a source gives it, or the reason why there is none."""

from dataclasses import dataclass

# Begins and ends the problem of a page in a private network.
PRIVATE_REASON = "a private address"
PRIVATE_ERROR = "those are not fetched unless private ones are allowed"
MEMORY_ERROR = "out of memory"  # the problem of a record that needs more memory than it may


@dataclass(frozen=True, slots=True)
class Record:
    """The bytes of a page and its metadata; with a `problem`, `html` is empty."""

    html: bytes
    url: str = ""
    time: str = ""  # ISO 8601 in UTC: when it was fetched or captured
    title: str = ""  # from a feed, and so better than the page's own
    charset: str = ""  # from the HTTP headers
    source: str = ""  # the file, archive, feed or list that it came from
    offset: int = 0  # bytes into the source, or the number of the row, member or entry in it
    problem: str = ""  # why there is no page: HTTP 404, a truncated record, not HTML
