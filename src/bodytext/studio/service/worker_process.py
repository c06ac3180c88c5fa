"""The program of a worker, which reads pages from standard input and writes their body text.

It is a process of its own because only killing a process stops a page that takes too long. It ends
when its input ends. An unforeseen error ends it too: the service reports it and starts another
worker.
"""

import json
import os
import re
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import bodytext
from bodytext.document import Document
from bodytext.methods import DEFAULT, as_method
from bodytext.methods.learned.weights import read_weights
from bodytext.output.formats import FORMATS, RenderOptions, render
from bodytext.studio.service.content_coding import UnpackError, unpack
from bodytext.studio.service.worker_messages import SIZES, WorkerMessage

_WARM = (
    b"<html><body><article>" + b"<p>A sentence of a few words, and another one after it.</p>" * 9
)
_KIB = 1024
_PEAK = re.compile(rb"^VmHWM:\s*(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """The model and the limits that a worker is started with."""

    model: str
    page_bytes: int
    memory_bytes: int

    def to_arguments(self) -> list[str]:
        """Return the options as arguments of a command line."""
        return [self.model, str(self.page_bytes), str(self.memory_bytes)]

    @classmethod
    def from_arguments(cls, arguments: list[str]) -> "WorkerOptions":
        """Read the options from the arguments of a command line."""
        model, page_bytes, memory_bytes = arguments
        return cls(model, int(page_bytes), int(memory_bytes))


def main(arguments: list[str]) -> None:
    """Answer messages until there are no more."""
    options = WorkerOptions.from_arguments(arguments)
    # Ctrl-C is for the service, which closes our input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may print between messages
    read_weights(options.model)
    for name in FORMATS:  # imports what is imported late
        render(bodytext.extract(_WARM, method=as_method(DEFAULT, options.model)), name)
    _limit_memory(options.memory_bytes)
    _write(output, WorkerMessage({"ready": True}))
    while message := _read(sys.stdin.buffer):
        _write(output, WorkerMessage({"taken": True}))
        _write(output, answer(message, options))


def _limit_memory(most: int) -> None:
    """Limit further memory: libraries are mapped already. Only Linux enforces such a limit."""
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + most
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _read(source: BinaryIO) -> WorkerMessage | None:
    sizes = source.read(SIZES.size)
    if len(sizes) < SIZES.size:
        return None
    head_size, body_size = SIZES.unpack(sizes)
    return WorkerMessage(json.loads(source.read(head_size)), source.read(body_size))


def _write(output: BinaryIO, message: WorkerMessage) -> None:
    output.write(message.pack_head())
    output.write(message.body)
    output.flush()


def answer(message: WorkerMessage, options: WorkerOptions) -> WorkerMessage:
    """Return the body text of a page in the requested format, or an error with its status."""
    with suppress(MemoryError):
        return _extract(message, options)
    # Only here is the memory free again that the page took: an except clause would still hold it.
    error = "this page needs more memory than a worker may use"
    return _with_peak({"status": 413, "error": error}, replace=True)


def _extract(message: WorkerMessage, options: WorkerOptions) -> WorkerMessage:
    head = message.head
    try:
        html = unpack(message.body, head["coding"], options.page_bytes)
        document = bodytext.extract(
            html,
            url=head["url"],
            charset=head["charset"] or None,
            method=as_method(head["method"], options.model),
            threshold=head["threshold"],
        )
        text = render(document, head["format"], RenderOptions("", head["links"], head["images"]))
    except UnpackError as problem:
        return _with_peak({"status": problem.status, "error": str(problem)})
    except ValueError as problem:
        return _with_peak({"status": 400, "error": str(problem)})
    return _with_peak({"status": 200, **_describe(document)}, text.encode("utf-8", "replace"))


def _with_peak(head: dict[str, Any], body: bytes = b"", *, replace: bool = False) -> WorkerMessage:
    """Add this process's peak memory, by which the service decides whether to keep the worker."""
    return WorkerMessage(head | {"peak_bytes": _find_peak(), "replace": replace}, body)


def _find_peak() -> int:
    """Return the peak memory in bytes. On Linux, ru_maxrss would be that of the service."""
    if sys.platform == "linux":
        peak = _PEAK.search(Path("/proc/self/status").read_bytes())
        if peak:
            return int(peak[1]) * _KIB
    import resource

    unit = 1 if sys.platform == "darwin" else _KIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _describe(document: Document) -> dict[str, Any]:
    return {name: getattr(document, name) for name in ("reason", "page_type", "confidence")}


if __name__ == "__main__":
    main(sys.argv[1:])
