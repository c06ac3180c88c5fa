"""Find the page files in a folder, and read them."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from bodytext.sources.archived_response import MAX_PAGE_BYTES
from bodytext.sources.compression import OversizeError, unpack_gzip
from bodytext.sources.record import MEMORY_ERROR, Record
from bodytext.sources.source_kinds import describe_outside, is_inside, is_page, list_folder


def find_pages(
    path: Path, report: Callable[[str], None], note: Callable[[str], None] = lambda _: None
) -> list[Path]:
    """Return the page files in a folder and below it, by name; a file is returned as it is.

    Names that begin with a dot are hidden. `report` is called with words on what is left out: links
    that lead out of the folder, and folders that cannot be read; `note` with words on files that are
    no pages.
    """
    if not path.is_dir():
        return [path]
    files, outside = list_folder(path, report=report)
    left_out = [link for link in outside if is_page(link.name)]
    if left_out:
        report(f"{path}: passed over {describe_outside(left_out)}")
    shown = [file for file in files if _is_shown(file, path) and _is_file(file)]
    pages = [file for file in shown if is_page(file.name)]
    if pages and len(pages) < len(shown):
        other = next(file for file in shown if not is_page(file.name))
        what = "whose names do not end in .html, .htm or .xhtml, such as"
        note(f"{path}: passed over files ({len(shown) - len(pages):,}) {what} {other}")
    return pages


def _is_shown(file: Path, folder: Path) -> bool:
    return not any(part.startswith(".") for part in file.relative_to(folder).parts)


def _is_file(file: Path) -> bool:
    """Whether a file is one, and no link to a folder or to nowhere; reading it says if that may not be known."""
    try:
        return stat.S_ISREG(file.stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False


def find_inside(folder: Path, name: str) -> Path:
    """Return the path of a file that somebody has named; a ValueError if it is not in the folder."""
    path = folder / name
    if "\0" in name or ".." in path.parts[len(folder.parts) :] or not is_inside(path, folder):
        raise ValueError(f"{name!r} leads out of {folder}")
    return path


def has_file(path: Path) -> bool:
    """Whether there is a file, under a name that may be too long or odd for any."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def has_folder(path: Path) -> bool:
    """Whether there is a folder, under a name that may be too long or odd for any."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def read_page(path: Path, most: int = MAX_PAGE_BYTES) -> bytes:
    """Read the bytes of a page's file, unpacked if they are gzip; an OversizeError if they are too many."""
    with path.open("rb") as file:
        # A read allocates what it asks for, so it asks for no more than a file has. A pipe has no size.
        size = os.fstat(file.fileno()).st_size or most
        data = file.read(min(size, most) + 1)
    if len(data) > most:
        raise OversizeError(f"larger than {most:,} bytes")
    return unpack_gzip(data, most)


def read_record(path: Path) -> Record:
    """Read a page file as a record, which says if the file is unreadable or too large."""
    html, problem = b"", ""
    try:
        html = read_page(path, MAX_PAGE_BYTES)
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
    except OversizeError as error:
        problem = str(error)
    except ValueError as error:
        problem = f"cannot be read: {error}"
    except MemoryError:
        problem = MEMORY_ERROR
    return Record(html, source=str(path), problem=problem)
