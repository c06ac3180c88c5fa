"""Fetch an address: follow redirects, check each hop, and use what the cache holds."""

from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from urllib.parse import urljoin

from bodytext.sources.fetch.cache import Cache, validators
from bodytext.sources.fetch.content_coding import ACCEPTED
from bodytext.sources.fetch.errors import AddressError, RedirectError
from bodytext.sources.fetch.event_loop import run
from bodytext.sources.fetch.hosts import Resolver, Target, look_up, read_target
from bodytext.sources.fetch.limits import Deadline, FetchLimits
from bodytext.sources.fetch.response import HttpResponse
from bodytext.sources.fetch.transport import HttpRequest, Transport

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


@dataclass(slots=True)
class Journey:
    """The addresses that redirected so far, and the cookies that they set."""

    passed: list[str] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)
    _visits: set[tuple[str, ...]] = field(default_factory=set)

    def visit(self, url: str) -> None:
        """Remember a request and the cookies with which it was sent."""
        self._visits.add(self._describe(url))

    def is_circle(self, url: str) -> bool:
        """Whether an address was visited before with the same cookies."""
        return self._describe(url) in self._visits

    def _describe(self, url: str) -> tuple[str, ...]:
        fields = [line.split("\t") for line in self.cookies]
        # All but the moment of expiry, which moves on.
        return url, *sorted("\t".join(field[:4] + field[5:]) for field in fields)


class Client:
    """Fetches addresses within limits; may be used by threads.

    Its connections are used again until it is closed or no longer referred to. Cookies last for one
    fetch with its redirects. There are no credentials.
    """

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
        self._transport = Transport(resolve)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        run(self._transport.close())

    def get(self, url: str, types: frozenset[str] | None = None) -> HttpResponse:
        """Return the response after all redirects, of any status, or raise a FetchError."""
        return run(self._get(url, types))

    async def _get(self, url: str, types: frozenset[str] | None) -> HttpResponse:
        deadline = Deadline(self.limits.max_seconds)
        journey = Journey()
        while True:
            response = self.find_fresh(url) or await self.request(url, types, journey, deadline)
            if not response.location:
                return replace(response, redirects=tuple(journey.passed))
            url = self.follow(response, journey)

    async def request(
        self,
        url: str,
        types: frozenset[str] | None = None,
        journey: Journey | None = None,
        deadline: Deadline | None = None,
    ) -> HttpResponse:
        """Return the response to one request, which may be a redirect."""
        target = self.read(url)
        stored = self.cache.find(target.url) if self.cache else None
        headers = {"User-Agent": self.user_agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPTED}
        if stored:
            headers |= validators(stored)
        journey = journey or Journey()
        journey.visit(target.url)
        request = HttpRequest(target, headers, types, journey.cookies)
        deadline = deadline or Deadline(self.limits.max_seconds)
        response = await self._transport.send(request, self.limits, deadline)
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
        """Return a client with other limits that shares the connections of this one."""
        other = copy(self)
        other.limits = limits
        return other

    def read(self, url: str) -> Target:
        """Split an address into its parts, or raise an AddressError."""
        return read_target(url, any_port=self.limits.allow_private)

    def identify(self, url: str) -> str:
        """Return an address as it is requested; one that cannot be requested as it is."""
        try:
            return self.read(url).url
        except AddressError:
            return url

    def follow(self, response: HttpResponse, journey: Journey) -> str:
        """Return the target of a redirect, or raise a RedirectError if it is not allowed."""
        journey.passed.append(response.url)
        if len(journey.passed) > self.limits.max_redirects:
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
        if journey.is_circle(url):
            raise RedirectError("the redirects go in a circle")
        return url


def fetch(url: str, limits: FetchLimits | None = None) -> HttpResponse:
    """Fetch one address safely; FetchLimits says what is refused by default."""
    with Client(limits) as client:
        return client.get(url)
