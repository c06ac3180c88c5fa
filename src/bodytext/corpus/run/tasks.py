"""Do the tasks of a shard in a child process: extract its rows, or observe its pages.

A task always gives the same files. They are complete or absent, and the last one, the JSON file,
says that the task is done.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from bodytext.corpus.atomic_files import write_atomically, write_json
from bodytext.corpus.duplicates.signatures import sign_all
from bodytext.corpus.record_counts import RecordCounts
from bodytext.corpus.row import Row
from bodytext.corpus.run.columns import in_batches, to_batch, write_batches
from bodytext.corpus.run.row_extraction import RowExtractor
from bodytext.corpus.run.shard import Shard, ShardRecords, read_shard
from bodytext.corpus.run.spec import KEEP, CorpusSpec
from bodytext.corpus.templates.observations import observe, sample_all
from bodytext.page.parser import parse
from bodytext.sources.record import Record

Job = Mapping[str, Any]
Tick = Callable[[int], None]

ROWS, SIGNATURES, FACTS = ".arrow", ".signatures", ".json"  # suffixes of a shard's files
OBSERVATIONS = ".sightings"  # older versions call them so, and their work can be continued


def extract_shard(job: Job, tick: Tick) -> None:
    """Write a shard's rows, the signatures of kept rows, and counts.

    `tick` gets the number of records done. A job may name records that are known to do harm, with
    the reason for each, and one from which on nothing can be read.
    """
    spec = CorpusSpec.from_json(job["spec"])
    records = read_shard(Shard(**job["shard"]), spec.column, job.get("harmful"))
    rows = _make_rows(records, job, RowExtractor(spec, job.get("templates", "")))
    for stage in spec.build_stages():
        rows = stage(rows)
    stem, counts = Path(job["output"]), RecordCounts()
    with (
        write_atomically(stem.with_suffix(SIGNATURES)) as signatures,
        write_atomically(stem.with_suffix(ROWS)) as target,
        signatures.open("wb") as signed,
        write_batches(target) as add,
    ):
        for batch in in_batches(_count(rows, tick, counts)):
            add(to_batch(batch))
            if spec.duplicates != KEEP:
                signed.write(sign_all([row.text for row in batch if row.kept]).tobytes())
    following = None if "unreadable_from" in job else records.next
    write_json(
        stem.with_suffix(FACTS), counts.to_json() | {"first": records.first, "next": following}
    )


def survey_shard(job: Job, tick: Tick) -> None:
    """Write what the pages of a shard have that may repeat on their sites."""
    spec = CorpusSpec.from_json(job["spec"])
    records = read_shard(Shard(**job["shard"]), spec.column, job.get("harmful"))
    with write_atomically(Path(job["output"])) as target, target.open("wb") as file:
        for rows in sample_all(_observe_pages(records, job, tick)):
            file.write(rows.tobytes())


def _observe_pages(records: ShardRecords, job: Job, tick: Tick) -> Iterator[Any]:
    for number, record in _number_records(records, job):
        if record.html and str(number) not in job.get("harmful", {}):
            with suppress(ValueError):  # a page too large to be parsed
                yield observe(parse(record.html, url=record.url, charset=record.charset or None))
        tick(number + 1)


def _count(rows: Iterator[Row], tick: Tick, counts: RecordCounts) -> Iterator[Row]:
    """The same rows, counted."""
    for number, row in enumerate(rows, 1):
        counts.add(row.dropped, row.error, len(row.text))
        tick(number)
        yield row


def _make_rows(records: ShardRecords, job: Job, extractor: RowExtractor) -> Iterator[Row]:
    """A row for each record, whatever happens to it."""
    harmful: Mapping[str, str] = job.get("harmful", {})
    shard = Shard(**job["shard"])
    following = shard.start
    for number, record in _number_records(records, job):
        following = record.offset + 1
        yield extractor.make_row(record, harmful.get(str(number), ""))
    if "unreadable_from" in job:
        problem = f"cannot be read: {job['unreadable']}; what follows in this shard is lost"
        yield Row(source=shard.source, offset=following, error=problem)


def _number_records(records: ShardRecords, job: Job) -> Iterator[tuple[int, Record]]:
    """The records of a shard with their numbers, as far as they can be read."""
    iterator = iter(records)
    number = 0
    while number != job.get("unreadable_from") and (record := next(iterator, None)) is not None:
        yield number, record
        number += 1
