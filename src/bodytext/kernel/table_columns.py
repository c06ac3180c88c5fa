"""The columns of the tables that a page is scanned into, in their order."""

from enum import IntEnum


class NodeColumn(IntEnum):
    """A column of the table of elements."""

    TAG = 0
    PARENT = 1
    FIRST_RUN = 2
    STOP_RUN = 3
    START = 4
    END = 5
    FLAGS = 6


class RunColumn(IntEnum):
    """A column of the table of runs of text."""

    START = 0
    END = 1
    TAGS = 2
    WORDS = 3
    CHARS = 4
    BYTES = 5
    NODE = 6
    FLAGS = 7


class BlockColumn(IntEnum):
    """A column of the table of blocks."""

    FIRST_RUN = 0
    STOP_RUN = 1
    KIND = 2
    NODE = 3
