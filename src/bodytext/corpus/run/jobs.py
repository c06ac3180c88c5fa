"""Do the jobs of a build in the process of a worker. The head of a message is a job."""

import errno
from importlib import import_module
from typing import Any

from bodytext import extract
from bodytext.corpus.row import Row
from bodytext.corpus.run.columns import to_batch
from bodytext.corpus.run.finishing import finish_part
from bodytext.corpus.run.tasks import extract_shard, survey_shard
from bodytext.corpus.workers.child import RAISED, Answer, Tick
from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.sources.storage import SourceReadError

_TASKS = {"survey": survey_shard, "extract": extract_shard, "finish": finish_part}
# Why a job failed, if no record is to blame: the disk is full, or a source cannot be read now.
FULL, UNREAD = "full", "unread"

_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL_WORDS = ("No space left", "File too large", "Disk quota")  # pyarrow's errors have no number
_ORDINARY = b"<p>A page of some length. " * 200  # tables of numpy come with the first of these


def prepare(_: dict[str, Any]) -> Answer:
    """Load what every job needs. Memory is limited afterwards, so this does not count."""
    arrow = import_module("pyarrow")
    import_module("pyarrow.compute")
    import_module("pyarrow.parquet")
    arrow.set_cpu_count(1)
    arrow.set_io_thread_count(1)
    to_batch([Row()])  # pyarrow loads pandas, if it is there, with the first rows
    extract(_ORDINARY).metadata  # noqa: B018 - loads the code that reads metadata
    return do_job


def do_job(message: WorkerMessage, tick: Tick) -> WorkerMessage:
    """Do a job, and say why it failed, if it did."""
    try:
        _TASKS[message.head["task"]](message.head, tick)
    except SourceReadError as error:
        return WorkerMessage({"failed": UNREAD, "reason": str(error)})
    except OSError as error:
        failed = FULL if _is_disk_full(error) else RAISED
        return WorkerMessage({"failed": failed, "reason": f"{type(error).__name__}: {error}"})
    return WorkerMessage({})


def _is_disk_full(error: OSError) -> bool:
    return error.errno in _FULL_ERRORS or any(words in str(error) for words in _FULL_WORDS)
