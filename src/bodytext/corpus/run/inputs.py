"""Find the sources that a command names, and cut them into shards, always in the same way."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bodytext.corpus.atomic_files import write_atomically
from bodytext.corpus.run.shard import FETCHED, Shard
from bodytext.corpus.run.spec import CorpusSpec
from bodytext.sources import table_files
from bodytext.sources.compression import unpack_gzip
from bodytext.sources.files import has_file
from bodytext.sources.source_kinds import (
    ADDRESSES,
    ARCHIVE,
    GROUPS,
    LINES,
    MEMBERS,
    PAGES,
    PATHS,
    check_source,
    describe_outside,
    find_files,
    is_web,
    kind_of,
)
from bodytext.sources.storage import describe_source, is_remote, named_like, require

FEW_SHARDS = 64  # at least about this many
MANY_SHARDS = 100_000  # at most: each is an entry in memory and some files
SMALLEST_SHARD = 2**19  # bytes: less is not worth a file
_PACKED_TIMES = 4  # a table is four times as large as an archive of the same pages, about
_PAGE_BYTES = 2**15  # of a page in an archive, about: it gives the number of page files in a shard
_MOST_LIST_BYTES = 2**28  # of a list of archives; Common Crawl's have 13 MB
_REQUESTS = 32  # to a store at the same time
PAGE_LIST, FETCHED_FILE = "work/pages.jsonl", "fetched/records.jsonl"  # in the folder of a corpus


@dataclass(frozen=True, slots=True)
class CorpusInput:
    """A source of records. `mark` changes when its content changes."""

    kind: str
    source: str
    size: int  # bytes; for a list of pages, of the list
    mark: str
    listing: bytes = b""  # for a list of pages: the content of the file that `write_listing` writes

    @property
    def identity(self) -> tuple[str, int, str]:
        """What must be the same for a run to continue."""
        names = {PAGES: "page files", FETCHED: "the web"}
        return names.get(self.kind, self.source), self.size, self.mark

    def write_listing(self) -> None:
        """Write the list of pages, if the input is one."""
        if self.listing:
            with write_atomically(Path(self.source)) as temporary:
                temporary.write_bytes(self.listing)


def find_inputs(
    arguments: Sequence[str], root: str, folder: Path, say: Callable[[str], None]
) -> list[CorpusInput]:
    """Find the inputs that arguments name, each once, files first; say what is passed over."""
    for argument in arguments:
        check_source(argument)
    addresses = [argument for argument in arguments if is_web(argument)]
    local = [argument for argument in arguments if not is_web(argument)]
    sources = _remove_repeats(_find_sources(local, root, folder, say))
    files = [source for source in sources if kind_of(source) != PAGES]
    pages = [source for source in sources if kind_of(source) == PAGES]
    lists = [address for address in addresses if kind_of(address) == ADDRESSES]
    _check_access([*files, *lists])
    inputs = _describe_files(files)
    if pages:
        inputs.append(_list_pages(pages, folder / PAGE_LIST))
    if addresses:
        inputs.append(_describe_web(addresses, lists, folder / FETCHED_FILE))
    return inputs


def _check_access(sources: Iterable[str]) -> None:
    for source in sources:
        if not is_remote(source) and not os.access(source, os.R_OK):
            raise ValueError(
                f"{source}: this file may not be read; change its permissions, or leave it out"
            )


def _describe_files(files: Sequence[str]) -> list[CorpusInput]:
    with ThreadPoolExecutor(_REQUESTS) as pool:  # a store answers slowly, but many at a time
        described = list(pool.map(describe_source, files))
    inputs = [
        CorpusInput(kind_of(source), source, *facts)
        for source, facts in zip(files, described, strict=True)
    ]
    if any(source.kind == ARCHIVE for source in inputs):
        require("fastwarc", extra="corpus", purpose="reading WARC files")
    return inputs


def _describe_web(addresses: Sequence[str], lists: Sequence[str], path: Path) -> CorpusInput:
    """All that is to be fetched, as one input."""
    facts = [(name, *describe_source(name)) for name in lists]
    return CorpusInput(FETCHED, str(path), 0, json.dumps([*addresses, *facts]))


def _remove_repeats(sources: Iterable[str]) -> Iterable[str]:
    """Leave out files that were named before, also by another path."""
    resolve = cache(Path.resolve)
    named: dict[str | Path, str] = {}
    for source in sources:
        path = Path(source)
        named.setdefault(source if is_remote(source) else resolve(path.parent) / path.name, source)
    return named.values()


def _find_sources(
    arguments: Iterable[str], root: str, folder: Path, say: Callable[[str], None]
) -> Iterator[str]:
    for argument in arguments:
        if kind_of(argument) == PATHS and Path(argument).is_file():
            yield from _read_list(argument, root)
            continue
        found = find_files(argument, folder)
        if found.others:
            say(f"{argument}: passed over {_describe_others(found.others)}")
        if found.outside:
            say(f"{argument}: passed over {describe_outside(found.outside)}")
        yield from found.files


def _describe_others(files: Sequence[str]) -> str:
    """Say in words how many files are not read."""
    if len(files) == 1:
        return f"1 file that is no page by its name, or a link to a folder: {files[0]}"
    what = "files that are no pages by their names, or links to folders"
    return f"{len(files):,} {what}, such as {files[0]}"


def _read_list(path: str, root: str) -> Iterator[str]:
    """The archives that a list names; `root` goes before names that are no addresses."""
    try:
        data = unpack_gzip(Path(path).read_bytes(), _MOST_LIST_BYTES)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: this list cannot be read: {error}") from None
    names = data.decode("utf-8", "replace").split()
    for name in names:
        source = name if is_remote(name) else root + name
        if kind_of(source) not in {ARCHIVE, GROUPS, LINES}:
            raise ValueError(f"{path}: {name[:200]} is no WARC, Parquet or JSONL file by its name")
        if not is_remote(source) and not has_file(Path(source)):
            raise ValueError(
                f"{source}: there is no such file; if the names in {path} are those of Common Crawl, "
                "add --root s3://commoncrawl/"
            )
        yield source


def _list_pages(pages: Sequence[str], path: Path) -> CorpusInput:
    """Page files as a list, a line of JSON for each."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(json.dumps((page, *describe_source(page))).encode())
    listing = "".join(f"{json.dumps(page)}\n" for page in pages).encode()
    return CorpusInput(PAGES, str(path), len(listing), digest.hexdigest(), listing)


def cut_shards(inputs: Sequence[CorpusInput], spec: CorpusSpec) -> Iterator[Shard]:
    """Cut inputs into shards, in order; small ones of little input, to busy all workers."""
    whole = sum(source.size for source in inputs)
    size = max(min(spec.shard, max(whole // FEW_SHARDS, SMALLEST_SHARD)), whole // MANY_SHARDS)
    for source in inputs:
        if source.kind == PAGES:
            yield from _cut_pages(source, max(size // _PAGE_BYTES, SMALLEST_SHARD // _PAGE_BYTES))
        elif source.kind == GROUPS:
            yield from _cut_groups(source, size * _PACKED_TIMES, spec.column)
        elif source.kind == MEMBERS or (
            source.kind == LINES and named_like(source.source, table_files.PACKED_ENDINGS)
        ):
            yield Shard(source.kind, source.source)
        elif source.kind == ARCHIVE:
            yield from _cut_bytes(source, source.size, size)
        else:
            size_now = describe_source(source.source)[0] if source.kind == FETCHED else source.size
            yield from _cut_bytes(source, size_now, size * _PACKED_TIMES)


def _cut_bytes(source: CorpusInput, size: int, step: int) -> Iterator[Shard]:
    for start in range(0, max(size, 1), step):
        exact = source.kind != ARCHIVE or not start
        yield Shard(source.kind, source.source, start, min(start + step, size), exact=exact)


def _cut_pages(source: CorpusInput, pages: int) -> Iterator[Shard]:
    start = position = 0
    with Path(source.source).open("rb") as file:
        for number, line in enumerate(file, 1):
            position += len(line)
            if number % pages == 0 or position == source.size:
                yield Shard(PAGES, source.source, start, position)
                start = position


def _cut_groups(source: CorpusInput, step: int, column: str) -> Iterator[Shard]:
    groups = table_files.measure_groups(source.source, column)
    first = size = 0
    for number, (_, group_bytes) in enumerate(groups, 1):
        size += group_bytes
        if size >= step or number == len(groups):
            yield Shard(GROUPS, source.source, first, number)
            first, size = number, 0
    if not groups:
        yield Shard(GROUPS, source.source)
