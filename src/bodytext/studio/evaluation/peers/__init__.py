"""Find the systems that are compared; each module here is a peer.

A module names the distribution that it needs, and its systems. A system takes the bytes of a page
and returns its text. The distribution is imported inside the functions, so that a missing one does
no harm.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

System = Callable[[bytes], str]

# The modules of this folder, in the order of reports.
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
    """A distribution and its systems."""

    name: str
    distribution: str
    version: str  # empty if the distribution is not installed
    systems: dict[str, System]


def read_peers() -> list[Peer]:
    """All peers, installed or not."""
    return [_read_peer(name) for name in PEERS]


def _read_peer(name: str) -> Peer:
    module = import_module(f"bodytext.studio.evaluation.peers.{name}")
    try:
        installed = version(module.DISTRIBUTION)
    except PackageNotFoundError:
        installed = ""
    return Peer(
        name, module.DISTRIBUTION, getattr(module, "VERSION", installed), dict(module.SYSTEMS)
    )


def find_system(name: str) -> System:
    """A system by its name, or a user's own by module:function."""
    module, colon, function = name.partition(":")
    if colon:
        system: System = getattr(import_module(module), function)
        return system
    for peer in read_peers():
        if name in peer.systems:
            return peer.systems[name]
    known = ", ".join(system for peer in read_peers() for system in peer.systems)
    raise ValueError(f"there is no system {name!r}; choose one of {known}")
