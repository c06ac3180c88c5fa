"""Find the page files in a folder, and read them."""

import os
from collections.abc import Iterator
from pathlib import Path

from bodytext.sources.archived_response import MAX_PAGE_BYTES
from bodytext.sources.compression import unpack_gzip
from bodytext.sources.record import MEMORY_ERROR, Record
from bodytext.sources.source_kinds import is_page, list_folder

MAX_UNPACKED_BYTES = 512 * 2**20  # a gzip bomb stops here


def find_pages(path: Path) -> Iterator[Path]:
    """Yield the page files in a folder and below it, by name; a file is yielded as it is."""
    if path.is_dir():
        yield from (file for file in list_folder(path) if is_page(file.name) and file.is_file())
    else:
        yield path


def read_page(path: Path) -> bytes:
    """Read the bytes of a page's file, unpacked if they are gzip."""
    return unpack(path.read_bytes())


def read_record(path: Path) -> Record:
    """Read a page file as a record, which says if the file is unreadable or too large."""
    html, problem = b"", ""
    try:
        with path.open("rb") as file:
            # A read allocates what it asks for, so it asks for no more than the file has.
            data = file.read(min(os.fstat(file.fileno()).st_size, MAX_PAGE_BYTES) + 1)
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
    """Unpack bytes if they are gzip; return others as they are."""
    return unpack_gzip(data, most)
