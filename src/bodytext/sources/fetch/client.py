"""An address in, a Response out: redirects followed, each hop checked anew, what is stored not sent twice."""

from contextlib import suppress
from dataclasses import replace
from urllib.parse import urljoin

from bodytext import __version__
from bodytext.sources.fetch.cache import Cache, validators
from bodytext.sources.fetch.coding import ACCEPTED
from bodytext.sources.fetch.errors import AddressError, RedirectError
from bodytext.sources.fetch.exchange import Deadline, Exchange, Request
from bodytext.sources.fetch.hosts import Resolver, Target, look_up, read_target
from bodytext.sources.fetch.limits import Limits
from bodytext.sources.fetch.response import Response

USER_AGENT = f"bodytext/{__version__} (finds the body text of web pages)"  # who asks; a user may add how to be reached
PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"
_NOT_MODIFIED = 304


class Client:
    """Fetches addresses one by one. It keeps no cookies, sends no credentials, and may be used by many threads."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        user_agent: str = USER_AGENT,
        cache: Cache | None = None,
        resolve: Resolver = look_up,
    ) -> None:
        if not user_agent.isprintable() or not user_agent.isascii():
            raise ValueError(f"a user agent must be printable ASCII, and is {user_agent!r}")
        self.limits = limits or Limits()
        self.user_agent = user_agent
        self.cache = cache
        self._resolve = resolve
        self._exchange = Exchange(self.limits, resolve)

    def get(self, url: str, types: frozenset[str] | None = None) -> Response:
        """The response behind all redirects, whatever its status; a FetchError that says why where there is none."""
        deadline = Deadline(self.limits.max_seconds)
        passed: list[str] = []
        while True:
            response = self.recall(url) or self.ask(url, types, deadline)
            if not response.location:
                return replace(response, redirects=tuple(passed))
            passed.append(response.url)
            url = self.follow(response, passed)

    def ask(self, url: str, types: frozenset[str] | None = None, deadline: Deadline | None = None) -> Response:
        """The response of one request, which may be a redirect."""
        target = self.read(url)
        stored = self.cache.find(target.url) if self.cache else None
        headers = {
            "User-Agent": self.user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": ACCEPTED,
            **(validators(stored) if stored else {}),
        }
        response = self._exchange.ask(Request(target, headers, types), deadline or Deadline(self.limits.max_seconds))
        if stored and response.status == _NOT_MODIFIED:
            response = replace(stored, time=response.time)
        if self.cache:
            with suppress(OSError):  # a full disk should not cost the page
                self.cache.keep(target.url, response)
        return response

    def recall(self, url: str) -> Response | None:
        """The stored response of an address that is young enough to ask nobody; None where there is none."""
        stored = self.cache.find(self.read(url).url) if self.cache else None
        return stored if stored and self.cache and self.cache.is_fresh(stored) else None

    def with_limits(self, limits: Limits) -> "Client":
        """A client that differs in its limits."""
        return Client(limits, user_agent=self.user_agent, cache=self.cache, resolve=self._resolve)

    def read(self, url: str) -> Target:
        """The parts of an address, or an AddressError."""
        return read_target(url, any_port=self.limits.allow_private)

    def follow(self, response: Response, passed: list[str]) -> str:
        """The address that a redirect leads to; a RedirectError where the way should end here."""
        if len(passed) > self.limits.max_redirects:
            raise RedirectError(f"more than {self.limits.max_redirects} redirects")
        location = response.location
        with suppress(UnicodeError):  # headers are read as Latin-1, and mostly are UTF-8
            location = location.encode("latin-1").decode("utf-8")
        try:
            url = self.read(urljoin(response.url, location.replace(" ", "%20"))).url
        except (AddressError, ValueError) as problem:
            raise RedirectError(f"redirected to what may not be fetched: {problem}") from None
        if url in passed:
            raise RedirectError("the redirects go in a circle")
        return url


def fetch(url: str, limits: Limits | None = None) -> Response:
    """Fetch one address, safely: see Limits for what is refused by default."""
    return Client(limits).get(url)
