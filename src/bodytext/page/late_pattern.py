"""Regular expressions that are compiled when they are first used.

A page needs few of those for metadata and comments, and compiling all takes longer than a page.
"""

import re
from typing import Any, AnyStr, cast


class LatePattern:
    """A regular expression that becomes what `re.compile` gives when it is first used."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self.given_flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "pattern":  # a copy that has nothing yet is asked so
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.given_flags)
        ways = (way for way in dir(compiled) if not way.startswith("_"))
        vars(self).update((way, getattr(compiled, way)) for way in ways)  # two threads set the same
        return getattr(compiled, name)


def late_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled when it is first used."""
    return cast("re.Pattern[AnyStr]", LatePattern(pattern, flags))
