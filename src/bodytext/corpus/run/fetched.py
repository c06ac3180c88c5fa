"""Fetch the sources on the web into a file of records, once for all, and read it back."""

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.corpus.atomic_files import write_atomically
from bodytext.corpus.progress import ProgressLine
from bodytext.sources.record import Record
from bodytext.sources.table_files import find_lines

if TYPE_CHECKING:
    from bodytext.sources.fetch_options import FetchOptions

FRESH_SECONDS = 7 * 24 * 3600  # pages of the cache are not fetched again


def fetch_records(
    sources: Sequence[str], path: Path, fetching: "FetchOptions", cache: Path
) -> None:
    """Fetch all records of sources, in order. The cache holds the pages until all are there."""
    from bodytext.sources.fetch import Cache
    from bodytext.sources.reading import read_sources

    fetching = replace(fetching, cache=Cache(cache, FRESH_SECONDS), ordered=True)
    line = ProgressLine("fetch", 0, "pages")
    count = 0
    with write_atomically(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        records = read_sources(
            sources, fetching, lambda progress: line.show(0, progress.fetched + progress.failed)
        )
        for record in records:
            count += 1
            values = asdict(record) | {"html": base64.b64encode(record.html).decode("ascii")}
            file.write(json.dumps(values) + "\n")
    line.finish(count)


def read_fetched(source: str, start: int, stop: int | None) -> Iterator[Record]:
    """The records that start in a range of bytes of such a file."""
    for _, line in find_lines(source, start, stop):
        values = json.loads(line)
        yield Record(**values | {"html": base64.b64decode(values["html"])})
