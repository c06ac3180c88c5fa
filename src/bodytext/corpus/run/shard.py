"""Shard: a part of the input that is worked on at once (type), and its records."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from bodytext.corpus.run.fetched import read_fetched
from bodytext.sources.archives import ArchiveReading
from bodytext.sources.files import read_record
from bodytext.sources.kinds import ARCHIVE, GROUPS, LINES, MEMBERS
from bodytext.sources.members import read_members
from bodytext.sources.record import Record
from bodytext.sources.tables import read_groups, read_lines

FETCHED = "fetched"  # beside the kinds of sources: what was fetched from the web; of pages, a shard is a list of them


@dataclass(frozen=True, slots=True)
class Shard:
    """What of a source, from where to where: row groups of Parquet, else bytes."""

    kind: str
    source: str
    start: int = 0
    stop: int | None = None
    exact: bool = True  # of an archive: a record is known to start at the start

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)


class Reading(Protocol):
    """The records of a shard; once they are read, where the first started and where the next shard's first starts."""

    first: int | None
    next: int | None

    def __iter__(self) -> Iterator[Record]: ...


class _PlainReading:
    """The records of a shard whose borders are where they were drawn."""

    def __init__(self, records: Iterator[Record]) -> None:
        self.first: int | None = 0
        self.next: int | None = 0
        self._records = records

    def __iter__(self) -> Iterator[Record]:
        return self._records


def read_shard(shard: Shard, column: str, harmful: Mapping[str, str] | None = None) -> Reading:
    """The records of a shard; page files that are known to do harm, by their numbers, are not touched again."""
    if shard.kind == ARCHIVE:
        return ArchiveReading(shard.source, shard.start, shard.stop, exact=shard.exact)
    if shard.kind in {LINES, GROUPS}:
        read = read_groups if shard.kind == GROUPS else read_lines
        return _PlainReading(read(shard.source, shard.start, shard.stop, column))
    if shard.kind == FETCHED:
        return _PlainReading(read_fetched(shard.source, shard.start, shard.stop))
    return _PlainReading(
        read_members(Path(shard.source)) if shard.kind == MEMBERS else _read_pages(shard, harmful or {})
    )


def _read_pages(shard: Shard, harmful: Mapping[str, str]) -> Iterator[Record]:
    """The pages that a list names, a line of JSON each."""
    with Path(shard.source).open("rb") as file:
        file.seek(shard.start)
        lines = file.read(-1 if shard.stop is None else shard.stop - shard.start).splitlines()
    for number, line in enumerate(lines):
        path = json.loads(line)
        harm = harmful.get(str(number), "")
        yield Record(b"", source=path, problem=harm) if harm else read_record(Path(path))
