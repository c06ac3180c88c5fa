"""The pages that arguments name -> their bytes."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bodytext.cli.speech import describe, say
from bodytext.parser import foreign_format, not_html
from bodytext.sources.files import find_pages, read_page, unpack

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class Input:
    """A page to be read, and the name that its output gets in a folder."""

    name: str
    read: Callable[[], bytes]
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
        yield Input("standard input", lambda: unpack(sys.stdin.buffer.read()), Path("stdin"))
        return
    path = Path(argument)
    if not argument or not path.exists():
        raise InputError(f"{argument or 'an empty name'}: there is no such file or folder")
    pages = list(find_pages(path))
    if not pages:
        raise InputError(f"{path}: no .html, .htm or .xhtml files in this folder")
    for page in pages:
        output = page.relative_to(path) if path.is_dir() else Path(page.name)
        yield Input(str(page), lambda page=page: read_page(page), output)  # type: ignore[misc]


def find_one(argument: str) -> Input:
    """The one page or file that a command takes."""
    if Path(argument).is_dir():
        raise InputError(f"{argument}: is a folder; this command takes one file")
    return next(_inputs(argument))


def read_input(one: Input) -> bytes:
    """The bytes of an input, or an error that says why there are none."""
    try:
        data = one.read()
    except (OSError, ValueError) as error:
        raise InputError(f"{one.name}: cannot be read: {describe(error)}") from None
    if format_name := foreign_format(data):
        raise InputError(f"{one.name}: {not_html(format_name)}")
    return data
