"""What a command prints, and its exit status."""

import errno
import sys

from bodytext.output.terminal import drop_controls, drop_steering
from bodytext.sources.record import PRIVATE_ERROR

DONE, FAILED, USAGE, NOTHING_FOUND = 0, 1, 2, 3
INTERRUPTED = 130  # by Ctrl-C, as shells have it


def print_text(text: str) -> None:
    """Print output."""
    if text:
        if sys.stdout is not None and sys.stdout.isatty():
            text = drop_steering(text)
        print_bytes((text + "\n").encode("utf-8", "replace"))


def print_bytes(data: bytes) -> None:
    """Print bytes as they are; raise an OSError if the shell has closed standard output."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    sys.stdout.buffer.write(data)


def print_message(message: str) -> None:
    """Print a message to the user on standard error, with the option that would have helped."""
    if message.endswith(PRIVATE_ERROR):
        message += "; --allow-private fetches from there too"
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"bodytext: {drop_controls(message)}\n")
    except BrokenPipeError:  # nobody reads messages any more; the work goes on
        sys.stderr = None


def describe(error: Exception) -> str:
    """Describe an error without the number that the system gives it."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
