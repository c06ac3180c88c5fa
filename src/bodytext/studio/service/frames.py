"""Frame: what goes through a pipe between the service and a worker: a JSON object and bytes."""

import json
import struct
from dataclasses import dataclass
from typing import Any

SIZES = struct.Struct(">II")  # of the object and of the bytes


@dataclass(frozen=True, slots=True)
class Frame:
    """A message: few words about many bytes."""

    head: dict[str, Any]
    body: bytes = b""

    def pack_head(self) -> bytes:
        """The sizes and the head; the body follows as it is, uncopied."""
        head = json.dumps(self.head).encode()
        return SIZES.pack(len(head), len(self.body)) + head
