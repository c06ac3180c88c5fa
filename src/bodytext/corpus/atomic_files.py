"""Write files that are complete or absent, also after a power cut."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

TEMPORARY = ".unfinished"  # ends the names of files that are being written


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary name to write to. The file gets its own name if there is no error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{uuid4().hex}{TEMPORARY}")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, atomically."""
    with write_atomically(path) as temporary:
        # JSON in ASCII: file names may not be UTF-8.
        temporary.write_text(json.dumps(value, indent=1) + "\n", "utf-8")


def remove_unfinished(folder: Path) -> None:
    """Remove the temporary files of a run that was killed."""
    for path in folder.rglob(f"*{TEMPORARY}"):
        path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return  # other systems cannot open folders
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
