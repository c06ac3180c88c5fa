"""Convert rows to Arrow batches, and write them to the files of a corpus."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from bodytext.corpus.row import Row

# The schema of a corpus; docs/corpus.md describes it.
COLUMNS = (
    "url", "time", "title", "text", "metadata", "language", "confidence", "page_type", "source", "offset",
)  # fmt: skip
DROPPED, ERROR = "dropped", "error"
ALL_COLUMNS = (*COLUMNS, DROPPED, ERROR)

BATCH_ROWS = 256  # in an intermediate file
BATCH_BYTES = 8 * 2**20  # of text in a batch, about; a row is never divided
GROUP_BYTES = 32 * 2**20  # of text in a row group of Parquet, about


def schema_of(names: Sequence[str]) -> Any:
    """The Arrow schema of some columns."""
    arrow = import_module("pyarrow")
    types = {"confidence": arrow.float64(), "offset": arrow.int64()}
    return arrow.schema([(name, types.get(name, arrow.string())) for name in names])


def to_batch(rows: Sequence[Row]) -> Any:
    """Make an Arrow batch of rows, with all columns."""
    arrow = import_module("pyarrow")
    schema = schema_of(ALL_COLUMNS)
    values = [list(map(attrgetter(name), rows)) for name in ALL_COLUMNS]
    try:
        return arrow.record_batch(values, schema=schema)
    except UnicodeEncodeError:  # half a surrogate pair in an address, a title or a file name
        return arrow.record_batch(
            [list(map(_escape_surrogates, column)) for column in values], schema=schema
        )


def _escape_surrogates(value: Any) -> Any:
    """Escape halves of surrogate pairs, so that different names stay different."""
    return (
        value.encode("utf-8", "backslashreplace").decode("utf-8")
        if isinstance(value, str)
        else value
    )


def in_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Collect rows into batches, bounded by their number and by their text."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row.text) + len(row.metadata)
        if len(batch) == BATCH_ROWS or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@contextmanager
def write_batches(path: Path) -> Iterator[Callable[[Any], None]]:
    """Open an intermediate file, and yield a function that appends batches to it."""
    arrow = import_module("pyarrow")
    options = arrow.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with (
        arrow.OSFile(os.fsencode(path), "wb") as sink,
        arrow.ipc.new_stream(sink, schema_of(ALL_COLUMNS), options=options) as writer,
    ):
        yield writer.write_batch


def read_batches(path: Path) -> Iterator[Any]:
    """The batches of an intermediate file."""
    arrow = import_module("pyarrow")
    options = arrow.ipc.IpcReadOptions(use_threads=False)
    with (
        arrow.OSFile(os.fsencode(path), "rb") as file,
        arrow.ipc.open_stream(file, options=options) as reader,
    ):
        yield from reader


def read_places(path: Path) -> Iterator[tuple[str, int]]:
    """The source and offset of each kept row of an intermediate file."""
    arrow = import_module("pyarrow")
    chosen = [ALL_COLUMNS.index(name) for name in ("source", "offset", DROPPED, ERROR)]
    options = arrow.ipc.IpcReadOptions(use_threads=False, included_fields=chosen)
    with (
        arrow.memory_map(os.fsencode(path)) as file,
        arrow.ipc.open_stream(file, options=options) as reader,
    ):
        for batch in reader:
            kept = batch.filter(arrow.array(is_kept(batch)))
            yield from zip(
                kept.column("source").to_pylist(), kept.column("offset").to_pylist(), strict=True
            )


def is_set(batch: Any, name: str) -> Any:
    """For each row, whether a column is not empty."""
    return (
        import_module("pyarrow.compute")
        .not_equal(batch.column(name), "")
        .to_numpy(zero_copy_only=False)
    )


def is_kept(batch: Any) -> Any:
    """For each row, whether it is neither dropped nor in error."""
    return ~is_set(batch, DROPPED) & ~is_set(batch, ERROR)


class ParquetFile:
    """A Parquet file that batches are added to."""

    suffix = ".parquet"

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        """Take the path and the columns."""
        parquet = import_module("pyarrow.parquet")
        self._names = list(names)
        self._held: list[Any] = []
        self._size = 0
        # Given the path itself, it would take no name that is not UTF-8.
        self._file = import_module("pyarrow").OSFile(os.fsencode(path), "wb")
        self._writer = parquet.ParquetWriter(
            self._file, schema_of(names), compression="zstd", version="2.6"
        )

    def add(self, batch: Any) -> None:
        """Append rows."""
        if batch.num_rows:
            self._held.append(batch.select(self._names))
            self._size += batch.nbytes
        if self._size >= GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the rest, and the end of the file."""
        if self._held:
            self._flush()
        self._writer.close()
        self._file.close()

    def _flush(self) -> None:
        table = import_module("pyarrow").Table.from_batches(self._held)
        self._writer.write_table(table, row_group_size=table.num_rows)
        self._held, self._size = [], 0


class LineFile:
    """A file with a JSON object on each line that batches are added to."""

    suffix = ".jsonl"

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        """Take the path and the columns."""
        self._names = list(names)
        self._file = path.open("w", encoding="utf-8", newline="\n")

    def add(self, batch: Any) -> None:
        """Append rows."""
        for row in batch.select(self._names).to_pylist():
            self._file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


FORMATS: dict[str, type[ParquetFile] | type[LineFile]] = {"parquet": ParquetFile, "jsonl": LineFile}
