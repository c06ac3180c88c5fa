"""The command line for pipelines: lists, feeds, sites, workers, metadata, config, completion, hints."""

import errno
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from bodytext.cli import extract as extract_command
from bodytext.cli import inputs, main, outputs
from bodytext.cli.commands import COMMANDS
from bodytext.output.tei_check import check_tei
from bodytext.sources import page_fetch, rendering
from bodytext.sources.fetch import FetchError, HttpResponse
from bodytext.sources.listed_pages import AddressFilter
from bodytext.sources.listings.crawl import crawl_requests
from bodytext.sources.politeness import policy
from bodytext.sources.record import Record

ARTICLE = (Path(__file__).parents[1] / "examples/article.html").read_text("utf-8")
DATA = "<table><tr><th>Village<th>Ships<tr><td>Nes<td>4<tr><td>Dal<td>5</table>"


@pytest.fixture(autouse=True)
def no_config(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BODYTEXT_CONFIG", "")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(ARTICLE, "utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as stop:
        status = int(str(stop.code))
    output, errors = capsys.readouterr()
    return status, output, errors


class Site:
    """A site on loopback: pages by path."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[str, str]] = {"/robots.txt": ("text/plain", "User-agent: *\n")}
        self.asked: list[str] = []
        self.address = ""
        self.wait: Callable[[], object] = lambda: None  # before it answers

    def add(self, path: str, body: str, kind: str = "text/html") -> None:
        self.pages[path] = (kind, body)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    pytest.importorskip("protego")
    served = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            served.wait()
            kind, body = served.pages.get(self.path, ("text/html", ""))
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    # No pause between requests: there is only one visitor.
    fields = policy.Politeness.__dataclass_fields__
    monkeypatch.setattr(
        policy.Politeness, "__init__", patient(policy.Politeness.__init__, list(fields))
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        served.address = f"http://127.0.0.1:{server.server_port}"
        yield served
        server.shutdown()


def patient(make: object, names: list[str]) -> object:
    def init(self: object, **values: object) -> None:
        make(self, **({"delay_seconds": 0.0} | values))  # type: ignore[operator]

    assert "delay_seconds" in names
    return init


def news(number: int, links: str = "") -> str:
    return ARTICLE.replace("ninety years", f"{number} years").replace("</body>", f"{links}</body>")


# Lists, feeds, sitemaps, sites.


def test_the_pages_of_a_list_become_text_files(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (1, 2):
        site.add(f"/{number}", news(number))
    listed = tmp_path / "addresses.txt"
    listed.write_text(f"# news\n{site.address}/1\n{site.address}/gone\n{site.address}/2\n")
    status, _, errors = run(capsys, listed, "-o", tmp_path / "out", "--allow-private")
    assert status == 1
    assert errors == f"bodytext: {site.address}/gone: HTTP 404 Not Found\n"
    files = sorted((tmp_path / "out").iterdir())
    beginnings = ["For 1 years", "For 2 years"]
    pairs = zip(beginnings, files, strict=True)
    assert all(beginning in file.read_text("utf-8") for beginning, file in pairs)
    status, output, _ = run(capsys, listed, "-f", "json", "--allow-private")
    assert [json.loads(line)["url"][-2:] for line in output.splitlines()] == ["/1", "/2"]


def test_feeds_and_sitemaps_are_listed_and_read(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    items = "".join(f"<item><link>{site.address}/{number}</link></item>" for number in (1, 2))
    site.add("/feed", f"<rss><channel>{items}</channel></rss>", "application/rss+xml")
    entries = "".join(f"<url><loc>{site.address}/{number}</loc></url>" for number in (2, 3))
    site.add("/map.xml", f"<urlset>{entries}</urlset>", "application/xml")
    for number in (1, 2, 3):
        site.add(f"/{number}", news(number))
    sources = (f"feed:{site.address}/feed", f"sitemap:{site.address}/map.xml", "--allow-private")
    status, output, errors = run(capsys, *sources, "--list")
    assert (status, output.split()) == (0, [f"{site.address}/{number}" for number in (1, 2, 3)])
    assert "listed before" in errors
    assert not {"/1", "/2", "/3"} & set(site.asked), "a list fetches no page"
    _, output, _ = run(capsys, *sources)
    assert [line[:11] for line in output.splitlines() if line.startswith("For ")] == [
        "For 1 years", "For 2 years", "For 3 years",
    ]  # fmt: skip
    status, _, errors = run(capsys, f"{site.address}/feed", "--allow-private")
    assert status == 1
    assert f"for what a feed or a sitemap lists: feed:{site.address}/feed" in errors


def test_a_list_may_name_feeds_and_sitemaps(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site.add("/feed", f"<rss><item><link>{site.address}/2</link></item></rss>", "text/xml")
    site.add("/map.xml", f"<urlset><url><loc>{site.address}/3</loc></url></urlset>", "text/xml")
    for number in (1, 2, 3):
        site.add(f"/{number}", news(number))
    listed = tmp_path / "a.txt"
    listed.write_text(
        f"feed:{site.address}/feed\n{site.address}/1\nsitemap:{site.address}/map.xml\n"
    )
    addresses = [f"{site.address}/{number}" for number in (1, 2, 3)]
    status, output, _ = run(capsys, listed, "--allow-private", "--list")
    assert (status, output.split()) == (0, addresses)
    _, output, _ = run(capsys, listed, "--allow-private", "-f", "json")
    assert [json.loads(line)["url"] for line in output.splitlines()] == addresses


def test_lists_in_private_networks_get_a_hint(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, listed, database = f"{site.address}/1", tmp_path / "a.txt", tmp_path / "reader.db"
    listed.write_text(page)
    reader = ("reader", "--database", database)
    for command in ([listed], [f"feed:{page}"], ["--crawl", page], [*reader, "save", page]):
        errors = run(capsys, *command)[2]
        assert errors.endswith("; --allow-private fetches from there too\n"), command
    assert site.asked == []


def test_an_entry_without_an_address_names_its_feed(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.add("/feed", "<rss><item><title>Lost</title></item></rss>", "text/xml")
    feed = f"{site.address}/feed"
    for options in ((), ("--list",)):
        errors = run(capsys, f"feed:{feed}", "--allow-private", *options)[2]
        assert errors == f"bodytext: {feed}: the entry of the feed has no address\n"


def test_a_page_that_needs_scripts_gets_a_hint(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.add("/app", "<title>App</title><div id=root></div><script src=/bundle.js></script>")
    status, _, errors = run(capsys, f"{site.address}/app", "--allow-private")
    assert status == 3
    assert errors.endswith("; --render does that\n")


def test_addresses_are_filtered(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = ["/news/1", "/news/old/2", "/sport/3", "/news/4"]
    listed, blocked = tmp_path / "a.urls", tmp_path / "block.txt"
    listed.write_text("\n".join(site.address + path for path in paths))
    blocked.write_text(f"{site.address}/news/old/\n{site.address}/news/4\n")
    _, output, _ = run(capsys, listed, "--list", "--url-filter", "/news/", "--blacklist", blocked)
    assert output.split() == [f"{site.address}/news/1"]
    accepts = AddressFilter(blocked=frozenset({"a.example/x", "b.example/"})).accepts
    assert [accepts(f"https://www.{address}") for address in ("a.example/x/y", "a.example/x", "b.example/z")] == [
        True, False, False,
    ]  # fmt: skip
    # An address in an address is not what goes by
    assert accepts("https://archive.example/2020/https://b.example/z")


def test_a_list_that_cannot_be_read_is_a_failure_of_the_listing(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "a.urls"
    listed.write_text(f"{site.address}/1\n")
    missing = f"feed:{site.address}/missing.xml"
    status, output, errors = run(capsys, missing, listed, "--list", "--allow-private")
    assert (status, output) == (1, f"{site.address}/1\n")
    assert "404" in errors


def test_a_list_without_pages_says_so(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.add("/feed", "<rss><channel></channel></rss>", "application/rss+xml")
    status, output, errors = run(capsys, f"feed:{site.address}/feed", "--allow-private")
    assert (status, output) == (3, "")
    assert errors == "bodytext: no page is listed, or none that was asked for\n"


def test_a_feed_without_a_scheme_gives_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    for feed in ("feed:nothing", "feed:"):
        problem = f"{feed}: after feed: there should be an http or https address"
        assert run(capsys, feed) == (1, "", f"bodytext: {problem}\n")


def test_a_site_is_crawled_up_to_a_number_of_pages(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site.add("/robots.txt", "User-agent: *\nDisallow: /secret", "text/plain")
    links = (
        "<a href=/2>b</a><a href='/3#top'>c</a><a href=https://other.example/>o</a><a href=/p.pdf>p</a>"
        "<a href=/no rel=nofollow>n</a><a href=/secret>s</a>"
    )
    site.add("/", news(1, links))
    site.add("/2", news(2, "<a href=/4>d</a><a href=/>home</a>"))
    site.add("/3", news(3))
    site.add("/4", news(4))
    crawl = ("--crawl", f"{site.address}/", "--allow-private")
    _, output, errors = run(capsys, *crawl, "--list")
    assert [line.removeprefix(site.address) for line in output.split()] == ["/", "/2", "/3", "/4"]
    assert f"{site.address}/secret: " in errors
    assert not {"/secret", "/p.pdf", "/no"} & set(site.asked)
    status, _, errors = run(capsys, *crawl, "--max-pages", 2, "-o", tmp_path / "out")
    assert status == 1
    assert "HTTP 404 Not Found" in errors, "the example has links that lead nowhere"
    assert len(list((tmp_path / "out").iterdir())) == 2
    assert run(capsys, "--crawl", "site.example")[0] == 2


def test_links_of_another_site_are_not_followed() -> None:
    def get(url: str) -> HttpResponse:
        target = "https://other.example/" if url == "https://a.example/away" else url
        body = "<a href=/away>a</a><a href=/more>b</a>"
        return HttpResponse(target, 200, body.encode(), {"content-type": "text/html"})

    requests = crawl_requests("https://a.example/", get, 10, lambda _: True)
    assert [request.url for request in requests] == [
        f"https://a.example/{path}" for path in ("", "away", "more")
    ]


SHELL = "<title>Shell</title><div id=app></div><script src=/app.js></script>"


def test_listed_pages_are_rendered_as_they_were_fetched(
    site: Site,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each page is asked for once, by the rules of robots.txt, and the browser gets what came."""

    def render(url: str, _: object, first: HttpResponse) -> Record:
        number = url.rpartition("/")[2]
        if number == "3":
            raise FetchError("the browser took longer than 30 s")
        assert first.body == SHELL.encode()
        links = "<a href=/2>b</a><a href=/3>c</a><a href=/secret>s</a>" if number == "1" else ""
        return Record(f"<p>For {number} years it was dark.{links}".encode(), url, charset="utf-8")

    monkeypatch.setattr(rendering, "render_page", render)
    monkeypatch.setattr(rendering, "find_browser", lambda: "chromium")
    site.add("/robots.txt", "User-agent: *\nDisallow: /secret", "text/plain")
    for number in ("1", "2", "3"):
        site.add(f"/{number}", SHELL)
    items = "".join(
        f"<item><link>{site.address}/{name}</link></item>" for name in ("1", "2", "3", "secret")
    )
    site.add("/feed", f"<rss><channel>{items}</channel></rss>", "application/rss+xml")
    listed = tmp_path / "addresses.txt"
    listed.write_text("\n".join(f"{site.address}/{name}" for name in ("1", "2", "3", "secret")))
    options = ("--render", "--allow-private")
    for source in ([listed], [f"feed:{site.address}/feed"], ["--crawl", f"{site.address}/1"]):
        site.asked.clear()
        status, output, errors = run(capsys, *source, *options)
        assert status == 1
        assert re.findall(r"For \d years", output) == ["For 1 years", "For 2 years"]
        assert f"{site.address}/3: the browser took longer than 30 s" in errors
        assert f"{site.address}/secret: " in errors
        assert sorted(path for path in site.asked if path[1:].isdigit()) == ["/1", "/2", "/3"]
        assert "/secret" not in site.asked
    site.asked.clear()
    _, output, _ = run(capsys, listed, *options, "--list")
    assert len(output.split()) == 4
    assert site.asked == []


def test_rendering_lists_without_a_browser_says_so_once(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "find_chromium", lambda: "")
    pytest.importorskip("playwright")
    status, _, errors = run(capsys, f"feed:{site.address}/feed", "--render", "--allow-private")
    assert status == 2
    assert "install Chromium or Chrome" in errors
    assert site.asked == []


@pytest.mark.slow
def test_a_site_of_scripts_is_crawled_in_a_browser(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("playwright")
    if not rendering.find_chromium():
        pytest.skip("no Chromium here")
    monkeypatch.setattr(rendering, "CALM_S", 1.0)
    site.add("/", SHELL)
    site.add("/next", SHELL)
    script = """
        const text = location.pathname === "/next" ? "The second shed was full too." : "The lamp was lit again on Saturday.";
        app.innerHTML = "<h1>News</h1><p>" + text + " Nobody has switched it off.</p><a href=/next>More</a>";
    """
    site.add("/app.js", script, "text/javascript")
    _, output, _ = run(capsys, "--crawl", f"{site.address}/", "--render", "--allow-private")
    assert "lit again on Saturday" in output
    assert "second shed" in output


def test_a_page_that_is_gone_comes_from_the_archive(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_fetch, "ARCHIVE", f"{site.address}/web/")
    gone = f"{site.address}/gone"
    site.add(f"/web/{gone}", news(7))
    status, output, _ = run(capsys, gone, "--archived", "--allow-private")
    assert status == 0
    assert "For 7 years" in output


def test_an_article_over_several_pages_is_joined(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.add("/a", news(1, "<a href='/a?page=2'>2</a>"))
    site.add("/a?page=2", news(2))
    address = f"{site.address}/a"
    assert "For 2 years" not in run(capsys, address, "--allow-private")[1]
    assert "For 2 years" in run(capsys, address, "--pages", 5, "--allow-private")[1]


# Files.


@pytest.mark.slow
def test_several_processes_write_the_same_files(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{number:02}.html").write_text(news(number), "utf-8")
    (tmp_path / "in" / "07.html").write_bytes(b"\x89PNG\r\n\x1a\n")
    command = [sys.executable, "-m", "bodytext", str(tmp_path / "in"), "-f", "csv", "-o"]
    for workers in ("1", "3"):
        done = subprocess.run(
            [*command, str(tmp_path / f"{workers}.csv"), "--workers", workers],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert "07.html: this file is PNG" in done.stderr
    one, three = (tmp_path / f"{workers}.csv" for workers in ("1", "3"))
    assert one.read_bytes() == three.read_bytes()
    assert one.read_text("utf-8").count("source,url") == 1


def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    """Nobody reads its output, so the command is at work when it is ended."""
    for name in range(60):
        (tmp_path / f"{name}.html").write_text(news(name), "utf-8")
    command = [sys.executable, "-m", "bodytext", str(tmp_path), "-f", "json", "--workers", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.kill()
        process.communicate(timeout=30)  # which waits until no worker holds the pipe
    assert process.returncode not in {0, 1}


def test_workers_write_pages_while_others_are_fetched(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed, texts = tmp_path / "a.txt", tmp_path / "texts"
    for number in range(20):
        site.add(f"/{number}", news(number))
    listed.write_text("\n".join(f"{site.address}/{number}" for number in range(20)))
    written: list[bool] = []

    def wait() -> None:
        end = time.monotonic() + 0.3
        while not (texts.is_dir() and any(texts.glob("*.txt"))) and time.monotonic() < end:
            time.sleep(0.01)
        written.append(texts.is_dir())

    site.wait = wait
    assert run(capsys, listed, "-o", texts, "--workers", 2, "--allow-private")[0] == 0
    assert written[-1]


@pytest.mark.slow
def test_ctrl_c_ends_workers_without_a_traceback(tmp_path: Path) -> None:
    for name in range(500):
        (tmp_path / f"{name}.html").write_text(news(name), "utf-8")
    start = (  # Ctrl-C may be ignored here
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from bodytext.cli import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", start, str(tmp_path), "-f", "json", "--workers", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=30)[1]
    assert (process.returncode, errors) == (130, b"bodytext: stopped\n")


def test_nothing_is_overwritten_unless_asked(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("mine")
    status, _, errors = run(capsys, page, "-o", kept)
    assert (status, errors) == (2, f"bodytext: {kept} exists already; --overwrite replaces it\n")
    assert kept.read_text() == "mine"
    assert run(capsys, page, page, "-f", "text", "-o", kept)[0] == 2
    assert run(capsys, page, "-o", f"{tmp_path}/out/")[0] == 0
    assert run(capsys, page, "-o", f"{tmp_path}/out/")[0] == 2
    assert run(capsys, "cuter", page, "-o", kept)[0] == 2
    assert kept.read_text() == "mine"
    assert run(capsys, page, "-o", kept, "--overwrite")[0] == 0
    assert "For ninety years" in kept.read_text("utf-8")
    assert run(capsys, page, "-o", "/dev/null")[0] == 0


def test_pages_whose_files_exist_are_not_fetched_again(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "a.txt"
    listed.write_text(f"{site.address}/1\n{site.address}/1!\n{site.address}/1?\n")
    for path in ("/1", "/1!"):
        site.add(path, news(1))
    command = (listed, "-o", tmp_path / "out", "--allow-private", "--archived")
    status, _, errors = run(capsys, *command)
    assert (status, errors) == (
        0,
        f"bodytext: {site.address}/1?: the same address was listed before\n",
    )
    assert len(list((tmp_path / "out").iterdir())) == 2
    site.asked.clear()
    listed.write_text(f"{site.address}/1\n{site.address}/2\n")
    site.add("/2", news(2))
    status, _, errors = run(capsys, *command)
    assert status == 0
    assert errors.endswith(".txt: passed over, since it exists already; --overwrite replaces it\n")
    assert site.asked == ["/robots.txt", "/2"]
    status, _, errors = run(capsys, *command)
    assert status == 0
    assert "2 pages were passed over, since their files exist already; --overwrite" in errors
    assert run(capsys, *command, "--overwrite")[0] == 0


def test_a_folder_that_was_interrupted_is_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages, texts = tmp_path / "pages", tmp_path / "texts"
    pages.mkdir()
    for name in range(3):
        (pages / f"{name}.html").write_text(news(name), "utf-8")
    assert run(capsys, pages, "-o", texts)[0] == 0
    (texts / "1.html.txt").unlink()
    (texts / "0.html.txt").write_text("mine")
    status, _, errors = run(capsys, pages, "-o", texts)
    assert status == 0
    assert "2 pages were passed over" in errors
    assert (texts / "1.html.txt").stat().st_size > 100
    assert (texts / "0.html.txt").read_text() == "mine"
    status, _, errors = run(capsys, pages, "-o", texts)
    assert status == 0, "there is nothing left to do"
    assert "3 pages were passed over" in errors


def test_no_page_is_replaced_by_its_text(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "link.html"
    other.symlink_to(page)
    for output in (page, other):
        status, _, errors = run(capsys, page, "-o", output, "--overwrite")
        assert status == 2
        assert errors.endswith("is one of the files to read; write to another place\n")
    assert run(capsys, "cuter", page, "-o", page, "--overwrite")[0] == 2
    assert page.read_text("utf-8") == ARTICLE


def test_nothing_that_is_read_is_replaced(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed, seen, pages = tmp_path / "a.txt", tmp_path / "seen.txt", tmp_path / "pages"
    listed.write_text(f"{site.address}/1\n")
    seen.write_text("a.example/old\n")
    site.add("/1", news(1))
    pages.mkdir()
    for name in ("a.html", "a.html.html"):
        (pages / name).write_text(ARTICLE, "utf-8")
    for command in (
        (listed, "-o", listed, "-f", "text"),
        (listed, "--blacklist", seen, "-o", seen, "-f", "text"),
        (pages, "-f", "html", "-o", f"{pages}/"),
    ):
        status, _, errors = run(capsys, *command, "--overwrite", "--allow-private")
        assert status == 2
        assert errors.endswith("is one of the files to read; write to another place\n")
    # The names of listed pages are not known before they are read.
    assert run(capsys, listed, "-o", tmp_path / "texts", "--allow-private")[0] == 0
    named = next((tmp_path / "texts").iterdir())
    named.write_text(f"{site.address}/1\n")
    command = (named, "-o", named.parent, "--overwrite", "--allow-private")
    assert run(capsys, *command)[0] == 1
    assert named.read_text() == f"{site.address}/1\n"
    assert site.asked.count("/1") == 2


@pytest.fixture(params=[130, 1])
def status_of_failure(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The status after Ctrl-C or a full disk in the middle of the second write."""
    status: int = request.param
    problem = KeyboardInterrupt() if status == 130 else OSError(errno.ENOSPC, "No space left")
    whole = outputs.WholeFile.write
    count = itertools.count()

    def write(file: outputs.WholeFile, data: bytes) -> None:
        if next(count) == 0:
            return whole(file, data)
        whole(file, data[:10])
        raise problem

    monkeypatch.setattr(outputs.WholeFile, "write", write)
    return status


def test_no_half_file_is_left(
    page: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    status_of_failure: int,
) -> None:
    """A full disk ends the work, as Ctrl-C does."""
    for name in ("second.html", "third.html"):
        page.with_name(name).write_text(ARTICLE, "utf-8")
    status, _, errors = run(capsys, tmp_path, "-o", tmp_path / "texts")
    assert status == status_of_failure
    assert errors.count("bodytext: ") == 1
    assert [file.name for file in (tmp_path / "texts").iterdir()] == ["page.html.txt"]


@pytest.mark.parametrize("name", ["all.csv", "all.jsonl", "all.txt"])
def test_one_file_of_many_pages_is_replaced_at_the_end(
    page: Path,
    name: str,
    capsys: pytest.CaptureFixture[str],
    status_of_failure: int,
) -> None:
    file = page.with_name("texts") / name
    file.parent.mkdir()
    file.write_text("old")
    file.chmod(0o640)
    status = run(capsys, page, page, "-o", file, "--overwrite")[0]
    assert status == status_of_failure
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]


def test_files_are_written_beside_their_places(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under names that nobody knows before; permissions are those of other new files, or stay."""
    mask = os.umask(0o027)
    new, old = page.with_name("new.txt"), page.with_name("old.txt")
    # The name that it had before.
    page.with_name(f".{os.getpid()}.unfinished").symlink_to(page.with_name("planted"))
    old.write_text("mine")
    old.chmod(0o604)
    try:
        for file in (new, old):
            assert run(capsys, page, "-o", file, "--overwrite")[0] == 0
            assert "For ninety years" in file.read_text("utf-8")
    finally:
        os.umask(mask)
    assert [file.stat().st_mode & 0o777 for file in (new, old)] == [0o640, 0o604]
    assert not page.with_name("planted").exists()


@pytest.mark.parametrize("when", ["open", "replace"])
def test_a_file_that_nothing_may_replace_is_written_in_place(
    page: Path, when: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one that is mounted into a container."""
    file = page.with_name("old.txt")
    file.write_text("mine")
    node, done = file.stat().st_ino, getattr(Path, when)

    def refuse(path: Path, *arguments: object, **options: object) -> object:
        if path.suffix == ".unfinished":
            raise OSError(errno.EBUSY if when == "replace" else errno.EACCES, "no")
        return done(path, *arguments, **options)

    monkeypatch.setattr(Path, when, refuse)
    assert run(capsys, page, "-o", file, "--overwrite")[0] == 0
    assert "For ninety years" in file.read_text("utf-8")
    assert file.stat().st_ino == node
    assert not list(file.parent.glob(".*"))


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no such device")
def test_standard_output_may_be_named(page: Path) -> None:
    for pages in (["page.html"], ["page.html"] * 2):
        command = [sys.executable, "-m", "bodytext", *pages, "-o", "/dev/stdout"]
        done = subprocess.run(command, cwd=page.parent, capture_output=True, text=True, check=True)
        assert done.stdout.count("For ninety years") == len(pages)


def test_pages_and_lists_that_are_done_are_passed_over_together(
    site: Site, page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed, texts = tmp_path / "a.txt", tmp_path / "texts"
    site.add("/1", news(1))
    site.add("/2", news(2))
    listed.write_text(f"{site.address}/1\n")
    command = (page, listed, "-o", texts, "--allow-private")
    assert run(capsys, *command)[0] == 0
    listed.write_text(f"{site.address}/1\n{site.address}/2\n")
    status, _, errors = run(capsys, *command)
    assert status == 0
    assert "2 pages were passed over" in errors
    assert len(list(texts.iterdir())) == 3


def test_a_page_without_text_is_tried_again(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = tmp_path / "texts"
    page.write_text("<img>")
    assert run(capsys, page, "-o", f"{texts}/")[0] == 3
    assert not (texts / "page.html.txt").read_bytes()
    page.write_text(ARTICLE, "utf-8")
    assert run(capsys, page, "-o", f"{texts}/") == (0, "", "")
    assert "For ninety years" in (texts / "page.html.txt").read_text("utf-8")


# Names of files.


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("/news/1!", "/news/1?"),
        ("/a/b", "/a_b"),
        ("/?id=1", "/id/1"),
        ("/" + "a" * 200, "/" + "a" * 201),
    ],
)
def test_every_address_has_a_name_of_its_own(first: str, second: str) -> None:
    names = {inputs._name_output(f"https://a.example{path}") for path in (first, second)}
    assert len(names) == 2
    assert max(len(os.fsencode(name)) for name in names) < 170


def test_names_of_ordinary_addresses_are_plain() -> None:
    for path in ("/a/b-2.html", "/a/b-2.html/"):
        assert inputs._name_output(f"https://a.example{path}") == Path("a.example_a_b-2.html")
    assert inputs._name_output("https://a.example/") == Path("a.example")


def test_new_pages_are_not_taken_for_old_ones(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed, texts = tmp_path / "a.txt", tmp_path / "texts"
    for path in ("/a!", "/a$"):
        site.add(path, news(1))
    for lines in ("/a!", "/a$\n/a!"):
        listed.write_text("\n".join(site.address + path for path in lines.split()))
        assert run(capsys, listed, "-o", texts, "--allow-private")[0] == 0
    assert [site.asked.count(path) for path in ("/a!", "/a$")] == [1, 1]
    assert len(list(texts.iterdir())) == 2


def test_addresses_that_lead_to_one_page_give_one_file(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed, texts = tmp_path / "a.txt", tmp_path / "texts"
    listed.write_text(f"{site.address}/a\n{site.address}/a/\n")
    site.add("/a", news(1))
    site.add("/a/", news(1))
    status, _, errors = run(capsys, listed, "-o", texts, "--allow-private", "--overwrite")
    assert (status, errors) == (0, f"bodytext: {site.address}/a/: this page was read before\n")
    assert len(list(texts.iterdir())) == 1


def test_a_name_that_is_too_long_fails_alone(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ("a" * 249 + ".html")).write_text(ARTICLE, "utf-8")
    status, _, errors = run(capsys, tmp_path, "-o", tmp_path / "texts")
    assert status == 1
    assert errors.endswith(".html.txt: cannot be written: File name too long\n")
    assert len(list((tmp_path / "texts").iterdir())) == 1
    name = "a" * 300
    status, output, errors = run(capsys, f"{name}.txt", f"https://127.0.0.1/{name}", name, page)
    assert (status, "For ninety years" in output) == (1, True)
    assert errors.count("cannot be read: File name too long") == 2
    assert "; --allow-private fetches from there too" in errors


def test_the_name_of_the_output_says_the_format(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    formats = {
        "a.md": "markdown",
        "a.markdown": "markdown",
        "a.htm": "html",
        "a.json": "json",
        "a.xml": "xml",
        "a.TEI.xml": "tei",
        "a": "text",
    }
    for name, format_name in formats.items():
        assert run(capsys, page, "-o", tmp_path / name)[0] == 0
        status, expected, _ = run(capsys, page, "-f", format_name)
        assert (status, (tmp_path / name).read_text("utf-8")) == (0, expected)
    assert run(capsys, page, "-f", "text", "-o", tmp_path / "b.json")[0] == 0
    assert not (tmp_path / "b.json").read_text("utf-8").startswith("{")
    assert run(capsys, page, page, "-o", tmp_path / "all.markdown")[0] == 0
    assert run(capsys, page, page, "-o", tmp_path / "all.jsonl")[0] == 0
    assert len((tmp_path / "all.jsonl").read_text("utf-8").splitlines()) == 2
    assert run(capsys, page, "-o", "")[0] == 2


def test_what_is_typed_goes_before_the_format_of_the_user(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[extract]\nformat = "json"\n')
    monkeypatch.setenv("BODYTEXT_CONFIG", str(config))
    begins = {("a.htm",): "<!DOCTYPE", ("b.htm", "-f", "text"): "For ninety", ("c",): "{"}
    for (name, *typed), beginning in begins.items():
        assert run(capsys, page, "-o", tmp_path / name, *typed)[0] == 0
        assert (tmp_path / name).read_text("utf-8").startswith(beginning)


def test_what_a_folder_has_besides_pages_is_named(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page.with_name("notes.pdf").write_bytes(b"%PDF-1.4")
    status, _, errors = run(capsys, tmp_path, "-o", tmp_path / "texts")
    assert status == 0
    assert "passed over files (1) whose names do not end in .html, .htm or .xhtml" in errors
    assert "notes.pdf" in errors


def test_an_output_that_cannot_be_written_ends_the_work(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page.with_name("second.html").write_text(ARTICLE, "utf-8")
    blocked = tmp_path / "a.md"
    blocked.touch()
    for name in (f"{blocked}/texts/", f"{blocked}/all.csv", f"{blocked}/deep/all.csv"):
        form = "csv" if name.endswith("csv") else "text"
        status, output, errors = run(capsys, tmp_path, "-f", form, "-o", name)
        assert (status, output) == (1, "")
        assert errors.endswith(
            f"bodytext: {name.rstrip('/')}: cannot be written: Not a directory\n"
        )
    items = Path(__file__).parents[1] / "examples/items.xml"
    status, _, errors = run(capsys, "cuter", items, "-o", blocked / "x.xml")
    assert status == 1
    assert f"{blocked / 'x.xml'}: cannot be written: " in errors


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_full_disk_ends_the_work(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = page.with_name("all.csv")
    file.symlink_to("/dev/full")
    status, _, errors = run(capsys, page, page, "-f", "csv", "-o", file)
    assert status == 1
    assert errors == f"bodytext: {file}: cannot be written: No space left on device\n"


def test_files_that_cannot_be_read_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed, missing = tmp_path / "a.txt", tmp_path / "missing.txt"
    listed.write_text("https://a.example/1\n")
    status, _, errors = run(capsys, listed, "--list", "--blacklist", missing)
    assert status == 2
    problem = "cannot be read: No such file or directory"
    assert errors == f"bodytext: --blacklist {missing}: {problem}\n"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--render"], "--render is for pages from the web"),
        (["--archived"], "--archived is for pages from the web"),
        (["--pages", "3"], "--pages is for pages from the web"),
        (["--max-pages", "3"], "it needs --crawl"),
        (["--url-filter", "x"], "--url-filter is for a list, a feed, a sitemap or a site"),
        (["--blacklist", "x"], "--blacklist is for a list, a feed, a sitemap or a site"),
        (["--list", "-o", "x"], "leave out -o"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    page: Path,
    options: list[str],
    problem: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    status, output, errors = run(capsys, page, *options)
    assert (status, output) == (2, "")
    assert problem in errors
    config = page.with_name("config.toml")
    config.write_text('[extract]\nrender = true\narchived = true\npages = 3\nblacklist = "x"\n')
    monkeypatch.setenv("BODYTEXT_CONFIG", str(config))
    assert run(capsys, page)[0] == 0, "defaults are for those pages that need them"


def test_hidden_files_are_left_out(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (".git/a.html", "._page.html", ".hidden.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(ARTICLE)
    assert run(capsys, tmp_path, "--list")[1].split() == [str(page)]
    assert run(capsys, tmp_path / ".hidden.html")[0] == 0, "it was named"


@pytest.mark.parametrize("name", ["a.warc.gz", "a.jsonl", "a.zip", "a.tar.gz", "a.parquet"])
def test_files_of_many_pages_are_for_another_command(
    page: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = page.with_name(name)
    file.write_bytes(b"WARC/1.0\r\n")
    build = f"which is read by bodytext corpus build {file} -o FOLDER\n"
    status, output, errors = run(capsys, file)
    assert (status, output) == (1, "")
    assert errors.endswith(build)
    status, output, _ = run(capsys, file, page)
    assert (status, "For ninety years" in output) == (1, True)
    assert run(capsys, "explain", file)[2].endswith(build)


def test_a_file_that_is_too_large_fails_alone(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    huge = page.with_name("huge.html")
    with huge.open("wb") as file:
        file.truncate(2**32)  # which takes no room
    status, output, errors = run(capsys, huge, page)
    assert (status, "For ninety years" in output) == (1, True)
    assert errors == f"bodytext: {huge}: cannot be read: larger than 67,108,864 bytes\n"


def test_a_pipe_may_be_named(page: Path) -> None:
    """As bash does it: a file that says that it is empty."""
    command = f"{sys.executable} -m bodytext <(cat {page})"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "For ninety years" in done.stdout


def test_plain_text_files_keep_their_paragraphs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("One\nline.\n\nTwo & <3>.\n")
    assert run(capsys, tmp_path / "notes.txt") == (0, "One line.\n\nTwo & <3>.\n", "")


# What is body text, and how it is written.


def test_options_of_extract_are_on_the_command_line(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page.write_text(ARTICLE.replace("<h2>", DATA + "<h2>"), "utf-8")
    assert "Nes\t4" in run(capsys, page, "--keep", "table")[1]
    assert "Nes\t4" not in run(capsys, page, "--keep", "table", "--no-tables")[1]
    assert "lathe that had" not in run(capsys, page, "--prune", "ul", "--prune", "h2")[1]
    assert run(capsys, page, "--comments", "apart")[0] == 0
    status, _, errors = run(capsys, page, "--prune", "ul[")
    assert status == 2
    assert "prune: not a CSS selector: 'ul['" in errors


def test_metadata_stands_above_the_text(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, headline in (("text", "The lighthouse"), ("markdown", "# The lighthouse")):
        _, output, _ = run(capsys, page, "-f", name, "--with-metadata")
        head, _, rest = output.removeprefix("---\n").partition("\n---\n\n")
        assert 'authors: ["Ines Holm"]' in head
        assert rest.startswith(headline)
    status, output, errors = run(capsys, page, "--only-with-metadata")
    assert (status, output) == (3, "")
    assert (
        errors
        == f"bodytext: {page}: left out: it has no url; give that of a single page with --url\n"
    )
    assert run(capsys, page, "--only-with-metadata", "--url", "https://a.example/x")[0] == 0


GOOD_TEI = (Path(__file__).parent / "pages/everything/expected.tei.xml").read_text("utf-8")


def test_tei_is_checked(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, page, "-f", "tei", "--validate-tei")[0] == 0
    assert run(capsys, page, "--validate-tei")[0] == 2
    broken = GOOD_TEI.replace("<lb/>", "<br/>").replace('type="entry"', 'type="story"')
    monkeypatch.setattr(extract_command, "render", lambda *_: broken)
    status, output, errors = run(capsys, page, "-f", "tei", "--validate-tei")
    assert (status, output) == (1, "")
    assert 'not valid TEI: line 24: Value "story" for attribute type of div' in errors
    assert "Element br is not declared in p" in errors


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("<body>", "<body><p/>"), "line 23: Element body content does not follow the DTD"),
        (("<p>", "<para>"), "not well-formed: Opening and ending tag mismatch"),
        (("<body>", "<body>text"), "line 23: Element body content does not follow the DTD"),
        (('type="entry"', 'style="entry"'), "No declaration for attribute style of element div"),
        (('type="entry"', 'style="entry"'), "Element div does not carry attribute type"),
        (("<lb/>", "<br/>"), "Element br is not declared in p"),
        (("<lb/>", "<lb> </lb>"), "Element lb was declared EMPTY"),
        (("<TEI ", "<!DOCTYPE TEI><TEI "), "there is a DOCTYPE"),
        (("<sourceDesc>", "<author/><sourceDesc>"), "got (titleStmt publicationStmt author sourceDesc"),
        ((' xmlns="http://www.tei-c.org/ns/1.0"', ""), "the first element is not <TEI xmlns="),
        (('xmlns="http://www.tei-c.org/ns/1.0"', 'xmlns="http://a.example/"'), "the first element is not <TEI"),
    ],
)  # fmt: skip
def test_faults_of_tei_are_named(change: tuple[str, str], problem: str) -> None:
    assert change[0] in GOOD_TEI
    assert problem in " ".join(check_tei(GOOD_TEI.replace(*change, 1)))


def test_other_documents_are_no_tei() -> None:
    assert "the first element is not <TEI" in check_tei("<html/>")[0]
    assert "not well-formed" in check_tei("")[0]
    assert len(check_tei(GOOD_TEI.replace("<p>", "<p><x/>").replace("<item>", "<item><x/>"))) <= 20


def test_without_lxml_the_check_of_tei_says_what_to_install(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bodytext.sources.storage.find_spec", lambda _: None)
    status, _, errors = run(capsys, page, "-f", "tei", "--validate-tei")
    assert (status, "pip install 'bodytext[tei]'" in errors) == (2, True)
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.raises(ValueError, match="bodytext\\[tei\\]"):
        check_tei(GOOD_TEI)


# Hints, help, config, completion.


@pytest.mark.parametrize(
    ("argument", "hint"),
    [
        ("example.org/a", "for a page on the web: https://example.org/a"),
        ("www.example.org", "for a page on the web: https://www.example.org"),
        ("file:///home/me/page.html", "name the file itself: /home/me/page.html"),
        ("missing.html", "there is no such file or folder"),
    ],
)
def test_hints_say_what_was_meant(
    argument: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, errors = run(capsys, argument)
    assert status == 1
    assert errors.endswith(f"{hint}\n")


def test_a_misspelt_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    message = "bodytext: there is no command or file extrat; did you mean: bodytext extract?\n"
    assert run(capsys, "extrat", "page.html") == (2, "", message)
    assert run(capsys, "zzz")[0] == 1


def test_help_is_a_word_too(capsys: pytest.CaptureFixture[str]) -> None:
    usage = run(capsys, "--help")
    assert usage[0] == 0
    assert run(capsys, "help") == usage
    status, output, _ = run(capsys, "help", "explain")
    assert status == 0
    assert output.startswith("usage: bodytext explain")
    assert max(map(len, usage[1].splitlines())) < 110
    assert len(usage[1].splitlines()) < 40


def test_a_file_of_the_user_has_defaults(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    monkeypatch.setenv("BODYTEXT_CONFIG", str(config))
    config.write_text(
        '[extract]\nformat = "markdown"\nwith-metadata = true\nprune = ["ul", "h2"]\n'
    )
    _, output, _ = run(capsys, page)
    assert output.startswith("---\n")
    assert "lathe that had" not in output
    assert run(capsys, page, "-f", "json")[1].startswith("{"), "what is typed wins"
    for text, message in (
        ("[extract]\nfromat = 'x'", "the command extract has no option --fromat"),
        ("[extract]\noverwrite = 'yes'", "--overwrite should be true or false"),
        ("[extract]\nformat = true", "--format should be a text"),
        ("extract = 1", "extract should be a table: [extract]"),
        ("[extract", "cannot be read"),
    ):
        config.write_text(text)
        status, _, errors = run(capsys, page)
        assert status == 2
        assert message in errors
    config.unlink()
    problem = f"bodytext: BODYTEXT_CONFIG={config}: cannot be read: No such file or directory\n"
    assert run(capsys, page) == (2, "", problem), "a file that was named should exist"
    monkeypatch.delenv("BODYTEXT_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert run(capsys, page)[0] == 0


def test_a_user_without_a_home_has_no_defaults(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("BODYTEXT_CONFIG")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("APPDATA", raising=False)
    monkeypatch.setattr(Path, "home", fail)
    assert run(capsys, page)[0] == 0


def close(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Close a folder for root too, who otherwise may do all."""

    def refuse(call: Callable[..., Any], name: Any, *arguments: Any, **options: Any) -> Any:
        is_path = isinstance(name, str | Path)
        if is_path and (folder in Path(name).parents or (call, name) == (scandir, str(folder))):
            raise PermissionError(errno.EACCES, "Permission denied", str(name))
        return call(name, *arguments, **options)

    scandir = os.scandir
    for name in ("stat", "lstat", "scandir"):
        monkeypatch.setattr(os, name, partial(refuse, getattr(os, name)))
    may = os.access
    monkeypatch.setattr(
        os, "access", lambda name, mode: folder not in Path(name).parents and may(name, mode)
    )


def test_a_closed_folder_fails_alone(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    close(closed, monkeypatch)
    problem = f"{closed}: this folder cannot be read: Permission denied; see to its permissions"
    status, output, errors = run(capsys, tmp_path)
    assert (status, "For ninety years" in output) == (1, True)
    assert errors == f"bodytext: {problem}\n"
    # The first word may also be a command.
    for pages in ((closed / "a.html", page), (page, closed / "a.html")):
        status, output, errors = run(capsys, *pages)
        assert (status, "For ninety years" in output) == (1, True)
        assert errors == f"bodytext: {closed / 'a.html'}: cannot be read: Permission denied\n"
    monkeypatch.delenv("BODYTEXT_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(closed))
    assert run(capsys, page)[0] == 0, "the home is that of another user"


def test_shells_complete_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    for shell in ("bash", "zsh", "fish"):
        status, output, _ = run(capsys, "completion", shell)
        assert status == 0
        assert all(name in output for name in COMMANDS)
        assert "with-metadata" in output
        assert "warc" not in output
    script = run(capsys, "completion", "bash")[1]
    probe = (
        "COMP_WORDS=(bodytext explain --rea); COMP_CWORD=2; _bodytext; echo ${COMPREPLY[@]}; "
        "COMP_WORDS=(bodytext expl); COMP_CWORD=1; _bodytext; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{probe}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["--reasons", "explain"]


def test_the_inspector_names_the_option_for_private_addresses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("starlette")
    status, _, errors = run(capsys, "inspect", "http://127.0.0.1:8000/", "--no-browser")
    assert status == 2
    assert errors.endswith("; --allow-private fetches from there too\n")
