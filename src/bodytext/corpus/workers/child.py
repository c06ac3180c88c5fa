"""The program of a worker's process: it reads messages from standard input and answers them.

It is a process of its own because only killing a process stops a page that takes too long. Its
arguments name a function, "module:name", that gets the settings, loads what is needed, and returns
the function that answers messages. The process ends when its input ends or its parent does.

Before it answers a message, it reports that it has taken it, and how many records of it are done.
The reports stay in the pipe, so the parent knows what the process was at, even if it was killed.
"""

import ctypes
import gc
import json
import mmap
import os
import re
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from bodytext.corpus.workers.messages import (
    WorkerMessage,
    read_message,
    write_message,
    write_report,
)
from bodytext.sources.record import MEMORY_ERROR

# Why there is no answer: the memory did not suffice, or an error that nobody foresaw.
MEMORY, RAISED = "memory", "raised"

Tick = Callable[[int], None]
Answer = Callable[[WorkerMessage, Tick], WorkerMessage]

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
_FIRST_VICTIM = "1000"  # if memory runs out, the system ends this process and not its parent
_KIB = 1024
_LONGEST_REASON = 1000  # characters
_PEAK = re.compile(rb"^VmHWM:\s*(\d+) kB", re.MULTILINE)


def main(arguments: list[str]) -> None:
    """Answer messages. Arguments: function, settings, parent, bytes of memory."""
    program, settings, parent, memory = arguments
    _bind_to(int(parent))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may print between messages
    answer = load_program(program, json.loads(settings))
    gc.collect()
    gc.freeze()
    _limit_memory(int(memory))
    write_message(output, WorkerMessage({}))

    report = partial(write_report, output)
    while message := read_message(sys.stdin.buffer):
        report(0)
        reply = answer_safely(answer, message, report)
        write_message(output, WorkerMessage(reply.head | {"peak_bytes": _find_peak()}, reply.body))


def load_program(name: str, settings: dict[str, Any]) -> Answer:
    """Return the function that answers messages."""
    module, _, function = name.partition(":")
    answer: Answer = getattr(import_module(module), function)(settings)
    return answer


def answer_safely(answer: Answer, message: WorkerMessage, tick: Tick) -> WorkerMessage:
    """Return the answer to a message, or why there is none."""
    with suppress(MemoryError):
        return _answer(answer, message, tick)
    # Only here is the memory free again that the page took: an except clause would still hold it.
    return WorkerMessage({"failed": MEMORY, "reason": MEMORY_ERROR})


def _answer(answer: Answer, message: WorkerMessage, tick: Tick) -> WorkerMessage:
    try:
        return answer(message, tick)
    except MemoryError:
        raise
    except Exception as error:  # whatever a page does to us, the process goes on
        reason = f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
        return WorkerMessage({"failed": RAISED, "reason": reason})


def _bind_to(parent: int) -> None:
    """Make sure that this process does not outlive its parent."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_VICTIM, "ascii")


def _limit_memory(most: int) -> None:
    """Limit further memory: libraries are mapped already. Only Linux enforces such a limit."""
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * mmap.PAGESIZE + most
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _find_peak() -> int:
    """Return the peak memory in bytes, or 0 where the system does not tell."""
    if sys.platform == "linux":  # where ru_maxrss would be that of the parent
        peak = _PEAK.search(Path("/proc/self/status").read_bytes())
        if peak:
            return int(peak[1]) * _KIB
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else _KIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main(sys.argv[1:])
