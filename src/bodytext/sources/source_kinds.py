"""Recognise the kind of a source by its name, and the files it covers, without reading any file."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bodytext.page.urls import is_web_address
from bodytext.sources.storage import expand_pattern, is_remote, named_like

# Files of records: a WARC file, lines of JSON, row groups of Parquet, a page, a zip or tar file of
# pages.
ARCHIVE, LINES, GROUPS, PAGES, MEMBERS = "archive", "lines", "groups", "pages", "members"
# A list of archives, a list of addresses, an address itself.
PATHS, ADDRESSES, WEB = "paths", "addresses", "web"
FEED, SITEMAP = "feed:", "sitemap:"  # before an address, they say what it is
_FILES = "pages (.html), zip and tar files of pages, archives (.warc, .warc.gz, .warc.zst), tables (.parquet, .jsonl)"
_EXPECTED = (
    f"{_FILES}, folders of these, lists of addresses (.txt), addresses of pages, feeds and sitemaps, "
    "feed:ADDRESS or sitemap:ADDRESS"
)
_ENDINGS = {
    ARCHIVE: (".warc", ".warc.gz", ".warc.zst"),
    GROUPS: (".parquet",),
    LINES: (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst"),
    MEMBERS: (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz"),
    PAGES: (".html", ".htm", ".xhtml", ".shtml", ".html.gz", ".htm.gz", ".xhtml.gz", ".shtml.gz"),
    PATHS: (".paths", ".paths.gz"),  # as Common Crawl has them
    ADDRESSES: (".txt", ".urls"),
}
_RECORDS = frozenset({ARCHIVE, GROUPS, LINES, MEMBERS, PAGES})
# Those that can also be read from a remote store.
_REMOTE_RECORDS = frozenset({ARCHIVE, GROUPS, LINES})


def kind_of(source: str) -> str:
    """Return the kind of a source by its name; empty if it has none.

    >>> kind_of("crawl.warc.gz"), kind_of("https://a.example/crawl.warc.gz?x=1"), kind_of("https://a.example/")
    ('archive', 'archive', 'web')
    """
    if source.startswith((FEED, SITEMAP)):
        return WEB
    kind = next((kind for kind, endings in _ENDINGS.items() if named_like(source, endings)), "")
    if not is_remote(source) or kind in _REMOTE_RECORDS:
        return kind
    return WEB if is_web_address(source) else ""


def is_page(name: str) -> bool:
    """Whether a file is a page by its name."""
    return named_like(name, _ENDINGS[PAGES])


def has_many_pages(name: str) -> bool:
    """Whether a file is an archive, a table, or a list of archives by its name."""
    return kind_of(name) in _RECORDS - {PAGES} | {PATHS}


def is_web(source: str) -> bool:
    """Whether a source must be fetched: a web address without records, or a list."""
    kind = kind_of(source)
    return kind == WEB or (kind == ADDRESSES and not Path(source).is_dir())


def check_source(source: str) -> None:
    """Raise a ValueError that says what is expected, if a name is not a source."""
    if source.startswith((FEED, SITEMAP)):
        name, _, address = source.partition(":")
        if not is_web_address(address):
            raise ValueError(f"{source}: after {name}: there should be an http or https address")
    elif is_remote(source):
        _check_remote(source)
    elif not source or not Path(source).exists():
        name = source or "an empty name"
        raise ValueError(f"{name}: there is no such file or folder; expected {_EXPECTED}")
    elif not (kind_of(source) or Path(source).is_dir() or "*" in source):
        raise ValueError(_unknown(source))


def _check_remote(source: str) -> None:
    if named_like(source, _ENDINGS[PATHS]):
        raise ValueError(
            f"{source}: a list of archives is read from this machine; download it, and name the file"
        )
    if not kind_of(source) and "*" not in source:
        raise ValueError(_unknown(source))


def _unknown(source: str) -> str:
    return f"{source}: cannot tell what this is by its name; expected {_EXPECTED}"


class FoundFiles(NamedTuple):
    """The files that a source covers, by name."""

    files: list[str]  # of records
    others: list[str]  # no records by their names, or links to folders
    outside: list[str]  # links that lead out of the folder; they are not followed


def find_files(source: str, without: Path | None = None) -> FoundFiles:
    """Find the files of records that a source covers, and the other files in its folder.

    A folder covers all files in it and below it, `without` one of its folders; an address with * in
    it covers all that match.
    """
    candidates, outside = _list_candidates(source, without)
    if candidates is None:
        return FoundFiles([source if is_remote(source) else str(Path(source))], [], [])
    files = [file for file in candidates if _has_records(file)]
    if not files:
        passed = ""
        if candidates:
            passed = f", none of {len(candidates):,} files, such as {candidates[0]}"
        if outside:
            passed += f", not even {describe_outside(outside)}"
        raise ValueError(f"{source}: nothing in this folder can be read{passed}; expected {_FILES}")
    chosen = set(files)
    return FoundFiles(files, [file for file in candidates if file not in chosen], outside)


def _list_candidates(source: str, without: Path | None) -> tuple[list[str] | None, list[str]]:
    """List the files that a pattern or a folder covers, None for a single file, and links out of it."""
    if is_remote(source):
        return expand_pattern(source) if "*" in source else None, []
    if Path(source).is_dir():
        files, outside = list_folder(Path(source), without)
        return [str(path) for path in files], [str(path) for path in outside]
    return None, []


def describe_outside(links: Sequence[str | Path]) -> str:
    """Say in words how many links lead out of their folder."""
    count = "a link that leads" if len(links) == 1 else f"{len(links):,} links that lead"
    return f"{count} out of this folder, such as {links[0]}"


def _has_records(file: str) -> bool:
    return kind_of(file) in _RECORDS and (is_remote(file) or Path(file).is_file())


def _raise(problem: str) -> None:
    raise ValueError(problem) from None


def list_folder(
    top: Path, without: Path | None = None, report: Callable[[str], None] = _raise
) -> tuple[list[Path], list[Path]]:
    """List the files in a folder and below it, and the links that lead out of it, by name.

    Other links are files, even those to folders or to nowhere, and are not followed: they may form
    a loop. A folder that cannot be read is an error, unless `report` takes it.
    """
    files: list[Path] = []
    outside: list[Path] = []
    folders = [str(top)]
    left_out = without.resolve() if without else None
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_symlink() and not is_inside(Path(entry.path), top):
                        outside.append(Path(entry.path))
                    elif not entry.is_dir(follow_symlinks=False):
                        if entry.is_symlink() or entry.is_file():
                            files.append(Path(entry.path))
                    elif left_out is None or Path(entry.path).resolve() != left_out:
                        folders.append(entry.path)
        except OSError as error:
            reason = f"this folder cannot be read: {error.strerror}; see to its permissions"
            report(f"{error.filename}: {reason}")
    return sorted(files), sorted(outside)


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path leads to something in a folder, after all links in both are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
