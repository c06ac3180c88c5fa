"""Do jobs in a process that may be killed.

Each line on standard input is a job in JSON. The answer is a line of JSON that says whether it
failed. The number of records done is in a few bytes of memory that the process shares with the
worker that watches it, so the worker knows which record the process is at.
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
from bodytext.sources.record import MEMORY_ERROR
from bodytext.sources.storage import SourceReadError

COUNTER_BYTES = 8
# The module and the function of each task.
TASKS = {
    "survey": ("bodytext.corpus.run.tasks", "survey_shard"),
    "extract": ("bodytext.corpus.run.tasks", "extract_shard"),
    "finish": ("bodytext.corpus.run.finishing", "finish_part"),
}
# Why a job failed: the disk is full, a source cannot be read now, a record raised an error.
FULL, UNREAD, RAISED = "full", "unread", "raised"

_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL_WORDS = ("No space left", "File too large", "Disk quota")  # pyarrow's errors have no number
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
_FIRST_VICTIM = "1000"  # if memory runs out, the system ends this process and not the worker


def main() -> None:
    """Do jobs until standard input ends. Arguments: shared counter, parent, MiB for a record."""
    counter_handle, parent, memory = map(int, sys.argv[1:])
    _bind_to(parent)
    counter = memoryview(mmap.mmap(counter_handle, COUNTER_BYTES)).cast("Q")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else may print into the replies
    _warm_up()
    _limit_memory(memory * MEBIBYTE)
    _reply(replies, {})
    for line in sys.stdin.buffer:
        _reply(replies, _do(json.loads(line), lambda done: counter.__setitem__(0, done)))


def _reply(replies: TextIO, reply: dict[str, str]) -> None:
    replies.write(json.dumps(reply) + "\n")
    replies.flush()


def _do(job: dict[str, Any], tick: Callable[[int], None]) -> dict[str, str]:
    """Do a job, and return why it failed, if it did."""
    module, name = TASKS[job["task"]]
    try:
        getattr(import_module(module), name)(job, tick)
    except SourceReadError as error:
        return {"failed": UNREAD, "reason": str(error)}
    except MemoryError:
        return {"failed": RAISED, "reason": MEMORY_ERROR}
    except Exception as error:  # presumably because of the record
        return {
            "failed": FULL if _is_disk_full(error) else RAISED,
            "reason": f"{type(error).__name__}: {error}",
        }
    return {}


def _is_disk_full(error: Exception) -> bool:
    if not isinstance(error, OSError):
        return False
    return error.errno in _FULL_ERRORS or any(words in str(error) for words in _FULL_WORDS)


def _bind_to(parent: int) -> None:
    """Make sure that this process does not outlive the worker that watches it."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_VICTIM, "ascii")


def _warm_up() -> None:
    """Load what every job needs. Memory is limited afterwards, so this does not count."""
    from bodytext import extract

    arrow = import_module("pyarrow")
    import_module("pyarrow.parquet")
    arrow.set_cpu_count(1)
    arrow.set_io_thread_count(1)
    for module, _ in TASKS.values():
        import_module(module)
    extract(b"<p>warm").metadata  # noqa: B018 - loads the code that reads metadata
    gc.collect()
    gc.freeze()


def _limit_memory(limit: int) -> None:
    """Limit the memory that this process may take in addition to what it has now."""
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * mmap.PAGESIZE + limit,) * 2)


if __name__ == "__main__":
    main()
