"""Copy a finished corpus to a store such as S3. The same command continues a copy that stopped."""

from collections.abc import Callable
from pathlib import Path

from bodytext.corpus.report.corpus_files import COUNTS, RUN
from bodytext.corpus.run.pipeline import CONTINUES, UnfinishedError
from bodytext.sources.storage import SourceReadError, describe_source, open_source, upload_file

_PARTS = frozenset({".parquet", ".gz"})  # always the same bytes for the same run.json


def upload_corpus(folder: Path, address: str, say: Callable[[str], None]) -> None:
    """Copy the files of a corpus; a ValueError if another corpus is there."""
    base = address.rstrip("/")
    _check_owner(folder, base)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files.sort(key=lambda path: (path.name == COUNTS, path.name != RUN))
    copied = 0
    for path in files:
        target = f"{base}/{path.relative_to(folder).as_posix()}"
        if path.suffix in _PARTS and _size_of(target) == path.stat().st_size:
            continue
        try:
            upload_file(path, target)
        except SourceReadError as error:
            raise UnfinishedError(f"{error}; {CONTINUES}") from None
        copied += 1
    say(f"{copied:,} of {len(files):,} files copied to {base}; the others were there")


def _check_owner(folder: Path, base: str) -> None:
    if _size_of(f"{base}/{RUN}") is None:
        return
    with open_source(f"{base}/{RUN}") as file:
        if file.read() != (folder / RUN).read_bytes():
            raise ValueError(f"{base}: another corpus is there; name another address")


def _size_of(address: str) -> int | None:
    """The size of a stored file, or None if there is none."""
    try:
        return describe_source(address)[0]
    except SourceReadError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise
