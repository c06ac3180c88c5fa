"""Options that several commands take."""

import argparse
import math

HIGHEST_PORT = 65_535


def add_model(parser: argparse.ArgumentParser) -> None:
    """Let a command take other weights."""
    parser.add_argument("--model", metavar="FILE", help="weights for the learned method, as bodytext train writes them")


def add_server(parser: argparse.ArgumentParser) -> None:
    """Let a command that is used in the browser take a port, and leave the browser alone."""
    parser.add_argument("--port", type=port, default=0, help="where the server listens; default: any that is free")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open nothing")


def count(value: str) -> int:
    """A number of things, as an option gives it."""
    if not value.isdigit():
        raise argparse.ArgumentTypeError(f"{value} is no count")
    return int(value)


def port(value: str) -> int:
    """The number of a port, as an option gives it; 0 is any that is free."""
    number = count(value)
    if number > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{value} is no port; they end at {HIGHEST_PORT}")
    return number


def amount(value: str) -> float:
    """A number more than 0, as an option gives it."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{value} is no number more than 0")
    return number
