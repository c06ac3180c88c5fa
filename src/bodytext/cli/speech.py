"""What a command says: its output, its messages, its exit status."""

import errno
import sys

from bodytext.output.explanation import CONTROLS

DONE, FAILED, USAGE, NOTHING_FOUND = 0, 1, 2, 3


def write_out(text: str) -> None:
    """Print what was asked for."""
    if text:
        write_bytes((text + "\n").encode("utf-8", "replace"))


def write_bytes(data: bytes) -> None:
    """Print bytes as they are; an OSError where the shell has closed what is printed to."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    sys.stdout.buffer.write(data)


def say(message: str) -> None:
    """Tell the user something beside the output."""
    if sys.stderr is not None:
        sys.stderr.write(f"bodytext: {CONTROLS.sub('', message)}\n")


def describe(error: Exception) -> str:
    """What went wrong, without the number that the system gives it."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
