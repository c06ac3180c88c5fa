"""Run `bodytext methods`, which lists the methods."""

import argparse

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, print_text
from bodytext.methods import METHODS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.set_defaults(run=_list_methods)


def _list_methods(_: argparse.Namespace) -> int:
    for name in METHODS:
        print_text(f"{name:<9}{METHODS[name].__doc__}")
    return DONE


COMMAND = Command("list the methods", add_options)
