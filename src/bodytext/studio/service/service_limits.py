"""The limits of the service, for one request and for all requests together."""

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Limits of the service. A request that reaches one ends with an error that names it."""

    # Of a body, both as sent and unpacked; the largest of 1,473 real pages has 6 MB.
    page_bytes: int = 20 * MIB
    # For a page in a worker, which is then killed; 10 MB of anything take 2 s or less.
    seconds: float = 10.0
    body_seconds: float = 30.0  # for the body to arrive
    waiting_seconds: float = 60.0  # for a free worker
    requests: int = 512  # at the same time; the answer to further ones is to try again
    # Of all bodies in memory; the answer to further requests is to try again.
    held_bytes: int = 256 * MIB
    fetches: int = 16  # of addresses at the same time
    fetch_seconds: float = 20.0
    # Of memory for a worker; pages of one-letter paragraphs take 43 times their size.
    worker_bytes: int = 2048 * MIB
    # A worker that has once grown beyond this is replaced: it does not free all the memory of a
    # large page.
    worker_keeps_bytes: int = 384 * MIB

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be more than 0, not {getattr(self, name)}")
