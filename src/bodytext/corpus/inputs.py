"""What a corpus is made from, as the command names it -> sources with their sizes, and the shards they are cut into.

The same sources always give the same shards, on any machine and with any number of workers.
"""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bodytext.corpus.durable import write_whole
from bodytext.corpus.order import Order
from bodytext.corpus.shard import ARCHIVE, FETCHED, GROUPS, LINES, MEMBERS, PAGES, Shard
from bodytext.sources import archives, members, tables
from bodytext.sources.files import SUFFIXES
from bodytext.sources.intake import is_web
from bodytext.sources.location import describe_source, is_remote, list_sources, named_like, require

FEW_SHARDS = 64  # there are about so many, or more
MANY_SHARDS = 100_000  # but no more: each is an entry in memory and some files
SMALLEST_SHARD = 2**19  # bytes: less is not worth a file
_PACKED_TIMES = 4  # as large as an archive is a table with the same pages, about: its shards are so much larger
_PAGE_BYTES = 2**15  # of an archive, about; so many page files make a shard as the bytes of an archive would hold
_QUESTIONS = 32  # at a time to a store
LIST_ENDINGS = (".paths", ".paths.gz")  # lists of archives, as Common Crawl has them
_ENDINGS = {
    ARCHIVE: archives.ENDINGS,
    GROUPS: tables.PARQUET_ENDINGS,
    LINES: tables.LINE_ENDINGS,
    MEMBERS: members.ENDINGS,
    PAGES: tuple(SUFFIXES),
}
PAGE_LIST, FETCHED_FILE = "work/pages.jsonl", "fetched/records.jsonl"  # in the folder of a corpus
_EXPECTED = (
    "WARC, Parquet and JSONL files, pages (.html), zip and tar files of pages, folders of these, .paths lists of "
    "archives, .txt lists of addresses, addresses of pages, feeds and sitemaps"
)


@dataclass(frozen=True, slots=True)
class Input:
    """A source of records; `mark` is another one when its content has changed."""

    kind: str
    source: str
    size: int  # bytes; of a list of pages, the list's
    mark: str

    @property
    def identity(self) -> tuple[str, int, str]:
        """What must be the same for a run to go on where it stopped."""
        names = {PAGES: "page files", FETCHED: "the web"}
        return names.get(self.kind, self.source), self.size, self.mark


def find_inputs(arguments: Sequence[str], root: str, folder: Path) -> list[Input]:
    """The inputs that arguments name, files first in their order, each once.

    Lists of pages are written to the folder; what is to be fetched from the web will be written there too.
    """
    local = [argument for argument in arguments if not is_web(argument)]
    sources = {source: _kind_of(source) for source in _find_sources(local, root, folder)}
    pages = [source for source, kind in sources.items() if kind == PAGES]
    others = [source for source, kind in sources.items() if kind != PAGES]
    with ThreadPoolExecutor(_QUESTIONS) as pool:  # a store takes its time for each answer, and may be asked for many
        described = pool.map(describe_source, others)
        found = [Input(sources[source], source, *facts) for source, facts in zip(others, described, strict=True)]
    if any(one.kind == ARCHIVE for one in found):
        require("fastwarc", "corpus", "reading WARC files")
    if pages:
        found.append(_list_pages(pages, folder / PAGE_LIST))
    if distant := find_distant(arguments):
        lists = [(one, *describe_source(one)) for one in distant if "://" not in one]
        found.append(Input(FETCHED, str(folder / FETCHED_FILE), 0, json.dumps([*distant, *lists])))
    return found


def find_distant(arguments: Iterable[str]) -> list[str]:
    """The arguments whose records must be fetched: addresses and lists of them."""
    distant = [argument for argument in arguments if is_web(argument)]
    for argument in distant:
        if "://" not in argument and not Path(argument).is_file():
            raise ValueError(f"{argument}: there is no such file")
    return distant


def _find_sources(arguments: Iterable[str], root: str, folder: Path) -> Iterator[str]:
    for argument in arguments:
        if is_remote(argument):
            yield from _find_remote(argument)
        elif Path(argument).is_dir():
            inside = list(_find_files(Path(argument), folder))
            if not inside:
                raise ValueError(f"{argument}: nothing in this folder can be read; expected {_EXPECTED}")
            yield from inside
        elif not Path(argument).exists():
            raise ValueError(f"{argument or 'an empty name'}: there is no such file or folder")
        elif named_like(argument, LIST_ENDINGS):
            yield from _read_list(argument, root)
        elif not _kind_of(argument):
            raise ValueError(f"{argument}: cannot tell what this is by its name; expected {_EXPECTED}")
        else:
            yield argument


def _find_files(top: Path, corpus: Path) -> Iterator[str]:
    """The files in a folder that can be read, by name; a corpus that is written into the folder is none of them."""
    found = sorted(str(path) for path in top.rglob("*") if path.is_file() and _kind_of(str(path)))
    if top.resolve() not in corpus.resolve().parents:
        return iter(found)
    own = f"{top / corpus.resolve().relative_to(top.resolve())}{os.sep}"
    return (path for path in found if not path.startswith(own))


def _find_remote(address: str) -> Iterator[str]:
    if "*" in address:
        found = [one for one in list_sources(address) if _kind_of(one)]
        if not found:
            raise ValueError(f"{address}: nothing is there that can be read")
        yield from found
    elif not _kind_of(address):
        raise ValueError(f"{address}: cannot tell what this is by its name; expected {_EXPECTED}")
    else:
        yield address


def _read_list(path: str, root: str) -> Iterator[str]:
    """The archives that a list names, a line each; `root` is put before names that are no addresses."""
    data = Path(path).read_bytes()
    if path.endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{path}: cannot be unpacked: {error}") from None
    names = data.decode("utf-8", "replace").split()
    for name in names:
        source = name if is_remote(name) else root + name
        if not _kind_of(source) or _kind_of(source) == PAGES:
            raise ValueError(f"{path}: {name[:200]} is no WARC, Parquet or JSONL file by its name")
        if not is_remote(source) and not Path(source).exists():
            raise ValueError(f"{source}: there is no such file; --root s3://commoncrawl/ is put before names in {path}")
        yield source


def _kind_of(source: str) -> str:
    """What a source is by its name, or nothing."""
    kind = next((kind for kind, endings in _ENDINGS.items() if named_like(source, endings)), "")
    return "" if kind in {PAGES, MEMBERS} and is_remote(source) else kind


def _list_pages(pages: Sequence[str], path: Path) -> Input:
    """Page files as a list, a line of JSON each."""
    digest = hashlib.sha256()
    with write_whole(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for page in pages:
            digest.update(json.dumps((page, *describe_source(page))).encode())
            file.write(json.dumps(page) + "\n")
    return Input(PAGES, str(path), path.stat().st_size, digest.hexdigest())


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
