"""Signature files of shards, in order -> for each shard the rows that repeat an earlier row, and which one.

A row is a duplicate when a row before it that is itself kept has the same words, or is so much alike that the estimate
from their signatures reaches the threshold. So the first is kept, every row that is dropped names a kept one that it is
like, and nothing is dropped over a chain of likenesses whose ends differ. How the rows are cut into shards makes no
difference, only their order.

Rows that may be alike are found by banding: a signature's numbers are taken six at a time, and rows that agree in all
six of any band are looked at. Rows are brought together on disk: each key goes to one of several files by its highest
bits, a file at a time is sorted, and what it says (this row may be like that one) goes to files by the number of the
row, which are gone through in order. Memory holds one such file, whatever the number of rows; the keys need 336 bytes
a row on disk, and those signatures that are compared are read where they lie.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from bodytext.corpus.duplicates.signatures import SIGNATURE, likeness
from bodytext.corpus.run.spill import Numbers, Records, Spill
from bodytext.kernel.shingles import BASE, mix

Group = tuple[Numbers, Numbers, Numbers]
Say = Callable[[str], None]

# A row of what is found in a shard, by row: of which shard and row it is a duplicate, and how alike (1 where exact).
DUPLICATE = np.dtype([("row", "<u4"), ("of_shard", "<u4"), ("of_row", "<u4"), ("likeness", "<f4"), ("exact", "?")])
_KEYED = np.dtype([("key", "<u8"), ("row", "<u8")])
_EDGE = np.dtype([("later", "<u8"), ("earlier", "<u8")])

READ_ROWS = 1 << 14  # signatures at a time
KEPT = np.iinfo(np.uint64).max  # in the list of originals: the row is its own


@dataclass(frozen=True, slots=True)
class Options:
    """What counts as a duplicate, and how much memory may be used to find out."""

    threshold: float = 0.7  # likeness; about 7 words in 100 changed. results/duplicates.md has what others give
    rows: int = 6  # numbers of a band: more find fewer rows that are little alike
    bands: int = 21  # 21 bands of 6 use 126 of the 128 numbers
    least: int = 20  # shingles; of shorter texts only equal ones are duplicates
    near: bool = True  # without it only equal texts are
    memory: int = 256 << 20  # bytes for one file of keys or candidates, about


def find_duplicates(
    shards: Sequence[Path], work: Path, options: Options | None = None, say: Say | None = None
) -> Iterator[Records]:
    """For every shard its duplicates, rows of the type DUPLICATE. `shards` are files of rows of the type SIGNATURE.

    What is spilled lies in a folder of its own in `work` and is removed at the end, or when the caller stops asking.
    """
    options, say = options or Options(), say or (lambda _: None)
    rows = Rows(shards)
    work.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=work, prefix="duplicates-") as folder:
        search = _Search(rows, Path(folder), options)
        say(f"{len(rows):,} rows: comparing texts")
        search.find_equal()
        if options.near:
            say(f"{len(rows):,} rows: comparing signatures")
            search.find_alike()
        for shard in range(len(shards)):
            yield search.of_shard(shard)


class Rows:
    """The rows of all shards under one running number, read where they lie."""

    def __init__(self, shards: Sequence[Path]) -> None:
        self.shards = tuple(shards)
        sizes = [path.stat().st_size for path in self.shards]
        for path, size in zip(self.shards, sizes, strict=True):
            if size % SIGNATURE.itemsize:
                raise ValueError(f"{path}: is no whole file of signatures; remove it and sign its shard again")
        self.starts = np.cumsum([0, *(size // SIGNATURE.itemsize for size in sizes)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def chunks(self) -> Iterator[tuple[int, Records]]:
        """All rows in order, some at a time, each time with the number of the first."""
        for shard, path in enumerate(self.shards):
            first = int(self.starts[shard])
            with path.open("rb") as file:
                while len(part := np.fromfile(file, SIGNATURE, READ_ROWS)):
                    yield first, part
                    first += len(part)

    def values(self, numbers: Numbers) -> npt.NDArray[np.uint16]:
        """The 128 numbers of each of some rows."""
        found = np.empty((len(numbers), *SIGNATURE["values"].shape), np.uint16)
        shard = np.searchsorted(self.starts, numbers, side="right") - 1
        for one in np.unique(shard):
            here = shard == one
            file = np.memmap(self.shards[one], SIGNATURE, "r")
            found[here] = file["values"][numbers[here].astype(np.int64) - self.starts[one]]
        return found

    def place(self, numbers: Numbers) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
        """Shard and row in it."""
        shard = np.searchsorted(self.starts, numbers, side="right") - 1
        return shard, numbers.astype(np.int64) - self.starts[shard]


class _Search:
    """One search: the files in the work folder, and for each row the row that it repeats."""

    def __init__(self, rows: Rows, folder: Path, options: Options) -> None:
        self.rows, self.folder, self.options = rows, folder, options
        size = max(len(rows), 1)
        # On disk, so that the system may put them aside; 13 bytes a row.
        self.original = np.memmap(folder / "original", np.uint64, "w+", shape=(size,))
        self.likeness = np.memmap(folder / "likeness", np.float32, "w+", shape=(size,))
        self.exact = np.memmap(folder / "exact", np.bool_, "w+", shape=(size,))
        self.original[:] = KEPT

    def find_equal(self) -> None:
        """Marks the rows whose digest an earlier one has."""
        spill = Spill(self.folder / "digests", self._files(len(self.rows)), _KEYED)
        checks = np.memmap(self.folder / "checks", np.uint64, "w+", shape=self.original.shape)
        for first, part in self.rows.chunks():
            number = np.arange(first, first + len(part), dtype=np.uint64)
            checks[first : first + len(part)] = part["digest"][:, 1]
            told = part["shingles"] > 0
            _spread(spill, part["digest"][told, 0], number[told])
        for later, first_row, _ in self._groups(spill):
            same = checks[later] == checks[first_row]  # the second half of the digest
            self._mark(later[same], first_row[same], 1.0, exact=True)

    def find_alike(self) -> None:
        """Marks the rows that are like an earlier one that is kept."""
        spill = Spill(self.folder / "bands", self._files(len(self.rows) * self.options.bands), _KEYED)
        for first, part in self.rows.chunks():
            number = np.arange(first, first + len(part), dtype=np.uint64)
            wanted = (part["shingles"] >= self.options.least) & (self.original[first : first + len(part)] == KEPT)
            for key in self._keys(part["values"][wanted]):
                _spread(spill, key, number[wanted])
        # A row may have two candidates in each band.
        span = max(self.options.memory // (4 * _EDGE.itemsize * self.options.bands), 1)
        edges = Spill(self.folder / "edges", len(self.rows) // span + 1, _EDGE)
        for later, first_row, before in self._groups(spill):
            edges.add(_pair(later, first_row), later // np.uint64(span))
            other = before != first_row
            edges.add(_pair(later[other], before[other]), later[other] // np.uint64(span))
        for part in edges.read():
            self._settle(np.unique(part))

    def of_shard(self, shard: int) -> Records:
        """What was found in a shard."""
        first, stop = self.rows.starts[shard : shard + 2]
        row = np.flatnonzero(self.original[first:stop] != KEPT)
        found = np.empty(len(row), DUPLICATE)
        found["row"] = row
        found["of_shard"], found["of_row"] = self.rows.place(self.original[first + row])
        found["likeness"], found["exact"] = self.likeness[first + row], self.exact[first + row]
        return found

    def _files(self, keys: int) -> int:
        return keys * _KEYED.itemsize * 4 // self.options.memory + 1  # sorting needs some times what is sorted

    def _groups(self, spill: Spill) -> Iterator[Group]:
        """Of rows that share a key, all but the first: each with the first and with the one before it.

        Files are of about the same size, unless a crowd of rows shares a key; such a file is read in pieces, and of the
        pieces before the first and the last row of each key are held.
        """
        piece = self.options.memory // (2 * _KEYED.itemsize)
        for path in spill.files():
            held = np.zeros(0, _KEYED)
            with path.open("rb") as file:
                while len(read := np.fromfile(file, _KEYED, piece)):
                    found, held = _group(held, read, len(read) == piece)
                    del read  # before the next is read
                    yield found

    def _keys(self, values: npt.NDArray[np.uint16]) -> Iterator[Numbers]:
        for band in range(self.options.bands):
            key = np.full(len(values), band, np.uint64)
            for place in range(band * self.options.rows, (band + 1) * self.options.rows):
                key = mix(key * np.uint64(BASE) + values[:, place])
            yield key

    def _mark(self, later: Numbers, original: Numbers, alike: float, *, exact: bool = False) -> None:
        self.original[later], self.likeness[later], self.exact[later] = original, alike, exact

    def _settle(self, edges: Records) -> None:
        """Goes through candidates in the order of the later row: is an earlier one, or what it repeats, alike."""
        for start in range(0, len(edges), READ_ROWS):
            part = edges[start : start + READ_ROWS]
            alike = likeness(self.rows.values(part["later"]), self.rows.values(part["earlier"]))
            triples = zip(part["later"].tolist(), part["earlier"].tolist(), alike.tolist(), strict=True)
            for later, earlier, share in triples:
                self._settle_one(later, earlier, share)

    def _settle_one(self, later: int, earlier: int, share: float) -> None:
        if self.original[later] != KEPT:
            return
        original = int(self.original[earlier])
        if original != KEPT:  # what is dropped cannot stand for another: the row that stands for it may
            earlier = original
            both = self.rows.values(np.array([later, earlier], np.uint64))
            share = float(likeness(both[0], both[1]))
        if share >= self.options.threshold:
            self.original[later], self.likeness[later] = earlier, share


def _spread(spill: Spill, keys: Numbers, rows: Numbers) -> None:
    records = np.empty(len(keys), _KEYED)
    records["key"], records["row"] = keys, rows
    spill.spread(records, keys)


def _pair(later: Numbers, earlier: Numbers) -> Records:
    found = np.empty(len(later), _EDGE)
    found["later"], found["earlier"] = later, earlier
    return found


def _group(held: Records, read: Records, more: bool) -> tuple[Group, Records]:
    """The rows of a piece that share a key with one before, with the first and the last such; what is to be held."""
    records = np.concatenate((held, read)) if len(held) else read
    order = np.argsort(records["key"], kind="stable")  # rows of a key stay in their order
    keys, rows = records["key"][order], records["row"][order]
    first_of_key = np.append(True, keys[1:] != keys[:-1])
    again = np.flatnonzero(~first_of_key)
    again = again[order[again] >= len(held)]
    starts = np.flatnonzero(first_of_key)
    first = starts[np.searchsorted(starts, again, side="right") - 1]
    last_of_key = np.append(first_of_key[1:], True)
    ends = records[order[first_of_key | last_of_key]] if more else held[:0]
    return (rows[again], rows[first], rows[again - 1]), ends
