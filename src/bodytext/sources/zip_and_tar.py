"""Read the pages in a zip or tar file, without unpacking anything to the disk."""

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bodytext.sources.archived_response import MAX_PAGE_BYTES
from bodytext.sources.compression import GZIP_MARK, unpack_gzip
from bodytext.sources.record import Record
from bodytext.sources.source_kinds import is_page
from bodytext.sources.storage import WatchedFile, open_source

# The headers of a tar file may claim any size; no real one is that large.
_MOST_AT_ONCE = MAX_PAGE_BYTES + 1
_MOST_REMEMBERED = 1_000  # members in the tar reader's list before it is cleared
_BROKEN = (OSError, EOFError, RuntimeError, ValueError, NotImplementedError, zlib.error, lzma.LZMAError,
           zipfile.BadZipFile, tarfile.TarError)  # fmt: skip


def read_members(path: Path) -> Iterator[Record]:
    """Yield the pages in an archive; one that cannot be read is a record with a problem.

    So is an archive without pages: its files may have unexpected names.
    """
    with open_source(str(path)) as file:  # a file that cannot be opened now is not a broken archive
        is_zip = path.suffix.lower() == ".zip" or zipfile.is_zipfile(file)
    read = _read_zip if is_zip else _read_tar
    is_empty = True
    for record in read(path):
        is_empty = False
        yield record
    if is_empty:
        problem = "no pages: nothing in this archive is a page (.html) by its name"
        yield Record(b"", source=str(path), problem=problem)


def _read_zip(path: Path) -> Iterator[Record]:
    try:
        archive = zipfile.ZipFile(path)
    except _BROKEN as error:
        yield Record(b"", source=str(path), problem=f"broken archive: {error}")
        return
    with archive:
        for number, member in enumerate(archive.infolist()):
            if not is_page(member.filename) or member.is_dir():  # is_dir fails without a name
                continue
            try:
                with archive.open(member) as file:
                    html, problem = _read_page(file), ""
            except _BROKEN as error:
                html, problem = b"", f"broken archive: this page cannot be read: {error}"
            yield Record(html, source=f"{path}/{member.filename}", offset=number, problem=problem)


class _BoundedFile(WatchedFile):
    """A file that refuses to read very much at once."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _MOST_AT_ONCE:
            raise tarfile.ReadError("an entry claims to be larger than any page")
        return super().read(size)


def _read_tar(path: Path) -> Iterator[Record]:
    number = 0
    try:
        with (
            _open_packed(path) as file,
            tarfile.open(fileobj=_BoundedFile(file, str(path)), mode="r:") as archive,
        ):
            while (member := archive.next()) is not None:
                if member.isreg() and is_page(member.name):
                    yield _read_tar_member(archive, member, f"{path}/{member.name}", number)
                number += 1
                if number % _MOST_REMEMBERED == 0:
                    vars(archive)["members"] = []  # or the list grows with the archive
    except _BROKEN as error:
        problem = f"broken archive: the rest of it cannot be read: {error}"
        yield Record(b"", source=str(path), offset=number, problem=problem)


def _read_tar_member(
    archive: tarfile.TarFile, member: tarfile.TarInfo, source: str, number: int
) -> Record:
    file = archive.extractfile(member)
    html, problem = b"", ""
    if member.size > MAX_PAGE_BYTES:
        problem = _too_large()
    elif file is None:
        problem = "the archive has no bytes for it"
    else:
        try:
            html = _read_page(file)
        except ValueError as error:  # any other ends the archive: no further member is found
            problem = str(error)
    return Record(html, source=source, offset=number, problem=problem)


def _open_packed(path: Path) -> IO[bytes]:
    import bz2
    import gzip

    with path.open("rb") as file:
        head = file.read(6)
    if head.startswith(GZIP_MARK):
        return gzip.open(path)  # type: ignore[return-value]
    if head.startswith(b"BZh"):
        return bz2.open(path)
    if head.startswith(b"\xfd7zXZ"):
        return lzma.open(path)
    return path.open("rb")


def _read_page(file: IO[bytes]) -> bytes:
    page = file.read(MAX_PAGE_BYTES + 1)
    if len(page) > MAX_PAGE_BYTES:
        raise ValueError(_too_large())
    return unpack_gzip(page, MAX_PAGE_BYTES)


def _too_large() -> str:
    return f"larger than {MAX_PAGE_BYTES:,} bytes"
