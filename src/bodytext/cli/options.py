"""Options that several commands take."""

import argparse
import math
from typing import Any

from bodytext.methods import LEARNED, Method, as_method

HIGHEST_PORT = 65_535


class Parser(argparse.ArgumentParser):
    """Takes options between pages and sources as well as before and behind them, and so do its commands."""

    _is_mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Read what is known; what is not is an error of the command that got it, with its own usage."""
        # Behind a "--" argparse would find options again, and commands of commands are read in one order only.
        if self._is_mixing or self._subparsers is not None or "--" in (args or ()):
            return super().parse_known_args(args, namespace)
        self._is_mixing = True
        try:
            found, unknown = self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_mixing = False
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown


def add_model(parser: argparse.ArgumentParser) -> None:
    """Let a command take other weights."""
    parser.add_argument("--model", metavar="FILE", help="weights for the learned method, as bodytext train writes them")


def choose_method(method: str, model: str | None) -> Method:
    """The method that options name; a ValueError where its weights are none, or are not for this method."""
    if model and method != LEARNED:
        raise ValueError(f"--model holds weights of the method {LEARNED}, not of {method}")
    return as_method(method, model or "")


def add_server(parser: argparse.ArgumentParser) -> None:
    """Let a command that is used in the browser take a port, and leave the browser alone."""
    parser.add_argument("--port", type=port, default=0, help="where the server listens; default: any that is free")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open nothing")


def count(value: str) -> int:
    """A number of things, as an option gives it."""
    if not value.isdigit():
        raise argparse.ArgumentTypeError(f"{value} is no count")
    return int(value)


def some(value: str) -> int:
    """A number of things of which there must be one at least."""
    if not count(value):
        raise argparse.ArgumentTypeError(f"{value} is too few; it should be at least 1")
    return count(value)


def port(value: str) -> int:
    """The number of a port, as an option gives it; 0 is any that is free."""
    if not value.isdigit() or int(value) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{value} is no port; it should be a number from 0 to {HIGHEST_PORT}")
    return int(value)


def amount(value: str) -> float:
    """A number more than 0, as an option gives it."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{value} is no number more than 0")
    return number
