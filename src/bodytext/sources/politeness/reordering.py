"""Put numbered records back in order with little of them in memory."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace

from bodytext.sources.record import Record

_MOST_BYTES = 64 * 2**20  # of pages that wait in memory; further ones wait in a file


class ReorderingBuffer:
    """Holds records until those before them have arrived."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._waiting: dict[int, tuple[Record, int, int]] = {}  # with start and length in the file
        self._bytes = 0
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by sort
        self._end = 0

    def sort(self, records: Iterable[tuple[int, Record]]) -> Iterator[Record]:
        """Yield the records by their numbers, which count from 0 without gaps."""
        following = 0
        with closing(self._file):
            for number, record in records:
                if number == following:
                    yield record
                    following += 1
                else:
                    self._put(number, record)
                while following in self._waiting:
                    yield self._take(following)
                    following += 1

    def _put(self, number: int, record: Record) -> None:
        size = len(record.html)
        if self._bytes + size <= self._most_bytes:
            self._bytes += size
            self._waiting[number] = (record, 0, 0)
            return
        self._file.seek(self._end)
        self._file.write(record.html)
        self._waiting[number] = (replace(record, html=b""), self._end, size)
        self._end += size

    def _take(self, number: int) -> Record:
        record, start, size = self._waiting.pop(number)
        if not size:
            self._bytes -= len(record.html)
            return record
        self._file.seek(start)
        record = replace(record, html=self._file.read(size))
        if not self._waiting:
            self._end = 0
            self._file.truncate(0)
        return record
