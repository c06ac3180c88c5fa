"""Paths of files and folders -> the bytes of the pages in them."""

import os
from collections.abc import Iterator
from pathlib import Path

from bodytext.sources.archived_response import MAX_PAGE_BYTES
from bodytext.sources.kinds import is_page, list_folder
from bodytext.sources.packing import unpack_gzip
from bodytext.sources.record import MEMORY_ERROR, Record

MAX_UNPACKED_BYTES = 512 * 2**20  # a gzip bomb stops here


def find_pages(path: Path) -> Iterator[Path]:
    """The page files in a folder and the folders below it, by name; a file is itself."""
    if path.is_dir():
        yield from (found for found in list_folder(path) if is_page(found.name) and found.is_file())
    else:
        yield path


def read_page(path: Path) -> bytes:
    """The bytes of a page's file, unpacked where they are gzip."""
    return unpack(path.read_bytes())


def read_record(path: Path) -> Record:
    """The page in a file as a record; one that says why where it cannot be read, or is larger than archives' may be."""
    html, problem = b"", ""
    try:
        with path.open("rb") as file:
            data = file.read(min(os.fstat(file.fileno()).st_size, MAX_PAGE_BYTES) + 1)  # room is made for so many
        if len(data) > MAX_PAGE_BYTES:
            problem = f"larger than {MAX_PAGE_BYTES:,} bytes"
        else:
            html = unpack(data, MAX_PAGE_BYTES)
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
    except ValueError as error:
        problem = f"cannot be read: {error}"
    except MemoryError:
        problem = MEMORY_ERROR
    return Record(html, source=str(path), problem=problem)


def unpack(data: bytes, most: int = MAX_UNPACKED_BYTES) -> bytes:
    """Bytes as they are, or unpacked where they are gzip."""
    return unpack_gzip(data, most)
