"""Run the steps of a build: extract the shards, find duplicates, write the parts, count.

Every step leaves files, and a file that exists is never made again. So the same command continues a
run that stopped.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from bodytext.corpus.atomic_files import write_atomically, write_json
from bodytext.corpus.duplicates.search import DuplicateOptions, find_duplicates
from bodytext.corpus.progress import ProgressLine
from bodytext.corpus.record_counts import RecordCounts
from bodytext.corpus.report.corpus_files import COUNTS
from bodytext.corpus.run.engines import Engine, Job
from bodytext.corpus.run.finishing import REPEATS, stem_of
from bodytext.corpus.run.job_worker import JobError
from bodytext.corpus.run.jobs import FULL, UNREAD
from bodytext.corpus.run.shard import Shard
from bodytext.corpus.run.spec import KEEP, NEAR, CorpusSpec
from bodytext.corpus.run.tasks import FACTS, OBSERVATIONS, SIGNATURES
from bodytext.corpus.templates.site_templates import merge
from bodytext.sources.source_kinds import ARCHIVE

TIMING = "timing.json"
CONTINUES = "all that is done stays, and the same command continues from here"
_DUPLICATES = "duplicates.json"  # exists when the search for duplicates is done
_SORTING = "sorting"  # the folder for temporary files


class UnfinishedError(Exception):
    """A run that stops before it is done. The message says what to do."""


class BuildPipeline:
    """The steps from shards to a corpus."""

    def __init__(self, spec: CorpusSpec, shards: Sequence[Shard], folder: Path, work: Path) -> None:
        """Take the spec, the shards, the folder of the corpus, and the folder for work files."""
        self._spec, self._shards, self._folder, self._work = spec, list(shards), folder, work
        self._spec_json = spec.to_json()  # one object for all jobs: there may be many
        self._seconds: dict[str, float] = {}
        self._extracted = 0  # records, in this run

    def run(self, engine: Engine, say: Callable[[str], None]) -> None:
        """Do what is not done yet."""
        self._engine, self._say = engine, say
        if self._spec.templates:
            self._learn_templates()
        self._extract(range(len(self._shards)))
        self._correct_borders()
        self._find_duplicates()
        parts = self._finish()
        counts = RecordCounts()
        for part in parts:
            counts.add_counts(_read_json(part))
        self._write_timing()
        write_json(self._folder / COUNTS, counts.to_json() | {"parts": len(parts)})

    def _files(self, suffix: str) -> list[Path]:
        """A file of each shard."""
        return [
            stem_of(self._work, number).with_suffix(suffix) for number in range(len(self._shards))
        ]

    def _facts(self, shard: int) -> Path:
        return stem_of(self._work, shard).with_suffix(FACTS)

    def _job(self, task: str, number: int, output: Path) -> Job:
        return {
            "task": task,
            "shard": asdict(self._shards[number]),
            "spec": self._spec_json,
            "output": str(output),
            "templates": str(self._templates) if self._spec.templates else "",
        }

    @property
    def _templates(self) -> Path:
        return self._work / "templates"

    def _learn_templates(self) -> None:
        """Learn from all pages what repeats on their sites."""
        if self._templates.exists():
            return
        outputs = self._files(OBSERVATIONS)
        missing = [number for number, path in enumerate(outputs) if not path.exists()]
        jobs = [self._job("survey", number, outputs[number]) for number in missing]
        self._do("survey", jobs, self._sizes(missing))
        try:
            merge(outputs, self._work / _SORTING, self._templates)
        except OSError as error:
            raise _cannot_write(error) from None

    def _extract(self, numbers: Sequence[int], *, shown: bool = True) -> None:
        """Make the rows of shards that have none yet."""
        missing = [number for number in numbers if not self._facts(number).exists()]
        if len(missing) < len(numbers):
            self._say(
                f"{len(numbers) - len(missing):,} of {len(numbers):,} shards are there already"
            )
        jobs = [self._job("extract", number, self._facts(number)) for number in missing]
        self._extracted += self._do("extract", jobs, self._sizes(missing), shown=shown)

    def _correct_borders(self) -> None:
        """Read shards again that do not begin where the one before ends: a page misled the reader.

        All archives are walked at the same time. The end of a shard is certain once its beginning
        is, so no shard is checked twice.
        """
        archives = [list(numbers) for numbers in self._group_by_archive()]
        gaps = [self._find_gaps(numbers) for numbers in archives]
        corrected = 0
        while starts := dict(gap for archive in gaps if (gap := next(archive, None)) is not None):
            for number, start in starts.items():
                self._shards[number] = replace(self._shards[number], start=start, exact=True)
                self._facts(number).unlink()
            self._extract(list(starts), shown=False)
            corrected += len(starts)
        if corrected:
            self._say(
                f"{corrected:,} shards were read again: pages in them look like records of an archive"
            )

    def _group_by_archive(self) -> Iterator[Iterator[int]]:
        """The numbers of the shards of each archive."""
        numbers = [number for number, shard in enumerate(self._shards) if shard.kind == ARCHIVE]
        for _, group in groupby(numbers, lambda number: self._shards[number].source):
            yield group

    def _find_gaps(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield shards that began at a wrong place, with the right one, which the caller sets."""
        following: int | None = None  # where the next record starts, as far as is known
        for number in numbers:
            facts = _read_json(self._facts(number))
            if following is not None and not _fits(facts["first"], following, self._shards[number]):
                yield number, following
                facts = _read_json(self._facts(number))
            if facts["first"] is not None:
                following = facts["next"]

    def _find_duplicates(self) -> None:
        """Write for each shard which of its rows repeat an earlier one."""
        if self._spec.duplicates == KEEP or (self._work / _DUPLICATES).exists():
            return
        progress = ProgressLine("duplicates", len(self._shards), "repeats")
        options = DuplicateOptions(
            threshold=self._spec.likeness, near=self._spec.duplicates == NEAR
        )
        total = 0
        try:
            duplicates = find_duplicates(self._files(SIGNATURES), self._work / _SORTING, options)
            for number, (path, rows) in enumerate(
                zip(self._files(REPEATS), duplicates, strict=True)
            ):
                with write_atomically(path) as temporary:
                    rows.tofile(temporary)
                total += len(rows)
                progress.show(number, total)
        except OSError as error:
            raise _cannot_write(error) from None
        write_json(self._work / _DUPLICATES, {"rows": total})
        self._seconds["duplicates"] = progress.finish(total)

    def _finish(self) -> list[Path]:
        """Write the parts of the corpus, and return the files with their counts."""
        parts = list(self._cut_parts())
        outputs = [self._work / "parts" / f"{number:05}.json" for number in range(len(parts))]
        missing = [number for number, path in enumerate(outputs) if not path.exists()]
        jobs = [
            {
                "task": "finish",
                "corpus": str(self._folder),
                "work": str(self._work),
                "name": f"part-{number:05}",
                "shards": parts[number],
                "format": self._spec.format,
                "output": str(outputs[number]),
            }
            for number in missing
        ]
        sizes = [stop - start for start, stop in (parts[number] for number in missing)]
        self._do("write", jobs, sizes)
        return outputs

    def _cut_parts(self) -> Iterator[tuple[int, int]]:
        """The shards of each part: as many as have text for one file."""
        first = characters = 0
        for number in range(len(self._shards)):
            characters += _read_json(self._facts(number))["characters"]
            if characters >= self._spec.part or number + 1 == len(self._shards):
                yield first, number + 1
                first, characters = number + 1, 0

    def _sizes(self, numbers: Sequence[int]) -> list[int]:
        """The sizes of shards, in any measure."""
        shards = [self._shards[number] for number in numbers]
        return [max((shard.stop or shard.start + 1) - shard.start, 1) for shard in shards]

    def _do(
        self, name: str, jobs: Sequence[Job], sizes: Sequence[int], *, shown: bool = True
    ) -> int:
        """Let the engine do jobs, and return the number of records. A failure ends the run."""
        if not jobs:
            return 0
        progress = ProgressLine(name, sum(sizes), "records")
        done = records = 0
        unread: list[str] = []
        for result in self._engine.run(jobs):
            if result is not None and result.failure is None:
                done, records = done + sizes[result.number], records + result.records
            elif result is not None and result.failure is not None:
                unread.append(_read_failure(result.failure))
            progress.show(done, records + self._engine.done)
        self._seconds[name] = self._seconds.get(name, 0.0) + progress.finish(records, shown=shown)
        if unread:
            raise UnfinishedError(
                f"{len(unread)} of {len(jobs)} shards could not be done, the first because of: {unread[0]}; {CONTINUES}"
            )
        return records

    def _write_timing(self) -> None:
        timing = {
            "seconds": {name: round(seconds, 3) for name, seconds in self._seconds.items()},
            "workers": self._engine.workers,
            "records": self._extracted,
        }
        write_json(self._folder / TIMING, timing)


def _read_failure(failure: JobError) -> str:
    """The reason of a failure that is temporary. Any other failure ends the run at once."""
    if failure.kind == UNREAD:
        return str(failure)
    if failure.kind == FULL:
        raise UnfinishedError(
            f"the disk is full or a file would be too large ({failure}); make room: {CONTINUES}"
        )
    raise UnfinishedError(f"a worker failed: {failure}; {CONTINUES}")


def _cannot_write(error: OSError) -> UnfinishedError:
    return UnfinishedError(f"cannot write: {error.strerror or error}; {CONTINUES}")


def _fits(first: int | None, following: int, shard: Shard) -> bool:
    """Whether a shard begins where the records before it end, or lies inside the last of them."""
    return first == following or (
        first is None and shard.stop is not None and following >= shard.stop
    )


def _read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return value
