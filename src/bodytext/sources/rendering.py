"""Open a page in a browser, and take what its scripts have made of it.

The browser connects to nothing itself. Every request of the page is answered by our own client,
which holds it to the rules about addresses, sizes and time; whatever would go past that finds a
proxy that does not exist and names that are not resolved.
"""

import asyncio
import os
import shutil
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bodytext.page.urls import is_web_address
from bodytext.sources.fetch import (
    PAGE_TYPES,
    Client,
    FetchError,
    HttpResponse,
    SizeLimitError,
    TimeLimitError,
)
from bodytext.sources.record import Record

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Route

MOST_REQUESTS = 300  # of one page
CALM_S = 3.0  # the longest wait for scripts that go on loading
_GRACE_S = 5.0  # for the browser to end after its time
_LEAST_S = 0.5
_SHARE_TO_LOAD = 0.7  # of the time; then what is there is taken
_SKIPPED = frozenset({"image", "media", "font", "texttrack", "websocket", "eventsource", "ping"})
# Of a response that goes to the browser: its body is unpacked, and there are no cookies.
_DROPPED = frozenset(
    {"content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"}
)
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
# A Chromium that does nothing of its own accord; the browser tests use them too.
QUIET_SWITCHES = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    # Otherwise forms are described to Google; Playwright itself turns the other features off.
    "--disable-features=AutofillServerCommunication,OptimizationHints,MediaRouter,Translate,DialMediaRouteProvider",
    "--no-first-run",
    "--no-pings",
)
# And one that reaches nothing: there is no such proxy, and no name is resolved.
_SEALED_SWITCHES = (
    "--proxy-server=http://nowhere.invalid:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)
_LENGTH = "document.documentElement ? document.documentElement.outerHTML.length : 0"


class RenderError(FetchError):
    """There is no browser, or it did not show the page."""


def render_page(url: str, client: Client, first: HttpResponse | None = None) -> Record:
    """Return a page (`first`, if it is there) after its scripts have run, or raise a FetchError."""
    program = find_browser()
    outcome: list[Record | BaseException] = []

    def run() -> None:
        try:
            outcome.append(asyncio.run(_Rendering(client, program, first=first).render(url)))
        except BaseException as error:  # the caller gets it
            outcome.append(error)

    # A thread of its own: the caller may be in an event loop.
    thread = threading.Thread(target=run, daemon=True, name="bodytext-browser")
    thread.start()
    thread.join(client.limits.max_seconds + 2 * _GRACE_S)
    if not outcome:
        raise TimeLimitError(f"the browser took longer than {client.limits.max_seconds:g} s")
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def find_browser() -> str:
    """Return the program of the system's Chromium; a RenderError says what to install."""
    try:
        import playwright.async_api  # noqa: F401
    except ImportError:
        raise RenderError(
            "a browser is driven with playwright: pip install 'bodytext[render]'"
        ) from None
    program = find_chromium()
    if not program:
        raise RenderError(
            "no browser: install Chromium or Chrome, or name its program in BODYTEXT_CHROMIUM"
        )
    return program


def find_chromium() -> str:
    """Return the program of the system's Chromium or Chrome, or an empty string."""
    named = os.environ.get("BODYTEXT_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), "")
    return named or (_MAC if Path(_MAC).exists() else "")


@dataclass  # no slots: playwright puts an attribute on what handles routes
class _Rendering:
    """One page in a browser of its own."""

    client: Client
    program: str
    ends: float = 0.0
    requests: int = 0
    size: int = 0
    first: HttpResponse | None = field(default=None)

    async def render(self, url: str) -> Record:
        from playwright.async_api import Error, async_playwright
        from playwright.async_api import TimeoutError as Slow

        self.ends = time.monotonic() + self.client.limits.max_seconds
        first = self.first
        if first is None:
            first = await asyncio.to_thread(self.client.get, url, PAGE_TYPES)
        if first.problem:
            raise RenderError(first.problem)
        self.first = first
        try:
            async with asyncio.timeout(self._left() + _GRACE_S), async_playwright() as playwright:
                browser = await self._launch(playwright)
                try:
                    return await asyncio.wait_for(self._open(browser, first), self._left())
                finally:
                    await asyncio.wait_for(browser.close(), _GRACE_S)
        except (TimeoutError, Slow):
            seconds = self.client.limits.max_seconds
            raise TimeLimitError(f"the browser took longer than {seconds:g} s") from None
        except Error as error:
            raise RenderError(f"the browser failed: {str(error).splitlines()[0][:200]}") from None
        except Exception as error:
            if type(error) is not Exception:  # what playwright raises if its own program fails
                raise
            raise RenderError(
                f"playwright does not start ({error}): try `playwright --version`; "
                "on Debian it may lack libatomic1"
            ) from None

    async def _launch(self, playwright: Any) -> "Browser":
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium has no sandbox for root
        browser: Browser = await playwright.chromium.launch(
            executable_path=self.program,
            args=[*QUIET_SWITCHES, *_SEALED_SWITCHES],
            chromium_sandbox=not is_root,
            timeout=self._left() * 1000,
        )
        return browser

    async def _open(self, browser: "Browser", first: HttpResponse) -> Record:
        from playwright.async_api import TimeoutError as Slow

        context = await browser.new_context(
            service_workers="block", accept_downloads=False, user_agent=self.client.user_agent
        )
        await context.route("**/*", self._answer)
        await context.route_web_socket("**", lambda socket: socket.close())
        page = await context.new_page()
        context.on("page", lambda other: asyncio.ensure_future(other.close()))  # pop-ups
        try:
            await page.goto(first.url, timeout=self._left() * 1000 * _SHARE_TO_LOAD)
            calm = min(CALM_S, self._left() / 2)
            await page.wait_for_load_state("networkidle", timeout=calm * 1000)
        except Slow:
            pass  # what is there by now is the page
        return await self._read(page, first)

    async def _read(self, page: "Page", first: HttpResponse) -> Record:
        most = self.client.limits.max_bytes
        if await page.evaluate(_LENGTH) > most:
            raise SizeLimitError(f"the page has more than {most:,} characters after its scripts")
        html = (await page.content()).encode("utf-8", "replace")
        url = page.url if is_web_address(page.url) else first.url
        return Record(html, url=url, time=first.time, charset="utf-8")

    async def _answer(self, route: "Route") -> None:
        """Answer a request of the page by our own client, or refuse it."""
        request = route.request
        self.requests += 1
        if (
            request.method != "GET"
            or request.resource_type in _SKIPPED
            or self.requests > MOST_REQUESTS
        ):
            await route.abort("blockedbyclient")
            return
        try:
            response = await self._fetch(request.url)
        except FetchError:
            await route.abort("accessdenied")
            return
        headers = {name: value for name, value in response.headers.items() if name not in _DROPPED}
        origin = request.headers.get("origin", "")
        if origin and not self.client.limits.allow_private:
            # Without cookies, a script can read from another site what everybody can.
            headers |= {
                "access-control-allow-origin": origin,
                "access-control-allow-credentials": "true",
            }
        await route.fulfill(status=response.status, headers=headers, body=response.body)

    async def _fetch(self, url: str) -> HttpResponse:
        if self.first is not None and url.partition("#")[0] == self.first.url.partition("#")[0]:
            return self.first
        limits = replace(self.client.limits, max_seconds=self._left())
        response = await asyncio.to_thread(self.client.with_limits(limits).get, url)
        self.size += len(response.body)
        if self.size > limits.max_bytes:
            raise SizeLimitError(
                f"all that the page loads has more than {limits.max_bytes:,} bytes"
            )
        return response

    def _left(self) -> float:
        return max(self.ends - time.monotonic(), _LEAST_S)
