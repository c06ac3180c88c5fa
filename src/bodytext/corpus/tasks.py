"""A shard and an order -> a file of the shard's rows; done in a child process, any number of times with one result.

The files are there whole or not at all, and the last of them, the JSON file, says that the task is done.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bodytext.corpus.chain import build_stages
from bodytext.corpus.columns import in_batches, to_batch, write_batches
from bodytext.corpus.durable import write_json, write_whole
from bodytext.corpus.extraction import Extraction
from bodytext.corpus.order import KEEP, Order
from bodytext.corpus.row import Row
from bodytext.corpus.shard import Reading, Shard, read_shard
from bodytext.corpus.signatures import sign_all
from bodytext.corpus.tally import Tally

Job = Mapping[str, Any]
Tick = Callable[[int], None]

ROWS, SIGNATURES, FACTS = ".arrow", ".signatures", ".json"  # of a shard's files


def extract_shard(job: Job, tick: Tick) -> None:
    """The rows of a shard's records, their signatures, and the counts; `tick` is told how many records are done.

    A job may name records that are known to do harm, with the reason for each, and one from which on nothing can be
    read.
    """
    order = Order(**job["order"])
    reading = read_shard(Shard(**job["shard"]), order.column)
    rows = _make_rows(reading, job, Extraction(order))
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
                signed.write(sign_all([row.text if row.kept else None for row in batch]).tobytes())
    following = None if "unreadable_from" in job else reading.next
    write_json(stem.with_suffix(FACTS), tally.to_json() | {"first": reading.first, "next": following})


def _watch(rows: Iterator[Row], tick: Tick, tally: Tally) -> Iterator[Row]:
    """The rows as they come, counted and told."""
    for number, row in enumerate(rows, 1):
        tally.add(row.dropped, row.error, len(row.text))
        tick(number)
        yield row


def _make_rows(reading: Reading, job: Job, extraction: Extraction) -> Iterator[Row]:
    """A row for each record, whatever happens to it."""
    harmful: Mapping[str, str] = job.get("harmful", {})
    records = iter(reading)
    number = 0
    while number != job.get("unreadable_from"):
        record = next(records, None)
        if record is None:
            return
        yield extraction.make_row(record, harmful.get(str(number), ""))
        number += 1
    shard = Shard(**job["shard"])
    problem = f"cannot be read: {job['unreadable']}; what follows in this shard is lost"
    yield Row(source=shard.source, offset=shard.start, error=problem)
