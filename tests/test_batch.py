"""Pages by address, many pages at a time, and articles over several pages."""

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import bodytext
from bodytext import Document, FetchError
from bodytext.batch import ordered
from bodytext.methods.scores import Scores
from bodytext.sources import page_fetch
from bodytext.sources.fetch import PrivateAddressError
from bodytext.sources.page_fetch import StatusError
from bodytext.views.next_page import find_next_page

WORDS = "The keeper of the lamp counts nine ships tonight, and writes each of them down. " * 6
ARTICLE = (Path(__file__).parents[1] / "examples/article.html").read_text("utf-8")
PAGES = [f"<title>Page {number}</title><p>Number {number}. {WORDS}" for number in range(40)]


@dataclass
class Host:
    """A host on loopback: its pages by path, and what it was asked for."""

    pages: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    port: int = 0

    def address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@pytest.fixture
def host() -> Iterator[Host]:
    served = Host()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            body = served.pages.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            kind = "text/javascript" if self.path.endswith(".js") else "text/html; charset=utf-8"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served.port = server.server_port
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield served
        server.shutdown()


# By address.


def test_a_page_is_fetched_and_extracted(host: Host) -> None:
    host.pages["/a"] = ARTICLE.replace("ninety years", "Łódź")
    record = bodytext.fetch(host.address("/a"), allow_private=True)
    assert (record.url, record.charset) == (host.address("/a"), "utf-8")
    document = bodytext.extract_url(host.address("/a"), allow_private=True, prune="ul")
    assert "For Łódź the lamp" in document.text
    assert document == bodytext.extract(record, prune="ul")


def test_private_addresses_and_missing_pages_are_errors(host: Host) -> None:
    for call in (bodytext.fetch, bodytext.extract_url):
        with pytest.raises(PrivateAddressError):
            call(host.address("/a"))
        with pytest.raises(StatusError, match="HTTP 404 Not Found"):
            call(host.address("/none"), allow_private=True)
    assert host.asked == ["/none", "/none"]
    assert issubclass(StatusError, FetchError)


def test_a_wrong_option_costs_no_request(host: Host) -> None:
    with pytest.raises(ValueError, match="threshold"):
        bodytext.extract_url(host.address("/a"), allow_private=True, threshold=7)
    with pytest.raises(ValueError, match="pages must be at least 1"):
        bodytext.extract_url(host.address("/a"), allow_private=True, pages=0)
    assert host.asked == []


def test_a_missing_page_is_taken_from_the_archive(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_fetch, "ARCHIVE", host.address("/web/"))
    address = host.address("/gone")
    host.pages[f"/web/{address}"] = f"<p>Kept. {WORDS}"
    record = bodytext.fetch(address, allow_private=True, archived=True)
    assert (record.url, record.source) == (address, host.address(f"/web/{address}"))
    with pytest.raises(
        FetchError, match="HTTP 404 Not Found; and the Internet Archive has no copy"
    ):
        bodytext.fetch(host.address("/never"), allow_private=True, archived=True)
    with pytest.raises(PrivateAddressError):
        bodytext.fetch("http://10.0.0.1/", archived=True)


# Over several pages.


@pytest.mark.parametrize(
    ("here", "link", "found"),
    [
        ("/story", "<a href=/story?page=2>2</a>", "/story?page=2"),
        ("/story?page=2", "<a href=/story>1</a><a href=/story?page=3>3</a>", "/story?page=3"),
        ("/story.html", "<a href=/story-2.html>Next</a>", "/story-2.html"),
        ("/story-2.html", "<a rel=next href=/story-3.html>more</a>", "/story-3.html"),
        ("/story/", "<a href=/story/2/ title='Nächste Seite'>&gt;</a>", "/story/2/"),
        ("/story", "<a href=/story/page/2>Weiter »</a>", "/story/page/2"),
        ("/story?id=7", "<a href='?id=7&p=2'>下一页</a>", "/story?id=7&p=2"),
        ("/story", "<link rel=next href=/story/2>", "/story/2"),
        ("/story", "<link rel=next href=/another-story>", ""),  # the next article of a blog
        ("/story", "<a href=/story?page=2>A word about page two</a>", ""),
        ("/story", "<a href=/story?page=3>3</a>", ""),
        ("/story", "<a href=https://other.example/story?page=2>2</a>", ""),
        ("/story", "<a href='http://[broken?page=2'>2</a>", ""),
        ("/story", "<a href='?page=²'>2</a>", ""),  # a digit, but no decimal one
    ],
)
def test_the_next_page_has_the_next_number(here: str, link: str, found: str) -> None:
    site = "https://news.example"
    page = bodytext.parse(f"<p>{WORDS}</p><div class=pager>{link}</div>", url=site + here)
    assert find_next_page(page) == (site + found if found else "")


def make_story(host: Host, count: int) -> None:
    for number in range(1, count + 1):
        pager = f"<a href=/story?page={number + 1}>Next</a>" if number < count else ""
        path = "/story" if number == 1 else f"/story?page={number}"
        host.pages[path] = (
            f"<html lang=en><title>The lamp</title><article><p>The same introduction on every page, {WORDS}</p>"
            f"<h2>Part {number}</h2><p>Part {number} begins. {WORDS} <a href=/x>{number}</a></p></article><nav>{pager}</nav>"
        )


def test_an_article_over_several_pages_is_joined_on_request(host: Host) -> None:
    make_story(host, 3)
    one = bodytext.extract_url(host.address("/story"), allow_private=True)
    assert "Part 2 begins" not in one.text
    document = bodytext.extract_url(host.address("/story"), allow_private=True, pages=10)
    assert [f"Part {number} begins" in document.text for number in (1, 2, 3)] == [True] * 3
    assert document.text.count("The same introduction") == 1
    assert (document.origin, document.reason) == ("3 pages", "")
    assert document.metadata.title == "The lamp"
    assert f"[2]({host.address('/x')})" in document.markdown
    assert document.url == host.address("/story")
    two = bodytext.extract_url(host.address("/story"), allow_private=True, pages=2)
    assert two.origin == "2 pages"


def test_a_page_that_is_missing_ends_the_article_and_is_named(host: Host) -> None:
    make_story(host, 3)
    del host.pages["/story?page=3"]
    document = bodytext.extract_url(host.address("/story"), allow_private=True, pages=10)
    assert "Part 2 begins" in document.text
    assert document.reason.startswith("page 3 could not be fetched")
    host.pages["/story?page=3"] = host.pages["/story?page=2"]  # whose next page is itself
    assert bodytext.extract_url(host.address("/story"), allow_private=True, pages=10)


# Many at a time.


def test_documents_come_in_the_order_of_the_pages_with_errors_as_values() -> None:
    pages = [*PAGES[:3], None, *PAGES[3:5]]
    outcomes = list(bodytext.extract_many(pages))
    assert [type(outcome) for outcome in outcomes] == [*[Document] * 3, TypeError, *[Document] * 2]
    assert outcomes[4] == bodytext.extract(PAGES[3])


def test_pages_are_read_as_documents_are_taken() -> None:
    read = []

    def pages() -> Iterator[str]:
        for number, page in enumerate(PAGES):
            read.append(number)
            yield page

    outcomes = bodytext.extract_many(pages())
    next(outcomes)
    assert read == [0]


def test_wrong_options_are_errors_at_once() -> None:
    with pytest.raises(ValueError, match="threshold"):
        bodytext.extract_many(PAGES, threshold=7)
    with pytest.raises(ValueError, match="workers must be at least 1"):
        bodytext.extract_many(PAGES, workers=0)


def test_a_single_page_is_refused() -> None:
    for page in (PAGES[0], b"<p>A page."):
        with pytest.raises(TypeError, match="pass a list of pages, or call extract"):
            bodytext.extract_many(page)


class Failing:
    """A method with a fault, whose exception no other process can read."""

    class OddError(Exception):
        def __init__(self, first: str, second: str) -> None:
            super().__init__(first + second)

    def score(self, page: bodytext.Page) -> Scores:
        raise self.OddError("no ", page.url)


def test_what_a_method_raises_is_a_value() -> None:
    first, second = bodytext.extract_many(PAGES[:2], method=Failing(), url="http://a.example/")
    assert str(first) == str(second) == "no http://a.example/"
    with pytest.raises(TypeError, match="a method is a name or an object"):
        bodytext.extract_many(PAGES, method=Failing)
    sent = ordered._as_sent(first)
    assert isinstance(sent, RuntimeError)
    assert str(sent) == "OddError: no http://a.example/; it could not be sent"


def test_one_worker_sends_nothing() -> None:
    async def read() -> list[object]:
        return [found async for found in bodytext.extract_many_async(PAGES[:1], method=Failing())]

    assert isinstance(asyncio.run(read())[0], Failing.OddError)


def test_a_worker_that_dies_after_another_has_worked_is_no_missing_guard() -> None:
    pool: ordered.OrderedPool[int, str] = ordered.OrderedPool(str, 1)
    dead: Future[list[str]] = Future()
    dead.set_exception(BrokenExecutor())
    with pytest.raises(ordered.PageLostError, match="__main__"):
        ordered.PoolTask(pool, [1], dead)._wait()
    with pool:
        task = pool.submit([1])
        wait([task.future])
        with pytest.raises(ordered.PageLostError, match="memory may have run out"):
            ordered.PoolTask(pool, [1], dead)._wait()
        assert ordered.PoolTask(pool, [1], dead).take() == task.take() == ["1"]


def test_no_worker_outlives_the_work() -> None:
    """A process that ends while its workers do may leave a traceback."""
    results = ordered.map_ordered(str, range(500), 2)
    assert next(results) == "0"
    results.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []
    assert list(ordered.map_ordered(str, range(3), 2)) == ["0", "1", "2"]
    assert multiprocessing.active_children() == []


def test_another_takes_the_place_of_a_worker_that_was_killed() -> None:
    """Also of the one for items whose worker died, while it has nothing to do."""
    with ordered.OrderedPool(str, 2) as pool:
        for give in (pool.try_again, lambda item: pool.submit([item]).take()[0]):
            assert give(1) == "1"
            for process in multiprocessing.active_children():
                process.kill()
                process.join()
            while any("Manager" in type(thread).__name__ for thread in threading.enumerate()):
                time.sleep(0.01)  # until it is known
            assert give(2) == "2"


@pytest.mark.parametrize("workers", [1, 2])
def test_pages_before_an_error_of_the_source_are_given(workers: int) -> None:
    def read() -> Iterator[str]:
        yield from PAGES[:5]
        raise OSError("the disk is gone")

    async def take_all() -> list[object]:
        outcomes = bodytext.extract_many_async(read(), workers=workers)
        taken: list[object] = [await anext(outcomes) for _ in expected]
        with pytest.raises(OSError, match="the disk is gone"):
            await anext(outcomes)
        return taken

    expected = [bodytext.extract(page) for page in PAGES[:5]]
    outcomes = bodytext.extract_many(read(), workers=workers)
    assert [next(outcomes) for _ in expected] == expected == asyncio.run(take_all())
    with pytest.raises(OSError, match="the disk is gone"):
        next(outcomes)


def test_a_script_without_a_guard_is_told_about_it(tmp_path: Path) -> None:
    script = tmp_path / "many.py"
    script.write_text(
        f"import bodytext\nprint(next(bodytext.extract_many({PAGES[:1]!r}, workers=2)))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert 'a script needs `if __name__ == "__main__":` around its own work' in done.stdout


@pytest.mark.slow
def test_several_processes_give_the_same(tmp_path: Path) -> None:
    script = tmp_path / "many.py"
    script.write_text(
        "import os, bodytext\n"
        "class Deadly:\n"
        "    def score(self, page):\n"
        "        if b'Number 3.' in page.source: os._exit(1)\n"
        "        return bodytext.METHODS['finn']().score(page)\n"
        "if __name__ == '__main__':\n"
        f"    pages = {PAGES!r}\n"
        "    pages.insert(5, None)\n"
        "    one, two = (list(bodytext.extract_many(pages, workers=n, url='http://a/')) for n in (1, 2))\n"
        "    print([str(a) == str(b) for a, b in zip(one, two, strict=True)].count(True))\n"
        "    print(two[7].markdown == one[7].markdown, two[7].metadata.title)\n"
        "    ends = list(bodytext.extract_many(pages * 3, workers=2, method=Deadly()))\n"
        "    print([number for number, end in enumerate(ends) if isinstance(end, RuntimeError)])\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=120
    )
    same, markdown, deadly = done.stdout.splitlines()
    assert same == "41"
    assert markdown == "True Page 6"
    # The others that were under way when a worker died were read after all.
    assert deadly == "[3, 44, 85]"


def test_an_event_loop_goes_on() -> None:
    ticks = []

    async def tick() -> None:
        while True:
            ticks.append(time.monotonic())
            await asyncio.sleep(0)

    async def source() -> AsyncIterator[str | None]:
        for page in (*PAGES[:6], None):
            yield page

    async def main() -> list[object]:
        ticking = asyncio.ensure_future(tick())
        found: list[object] = [await bodytext.extract_async(PAGES[0])]
        found += [outcome async for outcome in bodytext.extract_many_async(PAGES[:6])]
        found += [outcome async for outcome in bodytext.extract_many_async(source())]
        ticking.cancel()
        return found

    found = asyncio.run(main())
    documents = [bodytext.extract(page) for page in PAGES[:6]]
    assert found[:-1] == [documents[0], *documents, *documents]
    assert isinstance(found[-1], TypeError)
    assert len(ticks) > 10


# What is imported when.


def test_importing_the_package_imports_none_of_it() -> None:
    code = (
        "import sys, bodytext; "
        "late = ['bodytext.batch.many', 'bodytext.sources.fetch', 'bodytext.page.selectors', 'bodytext.output', 'asyncio']; "
        "print([name for name in late if name in sys.modules]); "
        "print(sorted(set(bodytext.__all__) - set(dir(bodytext)))); bodytext.extract_many"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]
    with pytest.raises(AttributeError, match="no attribute 'extrat'"):
        bodytext.extrat  # noqa: B018


# In a browser.

SHELL = "<title>Shell</title><div id=app></div><script src=/app.js></script>"


def wait_for_browser() -> None:
    pytest.importorskip("playwright")
    from bodytext.sources.rendering import RenderError, find_browser

    try:
        find_browser()
    except RenderError as problem:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(problem))


@pytest.mark.slow
def test_scripts_are_run_in_a_browser_that_connects_to_nothing_itself(host: Host) -> None:
    """The page asks for the same host in every way; only what our client fetches may arrive."""
    wait_for_browser()
    host.pages["/"] = SHELL
    host.pages["/data"] = WORDS
    host.pages["/app.js"] = f"""
        fetch('/data').then(answer => answer.text()).then(text => {{
            document.getElementById('app').innerHTML = '<article><p>' + text + '</p></article>';
        }});
        const other = 'http://127.0.0.1:{host.port}';
        for (const kind of ['prefetch', 'preconnect', 'dns-prefetch']) {{
            const link = document.createElement('link');
            link.rel = kind; link.href = other + '/link-' + kind; document.head.append(link);
        }}
        new Image().src = other + '/image';
        navigator.sendBeacon(other + '/beacon', 'x');
        fetch(other + '/post', {{method: 'POST', body: 'x'}}).catch(() => 0);
        try {{ new WebSocket('ws://127.0.0.1:{host.port}/socket'); }} catch (error) {{}}
        try {{ new EventSource(other + '/events'); }} catch (error) {{}}
        window.open(other + '/window');
        const frame = document.createElement('iframe');
        frame.src = 'http://10.1.2.3/private'; document.body.append(frame);
    """
    document = bodytext.extract_url(host.address("/"), allow_private=True, render=True)
    assert document.text.startswith("The keeper")
    assert set(host.asked) <= {"/", "/app.js", "/data", "/window", "/link-prefetch"}
    assert not bodytext.extract_url(host.address("/"), allow_private=True)


@pytest.mark.slow
def test_no_request_of_a_page_reaches_a_private_address(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_browser()
    from bodytext.sources import rendering
    from bodytext.sources.fetch import Client, HttpResponse

    class Fake(Client):
        """A client for which one public address has a page; all else it fetches as ever."""

        def get(self, url: str, types: frozenset[str] | None = None) -> HttpResponse:
            if url != "http://news.example/":
                tried.append(url)
                return super().get(url, types)
            private = f"http://127.0.0.1:{host.port}/secret"
            body = (
                f"<p id=p>{WORDS}</p><script src='{private}.js'></script><iframe src='{private}'></iframe><script>"
                f"fetch('{private}').then(a => a.text()).then(t => p.textContent = t).catch(e => p.textContent += 'refused');"
                "</script>"
            )
            return HttpResponse(url, 200, body.encode(), {"content-type": "text/html"})

        def with_limits(self, limits: object) -> "Fake":
            return Fake(limits)  # type: ignore[arg-type]

    tried: list[str] = []
    host.pages["/secret"] = "the secret"
    monkeypatch.setattr(rendering, "CALM_S", 1.0)
    record = rendering.render_page("http://news.example/", Fake())
    assert b"refused" in record.html
    assert host.asked == []
    assert len(tried) == 3


@pytest.mark.slow
def test_a_browser_has_limits_on_time_and_size(host: Host) -> None:
    wait_for_browser()
    host.pages["/loop"] = "<p>before<script>while (true);</script>"
    host.pages["/grow"] = (
        "<p id=p><script>for (let i = 0; i < 9; i++) p.append('x'.repeat(100000))</script>"
    )
    with pytest.raises(FetchError, match="took longer than 2 s"):
        bodytext.fetch(host.address("/loop"), allow_private=True, render=True, max_seconds=2)
    with pytest.raises(FetchError, match="more than 500,000 characters after its scripts"):
        bodytext.fetch(host.address("/grow"), allow_private=True, render=True, max_bytes=500_000)
    with pytest.raises(FetchError, match="HTTP 404"):
        bodytext.fetch(host.address("/none"), allow_private=True, render=True)
    with pytest.raises(PrivateAddressError):
        bodytext.fetch(host.address("/loop"), render=True)


def test_without_a_browser_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from bodytext.sources import rendering

    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    with pytest.raises(FetchError, match="pip install 'bodytext\\[render\\]'"):
        rendering.find_browser()


def test_playwright_that_does_not_start_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright")
    from bodytext.sources import rendering
    from bodytext.sources.fetch import Client
    from bodytext.sources.fetch.response import HttpResponse

    def fail() -> None:
        raise Exception("Connection closed while reading from the driver")  # noqa: TRY002 - as it does

    monkeypatch.setattr("playwright.async_api.async_playwright", fail)
    monkeypatch.setattr(rendering, "find_browser", lambda: "chromium")
    first = HttpResponse("http://news.example/", 200, b"<p>A shell", {})
    with pytest.raises(rendering.RenderError, match=r"does not start .* libatomic1"):
        rendering.render_page(first.url, Client(), first)
