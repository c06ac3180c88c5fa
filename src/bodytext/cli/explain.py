"""Run `bodytext explain`, which prints the blocks of a page with every method's score and the reasons."""

import argparse

import numpy as np

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, FAILED, NOTHING_FOUND, print_message, print_text
from bodytext.cli.inputs import InputError, WebOptions, find_one, read_input
from bodytext.cli.options import add_model, add_option, add_private, count
from bodytext.page.parser import parse


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Prints the blocks of a page in order, numbered as in the inspector: kind, words, share of linked text, and "
        "every method's score, with a * if the method keeps the block; below it the reasons for and against it."
    )
    parser.add_argument("page", metavar="PAGE", help="an HTML file, a URL, or - for standard input")
    add_option(parser, "--reasons N", "how many reasons for and against a block to print", 2, count)
    add_model(parser)
    add_private(parser)
    parser.set_defaults(run=_explain)


def _explain(options: argparse.Namespace) -> int:
    try:
        read = read_input(find_one(options.page, WebOptions(options.allow_private)))
    except InputError as problem:
        print_message(str(problem))
        return FAILED
    page = parse(read.html, url=read.url, charset=read.charset or None)
    if not len(page):
        from bodytext.diagnosis import diagnose

        print_message(f"{options.page}: {diagnose(page, np.zeros(0, np.intp))}")
        return NOTHING_FOUND
    from bodytext.output.score_table import explain_page

    print_text(explain_page(page, options.model or "", options.reasons))
    return DONE


COMMAND = Command("print the blocks of a page with every method's score", add_options)
