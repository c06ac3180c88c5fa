"""Run `bodytext explain`, which prints the blocks of a page with every method's score and the reasons."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, FAILED, NOTHING_FOUND, print_message, print_text
from bodytext.cli.inputs import InputError, WebOptions, find_one, read_input
from bodytext.cli.options import add_model, add_private, count
from bodytext.methods import LEARNED, METHODS, as_method
from bodytext.page.parser import parse
from bodytext.page.tables import Page

if TYPE_CHECKING:
    from bodytext.methods.learned.explanation import Reason


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Prints the blocks of a page in order, numbered as in the inspector: kind, words, share of linked text, and "
        "every method's score, with a * if the method keeps the block; below it the reasons for and against it."
    )
    parser.add_argument("page", metavar="PAGE", help="an HTML file, a URL, or - for standard input")
    parser.add_argument(
        "--reasons",
        type=count,
        default=2,
        metavar="N",
        help="how many reasons for and against a block to print; default 2",
    )
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
    _write_table(page, options.model or "", options.reasons)
    return DONE


def _write_table(page: Page, model: str, most: int) -> None:
    from bodytext.methods.learned.explanation import explain_blocks
    from bodytext.methods.learned.method import Learned
    from bodytext.output.score_table import format_score_table

    learned = Learned(model)
    scores = learned.score(page)
    values = {name: as_method(name).score(page).values for name in METHODS if name != LEARNED}
    explained = explain_blocks(page, learned) if most and scores.confidence is not None else []
    reasons = [_join_reasons(block, most) for block in explained]
    print_text(format_score_table(page, values | {LEARNED: scores.values}, reasons))
    if scores.confidence is None:
        print_text(
            f"{LEARNED}: the page has {len(page):,} blocks, too many for it; these are cuter's scores"
        )
    else:
        print_text(f"{LEARNED}: page type {scores.page_type}, expected F1 {scores.confidence:.2f}")


def _join_reasons(reasons: Sequence["Reason"], most: int) -> str:
    """Join the weightiest reasons for and against a block in one line."""
    sides = {
        "for:": [reason for reason in reasons if reason.weight > 0],
        "against:": [reason for reason in reasons if reason.weight <= 0],
    }
    parts = [
        f"{word} {', '.join(reason.words for reason in side[:most])}"
        for word, side in sides.items()
        if side
    ]
    return "; ".join(parts)


COMMAND = Command("print the blocks of a page with every method's score", add_options)
