"""A worker: frames with pages in on standard input, frames with their body text out on standard output.

A process of its own, because a page that takes too long can only be stopped by ending the process that works on it.
It ends by itself when its input does. What nobody foresaw ends it too: the service starts another, and says so.
"""

import json
import os
import re
import resource
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import bodytext
from bodytext.document import Document
from bodytext.methods import as_method
from bodytext.methods.learned.method import Learned, read_weights
from bodytext.output.formats import FORMATS, Wish, render
from bodytext.studio.service.frames import SIZES, Frame
from bodytext.studio.service.unpacking import UnpackError, unpack

_WARM = b"<html><body><article>" + b"<p>A sentence of a few words, and another one after it.</p>" * 9
_KIB = 1024
_PEAK = re.compile(rb"^VmHWM:\s*(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a worker is started with."""

    model: str
    page_bytes: int
    memory_bytes: int

    def to_arguments(self) -> list[str]:
        """As a command line has it."""
        return [self.model, str(self.page_bytes), str(self.memory_bytes)]

    @classmethod
    def from_arguments(cls, arguments: list[str]) -> "Settings":
        """From a command line."""
        model, page_bytes, memory_bytes = arguments
        return cls(model, int(page_bytes), int(memory_bytes))


def main(arguments: list[str]) -> None:
    """Answer frames until there are no more."""
    settings = Settings.from_arguments(arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which then closes our input
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints something does not do it between frames
    read_weights(settings.model)
    for name in FORMATS:  # loads what loads late
        render(bodytext.extract(_WARM, method=Learned(settings.model)), name)
    _limit_memory(settings.memory_bytes)
    _write(output, Frame({"ready": True}))
    while frame := _read(sys.stdin.buffer):
        _write(output, Frame({"taken": True}))
        _write(output, answer(frame, settings))


def _limit_memory(most: int) -> None:
    """From now on: what is mapped already is libraries. Other systems than Linux do not keep such a limit."""
    if sys.platform != "linux":
        return
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + most
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _read(source: BinaryIO) -> Frame | None:
    sizes = source.read(SIZES.size)
    if len(sizes) < SIZES.size:
        return None
    head_size, body_size = SIZES.unpack(sizes)
    return Frame(json.loads(source.read(head_size)), source.read(body_size))


def _write(output: BinaryIO, frame: Frame) -> None:
    output.write(frame.pack_head())
    output.write(frame.body)
    output.flush()


def answer(frame: Frame, settings: Settings) -> Frame:
    """The page of a frame in the format that its head names, or an error with the status that tells of it."""
    head = frame.head
    try:
        html = unpack(frame.body, head["coding"], settings.page_bytes)
        document = bodytext.extract(
            html,
            url=head["url"],
            charset=head["charset"] or None,
            method=as_method(head["method"], settings.model),
            threshold=head["threshold"],
        )
        text = render(document, head["format"], Wish("", head["links"], head["images"]))
    except UnpackError as problem:
        return _with_peak({"status": problem.status, "error": str(problem)})
    except ValueError as problem:
        return _with_peak({"status": 400, "error": str(problem)})
    except MemoryError:
        return _with_peak({"status": 413, "error": "this page needs more memory than a worker may take"}, replace=True)
    return _with_peak({"status": 200, **_describe(document)}, text.encode("utf-8", "replace"))


def _with_peak(head: dict[str, Any], body: bytes = b"", *, replace: bool = False) -> Frame:
    """The head with the most memory that this process ever took, by which the service decides whether to keep it."""
    return Frame(head | {"peak_bytes": _find_peak(), "replace": replace}, body)


def _find_peak() -> int:
    """Bytes. Linux hands its ru_maxrss on to whatever a process starts, and so it would be the service's own."""
    if sys.platform == "linux":
        found = _PEAK.search(Path("/proc/self/status").read_bytes())
        if found:
            return int(found[1]) * _KIB
    unit = 1 if sys.platform == "darwin" else _KIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _describe(document: Document) -> dict[str, Any]:
    return {"reason": document.reason, "page_type": document.page_type, "confidence": document.confidence}


if __name__ == "__main__":
    main(sys.argv[1:])
