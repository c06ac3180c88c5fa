"""Jobs, a line of JSON each on standard input -> their files, and for each a line of JSON that tells how it went.

This is the process that may be killed. It counts the records that it has done in a few bytes of memory that it shares
with the worker that watches it: the one after them is the record that it is at.
"""

import ctypes
import errno
import gc
import json
import mmap
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from bodytext.corpus.run.spec import MEBIBYTE
from bodytext.sources.location import ReadError
from bodytext.sources.record import MEMORY_ERROR

COUNTER_BYTES = 8
# What a job says to do: the module and the function that does it.
TASKS = {
    "survey": ("bodytext.corpus.run.tasks", "survey_shard"),
    "extract": ("bodytext.corpus.run.tasks", "extract_shard"),
    "finish": ("bodytext.corpus.run.finishing", "finish_part"),
}
# How a job that was not done went wrong: the disk is full, a source cannot be read now, a record did it.
FULL, UNREAD, RAISED = "full", "unread", "raised"

_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL_WORDS = ("No space left", "File too large", "Disk quota")  # pyarrow's errors have words alone
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
_FIRST_VICTIM = "1000"  # where memory runs out the system ends this process and not the one that watches it


def main() -> None:
    """Do jobs until standard input ends. Arguments: the shared counter, the parent, MiB that a record may take."""
    counter_handle, parent, memory = map(int, sys.argv[1:])
    _bind_to(parent)
    counter = memoryview(mmap.mmap(counter_handle, COUNTER_BYTES)).cast("Q")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints must not print into the replies
    _warm_up()
    _limit_memory(memory * MEBIBYTE)
    _reply(replies, {})
    for line in sys.stdin.buffer:
        _reply(replies, _do(json.loads(line), lambda done: counter.__setitem__(0, done)))


def _reply(replies: TextIO, reply: dict[str, str]) -> None:
    replies.write(json.dumps(reply) + "\n")
    replies.flush()


def _do(job: dict[str, Any], tick: Callable[[int], None]) -> dict[str, str]:
    """Do a job; what went wrong, if anything did."""
    module, name = TASKS[job["task"]]
    try:
        getattr(import_module(module), name)(job, tick)
    except ReadError as error:
        return {"failed": UNREAD, "reason": str(error)}
    except MemoryError:
        return {"failed": RAISED, "reason": MEMORY_ERROR}
    except Exception as error:  # a stage that fails is the fault of its record, as far as anybody can tell
        full = isinstance(error, OSError) and (
            error.errno in _FULL_ERRORS or any(words in str(error) for words in _FULL_WORDS)
        )
        return {"failed": FULL if full else RAISED, "reason": f"{type(error).__name__}: {error}"}
    return {}


def _bind_to(parent: int) -> None:
    """See to it that this process does not outlive the one that watches it."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_VICTIM, "ascii")


def _warm_up() -> None:
    """Load what every job needs before memory is limited, so that it does not count."""
    from bodytext import extract

    arrow = import_module("pyarrow")
    import_module("pyarrow.parquet")
    arrow.set_cpu_count(1)
    arrow.set_io_thread_count(1)
    for module, _ in TASKS.values():
        import_module(module)
    extract(b"<p>warm").metadata  # noqa: B018 - asking for it loads what reads it
    gc.collect()
    gc.freeze()


def _limit_memory(limit: int) -> None:
    """Let this process take so much memory beside what it has now; more is a MemoryError."""
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * mmap.PAGESIZE + limit,) * 2)


if __name__ == "__main__":
    main()
