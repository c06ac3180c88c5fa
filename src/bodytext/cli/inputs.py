"""Find the pages that arguments name: files, folders, addresses, feeds, sitemaps, lists, sites."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.cli.console import describe, print_message
from bodytext.page.parser import foreign_format, not_html
from bodytext.page.urls import is_web_address
from bodytext.sources.compression import unpack_gzip
from bodytext.sources.files import find_pages, has_file, read_page
from bodytext.sources.record import Record
from bodytext.sources.source_kinds import check_source, has_many_pages

if TYPE_CHECKING:
    from bodytext.sources.listed_pages import AddressFilter, PageListing

STANDARD_INPUT = "-"
_LONGEST_NAME = 150  # bytes of a file name made from an address
_HASH_DIGITS = 8
_LISTS = (".urls", ".txt")  # files of addresses, if their first line is one
_LISTED = ("feed:", "sitemap:")
_HOST = re.compile(r"(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?(?:/.*)?", re.DOTALL)
_HEAD_BYTES = 4_096
_NO_HOSTS = (".html", ".htm", ".xhtml", ".txt", ".xml", ".json", ".csv", ".pdf")
_FILES = ("/pdf", "/epub", "/rtf", "officedocument")  # in content types of files that can be read
_PASSED_OVER = "passed over"  # the problem of a page that need not be fetched


@dataclass(frozen=True, slots=True)
class PageInput:
    """A page to read, and the name of its output in a folder."""

    name: str
    read: Callable[[], Record]
    output: Path


class InputError(Exception):
    """An input that gives no page; the message says why."""


@dataclass(frozen=True, slots=True)
class WebOptions:
    """How pages are fetched, and which of those that lists, feeds, sitemaps and sites name."""

    allow_private: bool = False
    render: bool = False
    archived: bool = False
    crawled: int = 0  # the most pages of a site; 0 if addresses are those of pages
    containing: tuple[str, ...] = ()
    blocklist: str = ""  # a file of addresses

    def listing(self, sources: Sequence[str]) -> "PageListing":
        """Return what reads the pages of these lists."""
        from bodytext.sources.fetch import FetchLimits
        from bodytext.sources.fetch_options import FetchOptions
        from bodytext.sources.listed_pages import PageListing

        if self.render:
            _check_browser()
        fetching = FetchOptions(FetchLimits(allow_private=self.allow_private), ordered=True)
        return PageListing(sources, self._wanted(), fetching, self.crawled, self.render)

    def _wanted(self) -> "AddressFilter":
        from bodytext.sources.listed_pages import AddressFilter, strip_scheme

        lines: list[str] = []
        if self.blocklist:
            try:
                lines = Path(self.blocklist).read_text("utf-8", "replace").splitlines()
            except OSError as error:
                problem = f"cannot be read: {describe(error)}"
                raise ValueError(f"--blacklist {self.blocklist}: {problem}") from None
        blocked = frozenset(strip_scheme(line) for line in lines if line.strip())
        return AddressFilter(self.containing, blocked)


def _check_browser() -> None:
    """Say at once that there is no browser, not once for each page."""
    from bodytext.sources.rendering import RenderError, find_browser

    try:
        find_browser()
    except RenderError as problem:
        raise ValueError(str(problem)) from None


@dataclass(frozen=True, slots=True)
class FoundInputs:
    """The pages that arguments name, those of lists being found as they are read."""

    pages: list[PageInput]
    lists: list[str]  # feed:URL, sitemap:URL, a file of addresses, a site
    has_problems: bool
    web: WebOptions

    def read(self, passes_over: Callable[[Path], bool]) -> Iterator[PageInput]:
        """Yield the pages; of lists not those that are passed over by their outputs, which are not fetched either."""
        yield from self.pages
        if self.lists:
            yield from self._read_lists(passes_over)

    def _read_lists(self, passes_over: Callable[[Path], bool]) -> Iterator[PageInput]:
        from bodytext.sources.listings.discovery import REPEATED

        refused: set[str] = set()

        def refuse(url: str) -> str:
            if not passes_over(_name_output(url)):
                return ""
            refused.add(url)
            return _PASSED_OVER

        taken = {page.output for page in self.pages if is_web_address(page.name)}
        for record in self.web.listing(self.lists).read(refuse):
            name = record.url or record.source
            output = _name_output(name)
            if record.problem == REPEATED:
                print_message(f"{name}: {REPEATED}")
            elif output in taken and not record.problem:  # another address led to it
                print_message(f"{name}: this page was read before")
            elif name not in refused:
                if not record.problem:
                    taken.add(output)
                yield PageInput(name, partial(_settle, record, self.web), output)

    def list_files(self) -> Iterator[str]:
        """Yield the names of all that is read; some are addresses."""
        yield from (page.name for page in self.pages)
        yield from self.lists
        yield self.web.blocklist

    def names(self, report: Callable[[str], None]) -> Iterator[str]:
        """Yield the names of all pages without reading them; failures are reported."""
        yield from (page.name for page in self.pages)
        if not self.lists:
            return
        from bodytext.sources.listings.discovery import REPEATED

        for request in self.web.listing(self.lists).list_addresses():
            if request.problem == REPEATED:
                print_message(f"{request.url}: {REPEATED}")
            elif request.problem:
                report(f"{request.url or request.source}: {request.problem}")
            else:
                yield request.url


def find_inputs(arguments: Sequence[str], web: WebOptions) -> FoundInputs:
    """Find the pages that the arguments name; what cannot be found is reported."""
    pages: list[PageInput] = []
    lists: list[str] = []
    problems: list[str] = []
    for argument in arguments or [STANDARD_INPUT]:
        try:
            if _is_list(argument, web):
                lists.append(argument)
            else:
                pages += _find_pages(argument, problems.append, web)
        except InputError as problem:
            problems.append(str(problem))
        except OSError as error:
            problems.append(f"{argument}: cannot be read: {describe(error)}")
    for line in problems:
        print_message(line)
    return FoundInputs(pages, lists, bool(problems), web)


def _is_list(argument: str, web: WebOptions) -> bool:
    """Whether an argument names several addresses, not a page."""
    if web.crawled:
        if not is_web_address(argument):
            raise ValueError(f"{argument}: --crawl needs the address of a site, such as https://…")
        return True
    if argument.startswith(_LISTED):
        try:
            check_source(argument)
        except ValueError as problem:
            raise InputError(str(problem)) from None
        return True
    path = Path(argument)
    if path.suffix.lower() not in _LISTS or is_web_address(argument) or not has_file(path):
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES).decode("utf-8", "replace").removeprefix("\ufeff")
    lines = (line.strip() for line in head.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return is_web_address(first) or first.startswith(_LISTED)


def _find_pages(argument: str, report: Callable[[str], None], web: WebOptions) -> list[PageInput]:
    """Return the pages that an argument names: standard input, an address, a file, or all pages in a folder.

    `report` is called with what the folder has that is not read.
    """
    if argument == STANDARD_INPUT:
        return [PageInput("standard input", read_standard, Path("stdin"))]
    path = Path(argument)
    if is_web_address(argument) and not os.access(path, os.F_OK):
        return [PageInput(argument, partial(fetch_page, argument, web), _name_output(argument))]
    if not _exists(argument):
        raise InputError(f"{argument or 'an empty name'}: {_describe_missing(argument)}")
    if has_many_pages(argument) and not path.is_dir():
        build = f"bodytext corpus build {argument} -o FOLDER"
        raise InputError(f"{argument}: this is a file of many pages, which is read by {build}")
    return _find_files(path, report)


def _find_files(path: Path, report: Callable[[str], None]) -> list[PageInput]:
    folder = path if path.is_dir() else path.parent
    pages = find_pages(path, report, print_message)
    if not pages:
        raise InputError(f"{path}: no .html, .htm or .xhtml files in this folder")
    return [PageInput(str(page), partial(_read, page), page.relative_to(folder)) for page in pages]


def _exists(argument: str) -> bool:
    """Whether there is a file or a folder; an OSError if that may not be known."""
    try:
        Path(argument).stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    return bool(argument)  # an empty one would be this folder


def _describe_missing(argument: str) -> str:
    """Say that there is no such file, and what may have been meant."""
    missing = "there is no such file or folder"
    if argument.lower().startswith("file:"):
        path = re.sub(r"^file:(?://[^/]*)?", "", argument, count=1, flags=re.IGNORECASE)
        return f"{missing}; name the file itself: {path}"
    if "://" in argument:
        return "only http and https addresses are fetched"
    if _HOST.fullmatch(argument) and not argument.endswith(_NO_HOSTS):
        return f"{missing}; for a page on the web: https://{argument}"
    return missing


def _name_output(address: str) -> Path:
    """Return a file name made from an address, which no other address has.

    It has _ for /. If that does not tell the address, the name ends in ~ and a hash. Addresses with
    http and with https are the same here, and so are those with and without a / at their end.

    >>> print(_name_output("https://a.example/news/1/"), _name_output("https://a.example/?id=1"))
    a.example_news_1 a.example_id_1~cb1b6e53
    """
    rest = address.partition("://")[2].removesuffix("/")
    name = re.sub(r"[^\w.-]+", "_", rest).encode()[:_LONGEST_NAME].decode("utf-8", "ignore")
    name = name.strip("._")
    if name.replace("_", "/") != rest:
        import hashlib

        digest = hashlib.sha256(rest.encode("utf-8", "surrogatepass")).hexdigest()
        name += f"~{digest[:_HASH_DIGITS]}"
    return Path(name or "page")


def _read(page: Path) -> Record:
    return Record(read_page(page))


def read_standard() -> Record:
    """Read a page from a pipe; raise a ValueError if standard input is closed."""
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    return Record(unpack_gzip(sys.stdin.buffer.read()))


def fetch_page(address: str, web: WebOptions) -> Record:
    """Fetch a page: within limits, and never from a private network unless that is asked for."""
    from bodytext.sources.fetch import ContentTypeError, FetchError, FetchLimits
    from bodytext.sources.page_fetch import PageFetcher

    limits = FetchLimits(allow_private=web.allow_private)
    try:
        return PageFetcher(limits, render=web.render, archived=web.archived).get(address)
    except FetchError as problem:
        hint = ""
        if isinstance(problem, ContentTypeError) and str(problem).endswith("xml"):
            hint = f"; for what a feed or a sitemap lists: feed:{address} or sitemap:{address}"
        elif isinstance(problem, ContentTypeError) and any(name in str(problem) for name in _FILES):
            hint = "; save it as a file and name that"
        raise InputError(f"{address}: cannot be fetched: {problem}{hint}") from None


def _settle(record: Record, web: WebOptions) -> Record:
    """Return a record of a list, from the archive if there is no page and that is asked for."""
    if not record.problem:
        return record
    if web.archived and is_web_address(record.url):
        return fetch_page(record.url, web)
    raise InputError(f"{record.url or record.source}: {record.problem}")


def find_one(argument: str, web: WebOptions | None = None) -> PageInput:
    """Return the only page that a command takes."""
    if Path(argument).is_dir():
        raise InputError(f"{argument}: is a folder; this command takes one file")
    return _find_pages(argument, print_message, web or WebOptions())[0]


def read_input(page: PageInput) -> Record:
    """Read the page of an input; raise an InputError if there is none."""
    try:
        record = page.read()
    except (OSError, ValueError) as error:
        raise InputError(f"{page.name}: cannot be read: {describe(error)}") from None
    if format_name := foreign_format(record.html, record.charset or None):
        from bodytext.sources.file_formats import is_readable

        if not is_readable(record.html, format_name):
            raise InputError(f"{page.name}: {not_html(format_name)}")
    return record
