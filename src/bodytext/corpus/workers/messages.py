"""The messages between a worker and its process: a JSON object and bytes."""

import json
import struct
from dataclasses import dataclass
from typing import IO, Any

SIZES = struct.Struct(">II")  # of the object and of the bytes


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


def read_message(file: IO[bytes]) -> WorkerMessage | None:
    """Read the next message; return None if the file ends before the message does."""
    sizes = file.read(SIZES.size)
    if len(sizes) < SIZES.size:
        return None
    head_size, body_size = SIZES.unpack(sizes)
    head, body = file.read(head_size), file.read(body_size)
    complete = len(head) == head_size and len(body) == body_size
    return WorkerMessage(json.loads(head), body) if complete else None
