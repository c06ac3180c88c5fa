"""Options that several commands take."""

import argparse


def add_model(parser: argparse.ArgumentParser) -> None:
    """Let a command take other weights."""
    parser.add_argument("--model", metavar="FILE", help="weights for the learned method, as bodytext train writes them")


def count(value: str) -> int:
    """A number of things, as an option gives it."""
    if not value.isdigit():
        raise argparse.ArgumentTypeError(f"{value} is no count")
    return int(value)
