"""Read the pages that arguments name."""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bodytext.cli.console import describe, print_message
from bodytext.page.parser import foreign_format, not_html
from bodytext.sources.files import find_pages, read_page, unpack
from bodytext.sources.record import Record

STANDARD_INPUT = "-"
_LONGEST_NAME = 150  # characters of a file name made from an address


@dataclass(frozen=True, slots=True)
class PageInput:
    """A page to read, and the name of its output in a folder."""

    name: str
    read: Callable[[], Record]
    output: Path


class InputError(Exception):
    """An input that gives no page; the message says why."""


def find_inputs(arguments: Sequence[str]) -> tuple[list[PageInput], bool]:
    """Return the pages that the arguments name, and whether any of them was not read."""
    inputs: list[PageInput] = []
    problems: list[str] = []
    for argument in arguments or [STANDARD_INPUT]:
        try:
            inputs += _find_pages(argument, problems.append)
        except InputError as problem:
            problems.append(str(problem))
    for line in problems:
        print_message(line)
    return inputs, bool(problems)


def _find_pages(argument: str, report: Callable[[str], None]) -> list[PageInput]:
    """Return the pages that an argument names: standard input, an address, a file, or all pages in a folder.

    `report` is called with what the folder has that is not read.
    """
    if argument == STANDARD_INPUT:
        return [PageInput("standard input", read_standard, Path("stdin"))]
    path = Path(argument)
    if is_address(argument) and not path.exists():
        return [PageInput(argument, partial(_fetch, argument), _name_output(argument))]
    if not argument or not path.exists():
        raise InputError(f"{argument or 'an empty name'}: there is no such file or folder")
    folder = path if path.is_dir() else path.parent
    pages = find_pages(path, report)
    if not pages:
        raise InputError(f"{path}: no .html, .htm or .xhtml files in this folder")
    return [PageInput(str(page), partial(_read, page), page.relative_to(folder)) for page in pages]


def _name_output(address: str) -> Path:
    """Return a file name made from an address."""
    name = re.sub(r"[^\w.-]+", "_", address.partition("://")[2])[:_LONGEST_NAME].strip("._")
    return Path(name or "page")


def _read(page: Path) -> Record:
    return Record(read_page(page))


def is_address(argument: str) -> bool:
    """Return whether an argument is a web address."""
    return argument.lower().startswith(("http://", "https://"))


def read_standard() -> Record:
    """Read a page from a pipe; raise a ValueError if standard input is closed."""
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    return Record(unpack(sys.stdin.buffer.read()))


def _fetch(address: str) -> Record:
    """Fetch a page: within limits, and never from a private network."""
    from bodytext.sources.fetch import PAGE_TYPES, Client, FetchError

    try:
        response = Client().get(address, PAGE_TYPES)
    except FetchError as problem:
        raise InputError(f"{address}: cannot be fetched: {problem}") from None
    if response.problem:
        raise InputError(f"{address}: cannot be fetched: {response.problem}")
    return Record(response.body, url=response.url, charset=response.charset)


def find_one(argument: str) -> PageInput:
    """Return the only page that a command takes."""
    if Path(argument).is_dir():
        raise InputError(f"{argument}: is a folder; this command takes one file")
    return _find_pages(argument, print_message)[0]


def read_input(page: PageInput) -> Record:
    """Read the page of an input; raise an InputError if there is none."""
    try:
        record = page.read()
    except (OSError, ValueError) as error:
        raise InputError(f"{page.name}: cannot be read: {describe(error)}") from None
    if format_name := foreign_format(record.html):
        raise InputError(f"{page.name}: {not_html(format_name)}")
    return record
