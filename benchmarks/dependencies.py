"""Compare code of ours with the libraries that do the same, on their own test cases and on ours.

    python benchmarks/dependencies.py clients            HTTP clients: 2,000 hosts at a time
    python benchmarks/dependencies.py feeds CASES        feedparser, on its sdist's tests
    python benchmarks/dependencies.py opml CASES         listparser, on the tests of its sdist 0.18
    python benchmarks/dependencies.py sitemaps           ultimate-sitemap-parser
    python benchmarks/dependencies.py dates CASES        dateparser, on its sdist's tests, and CLDR (babel)
    python benchmarks/dependencies.py encodings          WHATWG's labels and tables, as webencodings and Chromium have them
    python benchmarks/dependencies.py epub               EbookLib
    python benchmarks/dependencies.py vietnamese         ftfy and underthesea
    python benchmarks/dependencies.py templates          htpy beside the reader's Jinja2

CASES is the folder of the unpacked source distribution (`pip download --no-binary :all: --no-deps feedparser`). Nothing
is installed by an extra: install what a comparison names. `--differences` lists each case that differs.
docs/dependencies.md has the figures and what follows from them.
"""

import argparse
import ast
import asyncio
import html
import io
import json
import multiprocessing
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from bodytext.sources.listings.entry import FeedEntry, plain_title

Differences = list[tuple[str, object, object]]


def cpu_ms(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the CPU time of some work, the best of several times."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return 1000 * best


def report(
    name: str, cases: int, differences: Sequence[tuple[str, object, object]], *, show: bool
) -> None:
    """Print how many cases are the same."""
    print(f"{name}: {cases - len(differences):,} of {cases:,} the same")
    for case, ours, theirs in differences if show else ():
        print(f"    {case}\n        ours:   {str(ours)[:200]}\n        theirs: {str(theirs)[:200]}")


# HTTP clients

HOSTS, ROUNDS, PORT = 2_000, 4, 8765
BODY = b"<p>page" * 2000


def serve() -> None:
    """Answer every request after 0.3 s, and keep the connection."""
    _allow_files()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(BODY)

    class Protocol(asyncio.Protocol):
        def connection_made(self, transport: Any) -> None:
            self.transport = transport

        def data_received(self, _data: bytes) -> None:
            asyncio.get_running_loop().call_later(0.3, self.transport.write, head + BODY)

    async def listen() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Protocol, "127.77.0.1", PORT, backlog=4096)
        await server.serve_forever()

    asyncio.run(listen())


async def ask_all(get: Callable[[str], Any]) -> None:
    """Ask every host several times, all hosts at a time."""

    async def ask(host: int) -> None:
        for number in range(ROUNDS):
            if len(await get(f"http://host{host}.test:{PORT}/{number}")) != len(BODY):
                raise ValueError("a page is not whole")

    await asyncio.gather(*map(ask, range(HOSTS)))


async def ask_with_aiohttp() -> None:
    """Ask with aiohttp and a resolver of ours."""
    aiohttp = import_module("aiohttp")

    class Resolver(import_module("aiohttp.abc").AbstractResolver):  # type: ignore[misc]
        async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[dict[str, Any]]:
            found = {"hostname": host, "host": "127.77.0.1", "port": port, "family": family or 2}
            return [found | {"proto": 0, "flags": 0}]

        async def close(self) -> None:
            """Nothing is open."""

    connector = aiohttp.TCPConnector(limit=0, resolver=Resolver())
    async with aiohttp.ClientSession(connector=connector) as session:

        async def get(url: str) -> bytes:
            async with session.get(url) as response:
                return bytes(await response.read())

        await ask_all(get)


async def ask_with_httpcore(name: str) -> None:
    """Ask with httpcore, or with httpcore2, and a backend of ours; a pool for each host, since one pool is slow."""
    httpcore = import_module(name)

    class Backend(import_module(f"{name}._backends.anyio").AnyIOBackend):  # type: ignore[misc]
        async def connect_tcp(self, **named: Any) -> Any:
            return await super().connect_tcp(**named | {"host": "127.77.0.1"})

    pools: dict[str, Any] = {}

    async def get(url: str) -> bytes:
        host = url.split("/")[2]
        if host not in pools:
            pools[host] = httpcore.AsyncConnectionPool(network_backend=Backend(), http2=True)
        return bytes((await pools[host].request("GET", url)).content)

    await ask_all(get)


async def ask_with_libcurl() -> None:
    """Ask with pycurl."""
    pycurl = import_module("pycurl")
    multi = pycurl.AsyncCurlMulti()

    async def get(url: str) -> bytes:
        body = bytearray()
        curl = pycurl.Curl()
        curl.setopt(pycurl.URL, url)
        curl.setopt(pycurl.RESOLVE, [f"+{url.split('/')[2]}:127.77.0.1"])
        curl.setopt(pycurl.WRITEFUNCTION, body.extend)
        await multi.perform(curl)
        curl.close()
        return bytes(body)

    await ask_all(get)


def _ask(name: str) -> None:
    _allow_files()
    ways = {"aiohttp": ask_with_aiohttp, "pycurl": ask_with_libcurl}
    ask = ways.get(name) or partial(ask_with_httpcore, name)
    start, cpu = time.monotonic(), time.process_time()
    asyncio.run(ask())
    each = 1000 * (time.process_time() - cpu) / (HOSTS * ROUNDS)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{name}: {each:.2f} ms of CPU a page, {time.monotonic() - start:.1f} s, {memory} MiB")


def compare_clients() -> None:
    """Measure the CPU time of each client that is installed."""
    process = multiprocessing.get_context("spawn").Process
    server = process(target=serve, daemon=True)
    server.start()
    time.sleep(2)
    for name in ("aiohttp", "httpcore", "httpcore2", "pycurl"):
        client = process(target=_ask, args=(name,))  # alone, so that its memory is its own
        client.start()
        client.join()
    server.terminate()


def _allow_files() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


# Feeds

BASE = "http://127.0.0.1:8097/a/b.xml"


def _words(markup: str) -> str:
    """Return the letters of a content, without tags and scripts, which feedparser takes out."""
    markup = html.unescape(
        re.sub(r"(?s)<(script|style)\b.*?</\1>|<[^>]*>", "", html.unescape(markup))
    )
    return re.sub(r"\W+", "", markup)


def _moment(entry: Any) -> str:
    names = ("published_parsed", "updated_parsed", "created_parsed")
    moment = next((entry[name] for name in names if entry.get(name)), None)
    return time.strftime("%Y-%m-%dT%H:%M:%S", moment) if moment else ""


def _pair(field: str, ours: FeedEntry, theirs: Any) -> tuple[object, object]:
    """Return a field of an entry as both read it."""
    if field == "title":
        title = theirs.get("title", "")
        return ours.title, ours.title if title == ours.title else plain_title(title)
    if field == "time":
        moment = _moment(theirs)
        return ours.time.rstrip("Z"), moment[: len(ours.time.rstrip("Z"))] or moment
    if field == "content":
        content = theirs.get("content")
        words = _words(content[0].value if content else "") or _words(theirs.get("summary", ""))
        both = (_words(ours.content), _words(ours.summary))
        return (words if words in both else both), words
    if field == "categories":
        tags = {
            plain_title(tag.get("label") or tag.get("term") or "") for tag in theirs.get("tags", [])
        }
        return set(ours.categories), tags - {""}
    if field == "enclosures":
        files = {file.get("href", "") for file in theirs.get("enclosures", [])} - {""}
        return {file.url for file in ours.enclosures}, files
    return (
        (ours.url, theirs.get("link", ""))
        if field == "address"
        else (ours.identity, theirs.get("id", ""))
    )


def compare_feeds(folder: Path, *, show: bool) -> None:
    """Read feedparser's cases with both."""
    feedparser = import_module("feedparser")
    from bodytext.sources.listings.feed import read_feed

    fields = ("title", "address", "time", "content", "categories", "enclosures", "identity")
    found: dict[str, Differences] = {
        name: [] for name in ("read", "entries", "feed title", *fields)
    }
    files = sorted(
        path for path in (folder / "tests").rglob("*") if path.suffix in {".xml", ".json"}
    )
    for path in files:
        data, name = path.read_bytes(), str(path.relative_to(folder / "tests"))
        theirs = feedparser.parse(
            data, response_headers={"content-location": BASE, "content-type": ""}
        )
        try:
            ours = read_feed(data, BASE)
        except ValueError as error:
            found["read"].append((name, error, theirs.get("version")))
            continue
        if len(ours.entries) != len(theirs.entries):
            found["entries"].append((name, len(ours.entries), len(theirs.entries)))
        title = plain_title(theirs.feed.get("title", ""))
        if ours.title not in {title, theirs.feed.get("title", "")}:
            found["feed title"].append((name, ours.title, title))
        for field in fields:
            pairs = [
                _pair(field, *both) for both in zip(ours.entries, theirs.entries, strict=False)
            ]
            if any(one != other for one, other in pairs):
                values, their_values = zip(*pairs, strict=True)
                found[field].append((name, values, their_values))
    for name, differences in found.items():
        report(name, len(files), differences, show=show)
    feeds = [path.read_bytes() for path in files if "wellformed" in path.parts]
    print(
        f"bodytext: {cpu_ms(lambda: [_read(read_feed, feed) for feed in feeds], 2) / len(feeds):.2f} ms a feed"
    )
    print(
        f"feedparser: {cpu_ms(lambda: [feedparser.parse(feed) for feed in feeds], 2) / len(feeds):.2f} ms a feed"
    )


def _read(read: Callable[[bytes], object], data: bytes) -> object:
    try:
        return read(data)
    except ValueError:
        return None


# OPML


def compare_opml(folder: Path, *, show: bool) -> None:
    """Read listparser's cases with both."""
    listparser = import_module("listparser")
    from bodytext.reader.collection.opml import read_opml

    differences: Differences = []
    files = [
        path for path in (folder / "tests").rglob("*.xml") if b"<opml" in path.read_bytes().lower()
    ]
    for path in files:
        data = path.read_bytes()
        read = _read(read_opml, data)
        ours = (
            {(outline.url, outline.title) for outline in read[0]}
            if isinstance(read, tuple)
            else set()
        )
        theirs = {(feed.url, feed.get("title", "")) for feed in listparser.parse(data).feeds}
        if ours != theirs:
            differences.append((path.name, ours, theirs))
    report("subscriptions", len(files), differences, show=show)
    outline = '<outline type="rss" text="News &amp; more {0}" xmlUrl="https://a.example/{0}/feed" htmlUrl="https://a.example/{0}"/>'
    data = f"<opml><body>{''.join(map(outline.format, range(5000)))}</body></opml>".encode()
    print(f"bodytext: {cpu_ms(lambda: read_opml(data)):.0f} ms for 5,000 subscriptions")
    print(f"listparser: {cpu_ms(lambda: listparser.parse(data)):.0f} ms")


# Sitemaps

_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_URLS = "".join(f"<url><loc>https://a.example/{number}</loc></url>" for number in range(50))
# The shapes of that parser's tests, in our words.
SITEMAPS = {
    "plain": f'<urlset xmlns="{_SITEMAP}">{_URLS}</urlset>',
    "byte order mark": f'\ufeff<?xml version="1.0"?><urlset xmlns="{_SITEMAP}">{_URLS}</urlset>',
    "white space around": f'\n\n<urlset xmlns="{_SITEMAP}"><url><loc>\n https://a.example/1 \n</loc></url></urlset>',
    "prefixed": f'<s:urlset xmlns:s="{_SITEMAP}"><s:url><s:loc>https://a.example/1</s:loc></s:url></s:urlset>',
    "news": f'<urlset xmlns="{_SITEMAP}" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><url>'
    "<loc>https://a.example/1</loc><n:news><n:publication_date>2026-11-15</n:publication_date><n:title>T</n:title>"
    "</n:news></url></urlset>",
    "images": f'<urlset xmlns="{_SITEMAP}" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url>'
    "<loc>https://a.example/1</loc><i:image><i:loc>https://a.example/1.jpg</i:loc></i:image></url></urlset>",
    "other languages": f'<urlset xmlns="{_SITEMAP}" xmlns:x="http://www.w3.org/1999/xhtml"><url><loc>https://a.example/en'
    '</loc><x:link rel="alternate" hreflang="fr" href="https://a.example/fr"/></url></urlset>',
    "end missing": f'<urlset xmlns="{_SITEMAP}">{_URLS}',
    "cut in an address": f'<urlset xmlns="{_SITEMAP}">{_URLS}<url><loc>https://a.example/pa',
    "cut after an address": f'<urlset xmlns="{_SITEMAP}">{_URLS}<url><loc>https://a.example/last</loc><lastm',
    "no namespace": f"<urlset>{_URLS}</urlset>",
    "bare ampersands": "<urlset><url><loc>https://a.example/?a=1&b=2</loc></url></urlset>",
    "list": "https://a.example/1\n\n  https://a.example/2  \nnot an address\n",
    "RSS": "<rss><channel><item><title>T</title><link>https://a.example/1</link></item></channel></rss>",
    "Atom": '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title><link href="https://a.example/1"/></entry></feed>',
}


def compare_sitemaps(*, show: bool) -> None:
    """Read sitemaps of many shapes with both."""
    from_text = import_module("usp.tree").sitemap_from_str
    from bodytext.sources.listings.sitemap import read_sitemap

    def ours(text: str) -> list[str]:
        return [page.url for page in read_sitemap(text.encode(), "https://a.example/").pages]

    def theirs(text: str) -> list[str]:
        return [page.url for page in from_text(text).all_pages()]

    pairs = [(name, ours(text), theirs(text)) for name, text in SITEMAPS.items()]
    report("sitemaps", len(pairs), [pair for pair in pairs if pair[1] != pair[2]], show=show)
    large = SITEMAPS["plain"].replace(_URLS, _URLS * 1000)
    print(f"bodytext: {cpu_ms(lambda: ours(large), 2):.0f} ms for 50,000 addresses")
    print(f"ultimate-sitemap-parser: {cpu_ms(lambda: theirs(large), 2):.0f} ms")


# Dates


def _date_cases(folder: Path) -> Iterable[tuple[str, date]]:
    """Yield the texts and dates in dateparser's tests that have both as constants."""
    tree = ast.parse((folder / "tests" / "test_date_parser.py").read_text("utf-8"))
    for call in ast.walk(tree):
        if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") == "param"):
            continue
        text, expected = (*call.args, None, None)[:2]
        if (
            isinstance(text, ast.Constant)
            and getattr(getattr(expected, "func", None), "id", "") == "datetime"
        ):
            try:
                yield str(text.value), datetime(*map(ast.literal_eval, expected.args)).date()  # type: ignore[union-attr]  # noqa: DTZ001
            except ValueError:
                continue


def compare_dates(folder: Path, *, show: bool) -> None:
    """Read dateparser's cases, and the formats of CLDR in all languages."""
    dateparser, babel = import_module("dateparser"), import_module("babel")
    from bodytext.page.dates import DateFormat, read_date

    cases = sorted(set(_date_cases(folder)))
    results: Counter[str] = Counter()
    for text, day in cases:
        found = read_date(text)[:10]
        right = bool(found) and day.isoformat().startswith(found)
        results["right" if right else "wrong" if found else "none"] += 1
        if show and not right:
            print(f"    {text!r}: {found or 'none'}, not {day}")
    print(f"dateparser's {len(cases)} cases, bodytext: {dict(results)}")
    print(
        f"bodytext: {cpu_ms(lambda: [read_date(text) for text, _ in cases]) / len(cases):.3f} ms a date"
    )
    theirs = cpu_ms(lambda: [dateparser.parse(text) for text, _ in cases], 1) / len(cases)
    print(f"dateparser: {theirs:.1f} ms a date")
    write = import_module("babel.dates").format_date
    whole = 0
    locales = [name for name in babel.localedata.locale_identifiers() if "_" not in name]
    for name in locales:
        days = [date(2023, month, 17) for month in range(1, 13)]
        texts = [
            (day, write(day, size, locale=name)) for day in days for size in ("long", "medium")
        ]
        missed = [
            text for day, text in texts if read_date(text, DateFormat(name))[:10] != day.isoformat()
        ]
        whole += not missed
        if show and missed and len(missed) < len(texts):
            print(f"    {name}: {len(missed)} of {len(texts)}: {missed[:3]}")
    print(f"CLDR: in {whole} of {len(locales)} languages each long and medium date of a year")


# Encodings

_TABLE = """([name, pairs]) => {
    const read = bytes => new TextDecoder(name).decode(new Uint8Array(bytes)), all = [];
    for (let one = 0; one < 256; one++) all.push([[one], read([one])]);
    for (let one = 128; pairs && one < 256; one++)
        for (let two = 48; two < 256; two++) all.push([[one, two], read([one, two])]);
    return JSON.stringify(all);
}"""


def compare_encodings(*, show: bool) -> None:
    """Compare labels with webencodings, and every byte and pair of bytes with Chromium."""
    labels: dict[str, str] = import_module("webencodings.labels").LABELS
    from bodytext.page.encoding.codecs import MULTI_BYTE_CODECS, SINGLE_BYTE_CODECS, read
    from bodytext.page.encoding.names import encoding_for_label

    wrong = [(label, encoding_for_label(label), name) for label, name in labels.items()]
    report("labels", len(labels), [row for row in wrong if row[1] != row[2]], show=show)
    names = [
        name for name in (*SINGLE_BYTE_CODECS, *MULTI_BYTE_CODECS) if not name.startswith("utf")
    ]
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page()
        for name in names:
            pairs = json.loads(page.evaluate(_TABLE, [name, name in MULTI_BYTE_CODECS]))
            rows = [(bytes(row).hex(), read(bytes(row), name), text) for row, text in pairs]
            # How many marks stand for what is no character differs; that there is one does not.
            bad = [
                row
                for row in rows
                if row[1] != row[2] and not ("\ufffd" in row[1] and "\ufffd" in row[2])
            ]
            report(name, len(rows), bad, show=show)
        browser.close()


# Books


def compare_epub() -> None:
    """Write a book of forty chapters with both."""
    epub = import_module("ebooklib.epub")
    from bodytext.reader.digest.chapters import Chapter
    from bodytext.reader.digest.epub import BookInfo, write_epub

    text = "<p>The ferry leaves at noon &amp; comes back.</p>" * 200
    titles = [f"Chapter {number}" for number in range(40)]

    def ours() -> bytes:
        chapters = [
            Chapter(f"c{number}", title, "en", "", "", "", f"<h1>{title}</h1>{text}")
            for number, title in enumerate(titles)
        ]
        return write_epub(BookInfo("Digest", 1_800_000_000, "en"), chapters)

    def theirs() -> bytes:
        book = epub.EpubBook()
        book.set_title("Digest")
        pages = [
            epub.EpubHtml(title=title, file_name=f"c{n}.xhtml") for n, title in enumerate(titles)
        ]
        for page in pages:
            page.content = f"<h1>{page.title}</h1>{text}"
            book.add_item(page)
        book.toc = pages
        book.add_item(epub.EpubNcx())
        book.add_item(epub.EpubNav())
        book.spine = ["nav", *pages]
        file = io.BytesIO()
        epub.write_epub(file, book)
        return file.getvalue()

    print(f"bodytext: {cpu_ms(ours):.0f} ms, {len(ours()):,} bytes")
    print(f"EbookLib: {cpu_ms(theirs):.0f} ms, {len(theirs()):,} bytes")


# Vietnamese

VIETNAMESE = """Chuyến phà ra đảo khởi hành lúc giữa trưa, và người coi bến đã đợi nó từ sau cơn bão lớn. Thời tiết hôm nay
rất đẹp, nhiều du khách đã đến bờ biển để ngắm hoàng hôn và thưởng thức những món ăn đặc sản của địa phương."""


def compare_vietnamese(*, show: bool) -> None:
    """Repair misread text as ftfy does, and place tone marks as underthesea does."""
    ftfy, normalise = import_module("ftfy"), import_module("underthesea").text_normalize
    from bodytext.corpus.stages.vietnamese.encodings import find_decoding
    from bodytext.corpus.stages.vietnamese.syllables import spell, tone_places
    from bodytext.corpus.stages.vietnamese.tones import unify_tones

    for wrong in ("cp1252", "latin-1"):
        shown = VIETNAMESE.encode().decode(wrong, "replace").replace("\ufffd", "")
        decoding = find_decoding(shown)
        print(
            f"UTF-8 read as {wrong}: ftfy {ftfy.fix_text(shown) == VIETNAMESE}, ours {decoding is not None}"
        )
    # Each syllable with each tone, and its mark on each vowel: right, or not.
    words = [word for bare in tone_places() for tone in spell(bare) for word in tone]
    rows = [(word, unify_tones(word, "old"), normalise(word)) for word in words]
    different: Differences = [row for row in rows if row[1] != row[2]]
    report("places of tones, old style", len(rows), different, show=show)


# HTML


def compare_templates() -> None:
    """Write a list of two hundred links in each way."""
    htpy = import_module("htpy")
    from bodytext.reader.pages.rendering import ENVIRONMENT

    rows = [(f"/article/{number}", f"Title <{number}> & more") for number in range(200)]
    source = "<ul>{% for url, title in rows %}<li class=card><a{{ url | href }}>{{ title }}</a></li>{% endfor %}</ul>"
    template = ENVIRONMENT.from_string(source)
    ways = {
        "htpy": lambda: str(
            htpy.ul[(htpy.li(".card")[htpy.a(href=url)[title]] for url, title in rows)]
        ),
        "Jinja2": lambda: template.render(rows=rows),
    }
    for name, write in ways.items():
        print(f"{name}: {cpu_ms(write, 20):.2f} ms")
    unsafe = "javascript:alert(1)"
    link = ENVIRONMENT.from_string("<a{{ url | href }}>x</a>").render(url=unsafe)
    print(f"a link to {unsafe}: htpy {htpy.a(href=unsafe)['x']}, Jinja2 with our filter {link}")


def main() -> int:
    """Compare what the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what")
    parser.add_argument("cases", type=Path, nargs="?", default=Path())
    parser.add_argument("--differences", action="store_true")
    options = parser.parse_args()
    show = options.differences
    comparisons: dict[str, Callable[[], None]] = {
        "clients": compare_clients,
        "feeds": partial(compare_feeds, options.cases, show=show),
        "opml": partial(compare_opml, options.cases, show=show),
        "sitemaps": partial(compare_sitemaps, show=show),
        "dates": partial(compare_dates, options.cases, show=show),
        "encodings": partial(compare_encodings, show=show),
        "epub": compare_epub,
        "vietnamese": partial(compare_vietnamese, show=show),
        "templates": compare_templates,
    }
    if options.what not in comparisons:
        parser.error(f"choose one of {', '.join(comparisons)}")
    comparisons[options.what]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
