"""FetchOptions: how pages are fetched from the web."""

from dataclasses import dataclass, field

from bodytext.sources.fetch import USER_AGENT, Cache, Client, FetchLimits
from bodytext.sources.fetch.hosts import Resolver, look_up
from bodytext.sources.politeness.policy import Politeness


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How pages are fetched where a source is on the web."""

    limits: FetchLimits = field(default_factory=FetchLimits)
    politeness: Politeness = field(default_factory=Politeness)
    user_agent: str = USER_AGENT
    cache: Cache | None = None
    ordered: bool = False  # records in the order of the sources, not as they arrive
    resolve: Resolver = look_up

    def client(self) -> Client:
        """Make a client with these options."""
        return Client(
            self.limits, user_agent=self.user_agent, cache=self.cache, resolve=self.resolve
        )
