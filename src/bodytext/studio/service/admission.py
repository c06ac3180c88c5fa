"""Accept requests and count their bytes, up to the limits."""

from bodytext.studio.service.prometheus import ServiceMetrics
from bodytext.studio.service.service_limits import ServiceLimits
from bodytext.studio.web.app import Refusal

RETRY_SECONDS = 1


class Ticket:
    """An accepted request. It must be released once, whatever happens."""

    def __init__(self, limits: ServiceLimits, metrics: ServiceMetrics) -> None:
        self._limits, self._metrics = limits, metrics
        self._held = 0
        self._metrics.in_flight += 1

    def hold(self, count: int) -> None:
        """Count bytes that are now in memory; refuse the request if there are too many."""
        if self._metrics.held_bytes + count > self._limits.held_bytes:
            raise busy(f"the service is working on {self._metrics.held_bytes:,} bytes of pages")
        self._held += count
        self._metrics.held_bytes += count

    def release(self) -> None:
        """End the request: it is answered, or the client is gone."""
        self._metrics.held_bytes -= self._held
        self._metrics.in_flight -= 1


def admit(limits: ServiceLimits, metrics: ServiceMetrics) -> Ticket:
    """Accept a request, or refuse it if there are too many."""
    if metrics.in_flight >= limits.requests:
        raise busy(f"the service is working on {limits.requests} requests")
    return Ticket(limits, metrics)


def busy(message: str) -> Refusal:
    """Return the refusal of a request that should be sent again later."""
    refusal = Refusal(503, f"{message}; try again in {RETRY_SECONDS} s")
    refusal.headers = {"retry-after": str(RETRY_SECONDS)}
    return refusal
