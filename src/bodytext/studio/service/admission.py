"""admit: a request -> a ticket that counts it and its bytes until it is answered; a refusal of one too many."""

from bodytext.studio.service.limits import Limits
from bodytext.studio.service.prometheus import Metrics
from bodytext.studio.web.app import Refusal

COME_BACK_SECONDS = 1


class Ticket:
    """A request that was taken on. It is given back once, whatever happens."""

    def __init__(self, limits: Limits, metrics: Metrics) -> None:
        self._limits, self._metrics = limits, metrics
        self._held = 0
        self._metrics.in_flight += 1

    def hold(self, count: int) -> None:
        """Count bytes that are now in memory; a refusal where there are too many of all requests."""
        if self._metrics.held_bytes + count > self._limits.held_bytes:
            raise busy(f"pages of {self._metrics.held_bytes:,} bytes are being worked on")
        self._held += count
        self._metrics.held_bytes += count

    def give_back(self) -> None:
        """The request is answered, or whoever sent it is gone."""
        self._metrics.held_bytes -= self._held
        self._metrics.in_flight -= 1


def admit(limits: Limits, metrics: Metrics) -> Ticket:
    """Take a request on; a refusal where enough are being worked on."""
    if metrics.in_flight >= limits.requests:
        raise busy(f"{limits.requests} requests are being worked on")
    return Ticket(limits, metrics)


def busy(words: str) -> Refusal:
    """Too much at a time: come back."""
    refusal = Refusal(503, f"{words}; come back in {COME_BACK_SECONDS} s")
    refusal.headers = {"retry-after": str(COME_BACK_SECONDS)}
    return refusal
