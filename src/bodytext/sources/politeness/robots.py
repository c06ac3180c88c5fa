"""Read from a host's robots.txt what may be fetched and how fast, as RFC 9309 says."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bodytext.sources.fetch import FetchError, HostError, PrivateAddressError, RedirectError
from bodytext.sources.fetch.response import FetchOutcome

if TYPE_CHECKING:
    from protego import Protego

MOST_BYTES = 512 * 2**10  # the rest is not read; RFC 9309 asks for at least 500 KiB
LEAST_REDIRECTS = 5  # the least that must be followed, by the same RFC
_AGENT_LINES = ("user-agent", "useragent", "user agent")
_SITEMAP_LINE = re.compile(r"^[ \t]*site-?maps?[ \t]*:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_NOBODY = "user-agent: nobody-asks-under-this-name"
_TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """What a host allows one user agent to fetch."""

    agent: str
    parsed: "Protego | None" = None
    refusal: str = ""  # why nothing may be fetched
    delay_seconds: float = 0.0

    def refuse(self, url: str) -> str:
        """Say why an address must not be fetched; empty if it may be."""
        if self.refusal:
            return self.refusal
        if self.parsed is None or self.parsed.can_fetch(url, self.agent):
            return ""
        return "the host's robots.txt does not allow it"


def read_rules(outcome: FetchOutcome, agent: str) -> RobotsRules:
    """Read the rules from the outcome of a request for /robots.txt.

    A host that answers "not found" or any other 4xx has no rules, and neither has one whose
    redirects fail. A host that fails or does not answer may have some, so nothing may be fetched
    there for now.
    """
    if isinstance(outcome, RedirectError):
        return RobotsRules(agent)
    if isinstance(outcome, HostError | PrivateAddressError):
        return RobotsRules(agent, refusal=str(outcome))  # the page would fail for the same reason
    if isinstance(outcome, FetchError):
        return RobotsRules(agent, refusal=f"the host's robots.txt could not be read: {outcome}")
    if outcome.status >= 500 or outcome.status == _TOO_MANY:
        return RobotsRules(
            agent, refusal=f"the host's robots.txt could not be read: {outcome.problem}"
        )
    if outcome.problem:
        return RobotsRules(agent)
    return parse_rules(outcome.body, agent)


def parse_rules(body: bytes, agent: str) -> RobotsRules:
    """Parse the rules of a robots.txt for the first word of a user agent."""
    from protego import Protego

    token = agent.partition("/")[0].strip().lower()
    parsed = Protego.parse(_leave_out_others(_decode(body), token))
    return RobotsRules(token, parsed, delay_seconds=_read_delay(parsed.crawl_delay(token)))


def find_sitemap_lines(body: bytes) -> list[str]:
    """List the sitemaps that a robots.txt names, once each, as it writes them."""
    return list(dict.fromkeys(_SITEMAP_LINE.findall(_decode(body))))


def _decode(body: bytes) -> str:
    return body[:MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff").replace("\0", "")


def _read_delay(delay: float | None) -> float:
    return delay if delay is not None and delay > 0 else 0.0


def _leave_out_others(text: str, token: str) -> str:
    """Replace all other agents by one: the parser stores a rule for every agent."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        plain = line.partition("#")[0].strip().lower()
        key = next((key for key in _AGENT_LINES if plain.startswith(key)), "")
        if not key:
            continue
        name = plain.removeprefix(key).strip(" \t:").replace("*", "")
        if name and name not in token:
            lines[number] = _NOBODY
    return "\n".join(lines)
