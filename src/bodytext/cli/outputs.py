"""Write documents to standard output, to one file, or to a folder of files."""

import errno
import os
import shutil
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from bodytext.cli.console import describe, print_text
from bodytext.cli.inputs import FoundInputs, InputError, PageInput
from bodytext.output.formats import FORMATS

_ASK, _ASK_ALL = "--overwrite replaces it", "--overwrite replaces them"
_ENDS_ALL = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
)  # no other file could be written either
# The file may be written, but none may take its place, as where it alone is mounted.
_ONLY_IN_PLACE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY})


class Output:
    """The place where documents go: a context manager, at whose end one file of all gets its name.

    What cannot work is refused with a ValueError before anything is written.
    """

    def __init__(
        self,
        path: str,
        format_name: str,
        inputs: FoundInputs,
        *,
        many: bool,
        overwrite: bool = False,
    ) -> None:
        """Take the path that was asked for, if any, the name of the format, and what is read."""
        self._path = Path(path) if path else None
        self._name, self._format = format_name, FORMATS.find(format_name)
        self._is_folder = _names_folder(path, many=many)
        self._is_stream = many and not self._is_folder
        self._is_first = True
        self._overwrites = overwrite
        self._passed_over: set[Path] = set()
        self._read = _identify_all(inputs.list_files())
        self._file: WholeFile | None = None  # one for all
        self._ending = ExitStack()
        if self._is_stream:
            self._check_stream()
        elif many:
            self._check_names([page.output for page in inputs.pages])
        if self._path is not None:
            files = [self._path]
            if self._is_folder:
                files = [self._name_file(page.output) for page in inputs.pages]
            _refuse(files, self._read)
            if not (overwrite or (many and self._is_folder)):  # there, what exists is passed over
                check_new(files)
            _check_place(self._path, is_folder=self._is_folder)

    def __enter__(self) -> "Output":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.__exit__(kind, error, trace)

    def _check_stream(self) -> None:
        """Refuse formats that cannot follow each other in one stream, and names that do not fit the format."""
        suffixes = self._format.stream_suffixes
        if not suffixes:
            folder = f", as in -o {self._path}/" if self._path else " with -o"
            raise ValueError(
                f"{self._name} of several pages does not go into one stream; name a folder{folder}"
            )
        if self._path is None or _is_device(self._path):
            return
        if self._path.suffix.lower() not in suffixes:
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
        if not self._is_folder or self._overwrites or not _has_text(self._name_file(name)):
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

        If one file for all cannot be written, that is an OSError, which ends the work. Every
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
            self._file = self._file or self._ending.enter_context(WholeFile(self._path))
            self._file.write(_encode(text))
        self._is_first = False

    def _write_page(self, name: Path, data: bytes) -> None:
        if self.passes_over(name):
            return
        file = self._name_file(name)
        if _identify(file) in self._read:
            raise InputError(_refusal(file))
        try:
            write_file(file, data)
        except OSError as error:
            if error.errno in _ENDS_ALL:
                raise
            raise InputError(str(error)) from None


def check_new(files: Sequence[Path]) -> None:
    """Raise a ValueError if any of the files exists already, and holds something."""
    present = [file for file in files if _has_text(file)]
    if present:
        others = f" and {len(present) - 1:,} more" if len(present) > 1 else ""
        ask = _ASK_ALL if others else _ASK
        verb = "exist" if others else "exists"
        raise ValueError(f"{present[0]}{others} {verb} already; {ask}")


def _has_text(file: Path) -> bool:
    """Whether a file is there and not empty: what held no text may hold some next time."""
    found = _find(file)
    return found is not None and found.st_size > 0


def refuse_inputs(targets: Iterable[Path], names: Iterable[str]) -> None:
    """Raise a ValueError if a file to be written is one of those that are read."""
    _refuse(targets, _identify_all(names))


def _refuse(targets: Iterable[Path], read: set[tuple[int, int]]) -> None:
    for target in targets:
        if _identify(target) in read:
            raise ValueError(_refusal(target))


def _refusal(target: Path) -> str:
    return f"{target}: is one of the files to read; write to another place"


def _identify_all(names: Iterable[str]) -> set[tuple[int, int]]:
    """Identify those names that are files; others are addresses."""
    return {found for name in names if (found := _identify(name))}


def _identify(name: str | Path) -> tuple[int, int] | None:
    """Return what a file has under all its names; None if there is none."""
    found = _find(name)
    return found and (found.st_dev, found.st_ino)


def _find(name: str | Path) -> os.stat_result | None:
    """Return what is known about a file, under a name that may be too long or odd for any."""
    try:
        found = os.stat(name)  # noqa: PTH116 - an address is no path
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _names_folder(path: str, *, many: bool) -> bool:
    """Return whether a path is a folder's: it is one, ends with a slash, or several pages need one."""
    if not path:
        return False
    if path.endswith("/") or Path(path).is_dir():
        return True
    return many and Path(path).suffix.lower() not in _list_suffixes() and not _is_device(Path(path))


def _is_device(path: Path) -> bool:
    """Whether a path is that of a device or a pipe, such as /dev/stdout."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _list_suffixes() -> set[str]:
    """The endings that make a name a file's."""
    suffixes = {suffix for known in FORMATS.values() for suffix in known.suffixes}
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


def write_file(target: Path, data: bytes) -> None:
    """Write a file and make its folder; raise an OSError that names it if that cannot be done."""
    with WholeFile(target) as file:
        file.write(data)


class WholeFile:
    """A file to write, which gets its name at the end: it is there as a whole or not at all.

    Half a file would be passed over later. If the work is interrupted, a file that was there before
    stays. Devices and pipes are written in place, and so are files that no other may replace.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._unfinished: Path | None = None
        with _naming(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._open()

    def _open(self) -> IO[bytes]:
        """Open a new file beside the target, with the same permissions, or the target itself."""
        if _is_device(self._target):
            return self._target.open("wb")
        real = Path(os.path.realpath(self._target))
        unfinished = real.with_name(f".{os.urandom(8).hex()}.unfinished")
        try:
            file = unfinished.open("xb")
        except OSError as error:
            if error.errno in _ONLY_IN_PLACE:
                return self._target.open("wb")
            raise
        self._unfinished = unfinished
        with suppress(OSError):  # there is none, or the file system knows no permissions
            shutil.copymode(real, unfinished)
        return file

    def __enter__(self) -> "WholeFile":
        return self

    def write(self, data: bytes) -> None:
        """Write more of the file."""
        with _naming(self._target):
            self._file.write(data)
            self._file.flush()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with _naming(self._target), ExitStack() as ending:
            if self._unfinished is not None:
                ending.callback(self._unfinished.unlink, missing_ok=True)
            self._file.close()
            if self._unfinished is not None and kind is None:
                _put_in_place(self._unfinished, Path(os.path.realpath(self._target)))


def _put_in_place(unfinished: Path, target: Path) -> None:
    try:
        unfinished.replace(target)
    except OSError as error:
        if error.errno not in _ONLY_IN_PLACE:
            raise
        shutil.copyfile(unfinished, target)


@contextmanager
def _naming(target: Path) -> Iterator[None]:
    """Name the file in an error."""
    try:
        yield
    except OSError as error:
        raise _not_written(target, error) from None
