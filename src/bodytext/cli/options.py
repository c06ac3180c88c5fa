"""Options that several commands take."""

import argparse
import math
from typing import Any

from bodytext.methods import LEARNED, Method, as_method
from bodytext.sources.storage import require

HIGHEST_PORT = 65_535


class Parser(argparse.ArgumentParser):
    """A parser that takes options between positional arguments too, and so do its subcommands."""

    _is_mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse the arguments. Unknown ones are an error of the command that got them, with its own usage."""
        # After "--" argparse would find options again, and it cannot mix the arguments of subcommands.
        if self._is_mixing or self._subparsers is not None or "--" in (args or ()):
            return super().parse_known_args(args, namespace)
        self._is_mixing = True
        try:
            known, unknown = self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_mixing = False
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown


# What takes options: a parser or one of its groups.
Options = argparse._ActionsContainer


def add_flag(parser: Options, name: str, words: str) -> None:
    """Add an option without a value, which is off unless it is given."""
    parser.add_argument(name, action="store_true", help=words)


def add_option(
    parser: Options, names: str, words: str, default: Any = None, read: Any = None, **settings: Any
) -> None:
    """Add an option with a value, such as "-o --output FILE"; its help says the default.

    `read` turns the text of the value into what it means; `settings` are those of argparse.
    """
    flags = [word for word in names.split() if word.startswith("-")]
    metavar = " ".join(names.split()[len(flags) :]) or None
    if default and "default" not in words:
        words += f"; default {default:g}" if isinstance(default, float) else f"; default {default}"
    settings |= {"default": default, "type": read, "metavar": metavar, "help": words}
    parser.add_argument(*flags, **settings)


def add_model(parser: Options) -> None:
    """Add the option for other weights."""
    add_option(
        parser, "--model FILE", "weights for the learned method, as bodytext train writes them"
    )


def add_private(parser: Options) -> None:
    """Add the option for addresses that are not public."""
    add_flag(parser, "--allow-private", "fetch from this machine and private networks too")


def choose_method(method: str, model: str | None) -> Method:
    """Return the method that the options name; raise a ValueError if the weights do not belong to it."""
    if model and method != LEARNED:
        raise ValueError(f"--model holds weights of the method {LEARNED}, not of {method}")
    return as_method(method, model or "")


def add_server(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that run in the browser."""
    add_option(parser, "--port", "the port to listen on; default: any free one", 0, port)
    add_flag(parser, "--no-browser", "print the address, do not open the browser")


def require_web(purpose: str) -> None:
    """Raise a ValueError that says what to install if a package of the web tools is missing."""
    require("jinja2", "starlette", "uvicorn", extra="web", purpose=purpose)


def count(value: str) -> int:
    """Read a count from an option."""
    if not value.isdigit():
        raise argparse.ArgumentTypeError(f"{value} is not a count")
    return int(value)


def at_least_one(value: str) -> int:
    """Read a count that must be at least 1."""
    if not count(value):
        raise argparse.ArgumentTypeError(f"{value} is too few; it should be at least 1")
    return count(value)


def threshold(value: str) -> float | str:
    """Read a threshold: a number, or the name of a preset, which read_threshold checks."""
    try:
        return float(value)
    except ValueError:
        return value


def port(value: str) -> int:
    """Read the number of a port from an option; 0 means any free one."""
    if not value.isdigit() or int(value) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(
            f"{value} is not a port; it should be a number from 0 to {HIGHEST_PORT}"
        )
    return int(value)


def positive_number(value: str) -> float:
    """Read a number greater than 0 from an option."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{value} is not a number greater than 0")
    return number
