"""Politeness: how hosts are treated during a run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Politeness:
    """How hosts are treated, and how long a run waits for one."""

    delay_seconds: float = 1.0  # between two requests to a host; its robots.txt may ask for more
    per_host: int = 1  # concurrent requests to a host
    concurrency: int = 32  # concurrent requests to all hosts together
    retries: int = 3  # of failures that may be temporary
    backoff_seconds: float = 2.0  # before the first retry; doubled before each further one
    # A host that asks for a longer pause is skipped for this run.
    longest_wait_seconds: float = 120.0
    most_failures: int = 10  # a host that fails this often in a row is skipped for this run
    obey_robots: bool = True

    def __post_init__(self) -> None:
        for name in ("per_host", "concurrency", "most_failures"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("delay_seconds", "retries", "backoff_seconds", "longest_wait_seconds"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, and is {getattr(self, name)}")
