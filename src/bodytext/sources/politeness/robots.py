"""What came for a host's robots.txt -> what may be fetched there, and how fast; as RFC 9309 says."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bodytext.sources.fetch import FetchError, HostError, PrivateAddressError, RedirectError, Response

if TYPE_CHECKING:
    from protego import Protego

MOST_BYTES = 512 * 2**10  # what stands behind is not read; RFC 9309 asks for at least 500 KiB
LEAST_REDIRECTS = 5  # that are followed, says the same
_AGENT_LINES = ("user-agent", "useragent", "user agent")
_SITEMAP_LINE = re.compile(r"^[ \t]*site-?maps?[ \t]*:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_NOBODY = "user-agent: nobody-asks-under-this-name"
_TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class Rules:
    """What a host allows to one user agent."""

    agent: str
    parsed: "Protego | None" = None
    refusal: str = ""  # why nothing may be fetched
    delay_seconds: float = 0.0

    def refuse(self, url: str) -> str:
        """Why an address must not be fetched; empty where it may be."""
        if self.refusal:
            return self.refusal
        if self.parsed is None or self.parsed.can_fetch(url, self.agent):
            return ""
        return "the host's robots.txt does not allow it"


def read_rules(came: Response | FetchError, agent: str) -> Rules:
    """The rules that an answer to /robots.txt means.

    A host that says "not found" or anything else with 4xx has no rules, nor has one whose redirects lead nowhere. One
    that fails or does not answer may have some, so nothing may be fetched there for now.
    """
    if isinstance(came, RedirectError):
        return Rules(agent)
    if isinstance(came, HostError | PrivateAddressError):
        return Rules(agent, refusal=str(came))  # the page is not to be had for the same reason
    if isinstance(came, FetchError):
        return Rules(agent, refusal=f"the host's robots.txt could not be read: {came}")
    if came.status >= 500 or came.status == _TOO_MANY:
        return Rules(agent, refusal=f"the host's robots.txt could not be read: {came.problem}")
    if came.problem:
        return Rules(agent)
    return parse_rules(came.body, agent)


def parse_rules(body: bytes, agent: str) -> Rules:
    """The rules of a robots.txt for one user agent, of which the first word counts ("bodytext/0.1 ...")."""
    from protego import Protego

    token = agent.partition("/")[0].strip().lower()
    parsed = Protego.parse(_leave_out_others(_decode(body), token))
    return Rules(token, parsed, delay_seconds=_read_delay(parsed.crawl_delay(token)))


def find_sitemap_lines(body: bytes) -> list[str]:
    """The sitemaps that a robots.txt names, once each, as it writes them."""
    return list(dict.fromkeys(_SITEMAP_LINE.findall(_decode(body))))


def _decode(body: bytes) -> str:
    return body[:MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff").replace("\0", "")


def _read_delay(delay: float | None) -> float:
    return delay if delay is not None and delay > 0 else 0.0


def _leave_out_others(text: str, token: str) -> str:
    """The same rules for us, one name in place of all others: a rule is stored once for every name before it."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        plain = line.partition("#")[0].strip().lower()
        beginning = next((one for one in _AGENT_LINES if plain.startswith(one)), "")
        name = plain.removeprefix(beginning).strip(" \t:").replace("*", "") if beginning else ""
        if name and name not in token:
            lines[number] = _NOBODY
    return "\n".join(lines)
