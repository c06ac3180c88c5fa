"""Fetch one page safely, from its own host, by a browser, or from the Internet Archive."""

from dataclasses import dataclass, replace

from bodytext.sources.fetch import (
    PAGE_TYPES,
    USER_AGENT,
    AddressError,
    Client,
    FetchError,
    FetchLimits,
    PrivateAddressError,
)
from bodytext.sources.record import Record

ARCHIVE = "https://web.archive.org/web/2id_/"  # the latest copy, as it was captured
_PLAIN = frozenset({"text/plain"})


class StatusError(FetchError):
    """The host answered, but not with a page: HTTP 404 Not Found."""


@dataclass(frozen=True, slots=True)
class PageFetcher:
    """Fetches pages one by one within limits, all in the same way."""

    limits: FetchLimits
    user_agent: str = USER_AGENT
    render: bool = False  # in a browser, which runs the page's scripts
    archived: bool = False  # from the Internet Archive where the host has no page

    def get(self, url: str) -> Record:
        """Return a page, or raise a FetchError that says why there is none."""
        try:
            return self._get(url)
        except (AddressError, PrivateAddressError):
            raise
        except FetchError as problem:
            if not self.archived:
                raise
            return self._get_archived(url, problem)

    def _get(self, url: str) -> Record:
        if self.render:
            from bodytext.sources.rendering import render_page

            with Client(self.limits, user_agent=self.user_agent) as client:
                return render_page(url, client)
        return self._fetch(url)

    def _fetch(self, url: str) -> Record:
        with Client(self.limits, user_agent=self.user_agent) as client:
            response = client.get(url, PAGE_TYPES | _PLAIN)
        if response.problem:
            raise StatusError(response.problem)
        return Record(response.body, url=response.url, time=response.time, charset=response.charset)

    def _get_archived(self, url: str, problem: FetchError) -> Record:
        address = ARCHIVE + url
        try:
            return replace(self._fetch(address), url=url, source=address)
        except FetchError as error:
            raise FetchError(f"{problem}; and the Internet Archive has no copy: {error}") from None


def fetch(  # noqa: PLR0913
    url: str,
    *,
    render: bool = False,
    archived: bool = False,
    max_seconds: float = 30.0,
    max_bytes: int = 20 * 2**20,
    allow_private: bool = False,
    user_agent: str = USER_AGENT,
) -> Record:
    """Fetch a page: within limits, and never from this machine or a private network.

    Arguments:
        url: the http or https address of the page.
        render: open it in a browser, which runs its scripts; needs the extra `render`.
        archived: take the Internet Archive's latest copy where the host has no page.
        max_seconds: the most that all of it may take, with redirects.
        max_bytes: the largest page.
        allow_private: fetch from this machine and from private networks too.
        user_agent: how the request names itself; hosts like to know how to reach you.

    Returns:
        A `Record`: html, url after all redirects, charset, time. `extract` takes it as it is.

    Raises:
        FetchError: there is no page; the message says why.

    Example:
        >>> try:
        ...     record = fetch("http://127.0.0.1/")
        ... except FetchError as error:
        ...     print(type(error).__name__)
        PrivateAddressError
    """
    limits = FetchLimits(max_seconds=max_seconds, max_bytes=max_bytes, allow_private=allow_private)
    return PageFetcher(limits, user_agent, render, archived).get(url)
