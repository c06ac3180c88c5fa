"""Train on the labels of a session, in a process that can be stopped."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from bodytext.methods import LEARNED
from bodytext.studio.labelling.labelling_session import LabellingSession

FOLDER = "models"  # beside the labels
IDLE, RUNNING, DONE, FAILED, STOPPED = "idle", "running", "done", "failed", "stopped"
_PROGRAM = ("-P", "-m", "bodytext.studio.labelling.training_process")
_MOST_LINES = 6  # of a job's output that are shown
_STEP = re.compile(r"(?<![\d,]),*+(\d[\d,]*+) of (\d[\d,]*+)")
_SECONDS_TO_STOP = 5


class StepClock:
    """How much of a step is done, and how long the rest takes at the speed so far.

    A step is the lines that say "3 of 20" after the same words; its first line starts the clock.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._step, self._began, self._first = "", 0.0, 0

    def read(self, line: str) -> dict[str, float | None]:
        """Return the share and the seconds left; None where a line does not tell."""
        match = _STEP.search(line)
        if not match:
            return {"share": None, "seconds_left": None}
        done, total = (int(number.replace(",", "")) for number in match.groups())
        if line[: match.start()] != self._step:
            self._step, self._began, self._first = line[: match.start()], self._now(), done
        ran = done - self._first
        seconds = (self._now() - self._began) / ran * (total - done) if ran > 0 else None
        return {"share": done / max(total, 1), "seconds_left": seconds}


class TrainingJobs:
    """Start training jobs, one at a time, and follow their progress."""

    def __init__(self, session: LabellingSession, epochs: int = 0) -> None:
        self._session = session
        self._epochs = epochs  # of a job; 0 lets the training choose
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._state: dict[str, Any] = {"state": IDLE}
        self._clock = StepClock()
        self.folder = session.store.folder.parent / FOLDER
        self._given = self.model_in_use()  # the model that the command was started with

    def state(self) -> dict[str, Any]:
        """Return the progress of the running job, or the outcome of the last one."""
        with self._lock:
            return dict(self._state)

    def model_in_use(self) -> str:
        """Return the model's file name if it was made here, otherwise its whole path."""
        model = self._session.workspace.model
        if not model:
            return ""
        path = Path(model).resolve()
        return path.name if path.parent == self.folder.resolve() else str(path)

    def models(self) -> list[str]:
        """Return the names of the models: the given one, then those made here, newest last."""
        made = [path.name for path in sorted(self.folder.glob("model-*.npz"), key=_number)]
        return [self._given, *made] if self._given and self._given not in made else made

    def start(self, method: str, cost: float = 1.0) -> None:
        """Start a job; a ValueError if one is running. The cost is density's, of a false positive."""
        with self._lock:
            if self._state["state"] == RUNNING:
                raise ValueError("a training is running already: stop it first")
            output = self._next_output(method)
            self._process = self._start_process(method, output, cost)
            self._clock = StepClock()
            self._state = {"state": RUNNING, "method": method, "lines": []}
            threading.Thread(target=self._follow, args=(self._process, output), daemon=True).start()

    def _next_output(self, method: str) -> Path:
        kind = "model" if method == LEARNED else method
        numbers = [_number(path) for path in self.folder.glob(f"{kind}-*.npz")]
        return self.folder / f"{kind}-{max(numbers, default=0) + 1}.npz"

    def _start_process(self, method: str, output: Path, cost: float) -> "subprocess.Popen[str]":
        spec = {
            "labels": str(self._session.store.folder),
            "output": str(output),
            "method": method,
            "epochs": self._epochs,
            "cost": cost,
        }
        return subprocess.Popen(  # noqa: S603 - our own module with our own arguments
            [sys.executable, *_PROGRAM, json.dumps(spec)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # So that it can be stopped together with the processes that it starts.
            start_new_session=True,
        )

    def stop(self) -> None:
        """Stop the running job, if any."""
        with self._lock:
            process = self._process
            if process is None or self._state["state"] != RUNNING:
                return
            self._state |= {"state": STOPPED}
        _kill(process)

    def _follow(self, process: "subprocess.Popen[str]", output: Path) -> None:
        with process:  # closes its pipes at the end
            for event in _read_events(process.stdout):
                self._update(event, output)
        with self._lock:
            if self._state["state"] == RUNNING:
                problem = (
                    f"the training ended unexpectedly (status {process.returncode}); "
                    "look for the reason in the terminal where bodytext label runs"
                )
                self._state |= {"state": FAILED, "error": problem}

    def _update(self, event: dict[str, Any], output: Path) -> None:
        """Take an event of the process into the state."""
        with self._lock:
            if self._state["state"] != RUNNING:
                return
            if "line" in event:
                lines = [*self._state["lines"], event["line"]][-_MOST_LINES:]
                self._state |= {"lines": lines, **self._clock.read(event["line"])}
            elif "error" in event:
                self._state |= {"state": FAILED, "error": event["error"]}
        if "outcome" in event:
            outcome = event["outcome"]
            if self._state["method"] == LEARNED and not outcome["worse"]:
                self.use(output.name)
            with self._lock:
                self._state |= {"state": DONE, "outcome": outcome, "file": str(output)}

    def use(self, name: str) -> None:
        """Use a model from now on, in the inspector too; "" means the package's own."""
        if name and name not in self.models():
            raise ValueError(
                f"there is no model {name}; load the page again to see those there are"
            )
        # A whole path stays as it is.
        self._session.workspace.use_model(str(self.folder / name) if name else "")
        self._session.queue.measure()


def _number(path: Path) -> int:
    match = re.search(r"-(\d+)$", path.stem)
    return int(match[1]) if match else 0


def _read_events(stream: IO[str] | None) -> Iterator[dict[str, Any]]:
    for line in stream or ():
        try:
            event = json.loads(line)
        except ValueError:
            continue  # printed by a library
        if isinstance(event, dict):
            yield event


def _kill(process: "subprocess.Popen[str]") -> None:
    """Kill a process and all that it started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)  # safe: it writes files whole or not at all
    else:
        process.kill()
    process.wait(_SECONDS_TO_STOP)
