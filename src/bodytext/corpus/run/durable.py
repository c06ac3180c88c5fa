"""Bytes -> a file that is there whole or not at all, and that a power cut does not take back."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

TEMPORARY = ".unfinished"  # ends the names of files that are being written


@contextmanager
def write_whole(path: Path) -> Iterator[Path]:
    """A temporary name to write to; when that is done without an error, the file gets its own name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{uuid4().hex}{TEMPORARY}")
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
    """Write a value as JSON, whole."""
    with write_whole(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1) + "\n", "utf-8")  # names of files may be no UTF-8


def remove_unfinished(folder: Path) -> None:
    """Remove what a run that was killed had begun to write."""
    for path in folder.rglob(f"*{TEMPORARY}"):
        path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return  # folders cannot be opened there
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
