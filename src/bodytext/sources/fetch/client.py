"""Fetch an address: follow redirects, check each hop, and use what the cache holds."""

from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from urllib.parse import urljoin

from bodytext.sources.fetch.cache import Cache, validators
from bodytext.sources.fetch.content_coding import ACCEPTED
from bodytext.sources.fetch.errors import AddressError, RedirectError
from bodytext.sources.fetch.hosts import Resolver, Target, look_up, read_target
from bodytext.sources.fetch.limits import FetchLimits
from bodytext.sources.fetch.response import HttpResponse
from bodytext.sources.fetch.transport import Deadline, HttpRequest, Transport

PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"
_NOT_MODIFIED = 304


def _installed_version() -> str:
    try:
        return version("bodytext")
    except PackageNotFoundError:  # used from a checkout that was not installed
        return "0"


# Callers may add a contact.
USER_AGENT = f"bodytext/{_installed_version()} (finds the body text of web pages)"


class Client:
    """Fetches addresses one by one, without cookies and credentials; may be used by threads."""

    def __init__(
        self,
        limits: FetchLimits | None = None,
        *,
        user_agent: str = USER_AGENT,
        cache: Cache | None = None,
        resolve: Resolver = look_up,
    ) -> None:
        if not user_agent.isprintable() or not user_agent.isascii():
            raise ValueError(f"a user agent must be printable ASCII, and is {user_agent!r}")
        self.limits = limits or FetchLimits()
        self.user_agent = user_agent
        self.cache = cache
        self._resolve = resolve
        self._transport = Transport(self.limits, resolve)

    def get(self, url: str, types: frozenset[str] | None = None) -> HttpResponse:
        """Return the response after all redirects, of any status, or raise a FetchError."""
        deadline = Deadline(self.limits.max_seconds)
        passed: list[str] = []
        while True:
            response = self.find_fresh(url) or self.request(url, types, deadline)
            if not response.location:
                return replace(response, redirects=tuple(passed))
            passed.append(response.url)
            url = self.follow(response, passed)

    def request(
        self, url: str, types: frozenset[str] | None = None, deadline: Deadline | None = None
    ) -> HttpResponse:
        """Return the response to one request, which may be a redirect."""
        target = self.read(url)
        stored = self.cache.find(target.url) if self.cache else None
        headers = {"User-Agent": self.user_agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPTED}
        if stored:
            headers |= validators(stored)
        request = HttpRequest(target, headers, types)
        response = self._transport.send(request, deadline or Deadline(self.limits.max_seconds))
        if stored and response.status == _NOT_MODIFIED:
            response = replace(stored, time=response.time)
        if self.cache:
            with suppress(OSError):  # a full disk should not cost the page
                self.cache.keep(target.url, response)
        return response

    def find_fresh(self, url: str) -> HttpResponse | None:
        """Return the stored response of an address if it is fresh, else None."""
        if not self.cache:
            return None
        stored = self.cache.find(self.read(url).url)
        return stored if stored and self.cache.is_fresh(stored) else None

    def with_limits(self, limits: FetchLimits) -> "Client":
        """Return the same client with other limits."""
        return Client(limits, user_agent=self.user_agent, cache=self.cache, resolve=self._resolve)

    def read(self, url: str) -> Target:
        """Split an address into its parts, or raise an AddressError."""
        return read_target(url, any_port=self.limits.allow_private)

    def follow(self, response: HttpResponse, passed: list[str]) -> str:
        """Return the target of a redirect, or raise a RedirectError if it is not allowed."""
        if len(passed) > self.limits.max_redirects:
            raise RedirectError(f"more than {self.limits.max_redirects} redirects")
        location = response.location
        with suppress(UnicodeError):  # headers are read as Latin-1, and most are UTF-8
            location = location.encode("latin-1").decode("utf-8")
        try:
            url = self.read(urljoin(response.url, location.replace(" ", "%20"))).url
        except (AddressError, ValueError) as error:
            raise RedirectError(
                f"redirected to an address that may not be fetched: {error}"
            ) from None
        if url in passed:
            raise RedirectError("the redirects go in a circle")
        return url


def fetch(url: str, limits: FetchLimits | None = None) -> HttpResponse:
    """Fetch one address safely; FetchLimits says what is refused by default."""
    return Client(limits).get(url)
