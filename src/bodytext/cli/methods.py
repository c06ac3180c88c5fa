"""bodytext methods: the list of the methods."""

import argparse

from bodytext.cli.speech import DONE, write_out
from bodytext.methods import METHODS


def add(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.set_defaults(run=_list_methods)


def _list_methods(_: argparse.Namespace) -> int:
    for name in METHODS:
        write_out(f"{name:<9}{METHODS[name].__doc__}")
    return DONE
