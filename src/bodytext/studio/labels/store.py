"""LabelStore: a folder of labels, a JSON file for each page and annotator, read and saved without ever losing one.

    LABELS/store.json                    where the pages are, as a path from here
    LABELS/ANNOTATOR/PATH/OF/page.html.json

A file's revision is a digest of its bytes. Whoever saves names the revision that the change was made on; where the file
is another by now (a second window, a second process, a pull from git, an editor), nothing is written and both versions
are in the Conflict. A file is replaced whole or not at all: written beside, flushed to the disk, renamed.
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

from bodytext.studio.labels.labelling import FORMAT, Labelling, from_json

FOLDER = "labels"  # below the pages, unless another is named
MEND = "mend this file (git may have an earlier one), or remove it"
_STORE = "store.json"
_ANNOTATOR = re.compile(r"\w[\w .@+-]{0,63}")
_MOST_BYTES = 64 * 2**20  # of a file of labels: a million ranges; a larger one was not written here


class Conflict(Exception):  # noqa: N818 - it is what it is called everywhere else
    """A save on a revision that is not the newest; nothing was written."""

    def __init__(self, mine: Labelling, theirs: Labelling | None, revision: str) -> None:
        super().__init__(f"{mine.page}: was changed elsewhere since it was read")
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
    pages: Path  # the folder that the pages' paths are below
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def annotators(self) -> list[str]:
        """Who has labelled."""
        if not self.folder.is_dir():
            return []
        return sorted(one.name for one in self.folder.iterdir() if one.is_dir() and _ANNOTATOR.fullmatch(one.name))

    def path(self, page: str, annotator: str) -> Path:
        """The file of a page's labels."""
        check_annotator(annotator)
        parts = PurePosixPath(page).parts
        if not parts or page.startswith("/") or any(part in {"..", "."} or "\0" in part for part in parts):
            raise ValueError(f"{page!r} is no path below a folder")
        return self.folder.joinpath(annotator, *parts[:-1], f"{parts[-1]}.json")

    def read(self, page: str, annotator: str) -> tuple[Labelling | None, str]:
        """The labels of a page, and their revision; None and "" where there are none."""
        path = self.path(page, annotator)
        try:
            data = _read_bytes(path)
        except FileNotFoundError:
            return None, ""
        return _decode(data, path), _revision(data)

    def read_all(self, annotator: str) -> Iterator[Labelling | SkippedPage]:
        """All that an annotator has labelled, by path; in place of what cannot be read, why."""
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
        """The pages of an annotator whose labels cannot be read; nothing is ever written over them."""
        return [one for one in self.read_all(annotator) if isinstance(one, SkippedPage)]

    def save(self, labelling: Labelling, revision: str) -> str:
        """Write labels that were made on a revision; the new revision is returned.

        Raises Conflict where the file is of another revision by now, unless it already says what is to be written.
        """
        path = self.path(labelling.page, labelling.annotator)
        data = labelling.to_json().encode("utf-8")
        with self._alone():
            theirs, current = self.read(labelling.page, labelling.annotator)
            if theirs is not None and replace(theirs, time=labelling.time) == labelling:
                return current
            if current != revision:
                raise Conflict(labelling, theirs, current)
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, data)
        return _revision(data)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other thread or process saves meanwhile."""
        with self._lock:
            if not (self.folder / _STORE).is_file():
                self._found()
            if sys.platform == "win32":  # a folder cannot be locked there; two processes are up to the user
                yield
                return
            import fcntl

            descriptor = os.open(self.folder, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield
            finally:
                os.close(descriptor)

    def _found(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        pages = Path(os.path.relpath(self.pages.resolve(), self.folder.resolve())).as_posix()
        _replace(self.folder / _STORE, (json.dumps({"format": FORMAT, "pages": pages}) + "\n").encode())


def check_annotator(name: str) -> str:
    """A name that can be a folder's; others are refused."""
    if not _ANNOTATOR.fullmatch(name) or name != name.strip():
        raise ValueError(f"an annotator's name is letters, digits, spaces and . @ + - _ (at most 64), not {name!r}")
    return name


def is_store(path: Path) -> bool:
    """Whether a folder holds labels, itself or in its folder `labels`."""
    return (path / _STORE).is_file() or (path / FOLDER / _STORE).is_file()


def open_store(path: Path, labels: Path | None = None) -> LabelStore:
    """The store of a folder of pages, or of a folder of labels; where there is none yet, the first save makes it."""
    folder = labels or (path if (path / _STORE).is_file() else path / FOLDER)
    described = folder / _STORE
    if not described.is_file():
        return LabelStore(folder, path)
    try:
        values = json.loads(described.read_text("utf-8"))
        pages = folder / values["pages"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f'{described}: expected {{"format": {FORMAT}, "pages": "PATH"}}') from None
    if not pages.is_dir():
        raise ValueError(f"{described}: the pages should be in {pages}, and there is no such folder")
    if labels and path.resolve() != pages.resolve():
        raise ValueError(f"{folder} holds labels of the pages in {pages.resolve()}, not of those in {path}")
    return LabelStore(folder, Path(os.path.normpath(pages)))


def _revision(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _read_bytes(path: Path) -> bytes:
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"{path}: is larger than any file of labels ({_MOST_BYTES:,} bytes)")
    return path.read_bytes()


def _decode(data: bytes, path: Path) -> Labelling:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise ValueError(f"{path}: is no UTF-8 ({problem.reason} at byte {problem.start})") from None
    return from_json(text, str(path))


def _replace(path: Path, data: bytes) -> None:
    """Put a whole new file in a file's place, so that a crash at any time leaves the one or the other."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    if sys.platform != "win32":
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
