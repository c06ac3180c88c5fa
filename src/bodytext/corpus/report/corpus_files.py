"""Read columns of the files of a corpus."""

import json
import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from bodytext.sources.storage import require

KEPT, DROPPED, FAILED = "data", "dropped", "errors"  # the folders of a corpus
FOLDERS = (KEPT, DROPPED, FAILED)
LENGTH = "length"  # a column that is computed: the characters of the text
RUN, COUNTS = "run.json", "counts.json"  # files that a build writes first and last
_BATCH = 1024  # rows at a time

Columns = dict[str, list[Any]]


def require_corpus(folder: Path) -> None:
    """Raise a ValueError if a folder is not a corpus, or not yet."""
    if not folder.is_dir():
        raise ValueError(f"{folder}: there is no such folder; bodytext corpus build makes one")
    if (folder / RUN).is_file() and not (folder / COUNTS).is_file():
        problem = "this corpus is unfinished; the same bodytext corpus build continues it"
        raise ValueError(f"{folder}: {problem}")
    if not any((folder / part).is_dir() for part in FOLDERS):
        names = ", ".join(f"{part}/" for part in FOLDERS)
        raise ValueError(
            f"{folder}: this is not a corpus: it has none of {names}; bodytext corpus build makes one"
        )


def list_files(folder: Path, part: str) -> list[Path]:
    """The files of one part of a corpus, in order."""
    return sorted(
        path for path in (folder / part).glob("part-*") if path.suffix in {".parquet", ".jsonl"}
    )


def read_columns(path: Path, names: Sequence[str]) -> Iterator[Columns]:
    """Read columns of a file in batches. A column that the file lacks has empty strings."""
    read = _read_parquet if path.suffix == ".parquet" else _read_lines
    yield from read(path, names)


def _read_parquet(path: Path, names: Sequence[str]) -> Iterator[Columns]:
    require("pyarrow", extra="corpus", purpose="reading Parquet")
    parquet, compute = import_module("pyarrow.parquet"), import_module("pyarrow.compute")
    stored = import_module("pyarrow").OSFile(os.fsencode(path))
    with stored, parquet.ParquetFile(stored) as file:
        present = [name for name in _stored(names) if name in file.schema_arrow.names]
        for batch in file.iter_batches(_BATCH, columns=present, use_threads=False):
            columns: Columns = {}
            for name in names:
                if name == LENGTH:
                    columns[name] = compute.utf8_length(batch.column("text")).to_pylist()
                elif name in present:
                    columns[name] = batch.column(name).to_pylist()
                else:
                    columns[name] = [""] * batch.num_rows
            yield columns


def _stored(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys("text" if name == LENGTH else name for name in names))


def _read_lines(path: Path, names: Sequence[str]) -> Iterator[Columns]:
    with path.open(encoding="utf-8") as file:
        while lines := list(islice(file, _BATCH)):
            try:
                rows = [dict(json.loads(line)) for line in lines]
            except (ValueError, TypeError, RecursionError) as problem:
                raise ValueError(
                    f"{path}: a line is not JSON ({problem}); the file was changed or cut off, so build the corpus again"
                ) from None
            for row in rows:
                row[LENGTH] = len(row.get("text") or "")
            yield {name: [row.get(name, "") for row in rows] for name in names}
