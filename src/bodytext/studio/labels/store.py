"""Store labels in a folder, one JSON file for each page and annotator, without ever losing any.

    LABELS/store.json                         the path from here to the pages
    LABELS/ANNOTATOR/PATH/OF/page.html.json

The revision of a file is a digest of its bytes. A save names the revision that the change was based
on. Where the file has changed meanwhile (a second window, a second process, a pull from git, an
editor), nothing is written, and a Conflict is raised that has both versions. A file is replaced as
a whole or not at all: the new one is written beside it, flushed to the disk and renamed.
"""

import hashlib
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from bodytext.corpus.atomic_files import write_atomically, write_json
from bodytext.studio.labels.labelling import FORMAT, Labelling, from_json

FOLDER = "labels"  # within the folder of pages, unless another is given
MEND = "repair this file (git may have an earlier version) or delete it"
_STORE = "store.json"
_ANNOTATOR = re.compile(r"\w[\w .@+-]{0,63}")
_MOST_BYTES = 64 * 2**20  # of a file of labels: enough for a million ranges


class Conflict(Exception):  # noqa: N818 - the usual name
    """A save was based on a revision that is not the newest; nothing was written."""

    def __init__(self, mine: Labelling, theirs: Labelling | None, revision: str) -> None:
        super().__init__(
            f"{mine.page}: changed elsewhere since it was read; read it again, then save"
        )
        self.mine, self.theirs, self.revision = mine, theirs, revision


@dataclass(frozen=True, slots=True)
class SkippedPage:
    """A page whose labels are not used, and why."""

    page: str
    reason: str


@dataclass(frozen=True, slots=True)
class LabelStore:
    """The labels of pages in a folder."""

    folder: Path  # of the labels
    pages: Path  # the folder that the pages' paths are relative to
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def annotators(self) -> list[str]:
        """The names of all annotators."""
        if not self.folder.is_dir():
            return []
        folders = (path.name for path in self.folder.iterdir() if path.is_dir())
        return sorted(name for name in folders if _ANNOTATOR.fullmatch(name))

    def path(self, page: str, annotator: str) -> Path:
        """The file of a page's labels."""
        check_annotator(annotator)
        parts = PurePosixPath(page).parts
        if (
            not parts
            or page.startswith("/")
            or any(part in {"..", "."} or "\0" in part for part in parts)
        ):
            raise ValueError(f"{page!r} is not a path within a folder")
        return self.folder.joinpath(annotator, *parts[:-1], f"{parts[-1]}.json")

    def read(self, page: str, annotator: str) -> tuple[Labelling | None, str]:
        """The labels of a page and their revision; None and "" where there are none."""
        path = self.path(page, annotator)
        try:
            data = _read_bytes(path)
        except FileNotFoundError:
            return None, ""
        return _decode(data, path), _revision(data)

    def read_all(self, annotator: str) -> Iterator[Labelling | SkippedPage]:
        """All labels of an annotator, by path; a SkippedPage in place of unreadable ones."""
        top = self.folder / check_annotator(annotator)
        for path in sorted(top.rglob("*.json")):
            if not path.is_file():
                continue
            try:
                yield _decode(_read_bytes(path), path)
            except (ValueError, OSError) as problem:
                page = path.relative_to(top).as_posix().removesuffix(".json")
                yield SkippedPage(page, f"{problem}; {MEND}")

    def find_broken(self, annotator: str) -> list[SkippedPage]:
        """The pages of an annotator whose labels cannot be read; they are never overwritten."""
        return [entry for entry in self.read_all(annotator) if isinstance(entry, SkippedPage)]

    def save(self, labelling: Labelling, revision: str) -> str:
        """Write labels that are based on a revision, and return the new revision.

        Raises Conflict where the file has another revision by now, unless it already has these
        labels.
        """
        path = self.path(labelling.page, labelling.annotator)
        data = labelling.to_json().encode("utf-8")
        with self._locked():
            theirs, current = self.read(labelling.page, labelling.annotator)
            if theirs is not None and replace(theirs, time=labelling.time) == labelling:
                return current
            if current != revision:
                raise Conflict(labelling, theirs, current)
            with write_atomically(path) as temporary:
                temporary.write_bytes(data)
        return _revision(data)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other threads and processes from saving meanwhile."""
        with self._lock:
            if not (self.folder / _STORE).is_file():
                self._create()
            if sys.platform == "win32":  # folders cannot be locked
                yield
                return
            import fcntl

            descriptor = os.open(self.folder, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield
            finally:
                os.close(descriptor)

    def _create(self) -> None:
        pages = Path(os.path.relpath(self.pages.resolve(), self.folder.resolve())).as_posix()
        write_json(self.folder / _STORE, {"format": FORMAT, "pages": pages})


def check_annotator(name: str) -> str:
    """Return the name if it can be the name of a folder; otherwise raise ValueError."""
    if not _ANNOTATOR.fullmatch(name) or name != name.strip():
        raise ValueError(
            f"an annotator's name is letters, digits, spaces and . @ + - _ (at most 64), not {name!r}"
        )
    return name


def is_store(path: Path) -> bool:
    """Whether a folder has labels, itself or in its subfolder `labels`."""
    return (path / _STORE).is_file() or (path / FOLDER / _STORE).is_file()


def open_store(path: Path, labels: Path | None = None) -> LabelStore:
    """The store of a folder of pages or of a folder of labels; the first save creates it."""
    default = path if (path / _STORE).is_file() else path / FOLDER
    folder = labels or default
    description = folder / _STORE
    if not description.is_file():
        return LabelStore(folder, path)
    try:
        pages = folder / json.loads(description.read_text("utf-8"))["pages"]
        exists = pages.is_dir()
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        raise ValueError(
            f'{description}: expected {{"format": {FORMAT}, "pages": "PATH"}}'
        ) from None
    if not exists:
        raise ValueError(f"{description}: the pages should be in {pages}, which does not exist")
    if labels and path.resolve() != pages.resolve():
        raise ValueError(
            f"{folder} has labels of the pages in {pages.resolve()}, not of those in {path}"
        )
    return LabelStore(folder, Path(os.path.normpath(pages)))


def _revision(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _read_bytes(path: Path) -> bytes:
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"{path}: larger than any file of labels ({_MOST_BYTES:,} bytes)")
    return path.read_bytes()


def _decode(data: bytes, path: Path) -> Labelling:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise ValueError(
            f"{path}: not valid UTF-8 ({problem.reason} at byte {problem.start})"
        ) from None
    return from_json(text, str(path))
