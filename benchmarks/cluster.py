"""Build a corpus from S3 to S3 on a Ray cluster whose nodes are killed and added, and write results/cluster.md.

    python benchmarks/cluster.py                1,000 pages, six nodes killed, six added
    python benchmarks/cluster.py --pages 200    fewer, and no report

It needs Ray, s3fs and moto (pip install ray s3fs 'moto[server]'). moto's server plays S3 on loopback; the cluster has a
head and three nodes on this machine, each with processes of its own (ray.cluster_utils). The build is killed once as a
whole, and whenever its own node is; it is started again with the same command. The corpus must have the bytes of one
that was built on one machine. Ray listens to the network, so this runs in a namespace with loopback alone:

    unshare --map-root-user --net --pid --fork --mount-proc sh -c 'ip link set lo up && python benchmarks/cluster.py'
"""

import argparse
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
sys.path.insert(0, str(TESTS))

from bodytext.corpus.record_counts import RecordCounts  # noqa: E402
from bodytext.corpus.run.finishing import stem_of  # noqa: E402
from bodytext.corpus.run.pipeline import BuildPipeline  # noqa: E402
from bodytext.corpus.run.shard import Shard  # noqa: E402
from bodytext.corpus.run.spec import CorpusSpec  # noqa: E402
from bodytext.corpus.run.tasks import FACTS  # noqa: E402
from bodytext.sources.source_kinds import ARCHIVE  # noqa: E402
from corpora import POISON, count_places, digest_files, make_page, write_warc  # noqa: E402

PAGES, FILES, NODES, LOST = 1000, 24, 3, 6
PORT = 5599
BUCKET = "crawl"
SHARDS = 20_000  # whose costs are measured


@dataclass(slots=True)
class Tally:
    """What happened to the cluster, and what a shard costs the process that hands out the work."""

    killed: int = 0
    added: int = 0
    builds: int = 0  # started with the same command
    seconds: float = 0.0
    shard_bytes: float = 0.0
    shard_microseconds: float = 0.0


def main() -> int:
    """Build on one machine and on the cluster, and compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--lost", type=int, default=LOST, help="nodes to kill")
    options = parser.parse_args()
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{PORT}",
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYTHONPATH": os.pathsep.join([str(POISON), *filter(None, sys.path)]),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = start_store()
        try:
            wrong, tally, size = compare(folder, options)
        finally:
            server.terminate()
        measure_shards(folder / "shards", tally)
    text = report(options, wrong, tally, size)
    print(text)
    if (options.pages, options.lost) == (PAGES, LOST):
        (ROOT / "results" / "cluster.md").write_text(text, "utf-8")
    return int(bool(wrong))


def measure_shards(folder: Path, tally: Tally) -> None:
    """Measure what a shard costs the process that hands out the work, whatever is in it."""
    source = "s3://commoncrawl/crawl-data/CC-MAIN-2026-42/segments/1.0/warc/CC-MAIN-00000.warc.gz"
    facts = RecordCounts().to_json() | {"first": 0, "next": 100}
    before, began = resident_bytes(), time.process_time()
    shards = [
        Shard(source=source, kind=ARCHIVE, start=number << 25, stop=number + 1 << 25)
        for number in range(SHARDS)
    ]
    pipeline = BuildPipeline(CorpusSpec(), shards, folder, folder / "work")
    paths = [stem_of(folder / "work", number).with_suffix(FACTS) for number in range(SHARDS)]
    jobs = [pipeline._job("extract", number, path) for number, path in enumerate(paths)]
    tally.shard_bytes = (resident_bytes() - before) / len(jobs)
    spent = time.process_time() - began
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(facts))
    began = time.process_time()
    for path in paths:  # whether it is done, whether its borders fit, how much text it has
        path.exists()
        json.loads(path.read_text("utf-8"))
        json.loads(path.read_text("utf-8"))
    tally.shard_microseconds = (spent + time.process_time() - began) / SHARDS * 1e6


def resident_bytes() -> int:
    """Return the memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def start_store() -> "subprocess.Popen[bytes]":
    """Start moto's server, and wait until it answers."""
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(PORT)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    system = import_module("s3fs").S3FileSystem(endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    for _ in range(300):
        try:
            system.mkdir(BUCKET)
        except Exception:  # it has not started yet
            time.sleep(0.2)
        else:
            return server
    raise RuntimeError("moto's server does not answer")


def compare(folder: Path, options: argparse.Namespace) -> tuple[list[str], Tally, int]:
    """Build twice; return what differs."""
    size, local, shared = 0, folder / "local", folder / "shared"
    system = import_module("s3fs").S3FileSystem(endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    names = []
    for number in range(FILES):
        pages = [make_page(page, "poison-slow") for page in range(number, options.pages, FILES)]
        path = write_warc(folder / f"{number}.warc.gz", pages)
        size += path.stat().st_size
        system.put_file(str(path), f"{BUCKET}/in/{path.name}")
        names.append(f"in/{path.name}\n")
    (folder / "warc.paths").write_text("".join(names))
    command = build_command(folder)
    subprocess.run([*command, "-o", str(local)], check=True)
    tally = build_on_cluster([*command, "-o", str(shared)], options.lost)
    wrong = []
    if digest_files(shared) != digest_files(local):
        wrong.append("the corpus of the cluster differs from that of one machine")
    places = count_places(shared)
    if len(places) != options.pages or set(places.values()) != {1}:
        wrong.append("a record is missing or there twice")
    copied = folder / "copied"
    system.get(f"{BUCKET}/out/", f"{copied}/", recursive=True)
    if digest_files(copied) != digest_files(local):
        wrong.append("the copy in S3 differs")
    return wrong, tally, size


def build_command(folder: Path) -> list[str]:
    """Return the command without its output."""
    command = [sys.executable, "-m", "bodytext", "corpus", "build", str(folder / "warc.paths")]
    return [*command, "--root", f"s3://{BUCKET}/", "--quality", ""]


def build_on_cluster(command: list[str], lost: int) -> Tally:
    """Build while nodes are killed and added, and kill the build once.

    The build is connected to one of the nodes, so it may die with it: it is started again.
    """
    cluster_type = import_module("ray.cluster_utils").Cluster
    cluster = cluster_type(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(NODES)]
    chance, tally, began = random.Random(3), Tally(), time.monotonic()
    command = [
        *command,
        "--engine",
        "ray",
        "--address",
        cluster.address,
        "--upload",
        f"s3://{BUCKET}/out",
    ]
    try:
        while True:
            tally.builds += 1
            build = subprocess.Popen(command, start_new_session=True)
            killed_at = tally.killed
            while build.poll() is None:
                time.sleep(chance.uniform(1.0, 3.0))
                if tally.killed < lost and build.poll() is None:
                    replace_node(cluster, nodes, chance, tally)
                if tally.builds == 1 and tally.killed - killed_at >= 2:
                    with suppress(ProcessLookupError):
                        os.killpg(build.pid, signal.SIGKILL)
            if build.wait() == 0:
                break
    finally:
        tally.seconds = time.monotonic() - began
        with suppress(Exception):
            cluster.shutdown()
    return tally


def replace_node(cluster: Any, nodes: list[Any], chance: random.Random, tally: Tally) -> None:
    """Kill a node without a warning, and add another."""
    node = nodes.pop(chance.randrange(len(nodes)))
    cluster.remove_node(node, allow_graceful=False)
    tally.killed += 1
    nodes.append(cluster.add_node(num_cpus=1))
    tally.added += 1


def report(options: argparse.Namespace, wrong: list[str], tally: Tally, size: int) -> str:
    """Format the report."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("ray", "moto", "s3fs"))
    return f"""# A cluster that loses its nodes, and S3

    python benchmarks/cluster.py

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {versions}. {options.pages:,} made pages in {FILES} archives
({size:,} bytes) were read from `s3://`, extracted on a Ray cluster of a head and {NODES} nodes, and the corpus was copied to
`s3://`. The nodes are processes of one machine; S3 is moto's server. The costs of a shard were measured with {SHARDS:,} of
them on a local disk.

| | |
|---|---:|
| nodes killed without a warning | {tally.killed} |
| nodes added | {tally.added} |
| times the same command was started (killed before) | {tally.builds} |
| seconds | {tally.seconds:.0f} |
| memory for a shard in the process that hands out the work, bytes | {tally.shard_bytes:.0f} |
| CPU time for a shard in it, microseconds | {tally.shard_microseconds:.0f} |
| differs from a build on one machine | {"; ".join(wrong) or "nothing, byte for byte"} |
"""


if __name__ == "__main__":
    sys.exit(main())
