"""Limits: what one request may take, and all of them together."""

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the service. Whatever reaches one ends with an error that says which."""

    page_bytes: int = 20 * MIB  # of a body, both as sent and unpacked; the largest of 1,473 real pages has 6 MB
    seconds: float = 10.0  # for one page in a worker, which is then ended; 10 MB of anything take 2 s or less
    body_seconds: float = 30.0  # until the whole body has come
    waiting_seconds: float = 60.0  # for a free worker
    requests: int = 512  # taken on at a time; more are told to come back
    held_bytes: int = 256 * MIB  # of all bodies that wait or are worked on; more are told to come back
    fetches: int = 16  # of addresses at a time
    fetch_seconds: float = 20.0
    worker_bytes: int = 2048 * MIB  # of memory for a worker; pages of one-letter paragraphs take 43 times their size
    # A worker that has once grown beyond is replaced by a fresh one: not all memory of a large page is given back.
    worker_keeps_bytes: int = 384 * MIB

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be more than 0, not {getattr(self, name)}")
