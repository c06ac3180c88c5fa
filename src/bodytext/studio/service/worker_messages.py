"""The messages between the service and its workers: a JSON object and bytes."""

import json
import struct
from dataclasses import dataclass
from typing import Any

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
