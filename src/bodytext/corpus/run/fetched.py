"""Sources in the web -> a file of the records that were fetched from them, a line of JSON each; and back.

A corpus is made from that file: what was fetched is fetched once, whatever happens afterwards.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.corpus.run.durable import write_whole
from bodytext.corpus.run.progress import Progress
from bodytext.sources.record import Record
from bodytext.sources.tables import find_lines

if TYPE_CHECKING:
    from bodytext.sources.intake import Fetching

FRESH_SECONDS = 7 * 24 * 3600  # a run that was stopped while it fetched does not ask again for what it has


def fetch_records(sources: Sequence[str], path: Path, fetching: "Fetching", cache: Path) -> None:
    """Fetch all records of sources, in their order. What came lies in the cache until all has."""
    from bodytext.sources.fetch import Cache
    from bodytext.sources.intake import read_sources

    fetching = replace(fetching, cache=Cache(cache, FRESH_SECONDS), ordered=True)
    progress = Progress("fetch", 0, "pages")
    count = 0
    with write_whole(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        records = read_sources(sources, fetching, lambda told: progress.show(0, told.fetched + told.failed))
        for record in records:
            count += 1
            values = asdict(record) | {"html": base64.b64encode(record.html).decode("ascii")}
            file.write(json.dumps(values) + "\n")
    progress.finish(count)


def read_fetched(source: str, start: int, stop: int | None) -> Iterator[Record]:
    """The records that start in a range of bytes of such a file."""
    for _, line in find_lines(source, start, stop):
        values = json.loads(line)
        yield Record(**values | {"html": base64.b64decode(values["html"])})
