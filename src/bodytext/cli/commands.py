"""The commands of the command line, ours and those of other packages."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from bodytext.methods.registry import Registry


@dataclass(frozen=True, slots=True)
class Command:
    """A command: a line for the list of commands, and a function that gives its parser options.

    The function sets `run`, which takes the parsed options and returns the exit status.
    """

    summary: str
    add_options: Callable[[argparse.ArgumentParser], None]


# A command's module is imported when the command runs, or to list the commands.
COMMANDS: Registry[Command] = Registry(
    "bodytext.commands",
    {
        name: f"bodytext.cli.{name}:COMMAND"
        for name in (
            *("extract", "explain", "inspect", "label", "reader", "corpus"),
            *("methods", "cuter", "evaluate", "train", "serve"),
        )
    },
)
