"""Write documents to standard output, to one file, or to a folder of files."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bodytext.cli.console import describe, print_text
from bodytext.cli.inputs import InputError, PageInput
from bodytext.output.formats import FORMATS

_ASK = "--overwrite replaces it"


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
        if self._is_stream:
            self._check_stream()
        elif many:
            self._check_names([page.output for page in inputs])
        if self._path is not None and not overwrite:
            files = [self._name_file(page) for page in inputs] if self._is_folder else [self._path]
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

    def _name_file(self, page: PageInput) -> Path:
        """Return the file of a page in a folder."""
        name = page.output.name + self._format.suffix
        return (self._path or Path()) / page.output.with_name(name)

    def write(self, page: PageInput, text: str) -> None:
        """Print or write a document as text; raise an InputError if it cannot be written.

        Every document comes with a line of names, if its format has one; a stream has it once.
        """
        is_new = self._is_first or not self._is_stream
        if not is_new and "header" in self._format.options:
            text = text.partition("\r\n")[2]
        if self._is_stream and "source" not in self._format.options:  # it does not name the page
            text = f"==> {page.name} <==\n{text}\n"
        if self._path is None:
            print_text(text)
        elif self._is_folder:
            file = self._name_file(page)
            if not self._overwrites and file.is_file():
                raise InputError(f"{file}: exists already; {_ASK}")
            _write_file(file, text, "wb")
        else:
            _write_file(self._path, text, "wb" if is_new else "ab")
        self._is_first = False


def check_new(files: Sequence[Path]) -> None:
    """Raise a ValueError if any of the files exists already."""
    present = [file for file in files if file.is_file()]
    if present:
        others = f" and {len(present) - 1:,} more" if len(present) > 1 else ""
        ask = _ASK if not others else "--overwrite replaces them"
        verb = "exist" if others else "exists"
        raise ValueError(f"{present[0]}{others} {verb} already; {ask}")


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


def _write_file(target: Path, text: str, mode: str) -> None:
    is_new = not target.exists()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open(mode) as file:
            file.write((text + "\n").encode("utf-8", "replace") if text else b"")
    except OSError as error:
        if is_new:  # half a file would keep the same command from working later
            with suppress(OSError):
                target.unlink(missing_ok=True)
        raise InputError(f"{target}: cannot be written: {describe(error)}") from None
