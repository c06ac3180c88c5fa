"""Run `bodytext extract`, which prints or writes the body text of pages."""

import argparse
import sys
from pathlib import Path

import bodytext
from bodytext.cli.command import Command
from bodytext.cli.console import DONE, FAILED, NOTHING_FOUND, print_message
from bodytext.cli.inputs import InputError, PageInput, find_inputs, read_input
from bodytext.cli.options import add_model, choose_method
from bodytext.cli.outputs import Output
from bodytext.document import Document
from bodytext.methods import DEFAULT, METHODS, Method
from bodytext.methods.scores import BOUNDARY, PRESETS, read_threshold
from bodytext.output.formats import FORMATS, RenderOptions, render
from bodytext.output.references import CHOICES

_WHERE = "a file for one page; for several a folder, or one file such as all.csv or all.jsonl; with a / always a folder"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.add_argument(
        "pages",
        nargs="*",
        metavar="PAGE",
        help="HTML files, folders or URLs; - or none: standard input",
    )
    parser.add_argument(
        "-m",
        "--method",
        default=DEFAULT,
        help=f"one of {', '.join(METHODS.own)}; parameters follow a colon: spread:stop=8; default {DEFAULT}",
    )
    add_model(parser)
    parser.add_argument(
        "-t",
        "--threshold",
        type=_threshold,
        default=BOUNDARY,
        help=f"0 keeps most, 1 least, default {BOUNDARY}; or a name: {', '.join(PRESETS)}",
    )
    formats = f"{{{','.join(FORMATS.own)}}}"  # other packages may have more
    parser.add_argument(
        "-f", "--format", metavar=formats, default="text", help="the output format; default text"
    )
    parser.add_argument(
        "--links",
        choices=CHOICES,
        default="keep",
        help=f"what to do with links in {_list_formats('links')}; default keep",
    )
    parser.add_argument("--images", choices=CHOICES, default="keep", help="the same for images")
    parser.add_argument("-o", "--output", metavar="PATH", help=_WHERE)
    parser.add_argument("--url", default="", help="the address of the page, if there is only one")
    parser.set_defaults(run=_extract)


def _list_formats(option: str) -> str:
    """Name our formats that take an option."""
    return ", ".join(name for name in FORMATS.own if option in FORMATS[name].options)


def _threshold(value: str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value  # the name of a preset, or read_threshold refuses it


def _extract(options: argparse.Namespace) -> int:
    method = choose_method(options.method, options.model)
    read_threshold(options.threshold)
    inputs, failed = find_inputs(options.pages)
    many = len(options.pages) > 1 or any(Path(page).is_dir() for page in options.pages)
    if many and options.url:
        raise ValueError("--url is the address of one page, not of several")
    output = Output(options.output or "", options.format, inputs, many=many)
    shows_progress = many and bool(options.output)
    empty = True
    for number, page in enumerate(inputs, 1):
        try:
            document = _extract_page(page, options, method)
            output.write(page, _render(page, document, options, is_first=output.needs_header))
        except InputError as problem:
            print_message(str(problem))
            failed = True
            continue
        if document.reason:
            print_message(f"{page.name}: {document.reason}")
        empty = empty and not document
        if shows_progress:
            _show_progress(number, len(inputs))
    return _choose_status(failed=failed, empty=empty)


def _choose_status(*, failed: bool, empty: bool) -> int:
    if failed:
        return FAILED
    return NOTHING_FOUND if empty else DONE


def _extract_page(page: PageInput, options: argparse.Namespace, method: Method) -> Document:
    record = read_input(page)
    url, charset = options.url or record.url, record.charset or None
    try:
        return bodytext.extract(
            record.html, url=url, method=method, threshold=options.threshold, charset=charset
        )
    except ValueError as problem:
        raise InputError(f"{page.name}: {problem}") from None


def _render(
    page: PageInput, document: Document, options: argparse.Namespace, *, is_first: bool
) -> str:
    chosen = RenderOptions(page.name, options.links, options.images, is_first)
    return render(document, options.format, chosen)


def _show_progress(number: int, total: int) -> None:
    if sys.stderr and sys.stderr.isatty() and (number % 20 == 0 or number == total):
        sys.stderr.write(f"\r{number:,} of {total:,} pages" + ("\n" if number == total else ""))
        sys.stderr.flush()


COMMAND = Command("print or write the body text of pages (the default)", add_options)
