"""What the kernel asks for the addresses of links and images."""

from typing import Protocol


class Addresses(Protocol):
    """What makes addresses of values."""

    @property
    def root(self) -> str | None:
        """What is before a plain address that starts from the root; None if it has to be resolved."""

    def resolve(self, value: str) -> str:
        """The address of a value, or nothing; an absolute one of plain characters stays as it is."""
