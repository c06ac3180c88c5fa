"""Clean text for a terminal."""

import re

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def drop_controls(line: str) -> str:
    """Drop the control characters of a line: a page must not steer the terminal."""
    return _CONTROLS.sub("", line)
