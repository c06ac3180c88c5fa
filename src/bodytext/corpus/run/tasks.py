"""A shard and an order -> a file of the shard's rows; done in a child process, any number of times with one result.

The files are there whole or not at all, and the last of them, the JSON file, says that the task is done. Where site
templates are wanted, an earlier task notes what the shard's pages have.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from bodytext.corpus.duplicates.signatures import sign_all
from bodytext.corpus.run.columns import in_batches, to_batch, write_batches
from bodytext.corpus.run.durable import write_json, write_whole
from bodytext.corpus.run.row import Row
from bodytext.corpus.run.row_extraction import Extraction
from bodytext.corpus.run.shard import Reading, Shard, read_shard
from bodytext.corpus.run.spec import KEEP, Order
from bodytext.corpus.run.stage_list import build_stages
from bodytext.corpus.run.tally import Tally
from bodytext.corpus.templates.observations import sample_all, survey
from bodytext.page.parser import parse
from bodytext.sources.record import Record

Job = Mapping[str, Any]
Tick = Callable[[int], None]

ROWS, SIGNATURES, FACTS = ".arrow", ".signatures", ".json"  # of a shard's files
SIGHTINGS = ".sightings"


def extract_shard(job: Job, tick: Tick) -> None:
    """A shard's rows, the signatures of those that are kept, and counts; `tick` is told how many records are done.

    A job may name records that are known to do harm, with the reason for each, and one from which on nothing can be
    read.
    """
    order = Order(**job["order"])
    reading = read_shard(Shard(**job["shard"]), order.column, job.get("harmful"))
    extraction = Extraction(order, job.get("templates", ""))
    rows = _make_rows(reading, job, extraction)
    for stage in build_stages(order):
        rows = stage(rows)
    stem, tally = Path(job["output"]), Tally()
    with (
        write_whole(stem.with_suffix(SIGNATURES)) as signatures,
        write_whole(stem.with_suffix(ROWS)) as target,
        signatures.open("wb") as signed,
        write_batches(target) as add,
    ):
        for batch in in_batches(_watch(rows, tick, tally)):
            add(to_batch(batch))
            if order.duplicates != KEEP:
                signed.write(sign_all([row.text for row in batch if row.kept]).tobytes())
    following = None if "unreadable_from" in job else reading.next
    write_json(stem.with_suffix(FACTS), tally.to_json() | {"first": reading.first, "next": following})


def survey_shard(job: Job, tick: Tick) -> None:
    """What the pages of a shard have that may repeat on their sites. What cannot be read has nothing."""
    reading = read_shard(Shard(**job["shard"]), Order(**job["order"]).column, job.get("harmful"))
    with write_whole(Path(job["output"])) as target, target.open("wb") as file:
        for rows in sample_all(_survey(reading, job, tick)):
            file.write(rows.tobytes())


def _survey(reading: Reading, job: Job, tick: Tick) -> Iterator[Any]:
    for number, record in _read_records(reading, job):
        if record.html and str(number) not in job.get("harmful", {}):
            with suppress(ValueError):  # a page too large to be parsed
                yield survey(parse(record.html, url=record.url, charset=record.charset or None))
        tick(number + 1)


def _watch(rows: Iterator[Row], tick: Tick, tally: Tally) -> Iterator[Row]:
    """The rows as they come, counted and told."""
    for number, row in enumerate(rows, 1):
        tally.add(row.dropped, row.error, len(row.text))
        tick(number)
        yield row


def _make_rows(reading: Reading, job: Job, extraction: Extraction) -> Iterator[Row]:
    """A row for each record, whatever happens to it."""
    harmful: Mapping[str, str] = job.get("harmful", {})
    shard = Shard(**job["shard"])
    behind = shard.start
    for number, record in _read_records(reading, job):
        behind = record.offset + 1
        yield extraction.make_row(record, harmful.get(str(number), ""))
    if "unreadable_from" in job:
        problem = f"cannot be read: {job['unreadable']}; what follows in this shard is lost"
        yield Row(source=shard.source, offset=behind, error=problem)


def _read_records(reading: Reading, job: Job) -> Iterator[tuple[int, Record]]:
    """The records of a shard with their numbers, up to the one from which on it cannot be read."""
    records = iter(reading)
    number = 0
    while number != job.get("unreadable_from") and (record := next(records, None)) is not None:
        yield number, record
        number += 1
