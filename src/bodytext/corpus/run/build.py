"""Build a corpus in a folder, or continue a build that was stopped there."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bodytext
from bodytext.corpus.atomic_files import TEMPORARY, remove_unfinished, write_json
from bodytext.corpus.record_counts import read_counts
from bodytext.corpus.report.corpus_files import COUNTS, RUN
from bodytext.corpus.report.html_report import HTML, write_report
from bodytext.corpus.run.engines import Engine
from bodytext.corpus.run.fetched import fetch_records
from bodytext.corpus.run.inputs import FETCHED_FILE, CorpusInput, cut_shards, find_inputs
from bodytext.corpus.run.pipeline import CONTINUES, BuildPipeline, UnfinishedError
from bodytext.corpus.run.shard import Shard
from bodytext.corpus.run.spec import CorpusSpec, find_changes, find_stages
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.source_kinds import is_web

WORK = "work"
_SPEC, _INPUTS = "order", "inputs"  # keys of run.json; corpora of older versions have them too
_PRIVATE = "private"  # another, of corpora that are fetched; those of older versions do not have it
_NAMES_SHOWN = 3  # of inputs that changed


@dataclass(frozen=True, slots=True)
class CorpusBuild:
    """A corpus to build: its spec, its sources, its folder, and where messages go."""

    spec: CorpusSpec
    sources: Sequence[str]
    folder: Path
    root: str = ""  # goes before the names in lists of archives
    say: Callable[[str], None] = lambda _: None
    fetching: FetchOptions | None = None  # how pages are fetched from the web

    @property
    def work(self) -> Path:
        """The folder for files that lie between the steps."""
        return self.folder / WORK

    def run(self, start_engine: Callable[[], Engine]) -> dict[str, Any]:
        """Build what is missing, and return the counts. The engine starts when there is work."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with _lock(self.folder):
                self._build(start_engine)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            raise UnfinishedError(
                f"cannot write to {self.folder} ({place}{error.strerror or error}); "
                f"correct that, or name another folder with -o: {CONTINUES}"
            ) from None
        except ValueError:
            with suppress(OSError):
                self.folder.rmdir()  # fails unless it is empty
            raise
        return read_counts(self.folder / COUNTS)

    def _build(self, start_engine: Callable[[], Engine]) -> None:
        is_new = not (self.folder / RUN).exists()
        inputs = find_inputs(self.sources, self.root, self.folder, self.say)
        replace(self, spec=self._check(inputs))._build_missing(inputs, is_new, start_engine)

    def _build_missing(
        self, inputs: Sequence[CorpusInput], is_new: bool, start_engine: Callable[[], Engine]
    ) -> None:
        """Build what is not there yet."""
        # Of a run that was killed, perhaps while it wrote the report.
        remove_unfinished(self.folder)
        if not (self.folder / COUNTS).exists():
            for source in inputs:
                source.write_listing()
            self._fetch()
            self._run_pipeline(self._cut(inputs, is_new), start_engine)
        shutil.rmtree(self.work, ignore_errors=True)
        if not (self.folder / HTML).exists():
            write_report(self.folder)

    def _cut(self, inputs: Sequence[CorpusInput], is_new: bool) -> list[Shard]:
        """Cut the inputs into shards. If that is impossible, leave no trace of a new corpus."""
        try:
            return list(cut_shards(inputs, self.spec))
        except ValueError:
            if is_new and not (self.folder / FETCHED_FILE).exists():
                (self.folder / RUN).unlink()
                shutil.rmtree(self.work, ignore_errors=True)
            raise

    def _run_pipeline(self, shards: Sequence[Shard], start_engine: Callable[[], Engine]) -> None:
        engine = start_engine()
        try:
            BuildPipeline(self.spec, shards, self.folder, self.work).run(engine, self.say)
        finally:
            engine.close()
            remove_unfinished(self.folder)

    def _fetch(self) -> None:
        """Fetch the sources on the web, unless that was done before."""
        path, addresses = (
            self.folder / FETCHED_FILE,
            [source for source in self.sources if is_web(source)],
        )
        if addresses and not path.exists():
            fetch_records(addresses, path, self.fetching or FetchOptions(), self.work / "cache")

    def _check(self, inputs: Sequence[CorpusInput]) -> CorpusSpec:
        """Refuse to mix two corpora in one folder. In a new one, write down what is built.

        A corpus is continued with the stages that it was begun with. Return the spec that has them.
        """
        asked: dict[str, Any] = {
            "version": bodytext.__version__,
            _SPEC: self.spec.to_json() | {"weights": _digest(self.spec.model)},
            _INPUTS: [list(source.identity) for source in inputs],
        }
        if self.fetching is not None and any(map(is_web, self.sources)):
            asked[_PRIVATE] = self.fetching.limits.allow_private
        path = self.folder / RUN
        if not path.exists():
            # A run that was killed right here left a temporary file.
            if any(file.suffix != TEMPORARY for file in self.folder.iterdir()):
                raise ValueError(
                    f"{self.folder}: this folder has files in it that are no corpus; name an empty one"
                )
            write_json(path, asked)
            return self.spec
        try:
            known = json.loads(path.read_text("utf-8"))
            difference = _describe_difference(known, asked)
            stages = find_stages(known[_SPEC])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            reason = "this file was changed or cut off; remove the folder to begin again"
            raise ValueError(f"{path}: {reason}") from None
        if difference:
            raise ValueError(
                f"{self.folder}: another corpus was begun here ({difference}); name another "
                "folder, or remove this one to begin again"
            )
        return self._leave_new_stages(stages)

    def _leave_new_stages(self, stages: Sequence[str]) -> CorpusSpec:
        """Return the spec without stages that came after the corpus was begun."""
        later = [name for name in self.spec.stages if name not in stages]
        if not later:
            return self.spec
        self.say(f"this corpus was begun, and continues, without the stage {', '.join(later)}")
        return self.spec.with_stages(stages)


def _describe_difference(known: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Say what differs from what is known of a corpus; an empty text if nothing does."""
    if known["version"] != asked["version"]:
        return f"by bodytext {known['version']}, this is {asked['version']}"
    changes = find_changes(known[_SPEC], asked[_SPEC])
    if not changes and known[_INPUTS] != asked[_INPUTS]:
        changes = [_describe_inputs(known[_INPUTS], asked[_INPUTS])]
    private = known.get(_PRIVATE, asked.get(_PRIVATE))
    if private != asked.get(_PRIVATE, private):
        changes.append("with --allow-private" if private else "without --allow-private")
    return "; ".join(changes)


def _describe_inputs(known: Sequence[Sequence[Any]], asked: Sequence[Sequence[Any]]) -> str:
    """Say which inputs differ."""
    names = sorted({str(name) for name, *_ in set(map(tuple, known)) ^ set(map(tuple, asked))})
    if not names:
        return "the same inputs in another order"
    more = " ..." if len(names) > _NAMES_SHOWN else ""
    return f"inputs that changed, came or went: {', '.join(names[:_NAMES_SHOWN])}{more}"


def _digest(path: str) -> str:
    """A digest of a file: other weights may have the same name."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path else ""


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Keep other runs out of the folder."""
    try:
        import fcntl
    except ImportError:
        raise ValueError(
            "building a corpus needs Linux, macOS or another POSIX system; use WSL on Windows"
        ) from None
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                f"{folder}: another run is at work in this folder; wait until it is done"
            ) from None
        yield
    finally:
        os.close(handle)
