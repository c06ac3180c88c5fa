"""Define a shard, the part of the input that is worked on at once, and read its records."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bodytext.corpus.run.fetched import read_fetched
from bodytext.sources.files import read_record
from bodytext.sources.record import Record
from bodytext.sources.source_kinds import ARCHIVE, GROUPS, LINES, MEMBERS
from bodytext.sources.table_files import read_groups, read_lines
from bodytext.sources.warc import WarcRange
from bodytext.sources.zip_and_tar import read_members

FETCHED = "fetched"  # the kind of records that were fetched from the web


@dataclass(frozen=True, slots=True)
class Shard:
    """A range of a source or of a list of pages: row groups of Parquet, else bytes."""

    kind: str
    source: str
    start: int = 0
    stop: int | None = None
    exact: bool = True  # for an archive: a record is known to begin at the start


ShardRecords = WarcRange | Iterator[Record]  # only the borders of archives are uncertain


def read_shard(shard: Shard, column: str, harmful: Mapping[str, str] | None = None) -> ShardRecords:
    """Read the records of a shard, except for page files that are known to do harm."""
    if shard.kind == ARCHIVE:
        return WarcRange(shard.source, shard.start, shard.stop, exact=shard.exact)
    if shard.kind == GROUPS:
        return read_groups(shard.source, shard.start, shard.stop, column)
    if shard.kind == LINES:
        return read_lines(shard.source, shard.start, shard.stop, column)
    if shard.kind == FETCHED:
        return read_fetched(shard.source, shard.start, shard.stop)
    if shard.kind == MEMBERS:
        return read_members(Path(shard.source))
    return _read_pages(shard, harmful or {})


def _read_pages(shard: Shard, harmful: Mapping[str, str]) -> Iterator[Record]:
    """The pages that a list names, a line of JSON for each."""
    with Path(shard.source).open("rb") as file:
        file.seek(shard.start)
        lines = file.read(-1 if shard.stop is None else shard.stop - shard.start).splitlines()
    for number, line in enumerate(lines):
        path = json.loads(line)
        harm = harmful.get(str(number), "")
        yield Record(b"", source=path, problem=harm) if harm else read_record(Path(path))
