"""Compare the outputs of two checkouts: every format, every method and the explanation, page by page.

    python benchmarks/outputs.py OLD NEW PAGES... [--most 500]

OLD and NEW are checkouts whose kernel is built. Each writes every page in every way through its own
command line, so that nothing is assumed about their code. PAGES are folders or files. The exit status
is 1 if anything differs.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Both checkouts must have these, so they are written here: a table of one checkout may have names
# that the other lacks. The learned method is the default, and every format is written with it.
FORMATS = ("text", "markdown", "html", "json", "xml", "tei", "csv")
METHODS = ("finn", "runs", "cuter", "spread", "density")
ENDINGS = (".html", ".htm", ".html.gz")


def list_pages(places: list[Path], most: int) -> list[Path]:
    """List the pages in folders, taken evenly if there are more than `most`."""
    pages = [
        page
        for place in places
        for page in ([place] if place.is_file() else sorted(place.rglob("*")))
        if page.is_file() and page.name.endswith(ENDINGS)
    ]
    step = max(1, -(-len(pages) // most))
    return pages[::step]


def write_outputs(checkout: Path, pages: Path, folder: Path) -> None:
    """Run the command line of a checkout over a folder of pages, once for each way to write them."""
    ways = [
        *(("--format", name) for name in FORMATS),
        *(("--method", name) for name in METHODS),
        *(("--threshold", name) for name in ("precision", "recall")),
        ("--links", "references", "--images", "drop", "--format", "markdown"),
    ]
    for way in ways:
        out = folder / "-".join(way).replace("--", "")
        run(checkout, [str(pages), "-o", str(out), *way], folder / f"{out.name}.log")
    run(checkout, ["explain", str(min(pages.iterdir()))], folder / "explain.log")


def run(checkout: Path, words: list[str], log: Path) -> None:
    """Run `bodytext` from a checkout, and write what it prints to a file."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "OPENBLAS_NUM_THREADS": "1"}
    with log.open("wb") as output:
        command = [sys.executable, "-m", "bodytext", *words]
        done = subprocess.run(
            command, stdout=output, stderr=subprocess.STDOUT, env=environment, check=False
        )
        output.write(f"\nexit status {done.returncode}\n".encode())


def compare(old: Path, new: Path) -> tuple[int, list[str]]:
    """Return how many files there are, and the names of those that differ or are in only one folder."""
    names = {
        path.relative_to(folder)
        for folder in (old, new)
        for path in folder.rglob("*")
        if path.is_file()
    }
    differ = [str(name) for name in sorted(names) if read(old / name, old) != read(new / name, new)]
    return len(names), differ


def read(path: Path, folder: Path) -> bytes | None:
    """Return the bytes of a file, without the name of the folder that it was written to."""
    return path.read_bytes().replace(str(folder).encode(), b"") if path.is_file() else None


def main() -> int:
    """Compare two checkouts and print what differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument(
        "--most",
        type=int,
        default=500,
        help="at most this many pages, taken evenly from all (default 500)",
    )
    options = parser.parse_args()
    pages = list_pages(options.pages, options.most)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "pages").mkdir()
        for number, page in enumerate(pages):
            shutil.copy(page, root / "pages" / f"{number:04}-{page.name}")
        for side in ("old", "new"):
            (root / side).mkdir()
            write_outputs(getattr(options, side).resolve(), root / "pages", root / side)
        count, differ = compare(root / "old", root / "new")
    print(f"{len(pages)} pages, {count} files of output, {len(differ)} differ")
    print("\n".join(differ[:50]))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
