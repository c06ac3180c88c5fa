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

from bodytext.sources.location import WatchedFile, describe_source, open_source
from bodytext.sources.record import Record
from bodytext.sources.response import MAX_PAGE_BYTES, judge_type, read_response

ENDINGS = (".warc", ".warc.gz", ".warc.zst")
MAX_BLOCK_BYTES = MAX_PAGE_BYTES + 2**16  # a page with the headers before it

_PLAIN, _GZIP, _ZSTD = "plain", "gzip", "zstd"
_MARKS = {_GZIP: b"\x1f\x8b\x08", _ZSTD: b"\x28\xb5\x2f\xfd", _PLAIN: b"WARC/"}
_FIRST_LINE = re.compile(rb"WARC/\d\.\d+\r?\n")
_SHORTEST_LINE = b"WARC/"
_LINE_BYTES = 16
_STEP = 2**20  # bytes in which a start is looked for at a time
# Bytes of a packed record that surely unpack to its first line; zst unpacks whole blocks, of up to 2**17 bytes.
_HEAD_BYTES = {_PLAIN: _LINE_BYTES, _GZIP: 2**12, _ZSTD: 2**18}
# A zst archive may begin with the dictionary that its frames need, in a frame that readers skip (the WARC-zstd draft).
_DICTIONARY_MARK = struct.pack("<I", 0x184D2A5D)
_MAX_DICTIONARY_BYTES = 16 * 2**20


class ArchiveReading:
    """The records of a range, once over; then `first` and `next` tell where it began and where the next one begins."""

    def __init__(self, source: str, start: int = 0, stop: int | None = None, *, exact: bool = True) -> None:
        """Take a range; `exact` where its start is known to be the start of a record."""
        self.first = self.next = start
        self._source = source
        self._size = describe_source(source)[0]
        self._stop = self._size if stop is None else stop
        self._exact = exact

    def __iter__(self) -> Iterator[Record]:
        with open_source(self._source) as file, open_source(self._source, sparse=True) as beside:
            self._finder = _Finder(beside, self._size)
            position = self.first if self._exact else self._finder.find(self.first)
            self.first = self.next = position
            lost = ""  # why something before the position could not be read, until it is known how much
            while position < self._stop:
                stretch = _Stretch(file, position, self._finder)
                for record in stretch.read(self._stop):
                    if lost:
                        yield self._error(lost, self.next + 1)
                        lost = ""
                    self.next = record.offset
                    yield record
                if stretch.end is not None:
                    position = stretch.end
                    break
                if stretch.broken is not None:
                    lost = ""
                    yield self._error(stretch.problem, stretch.broken)
                    position = self._finder.find(stretch.broken + 1)
                else:
                    lost = stretch.problem
                    position = self._finder.find(stretch.last + 1)
            if lost and not self._is_broken(file, position):  # what is broken there is told by the next range
                yield self._error(lost, self.next + 1)
            self.next = position

    def _is_broken(self, file: WatchedFile, position: int) -> bool:
        """Whether the record that starts there cannot be read."""
        if position >= self._size:
            return False
        stretch = _Stretch(file, position, self._finder)
        next(stretch.read(self._size), None)
        return bool(stretch.problem) and stretch.broken == position

    def _error(self, problem: str, offset: int) -> Record:
        return Record(b"", source=self._source, offset=offset, problem=f"broken archive: {problem}")


class _Stretch:
    """Records from a place on, as long as nothing is broken.

    Afterwards `end` is where a record behind the range starts, or the file's end; or `problem` says what is broken:
    the record that starts at `broken`, or whatever follows the record at `last`.
    """

    def __init__(self, file: WatchedFile, position: int, finder: "_Finder") -> None:
        self.end: int | None = None
        self.problem = ""
        self.broken: int | None = position
        self.last = position
        self._file = file
        self._finder = finder

    def read(self, stop: int) -> Iterator[Record]:
        stream, shift = self._finder.open_at(self._file, self.last)
        archive = import_module("fastwarc.warc")
        wanted = archive.WarcRecordType.response | archive.WarcRecordType.resource
        try:
            for found in archive.ArchiveIterator(stream, parse_http=False):
                offset = found.stream_pos + shift
                if offset >= stop and self._finder.is_start(offset):
                    self.end = offset
                    return
                self.last = self.broken = offset
                record = _read_record(found, self._file.source, offset) if found.record_type & wanted else None
                if record is not None:
                    yield record
                self.broken = None
            self._check_end()
        except OSError as error:
            self._file.check()
            self.problem = str(error)

    def _check_end(self) -> None:
        """See whether the file ended inside a record's head: what reads archives takes that for the end."""
        cut = self._finder.find(self.last + 1)
        if cut == self._finder.size:
            self.end = cut
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

    def find(self, position: int) -> int:
        """Where the first record at or behind a position starts; the end of the file where there is none."""
        while position < self.size:
            data = self._file.read_at(position, _STEP + len(self._mark) - 1)
            place = data.find(self._mark)
            while place >= 0:
                if self.is_start(position + place):
                    return position + place
                place = data.find(self._mark, place + 1)
            position += _STEP
        return self.size

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
        return bool(_FIRST_LINE.match(head))

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


def _read_record(found: Any, source: str, offset: int) -> Record:
    """The page of a response or resource record."""
    headers = found.headers
    if not headers.get("Content-Length"):  # every record has one; what reads archives takes damaged headers as they are
        raise OSError("the headers of this record are damaged")
    block = found.reader.read(min(found.content_length, MAX_BLOCK_BYTES))
    url = (headers.get("WARC-Target-URI") or "").strip("<>")
    time = headers.get("WARC-Date") or ""
    known_type = headers.get("WARC-Identified-Payload-Type") or ""
    record = Record(b"", url=url, time=time, source=source, offset=offset)
    if found.content_length > MAX_BLOCK_BYTES:
        return replace(record, problem=f"larger than {MAX_PAGE_BYTES:,} bytes")
    if len(block) < found.content_length:
        return replace(record, problem="truncated: the archive ends inside this record")
    if (headers.get("Content-Type") or "").startswith("application/http"):
        response = read_response(block, known_type)
        return replace(record, html=response.html, charset=response.charset, problem=response.problem)
    problem = judge_type(known_type or headers.get("Content-Type") or "")
    return replace(record, html=b"" if problem else block, problem=problem)
