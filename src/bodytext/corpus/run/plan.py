"""An order and shards -> a corpus: the shards are extracted, duplicates found, parts written, all is counted.

Every step leaves files, and a file that is there is never made again: to go on where a run stopped is to give the same
command once more.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from bodytext.corpus.duplicates.search import Options, find_duplicates
from bodytext.corpus.run.child import FULL, UNREAD
from bodytext.corpus.run.durable import write_json, write_whole
from bodytext.corpus.run.engines import Engine, Job
from bodytext.corpus.run.finishing import REPEATS, stem_of
from bodytext.corpus.run.progress import Progress
from bodytext.corpus.run.shard import Shard
from bodytext.corpus.run.spec import KEEP, NEAR, Order
from bodytext.corpus.run.tally import Tally
from bodytext.corpus.run.tasks import FACTS, SIGHTINGS, SIGNATURES
from bodytext.corpus.run.worker import JobError
from bodytext.corpus.templates.site_templates import merge
from bodytext.sources.kinds import ARCHIVE

COUNTS, TIMING = "counts.json", "timing.json"
_FOUND = "duplicates.json"  # says that duplicates have been looked for
GO_ON = "all that is done stays, and the same command goes on from here"


class UnfinishedError(Exception):
    """A run that stops before it is done, with what to do about it."""


class Plan:
    """The steps from shards to a corpus, in a folder, with a folder for what lies between them."""

    def __init__(self, order: Order, shards: Sequence[Shard], folder: Path, work: Path) -> None:
        """Take what is asked and where it goes."""
        self._order, self._shards, self._folder, self._work = order, list(shards), folder, work
        self._order_json = order.to_json()  # one for all jobs: there may be many
        self._seconds: dict[str, float] = {}
        self._extracted = 0  # records, in this run

    def run(self, engine: Engine, say: Callable[[str], None]) -> None:
        """Do what is not done yet."""
        self._engine, self._say = engine, say
        if self._order.templates:
            self._learn_templates()
        self._extract(range(len(self._shards)))
        self._mend_borders()
        self._find_duplicates()
        parts = self._finish()
        tally = Tally()
        for part in parts:
            tally.add_counts(_read_json(part))
        self._write_timing()
        write_json(self._folder / COUNTS, tally.to_json() | {"parts": len(parts)})

    def _facts(self, shard: int) -> Path:
        return stem_of(self._work, shard).with_suffix(FACTS)

    def _job(self, task: str, number: int, output: Path) -> Job:
        job = {"task": task, "shard": self._shards[number].to_json(), "order": self._order_json}
        return job | {"output": str(output), "templates": str(self._templates) if self._order.templates else ""}

    @property
    def _templates(self) -> Path:
        return self._work / "templates"

    def _learn_templates(self) -> None:
        """Learn from all pages what repeats on their sites."""
        if self._templates.exists():
            return
        outputs = [stem_of(self._work, number).with_suffix(SIGHTINGS) for number in range(len(self._shards))]
        missing = [number for number, path in enumerate(outputs) if not path.exists()]
        jobs = [self._job("survey", number, outputs[number]) for number in missing]
        self._do("survey", jobs, [_size_of(self._shards[number]) for number in missing])
        try:
            merge(outputs, self._work / "spill", self._templates)
        except OSError as error:
            raise UnfinishedError(f"cannot write: {error.strerror or error}; {GO_ON}") from None

    def _extract(self, numbers: Sequence[int], *, tell: bool = True) -> None:
        """Make the rows of shards that have none yet."""
        missing = [number for number in numbers if not self._facts(number).exists()]
        if len(missing) < len(numbers):
            self._say(f"{len(numbers) - len(missing):,} of {len(numbers):,} shards are there already")
        jobs = [self._job("extract", number, self._facts(number)) for number in missing]
        self._extracted += self._do("extract", jobs, [_size_of(self._shards[number]) for number in missing], tell=tell)

    def _mend_borders(self) -> None:
        """Read shards again that began elsewhere than where the one before them ended: a page looked like a record.

        Archives are gone through from their start to their end, side by side: where a shard ended is certain once it
        is certain where it began, so none is looked at twice.
        """
        numbered = [(number, shard) for number, shard in enumerate(self._shards) if shard.kind == ARCHIVE]
        gaps = [self._find_gaps([one[0] for one in group]) for _, group in groupby(numbered, lambda one: one[1].source)]
        mended = 0
        while wrong := [found for archive in gaps if (found := next(archive, None)) is not None]:
            for number, start in wrong:
                self._shards[number] = replace(self._shards[number], start=start, exact=True)
                self._facts(number).unlink()
            self._extract([number for number, _ in wrong], tell=False)
            mended += len(wrong)
        if mended:
            self._say(f"{mended:,} shards were read again: pages in them look like records of an archive")

    def _find_gaps(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The shards of an archive that began at a wrong place, and the right one; each is right when it goes on."""
        following: int | None = None  # where the next record starts, as far as is known
        for number in numbers:
            facts = _read_json(self._facts(number))
            if following is not None and not _fits(facts["first"], following, self._shards[number]):
                yield number, following
                facts = _read_json(self._facts(number))
            if facts["first"] is not None:
                following = facts["next"]

    def _find_duplicates(self) -> None:
        """Say for each shard which of its rows repeat an earlier one."""
        if self._order.duplicates == KEEP or (self._work / _FOUND).exists():
            return
        progress = Progress("duplicates", len(self._shards), "repeats")
        options = Options(threshold=self._order.likeness, near=self._order.duplicates == NEAR)
        signatures = [stem_of(self._work, number).with_suffix(SIGNATURES) for number in range(len(self._shards))]
        total = 0
        try:
            for number, found in enumerate(find_duplicates(signatures, self._work / "spill", options)):
                with write_whole(stem_of(self._work, number).with_suffix(REPEATS)) as temporary:
                    found.tofile(temporary)
                total += len(found)
                progress.show(number, total)
        except OSError as error:
            raise UnfinishedError(f"cannot write: {error.strerror or error}; {GO_ON}") from None
        write_json(self._work / _FOUND, {"rows": total})
        self._seconds["duplicates"] = progress.finish(total)

    def _finish(self) -> list[Path]:
        """Write the parts of the corpus; the files with their counts."""
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
                "format": self._order.format,
                "output": str(outputs[number]),
            }
            for number in missing
        ]
        sizes = [stop - start for start, stop in (parts[number] for number in missing)]
        self._do("write", jobs, sizes)
        return outputs

    def _cut_parts(self) -> Iterator[tuple[int, int]]:
        """Which shards go into one part: so many that their text fills a file."""
        first = characters = 0
        for number in range(len(self._shards)):
            characters += _read_json(self._facts(number))["characters"]
            if characters >= self._order.part or number + 1 == len(self._shards):
                yield first, number + 1
                first, characters = number + 1, 0

    def _do(self, name: str, jobs: Sequence[Job], sizes: Sequence[int], *, tell: bool = True) -> int:
        """Let the engine do jobs; how many records they had. What fails for good or for now ends the run, kindly."""
        if not jobs:
            return 0
        progress = Progress(name, sum(sizes), "records")
        done = records = 0
        unread: list[str] = []
        for outcome in self._engine.run(jobs):
            if outcome is None:
                pass
            elif outcome.failure is None:
                done, records = done + sizes[outcome.number], records + outcome.records
            else:
                unread.append(_judge(outcome.failure))
            progress.show(done, records + self._engine.done)
        self._seconds[name] = self._seconds.get(name, 0.0) + progress.finish(records, tell=tell)
        if unread:
            raise UnfinishedError(
                f"{len(unread)} of {len(jobs)} shards could not be done, the first because of: {unread[0]}; {GO_ON}"
            )
        return records

    def _write_timing(self) -> None:
        timing = {
            "seconds": {name: round(seconds, 3) for name, seconds in self._seconds.items()},
            "workers": self._engine.workers,
            "records": self._extracted,
        }
        write_json(self._folder / TIMING, timing)


def _judge(failure: JobError) -> str:
    """The reason of a failure that may pass; one that will not ends the run."""
    if failure.kind == UNREAD:
        return str(failure)
    if failure.kind == FULL:
        raise UnfinishedError(f"the disk is full or a file would be too large ({failure}); make room: {GO_ON}")
    raise UnfinishedError(f"a worker failed: {failure}; {GO_ON}")


def _fits(first: int | None, following: int, shard: Shard) -> bool:
    """Whether a shard began where the records before it end; one in which none starts, where they end behind it."""
    return first == following or (first is None and shard.stop is not None and following >= shard.stop)


def _size_of(shard: Shard) -> int:
    return max((shard.stop or shard.start + 1) - shard.start, 1)


def _read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return value
