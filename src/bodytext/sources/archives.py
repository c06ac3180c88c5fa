"""A WARC file, plain, gz or zst, or a range of its bytes -> the records that start in it.

The records of neighbouring ranges are those of the whole file, each once: a range begins with the first record that
starts in it and is read until a record starts behind it. Where the first one is, is found by looking for what a record
begins with; a page can carry such bytes inside it, so a reading tells where it began and where it ended, and who
splits a file checks that each range begins where the one before it ended.
"""

import io
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

from bodytext.sources.archived_response import MAX_PAGE_BYTES, judge_type, read_response
from bodytext.sources.location import WatchedFile, describe_source, open_source
from bodytext.sources.record import MEMORY_ERROR, Record

MAX_BLOCK_BYTES = MAX_PAGE_BYTES + 2**16  # a page with the headers before it

_PLAIN, _GZIP, _ZSTD = "plain", "gzip", "zstd"
_MARKS = {_GZIP: b"\x1f\x8b\x08", _ZSTD: b"\x28\xb5\x2f\xfd", _PLAIN: b"WARC/"}
_FIRST_LINE = re.compile(rb"WARC/\d\.\d+\r?\n")
_SHORTEST_LINE = b"WARC/"
_LINE_BYTES = 16
_BORDER_BYTES = 4  # behind a record: two line ends
_STEPS = (2**16, 2**20)  # bytes in which a start is looked for at a time: first, where mostly one is, and from then on
# Bytes of a packed record that surely unpack to its first line; zst unpacks whole blocks, of up to 2**17 bytes.
# The whole head of a plain record mostly fits.
_HEAD_BYTES = {_PLAIN: 2**10, _GZIP: 2**12, _ZSTD: 2**18}
_LONGEST_HEAD = 2**16  # that FastWARC takes
_HEAD_END = re.compile(rb"\n\r?\n")
_HEAD_END_OR_START = re.compile(rb"\n(?:\r?\n|WARC/\d\.\d+\r?\n)")
# A zst archive may begin with the dictionary that its frames need, in a frame that readers skip (the WARC-zstd draft).
_DICTIONARY_MARK = struct.pack("<I", 0x184D2A5D)
_MAX_DICTIONARY_BYTES = 16 * 2**20


class ArchiveReading:
    """The records of a range, once over; then `first` and `next` tell where it began and where the next one begins.

    No `first`: no record starts in the range. No `next`: it is damaged at its end, and what follows must be looked for.
    """

    def __init__(self, source: str, start: int = 0, stop: int | None = None, *, exact: bool = True) -> None:
        """Take a range; `exact` where its start is known to be the start of a record."""
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
        with open_source(self._source) as file, open_source(self._source, sparse=True) as beside:
            self._finder = _Finder(beside, self._size)
            position = self._start if self._exact else self._finder.find(self._start, self._stop)
            self.first = self.next = position
            lost, place = "", 0  # why and where something could not be read, until it is known how much
            while position is not None and position < self._stop:
                stretch = _Stretch(file, position, self._finder)
                for record in stretch.read(self._stop):
                    if lost:
                        yield self._error(lost, place)
                        lost = ""
                    yield record
                if stretch.end is not None:
                    position = stretch.end
                elif stretch.broken is not None:
                    lost = ""
                    yield self._error(stretch.problem, stretch.broken)
                    position = self._look_from(stretch.broken + 1)
                else:
                    lost, place = (stretch.problem, stretch.behind) if stretch.problem else (lost, place)
                    position = stretch.behind if stretch.behind >= self._stop else self._look_from(stretch.behind)
            if lost and not self._is_broken(file, position):  # what is broken there is told by the next range
                yield self._error(lost, place)
            self.next = position

    def _look_from(self, position: int) -> int | None:
        """Where the next record starts, if that is in the range or not far behind it, or the end of the file."""
        limit = min(self._stop + _STEPS[-1], self._size)
        found = self._finder.find(position, limit)
        return self._size if found is None and limit == self._size else found

    def _is_broken(self, file: WatchedFile, position: int | None) -> bool:
        """Whether the record that starts there cannot be read."""
        if position is None or position >= self._size:
            return False
        stretch = _Stretch(file, position, self._finder)
        next(stretch.read(self._size), None)
        return bool(stretch.problem) and stretch.broken == position

    def _error(self, problem: str, offset: int) -> Record:
        return Record(b"", source=self._source, offset=offset, problem=f"broken archive: {problem}")


class _Stretch:
    """Records from a place on, as long as nothing is broken.

    Afterwards `end` is where to go on: where a record behind the range starts, behind a record that need not be read,
    or the file's end. Else what comes next is to be looked for: `problem` says what is broken, the record that starts
    at `broken`, or whatever follows the last record, from `behind` on; it says nothing where that record told it.
    """

    def __init__(self, file: WatchedFile, position: int, finder: "_Finder") -> None:
        self.end: int | None = None
        self.problem = ""
        self.broken: int | None = position
        self._last, self._length = position, 0  # of the record at hand: its start, and what it says of its length
        self._file = file
        self._finder = finder

    @property
    def behind(self) -> int:
        """Where the next record can start: in a plain file behind the last one, whose pages may look like records.

        One that claims more than the file has does not count: its length may be what is damaged.
        """
        end = self._finder.end_of(self._last, self._length)
        return self._last + 1 if end is None or end > self._finder.size else end

    def read(self, stop: int) -> Iterator[Record]:
        stream, shift = self._finder.open_at(self._file, self._last)
        archive = import_module("fastwarc.warc")
        wanted = archive.WarcRecordType.response | archive.WarcRecordType.resource
        try:
            for found in archive.ArchiveIterator(stream, parse_http=False):
                offset = found.stream_pos + shift
                if offset >= stop and self._finder.is_start(offset):
                    self.end = offset
                    return
                self._last = self.broken = offset
                self._length = _length_of(found)
                is_passed = self._pass_over()
                if found.record_type & wanted:
                    yield _read_record(found, self._file.source, offset, is_passed=is_passed)
                self.broken = None
                if is_passed:
                    return
            self._check_end()
        except OSError as error:
            self._file.check()
            self.problem = str(error)

    def _pass_over(self) -> bool:
        """Whether the record at hand is in a plain file and larger than a page, or than what is left.

        To read through such records could take as long as the whole file, again and again: a page may carry many.
        """
        if self._length <= min(MAX_BLOCK_BYTES, self._finder.size - self._last - _LONGEST_HEAD):
            return False
        end = self._finder.end_of(self._last, self._length)
        if end is None or (end <= self._finder.size and self._length <= MAX_BLOCK_BYTES):
            return False
        self.end = end if end <= self._finder.size else None
        return True

    def _check_end(self) -> None:
        """See whether the file ended inside a record's head: what reads archives takes that for the end."""
        cut = self._finder.find(self.behind, self._finder.size)
        if cut is None:
            self.end = self._finder.size
        else:
            self.broken, self.problem = cut, "the archive ends inside this record"


class _Finder:
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
        """Where the first record of a range starts, if one does."""
        step, next_step = _STEPS
        while position < stop:
            step = min(step, stop - position)
            data = self._file.read_at(position, step + len(self._mark) - 1)
            place = data.find(self._mark)
            while place >= 0:
                if self.is_start(position + place):
                    return position + place
                place = data.find(self._mark, place + 1)
            position, step = position + step, next_step
        return None

    def is_start(self, position: int) -> bool:
        """Whether what stands there unpacks to the first line of a record."""
        data = self._file.read_at(position, _HEAD_BYTES[self._form])
        if not data.startswith(self._mark):
            return False
        try:
            if self._form == _ZSTD:
                archive = import_module("fastwarc.warc").ArchiveIterator(io.BytesIO(self._prefix + data))
                return next(archive, None) is not None
            head = zlib.decompressobj(wbits=31).decompress(data, _LINE_BYTES) if self._form == _GZIP else data
        except (zlib.error, OSError):
            return False
        if position + len(data) == self.size and len(head) < _LINE_BYTES:
            return _SHORTEST_LINE.startswith(head[: len(_SHORTEST_LINE)])  # the file is cut off here
        return bool(_FIRST_LINE.match(head)) and (self._form != _PLAIN or self._has_head(position, data))

    def _has_head(self, position: int, data: bytes) -> bool:
        """Whether a first line begins a head: of several without the end of a head between them the last one does."""
        end = _HEAD_END_OR_START.search(data)
        if end is None:
            data = self._file.read_at(position, _LONGEST_HEAD)
            end = _HEAD_END_OR_START.search(data)
        return position + len(data) == self.size if end is None else b"WARC" not in end[0]

    def end_of(self, position: int, length: int) -> int | None:
        """Where the record with content of a length ends that starts there; unknown in a packed file."""
        if self._form != _PLAIN:
            return None
        head = self._file.read_at(position, _LONGEST_HEAD)
        found = _HEAD_END.search(head)
        end = position + (found.end() if found else len(head)) + length
        behind = self._file.read_at(end, _BORDER_BYTES) if end < self.size else b""
        return end + len(behind) - len(behind.lstrip(b"\r\n"))

    def open_at(self, file: WatchedFile, position: int) -> tuple[Any, int]:
        """What reads records from a place on, and what to add to the places that it tells."""
        file.seek(position)
        if not self._prefix or position < len(self._prefix):
            return file, 0
        return _Stitched(self._prefix, file), position - len(self._prefix)


class _Stitched:
    """A file from where it stands on, with the frame of its dictionary before it."""

    def __init__(self, prefix: bytes, file: WatchedFile) -> None:
        self._prefix = io.BytesIO(prefix)
        self._file = file

    def read(self, size: int = -1) -> bytes:
        return self._prefix.read(size) or self._file.read(size)

    def tell(self) -> int:
        return 0


def _dictionary_frame(file: WatchedFile, head: bytes) -> bytes:
    """The frame with the dictionary that an archive begins with, or nothing."""
    if not head.startswith(_DICTIONARY_MARK):
        return b""
    return file.read_at(0, 8 + min(struct.unpack("<I", head[4:8])[0], _MAX_DICTIONARY_BYTES))


def _length_of(found: Any) -> int:
    if not found.headers.get("Content-Length"):  # every record has one; what reads archives takes heads as they are
        raise OSError("the headers of this record are damaged")
    length: int = found.content_length
    return length


def _read_block(found: Any) -> bytes | None:
    """The content of a record as far as a page could go; nothing where it takes too much memory."""
    pieces: list[bytes] = []
    left = min(found.content_length, MAX_BLOCK_BYTES)
    try:
        while left > 0 and (
            piece := found.reader.read(min(left, _STEPS[-1]))
        ):  # FastWARC panics where there is no room
            pieces.append(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
    except MemoryError:
        return None


def _read_record(found: Any, source: str, offset: int, *, is_passed: bool) -> Record:
    """The page of a response or resource record; of one that is passed over nothing is read."""
    headers = found.headers
    block = b"" if is_passed else _read_block(found)
    url = (headers.get("WARC-Target-URI") or "").strip("<>")
    time = headers.get("WARC-Date") or ""
    known_type = headers.get("WARC-Identified-Payload-Type") or ""
    record = Record(b"", url=url, time=time, source=source, offset=offset)
    if block is None:
        return replace(record, problem=MEMORY_ERROR)
    if found.content_length > MAX_BLOCK_BYTES:
        return replace(record, problem=f"larger than {MAX_PAGE_BYTES:,} bytes")
    if len(block) < found.content_length:
        return replace(record, problem="truncated: the archive ends inside this record")
    if (headers.get("Content-Type") or "").lower().startswith("application/http"):
        response = read_response(block, known_type)
        return replace(record, html=response.html, charset=response.charset, problem=response.problem)
    problem = judge_type(known_type or headers.get("Content-Type") or "")
    return replace(record, html=b"" if problem else block, problem=problem)
