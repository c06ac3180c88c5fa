"""What a command says: its output, its messages, its exit status."""

import sys

from bodytext.output.explanation import CONTROLS

DONE, FAILED, USAGE, NOTHING_FOUND = 0, 1, 2, 3


def write_out(text: str) -> None:
    """Print what was asked for."""
    if text:
        sys.stdout.buffer.write((text + "\n").encode("utf-8", "replace"))


def say(message: str) -> None:
    """Tell the user something beside the output."""
    sys.stderr.write(f"bodytext: {CONTROLS.sub('', message)}\n")


def describe(error: Exception) -> str:
    """What went wrong, without the number that the system gives it."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
