"""Clean text for a terminal."""

import re

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tabs and line ends


def drop_controls(line: str) -> str:
    """Drop the control characters of a line: a page must not steer the terminal."""
    return _CONTROLS.sub("", line)


def drop_steering(text: str) -> str:
    """Drop the control characters of a text, but not its tabs and line ends."""
    return _STEERING.sub("", text)
