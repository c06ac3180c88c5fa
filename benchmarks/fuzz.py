"""Fuzz the native scanner under address and undefined-behaviour sanitisers, and write results/fuzz.md.

    python benchmarks/fuzz.py                      a million inputs
    python benchmarks/fuzz.py --replay FILE        scan one saved input again

The kernel is built with gcc's sanitisers in a temporary folder; the installed one is not changed. A child process scans
mutations of real pages (of generated ones if BODYTEXT_DATA has none), HTML made from a grammar, and bytes that are not
UTF-8. Each input is written to a shared file before it is scanned, so that an input that kills the child is kept. Now
and then the Python twin scans the same input and must agree. At the end, memory must not have grown.
"""

import argparse
import gzip
import importlib.util
import json
import mmap
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext.kernel import constants  # noqa: E402
from bodytext.kernel import scanner as twin  # noqa: E402
from bodytext.kernel.html import TAGS  # noqa: E402
from bodytext.page.tables import BlockTable, RunTable  # noqa: E402
from hostile_pages import KINDS  # noqa: E402

Table = npt.NDArray[np.int32]

RUN_COLUMNS = RunTable._fields
BLOCK_COLUMNS = BlockTable._fields
KERNEL = ROOT / "src" / "bodytext" / "kernel" / "scanner_native.pyx"
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
SANITISERS = [
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g1",
]
LARGEST_INPUT = 1 << 22
PAGES = 150  # real pages in memory at a time
COMPARED = 20  # every 20th input is scanned by the twin too
WHOLE_PAGES = 4000  # every 4,000th input is a whole page
LEAK_SCANS = 20_000
LEAK_BYTES = 1 << 20  # of growth over LEAK_SCANS, which is less than 53 bytes a scan

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
    """Read a sample of real pages, or make pages if there are none."""
    paths = sorted(DATA.rglob("*.html.gz"))
    if not paths:
        return [kind.make(20_000) for kind in KINDS.values()]
    return [
        gzip.decompress(path.read_bytes())[: 1 << 20]
        for path in pick.sample(paths, min(PAGES, len(paths)))
    ]


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


def build(folder: Path, optimise: int) -> Path:
    """Compile the kernel with sanitisers; return the module's file."""
    switches = [*SANITISERS, f"-O{optimise}"]
    # The child needs neither
    build_tools, setuptools = (
        import_module("Cython.Build"),
        import_module("setuptools"),
    )
    source = shutil.copy(KERNEL, folder)
    for name in ("characters.pxi", "columns.pxi", "page_tables.pxi", "tables.h", "bytes.h"):
        shutil.copy(KERNEL.with_name(name), folder)
    (folder / "constants.h").write_text(constants.write_header(), "utf-8")
    (folder / "constants.pxi").write_text(constants.write_declarations(), "utf-8")
    extension = setuptools.Extension(
        "scan", [source], extra_compile_args=switches, extra_link_args=SANITISERS[:1]
    )
    distribution = setuptools.Distribution(
        {"ext_modules": build_tools.cythonize([extension], quiet=True)}
    )
    command = distribution.get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(folder / "built"), str(folder / "temporary")
    command.ensure_finalized()
    command.run()
    return next((folder / "built").glob("scan*.so"))


def find_library(name: str) -> str | None:
    """Return the path of one of gcc's runtime libraries, or None."""
    if not shutil.which("gcc"):
        return None
    command = ["gcc", f"-print-file-name={name}"]
    path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return path if Path(path).is_absolute() else None


def load(module: Path) -> ModuleType:
    """Import a kernel from its file."""
    spec = importlib.util.spec_from_file_location("scan", module)
    if spec is None or spec.loader is None:
        raise ImportError(str(module))
    kernel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernel)
    return kernel


def count_sequences(data: bytes) -> int:
    """Return the correct result of the kernel's function of this name."""
    try:
        return sum(character > "\x7f" for character in data.decode())
    except UnicodeDecodeError:
        return -1


def read_all(kernel: ModuleType, data: bytes) -> tuple[list[Table], int, bytes]:
    """Return all results of a kernel for a page: its tables, the number of tags, and its texts with all gaps."""
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


def check_twins(kernel: ModuleType, data: bytes) -> None:
    """Fail if the kernels differ."""
    tables, *rest = read_all(kernel, data)
    expected, *expected_rest = read_all(twin, data)
    same = [np.array_equal(table, other) for table, other in zip(tables, expected, strict=True)]
    if not all(same) or rest != expected_rest:
        raise AssertionError(
            f"the kernels disagree: tables {same}, tags and texts {rest == expected_rest}"
        )


def scan_inputs(
    kernel: ModuleType, arguments: argparse.Namespace, note: Callable[[bytes], None]
) -> dict[str, int]:
    """Scan until the number of inputs or the time is reached; return the counts."""
    stop = time.monotonic() + arguments.seconds
    done = {"inputs": 0, "bytes": 0, "not UTF-8": 0, "compared": 0}
    for data in Inputs(arguments.seed):
        note(data)
        read_all(kernel, data)
        sequences = kernel.count_sequences(data)
        if sequences != count_sequences(data):
            raise AssertionError("count_sequences is wrong")
        if sequences >= 0 and done["inputs"] % COMPARED == 0:
            check_twins(kernel, data)
            done["compared"] += 1
        done["inputs"] += 1
        done["bytes"] += len(data)
        done["not UTF-8"] += sequences < 0
        if done["inputs"] >= arguments.inputs or (
            done["inputs"] % 64 == 0 and time.monotonic() > stop
        ):
            return done
    raise AssertionError("the stream of inputs ended")


def measure_leak(kernel: ModuleType, seed: int) -> int:
    """Return by how many bytes memory grows over LEAK_SCANS scans of the same few inputs."""
    inputs = [data for data, _ in zip(Inputs(seed), range(200), strict=False)]
    peak = 0
    for number in range(2 * LEAK_SCANS // len(inputs)):
        if number == LEAK_SCANS // len(inputs):
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for data in inputs:
            read_all(kernel, data)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) * 1024


def run_child(arguments: argparse.Namespace) -> int:
    """Scan in the sanitised process, then print the counts as JSON."""
    kernel = load(Path(arguments.child))
    if arguments.replay:
        data = Path(arguments.replay).read_bytes()
        read_all(kernel, data)
        if kernel.count_sequences(data) >= 0:
            check_twins(kernel, data)
        print(f"{len(data):,} bytes: no report")
        return 0
    path = Path(arguments.child).with_name("input")
    with path.open("r+b") as file, mmap.mmap(file.fileno(), LARGEST_INPUT) as shared:

        def note(data: bytes) -> None:
            shared[:8] = len(data).to_bytes(8, "little")
            shared[8 : 8 + len(data)] = data

        leaked = measure_leak(kernel, arguments.seed)
        done = scan_inputs(kernel, arguments, note)
    print(json.dumps({**done, "leaked": leaked}))
    return 0


def start_child(arguments: argparse.Namespace, module: Path) -> subprocess.CompletedProcess[str]:
    """Run the scans in a Python process that loads the libraries of the sanitisers first."""
    libraries = [find_library(name) for name in ("libasan.so", "libubsan.so")]
    environment = os.environ | {
        "LD_PRELOAD": " ".join(path for path in libraries if path),
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=8:thread_local_quarantine_size_kb=64",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    command = [sys.executable, __file__, "--child", str(module), "--seed", str(arguments.seed)]
    command += ["--inputs", str(arguments.inputs), "--seconds", str(arguments.seconds)]
    if arguments.replay:
        command += ["--replay", arguments.replay]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def keep_input(module: Path, seed: int) -> Path:
    """Save the input that killed the child."""
    shared = module.with_name("input").read_bytes()
    kept = ROOT / ".scratch" / f"fuzz-{seed}.html"
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(shared[8 : 8 + int.from_bytes(shared[:8], "little")])
    return kept


def write_report(
    arguments: argparse.Namespace, done: dict[str, int], minutes: float, outcome: str
) -> None:
    """Write results/fuzz.md."""
    compiler = subprocess.run(
        ["gcc", "--version"], capture_output=True, text=True, check=True
    ).stdout.split("\n")[0]
    lines = [
        "# Fuzzing the native scanner",
        "",
        f"    python benchmarks/fuzz.py --inputs {arguments.inputs} --seed {arguments.seed}",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {compiler}, `{' '.join(SANITISERS)}`.",
        "",
        "| what | |",
        "|---|---:|",
        *(f"| {name} | {value:,} |" for name, value in done.items() if name != "leaked"),
        f"| growth of memory over {LEAK_SCANS:,} scans, bytes | {done.get('leaked', 0):,} |",
        f"| minutes | {minutes:.1f} |",
        f"| outcome | {outcome} |",
        "",
        '"compared" inputs were also scanned by the Python twin, and all tables and texts were the same.',
        "",
    ]
    arguments.report.write_text("\n".join(lines))


def run_parent(arguments: argparse.Namespace) -> int:
    """Build, run and report; return 1 if the child died, disagreed or leaked."""
    with tempfile.TemporaryDirectory() as folder:
        module = build(Path(folder), arguments.optimise)
        module.with_name("input").write_bytes(bytes(LARGEST_INPUT))
        start = time.monotonic()
        child = start_child(arguments, module)
        minutes = (time.monotonic() - start) / 60
        if arguments.replay:
            print(child.stdout + child.stderr)
            return child.returncode
        if child.returncode:
            kept = keep_input(module, arguments.seed)
            print(child.stderr[-6000:])
            print(
                f"the input is saved; scan it again with: python benchmarks/fuzz.py --replay {kept}"
            )
            write_report(arguments, {}, minutes, "a report: see the saved input")
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
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=3600.0, help="stop after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--optimise", type=int, default=1, help="by the compiler; 0 is built in a third of the time"
    )
    parser.add_argument("--replay", help="scan this file only")
    parser.add_argument("--report", type=Path, default=ROOT / "results" / "fuzz.md")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.child and not (find_library("libasan.so") and find_library("libubsan.so")):
        print("gcc with libasan and libubsan is needed: apt install gcc libasan8 libubsan1")
        return 2
    return run_child(arguments) if arguments.child else run_parent(arguments)


if __name__ == "__main__":
    sys.exit(main())
