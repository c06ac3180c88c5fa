"""Write documents to standard output, to one file, or to a folder of files."""

import errno
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from bodytext.cli.console import describe, print_text
from bodytext.cli.inputs import InputError, PageInput
from bodytext.output.formats import FORMATS

_ASK, _ASK_ALL = "--overwrite replaces it", "--overwrite replaces them"
_ENDS_ALL = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
)  # no other file could be written either


class Output:
    """The place where documents go. What cannot work is refused with a ValueError before anything is written."""

    def __init__(
        self,
        path: str,
        format_name: str,
        inputs: Sequence[PageInput],
        *,
        many: bool,
        overwrite: bool = False,
    ) -> None:
        """Take the path that was asked for, if any, the name of the format, and the pages that are known."""
        self._path = Path(path) if path else None
        self._name, self._format = format_name, FORMATS.find(format_name)
        self._is_folder = _names_folder(path, many=many)
        self._is_stream = many and not self._is_folder
        self._is_first = True
        self._overwrites = overwrite
        self._passed_over: set[Path] = set()
        if self._is_stream:
            self._check_stream()
        elif many:
            self._check_names([page.output for page in inputs])
        if self._path is not None:
            self._check_files(inputs)
            _check_place(self._path, is_folder=self._is_folder)

    def _check_files(self, inputs: Sequence[PageInput]) -> None:
        """Refuse to replace pages, or files without being asked. Of a folder's some may exist: those are passed over."""
        path = self._path or Path()
        files = [self._name_file(page.output) for page in inputs] if self._is_folder else [path]
        if not self._is_folder:
            refuse_input(path, (page.name for page in inputs))
        if not self._overwrites and (not self._is_folder or all(map(Path.is_file, files))):
            check_new(files)

    def _check_stream(self) -> None:
        """Refuse formats that cannot follow each other in one stream, and names that do not fit the format."""
        suffixes = self._format.stream_suffixes
        if not suffixes:
            folder = f", as in -o {self._path}/" if self._path else " with -o"
            raise ValueError(
                f"{self._name} of several pages does not go into one stream; name a folder{folder}"
            )
        if self._path is not None and self._path.suffix.lower() not in suffixes:
            raise ValueError(
                f"{self._path}: the name does not fit a file of {self._name}; choose another format with -f, "
                f"or for a folder of this name -o {self._path}/"
            )

    def _check_names(self, names: Sequence[Path]) -> None:
        if len(set(names)) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            file = f"{self._path}/{twice}{self._format.suffix}"
            raise ValueError(
                f"two pages would be written to {file}; give them different output folders"
            )

    def _name_file(self, name: Path) -> Path:
        """Return the file of a page in a folder."""
        return (self._path or Path()) / name.with_name(name.name + self._format.suffix)

    def passes_over(self, name: Path) -> bool:
        """Whether a page with this name will not be written, since its file exists."""
        if not self._is_folder or self._overwrites or not self._name_file(name).is_file():
            return False
        self._passed_over.add(name)
        return True

    def describe_passed_over(self) -> str:
        """Say how many pages were passed over; empty if none were."""
        count = len(self._passed_over)
        if count == 1:
            file = self._name_file(next(iter(self._passed_over)))
            return f"{file}: passed over, since it exists already; {_ASK}"
        whose = "pages were passed over, since their files exist already"
        return f"{count:,} {whose}; {_ASK_ALL}" if count else ""

    def write(self, page: PageInput, text: str) -> None:
        """Print or write a document as text; raise an InputError if its own file cannot be written.

        If the one file of all cannot be written, that is an OSError, which ends the work. Every
        document comes with a line of names, if its format has one; a stream has it once.
        """
        is_new = self._is_first or not self._is_stream
        if not is_new and "header" in self._format.options:
            text = text.partition("\r\n")[2]
        if self._is_stream and "source" not in self._format.options:  # it does not name the page
            text = f"==> {page.name} <==\n{text}\n"
        if self._path is None:
            print_text(text)
        elif self._is_folder:
            self._write_page(page.output, _encode(text))
        else:
            write_file(self._path, _encode(text), "wb" if is_new else "ab")
        self._is_first = False

    def _write_page(self, name: Path, data: bytes) -> None:
        if self.passes_over(name):
            return
        try:
            write_file(self._name_file(name), data)
        except OSError as error:
            if error.errno in _ENDS_ALL:
                raise
            raise InputError(str(error)) from None


def check_new(files: Sequence[Path]) -> None:
    """Raise a ValueError if any of the files exists already."""
    present = [file for file in files if file.is_file()]
    if present:
        others = f" and {len(present) - 1:,} more" if len(present) > 1 else ""
        ask = _ASK_ALL if others else _ASK
        verb = "exist" if others else "exists"
        raise ValueError(f"{present[0]}{others} {verb} already; {ask}")


def refuse_input(target: Path, names: Iterable[str]) -> None:
    """Raise a ValueError if a file to be written is one of those that are read."""
    if not target.is_file():
        return
    for name in names:
        with suppress(OSError):  # most are files; others are addresses
            if target.samefile(name):
                raise ValueError(f"{target}: is a page to read; write to another file")


def _names_folder(path: str, *, many: bool) -> bool:
    """Return whether a path is a folder's: it is one, ends with a slash, or several pages need one."""
    if not path:
        return False
    if path.endswith("/") or Path(path).is_dir():
        return True
    return many and Path(path).suffix.lower() not in _list_suffixes()


def _list_suffixes() -> set[str]:
    """The endings that make a name a file's."""
    suffixes = {
        suffix for known in FORMATS.values() for suffix in (known.suffix, *known.stream_suffixes)
    }
    return {f".{suffix.rpartition('.')[2]}" for suffix in suffixes}


def _check_place(path: Path, *, is_folder: bool) -> None:
    """Raise an OSError if a folder or a file cannot be written, before there is any work."""
    place = path
    while not os.access(place, os.F_OK) and place != place.parent:  # nearest that exists
        place = place.parent
    if (is_folder or place != path) and not place.is_dir():
        raise _not_written(path, OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))
    if not os.access(place, os.W_OK):
        raise _not_written(path, OSError(errno.EACCES, os.strerror(errno.EACCES)))


def _not_written(path: Path, error: OSError) -> OSError:
    problem = OSError(f"{path}: cannot be written: {describe(error)}")
    problem.errno = error.errno
    return problem


def _encode(text: str) -> bytes:
    return (text + "\n").encode("utf-8", "replace") if text else b""


def write_file(target: Path, data: bytes, mode: str = "wb") -> None:
    """Write a file and make its folder; raise an OSError that names it if that cannot be done.

    A file that is not added to is there as a whole or not at all, also if the program is ended:
    half a file would be passed over later.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        real = Path(os.path.realpath(target))
        if mode != "wb" or (real.exists() and not real.is_file()):  # such as /dev/stdout
            with target.open(mode) as file:
                file.write(data)
        else:
            _replace(real, data)
    except OSError as error:
        raise _not_written(target, error) from None


def _replace(target: Path, data: bytes) -> None:
    unfinished = target.with_name(f".{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(data)
        if target.exists():
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
