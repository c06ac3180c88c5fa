"""teaching_part: a desk -> the part of the app that learns from its labels, in a process that can be stopped.

GET    /api/teach          what can be learned from, how far a training is, what came of it, the models there are
POST   /api/teach          {"method": "learned" or "density"}: begin
DELETE /api/teach          stop it
PUT    /api/teach/model    {"model": NAME, or "" for the package's own}: use it from now on, in the inspector too
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bodytext.methods import LEARNED
from bodytext.studio.labelling.labelling_routes import Desk, read_json
from bodytext.studio.labels.reading import read_labels
from bodytext.studio.web.app import Part, Refusal

DENSITY = "density"
FOLDER = "models"  # beside the labels
IDLE, RUNNING, DONE, FAILED, STOPPED = "idle", "running", "done", "failed", "stopped"
_LAST_WORDS = 6  # lines of a training that are shown
_STEP = re.compile(r"(\d[\d,]*) of (\d[\d,]*)")
_SECONDS_TO_STOP = 5


class Teacher:
    """Starts trainings, one at a time, and hears how they go."""

    def __init__(self, desk: Desk, epochs: int = 0) -> None:
        self._desk = desk
        self._epochs = epochs  # of a training; as many as it finds right where 0
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._state: dict[str, Any] = {"state": IDLE}
        self.folder = desk.store.folder.parent / FOLDER
        self._given = self.name(desk.workspace.model)  # which the command was started with

    def tell(self) -> dict[str, Any]:
        """How far the training is, or what came of the last one."""
        with self._lock:
            return dict(self._state)

    def name(self, model: str) -> str:
        """What a model is called: its file where it was made here, its whole path otherwise."""
        path = Path(model).resolve()
        return "" if not model else path.name if path.parent == self.folder.resolve() else str(path)

    def models(self) -> list[str]:
        """The names of the models there are: the one that the command was given, those made here, the newest last."""
        made = [path.name for path in sorted(self.folder.glob("model-*.npz"), key=_number)]
        return [self._given, *made] if self._given and self._given not in made else made

    def begin(self, method: str) -> None:
        """Start a training; a ValueError where one runs."""
        kind = "model" if method == LEARNED else method
        with self._lock:
            if self._state["state"] == RUNNING:
                raise ValueError("a training is running already: stop it first")
            taken = [_number(path) for path in self.folder.glob(f"{kind}-*.npz")]
            output = self.folder / f"{kind}-{max(taken, default=0) + 1}.npz"
            order: dict[str, Any] = {"labels": str(self._desk.store.folder), "output": str(output), "method": method}
            order["epochs"] = self._epochs
            self._process = subprocess.Popen(  # noqa: S603 - our own module with our own words
                [sys.executable, "-P", "-m", "bodytext.studio.labelling.teaching_task", json.dumps(order)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                start_new_session=True,  # so that it can be stopped with all processes that it starts
            )
            self._state = {"state": RUNNING, "method": method, "words": [], "share": None}
            threading.Thread(target=self._listen, args=(self._process, output), daemon=True).start()

    def stop(self) -> None:
        """Stop the training that runs, if any."""
        with self._lock:
            process = self._process
            if process is None or self._state["state"] != RUNNING:
                return
            self._state |= {"state": STOPPED}
        _end(process)

    def _listen(self, process: "subprocess.Popen[str]", output: Path) -> None:
        with process:  # closes its pipes at the end
            for values in _read_lines(process.stdout):
                self._take(values, output)
        with self._lock:
            if self._state["state"] == RUNNING:
                words = (
                    f"the training ended without a word (status {process.returncode}); the server's terminal has more"
                )
                self._state |= {"state": FAILED, "error": words}

    def _take(self, values: dict[str, Any], output: Path) -> None:
        with self._lock:
            if self._state["state"] != RUNNING:
                return
            if "say" in values:
                step = _STEP.search(values["say"])
                share = int(step[1].replace(",", "")) / max(int(step[2].replace(",", "")), 1) if step else None
                self._state |= {"words": [*self._state["words"], values["say"]][-_LAST_WORDS:], "share": share}
            elif "error" in values:
                self._state |= {"state": FAILED, "error": values["error"]}
        if "done" in values:
            if self._state["method"] == LEARNED:
                self.use(output.name)
            with self._lock:
                self._state |= {"state": DONE, "outcome": values["done"], "file": str(output)}

    def use(self, name: str) -> None:
        """Use a model from now on, here and in the inspector, and measure the queue with it; none is the package's."""
        if name and name not in self.models():
            raise ValueError(f"there is no model {name}")
        self._desk.workspace.use_model(str(self.folder / name) if name else "")  # a whole path stays as it is
        self._desk.queue.measure()


def _number(path: Path) -> int:
    found = re.search(r"-(\d+)$", path.stem)
    return int(found[1]) if found else 0


def _read_lines(stream: IO[str] | None) -> Any:
    for line in stream or ():
        try:
            values = json.loads(line)
        except ValueError:
            continue  # a library that prints
        if isinstance(values, dict):
            yield values


def _end(process: "subprocess.Popen[str]") -> None:
    """End a process with all that it started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)  # it writes files whole or not at all
    else:
        process.kill()
    process.wait(_SECONDS_TO_STOP)


def teaching_part(desk: Desk, teacher: Teacher) -> Part:
    """The routes for learning."""
    school = _School(desk, teacher)
    routes = [
        Route("/api/teach", school.tell, methods=["GET"]),
        Route("/api/teach", school.begin, methods=["POST"]),
        Route("/api/teach", school.stop, methods=["DELETE"]),
        Route("/api/teach/model", school.use, methods=["PUT"]),
    ]
    return Part("teach", routes)


class _School:
    def __init__(self, desk: Desk, teacher: Teacher) -> None:
        self.desk, self.teacher = desk, teacher

    def tell(self, request: Request) -> Response:
        told = self.teacher.tell() | {"models": self.teacher.models(), "model": self._name()}
        told["can_learn"] = find_spec("torch") is not None
        if "count" in request.query_params:
            told |= self._count()
        return JSONResponse(told)

    def _name(self) -> str:
        return self.teacher.name(self.desk.workspace.model)

    def _count(self) -> dict[str, Any]:
        """What there is to learn from."""
        try:
            pages, left = read_labels(self.desk.store)
        except ValueError as problem:
            raise Refusal(422, str(problem)) from None
        return {
            "pages": len(pages),
            "sites": len({page.domain for page in pages}),
            "left": [{"page": one.page, "reason": one.reason} for one in left if one.reason != "is not done"],
        }

    async def begin(self, request: Request) -> Response:
        sent = read_json(await request.body())
        method = sent.get("method", LEARNED)
        if method not in {LEARNED, DENSITY}:
            raise Refusal(422, f"method should be {LEARNED} or {DENSITY}")
        try:
            self.teacher.begin(method)
        except ValueError as problem:
            raise Refusal(409, str(problem)) from None
        return JSONResponse(self.teacher.tell(), 202)

    def stop(self, _: Request) -> Response:
        self.teacher.stop()
        return JSONResponse(self.teacher.tell())

    async def use(self, request: Request) -> Response:
        sent = read_json(await request.body())
        try:
            self.teacher.use(str(sent.get("model", "")))
        except ValueError as problem:
            raise Refusal(422, str(problem)) from None
        return JSONResponse({"model": self._name()})
