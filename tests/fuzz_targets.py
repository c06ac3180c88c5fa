"""What is fuzzed: for each kind of input some valid ones, how to read one, and which errors are its answers.

An input is made from valid ones by changing tokens: tags, names, numbers, quotes, brackets, lines. The same seed
and number always make the same input, so a worker that dies over one tells by its number which it was.
"""

import gzip
import io
import json
import random
import re
import socket
import tarfile
import tempfile
import threading
import time
import traceback
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from bodytext import extract
from bodytext.corpus.workers.child import Answer, Tick
from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.integrations.cuter_xml import answer as answer_exchange
from bodytext.kernel import is_native
from bodytext.methods.learned.weights import read_weights, shipped_weights
from bodytext.output.formats import FORMATS, render
from bodytext.reader.analysis import analyse
from bodytext.reader.analysis.frequencies import Frequencies
from bodytext.reader.categories.model import CategoryModel, pack, unpack
from bodytext.reader.collection.opml import read_opml
from bodytext.sources.fetch import Client, FetchError, FetchLimits
from bodytext.sources.listings.feed import read_feed
from bodytext.sources.listings.sitemap import read_sitemap
from bodytext.sources.politeness.robots import find_sitemap_lines, parse_rules
from bodytext.sources.reading import read_sources
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.studio.labels.labelling import COMMENT, CONTENT, Labelling, Span, from_json
from bodytext.studio.service.extraction_request import read_request
from bodytext.studio.web.app import Refusal
from loopback.newspaper import Newspaper, make_story, write_feed, write_page

ROOT = Path(__file__).parents[1]
LARGEST = 1 << 21  # bytes of an input; the weights have most
LONGEST_S = 3.0  # of CPU time for one; more than that is a fault
_TOKENS = re.compile(
    rb"<[^<>]{0,200}>?|\r?\n|[A-Za-z_-]{1,40}|[0-9]{1,20}|[\x80-\xff]{1,20}|.", re.DOTALL
)
_ODD = tuple(
    text.encode("utf-8", "surrogatepass")
    for text in (
        "", "0", "-1", "1e400", "NaN", "null", "true", "[]", "{}", '""', "4294967296", "9" * 60, "-" * 50, "\0", "\ud800",
        "9" * 5000, "+99:99", "\u00b2", "\u0663",
        "\u202e", "\ufeff", "&#xD800;", "&amp;" * 20, "<![CDATA[", "]]>", "<!--", "-->", "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "\r\n", "\r\n\r\n", "\n" * 40, " " * 60, "\t", "://", "http://[", "javascript:1", "../../etc/passwd", "%00",
        "Transfer-Encoding: chunked\r\n", "Content-Length: 99999999999\r\n", "Content-Encoding: gzip\r\n",
        "Location: //[::1]/\r\n", '"' * 9, "'" * 9, "\\", "\\u0000", "{" * 200, "[" * 200, "<div>" * 200, "<a b='",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of input."""

    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[bytes, Path], object]  # the path is for those that read files
    errors: tuple[type[Exception], ...] = ()  # the answers to invalid inputs
    packed: bool = False  # half of the inputs are packed by gzip


def make_input(name: str, seed: int, number: int) -> bytes:
    """Make an input of a kind, always the same for a seed and a number."""
    target, pick = TARGETS[name], random.Random(f"{name} {seed} {number}")
    seeds = _seeds_of(name)
    tokens = _TOKENS.findall(pick.choice(seeds))
    if pick.random() < 0.3:  # a piece of it
        start = pick.randrange(len(tokens) + 1)
        tokens = tokens[start : start + pick.choice((5, 50, 500))]
    for _ in range(pick.choice((1, 1, 2, 4, 8, 16))):
        _change(tokens, pick, seeds)
    data = b"".join(tokens)[:LARGEST]
    if target.packed and pick.random() < 0.5:
        data = gzip.compress(data, 1)
    return _flip(data, pick) if pick.random() < 0.2 else data


@cache
def _seeds_of(name: str) -> Sequence[bytes]:
    return TARGETS[name].seeds()


def _change(tokens: list[bytes], pick: random.Random, seeds: Sequence[bytes]) -> None:
    """Drop, repeat, move, replace, insert or splice tokens."""
    at = pick.randrange(len(tokens) + 1)
    stop = at + pick.choice((1, 1, 2, 5, 20))
    act = pick.randrange(7)
    if act == 0:
        del tokens[at:stop]
    elif act == 1:
        tokens[at:at] = tokens[at:stop] * pick.choice((1, 3, 100))
    elif act == 2:
        piece = tokens[at:stop]
        del tokens[at:stop]
        place = pick.randrange(len(tokens) + 1)
        tokens[place:place] = piece
    elif act == 3:
        tokens[at:stop] = [pick.choice(_ODD)]
    elif act == 4:
        tokens.insert(at, pick.choice(_ODD))
    elif act == 5:
        other = pick.choice(seeds)
        start = pick.randrange(len(other) + 1)
        tokens[at:stop] = [other[start : start + pick.choice((3, 30, 300))]]
    elif pick.random() < 0.3:
        del tokens[at:]


def _flip(data: bytes, pick: random.Random) -> bytes:
    """Change some bytes, whatever they are a part of."""
    changed = bytearray(data)
    for _ in range(pick.choice((1, 3, 10)) if changed else 0):
        changed[pick.randrange(len(changed))] = pick.randrange(256)
    return bytes(changed)


def check(name: str, data: bytes) -> None:
    """Read an input: an unforeseen error is raised, and so is one if it takes too long."""
    target, began = TARGETS[name], time.process_time()
    with tempfile.TemporaryDirectory() as folder, suppress(*target.errors):
        target.read(data, Path(folder))
    spent = time.process_time() - began
    if spent > LONGEST_S * (1 if is_native("scanner") else 100):
        raise TimeoutError(f"{len(data):,} bytes took {spent:.1f} s of CPU time")


# How each is read


def _read_page(data: bytes, _: Path) -> None:
    document = extract(data, url="https://news.example/a/b")
    for name in FORMATS:
        render(document, name).encode("utf-8", "surrogatepass")
    repr((document.metadata, document.comments, document.media))
    analyse(document.title, str(document)[:50_000], "en", Frequencies())


def _read_file(name: str) -> Callable[[bytes, Path], None]:
    def read(data: bytes, folder: Path) -> None:
        path = folder / name
        path.write_bytes(data)
        for record in read_sources([str(path)]):
            if not isinstance(record.html, bytes):
                raise TypeError(name)

    return read


def _read_robots(data: bytes, _: Path) -> None:
    rules = parse_rules(data, "bodytext")
    rules.refuse("https://news.example/a?b=c")
    find_sitemap_lines(data)


def _read_labels(data: bytes, _: Path) -> None:
    from_json(data.decode("utf-8", "replace"), "labels.json")


def _read_set(data: bytes, folder: Path) -> None:
    (folder / "html").mkdir()
    (folder / "html" / "a.html").write_bytes(b"<p>A page.</p>")
    (folder / "ground-truth").mkdir()
    (folder / "ground-truth" / "a.json").write_bytes(data)
    for page in read_labelled(folder):
        page.read()


def _read_model(data: bytes, folder: Path) -> None:
    path = folder / "weights.npz"
    path.write_bytes(data)
    read_weights.__wrapped__(str(path))


def _read_order(data: bytes, _: Path) -> None:
    read_request({"content-type": "application/json"}, {}, data).to_message().pack_head()


@cache
def _host() -> tuple[socket.socket, list[bytes]]:
    """A host on loopback that answers every request with the bytes in the list."""
    listener, answers = socket.create_server(("127.0.0.1", 0)), [b""]

    def serve() -> None:
        while True:
            client, _ = listener.accept()
            with client, suppress(OSError):
                client.settimeout(2.0)
                asked = b""
                while b"\r\n\r\n" not in asked and (piece := client.recv(65536)):
                    asked += piece
                client.sendall(answers[0])

    threading.Thread(target=serve, daemon=True).start()
    return listener, answers


def _read_answer(data: bytes, _: Path) -> None:
    listener, answers = _host()
    answers[0] = data
    limits = FetchLimits(max_seconds=2.0, max_bytes=1 << 20, max_redirects=2, allow_private=True)
    response = Client(limits).get(f"http://127.0.0.1:{listener.getsockname()[1]}/")
    repr((response.charset, response.problem, response.body[:10]))


# Valid inputs


def _pages() -> list[bytes]:
    paths = sorted((ROOT / "labelled" / "html").glob("*"))
    pages = [_unpack(path)[:60_000] for path in paths[::4]]
    everything = ROOT / "tests" / "pages" / "everything"
    return [*pages, *(path.read_bytes() for path in everything.glob("*.html"))]


def _unpack(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def _feeds() -> list[bytes]:
    stories = [make_story(number, published=1_700_000_000) for number in range(3)]
    papers = [Newspaper("daily.test", stories, kind) for kind in ("rss", "atom", "json")]
    return [write_feed(paper, "http://daily.test")[0].encode() for paper in papers]


def _sitemaps() -> list[bytes]:
    page = "<url><loc>http://a.test/{}</loc><lastmod>2026-01-02T03:04:05Z</lastmod></url>"
    pages = "".join(page.format(number) for number in range(5))
    index = "<sitemap><loc>http://a.test/sitemap-1.xml</loc></sitemap>"
    texts = (
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{pages}</urlset>',
        f'<?xml version="1.0" encoding="UTF-8"?><sitemapindex>{index}</sitemapindex>',
        "http://a.test/1\nhttp://a.test/2\n",
    )
    return [text.encode() for text in texts]


_OPML = b"""<?xml version="1.0"?><opml version="2.0"><head><title>Feeds</title></head><body>
<outline text="News" title="News"><outline type="rss" text="A &amp; B" xmlUrl="http://a.test/feed" htmlUrl="http://a.test/"/>
<outline text="Inner"><outline type="rss" text="C" xmlUrl="http://c.test/feed"/></outline></outline></body></opml>"""
_ROBOTS = b"""User-agent: *
Disallow: /private/*.html$
Allow: /private/open
Crawl-delay: 2.5

User-agent: bodytext
User-agent: other
Disallow:
Sitemap: https://news.example/sitemap.xml
"""
_ANSWERS = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 12\r\nETag: \"a\"\r\n\r\n<p>Hello</p>",
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>ab\r\n4;x=y\r\n</p>\r\n0\r\n\r\n",
    b"HTTP/1.1 301 Moved\r\nLocation: http://10.0.0.1/private\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/html\r\n\r\n" + gzip.compress(b"<p>Hello</p>"),
    b"HTTP/1.1 429 Too Many\r\nRetry-After: 120\r\nSet-Cookie: a=b\r\nCache-Control: max-age=60\r\n\r\n",
    b"HTTP/1.1 103 Early\r\nLink: </a.css>\r\n\r\nHTTP/1.1 204 None\r\nLast-Modified: Mon, 02 Nov 2026 08:00:00 GMT\r\n\r\n",
)  # fmt: skip
_REQUESTS = (
    b'{"html": "<p>Hello</p>", "url": "https://a.test/", "format": "json", "method": "learned", "threshold": 0.5}',
    b'{"url": "https://a.test/", "format": "markdown", "links": "drop", "images": "keep"}',
)


def _archives() -> list[bytes]:
    page = write_page(make_story(1, published=1_700_000_000), "Daily").encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(page)
    block = head + page
    fields = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        b"WARC-Target-URI: http://a.test/1\r\nContent-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n" % len(block)
    )
    record = fields + block + b"\r\n\r\n"
    return [record * 3, record.replace(b"response\r\nWARC-R", b"resource\r\nWARC-R", 1) + record]


def _tables() -> list[bytes]:
    rows = [{"html": f"<p>Page {n}</p>", "url": f"http://a.test/{n}", "time": n} for n in range(4)]
    return ["".join(json.dumps(row) + "\n" for row in rows).encode()]


def _zips() -> list[bytes]:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"pages/{number}.html", f"<p>Page {number} of the harbour.</p>" * 9)
    return [held.getvalue()]


def _tars() -> list[bytes]:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for number in range(3):
            page = f"<p>Page {number} of the harbour.</p>".encode() * 9
            member = tarfile.TarInfo(f"pages/{number}.html")
            member.size = len(page)
            archive.addfile(member, io.BytesIO(page))
    return [held.getvalue()]


def _label_files() -> list[bytes]:
    spans = (Span(0, 10, CONTENT), Span(12, 20, COMMENT))
    labelling = Labelling("a/b.html", "0" * 64, "ada", spans, "A title", ("A", "B"), "2026-01-02")
    return [labelling.to_json().encode()]


def _truths() -> list[bytes]:
    return [
        path.read_bytes() for path in sorted((ROOT / "labelled" / "ground-truth").glob("*"))[::8]
    ]


def _models() -> list[bytes]:
    return [Path(shipped_weights()).read_bytes()]


def _categories() -> list[bytes]:
    keys, weights = np.arange(50, dtype=np.uint32), np.ones((50, 3), np.float32)
    model = CategoryModel(("sport", "science", "news"), keys, weights)
    return [pack(model), pack(model, small=True)]


_EXCHANGE = b"""<?xml version="1.0" encoding="UTF-8"?><items><item><url>http://a.test/</url>
<html>&lt;p&gt;A page of some words.&lt;/p&gt;</html></item></items>"""

TARGETS: dict[str, Target] = {
    "page": Target(_pages, _read_page),
    "feed": Target(_feeds, lambda data, _: read_feed(data, "http://a.test/"), (ValueError,)),
    "sitemap": Target(_sitemaps, lambda data, _: read_sitemap(data), (ValueError,), packed=True),
    "opml": Target(lambda: [_OPML], lambda data, _: read_opml(data), (ValueError,)),
    "robots": Target(lambda: [_ROBOTS], _read_robots),
    "answer": Target(lambda: list(_ANSWERS), _read_answer, (FetchError,)),
    "request": Target(lambda: list(_REQUESTS), _read_order, (Refusal,)),
    "warc": Target(_archives, _read_file("a.warc.gz"), packed=True),
    "plain warc": Target(_archives, _read_file("a.warc")),
    "jsonl": Target(_tables, _read_file("a.jsonl")),
    "zip": Target(_zips, _read_file("a.zip")),
    "tar": Target(_tars, _read_file("a.tar")),
    "labels": Target(_label_files, _read_labels, (ValueError,)),
    "labelled set": Target(_truths, _read_set, (ValueError,)),
    "model": Target(_models, _read_model, (ValueError,)),
    "categories": Target(_categories, lambda data, _: unpack(data), (ValueError,)),
    "exchange": Target(lambda: [_EXCHANGE], lambda data, _: answer_exchange(data), (ValueError,)),
}


def prepare(_: dict[str, object]) -> Answer:
    """Fuzz in the process of a worker: a message names a target, a seed, and the first and last number."""
    return lambda message, tick: WorkerMessage({"faults": find_faults(**message.head, tick=tick)})


def find_faults(
    target: str, seed: int, first: int, last: int, tick: Tick = lambda _: None
) -> list[tuple[int, str]]:
    """Return the numbers of the inputs that are faults of ours, and what happened, each place once."""
    faults: dict[str, tuple[int, str]] = {}
    for number in range(first, last):
        try:
            check(target, make_input(target, seed, number))
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}, {place.name}"
            what = f"{type(error).__name__}: {str(error)[:200]} ({where})"
            faults.setdefault(f"{type(error).__name__} {where}", (number, what))
        tick(number - first + 1)
    return list(faults.values())
