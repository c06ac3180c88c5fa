"""What a user names as a source -> its kind, by its name, and the files that it stands for; nothing in them is read."""

import os
from pathlib import Path

from bodytext.sources.location import is_remote, list_sources, named_like

# Files of records: a WARC file, lines of JSON, row groups of Parquet, a page, a zip or tar file of pages.
ARCHIVE, LINES, GROUPS, PAGES, MEMBERS = "archive", "lines", "groups", "pages", "members"
PATHS, ADDRESSES, WEB = "paths", "addresses", "web"  # a list of archives, one of addresses; an address itself
FEED, SITEMAP = "feed:", "sitemap:"  # before an address, they say what it is
_FILES = "pages (.html), zip and tar files of pages, archives (.warc, .warc.gz, .warc.zst), tables (.parquet, .jsonl)"
_EXPECTED = (
    f"{_FILES}, folders of these, lists of addresses (.txt), addresses of pages, feeds and sitemaps, feed:ADDRESS or "
    "sitemap:ADDRESS"
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
_ELSEWHERE = frozenset({ARCHIVE, GROUPS, LINES})  # those that are read from a store too


def kind_of(source: str) -> str:
    """What a source is by its name, or nothing.

    >>> kind_of("crawl.warc.gz"), kind_of("https://a.example/crawl.warc.gz?x=1"), kind_of("https://a.example/")
    ('archive', 'archive', 'web')
    """
    if source.startswith((FEED, SITEMAP)):
        return WEB
    kind = next((kind for kind, endings in _ENDINGS.items() if named_like(source, endings)), "")
    if not is_remote(source) or kind in _ELSEWHERE:
        return kind
    return WEB if source.lower().startswith(("http://", "https://")) else ""


def is_page(name: str) -> bool:
    """Whether a file is a page by its name."""
    return named_like(name, _ENDINGS[PAGES])


def is_web(source: str) -> bool:
    """Whether the pages of a source must be fetched: an address of the web that is no file of records, or a list."""
    kind = kind_of(source)
    return kind == WEB or (kind == ADDRESSES and not Path(source).is_dir())


def check_source(source: str) -> None:
    """Raise a ValueError where a source is none, with what could be one."""
    if source.startswith((FEED, SITEMAP)):
        name, _, address = source.partition(":")
        if not address.lower().startswith(("http://", "https://")):
            raise ValueError(f"{source}: behind {name}: there should be an http or https address")
    elif not source or not (is_remote(source) or Path(source).exists()):
        raise ValueError(f"{source or 'an empty name'}: there is no such file or folder; expected {_EXPECTED}")
    elif is_remote(source) and named_like(source, _ENDINGS[PATHS]):
        raise ValueError(f"{source}: a list of archives is read from this machine; download it, and name the file")
    elif not (kind_of(source) or Path(source).is_dir() or "*" in source):
        raise ValueError(f"{source}: cannot tell what this is by its name; expected {_EXPECTED}")


def find_files(source: str, without: Path | None = None) -> tuple[list[str], list[str]]:
    """The files of records that a source stands for, by name, and those in its folder that are none.

    A folder stands for all that are in it and below it, `without` one folder of them; an address with * in it for all
    that fit.
    """
    if is_remote(source):
        if "*" not in source:
            return [source], []
        found = list_sources(source)
    elif Path(source).is_dir():
        found = [str(path) for path in list_folder(Path(source), without)]
    else:
        return [str(Path(source))], []
    files = [one for one in found if kind_of(one) in _RECORDS and (is_remote(one) or Path(one).is_file())]
    if not files:
        passed = f", none of {len(found):,} files, such as {found[0]}" if found else ""
        raise ValueError(f"{source}: nothing in this folder can be read{passed}; expected {_FILES}")
    chosen = set(files)
    return files, [one for one in found if one not in chosen]


def list_folder(top: Path, without: Path | None = None) -> list[Path]:
    """The files in a folder and below it, by name; a folder that cannot be looked into is an error.

    Links are among them, also those to folders, which are not followed (they may lead in a circle), or to nowhere.
    """
    found: list[Path] = []
    waiting = [str(top)]
    left_out = without.resolve() if without else None
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if not entry.is_dir(follow_symlinks=False):
                        found += [Path(entry.path)] if entry.is_file() or entry.is_symlink() else []
                    elif left_out is None or Path(entry.path).resolve() != left_out:
                        waiting.append(entry.path)
        except OSError as error:
            raise ValueError(
                f"{error.filename}: this folder cannot be read: {error.strerror}; see to its permissions"
            ) from None
    return sorted(found)
