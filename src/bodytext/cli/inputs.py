"""The pages that arguments name -> their bytes, and what is known of them."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bodytext.cli.speech import describe, say
from bodytext.page.parser import foreign_format, not_html
from bodytext.sources.files import find_pages, read_page, unpack
from bodytext.sources.record import Record

STANDARD_INPUT = "-"
_LONGEST_NAME = 150  # characters of a file's name that is made of an address


@dataclass(frozen=True, slots=True)
class Input:
    """A page to be read, and the name that its output gets in a folder."""

    name: str
    read: Callable[[], Record]
    output: Path


class InputError(Exception):
    """An input that gives no page, with what to say about it."""


def find_inputs(arguments: Sequence[str]) -> tuple[list[Input], bool]:
    """The pages that the arguments name, and whether one of them named none."""
    inputs: list[Input] = []
    failed = False
    for argument in arguments or [STANDARD_INPUT]:
        try:
            inputs += _inputs(argument)
        except InputError as problem:
            say(str(problem))
            failed = True
    return inputs, failed


def _inputs(argument: str) -> Iterator[Input]:
    if argument == STANDARD_INPUT:
        yield Input("standard input", read_standard, Path("stdin"))
        return
    path = Path(argument)
    if is_address(argument) and not path.exists():
        name = re.sub(r"[^\w.-]+", "_", argument.partition("://")[2])[:_LONGEST_NAME].strip("._")
        yield Input(argument, lambda: _fetch(argument), Path(name or "page"))
        return
    if not argument or not path.exists():
        raise InputError(f"{argument or 'an empty name'}: there is no such file or folder")
    pages = list(find_pages(path))
    if not pages:
        raise InputError(f"{path}: no .html, .htm or .xhtml files in this folder")
    for page in pages:
        output = page.relative_to(path) if path.is_dir() else Path(page.name)
        yield Input(str(page), lambda page=page: Record(read_page(page)), output)  # type: ignore[misc]


def is_address(argument: str) -> bool:
    """Whether an argument names a page of the web."""
    return argument.lower().startswith(("http://", "https://"))


def read_standard() -> Record:
    """The page that comes through a pipe; a ValueError where nothing can come."""
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    return Record(unpack(sys.stdin.buffer.read()))


def _fetch(address: str) -> Record:
    """A page of the web, as one reader asks for it: within limits, and never from a private network."""
    from bodytext.sources.fetch import PAGE_TYPES, Client, FetchError

    try:
        response = Client().get(address, PAGE_TYPES)
    except FetchError as problem:
        raise InputError(f"{address}: cannot be fetched: {problem}") from None
    if response.problem:
        raise InputError(f"{address}: cannot be fetched: {response.problem}")
    return Record(response.body, url=response.url, charset=response.charset)


def find_one(argument: str) -> Input:
    """The one page or file that a command takes."""
    if Path(argument).is_dir():
        raise InputError(f"{argument}: is a folder; this command takes one file")
    return next(_inputs(argument))


def read_input(one: Input) -> Record:
    """The page of an input, or an error that says why there is none."""
    try:
        page = one.read()
    except (OSError, ValueError) as error:
        raise InputError(f"{one.name}: cannot be read: {describe(error)}") from None
    if format_name := foreign_format(page.html):
        raise InputError(f"{one.name}: {not_html(format_name)}")
    return page
