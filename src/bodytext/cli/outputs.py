"""Documents -> standard output, one file, or a folder of files, whichever was asked for."""

from collections.abc import Callable, Sequence
from pathlib import Path

from bodytext.cli.inputs import Input, InputError
from bodytext.cli.speech import describe, write_out
from bodytext.document import Document
from bodytext.output.formats import FORMATS

Render = Callable[[Input, Document, bool], str]  # the last: whether it is the first of a stream

_HEADED = frozenset({"text", "markdown"})  # formats that do not say themselves which page they are of
# Names that end so are meant as files; JSON of several pages is a line each, which has names of its own.
_LINES = frozenset({".jsonl", ".ndjson"})
_ENDINGS = _LINES | {f".{one.suffix.rpartition('.')[2]}" for one in FORMATS.values()}


class Output:
    """Where documents go. What cannot work is refused with a ValueError before anything is written."""

    def __init__(self, path: str, form: str, inputs: Sequence[Input], *, many: bool) -> None:
        """Take the path that was asked for, if any, the name of the format, and the pages that will come."""
        self._path = Path(path) if path else None
        self._form, self._suffix = form, FORMATS[form].suffix
        self._is_folder = self._path is not None and (path.endswith("/") or self._path.is_dir())
        self._many = many
        self._is_first = True
        if not many:
            return
        if self._path is not None and not self._is_folder and self._path.suffix.lower() not in _ENDINGS:
            self._is_folder = True
        if self._path is None or not self._is_folder:
            self._check_stream()
        else:
            self._check_names([one.output for one in inputs])

    def _check_stream(self) -> None:
        """Refuse what does not go behind each other, or not into a file of this name."""
        if not FORMATS[self._form].listed:
            folder = f", as in -o {self._path}/" if self._path else " with -o"
            raise ValueError(f"{self._form} of several pages does not go into one stream; name a folder{folder}")
        known = {self._suffix} | (_LINES if self._form == "json" else set())
        if self._path is not None and self._path.suffix.lower() not in known:
            raise ValueError(
                f"{self._path}: the name is not one of a file of {self._form}; choose another format with -f, "
                f"or for a folder of this name -o {self._path}/"
            )

    def _check_names(self, names: Sequence[Path]) -> None:
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(
                f"two pages would be written to {self._path}/{twice}{self._suffix}; give them different output folders"
            )

    def write(self, one: Input, document: Document, render: Render) -> None:
        """Print or write a document; an InputError where it cannot be written."""
        apart = self._is_folder or not self._many
        text = render(one, document, apart or self._is_first)
        if not apart and self._form in _HEADED:
            text = f"==> {one.name} <==\n{text}\n"
        if self._path is None:
            write_out(text)
        else:
            target = self._path
            if self._is_folder:
                target /= one.output.with_name(one.output.name + self._suffix)
            self._write_file(target, text, anew=apart or self._is_first)
        self._is_first = False

    def _write_file(self, target: Path, text: str, *, anew: bool) -> None:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb" if anew else "ab") as file:
                file.write((text + "\n").encode("utf-8", "replace") if text else b"")
        except OSError as error:
            raise InputError(f"{target}: cannot be written: {describe(error)}") from None
