"""bodytext extract: pages in, their body text out."""

import argparse
import sys
from pathlib import Path

import bodytext
from bodytext.cli.inputs import Input, InputError, find_inputs, read_input
from bodytext.cli.options import add_model, choose_method
from bodytext.cli.outputs import Output
from bodytext.cli.speech import DONE, FAILED, NOTHING_FOUND, say
from bodytext.document import Document
from bodytext.methods import DEFAULT, METHODS, Method
from bodytext.methods.scores import BOUNDARY, PRESETS, read_threshold
from bodytext.output.formats import FORMATS, Wish, render
from bodytext.output.references import CHOICES

_WHERE = "a file for one page; for several a folder, or one file as in all.csv or all.jsonl; with a / always a folder"


def add(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.add_argument(
        "pages", nargs="*", metavar="PAGE", help="HTML files, folders or URLs; - or none: standard input"
    )
    parser.add_argument(
        "-m",
        "--method",
        default=DEFAULT,
        help=f"one of {', '.join(METHODS)}; parameters go behind a colon, as in spread:stop=8; default {DEFAULT}",
    )
    add_model(parser)
    parser.add_argument(
        "-t",
        "--threshold",
        type=_threshold,
        default=BOUNDARY,
        help=f"0 keeps most, 1 least, default {BOUNDARY}; or a name: {', '.join(PRESETS)}",
    )
    parser.add_argument("-f", "--format", choices=tuple(FORMATS), default="text", help="default text")
    parser.add_argument(
        "--links", choices=CHOICES, default="keep", help="in Markdown, HTML, JSON and TEI; default keep"
    )
    parser.add_argument("--images", choices=CHOICES, default="keep", help="the same for images")
    parser.add_argument("-o", "--output", metavar="PATH", help=_WHERE)
    parser.add_argument("--url", default="", help="the address of the one page")
    parser.set_defaults(run=_extract)


def _threshold(value: str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value  # a name, or what read_threshold refuses


def _extract(options: argparse.Namespace) -> int:
    method = choose_method(options.method, options.model)
    read_threshold(options.threshold)
    inputs, failed = find_inputs(options.pages)
    many = len(options.pages) > 1 or any(Path(page).is_dir() for page in options.pages)
    if many and options.url:
        raise ValueError("--url is the address of one page, not of several")
    output = Output(options.output or "", options.format, inputs, many=many)

    def render_one(one: Input, document: Document, is_first: bool) -> str:
        return render(document, options.format, Wish(one.name, options.links, options.images, is_first))

    found = False
    for number, one in enumerate(inputs, 1):
        try:
            document = _extract_one(one, options, method)
            output.write(one, document, render_one)
        except InputError as problem:
            say(str(problem))
            failed = True
            continue
        if document.reason:
            say(f"{one.name}: {document.reason}")
        found = found or len(document.paragraphs) > 0
        _show_progress(number, len(inputs), shown=bool(options.output) and many)
    return FAILED if failed else DONE if found else NOTHING_FOUND


def _extract_one(one: Input, options: argparse.Namespace, method: Method) -> Document:
    page = read_input(one)
    url, charset = options.url or page.url, page.charset or None
    try:
        return bodytext.extract(page.html, url=url, method=method, threshold=options.threshold, charset=charset)
    except ValueError as problem:
        raise InputError(f"{one.name}: {problem}") from None


def _show_progress(number: int, total: int, *, shown: bool) -> None:
    if shown and sys.stderr and sys.stderr.isatty() and (number % 20 == 0 or number == total):
        sys.stderr.write(f"\r{number:,} of {total:,} pages" + ("\n" if number == total else ""))
        sys.stderr.flush()
