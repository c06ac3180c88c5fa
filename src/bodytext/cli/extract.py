"""Run `bodytext extract`, which prints or writes the body text of pages."""

import argparse
import sys
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, get_args

from bodytext.batch.ordered import IN_TASK, PageLostError, map_ordered
from bodytext.cli.command import Command
from bodytext.cli.console import DONE, FAILED, NOTHING_FOUND, print_message, print_text
from bodytext.cli.inputs import (
    FoundInputs,
    InputError,
    PageInput,
    WebOptions,
    fetch_page,
    find_inputs,
    read_input,
    read_standard,
)
from bodytext.cli.options import (
    add_flag,
    add_model,
    add_option,
    add_private,
    at_least_one,
    choose_method,
    threshold,
)
from bodytext.cli.outputs import Output
from bodytext.diagnosis import JAVASCRIPT
from bodytext.document import Document
from bodytext.extraction import extract
from bodytext.methods import DEFAULT, METHODS, Method
from bodytext.methods.scores import BOUNDARY, PRESETS
from bodytext.methods.wishes import Comments
from bodytext.output.formats import FORMATS, RenderOptions, render
from bodytext.output.references import CHOICES
from bodytext.page.urls import is_web_address
from bodytext.sources.files import has_folder
from bodytext.sources.record import Record
from bodytext.sources.storage import require

_PAGES = "HTML files, folders, URLs, feed:URL, sitemap:URL, files of addresses; - or none: standard input"
_WHERE = "a file for one page; for several a folder, or one file such as all.csv or all.jsonl; with a / always a folder"
_NEEDED = ("title", "date", "url")  # what --only-with-metadata asks for
_MOST_CRAWLED = 100
_SHOWN_FAULTS = 3  # of TEI


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=_PAGES)
    _add_finding(parser.add_argument_group("what is body text"))
    _add_writing(parser.add_argument_group("how it is written"))
    _add_web(parser.add_argument_group("pages from the web"))
    parser.set_defaults(run=_extract)


def _add_finding(group: argparse._ArgumentGroup) -> None:
    add_option(
        group,
        "-m --method",
        f"one of {', '.join(METHODS.own)}; parameters follow a colon: spread:stop=8",
        DEFAULT,
    )
    add_model(group)
    add_option(
        group,
        "-t --threshold",
        f"0 keeps most, 1 least, default {BOUNDARY}; or a name: {', '.join(PRESETS)}",
        BOUNDARY,
        threshold,
    )
    add_option(group, "--prune CSS", "take these elements out first", [], action="append")
    add_option(group, "--keep CSS", "keep the text of these elements", [], action="append")
    add_flag(group, "--no-tables", "leave out tables of data")
    add_option(
        group,
        "--comments",
        "in the text, apart from it, or nowhere; default: as the method finds",
        choices=get_args(Comments),
    )


def _add_writing(group: argparse._ArgumentGroup) -> None:
    known = ",".join(FORMATS.own)  # other packages may have more
    add_option(
        group, f"-f --format {{{known}}}", "the output format; default: by the name of -o, or text"
    )
    add_option(group, "-o --output PATH", _WHERE)
    add_flag(group, "--overwrite", "replace files that exist")
    add_option(
        group,
        "--links",
        f"what to do with links in {_list_formats('links')}",
        "keep",
        choices=CHOICES,
    )
    add_option(group, "--images", "the same for images", "keep", choices=CHOICES)
    add_flag(
        group,
        "--with-metadata",
        f"headline and YAML above the text in {_list_formats('front_matter')}",
    )
    add_flag(
        group,
        "--only-with-metadata",
        f"leave out pages without {', '.join(_NEEDED[:-1])} or {_NEEDED[-1]}",
    )
    add_flag(group, "--validate-tei", "check TEI by our DTD; a page with a fault is not written")
    add_option(group, "--workers N", "processes", 1, at_least_one)


def _add_web(group: argparse._ArgumentGroup) -> None:
    add_option(group, "--url", "the address of the page, if there is only one", "")
    add_flag(group, "--render", "open pages in Chromium, which runs their scripts")
    add_option(
        group,
        "--pages N",
        "join an article that goes over up to N pages",
        1,
        at_least_one,
        dest="joined",
    )
    add_flag(group, "--archived", "the Internet Archive's copy of what is gone")
    add_flag(group, "--crawl", "follow the links of a site: --crawl https://…")
    most = f"with --crawl; default {_MOST_CRAWLED}"
    add_option(group, "--max-pages N", most, None, at_least_one)
    add_option(
        group,
        "--url-filter TEXT",
        "of a list, feed, sitemap or site only addresses with this text",
        [],
        action="append",
    )
    add_option(group, "--blacklist FILE", "addresses to pass over, one per line", "")
    add_flag(group, "--list", "print the names of the pages, and read none")
    add_private(group)


def _list_formats(option: str) -> str:
    """Name our formats that take an option."""
    return ", ".join(name for name in FORMATS.own if option in FORMATS[name].options)


class _Settings(NamedTuple):
    """What the work on one page needs, in this process or in another."""

    command: argparse.Namespace
    options: dict[str, Any]  # of extract
    web: WebOptions


class _Written(NamedTuple):
    """What became of a page."""

    page: PageInput
    text: str = ""
    reason: str = ""  # why the text is short or none
    problem: str = ""  # why there is nothing to write
    is_empty: bool = True
    is_failed: bool = False


def _extract(options: argparse.Namespace) -> int:
    if options.output == "":
        raise ValueError("-o is empty; name a file or a folder")
    options.format = _choose_format(options)
    settings = _read_settings(options)
    inputs = find_inputs(options.pages, settings.web)
    if inputs.pages or inputs.lists:
        _check_use(options, inputs)
    if options.list:
        return _list_names(inputs)
    many = _are_many(options.pages, inputs)
    if many and options.url:
        raise ValueError("--url is the address of one page, not of several")
    output = Output(
        options.output or "",
        options.format,
        inputs,
        many=many,
        overwrite=options.overwrite,
    )
    inputs = replace(
        inputs, pages=[page for page in inputs.pages if not output.passes_over(page.output)]
    )
    shown = len(inputs.pages) if many and options.output and not inputs.lists else 0
    return _write_all(inputs, settings, output, options.workers, shown)


def _choose_format(options: argparse.Namespace) -> str:
    """Return the name of the format; what was typed goes before defaults of the user's own."""
    typed = options.typed
    asked = typed.format or _find_format(typed.output) or options.format
    return asked or _find_format(options.output) or "text"


def _find_format(output: str | None) -> str:
    """Return the name of the format of files that end like the output; empty if there is none."""
    known = {suffix: name for name in FORMATS.own for suffix in FORMATS[name].suffixes}
    fitting = [suffix for suffix in known if output and output.lower().endswith(suffix)]
    return known[max(fitting, key=len)] if fitting else ""  # .tei.xml is also .xml


def _read_settings(options: argparse.Namespace) -> _Settings:
    """Check what does not depend on the pages."""
    asked = {
        "threshold": options.threshold,
        "tables": not options.no_tables,
        "comments": options.comments,
        "prune": options.prune,
        "keep": options.keep,
    }
    extract("", method=_find_method(options.method, options.model), **asked)
    if options.validate_tei and options.format != "tei":
        raise ValueError("--validate-tei checks TEI: choose it with -f tei")
    if options.validate_tei:
        require("lxml", extra="tei", purpose="--validate-tei")
    web = WebOptions(
        options.allow_private,
        options.render,
        options.archived,
        (options.max_pages or _MOST_CRAWLED) if options.crawl else 0,
        tuple(options.url_filter),
        options.blacklist,
    )
    return _Settings(options, asked, web)


def _check_use(options: argparse.Namespace, inputs: FoundInputs) -> None:
    """Refuse what was typed and would do nothing with these pages."""
    typed: argparse.Namespace = options.typed
    if typed.list and typed.output:
        raise ValueError("--list prints names and writes no text: leave out -o")
    if typed.max_pages and not options.crawl:
        raise ValueError("--max-pages is the most pages of a site: it needs --crawl")
    if not inputs.lists:
        _refuse(typed, ("url_filter", "blacklist"), "a list, a feed, a sitemap or a site")
    if not (inputs.lists or any(is_web_address(page.name) for page in inputs.pages)):
        _refuse(typed, ("render", "archived"), "pages from the web")
        if typed.joined > 1 and not options.url:
            raise ValueError("--pages is for pages from the web: say with --url where this one is")


def _refuse(typed: argparse.Namespace, names: tuple[str, ...], use: str) -> None:
    for name in names:
        if getattr(typed, name):
            raise ValueError(f"--{name.replace('_', '-')} is for {use}, and there is none")


@lru_cache(maxsize=1)
def _find_method(method: str, model: str | None) -> Method:
    return choose_method(method, model)


def _list_names(inputs: FoundInputs) -> int:
    found, failed = False, inputs.has_problems

    def report(problem: str) -> None:
        nonlocal failed
        print_message(problem)
        failed = True

    for name in inputs.names(report):
        print_text(name)
        found = True
    return _choose_status(failed=failed, empty=not found)


def _are_many(arguments: list[str], inputs: FoundInputs) -> bool:
    if inputs.lists or len(arguments) > 1:
        return True
    return any(has_folder(Path(page)) for page in arguments)


def _write_all(
    inputs: FoundInputs, settings: _Settings, output: Output, workers: int, shown: int
) -> int:
    failed, empty = inputs.has_problems, True
    if any(page.read is read_standard for page in inputs.pages):
        workers = 1  # another process has no standard input
    pages = inputs.read(output.passes_over)
    in_task = 1 if inputs.lists else IN_TASK  # what was fetched slowly is written at once
    results = map_ordered(partial(_work, settings=settings), pages, workers, in_task)
    number = 0
    with output:
        for number, result in enumerate(results, 1):
            problem, is_failed = _write(result, output)
            failed = failed or is_failed
            if problem:
                print_message(problem)
            elif isinstance(result, _Written):
                empty = empty and result.is_empty
            _show_progress(number, shown)
    if passed_over := output.describe_passed_over():
        print_message(passed_over)
    elif not number and not failed:
        print_message("no page is listed, or none that was asked for")
    return _choose_status(failed=failed, empty=empty and not passed_over)


def _write(result: "_Written | RuntimeError", output: Output) -> tuple[str, bool]:
    """Write a result; return why there is nothing to write, and whether that is a failure."""
    if isinstance(result, PageLostError) and isinstance(result.item, PageInput):
        return f"{result.item.name}: {result}", True
    if isinstance(result, RuntimeError):  # it could not be sent
        return str(result), True
    if result.problem:
        return result.problem, result.is_failed
    try:
        output.write(result.page, result.text)
    except InputError as problem:
        return str(problem), True
    if result.reason:
        print_message(result.reason)
    return "", False


def _choose_status(*, failed: bool, empty: bool) -> int:
    if failed:
        return FAILED
    return NOTHING_FOUND if empty else DONE


def _work(page: PageInput, settings: _Settings) -> _Written:
    """Read, extract and render a page."""
    command = settings.command
    try:
        document = _extract_page(page, settings)
        if command.only_with_metadata and (missing := _find_missing(document)):
            advice = "; give that of a single page with --url" if missing == "url" else ""
            return _Written(page, problem=f"{page.name}: left out: it has no {missing}{advice}")
        head = command.with_metadata
        options = RenderOptions(page.name, command.links, command.images, True, head, head)
        text = render(document, command.format, options)
        if command.validate_tei:
            _validate(page, text)
    except InputError as problem:
        return _Written(page, problem=str(problem), is_failed=True)
    reason = f"{page.name}: {document.reason}" if document.reason else ""
    if document.reason == JAVASCRIPT and is_web_address(page.name):
        reason += "; --render does that"
    return _Written(page, text, reason, is_empty=not document)


def _extract_page(page: PageInput, settings: _Settings) -> Document:
    record = read_input(page)
    method = _find_method(settings.command.method, settings.command.model)
    address = settings.command.url or record.url

    def read(other: Record) -> Document:
        url = address if other is record else other.url
        return extract(other, url=url, method=method, **settings.options)

    try:
        if settings.command.joined > 1 and address:
            from bodytext.batch.addresses import extract_joined

            fetch = partial(_fetch_next, settings.web)
            return extract_joined(record, fetch, read, settings.command.joined)
        return read(record)
    except ValueError as problem:
        raise InputError(f"{page.name}: {problem}") from None


def _fetch_next(web: WebOptions, address: str) -> Record:
    """Fetch a further page of an article."""
    from bodytext.sources.fetch import FetchError

    try:
        return fetch_page(address, web)
    except InputError as problem:
        raise FetchError(str(problem)) from None


def _find_missing(document: Document) -> str:
    """Name what a page with metadata needs and this one does not have."""
    metadata = document.metadata
    known = {"title": metadata.title, "date": metadata.date, "url": metadata.url or document.url}
    return next((name for name in _NEEDED if not known[name]), "")


def _validate(page: PageInput, text: str) -> None:
    from bodytext.output.tei_check import check_tei

    if problems := check_tei(text):
        raise InputError(f"{page.name}: not valid TEI: {'; '.join(problems[:_SHOWN_FAULTS])}")


def _show_progress(number: int, total: int) -> None:
    is_shown = total and sys.stderr and sys.stderr.isatty()
    if is_shown and (number % 20 == 0 or number == total):
        sys.stderr.write(f"\r{number:,} of {total:,} pages" + ("\n" if number == total else ""))
        sys.stderr.flush()


COMMAND = Command("print or write the body text of pages (the default)", add_options)
