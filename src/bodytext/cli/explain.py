"""bodytext explain: a page in, its blocks with every method's score and the reasons out."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bodytext.cli.inputs import InputError, find_one, read_input
from bodytext.cli.options import add_model, count
from bodytext.cli.speech import DONE, FAILED, NOTHING_FOUND, say, write_out
from bodytext.methods import LEARNED, METHODS, as_method
from bodytext.page.parser import parse

if TYPE_CHECKING:
    from bodytext.methods.learned.explanation import Reason


def add(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Prints a page's blocks in their order, numbered as in the inspector: kind, words, share of linked text, and "
        "every method's score, with a * where the method keeps the block; under it what spoke for and against it."
    )
    parser.add_argument("page", metavar="PAGE", help="an HTML file, a URL, or - for standard input")
    parser.add_argument("--reasons", type=count, default=2, metavar="N", help="how many for and against; default 2")
    add_model(parser)
    parser.set_defaults(run=_explain)


def _explain(options: argparse.Namespace) -> int:
    from bodytext.methods.learned.explanation import explain_blocks
    from bodytext.methods.learned.method import Learned
    from bodytext.output.explanation import to_table

    try:
        read = read_input(find_one(options.page))
    except InputError as problem:
        say(str(problem))
        return FAILED
    page = parse(read.html, url=read.url, charset=read.charset or None)
    if not len(page):
        from bodytext.diagnosis import diagnose

        say(f"{options.page}: {diagnose(page, np.zeros(0, np.intp))}")
        return NOTHING_FOUND
    learned = Learned(options.model or "")
    judgement = learned.judge(page)
    others = {name: as_method(name).score(page) for name in METHODS if name != LEARNED}
    spoken = explain_blocks(page, learned) if options.reasons and judgement.confidence is not None else []
    reasons = [_give_reasons(one, options.reasons) for one in spoken]
    write_out(to_table(page, others | {LEARNED: judgement.scores}, reasons))
    if judgement.confidence is None:
        write_out(f"{LEARNED}: the page has {len(page):,} blocks, too many for it; these are cuter's scores")
    else:
        write_out(f"{LEARNED}: page type {judgement.page_type}, expected F1 {judgement.confidence:.2f}")
    return DONE


def _give_reasons(reasons: Sequence["Reason"], most: int) -> str:
    """The weightiest reasons for and against, in a line."""
    spoken = [[one for one in reasons if (one.weight > 0) == sign][:most] for sign in (True, False)]
    parts = [
        f"{word} {', '.join(one.words for one in some)}"
        for word, some in zip(("for:", "against:"), spoken, strict=True)
        if some
    ]
    return "; ".join(parts)
