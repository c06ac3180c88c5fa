"""Reading all kinds of sources: folders, archives, lists, feeds, sitemaps, addresses."""

import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bodytext import extract
from bodytext.cli import main
from bodytext.methods.cuter import Cuter
from bodytext.sources.compression import CUT_OFF, unpack_gzip
from bodytext.sources.fetch import FetchLimits
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.files import find_pages
from bodytext.sources.listings.discovery import list_requests
from bodytext.sources.politeness.fetcher import FetchProgress, PageRequest
from bodytext.sources.politeness.policy import Politeness
from bodytext.sources.reading import ConcurrentListings, read_sources
from bodytext.sources.record import Record
from bodytext.sources.source_kinds import WEB, is_web, kind_of
from bodytext.sources.zip_and_tar import read_members
from loopback.server import Site, Visit, Web
from loopback.sites import Writer, no_robots, page, plain, send

WORDS = "The harbour master waits for the ferry that left at noon. "
HTML = f"<title>Page</title><p>{WORDS * 5}</p>".encode()


# Archives of pages


def _pages() -> dict[str, bytes]:
    return {
        "a.html": HTML,
        "b/c.HTM": HTML + b"c",
        "b/notes.txt": b"no page",
        "d.html.gz": gzip.compress(HTML + b"d"),
    }


def _zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _pages().items():
            archive.writestr(name, data)
    return path


def _tar(path: Path, mode: str) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in _pages().items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link.html")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return path


@pytest.mark.parametrize("name", ["p.zip", "p.tar", "p.tar.gz", "p.tgz", "p.tar.bz2", "p.tar.xz"])
def test_archives_of_pages(tmp_path: Path, name: str) -> None:
    modes = {
        "p.tar": "w",
        "p.tar.gz": "w:gz",
        "p.tgz": "w:gz",
        "p.tar.bz2": "w:bz2",
        "p.tar.xz": "w:xz",
    }
    path = _zip(tmp_path / name) if name == "p.zip" else _tar(tmp_path / name, modes[name])
    assert list(read_members(path)) == [
        Record(HTML, source=f"{path}/a.html", offset=0),
        Record(HTML + b"c", source=f"{path}/b/c.HTM", offset=1),
        Record(HTML + b"d", source=f"{path}/d.html.gz", offset=3),
    ]
    assert list(read_sources([str(path)])) == list(read_members(path))


def test_broken_archives_say_so(tmp_path: Path) -> None:
    whole = _tar(tmp_path / "a.tar.gz", "w:gz").read_bytes()
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(whole[: len(whole) * 2 // 3])
    *_, last = read_members(cut)
    assert "broken archive: the rest of it cannot be read" in last.problem
    noise = tmp_path / "noise.tar"
    noise.write_bytes(b"no archive at all" * 100)
    (record,) = read_members(noise)
    assert record.problem
    (tmp_path / "noise.zip").write_bytes(b"PK nothing of the kind")
    (record,) = read_members(tmp_path / "noise.zip")
    assert record.problem == "broken archive: File is not a zip file"
    broken = bytearray(_zip(tmp_path / "b.zip").read_bytes())
    broken[40:60] = bytes(20)
    (tmp_path / "b.zip").write_bytes(broken)
    records = list(read_members(tmp_path / "b.zip"))
    assert len(records) == 3
    assert "broken archive: this page cannot be read" in records[0].problem
    assert records[1].html == HTML + b"c"


def test_bombs_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.files.MAX_PAGE_BYTES", 100_000)
    (tmp_path / "a.html.gz").write_bytes(gzip.compress(bytes(3_000_000)))
    (tmp_path / "b.html").write_bytes(b"x" * 100_001)
    (tmp_path / "c.html").write_bytes(HTML)
    packed, large, small = read_sources([str(tmp_path)])
    assert packed.problem == "unpacks to more than 100,000 bytes"
    assert large.problem == "larger than 100,000 bytes"
    assert (small.problem, small.html) == ("", HTML)


CUT = gzip.compress(HTML)[:-30]


def test_a_page_file_that_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "a.html.gz").write_bytes(CUT)
    # a second member that is incomplete
    (tmp_path / "b.html.gz").write_bytes(gzip.compress(HTML) + CUT)
    (tmp_path / "c.html.gz").write_bytes(
        gzip.compress(HTML[:50]) + gzip.compress(HTML[50:]) + bytes(512)
    )
    first, second, whole = read_sources([str(tmp_path)])
    assert first.problem == second.problem == f"cannot be read: {CUT_OFF}"
    assert (first.html, second.html) == (b"", b"")
    assert (whole.problem, whole.html) == ("", HTML)


@pytest.mark.parametrize(
    "broken", [CUT, gzip.compress(HTML)[:-8] + bytes(8)], ids=["cut off", "wrong checksum"]
)
def test_a_broken_page_in_an_archive_does_not_affect_the_others(
    tmp_path: Path, broken: bytes
) -> None:
    pages = {"a.html.gz": broken, "b.html": HTML}
    with (
        zipfile.ZipFile(tmp_path / "a.zip", "w") as archive,
        tarfile.open(tmp_path / "a.tar", "w") as tar,
    ):
        for name, data in pages.items():
            archive.writestr(name, data)
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    for name in ("a.zip", "a.tar"):
        bad, good = read_members(tmp_path / name)
        assert (bad.html, good.html, good.problem) == (b"", HTML, "")
        assert "gzip data" in bad.problem or CUT_OFF in bad.problem


def test_very_many_members_take_linear_time() -> None:
    empty = gzip.compress(b"")
    start = time.process_time()
    assert unpack_gzip(empty * 100_000 + gzip.compress(HTML), 1000) == HTML
    assert time.process_time() - start < 10  # copying the rest for each member would take minutes


def test_bombs_in_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.zip_and_tar.MAX_PAGE_BYTES", 100_000)
    monkeypatch.setattr("bodytext.sources.zip_and_tar._MOST_AT_ONCE", 100_001)
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large.html", bytes(3_000_000))
        archive.writestr("packed.html.gz", gzip.compress(bytes(3_000_000)))
        archive.writestr("small.html", HTML)
    large, packed, small = read_members(tmp_path / "b.zip")
    assert "larger than 100,000 bytes" in large.problem
    assert "unpacks to more than 100,000 bytes" in packed.problem
    assert small.html == HTML
    header = tarfile.TarInfo("./PaxHeaders/x")  # a header of a tar file that claims a size
    header.type, header.size = tarfile.XHDTYPE, 8 * 10**9
    (tmp_path / "b.tar.xz").write_bytes(lzma.compress(header.tobuf() + bytes(3_000_000)))
    (record,) = read_members(tmp_path / "b.tar.xz")
    assert "larger than any page" in record.problem


def test_a_locked_zip_file(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip")
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the bit that says it is encrypted
    data[6] |= 1
    path.write_bytes(data)
    assert "encrypted" in next(read_members(path)).problem


# Files


def test_a_folder_of_everything(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "1.html").write_bytes(HTML)
    (tmp_path / "a.html.gz").write_bytes(b"\x1f\x8bbroken")
    (tmp_path / "notes.txt").write_text("not a list because nobody named it")
    (tmp_path / "rows.jsonl").write_text(
        json.dumps({"html": "<p>row", "url": "http://a.example/"}) + "\n"
    )
    _zip(tmp_path / "pages.zip")
    broken, first, *others = read_sources([str(tmp_path)])
    assert "broken gzip" in broken.problem
    assert first == Record(HTML, source=str(tmp_path / "b" / "1.html"))
    assert [record.html for record in others] == [HTML, HTML + b"c", HTML + b"d", b"<p>row"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere.html", "no such file"),
        ("", "an empty name: there is no such file"),
        ("feed:news.example", "after feed: there should be an http"),
        ("sitemap:/a.xml", "after sitemap: there should be"),
        ("ftp://a.example/", "cannot tell what this is"),
        ("https://a.example/warc.paths.gz", "download it, and name the file"),
        ("pyproject.toml", "cannot tell what this is"),
    ],
)
def test_names_that_are_not_sources(
    source: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent.parent)
    with pytest.raises(ValueError, match=message):
        next(read_sources([source]))


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing in this folder can be read"):
        next(read_sources([str(tmp_path)]))


def test_files_that_were_saved_with_their_query(tmp_path: Path) -> None:
    for name in ("show.php?id=1.html", "page.html?id=2", "noise.php?id=3", "up.xhtml.gz"):
        (tmp_path / name).write_bytes(HTML)
    names = [Path(record.source).name for record in read_sources([str(tmp_path)])]
    assert names == ["page.html?id=2", "show.php?id=1.html", "up.xhtml.gz"]
    assert kind_of("https://a.example/show.php?file=x.warc.gz") == WEB


def test_a_very_deep_folder_and_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(sys.getrecursionlimit()):
        Path("d").mkdir()
        os.chdir("d")
    (Path("deep.html")).write_bytes(HTML)
    os.chdir(tmp_path)
    (tmp_path / "circle").symlink_to(tmp_path)
    (tmp_path / "gone.html").symlink_to(tmp_path / "nowhere.html")
    (tmp_path / "linked.html").symlink_to(tmp_path / "page")
    (tmp_path / "page").write_bytes(HTML)
    assert [path.name for path in find_pages(Path(), print)] == ["deep.html", "linked.html"]
    subprocess.run(["rm", "-r", "d"], check=True)  # shutil.rmtree is recursive


def test_links_that_lead_out_of_a_folder_are_not_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for path in (tmp_path / "secret.html", pages / "a.html"):
        path.write_bytes(HTML)
    (pages / "b.html").symlink_to("a.html")
    (pages / "out.html").symlink_to("../secret.html")
    (pages / "loop.html").symlink_to("loop.html")
    (pages / "picture.png").symlink_to("../picture.png")
    said: list[str] = []
    assert [path.name for path in find_pages(pages, said.append)] == ["a.html", "b.html"]
    assert said == [
        f"{pages}: passed over a link that leads out of this folder, such as {pages / 'out.html'}"
    ]
    records = {Path(record.source).name: record for record in read_sources([str(pages)])}
    assert records["out.html"].problem == "a link that leads out of the folder, not followed"
    assert [name for name, record in records.items() if record.html] == ["a.html", "b.html"]
    assert main([str(pages), "--format", "text"]) == 1
    assert "passed over a link" in capsys.readouterr().err
    main([str(pages / "out.html")])  # it is named itself
    assert "passed over" not in capsys.readouterr().err


def test_a_folder_that_cannot_be_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "a.html").write_bytes(HTML)
    look = os.scandir

    def refuse(path: str) -> Any:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied", path)
        return look(path)

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(ValueError, match=r"locked: this folder cannot be read: Permission denied"):
        next(read_sources([str(tmp_path)]))


@pytest.mark.parametrize(
    ("source", "web"),
    [
        ("https://a.example/", True),
        ("feed:https://a.example/", True),
        ("sitemap:https://a.example/", True),
        ("list.txt", True),
        ("https://a.example/crawl.warc.gz", False),
        ("s3://bucket/crawl.warc.gz", False),
        ("page.html", False),
        ("pages/", False),
    ],
)
def test_which_sources_are_fetched(source: str, web: bool) -> None:
    assert is_web(source) == web


def test_a_list_of_addresses(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(
        b"\xef\xbb\xbfhttp://a.example/1\r\n\n# a remark\n  http://a.example/2  \nnonsense\n"
        + b"x" * 25_000
    )
    requests = list(list_requests(path))
    assert [request.url for request in requests[:3]] == [
        "http://a.example/1",
        "http://a.example/2",
        "nonsense",
    ]
    assert [request.offset for request in requests[:3]] == [1, 4, 5]
    assert all(len(request.url) <= 10_000 for request in requests)


def test_a_list_may_name_feeds_and_sitemaps(web: Web, tmp_path: Path) -> None:
    lines = [
        f"feed:{web.url('news.test', '/feed')}",
        web.url("news.test", "/9"),
        "sitemap:nonsense",
    ]
    (tmp_path / "list.txt").write_text("\n".join(lines))
    paths = _paths(list(read_sources([str(tmp_path / "list.txt")], _fetching(web))))
    assert paths[:4] == [("9", "", ""), *EXPECTED]
    assert "only http and https" in paths[4][2]


# The web

FAST = Politeness(delay_seconds=0, backoff_seconds=0.05, retries=1)


@pytest.fixture
def web() -> Iterator[Web]:
    """A site with a feed, a sitemap and pages, which are made on request."""
    holder: list[Web] = []

    def here(path: str) -> str:
        return holder[0].url("news.test", path)

    async def answer(visit: Visit, writer: Writer) -> None:
        bodies = {
            "/feed": f"<rss><channel>{_items(here)}</channel></rss>",
            "/map.xml": "<urlset>"
            + "".join(f"<url><loc>{here(path)}</loc></url>" for path in ("/1", "/4", "/5")),
            "/": '<link rel="alternate" type="application/rss+xml" href="/feed"><p>Front page with some words',
        }
        if visit.path == "/robots.txt":
            await send(writer, f"Sitemap: {here('/map.xml')}".encode(), type_="text/plain")
        elif visit.path in bodies:
            kind = "text/html" if visit.path == "/" else "application/xml"
            await send(writer, bodies[visit.path].encode(), type_=kind)
        elif visit.path == "/gone":
            await no_robots(visit, writer)
        else:
            await plain(visit, writer)

    with Web([Site("news.test", answer)]) as made:
        holder.append(made)
        yield made


def _items(here: Callable[[str], str]) -> str:
    entries = [
        ("The night in the harbour", "/1"),
        ("Storm &amp;amp; tide", "/2"),
        ("Gone", "/gone"),
    ]
    return "".join(
        f"<item><title>{title}</title><link>{here(path)}</link></item>" for title, path in entries
    )


def _fetching(web: Web, *, ordered: bool = True) -> FetchOptions:
    return FetchOptions(
        FetchLimits(max_seconds=5, allow_private=True), FAST, ordered=ordered, resolve=web.resolve
    )


def _paths(records: list[Record]) -> list[tuple[str, str, str]]:
    return [
        (record.url.partition(".test:")[2].partition("/")[2], record.title, record.problem)
        for record in records
    ]


EXPECTED = [
    ("1", "The night in the harbour", ""),
    ("2", "Storm & tide", ""),
    ("gone", "Gone", "HTTP 404 Not Found"),
]


@pytest.mark.parametrize("start", ["feed:{}/feed", "{}/feed", "feed:{}/"])
def test_a_feed_gives_pages_with_its_titles(web: Web, start: str) -> None:
    source = start.format(web.url("news.test", ""))
    records = list(read_sources([source], _fetching(web)))
    assert _paths(records) == EXPECTED
    assert {record.source for record in records} == {web.url("news.test", "/feed")}
    assert [record.offset for record in records] == [0, 1, 2]


@pytest.mark.parametrize("start", ["sitemap:{}/map.xml", "{}/map.xml", "sitemap:{}"])
def test_a_sitemap_gives_pages(web: Web, start: str) -> None:
    records = list(read_sources([start.format(web.url("news.test", ""))], _fetching(web)))
    assert _paths(records) == [("1", "", ""), ("4", "", ""), ("5", "", "")]


def test_an_address_of_a_page_gives_the_page(web: Web) -> None:
    (record,) = read_sources([web.url("news.test", "/7")], _fetching(web))
    assert record.html == page(Visit("news.test", "/7", {}, 0))
    assert web.sites["news.test"].counts["/7"] == 1


@pytest.mark.parametrize("ordered", [True, False])
def test_all_together(web: Web, tmp_path: Path, ordered: bool) -> None:
    """Files come first; a page in several lists is fetched once, and its other records say so."""
    (tmp_path / "list.txt").write_text(
        f"{web.url('news.test', '/5')}\nhttp://nowhere.test/\nftp://a.example/\n"
    )
    (tmp_path / "page.html").write_bytes(HTML)
    reports: list[int] = []

    def report(progress: FetchProgress) -> None:
        reports.append(progress.fetched + progress.failed)

    sources = [
        str(tmp_path / "list.txt"),
        str(tmp_path / "page.html"),
        f"feed:{web.url('news.test', '/feed')}",
        f"sitemap:{web.url('news.test', '/map.xml')}",
        f"feed:{web.url('news.test', '/gone')}",
    ]
    records = list(read_sources(sources, _fetching(web, ordered=ordered), report))
    assert records[0].source == str(tmp_path / "page.html")
    found = _paths(records[1:])
    expected = [
        ("5", "", ""),
        ("", "", "the host is not known: nowhere.test (no such site)"),
        ("", "", "only http and https addresses are fetched: not ftp"),
        *EXPECTED,
        ("1", "", "the same address was listed before"),
        ("4", "", ""),
        ("5", "", "the same address was listed before"),
        ("gone", "", "HTTP 404 Not Found"),
    ]
    if ordered:
        assert found == expected
    else:
        assert len(found) == len(expected)
        assert sorted(path for path, _, problem in found if not problem) == ["1", "2", "4", "5"]
    assert reports[-1] == len(expected)


def test_the_title_of_a_feed_reaches_the_extraction(web: Web) -> None:
    """CUTER's fourth observation: text before the title that the feed gives is not the article."""
    record, *_ = read_sources([f"feed:{web.url('news.test', '/feed')}"], _fetching(web))
    before = "Advice for subscribers of this newspaper, in many words. " * 6
    html = f"<p>{before}</p><h1>{record.title}</h1><p>{WORDS * 8}</p>"
    assert "subscribers" in str(extract(html, method="cuter"))
    assert "subscribers" not in str(extract(html, method=Cuter(title=record.title)))


# ConcurrentListings


def _count(source: str) -> Iterator[PageRequest]:
    for number in range(5):
        if source == "slow":
            time.sleep(0.05)
        yield PageRequest(f"{source}{number}")


def test_listings_in_order() -> None:
    sources = ["slow", *"abc"]
    expected = [f"{source}{number}" for source in sources for number in range(5)]
    assert [
        request.url for request in ConcurrentListings(sources, _count, ordered=True).read()
    ] == expected


def test_listings_as_they_arrive() -> None:
    found = [
        request.url
        for request in ConcurrentListings(["slow", *"abc"], _count, ordered=False).read()
    ]
    assert sorted(found) == sorted(
        f"{source}{number}" for source in ["slow", *"abc"] for number in range(5)
    )
    assert found[-1] == "slow4"


@pytest.mark.parametrize("ordered", [True, False])
def test_an_error_of_a_listing_is_raised(ordered: bool) -> None:
    def find(source: str) -> Iterator[PageRequest]:
        yield PageRequest(source)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(ConcurrentListings(["a", "b"], find, ordered=ordered).read())


def test_listings_are_not_read_far_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.reading._MOST_WAITING", 10)
    made = 0

    def find(source: str) -> Iterator[PageRequest]:
        nonlocal made
        for number in range(1000):
            made += 1
            yield PageRequest(f"{source}{number}")

    requests = ConcurrentListings(["a"], find, ordered=True).read()
    next(requests)
    time.sleep(0.2)
    assert made <= 13
    requests.close()  # type: ignore[attr-defined]
    assert made <= 13
