"""What a corpus is made from, as the command names it -> sources with their sizes, and the shards they are cut into.

The same sources always give the same shards, on any machine and with any number of workers.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bodytext.corpus.run.durable import write_whole
from bodytext.corpus.run.shard import FETCHED, Shard
from bodytext.corpus.run.spec import Order
from bodytext.sources import tables
from bodytext.sources.kinds import (
    ADDRESSES,
    ARCHIVE,
    GROUPS,
    LINES,
    MEMBERS,
    PAGES,
    PATHS,
    check_source,
    find_files,
    is_web,
    kind_of,
)
from bodytext.sources.location import describe_source, is_remote, named_like, require
from bodytext.sources.packing import unpack_gzip

FEW_SHARDS = 64  # there are about so many, or more
MANY_SHARDS = 100_000  # but no more: each is an entry in memory and some files
SMALLEST_SHARD = 2**19  # bytes: less is not worth a file
_PACKED_TIMES = 4  # as large as an archive is a table with the same pages, about: its shards are so much larger
_PAGE_BYTES = 2**15  # of an archive, about; so many page files make a shard as the bytes of an archive would hold
_MOST_LIST_BYTES = 2**28  # of a list of archives; Common Crawl's have 13 MB
_QUESTIONS = 32  # at a time to a store
PAGE_LIST, FETCHED_FILE = "work/pages.jsonl", "fetched/records.jsonl"  # in the folder of a corpus


@dataclass(frozen=True, slots=True)
class Input:
    """A source of records; `mark` is another one when its content has changed."""

    kind: str
    source: str
    size: int  # bytes; of a list of pages, the list's
    mark: str
    listing: bytes = b""  # of a list of pages: what the file says, once `write_listing` has written it

    @property
    def identity(self) -> tuple[str, int, str]:
        """What must be the same for a run to go on where it stopped."""
        names = {PAGES: "page files", FETCHED: "the web"}
        return names.get(self.kind, self.source), self.size, self.mark

    def write_listing(self) -> None:
        """Write the list of pages, where the input is one."""
        if self.listing:
            with write_whole(Path(self.source)) as temporary:
                temporary.write_bytes(self.listing)


def find_inputs(arguments: Sequence[str], root: str, folder: Path, say: Callable[[str], None]) -> list[Input]:
    """The inputs that arguments name, files first in their order, each once; what is passed over is said.

    Nothing is written yet: the list of pages and what is fetched from the web will be, to the folder.
    """
    for argument in arguments:
        check_source(argument)
    local = [argument for argument in arguments if not is_web(argument)]
    sources = {source: kind_of(source) for source in _leave_one_each(_find_sources(local, root, folder, say))}
    pages = [source for source, kind in sources.items() if kind == PAGES]
    others = [source for source, kind in sources.items() if kind != PAGES]
    distant = [argument for argument in arguments if is_web(argument)]
    lists = [one for one in distant if kind_of(one) == ADDRESSES]
    for source in (*others, *lists):
        if not is_remote(source) and not os.access(source, os.R_OK):
            raise ValueError(f"{source}: this file may not be read; see to its permissions, or leave it out")
    with ThreadPoolExecutor(_QUESTIONS) as pool:  # a store takes its time for each answer, and may be asked for many
        described = pool.map(describe_source, others)
        found = [Input(sources[source], source, *facts) for source, facts in zip(others, described, strict=True)]
    if any(one.kind == ARCHIVE for one in found):
        require("fastwarc", "corpus", "reading WARC files")
    if pages:
        found.append(_list_pages(pages, folder / PAGE_LIST))
    if distant:
        facts_of_lists = [(one, *describe_source(one)) for one in lists]
        found.append(Input(FETCHED, str(folder / FETCHED_FILE), 0, json.dumps([*distant, *facts_of_lists])))
    return found


def _leave_one_each(sources: Iterable[str]) -> Iterable[str]:
    """The sources without files that were named before, in whatever way."""
    true_folder = cache(Path.resolve)
    named: dict[str | Path, str] = {}
    for source in sources:
        path = Path(source)
        named.setdefault(source if is_remote(source) else true_folder(path.parent) / path.name, source)
    return named.values()


def _find_sources(arguments: Iterable[str], root: str, folder: Path, say: Callable[[str], None]) -> Iterator[str]:
    for argument in arguments:
        if kind_of(argument) == PATHS and Path(argument).is_file():
            yield from _read_list(argument, root)
            continue
        files, others = find_files(argument, folder)
        if others:
            what = "files that are no pages by their names, or links to folders"
            say(f"{argument}: passed over {len(others):,} {what}, such as {others[0]}")
        yield from files


def _read_list(path: str, root: str) -> Iterator[str]:
    """The archives that a list names, a line each; `root` is put before names that are no addresses."""
    try:
        data = unpack_gzip(Path(path).read_bytes(), _MOST_LIST_BYTES)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: this list cannot be read: {error}") from None
    names = data.decode("utf-8", "replace").split()
    for name in names:
        source = name if is_remote(name) else root + name
        if kind_of(source) not in {ARCHIVE, GROUPS, LINES}:
            raise ValueError(f"{path}: {name[:200]} is no WARC, Parquet or JSONL file by its name")
        if not is_remote(source) and not Path(source).exists():
            raise ValueError(f"{source}: there is no such file; --root s3://commoncrawl/ is put before names in {path}")
        yield source


def _list_pages(pages: Sequence[str], path: Path) -> Input:
    """Page files as a list, a line of JSON each."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(json.dumps((page, *describe_source(page))).encode())
    listing = "".join(f"{json.dumps(page)}\n" for page in pages).encode()
    return Input(PAGES, str(path), len(listing), digest.hexdigest(), listing)


def cut_shards(inputs: Sequence[Input], order: Order) -> Iterator[Shard]:
    """The shards of inputs, in their order.

    Little input is cut into smaller ones, so that all workers have some; very much of it into larger ones.
    """
    whole = sum(one.size for one in inputs)
    size = max(min(order.shard, max(whole // FEW_SHARDS, SMALLEST_SHARD)), whole // MANY_SHARDS)
    for one in inputs:
        if one.kind == PAGES:
            yield from _cut_pages(one, max(size // _PAGE_BYTES, SMALLEST_SHARD // _PAGE_BYTES))
        elif one.kind == GROUPS:
            yield from _cut_groups(one, size * _PACKED_TIMES, order.column)
        elif one.kind == MEMBERS or (one.kind == LINES and named_like(one.source, tables.PACKED_ENDINGS)):
            yield Shard(one.kind, one.source)
        else:
            yield from _cut_bytes(one, size * (1 if one.kind == ARCHIVE else _PACKED_TIMES))


def _cut_bytes(one: Input, step: int) -> Iterator[Shard]:
    size = describe_source(one.source)[0] if one.kind == FETCHED else one.size
    for start in range(0, max(size, 1), step):
        exact = one.kind != ARCHIVE or not start
        yield Shard(one.kind, one.source, start, min(start + step, size), exact=exact)


def _cut_pages(one: Input, pages: int) -> Iterator[Shard]:
    start = position = 0
    with Path(one.source).open("rb") as file:
        for number, line in enumerate(file, 1):
            position += len(line)
            if number % pages == 0 or position == one.size:
                yield Shard(PAGES, one.source, start, position)
                start = position


def _cut_groups(one: Input, step: int, column: str) -> Iterator[Shard]:
    groups = tables.measure_groups(one.source, column)
    first = size = 0
    for number, (_, group_bytes) in enumerate(groups, 1):
        size += group_bytes
        if size >= step or number == len(groups):
            yield Shard(GROUPS, one.source, first, number)
            first, size = number, 0
    if not groups:
        yield Shard(GROUPS, one.source)
