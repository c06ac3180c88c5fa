"""A command of the command line."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A command: a line for the list of commands, and a function that gives its parser options.

    The function sets `run`, which takes the parsed options and returns the exit status.
    """

    summary: str
    add_options: Callable[[argparse.ArgumentParser], None]
