"""Accept requests and count their bytes, up to the limits.

A request takes its place before its body has arrived. Senders that let others wait lose theirs: when
all places or all bytes are taken, the request that has been arriving for the longest time is dropped.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bodytext.studio.service.prometheus import ServiceMetrics
from bodytext.studio.service.service_limits import ServiceLimits
from bodytext.studio.web.app import Refusal

RETRY_SECONDS = 1
UNDISTURBED_SECONDS = 1.0  # that a body may take to arrive, however many others wait


class Admission:
    """The requests that are accepted."""

    def __init__(self, limits: ServiceLimits, metrics: ServiceMetrics) -> None:
        self.limits, self.metrics = limits, metrics
        self.arriving: dict[Ticket, asyncio.Timeout] = {}  # the oldest first

    def admit(self) -> "Ticket":
        """Accept a request, or refuse it if there are too many."""
        if self.metrics.in_flight >= self.limits.requests and not self.drop_slowest():
            raise busy(f"the service is working on {self.limits.requests} requests")
        return Ticket(self)

    def drop_slowest(self, besides: "Ticket | None" = None) -> bool:
        """Drop the request that has been arriving for the longest time; False if none is slow."""
        now = asyncio.get_running_loop().time()
        for ticket, timeout in self.arriving.items():
            if now - ticket.began < UNDISTURBED_SECONDS:
                break
            if ticket is not besides and not timeout.expired():
                del self.arriving[ticket]
                timeout.reschedule(now)
                ticket.release()
                return True
        return False


class Ticket:
    """An accepted request. It must be released, whatever happens."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self._held = 0
        self._is_released = False
        self.began = asyncio.get_running_loop().time()
        admission.metrics.in_flight += 1

    @asynccontextmanager
    async def arriving(self) -> AsyncIterator[None]:
        """Wait for the body; raise a TimeoutError after the limit, or when it is slow and others wait."""
        arriving = self._admission.arriving
        async with asyncio.timeout(self._admission.limits.body_seconds) as timeout:
            arriving[self] = timeout
            try:
                yield
            finally:
                arriving.pop(self, None)

    def hold(self, count: int) -> None:
        """Count bytes that are now in memory; refuse the request if there are too many."""
        metrics, most = self._admission.metrics, self._admission.limits.held_bytes
        while metrics.held_bytes + count > most and self._admission.drop_slowest(besides=self):
            pass
        if metrics.held_bytes + count > most:
            raise busy(f"the service is working on {metrics.held_bytes:,} bytes of pages")
        if not self._is_released:
            self._held += count
            metrics.held_bytes += count

    def release(self) -> None:
        """End the request: it is answered, dropped, or the client is gone."""
        if not self._is_released:
            self._is_released = True
            self._admission.metrics.held_bytes -= self._held
            self._admission.metrics.in_flight -= 1


def busy(message: str) -> Refusal:
    """Return the refusal of a request that should be sent again later."""
    refusal = Refusal(503, f"{message}; try again in {RETRY_SECONDS} s")
    refusal.headers = {"retry-after": str(RETRY_SECONDS)}
    return refusal
