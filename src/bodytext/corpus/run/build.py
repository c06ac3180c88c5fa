"""What is asked of a corpus, and a folder -> the corpus in it; or the refusal to mix it with another one."""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bodytext
from bodytext.corpus.report.page import HTML, write_report
from bodytext.corpus.run.durable import TEMPORARY, remove_unfinished, write_json
from bodytext.corpus.run.engines import Engine
from bodytext.corpus.run.fetched import fetch_records
from bodytext.corpus.run.inputs import FETCHED_FILE, Input, cut_shards, find_inputs
from bodytext.corpus.run.plan import COUNTS, GO_ON, Plan, UnfinishedError
from bodytext.corpus.run.spec import Order
from bodytext.sources.intake import Fetching
from bodytext.sources.kinds import is_web

RUN, WORK = "run.json", "work"
_MEND = f"see to that, or name another folder with -o: {GO_ON}"
_MOST_NAMES = 3  # of inputs that changed are told


@dataclass(frozen=True, slots=True)
class Build:
    """What is to be built, from what, where, and who is told about it."""

    order: Order
    sources: Sequence[str]
    folder: Path
    root: str = ""  # put before the names in lists of archives
    say: Callable[[str], None] = lambda _: None
    fetching: Fetching | None = None  # how pages are fetched, where sources are in the web

    @property
    def work(self) -> Path:
        """Where files lie between the steps."""
        return self.folder / WORK

    def run(self, start_engine: Callable[[], Engine]) -> dict[str, Any]:
        """Build the corpus, or what is missing of it; the counts. The engine is started when there is work."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with _lock(self.folder):
                self._work_on(start_engine)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            raise UnfinishedError(
                f"cannot write to {self.folder} ({place}{error.strerror or error}); {_MEND}"
            ) from None
        except ValueError:
            with suppress(OSError):
                self.folder.rmdir()  # nothing was begun, if nothing is in it
            raise
        counts: dict[str, Any] = json.loads((self.folder / COUNTS).read_text("utf-8"))
        return counts

    def _work_on(self, start_engine: Callable[[], Engine]) -> None:
        is_new = not (self.folder / RUN).exists()
        inputs = find_inputs(self.sources, self.root, self.folder, self.say)
        self._check(inputs)
        if not (self.folder / COUNTS).exists():
            remove_unfinished(self.folder)
            for one in inputs:
                one.write_listing()
            self._fetch()
            try:
                shards = list(cut_shards(inputs, self.order))
            except ValueError:
                if is_new and not (self.folder / FETCHED_FILE).exists():  # nothing is there yet that could be lost
                    (self.folder / RUN).unlink()
                    shutil.rmtree(self.work, ignore_errors=True)
                raise
            engine = start_engine()
            try:
                Plan(self.order, shards, self.folder, self.work).run(engine, self.say)
            finally:
                engine.close()
                remove_unfinished(self.folder)
        shutil.rmtree(self.work, ignore_errors=True)
        if not (self.folder / HTML).exists():
            write_report(self.folder)

    def _fetch(self) -> None:
        """Fetch what sources in the web have, unless that is done."""
        path, distant = self.folder / FETCHED_FILE, [source for source in self.sources if is_web(source)]
        if distant and not path.exists():
            fetch_records(distant, path, self.fetching or Fetching(), self.work / "cache")

    def _check(self, inputs: Sequence[Input]) -> None:
        """Refuse to mix the work of two orders in one folder; a new folder learns what is asked."""
        asked = {
            "version": bodytext.__version__,
            "order": self.order.to_json() | {"weights": _digest(self.order.model)},
            "inputs": [list(one.identity) for one in inputs],
        }
        path = self.folder / RUN
        if not path.exists():
            if any(one.suffix != TEMPORARY for one in self.folder.iterdir()):  # a run may have been killed right here
                raise ValueError(f"{self.folder}: this folder has files in it that are no corpus; name an empty one")
            write_json(path, asked)
            return
        known = json.loads(path.read_text("utf-8"))
        if known != asked:
            raise ValueError(
                f"{self.folder}: another corpus was begun here ({_difference(known, asked)}); name another folder, or "
                "remove this one to begin anew"
            )


def _difference(known: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    if known["version"] != asked["version"]:
        return f"by bodytext {known['version']}, this is {asked['version']}"
    before, now = known["order"], asked["order"]
    changed = [name for name in now if before.get(name) != now[name]]
    if changed:
        return "; ".join(f"{name} was {before.get(name)!r}, is now {now[name]!r}" for name in changed)
    old, new = ({tuple(one) for one in run["inputs"]} for run in (known, asked))
    names = sorted({str(one[0]) for one in old ^ new})
    if not names:
        return "the same inputs in another order"
    more = " ..." if len(names) > _MOST_NAMES else ""
    return f"inputs that changed, came or went: {', '.join(names[:_MOST_NAMES])}{more}"


def _digest(path: str) -> str:
    """What tells other weights in a file of the same name."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path else ""


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Keep other runs out of the folder as long as this one lives."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{folder}: another run is at work in this folder; wait until it is done") from None
        yield
    finally:
        os.close(handle)
