"""Fuzz the native modules under address and undefined-behaviour sanitisers, and write results/fuzz.md.

    python benchmarks/fuzz.py                      a hundred thousand inputs
    python benchmarks/fuzz.py --replay FILE        read one saved input again

The package is copied to a temporary folder and all its native modules are built there with gcc's sanitisers; the
installed one is not changed. A child process reads every output of mutations of real pages (of the labelled ones alone
if BODYTEXT_DATA has none), of HTML made from a grammar, and of bytes that are not UTF-8. Each input is written to a
shared file before it is read, so that an input that kills the child is kept. Now and then the scanner's Python twin
scans the same input and must agree. At the end, memory must not have grown.
"""

import argparse
import gzip
import json
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

from bodytext import extract
from bodytext.corpus.duplicates.signatures import sign
from bodytext.corpus.stages.tokens import TextTokens
from bodytext.kernel import constants
from bodytext.kernel import scanner as twin
from bodytext.kernel.html import TAGS
from bodytext.kernel.loader import EXPORTS, load_module
from bodytext.output.formats import FORMATS
from bodytext.page.tables import BlockTable, RunTable

Table = npt.NDArray[np.int32]

ROOT = Path(__file__).resolve().parent.parent
RUN_COLUMNS = RunTable._fields
BLOCK_COLUMNS = BlockTable._fields
SOURCE = ROOT / "src" / "bodytext"
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
SANITISERS = [
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g1",
]
INPUT = "input"  # the file with what is read
PAGES = 150  # real pages in memory at a time
COMPARED = 20  # every 20th input is scanned by the twin too
WHOLE_PAGES = 4  # every fourth input is a whole page
NOTICE = 500  # inputs between two lines that say how many were read
LEAK_READS = 500
LEAK_BYTES = 1 << 20  # of growth over LEAK_READS, which is two kilobytes for each

_ATTRIBUTES = (
    " hidden", ' style="display : none"', " style='x'", " aria-hidden=TRUE", " href", ' href="a>b"', " class=a/b",
    " a=b/", ' x="', " y='", " =", " ==", ' a="b"c', " /", "/ ", "\t\n", " STYLE=visibility:hidden;",
    " aria-hidden = 'true'",
)  # fmt: skip
_PIECES = (
    "<", "</", "<!", "<?", "<!--", "-->", "--!>", "<!-->", "<!--->", "--", "<![CDATA[", "]]>", "]", "</>", "</ ",
    ">", "\0", "<!doctype html>", "<?xml ?>", "</br>", "</p>", "<script><!--", "<script>", "</script", "</script>",
    "-->", "</title ", "&", "&#", "&#x", "&#x80;", "&#0", "&#99999999999;", "&#xD800;", "&amp", "&amp;", "&notit;",
    "&NotEqualTilde;", "&zz;", "&CounterClockwiseContourIntegral;", "&CounterClockwiseContourIntegral", "&#x1F600",
    "&nbsp;", "&ngE;", "&nGt;", "a&b", "word", "two words ", " ", "\n", "\r\n", "\xa0", "\u200b", "ā", "港の灯台",
    "ไทย", "😀", "\U000e0041", "a" * 70, "\ufeff", "<x-a>", "</x-a>", "<X-A b>", "</x-b>", f"<{'n' * 64}>",
    f"</{'n' * 64}>", f"<{'n' * 65}>", f"</{'n' * 65}>", "<p\0>",
)  # fmt: skip


def grammar() -> list[bytes]:
    """Return the tokens that generated HTML is made of."""
    names = [name for name in TAGS if name]
    tags = [
        tag
        for name in names
        for tag in (f"<{name}>", f"<{name}>", f"</{name}>", f"<{name.upper()}/>")
    ]
    mostly = [
        f"<{name}{attribute}>" for name, attribute in zip(names * 2, _ATTRIBUTES * 16, strict=False)
    ]
    return [piece.encode() for piece in (*tags, *mostly, *_PIECES * 3, *_ATTRIBUTES)]


def read_pages(pick: random.Random) -> list[bytes]:
    """Read the labelled pages and a sample of the real ones, if there are any."""
    labelled = [path.read_bytes() for path in sorted((ROOT / "labelled" / "html").iterdir())]
    paths = sorted(DATA.rglob("*.html.gz"))
    chosen = pick.sample(paths, min(PAGES, len(paths)))
    return labelled + [gzip.decompress(path.read_bytes())[: 1 << 20] for path in chosen]


class Inputs:
    """An endless, repeatable stream of inputs."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.pages = read_pages(self.pick)
        self.words = grammar()

    def __iter__(self) -> Iterator[bytes]:
        makers = (
            self.mutated,
            self.mutated,
            self.mutated,
            self.made,
            self.made,
            self.made_around,
            self.noise,
        )
        number = 0
        while True:
            number += 1
            yield self.whole() if number % WHOLE_PAGES == 0 else self.pick.choice(makers)()

    def whole(self) -> bytes:
        """Change a page in a few places."""
        page = bytearray(self.pick.choice(self.pages))
        for _ in range(20):
            self.change(page)
        return bytes(page)

    def slice(self) -> bytes:
        """Cut a piece of a page, mostly short."""
        page, length = self.pick.choice(self.pages), int(50 * 60 ** self.pick.random())
        start = int(self.pick.random() * max(1, len(page) - length))
        return page[start : start + length]

    def mutated(self) -> bytes:
        """Change a piece of a page in a few places."""
        piece = bytearray(self.slice())
        for _ in range(self.pick.choice((0, 1, 2, 4, 8))):
            self.change(piece)
        return bytes(piece)

    def change(self, piece: bytearray) -> None:
        """Flip, drop, repeat, insert, splice or cut at a random place."""
        at = int(self.pick.random() * (len(piece) + 1))
        stop = at + int(40 * self.pick.random())
        act = self.pick.randrange(7)
        if act == 0 and at < len(piece):
            piece[at] ^= 1 << self.pick.randrange(8)
        elif act == 1:
            del piece[at:stop]
        elif act == 2:
            piece[at:at] = piece[at:stop] * 3
        elif act in {3, 4}:
            piece[at:at] = self.pick.choice(self.words)
        elif act == 5:
            piece[at:stop] = self.slice()[:200]
        elif self.pick.random() < 0.2:
            del piece[at:]

    def made(self) -> bytes:
        """Join tokens of the grammar in random order."""
        return b"".join(self.pick.choices(self.words, k=int(2 * 100 ** self.pick.random())))

    def made_around(self) -> bytes:
        """Put a piece of a page inside many open elements."""
        opening = self.pick.choices(self.words, k=self.pick.randrange(1, 12))
        return (
            b"".join(opening) * self.pick.choice((1, 1, 3, 40))
            + self.slice()
            + b"".join(reversed(opening))
        )

    def noise(self) -> bytes:
        """Put bytes that are not UTF-8 among tokens of the grammar."""
        noise = self.pick.randbytes(self.pick.randrange(0, 80))
        return noise + self.made()[:200] + noise[: self.pick.randrange(0, 5)]


def build(folder: Path, optimise: int) -> None:
    """Copy the package and compile its native modules with sanitisers."""
    # The child needs neither
    build_tools, setuptools = import_module("Cython.Build"), import_module("setuptools")
    kernel = folder / "bodytext" / "kernel"
    # What Cython has made of a module is taken over: it is made anew only where the module has changed.
    shutil.copytree(SOURCE, folder / "bodytext", ignore=shutil.ignore_patterns("*.so"))
    write_constants(kernel / "constants.h", constants.write_header())
    write_constants(kernel / "constants.pxi", constants.write_declarations())
    extensions = [
        setuptools.Extension(
            f"bodytext.kernel.{name}_native",
            [str(kernel / f"{name}_native.pyx")],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],  # as in setup.py
            extra_compile_args=[*SANITISERS, f"-O{optimise}"],
            extra_link_args=SANITISERS[:1],
        )
        for name in EXPORTS
    ]
    cythonised = build_tools.cythonize(extensions, quiet=True)
    command = setuptools.Distribution({"ext_modules": cythonised}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(folder), str(folder / "temporary")
    command.parallel = os.cpu_count()
    command.ensure_finalized()
    command.run()


def write_constants(path: Path, text: str) -> None:
    """Write a file of constants where it has changed: modules older than it are made anew."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def find_library(name: str) -> str | None:
    """Return the path of one of gcc's runtime libraries, or None."""
    if not shutil.which("gcc"):
        return None
    command = ["gcc", f"-print-file-name={name}"]
    path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return path if Path(path).is_absolute() else None


def count_sequences(data: bytes) -> int:
    """Return the correct result of the scanner's function of this name."""
    try:
        return sum(character > "\x7f" for character in data.decode())
    except UnicodeDecodeError:
        return -1


def read_tables(kernel: ModuleType, data: bytes) -> tuple[list[Table], int, bytes]:
    """Return all results of a scanner for a page: its tables, the number of tags, and its texts with all gaps."""
    nodes, runs, blocks, tags = kernel.scan(data)
    gaps = bytes(index % 4 for index in range(blocks.shape[1]))
    folded = bytes(index % 3 == 0 for index in range(blocks.shape[1]))
    chosen = (blocks[BLOCK_COLUMNS.index("first_run")], blocks[BLOCK_COLUMNS.index("stop_run")])
    texts = (
        runs[RUN_COLUMNS.index("start")],
        runs[RUN_COLUMNS.index("end")],
        runs[RUN_COLUMNS.index("flags")],
    )
    buffer, spans = kernel.write_texts(data, texts, chosen, gaps, folded)
    return [nodes, runs, blocks, spans], tags, buffer


def read_outputs(data: bytes) -> None:
    """Read all that is made of a page, and what a corpus asks about its text."""
    document = extract(data, url="https://news.example/a/b")
    for name in FORMATS:
        document.render(name)
    repr(
        (document.reason, document.structure, document.metadata, document.media, document.comments)
    )
    document.chunks(max_words=50)
    sign(document.text)
    repr(TextTokens(document.text).pieces)


def check_twins(data: bytes) -> None:
    """Fail if the scanner and its twin differ."""
    tables, *rest = read_tables(load_module("scanner"), data)
    expected, *expected_rest = read_tables(twin, data)
    same = [np.array_equal(table, other) for table, other in zip(tables, expected, strict=True)]
    if not all(same) or rest != expected_rest:
        raise AssertionError(
            f"the scanners disagree: tables {same}, tags and texts {rest == expected_rest}"
        )


def read_input(folder: Path, data: bytes) -> None:
    """Keep an input, then read all that is made of it."""
    (folder / INPUT).write_bytes(data)
    kernel = load_module("scanner")
    if kernel.count_sequences(data) != count_sequences(data):
        raise AssertionError("count_sequences is wrong")
    read_tables(kernel, data)
    read_outputs(data)


def read_inputs(folder: Path, arguments: argparse.Namespace) -> dict[str, int]:
    """Read until the number of inputs or the time is reached; return the counts."""
    start = time.monotonic()
    done = {"inputs": 0, "bytes": 0, "not UTF-8": 0, "compared": 0}
    for data in islice(Inputs(arguments.seed), arguments.inputs):
        if done["inputs"] % NOTICE == 0:
            seconds = time.monotonic() - start
            print(f"{done['inputs']:,} inputs in {seconds:.0f} s", file=sys.stderr, flush=True)
            if seconds > arguments.seconds:
                break
        read_input(folder, data)
        is_text = count_sequences(data) >= 0
        if is_text and done["inputs"] % COMPARED == 0:
            check_twins(data)
            done["compared"] += 1
        done["inputs"] += 1
        done["bytes"] += len(data)
        done["not UTF-8"] += not is_text
    return done


def measure_leak(folder: Path, seed: int) -> int:
    """Return by how many bytes memory grows over LEAK_READS readings of the same few inputs."""
    inputs = list(islice(Inputs(seed), LEAK_READS // 20))
    peak = 0
    for number in range(40):
        if number == 20:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for data in inputs:
            read_input(folder, data)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) * 1024


def run_child(arguments: argparse.Namespace) -> int:
    """Read in the sanitised process, then print the counts as JSON."""
    folder = Path(arguments.child)
    for name in EXPORTS:
        if not str(load_module(name).__file__).startswith(str(folder)):
            raise ImportError(f"{name} is not the sanitised module")
    if arguments.replay:
        data = Path(arguments.replay).read_bytes()
        read_input(folder, data)
        if count_sequences(data) >= 0:
            check_twins(data)
        print(f"{len(data):,} bytes: no report")
        return 0
    leaked = measure_leak(folder, arguments.seed)
    print(json.dumps({**read_inputs(folder, arguments), "leaked": leaked}))
    return 0


def start_child(arguments: argparse.Namespace, folder: str) -> subprocess.CompletedProcess[str]:
    """Read in a Python process that loads the libraries of the sanitisers first."""
    libraries = [find_library(name) for name in ("libasan.so", "libubsan.so")]
    environment = os.environ | {
        "PYTHONPATH": folder,
        "LD_PRELOAD": " ".join(path for path in libraries if path),
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=8:thread_local_quarantine_size_kb=64",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    command = [sys.executable, __file__, "--child", folder, "--seed", str(arguments.seed)]
    command += ["--inputs", str(arguments.inputs), "--seconds", str(arguments.seconds)]
    if arguments.replay:
        command += ["--replay", arguments.replay]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)


def write_report(
    arguments: argparse.Namespace, done: dict[str, int], minutes: float, outcome: str
) -> None:
    """Write results/fuzz.md."""
    compiler = subprocess.run(
        ["gcc", "--version"], capture_output=True, text=True, check=True
    ).stdout.split("\n")[0]
    lines = [
        "# Fuzzing the native modules",
        "",
        f"    python benchmarks/fuzz.py --inputs {arguments.inputs} --seed {arguments.seed}",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {compiler}, `{' '.join(SANITISERS)}`.",
        "",
        "| what | |",
        "|---|---:|",
        *(f"| {name} | {value:,} |" for name, value in done.items() if name != "leaked"),
        f"| growth of memory over {LEAK_READS:,} readings, bytes | {done.get('leaked', 0):,} |",
        f"| minutes | {minutes:.1f} |",
        f"| outcome | {outcome} |",
        "",
        f'All {len(EXPORTS)} native modules were built so, and every output of every input was read. "compared" inputs were also',
        "scanned by the scanner's Python twin, and all tables and texts were the same.",
        "",
    ]
    arguments.report.write_text("\n".join(lines))


def run_parent(arguments: argparse.Namespace) -> int:
    """Build, run and report; return 1 if the child died, disagreed or leaked."""
    with tempfile.TemporaryDirectory() as folder:
        print(f"{len(EXPORTS)} native modules are built, which takes minutes", flush=True)
        build(Path(folder), arguments.optimise)
        start = time.monotonic()
        child = start_child(arguments, folder)
        minutes = (time.monotonic() - start) / 60
        if arguments.replay:
            print(child.stdout)
            return child.returncode
        if child.returncode:
            kept = ROOT / ".scratch" / f"fuzz-{arguments.seed}.html"
            kept.parent.mkdir(exist_ok=True)
            shutil.copy(Path(folder, INPUT), kept)
            print(f"the input is kept; read it again: python benchmarks/fuzz.py --replay {kept}")
            write_report(arguments, {}, minutes, "a report: see the kept input")
            return 1
    done: dict[str, int] = json.loads(child.stdout.splitlines()[-1])
    flat = done["leaked"] <= LEAK_BYTES
    outcome = "no report" if flat else "memory grows"
    write_report(arguments, done, minutes, outcome)
    print(f"{done['inputs']:,} inputs in {minutes:.1f} minutes: {outcome}")
    return 0 if flat else 1


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=3600.0, help="stop after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--optimise", type=int, default=1, help="by the compiler; 0 is built in a third of the time"
    )
    parser.add_argument("--replay", help="read this file only")
    parser.add_argument("--report", type=Path, default=ROOT / "results" / "fuzz.md")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.child and not (find_library("libasan.so") and find_library("libubsan.so")):
        print("The compiler has no sanitisers. Install them: apt install gcc libasan8 libubsan1")
        return 2
    return run_child(arguments) if arguments.child else run_parent(arguments)


if __name__ == "__main__":
    sys.exit(main())
