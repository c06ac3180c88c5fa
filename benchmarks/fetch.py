"""Fetch from a loopback web of generated sites, most of which misbehave, and write results/fetch*.md.

    python benchmarks/fetch.py                 1,000 sites, about three minutes
    python benchmarks/fetch.py --sites 200     fewer, and no report
    python benchmarks/fetch.py --many          hosts that need no pause: speed, memory, 2,000 requests at a time
    python benchmarks/fetch.py --feeds         how feeds are read, compared with feedparser if it is installed

The sites run in another process and measure the requests: how many at a time, how far apart, which of them robots.txt
does not allow, which came before the end of a Retry-After. Exits with 1 if a page is wrong, a site's limit was broken,
or the run took too long.
"""

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext.sources.fetch import Client, FetchLimits  # noqa: E402
from bodytext.sources.listings.feed import read_feed  # noqa: E402
from bodytext.sources.politeness.fetcher import Fetcher, FetchProgress, PageRequest  # noqa: E402
from bodytext.sources.politeness.policy import Politeness  # noqa: E402
from loopback.server import ADDRESSES, find_addresses, serve_until_input_ends  # noqa: E402
from loopback.sites import DELAYS, KINDS, PAGE, is_as_expected, make_web  # noqa: E402

SITES = 1_000
LIMITS = FetchLimits(max_seconds=5, max_bytes=5 * 2**20, allow_private=True)
POLITE = Politeness(
    delay_seconds=1.0, concurrency=128, retries=2, backoff_seconds=1.0, longest_wait_seconds=10
)
MOST_REQUESTS = 4 + 1  # of a site that misbehaves: pages, and its robots.txt
MORE = tuple(f"/{number}" for number in range(3, 13))  # pages of the plain sites, to keep them busy
PATHS = ("/1", "/private/1", "/2", "/private/2", *MORE)


def expected_of(kind: str) -> dict[str, str]:
    """Return the expected results of the pages of a kind of site."""
    return KINDS[kind].expected | (dict.fromkeys(MORE, PAGE) if kind.startswith("plain") else {})


def longest_s(sites: int) -> float:
    """Return the longest time of a run: each request of each site and all its retries reach the time limit.

    All sites share the concurrent requests; the last one, which may start when all others are done, pauses for as long
    as it may between its requests.
    """
    attempts = MOST_REQUESTS * (POLITE.retries + 1)
    shared = sites * attempts * LIMITS.max_seconds / POLITE.concurrency
    return shared + attempts * (LIMITS.max_seconds + POLITE.longest_wait_seconds)


@dataclass(slots=True)
class RunResult:
    """The result of a run."""

    seconds: float = 0.0
    records: int = 0
    pages: int = 0
    wrong: list[str] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)
    seen: dict[str, dict[str, float]] = field(default_factory=dict)  # measurements by kind of site
    broken: list[str] = field(default_factory=list)
    requests: int = 0
    memory_mib: float = 0.0
    threads: int = 0


def run(sites: int) -> RunResult:
    """Fetch every page of a web with a number of sites."""
    kinds = make_web(sites)[1]
    serving = [sys.executable, __file__, "--serve", str(sites)]
    outcome = RunResult()
    with subprocess.Popen(
        serving, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise OSError("the server has no pipes")
        port = int(server.stdout.readline())
        _fetch(kinds, port, outcome)
        server.stdin.close()
        _check_sites(kinds, json.loads(server.stdout.read()), outcome)
    return outcome


def _fetch(kinds: dict[str, str], port: int, outcome: RunResult) -> None:
    wanted = [
        (name, path) for path in PATHS for name, kind in kinds.items() if path in expected_of(kind)
    ]
    requests = [
        PageRequest(f"http://{name}:{port}{path}", offset=number)
        for number, (name, path) in enumerate(wanted)
    ]
    client = Client(LIMITS, resolve=lambda name, _port: find_addresses(name, kinds))
    before = _peak_mib()
    start = time.monotonic()
    with Fetcher(client, POLITE, _show(len(requests))) as fetcher:
        for record in fetcher.fetch(requests):
            name, path = wanted[record.offset]
            expected = expected_of(kinds[name])[path]
            outcome.records += 1
            outcome.pages += not record.problem
            outcome.threads = max(outcome.threads, threading.active_count())
            if not is_as_expected(expected, record.html, record.problem, f"marker of {name}{path}"):
                outcome.wrong.append(f"{kinds[name]} ({path}): {record.problem or 'a wrong page'}")
    outcome.seconds = time.monotonic() - start
    outcome.memory_mib = _peak_mib() - before
    if outcome.records != len(requests):
        outcome.wrong.append(f"{outcome.records:,} records for {len(requests):,} requests")


def _show(total: int) -> Callable[[FetchProgress], None]:
    last = 0.0

    def show(progress: FetchProgress) -> None:
        nonlocal last
        done = progress.fetched + progress.failed
        if time.monotonic() - last > 5:
            last = time.monotonic()
            print(f"{done:,} of {total:,}, {progress.active} under way", file=sys.stderr)

    return show


def _allow_files() -> None:
    """Allow as many open files as the system does."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _check_sites(
    kinds: dict[str, str], measured: dict[str, dict[str, object]], outcome: RunResult
) -> None:
    """Compare the measurements of the sites with what they ask for."""
    for name, measure in measured.items():
        kind = kinds[name]
        delay = max(DELAYS.get(kind, 0.0), POLITE.delay_seconds)
        numbers = {
            key: float(str(measure[key]))
            for key in ("requests", "most_at_a_time", "least_gap_s", "too_early")
        }
        outcome.requests += int(numbers["requests"])
        if numbers["most_at_a_time"] > POLITE.per_host:
            outcome.broken.append(f"{kind}: {numbers['most_at_a_time']:.0f} requests at a time")
        if numbers["least_gap_s"] < delay:
            outcome.broken.append(f"{kind}: {numbers['least_gap_s']:.3f} s apart")
        if numbers["too_early"]:
            outcome.broken.append(f"{kind}: asked before a Retry-After was over")
        if measure["forbidden"]:
            outcome.broken.append(f"{kind}: asked for what robots.txt does not allow")
        row = outcome.seen.setdefault(
            kind, {"sites": 0, "requests": 0, "least_gap_s": float("inf"), "most": 0}
        )
        row["sites"] += 1
        row["requests"] += numbers["requests"]
        row["least_gap_s"] = min(row["least_gap_s"], numbers["least_gap_s"])
        row["most"] = max(row["most"], numbers["most_at_a_time"])
    if outcome.seconds > longest_s(len(kinds)):
        outcome.broken.append(
            f"the run took {outcome.seconds:.0f} s; at most {longest_s(len(kinds)):.0f} s were allowed"
        )


def report(sites: int, outcome: RunResult) -> str:
    """Return the result as Markdown."""
    gap = min(row["least_gap_s"] for row in outcome.seen.values())
    most = max(row["most"] for row in outcome.seen.values())
    lost = outcome.records - outcome.pages
    lines = [
        "# Fetching from a web that misbehaves",
        "",
        "    python benchmarks/fetch.py",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, Python {sys.version.split()[0]}, bodytext {version('bodytext')}.",
        "",
        f"{sites:,} generated sites of {len(KINDS)} kinds (tests/loopback/sites.py says what each does) on loopback",
        "addresses, served by another process that measures the requests. Limits of a fetch:",
        f"{LIMITS.max_seconds:.0f} s, {LIMITS.max_bytes // 2**20} MiB. Each host gets one request at a time,",
        f"{POLITE.delay_seconds:g} s apart; all hosts together get {POLITE.concurrency} requests at a time;",
        f"{POLITE.retries} retries.",
        "",
        f"- {outcome.records:,} pages were requested; {outcome.pages:,} were fetched, {lost:,} failed.",
        f"  As expected: {outcome.records - len(outcome.wrong):,}; wrong: {len(outcome.wrong)}.",
        f"- {outcome.requests:,} requests reached the sites. Most at a time at any site: {most:.0f}.",
        f"  Shortest time between two: {gap:.3f} s. Limits broken: {len(outcome.broken)}.",
        f"- It took {outcome.seconds:.0f} s; by the limits it could have taken {longest_s(sites):.0f} s at most.",
        f"- Peak memory grew by {outcome.memory_mib:.0f} MiB, with {outcome.threads} threads at most.",
        "",
        *[f"Wrong: {problem}" for problem in outcome.wrong[:50]],
        *[f"Broken: {problem}" for problem in outcome.broken[:50]],
        "",
        "| kind | sites | should give | requests | most at a time | shortest time between, s |",
        "|---|---:|---|---:|---:|---:|",
    ]
    for kind, row in outcome.seen.items():
        expected = "; ".join(dict.fromkeys(KINDS[kind].expected.values())).replace("|", " or ")
        lines.append(
            f"| {kind} | {row['sites']:.0f} | {expected} | {row['requests']:.0f} | {row['most']:.0f} |"
            f" {'only one' if row['requests'] == row['sites'] else format(row['least_gap_s'], '.2f')} |"
        )
    return "\n".join(lines) + "\n"


# Many pages


PAGE_BYTES = b"<h1>News</h1>" + b"<p>The ferry to the island leaves at noon.</p>" * 300


@dataclass(slots=True)
class SteadyServer:
    """A server whose hosts all answer after a while, and keep their connections."""

    delay_s: float
    connections: int = 0
    active: int = 0
    most_at_a_time: int = 0

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection, one after the other."""
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.active += 1
                self.most_at_a_time = max(self.most_at_a_time, self.active)
                await asyncio.sleep(self.delay_s)
                length = b"Content-Length: %d\r\n" % len(PAGE_BYTES)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + length + b"\r\n")
                writer.write(PAGE_BYTES)
                await writer.drain()
                self.active -= 1
                if b"connection: close" in head.lower():
                    break
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        writer.close()

    async def serve(self) -> None:
        """Serve until the standard input ends: print the port first and the measurements last."""
        first = await asyncio.start_server(self.accept, ADDRESSES[0], 0, backlog=4096)
        port = first.sockets[0].getsockname()[1]
        others = [
            await asyncio.start_server(self.accept, address, port, backlog=4096)
            for address in ADDRESSES[1:]
        ]
        print(port, flush=True)
        await asyncio.to_thread(sys.stdin.read)
        print(self.connections, self.most_at_a_time, flush=True)
        for server in (first, *others):
            server.close()


@dataclass(frozen=True, slots=True)
class Load:
    """How many pages of how many hosts are fetched, how many at a time, and how slow hosts are."""

    pages: int
    hosts: int
    at_a_time: int
    delay_s: float


LOADS = (Load(20_000, 40, 32, 0.0), Load(10_000, 2_000, 2_000, 1.0))


def fetch_load(load: Load) -> str:
    """Fetch the pages of a load; return a row of the report."""
    serving = [sys.executable, __file__, "--serve-steadily", str(load.delay_s)]
    with subprocess.Popen(
        serving, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise OSError("the server has no pipes")
        port = int(server.stdout.readline())
        client = Client(
            FetchLimits(allow_private=True),
            resolve=lambda name, _port: [ADDRESSES[len(name) % len(ADDRESSES)]],
        )
        polite = Politeness(delay_seconds=0, obey_robots=False, concurrency=load.at_a_time)
        urls = (
            f"http://host{number % load.hosts}.test:{port}/{number}" for number in range(load.pages)
        )
        failed = threads = 0
        wall, spent = time.monotonic(), time.process_time()
        with Fetcher(client, polite) as fetcher:
            for number, record in enumerate(fetcher.fetch(map(PageRequest, urls))):
                failed += bool(record.problem)
                if number % 100 == 0:
                    threads = max(threads, threading.active_count())
        rate = load.pages / (time.monotonic() - wall)
        each = 1000 * (time.process_time() - spent) / load.pages
        server.stdin.close()
        connections, most = server.stdout.readline().split()
    return (
        f"| {load.pages:,} of {load.hosts:,} hosts, {load.at_a_time:,} at a time, {load.delay_s:g} s each |"
        f" {failed:,} | {int(most):,} | {int(connections):,} | {rate:,.0f} | {each:.2f} | {threads:,} |"
        f" {_peak_mib():.0f} |"
    )


def fetch_many(beside: Path | None = None) -> str:
    """Measure the speed and memory of fetching from hosts that need no pause, as Markdown."""
    lines = [
        "# Fetching many pages",
        "",
        f"    python benchmarks/fetch.py --many{' --beside CHECKOUT' if beside else ''}",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, Python {sys.version.split()[0]}, bodytext {version('bodytext')}.",
        f"Pages of {len(PAGE_BYTES) // 1000} kB from hosts on loopback addresses, no pauses, no robots.txt; the server",
        "runs on the same machine, and counts the requests that it answers at a time and the connections.",
        "",
        "| code | pages | failed | most at a time | connections | pages a second | CPU ms a page | threads | memory, MiB |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    trees = {f"bodytext {_commit_of(tree)}": tree for tree in (beside, ROOT) if tree}
    for load in LOADS:
        for name, tree in trees.items():
            command = [sys.executable, __file__, "--load", *map(str, astuple(load))]
            environment = os.environ | {"PYTHONPATH": str(tree / "src")}
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, env=environment
            )
            lines.append(f"| {name} {done.stdout.strip()}")
    return "\n".join(lines) + "\n"


def _commit_of(tree: Path) -> str:
    command = ["git", "-C", str(tree), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


# Feeds


def make_feeds(entries: int = 100) -> dict[str, bytes]:
    """Make feeds of each kind with a number of entries, whole and damaged."""
    body = (
        "The ferry to the island leaves at noon, and the harbour master has waited for it since the storm. "
        * 8
    )
    items = "".join(
        f"<item><title>Title {number} &amp; more</title><link>https://a.example/{number}</link>"
        f"<pubDate>Sun, 15 Nov 2026 09:30:00 +0700</pubDate><description><![CDATA[<p>{body}</p>]]></description></item>"
        for number in range(entries)
    )
    rss = (
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>A</title>{items}</channel></rss>'
    )
    atom = rss.replace("<channel>", "").replace("</channel>", "").replace("item>", "entry>")
    atom = atom.replace(
        '<rss version="2.0">', '<feed xmlns="http://www.w3.org/2005/Atom">'
    ).replace("</rss>", "</feed>")
    atom = (
        atom.replace("<link>", '<link href="')
        .replace("</link>", '"/>')
        .replace("description>", "summary>")
    )
    atom = atom.replace("pubDate>", "published>").replace(
        "Sun, 15 Nov 2026 09:30:00 +0700", "2026-11-15T09:30:00+07:00"
    )
    return {
        "RSS 2.0": rss.encode(),
        "Atom": atom.encode(),
        "RSS, cut in the middle": rss[: len(rss) // 2].encode(),
        "RSS, bare ampersands": rss.replace("&amp;", "&").encode(),
        "RSS, names of HTML": rss.replace("&amp;", "&nbsp;&ndash;").encode(),
        "RSS, a control character": rss.replace("more", "mo\x01re").encode(),
        "RSS, never closed": rss.replace("</item>", "").encode(),
        "RSS, words before it": b"<br /><b>Warning</b>: no such table<br />\n" + rss.encode(),
        "RSS, entities that grow": _bomb().encode(),
        "RSS, 10,000 open elements": b"<rss><item><title>One</title><description>"
        + b"<div>" * 10_000,
        "RSS, 10,000 open quotes": b"<rss><item><title>One</title></item>" + b"<a b='" * 10_000,
    }


def _bomb() -> str:
    declared = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9))
    return f"<!DOCTYPE rss [<!ENTITY a0 'bomb'>{declared}]><rss><channel><item><title>&a8;</title></item></channel></rss>"


def _ours(data: bytes) -> list[str]:
    return [
        entry.title for entry in read_feed(data, "https://a.example/feed").entries if entry.title
    ]


def _readers() -> Iterator[tuple[str, Callable[[bytes], list[str]]]]:
    yield "bodytext", _ours
    if find_spec("feedparser"):
        parse = import_module("feedparser").parse
        yield "feedparser", lambda data: [entry.get("title", "") for entry in parse(data).entries]


def compare_feeds() -> str:
    """Measure how long each reader takes for each feed, and how many titles it finds, as Markdown."""
    readers = dict(_readers())
    lines = [
        "# Reading feeds",
        "",
        "    python benchmarks/fetch.py --feeds",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, Python {sys.version.split()[0]}, bodytext {version('bodytext')}, feedparser",
        f"{_version_of('feedparser')}. Feeds of 100 entries, {len(make_feeds()['RSS 2.0']) // 1000} kB except the last",
        "three; CPU time, median of three runs.",
        "",
        "| feed | " + " | ".join(f"{name}: titles | ms" for name in readers) + " |",
        "|---|" + "---:|---:|" * len(readers),
    ]
    for kind, data in make_feeds().items():
        cells = []
        for read in readers.values():
            titles, spent = [], []
            for _ in range(3):
                start = time.process_time()
                titles = read(data)
                spent.append(time.process_time() - start)
            cells.append(f"{len(titles)} | {1000 * statistics.median(spent):.1f}")
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def main() -> int:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sites", type=int, default=SITES)
    parser.add_argument("--feeds", action="store_true")
    parser.add_argument("--many", action="store_true")
    parser.add_argument("--beside", type=Path, help="another checkout, measured too by --many")
    parser.add_argument("--serve", type=int, metavar="SITES", help=argparse.SUPPRESS)
    parser.add_argument("--serve-steadily", type=float, metavar="S", help=argparse.SUPPRESS)
    parser.add_argument("--load", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve_until_input_ends(make_web(options.serve)[0])
        return 0
    if options.serve_steadily is not None:
        _allow_files()
        asyncio.run(SteadyServer(options.serve_steadily).serve())
        return 0
    if options.load:
        _allow_files()
        pages, hosts, at_a_time, delay_s = options.load
        print(fetch_load(Load(int(pages), int(hosts), int(at_a_time), float(delay_s))))
        return 0
    for wanted, name, measure in (
        (options.feeds, "fetch-feeds.md", compare_feeds),
        (options.many, "fetch-many.md", partial(fetch_many, options.beside)),
    ):
        if wanted:
            text = measure()
            (ROOT / "results" / name).write_text(text, "utf-8")
            print(text)
            return 0
    outcome = run(options.sites)
    text = report(options.sites, outcome)
    if options.sites == SITES:
        (ROOT / "results" / "fetch.md").write_text(text, "utf-8")
    print(text)
    return 1 if outcome.wrong or outcome.broken else 0


if __name__ == "__main__":
    sys.exit(main())
