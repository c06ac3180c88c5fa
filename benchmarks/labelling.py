"""Count the changes that turn the model's answer into the labels, on a labelled set.

    python benchmarks/labelling.py [SET]

The default set is labelled, on which the package's weights were not trained.

A change is a drag or a click: visible blocks in a row that get the same label. Comments are left out: labelled sets do
not have them.
"""

import sys
from itertools import groupby
from pathlib import Path

import numpy as np

from bodytext.page.parser import parse
from bodytext.studio.labelling.labelling_page import suggest
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.studio.labels.labelling import COMMENT, CONTENT
from bodytext.studio.labels.spans import LABELS
from bodytext.studio.training.alignment import find_content


def count_changes(html: bytes, wanted: np.ndarray, url: str) -> int:
    """Count the runs of visible blocks whose label has to be changed."""
    page = parse(html, url=url)
    suggested = suggest(page, "").labels
    seen = page.seen & (suggested != LABELS.index(COMMENT))
    pairs = zip(
        (suggested == LABELS.index(CONTENT))[seen].tolist(), wanted[seen].tolist(), strict=True
    )
    return sum(before != after for (before, after), _ in groupby(pairs))


def main() -> None:
    """Print how many changes the pages of a set need."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("labelled")
    counts = []
    for source in read_labelled(folder):
        page = parse(source.read(), url=source.url)
        if len(page):
            counts.append(count_changes(source.read(), find_content(page, source), source.url))
    changes = np.array(counts)
    print(f"{folder.resolve().name}: {len(changes)} pages")
    print(f"changes a page: median {np.median(changes):.0f}, mean {changes.mean():.1f}, nine in ten at most "
          f"{np.quantile(changes, 0.9):.0f}")  # fmt: skip
    for most in (0, 3, 10, 30):
        print(f"at most {most:>2}: {(changes <= most).mean():.0%} of pages")


if __name__ == "__main__":
    main()
