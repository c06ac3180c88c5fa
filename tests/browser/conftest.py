"""A real Chromium without network access, a clean page for every test, apps on free ports, and a third party that listens.

The third party is the browser's proxy. Every request goes either directly to an app that a test started on loopback, or
to the proxy, which records it and returns an empty answer.
"""

import asyncio
import multiprocessing
import multiprocessing.process
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from bodytext.sources.rendering import QUIET_SWITCHES, find_chromium
from processes import run_command

if TYPE_CHECKING:
    import uvicorn

ADVICE = (
    "no Chromium: as root on Debian `make test` installs it; elsewhere install Chromium or Chrome, "
    "or name its program in BODYTEXT_CHROMIUM"
)
SWITCHES = (
    *QUIET_SWITCHES,
    # Numeric addresses lead nowhere: there is no such proxy, and only loopback bypasses it.
    "--proxy-server=http://127.0.0.1:9",
    # No name is resolved, in case something does not go through the proxy.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
PATIENCE_S = 90.0  # for what takes a second on an idle machine
PORTS = "<-loopback>;127.0.0.1:{};localhost:{}"  # the proxy is used for loopback too, except for this port

# What the tools import.
TOOLS = [
    "bodytext.studio.inspector.inspector_routes",
    "bodytext.studio.labelling.labelling_routes",
    "bodytext.studio.labelling.training_routes",
    "bodytext.studio.web.server",
    "uvicorn.lifespan.on",
]

# Chromium 150 connects to its search engine by itself, whatever page it shows. No test page names it.
SEARCH_ENGINE = "CONNECT www.google.com:443 HTTP/1.1"


@dataclass
class ThirdParty:
    """A proxy and server that answers everything with an empty page, and records the requests."""

    listener: socket.socket
    # First lines of requests; "connected" if there was none
    asked: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def listen(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return  # closed: the test is over
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with closing(connection):
            connection.settimeout(PATIENCE_S)
            try:
                request = connection.recv(65536)
                line = request.split(b"\r\n", 1)[0].decode("latin-1") or "connected"
                if line != SEARCH_ENGINE:
                    self.asked.append(line)
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )
            except OSError:
                self.asked.append("connected")


@pytest.fixture
def third_party() -> Iterator[ThirdParty]:
    """Start a third party; `third_party.asked` must stay empty if nothing may leave."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        party = ThirdParty(listener)
        threading.Thread(target=party.listen, daemon=True).start()
        yield party


def launch(playwright: Any, *flags: str) -> Browser:
    """Start the system's Chromium with an empty profile, or skip and say what to install."""
    program = find_chromium()
    if not program:
        if os.environ.get("CI"):
            pytest.fail(ADVICE)
        pytest.skip(ADVICE)
    root = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
    arguments = [*SWITCHES, *root, *flags]
    browser: Browser = playwright.chromium.launch(
        executable_path=program, args=arguments, timeout=PATIENCE_S * 1000
    )
    return browser


@pytest.fixture(scope="package")
def playwright() -> Iterator[Any]:
    """Start Playwright for this folder only: its event loop disturbs tests that start one."""
    expect.set_options(timeout=PATIENCE_S * 1000)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="package")
def browser(playwright: Any) -> Iterator[Browser]:
    """Start one Chromium for all tests of this folder."""
    running = launch(playwright)
    yield running
    running.close()


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function that makes profiles: `new_context(color_scheme="dark", ...)`. Only loopback is reachable."""
    made: list[BrowserContext] = []

    def make(**options: Any) -> BrowserContext:
        made.append(browser.new_context(**options))
        made[-1].set_default_timeout(PATIENCE_S * 1000)
        return made[-1]

    yield make
    for context in made:
        context.close()


@pytest.fixture
def new_page(new_context: Callable[..., BrowserContext]) -> Iterator[Page]:
    """Open a page in its own profile, for tests that listen to dialogs or add scripts. Script errors fail the test."""
    opened = new_context().new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    yield opened
    assert not problems, problems


class SharedPage:
    """A page that tests use one after the other, since a new one takes three times as long to show anything."""

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context()
        self.context.set_default_timeout(PATIENCE_S * 1000)
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.session = self.context.new_cdp_session(self.page)

    def clean(self) -> None:
        """Leave nothing of a test to the next one."""
        origin = re.match(r"https?://[^/?#]+", self.page.url)
        if origin:
            with suppress(Error):  # a sealed document has none
                self.page.evaluate("sessionStorage.clear()")
            kinds = {"origin": origin[0], "storageTypes": "all"}
            self.session.send("Storage.clearDataForOrigin", kinds)
        self.session.send("Network.clearBrowserCache")
        self.context.clear_cookies()
        self.context.clear_permissions()
        self.context.set_offline(False)
        self.context.unroute_all()
        self.page.unroute_all()
        self.page.emulate_media(reduced_motion="null", color_scheme="null")
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size({"width": 1280, "height": 720})
        for other in self.context.pages[1:]:
            other.close()
        self.problems.clear()


@pytest.fixture(scope="package")
def shared_page(browser: Browser) -> Iterator[SharedPage]:
    """Open the page that most tests share."""
    shared = SharedPage(browser)
    yield shared
    shared.context.close()


@pytest.fixture
def page(shared_page: SharedPage) -> Iterator[Page]:
    """Return a clean page. Script errors fail the test at its end."""
    yield shared_page.page
    problems = list(shared_page.problems)
    shared_page.clean()
    assert not problems, problems


@dataclass(frozen=True)
class Started:
    """A running server command; `address` is what it printed."""

    process: multiprocessing.process.BaseProcess
    address: str
    log: Path

    @property
    def origin(self) -> str:
        match = re.match(r"https?://[^/?#]+", self.address)
        assert match, self.address
        return match[0]

    @property
    def port(self) -> int:
        return int(self.origin.rpartition(":")[2])


def start(arguments: Sequence[str], log: Path) -> Started:
    """Start `bodytext ARGUMENTS...` in a process of its own, and wait until it has printed an address.

    It is forked from a process that has imported the tools already: that takes most of a start.
    """
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(TOOLS)
    process = forks.Process(target=run_command, args=(list(arguments), log))
    log.touch()
    process.start()
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.is_alive():
        match = re.search(r"http://\S+(?=\s)", log.read_text())  # the whole address
        if match:
            return Started(process, match[0], log)
        time.sleep(0.02)
    process.kill()
    process.join()
    raise AssertionError(f"bodytext {' '.join(arguments)} printed no address: {log.read_text()}")


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """Return a function that starts commands: `command("inspect", "page.html")`. They are stopped after the test."""
    running: list[Started] = []

    def begin(*arguments: str) -> Started:
        running.append(start(arguments, tmp_path / f"command{len(running)}.log"))
        return running[-1]

    yield begin
    for started in running:
        started.process.terminate()
        started.process.join(PATIENCE_S)
        if started.process.is_alive():
            started.process.kill()
            started.process.join()
            raise AssertionError(
                f"it does not stop when it is terminated: {started.log.read_text()}"
            )
        started.process.close()


@contextmanager
def serving(server: "uvicorn.Server", listener: socket.socket) -> Iterator[None]:
    """Run a server in a thread of this process."""
    thread = threading.Thread(target=asyncio.run, args=[_serve(server, listener)], daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not server.started:
            assert thread.is_alive(), "the application did not start"
            assert time.monotonic() < deadline, "the application took too long to start"
            time.sleep(0.01)
        yield
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)


async def _serve(server: "uvicorn.Server", listener: socket.socket) -> None:
    await server.serve([listener])
    # A browser may have connected while the server closed what it knew of.
    await asyncio.sleep(0.1)
    for connection in list(server.server_state.connections):
        connection.transport.abort()
    await asyncio.sleep(0)


@pytest.fixture
def serve() -> Iterator[Callable[[Any], str]]:
    """Return a function that serves ASGI applications from this process and returns their address."""
    import uvicorn

    with ExitStack() as running:

        def begin(application: Any) -> str:
            listener = socket.create_server(("127.0.0.1", 0))
            server = uvicorn.Server(
                uvicorn.Config(application, log_level="warning", ws="none", lifespan="on")
            )
            running.enter_context(serving(server, listener))
            return f"http://127.0.0.1:{listener.getsockname()[1]}"

        yield begin


@pytest.fixture
def sealed(
    new_context: Callable[..., BrowserContext], third_party: ThirdParty
) -> Callable[..., BrowserContext]:
    """Return a function that makes profiles whose requests all go to the third party, except for one port."""

    def make(port: int, **options: Any) -> BrowserContext:
        bypass = PORTS.format(port, port)
        return new_context(proxy={"server": third_party.address, "bypass": bypass}, **options)

    return make


@pytest.fixture(scope="package")
def web() -> Iterator[Any]:
    """Start a web of newspapers on loopback."""
    from browser.reader_news import make_web

    with make_web() as running_web:
        yield running_web


@pytest.fixture(scope="package")
def filled(web: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a reader's database with the articles of all newspapers."""
    pytest.importorskip(
        "starlette", reason="the reader needs starlette: pip install 'bodytext[reader]'"
    )
    from browser.reader_server import fill

    path = tmp_path_factory.mktemp("reader") / "filled.sqlite"
    fill(path, web)
    return path


@pytest.fixture
def reader(web: Any, filled: Path, tmp_path: Path) -> Iterator[Any]:
    """Start a reader on a copy of the filled database."""
    from browser.reader_server import allow, copy, serve

    copy(filled, tmp_path / "reader.sqlite")
    with serve(tmp_path / "reader.sqlite", allow(web)) as started:
        yield started
