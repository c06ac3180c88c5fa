"""The messages between a worker and its process: a JSON object and bytes.

Before its answer the process sends reports of how many records are done. There is one for each
record, so a report is two numbers and no JSON.
"""

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

SIZES = struct.Struct(">II")  # of the object and of the bytes
REPORT = 2**32 - 1  # in place of the first size; the second number is that of the records


@dataclass(frozen=True, slots=True)
class WorkerMessage:
    """A small head and a large body."""

    head: dict[str, Any]
    body: bytes = b""

    def pack_head(self) -> bytes:
        """Return the sizes and the head; the body follows without being copied."""
        head = json.dumps(self.head).encode()
        return SIZES.pack(len(head), len(self.body)) + head


def write_message(file: IO[bytes], message: WorkerMessage) -> None:
    """Write a message at once."""
    file.write(message.pack_head())
    file.write(message.body)
    file.flush()


def write_report(file: IO[bytes], done: int) -> None:
    """Report at once how many records are done."""
    file.write(SIZES.pack(REPORT, done))
    file.flush()


def read_message(
    file: IO[bytes], hear: Callable[[int], None] = lambda _: None
) -> WorkerMessage | None:
    """Read the next message; return None if the file ends before the message does.

    `hear` gets the reports before it.
    """
    while len(sizes := file.read(SIZES.size)) == SIZES.size:
        head_size, body_size = SIZES.unpack(sizes)
        if head_size != REPORT:
            return _read_rest(file, head_size, body_size)
        hear(body_size)
    return None


def _read_rest(file: IO[bytes], head_size: int, body_size: int) -> WorkerMessage | None:
    head, body = file.read(head_size), file.read(body_size)
    complete = len(head) == head_size and len(body) == body_size
    return WorkerMessage(json.loads(head), body) if complete else None
