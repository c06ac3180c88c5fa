"""The systems that are compared, a file a peer.

A file names the distribution it needs and gives its systems: each takes the bytes of a page and returns its text. What
it imports from the distribution stands inside its functions, so that a missing one breaks nothing else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

System = Callable[[bytes], str]

# In the order of reports. A file of this folder each.
PEERS = (
    "ours",
    "trafilatura",
    "resiliparse",
    "readability",
    "newspaper",
    "goose",
    "justext",
    "boilerpy",
    "turbohtml",
    "htmltext",
    "inscriptis",
)


@dataclass(frozen=True, slots=True)
class Peer:
    """A file of this folder: what it needs and what it offers."""

    name: str
    distribution: str
    version: str  # empty where the distribution is not installed
    systems: dict[str, System]


def read_peers() -> list[Peer]:
    """All peers, installed or not."""
    return [_read_peer(name) for name in PEERS]


def _read_peer(name: str) -> Peer:
    module = import_module(f"bodytext.studio.evaluation.peers.{name}")
    try:
        found = version(module.DISTRIBUTION)
    except PackageNotFoundError:
        found = ""
    return Peer(name, module.DISTRIBUTION, getattr(module, "VERSION", found), dict(module.SYSTEMS))


def find_system(name: str) -> System:
    """A system by its name, or anybody's by module:function."""
    module, colon, function = name.partition(":")
    if colon:
        system: System = getattr(import_module(module), function)
        return system
    for peer in read_peers():
        if name in peer.systems:
            return peer.systems[name]
    known = ", ".join(system for peer in read_peers() for system in peer.systems)
    raise ValueError(f"there is no system {name!r}; choose of {known}")
