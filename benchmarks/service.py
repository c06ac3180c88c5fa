"""Put `bodytext serve` under load with 200 requests at a time, some of them hostile, and write results/service.md.

    python benchmarks/service.py                     20,000 requests
    python benchmarks/service.py --requests 2000     fewer, and no report

Three of five requests are ordinary pages. Two are hostile: deeply nested elements, a flood of paragraphs, random
bytes, broken gzip, a gzip bomb, a body that is too large, invalid JSON, an address of this machine. In the first half,
a worker is killed with SIGKILL every few hundred requests, or stopped with SIGSTOP as if its page hung. In the second
half none is, so that fresh workers do not hide a growth of memory. Exits with 1 if an answer is lost or wrong, or if
memory grows.
"""

import argparse
import asyncio
import gzip
import os
import platform
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext import extract  # noqa: E402
from bodytext.studio.service.prometheus import resident_bytes  # noqa: E402
from hostile_pages import KINDS  # noqa: E402
from service_client import Answer, ask  # noqa: E402

IN_FLIGHT = 200
WORKERS = 2
SECONDS = (
    3  # for a page: less than a stopped worker takes, more than all others need on a busy machine
)
MEGABYTES = 4
KILL_EVERY = 400  # requests
HANG_EVERY = 1500
SAMPLES = 20  # of memory
ENOUGH = 20_000  # requests to see whether memory grows
MOST_GROWTH = 1.05  # of memory from the third quarter to the last
HTML, JSON = {"content_type": "text/html"}, {"content_type": "application/json"}


@dataclass(frozen=True, slots=True)
class RequestKind:
    """A request, and the answer that is expected."""

    body: bytes
    statuses: tuple[int, ...]
    message: str = ""  # part of the error
    text: str | None = None  # the whole answer, if it is known
    headers: dict[str, str] = field(default_factory=lambda: HTML)
    share: int = 1  # of twenty


def make_kinds() -> dict[str, RequestKind]:
    """Return the requests by name."""
    labelled = sorted((ROOT / "labelled" / "html").glob("*.html*"))[:40]
    pages = [
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for path in labelled
    ]
    article = (ROOT / "examples" / "article.html").read_bytes()
    whole = gzip.compress(article)
    hostile = {
        name: RequestKind(KINDS[name].make(size), (200,))
        for name, size in (
            ("divs nested", 300_000),
            ("random bytes", 300_000),
            ("paragraphs of a letter", 150_000),
        )
    }
    ordinary = [RequestKind(page, (200,), text=str(extract(page)), share=0) for page in pages]
    named = {f"page {number}": kind for number, kind in enumerate(ordinary)}
    return named | {
        "article": RequestKind(article, (200,), text=str(extract(article)), share=4),
        "article, gzip": RequestKind(
            whole, (200,), text=str(extract(article)), headers=HTML | {"content_encoding": "gzip"}
        ),
        **hostile,
        "broken gzip": RequestKind(whole[:-30], (400,), "cut off"),
        "gzip bomb": RequestKind(gzip.compress(bytes(50_000_000)), (413,), "more than"),
        "too large": RequestKind(bytes(5_000_000), (413,), "more than"),
        "invalid JSON": RequestKind(b'{"html": ', (400,), "not JSON", headers=JSON),
        "own address": RequestKind(
            b'{"url": "http://127.0.0.1/"}', (403,), "loopback", headers=JSON
        ),
    }


@dataclass
class Load:
    """A run of requests, and its results."""

    port: int
    process: int
    kinds: dict[str, RequestKind]
    total: int
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    memory: list[tuple[int, int]] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)

    async def run(self) -> None:
        """Send all requests, 200 at a time."""
        names = list(self.kinds)
        shares = [
            self.kinds[name].share or 8 / sum(not kind.share for kind in self.kinds.values())
            for name in names
        ]
        order = random.Random(5).choices(names, shares, k=self.total)
        queue = iter(enumerate(order))
        await asyncio.gather(*(self._send_some(queue) for _ in range(IN_FLIGHT)))

    async def _send_some(self, queue: Iterator[tuple[int, str]]) -> None:
        for number, name in queue:
            self._disturb(number)
            kind = self.kinds[name]
            began = time.monotonic()
            answer = await ask(self.port, "POST /extract?format=text", kind.body, **kind.headers)
            self.seconds.append(time.monotonic() - began)
            self.statuses[
                name.partition(" ")[0] if name.startswith("page ") else name, answer.status
            ] += 1
            if problem := find_problem(kind, answer):
                self.wrong.append(f"request {number}, {name}: {problem}")

    def _disturb(self, number: int) -> None:
        workers = children(self.process) if number < self.total // 2 else []
        if number % KILL_EVERY == KILL_EVERY // 2 and workers:
            self._signal(random.Random(number).choice(workers), signal.SIGKILL, "killed")
        if number % HANG_EVERY == HANG_EVERY // 2 and workers:
            self._signal(random.Random(number).choice(workers), signal.SIGSTOP, "stopped")
        if number % max(1, self.total // SAMPLES) == 0:
            own = resident_bytes(self.process)
            self.memory.append((own, own + sum(map(resident_bytes, children(self.process)))))

    def _signal(self, process: int, number: signal.Signals, event: str) -> None:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            return
        self.events[event] += 1


def find_problem(kind: RequestKind, answer: Answer) -> str:
    """Return what is wrong with an answer, if anything. A stopped worker makes an ordinary page too slow."""
    if answer.status == 0:
        return "no answer"
    if answer.status == 504 and "longer than" in answer.error:
        return ""
    if answer.status not in kind.statuses:
        return f"status {answer.status}: {answer.body[:200]!r}"
    if answer.status != 200:
        return (
            ""
            if kind.message in answer.error
            else f"the error does not say {kind.message!r}: {answer.error}"
        )
    if kind.text is not None and answer.body.decode() != kind.text:
        return "not the text that the library finds"
    return ""


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    found: list[int] = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):  # each thread has its own
        with suppress(OSError):
            found += map(int, path.read_text().split())
    return found


def report(load: Load, seconds: float, replaced: dict[str, int]) -> str:
    """Return the text of results/service.md."""
    rows = "\n".join(
        f"| {name} | {status} | {number:,} |"
        for (name, status), number in sorted(load.statuses.items())
    )
    waits = sorted(load.seconds)
    own, whole = (
        ", ".join(f"{memory / 2**20:.0f}" for memory in column)
        for column in zip(*load.memory, strict=True)
    )
    slow = sum(number for (_, status), number in load.statuses.items() if status == 504)
    return f"""# The service under load

    python benchmarks/service.py

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors.
`bodytext serve --workers {WORKERS} --seconds {SECONDS} --megabytes {MEGABYTES}`.
{load.total:,} requests, {IN_FLIGHT} at a time; {load.events["killed"]} times a worker was killed,
{load.events["stopped"]} times one was stopped as if it hung, all in the first half.

- Lost or wrong answers: {len(load.wrong)}. Right means: the text that the library finds in the page, or a JSON
  error with the right status and words. {slow} requests whose worker was stopped got the error that they took too long.
- {load.total / seconds:.0f} requests a second, with the client on the same processors; half were answered within
  {waits[len(waits) // 2]:.2f} s, 99% within {waits[len(waits) * 99 // 100]:.2f} s, all within {waits[-1]:.2f} s.
- Memory over the run in MB, the second half undisturbed. The service itself: {own}.
  With its workers: {whole}.
- Workers replaced: {", ".join(f"{why} {number}" for why, number in replaced.items())}.

| request | status | answers |
|---|---:|---:|
{rows}
"""


async def read_replaced(port: int) -> dict[str, int]:
    """Return how many workers were replaced, by reason."""
    text = (await ask(port, "GET /metrics")).body.decode()
    return {
        why: int(number) for why, number in re.findall(r'replaced_total\{why="(\w+)"\} (\d+)', text)
    }


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=20_000)
    total = parser.parse_args().requests
    options = [
        "--port",
        "0",
        "--workers",
        str(WORKERS),
        "--seconds",
        str(SECONDS),
        "--megabytes",
        str(MEGABYTES),
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "bodytext", "serve", *options], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            return measure(process, total)
        finally:
            process.terminate()


def measure(process: subprocess.Popen[str], total: int) -> int:
    """Put a running service under load, and report the results."""
    assert process.stderr  # noqa: S101
    port = int(re.findall(r":(\d+)/", process.stderr.readline())[0])
    load = Load(port, process.pid, make_kinds(), total)
    began = time.monotonic()

    async def run() -> dict[str, int]:
        running = asyncio.create_task(load.run())
        while not running.done():
            await asyncio.wait([running], timeout=20)
            print(f"{len(load.seconds):,} of {total:,} requests", file=sys.stderr)
        await running
        return await read_replaced(port)

    replaced = asyncio.run(run())
    text = report(load, time.monotonic() - began, replaced)
    print(text)
    print(*load.wrong[:20], sep="\n")
    whole = [memory for _, memory in load.memory]
    middle, last = max(whole[SAMPLES // 2 : SAMPLES * 3 // 4]), max(whole[SAMPLES * 3 // 4 :])
    grows = total >= ENOUGH and last > MOST_GROWTH * middle
    if grows:
        print("memory grows")
    if total >= ENOUGH:
        (ROOT / "results" / "service.md").write_text(text)
    return 1 if load.wrong or grows else 0


if __name__ == "__main__":
    sys.exit(main())
