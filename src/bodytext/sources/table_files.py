"""Read the records of a Parquet or JSONL file with a column of HTML, or of a part of it."""

import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from bodytext.sources.archived_response import MAX_PAGE_BYTES
from bodytext.sources.record import MEMORY_ERROR, Record
from bodytext.sources.storage import WatchedFile, named_like, open_source, require

PACKED_ENDINGS = (".gz", ".zst")  # these files can only be read from their start

HTML_COLUMN = "html"
_TEXT_COLUMNS = ("url", "time", "title", "charset")  # used where they exist
# Rows of a broken group, as many as writers put into one; a file may claim any number
_MOST_LOST = 1 << 20
_BATCH_ROWS = 16  # in memory at a time
_SKIPPED_BYTES = 2**20  # of a line at a time
_MAX_LINE_BYTES = 2 * MAX_PAGE_BYTES  # escapes make a line of JSON longer than its page


def read_lines(
    source: str, start: int = 0, stop: int | None = None, column: str = HTML_COLUMN
) -> Iterator[Record]:
    """Yield a record for each line of JSON that starts in a range of bytes."""
    end = start
    with open_source(source) as file:
        try:
            for position, line in _split_lines(file, start, stop):
                end = position + len(line or b"")
                if line is None:
                    problem = f"a line of more than {_MAX_LINE_BYTES:,} bytes"
                    yield Record(b"", source=source, offset=position, problem=problem)
                elif line.strip():
                    yield _read_line(line, source, position, column)
        except (OSError, EOFError, zlib.error) as error:
            file.check()
            problem = f"broken file: {error}; the rest of it is lost"
            yield Record(b"", source=source, offset=end, problem=problem)


def find_lines(source: str, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that start in a range of a file that bodytext wrote, with their offsets."""
    with open_source(source) as file:
        yield from ((position, line) for position, line in _split_lines(file, start, stop) if line)


def _split_lines(
    file: WatchedFile, start: int, stop: int | None
) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines that start in a range, with their offsets; None for one too long."""
    position = max(start - 1, 0)  # a line starts at `start` if the byte before it ends another
    file.seek(position)
    stream = _unpack(file)
    if start:
        position = _skip_line(stream, position, stop)
    while stop is None or position < stop:
        line = stream.readline(_MAX_LINE_BYTES)
        if not line:
            return
        if line.endswith(b"\n") or len(line) < _MAX_LINE_BYTES:
            yield position, line
        else:
            yield position, None
            position = _skip_line(stream, position + len(line), stop)
            continue
        position += len(line)


def _skip_line(stream: io.BufferedIOBase, position: int, stop: int | None) -> int:
    """Skip to the next line, but not past `stop`: a line may be very long."""
    while (stop is None or position < stop) and (piece := stream.readline(_SKIPPED_BYTES)):
        position += len(piece)
        if piece.endswith(b"\n"):
            break
    return position


def _unpack(file: WatchedFile) -> io.BufferedIOBase:
    if named_like(file.source, (".gz",)):
        return gzip.GzipFile(fileobj=file)
    if named_like(file.source, (".zst",)):
        return io.BufferedReader(import_module("pyarrow").CompressedInputStream(file, "zstd"))
    return io.BufferedReader(file)


def _read_line(line: bytes, source: str, position: int, column: str) -> Record:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Record(b"", source=source, offset=position, problem=f"not JSON: {error}")
    except MemoryError:
        return Record(b"", source=source, offset=position, problem=MEMORY_ERROR)
    if not isinstance(value, dict):
        return Record(b"", source=source, offset=position, problem="not a JSON object")
    return _to_record(value, source, position, column)


def _to_record(value: Mapping[str, Any], source: str, offset: int, column: str) -> Record:
    html = value.get(column)
    texts = {name: _to_text(value.get(name)) for name in _TEXT_COLUMNS}
    problem = ""
    if isinstance(html, str):
        html = html.encode("utf-8", "replace")
        texts["charset"] = "utf-8"  # whatever the page was, it is text now
    if not isinstance(html, bytes):
        html, problem = (
            b"",
            f"no text in {column!r}: if another column has the page, name it with --column",
        )
    elif len(html) > MAX_PAGE_BYTES:
        html, problem = b"", f"larger than {MAX_PAGE_BYTES:,} bytes"
    return Record(html, **texts, source=source, offset=offset, problem=problem)


def _to_text(value: Any) -> str:
    """Turn a value of a text column into text; times may have a type of their own."""
    if isinstance(value, datetime):
        if value.tzinfo:
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        return f"{value.isoformat()}Z"
    return value if isinstance(value, str) else ""


def measure_groups(source: str, column: str = HTML_COLUMN) -> list[tuple[int, int]]:
    """Return the rows and bytes of each row group of a Parquet file; empty if it cannot be read."""
    require("pyarrow", extra="corpus", purpose="reading Parquet")
    pyarrow = import_module("pyarrow")
    with open_source(source) as file:
        try:
            facts = import_module("pyarrow.parquet").ParquetFile(file).metadata
        except (OSError, pyarrow.ArrowException):
            file.check()
            return []
        names = facts.schema.to_arrow_schema().names
        if column not in names:
            others = ", ".join(names)
            raise ValueError(
                f"{source}: there is no column {column!r}, only {others}; name one with --column"
            )
        groups = [facts.row_group(number) for number in range(facts.num_row_groups)]
        return [(group.num_rows, group.total_byte_size) for group in groups]


def read_groups(
    source: str, start: int = 0, stop: int | None = None, column: str = HTML_COLUMN
) -> Iterator[Record]:
    """Yield a record for each row of a range of row groups, readable or not."""
    pyarrow = import_module("pyarrow")
    with open_source(source) as file:
        try:
            table = import_module("pyarrow.parquet").ParquetFile(file)
        except (OSError, pyarrow.ArrowException) as error:
            file.check()
            yield Record(b"", source=source, problem=f"not a Parquet file: {error}")
            return
        facts = table.metadata
        row = sum(facts.row_group(number).num_rows for number in range(start))
        for group in range(start, facts.num_row_groups if stop is None else stop):
            end = row + facts.row_group(group).num_rows
            try:
                for value in _read_group(table, group, column):
                    yield _to_record(value, source, row, column)
                    row += 1
            except (
                OSError,
                pyarrow.ArrowException,
                ValueError,
                OverflowError,
                LookupError,
            ) as error:  # the last two: a time, and its zone
                file.check()
                for lost_row in range(row, min(end, row + _MOST_LOST)):
                    yield Record(
                        b"", source=source, offset=lost_row, problem=f"broken Parquet: {error}"
                    )
            row = end


def _read_group(table: Any, group: int, column: str) -> Iterator[dict[str, Any]]:
    columns = [name for name in table.schema_arrow.names if name == column or name in _TEXT_COLUMNS]
    for batch in table.iter_batches(
        batch_size=_BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False
    ):
        yield from _in_microseconds(batch).to_pylist()


def _in_microseconds(batch: Any) -> Any:
    """Convert the times of a batch to a resolution and a zone that Python supports."""
    arrow = import_module("pyarrow")
    for number, column in enumerate(batch.schema):
        if arrow.types.is_timestamp(column.type):
            supported = arrow.timestamp("us", "UTC" if column.type.tz else None)
            batch = batch.set_column(
                number, column.name, batch.column(number).cast(supported, safe=False)
            )
    return batch
