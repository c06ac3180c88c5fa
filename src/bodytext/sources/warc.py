"""Read the records that start in a WARC file (plain, gz or zst) or in a range of its bytes.

The records of adjacent ranges are those of the whole file, each once: a range begins with the first
record that starts in it and is read until a record starts after it. The first record is found by
searching for the bytes that records begin with. A page can contain such bytes, so a range says
where it began and where it ended, and whoever splits a file checks that each range begins where the
previous one ended.
"""

import io
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from bodytext.sources.archived_response import MAX_PAGE_BYTES, check_type, read_response
from bodytext.sources.record import MEMORY_ERROR, Record
from bodytext.sources.storage import WatchedFile, describe_source, open_source

MAX_BLOCK_BYTES = MAX_PAGE_BYTES + 2**16  # a page with the headers before it

_PLAIN, _GZIP, _ZSTD = "plain", "gzip", "zstd"
_MARKS = {_GZIP: b"\x1f\x8b\x08", _ZSTD: b"\x28\xb5\x2f\xfd", _PLAIN: b"WARC/"}
_FIRST_LINE = re.compile(rb"WARC/\d\.\d+\r?\n")
_SHORTEST_LINE = b"WARC/"
_LINE_BYTES = 16
_BORDER_BYTES = 4  # two line ends after a record
# Bytes to search at a time: at first, where a record mostly is, and from then on.
_STEPS = (2**16, 2**20)
_ROOM = 8 * _STEPS[-1]  # what a read must find free; numpy takes it, unlike FastWARC, or says no
# Bytes of a packed record that surely unpack to its first line; zst unpacks whole blocks of up to
# 2**17 bytes. The whole head of a plain record mostly fits.
_HEAD_BYTES = {_PLAIN: 2**10, _GZIP: 2**12, _ZSTD: 2**18}
_LONGEST_HEAD = 2**16  # that FastWARC accepts
_HEAD_END = re.compile(rb"\n\r?\n")
_HEAD_END_OR_START = re.compile(rb"\n(?:\r?\n|WARC/\d\.\d+\r?\n)")
# A zst archive may begin with the dictionary that its frames need, in a frame that readers skip
# (WARC-zstd draft).
_DICTIONARY_MARK = struct.pack("<I", 0x184D2A5D)
_MAX_DICTIONARY_BYTES = 16 * 2**20


class WarcRange:
    """The records of a range, to be iterated once.

    Afterwards `first` says where the range began, and `next` where the next one begins.
    `first` is None if no record starts in the range. `next` is None if the range is damaged at its
    end: the next record must then be searched for.
    """

    def __init__(
        self, source: str, start: int = 0, stop: int | None = None, *, exact: bool = True
    ) -> None:
        """Take a range; `exact` if its start is known to be the start of a record."""
        self.first: int | None = start
        self.next: int | None = start
        self._source = source
        self._start = start
        self._size = describe_source(source)[0]
        self._stop = self._size if stop is None else stop
        self._exact = exact

    def __iter__(self) -> Iterator[Record]:
        if not self._size:
            yield self._error("the file is empty", 0)
            return
        with open_source(self._source) as file, open_source(self._source, sparse=True) as sparse:
            self._finder = _RecordFinder(sparse, self._size)
            position = self._start if self._exact else self._finder.find(self._start, self._stop)
            self.first = self.next = position
            yield from self._read(file, position)

    def _read(self, file: WatchedFile, position: int | None) -> Iterator[Record]:
        # Says which bytes could not be read, unless they belong to a broken record.
        lost: Record | None = None
        while position is not None and position < self._stop:
            run = _RecordRun(file, position, self._finder)
            for record in run.read(self._stop):
                if lost:
                    yield lost
                    lost = None
                yield record
            if run.end is None:
                if run.broken is not None:
                    lost = None
                    yield self._error(run.problem, run.broken)
                elif run.problem:
                    lost = self._error(run.problem, run.after)
            position = self._find_next(run)
        # A record that is broken there is the next range's.
        if lost and not self._is_broken(file, position):
            yield lost
        self.next = position

    def _find_next(self, run: "_RecordRun") -> int | None:
        if run.end is not None:
            return run.end
        if run.broken is not None:
            return self._search_from(run.broken + 1)
        after = run.after
        return after if after >= self._stop else self._search_from(after)

    def _search_from(self, position: int) -> int | None:
        """Find the next record in the range or shortly after it, or the end of the file."""
        limit = min(self._stop + _STEPS[-1], self._size)
        start = self._finder.find(position, limit)
        return self._size if start is None and limit == self._size else start

    def _is_broken(self, file: WatchedFile, position: int | None) -> bool:
        """Whether the record that starts at a position cannot be read."""
        if position is None or position >= self._size:
            return False
        run = _RecordRun(file, position, self._finder)
        next(run.read(self._size), None)
        return bool(run.problem) and run.broken == position

    def _error(self, problem: str, offset: int) -> Record:
        return Record(b"", source=self._source, offset=offset, problem=f"broken archive: {problem}")


class _RecordRun:
    """Consecutive records from a position, up to the first damage.

    Afterwards `end` is where to continue: the start of a record after the range, the end of a
    record that was skipped, or the end of the file. If it is None, the next record must be searched
    for: `problem` says what is broken, either the record that starts at `broken`, or the bytes from
    `after`, which follow the last record. It is empty if that record itself reports the damage.
    """

    def __init__(self, file: WatchedFile, position: int, finder: "_RecordFinder") -> None:
        self.end: int | None = None
        self.problem = ""
        self.broken: int | None = position
        self._last, self._length = position, 0  # start and claimed length of the current record
        self._file = file
        self._finder = finder

    @property
    def after(self) -> int:
        """Where the next record can start.

        In a plain file that is after the last record, since its page may look like records.
        A record that claims more bytes than the file has does not count: its length may be what is
        damaged.
        """
        end = self._finder.end_of(self._last, self._length)
        return self._last + 1 if end is None or end > self._finder.size else end

    def read(self, stop: int) -> Iterator[Record]:
        stream, shift = self._finder.open_at(self._file, self._last)
        fastwarc = import_module("fastwarc.warc")
        wanted = fastwarc.WarcRecordType.response | fastwarc.WarcRecordType.resource
        try:
            for warc_record in fastwarc.ArchiveIterator(stream, parse_http=False):
                offset = warc_record.stream_pos + shift
                if offset >= stop and self._finder.is_start(offset):
                    self.end = offset
                    return
                self._last = self.broken = offset
                self._length = _length_of(warc_record)
                is_skipped = self._skip()
                if warc_record.record_type & wanted:
                    yield _read_record(
                        warc_record, self._file.source, offset, is_skipped=is_skipped
                    )
                self.broken = None
                if is_skipped:
                    return
            self._check_end()
        except OSError as error:
            self._file.check()
            self.problem = str(error)

    def _skip(self) -> bool:
        """Skip the current record of a plain file if it is larger than a page or the rest of the file.

        Reading through such records could take as long as reading the whole file, again and again:
        a page may contain many of them.
        """
        if self._length <= min(MAX_BLOCK_BYTES, self._finder.size - self._last - _LONGEST_HEAD):
            return False
        end = self._finder.end_of(self._last, self._length)
        if end is None or (end <= self._finder.size and self._length <= MAX_BLOCK_BYTES):
            return False
        self.end = end if end <= self._finder.size else None
        return True

    def _check_end(self) -> None:
        """Check for a file that ends in a record's head, which FastWARC takes for its end."""
        cut = self._finder.find(self.after, self._finder.size)
        if cut is None:
            self.end = self._finder.size
        else:
            self.broken, self.problem = cut, "the archive ends inside this record"


class _RecordFinder:
    """Finds where records start in a file, by the bytes that they start with."""

    def __init__(self, file: WatchedFile, size: int) -> None:
        self.size = size
        self._file = file
        head = file.read_at(0, 8)
        self._prefix = _dictionary_frame(file, head)
        names = (name for name, mark in _MARKS.items() if head.startswith(mark))
        self._form = _ZSTD if self._prefix else next(names, self._form_by_name())
        self._mark = _MARKS[self._form]

    def _form_by_name(self) -> str:
        return {".gz": _GZIP, "zst": _ZSTD}.get(self._file.source[-3:].lower(), _PLAIN)

    def find(self, position: int, stop: int) -> int | None:
        """Find where the first record of a range starts; None if no record does."""
        step, next_step = _STEPS
        while position < stop:
            step = min(step, stop - position)
            data = self._file.read_at(position, step + len(self._mark) - 1)
            start = data.find(self._mark)
            while start >= 0:
                if self.is_start(position + start):
                    return position + start
                start = data.find(self._mark, start + 1)
            position, step = position + step, next_step
        return None

    def is_start(self, position: int) -> bool:
        """Whether the bytes at a position unpack to the first line of a record."""
        data = self._file.read_at(position, _HEAD_BYTES[self._form])
        if not data.startswith(self._mark):
            return False
        try:
            if self._form == _ZSTD:
                return self._unpacks_to_record(data)
            head = (
                zlib.decompressobj(wbits=31).decompress(data, _LINE_BYTES)
                if self._form == _GZIP
                else data
            )
        except (zlib.error, OSError):
            return False
        if position + len(data) == self.size and len(head) < _LINE_BYTES:
            # The file is cut off here.
            return _SHORTEST_LINE.startswith(head[: len(_SHORTEST_LINE)])
        return bool(_FIRST_LINE.match(head)) and (
            self._form != _PLAIN or self._has_head(position, data)
        )

    def _unpacks_to_record(self, data: bytes) -> bool:
        archive = import_module("fastwarc.warc").ArchiveIterator(io.BytesIO(self._prefix + data))
        return next(archive, None) is not None

    def _has_head(self, position: int, data: bytes) -> bool:
        """Whether a first line begins a head, and no other one follows before its end."""
        end = _HEAD_END_OR_START.search(data)
        if end is None:
            data = self._file.read_at(position, _LONGEST_HEAD)
            end = _HEAD_END_OR_START.search(data)
        return position + len(data) == self.size if end is None else b"WARC" not in end[0]

    def end_of(self, position: int, length: int) -> int | None:
        """Find the end of a record by its start and content length; None in a packed file."""
        if self._form != _PLAIN:
            return None
        head = self._file.read_at(position, _LONGEST_HEAD)
        head_end = _HEAD_END.search(head)
        end = position + (head_end.end() if head_end else len(head)) + length
        border = self._file.read_at(end, _BORDER_BYTES) if end < self.size else b""
        return end + len(border) - len(border.lstrip(b"\r\n"))

    def open_at(self, file: WatchedFile, position: int) -> tuple[Any, int]:
        """Return a stream that begins at a position, and what to add to the positions in it."""
        file.seek(position)
        if not self._prefix or position < len(self._prefix):
            return file, 0
        return _PrefixedFile(self._prefix, file), position - len(self._prefix)


class _PrefixedFile:
    """The rest of a file, preceded by the frame of its dictionary."""

    def __init__(self, prefix: bytes, file: WatchedFile) -> None:
        self._prefix = io.BytesIO(prefix)
        self._file = file

    def read(self, size: int = -1) -> bytes:
        return self._prefix.read(size) or self._file.read(size)

    def tell(self) -> int:
        return 0


def _dictionary_frame(file: WatchedFile, head: bytes) -> bytes:
    """Return the frame with the dictionary that an archive begins with; empty if there is none."""
    if not head.startswith(_DICTIONARY_MARK):
        return b""
    return file.read_at(0, 8 + min(struct.unpack("<I", head[4:8])[0], _MAX_DICTIONARY_BYTES))


def _length_of(warc_record: Any) -> int:
    # Every record has one; FastWARC does not check that.
    if not warc_record.headers.get("Content-Length"):
        raise OSError("the headers of this record are damaged")
    length: int = warc_record.content_length
    return length


def _read_block(warc_record: Any) -> bytes | None:
    """Read the content of a record, at most a page; None if there is not enough memory."""
    pieces: list[bytes] = []
    left = min(warc_record.content_length, MAX_BLOCK_BYTES)
    try:
        # In pieces, and only while there is room: FastWARC panics if there is no memory to read.
        while left > 0:
            np.empty(_ROOM, np.uint8)  # never written to; bytes would be, which takes long
            piece = warc_record.reader.read(min(left, _STEPS[-1]))
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
    except MemoryError:
        return None


def _read_record(warc_record: Any, source: str, offset: int, *, is_skipped: bool) -> Record:
    """Make the record of a response or resource; the content of a skipped one is not read."""
    headers = warc_record.headers
    block = b"" if is_skipped else _read_block(warc_record)
    url = (headers.get("WARC-Target-URI") or "").strip("<>")
    record = Record(b"", url=url, time=headers.get("WARC-Date") or "", source=source, offset=offset)
    if block is None:
        return replace(record, problem=MEMORY_ERROR)
    if warc_record.content_length > MAX_BLOCK_BYTES:
        return replace(record, problem=f"larger than {MAX_PAGE_BYTES:,} bytes")
    if len(block) < warc_record.content_length:
        return replace(record, problem="truncated: the archive ends inside this record")
    return _add_page(record, block, headers)


def _add_page(record: Record, block: bytes, headers: Any) -> Record:
    known_type = headers.get("WARC-Identified-Payload-Type") or ""
    content_type = headers.get("Content-Type") or ""
    if content_type.lower().startswith("application/http"):
        response = read_response(block, known_type)
        return replace(
            record, html=response.html, charset=response.charset, problem=response.problem
        )
    problem = check_type(known_type or content_type)
    return replace(record, html=b"" if problem else block, problem=problem)
