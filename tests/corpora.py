"""Make pages and archives, and build and read corpora, for the tests of corpora."""

import gzip
import hashlib
import io
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bodytext.corpus.run.build import CorpusBuild
from bodytext.corpus.run.engines import Job, JobResult, LocalEngine
from bodytext.corpus.run.job_worker import JobError
from bodytext.corpus.run.jobs import do_job
from bodytext.corpus.run.spec import CorpusSpec
from bodytext.corpus.workers.messages import WorkerMessage

POISON = Path(__file__).parent / "poison"
SPEC = CorpusSpec(stage_options={"quality": ""}, shard=2**14, part=2**14, seconds=20, memory=1024)
_WORDS = (
    "the of and to that have with a house river garden window morning letter teacher road market bridge story water "
    "mountain friend summer winter table music paper light answer question village school city people work"
)


def make_page(number: int, mark: str = "", words: int = 120) -> bytes:
    """Make a page unlike the others, with the mark in a comment."""
    generator = random.Random(number)
    paragraphs = [
        " ".join(generator.choices(_WORDS.split(), k=words // 3)).capitalize() + "."
        for _ in range(3)
    ]
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    head = f"<title>Page {number}</title><!-- {mark} --><nav>menu</nav>"
    return f"{head}<article><p>This is page {number} of <b>many</b>.</p>{body}".encode()


def make_record(
    url: str, html: bytes, headers: str = "Content-Type: text/html; charset=utf-8"
) -> bytes:
    """Make a WARC response record."""
    block = f"HTTP/1.1 200 OK\r\n{headers}\r\n\r\n".encode() + html
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def make_records(pages: Iterable[bytes]) -> list[bytes]:
    """Make a WARC record for each page."""
    return [make_record(f"https://example.org/{number}", page) for number, page in enumerate(pages)]


def write_warc(path: Path, pages: Iterable[bytes]) -> Path:
    """Write an archive with a gzip member for each record, as crawlers do."""
    path.write_bytes(b"".join(gzip.compress(record, 1, mtime=0) for record in make_records(pages)))
    return path


def build(
    folder: Path, sources: Sequence[Path | str], spec: CorpusSpec = SPEC, workers: int = 2
) -> dict[str, Any]:
    """Build a corpus, and return its counts."""
    return CorpusBuild(spec, list(map(str, sources)), folder).run(
        lambda: LocalEngine(spec.limits, workers)
    )


class SameProcess(LocalEngine):
    """An engine that does jobs in this process, for tests where processes are not what is tested."""

    def __init__(self, *_: object) -> None:
        super().__init__(SPEC.limits, 1)
        self._done = 0

    @property
    def done(self) -> int:
        return self._done

    def run(self, jobs: Sequence[Job]) -> Iterator[JobResult | None]:
        for number, job in enumerate(jobs):
            self._done = 0
            reply = do_job(WorkerMessage({**job, "harmful": {}}), self._count).head
            failure = JobError(reply["failed"], reply["reason"]) if reply else None
            yield JobResult(number, self.done, failure)

    def _count(self, done: int) -> None:
        self._done = done


def build_here(
    folder: Path, sources: Sequence[Path | str], spec: CorpusSpec = SPEC
) -> dict[str, Any]:
    """Build a corpus in this process, which takes a tenth of the time, and return its counts."""
    return CorpusBuild(spec, list(map(str, sources)), folder).run(SameProcess)


def read_rows(folder: Path, kind: str) -> list[dict[str, Any]]:
    """Read the rows of data, dropped or errors."""
    rows: list[dict[str, Any]] = []
    for path in sorted((folder / kind).iterdir()):
        if path.suffix == ".parquet":
            rows += pq.read_table(io.BytesIO(path.read_bytes())).to_pylist()
        else:
            rows += [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return rows


def count_places(folder: Path) -> Counter[tuple[str, int]]:
    """Count how often each record is in a corpus: kept, dropped or failed."""
    kinds = ("data", "dropped", "errors")
    return Counter(
        (row["source"], row["offset"]) for kind in kinds for row in read_rows(folder, kind)
    )


def digest_files(folder: Path) -> dict[str, str]:
    """Return a digest of every file of a corpus except the report and the file with the times."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "timing.json"]
    files = [path for path in files if not path.name.startswith("report")]
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
