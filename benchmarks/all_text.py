"""Measure parse, all_text and extract side by side: CPU time for a page, best of five.

python benchmarks/all_text.py [FOLDER]    of pages (.html, .html.gz); default: $BODYTEXT_DATA/wcxb-dev
"""

import gzip
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import bodytext

EVERY = 7  # of the pages, by name


def main() -> None:
    """Print a line for each function."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else f"{os.environ['BODYTEXT_DATA']}/wcxb-dev")
    files = sorted(path for path in folder.rglob("*") if ".html" in path.suffixes)[::EVERY]
    pages = [
        gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for file in files
    ]
    print(f"{len(pages)} pages, {sum(map(len, pages)) / 2**20:.0f} MiB")
    for function in (bodytext.parse, bodytext.all_text, bodytext.extract):
        print(
            f"{function.__name__:<9}{min(_measure(function, pages) for _ in range(5)):6.2f} ms a page"
        )


def _measure(function: Callable[[bytes], object], pages: list[bytes]) -> float:
    begin = time.process_time()
    for page in pages:
        function(page)
    return (time.process_time() - begin) / len(pages) * 1000


if __name__ == "__main__":
    main()
