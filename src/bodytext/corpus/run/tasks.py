"""Do the tasks of a shard in a child process: make the rows of its records, or observe its pages.

A task always gives the same files. They are complete or absent, and the last one, the JSON file,
says that the task is done.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from bodytext import extract
from bodytext.corpus.atomic_files import write_atomically, write_json
from bodytext.corpus.duplicates.signatures import sign_all
from bodytext.corpus.record_counts import RecordCounts
from bodytext.corpus.row import Row
from bodytext.corpus.run.columns import in_batches, to_batch, write_batches
from bodytext.corpus.run.shard import Shard, ShardRecords, read_shard
from bodytext.corpus.run.spec import KEEP, MARKDOWN, CorpusSpec
from bodytext.corpus.templates.method import Templated
from bodytext.corpus.templates.observations import observe, sample_all
from bodytext.corpus.templates.site_templates import Templates
from bodytext.corpus.workers.child import Tick
from bodytext.document import Document
from bodytext.methods import Method, as_method, with_title
from bodytext.output.markdown import to_markdown
from bodytext.page.parser import parse
from bodytext.sources.record import MEMORY_ERROR, Record
from bodytext.sources.warc import WarcRange
from bodytext.views.metadata.fields import METADATA_FIELDS


class RowExtractor:
    """Makes the rows of a corpus."""

    def __init__(self, spec: CorpusSpec, templates: str = "") -> None:
        """Take the spec, and the folder of the sites' templates if there is one."""
        self._spec = spec
        self._method = as_method(spec.method, spec.model)
        self._templates = Templates(Path(templates)) if templates else None

    def make_row(self, record: Record, harm: str = "") -> Row:
        """Make the row of a record, with an error if it has a problem, does harm, or fails."""
        names = ("url", "time", "title", "source", "offset")
        known = {name: getattr(record, name) for name in names}
        row = Row(**known, error=record.problem or harm)
        if row.error:
            return row
        try:
            self._fill(row, record)
        except MemoryError:
            row.error = MEMORY_ERROR
        except Exception as error:  # a page that breaks the extraction must not harm others
            row.error = f"{type(error).__name__}: {error}"
        return row

    def _choose_method(self, title: str) -> Method:
        """The method for a page, with the title that a feed gave it."""
        method = with_title(self._method, title)
        return method if self._templates is None else Templated(method, self._templates)

    def _fill(self, row: Row, record: Record) -> None:
        spec = self._spec
        document = extract(
            record.html,
            url=record.url,
            method=self._choose_method(record.title),
            threshold=spec.threshold,
            charset=record.charset or None,
        )
        if spec.metadata:
            row.metadata = _format_metadata(document)
            row.title = row.title or document.metadata.title
        row.title = row.title or document.title
        row.text = to_markdown(document) if spec.text == MARKDOWN else str(document)
        row.page_type = document.page_type
        row.confidence = None if document.confidence is None else round(document.confidence, 4)
        if not row.text:
            row.dropped = f"empty: {document.reason}"


def _format_metadata(document: Document) -> str:
    """The fields that have a value, and where the text was if the page does not show it."""
    values = {field.name: getattr(document.metadata, field.name) for field in METADATA_FIELDS}
    values["origin"] = document.origin
    return json.dumps({name: value for name, value in values.items() if value}, ensure_ascii=False)


Job = Mapping[str, Any]

ROWS, SIGNATURES, FACTS = ".arrow", ".signatures", ".json"  # suffixes of a shard's files
OBSERVATIONS = ".sightings"  # older versions call them so, and their work can be continued


def extract_shard(job: Job, tick: Tick) -> None:
    """Write a shard's rows, signatures of kept rows, and counts; `tick` gets the records done."""
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
    borders = (records.first, records.next) if isinstance(records, WarcRange) else (0, 0)
    following = None if "unreadable_from" in job else borders[1]
    write_json(stem.with_suffix(FACTS), counts.to_json() | {"first": borders[0], "next": following})


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
    return enumerate(islice(records, job.get("unreadable_from")))
