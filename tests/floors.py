"""Check the mean word F1 of each method on labelled sets against floors in a file.

    python tests/floors.py tests/floors.json SET...           raise the floors to what is measured
    python tests/floors.py tests/floors.json SET... --lower   lower them too, an explicit act

The floors are stored with a digest of the pages that they were measured on. Of a large set every
fifth page is used, which is quick and enough to see a change.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bodytext import METHODS, parse, select
from bodytext.methods import as_method
from bodytext.studio.evaluation.metrics import compare_words
from bodytext.studio.labels.labelled_set import LabelledPage, digest_of, read_labelled

LARGE_SET, STEP = 200, 5
SLACK = 0.0005  # for rounding


def read_sample(folder: Path) -> list[LabelledPage]:
    """The pages of a set that are measured."""
    pages = read_labelled(folder)
    return pages[::STEP] if len(pages) > LARGE_SET else pages


def measure(pages: Sequence[LabelledPage]) -> dict[str, float]:
    """The mean word F1 of each method."""
    totals = dict.fromkeys(METHODS, 0.0)
    for labelled in pages:
        page = parse(labelled.read(), url=labelled.url)
        for name in METHODS:
            text = str(select(page, as_method(name).score(page)))
            reference = labelled.reference or ""  # sets of snippets have no floors
            totals[name] += compare_words(text, reference).f1
    return {name: round(total / len(pages), 4) for name, total in totals.items()}


def find_falls(floors: Mapping[str, float], measured: Mapping[str, float]) -> list[str]:
    """A sentence for each method that is below its floor."""
    return [
        f"{name} has fallen to {measured.get(name, 0):.4f} from {floor:.4f}"
        for name, floor in floors.items()
        if measured.get(name, 0) < floor - SLACK
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the sets and write the floors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("sets", type=Path, nargs="+", metavar="SET")
    parser.add_argument(
        "--lower", action="store_true", help="also lower a floor that is no longer reached"
    )
    options = parser.parse_args(arguments)
    stored: dict[str, Any] = (
        json.loads(options.file.read_text("utf-8")) if options.file.is_file() else {}
    )
    status = 0
    for folder in options.sets:
        pages = read_sample(folder)
        measured, before = measure(pages), stored.get(folder.name, {}).get("floors", {})
        if falls := find_falls(before, measured):
            sys.stderr.write("\n".join([f"{folder.name}: {fall}" for fall in falls]) + "\n")
            if not options.lower:
                sys.stderr.write("to lower the floors, add --lower\n")
                status = 1
                continue
        if not options.lower:
            measured = {name: max(value, before.get(name, 0)) for name, value in measured.items()}
        stored[folder.name] = {"pages": len(pages), "digest": digest_of(pages), "floors": measured}
    options.file.write_text(json.dumps(stored, indent=2) + "\n", "utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
