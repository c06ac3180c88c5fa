"""Find the rows of shards that repeat an earlier row, given the files of their signatures.

A row is dropped only if a row that is kept has the same words, or a signature that is like its own:
no chain of likenesses drops a row that differs from all kept ones. Rows that agree in all numbers of
any band are compared. Bands are grouped in files on disk, of which memory holds one at a time.
docs/duplicates.md has more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from bodytext.corpus.duplicates.signatures import SIGNATURE, likeness
from bodytext.corpus.partitions import Numbers, PartitionedFiles, Records
from bodytext.kernel.hashing import HASH_BASE
from bodytext.kernel.shingles import mix

Group = tuple[Numbers, Numbers, Numbers]

# A duplicate in a shard: its row, the shard and row of the original, and how alike they are (1 if
# exact).
DUPLICATE = np.dtype(
    [("row", "<u4"), ("of_shard", "<u4"), ("of_row", "<u4"), ("likeness", "<f4"), ("exact", "?")]
)
_KEYED = np.dtype([("key", "<u8"), ("row", "<u8")])
_EDGE = np.dtype([("later", "<u8"), ("earlier", "<u8")])

READ_ROWS = 1 << 14  # signatures at a time
KEPT = np.iinfo(np.uint64).max  # in the list of originals: the row repeats none


@dataclass(frozen=True, slots=True)
class DuplicateOptions:
    """What counts as a duplicate, and how much memory the search may use."""

    threshold: float = 0.7  # likeness: about 7 words in 100 changed; see results/duplicates.md
    rows: int = 6  # numbers of a band: with more, fewer rows that differ much are compared
    bands: int = 21  # 21 bands of 6 use 126 of the 128 numbers
    least: int = 20  # shingles; shorter texts are duplicates only if they are equal
    near: bool = True  # find near duplicates too, not only equal texts
    memory: int = 256 << 20  # bytes for one file of keys or candidates, about


def find_duplicates(
    shards: Sequence[Path],
    work: Path,
    options: DuplicateOptions | None = None,
) -> Iterator[Records]:
    """Yield the duplicates of each shard as rows of the type DUPLICATE.

    `shards` are files of rows of the type SIGNATURE; a folder in `work` holds temporary files.
    """
    options = options or DuplicateOptions()
    rows = Rows(shards)
    work.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=work, prefix="duplicates-") as folder:
        search = _Search(rows, Path(folder), options)
        search.find_equal()
        if options.near:
            search.find_alike()
        for shard in range(len(shards)):
            yield search.of_shard(shard)


class Rows:
    """The rows of all shards under one running number, mapped into memory."""

    def __init__(self, shards: Sequence[Path]) -> None:
        self.shards = tuple(shards)
        sizes = [path.stat().st_size for path in self.shards]
        for path, size in zip(self.shards, sizes, strict=True):
            if size % SIGNATURE.itemsize:
                raise ValueError(
                    f"{path}: this file of signatures is not complete; remove it, and sign its shard again"
                )
        self.starts = np.cumsum([0, *(size // SIGNATURE.itemsize for size in sizes)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def chunks(self) -> Iterator[tuple[int, Records]]:
        """All rows in order, some at a time, with the number of the first."""
        for shard, path in enumerate(self.shards):
            first = int(self.starts[shard])
            with path.open("rb") as file:
                while len(part := np.fromfile(file, SIGNATURE, READ_ROWS)):
                    yield first, part
                    first += len(part)

    def values(self, numbers: Numbers) -> npt.NDArray[np.uint16]:
        """The 128 numbers of some rows."""
        values = np.empty((len(numbers), *SIGNATURE["values"].shape), np.uint16)
        shards, rows = self.place(numbers)
        for shard in np.unique(shards):
            here = shards == shard
            file = np.memmap(self.shards[shard], SIGNATURE, "r")
            values[here] = file["values"][rows[here]]
        return values

    def place(self, numbers: Numbers) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
        """The shards of rows, and their numbers there."""
        shard = np.searchsorted(self.starts, numbers, side="right") - 1
        return shard, numbers.astype(np.int64) - self.starts[shard]


class _Search:
    """One search: its files, and for each row the row that it repeats."""

    def __init__(self, rows: Rows, folder: Path, options: DuplicateOptions) -> None:
        self.rows, self.folder, self.options = rows, folder, options
        size = max(len(rows), 1)
        # On disk, so that the system may move them out of memory; 13 bytes a row.
        self.original = np.memmap(folder / "original", np.uint64, "w+", shape=(size,))
        self.likeness = np.memmap(folder / "likeness", np.float32, "w+", shape=(size,))
        self.exact = np.memmap(folder / "exact", np.bool_, "w+", shape=(size,))
        self.original[:] = KEPT

    def find_equal(self) -> None:
        """Mark the rows whose digest an earlier row has."""
        digests = PartitionedFiles(self.folder / "digests", self._files(len(self.rows)), _KEYED)
        checks = np.memmap(self.folder / "checks", np.uint64, "w+", shape=self.original.shape)
        for first, part in self.rows.chunks():
            number = np.arange(first, first + len(part), dtype=np.uint64)
            checks[first : first + len(part)] = part["digest"][:, 1]
            has_words = part["shingles"] > 0
            _add_keys(digests, part["digest"][has_words, 0], number[has_words])
        for later, first_row, _ in self._groups(digests):
            same = checks[later] == checks[first_row]  # the second half of the digest
            self._mark(later[same], first_row[same], 1.0, exact=True)

    def find_alike(self) -> None:
        """Mark the rows that are like an earlier row that is kept."""
        bands = PartitionedFiles(
            self.folder / "bands", self._files(len(self.rows) * self.options.bands), _KEYED
        )
        for first, part in self.rows.chunks():
            number = np.arange(first, first + len(part), dtype=np.uint64)
            wanted = (part["shingles"] >= self.options.least) & (
                self.original[first : first + len(part)] == KEPT
            )
            for key in self._keys(part["values"][wanted]):
                _add_keys(bands, key, number[wanted])
        # A row may have two candidates in each band.
        span = max(self.options.memory // (4 * _EDGE.itemsize * self.options.bands), 1)
        edges = PartitionedFiles(self.folder / "edges", len(self.rows) // span + 1, _EDGE)
        for later, first_row, before in self._groups(bands):
            edges.add(_pair(later, first_row), later // np.uint64(span))
            other = before != first_row
            edges.add(_pair(later[other], before[other]), later[other] // np.uint64(span))
        for part in edges.read():
            self._settle(np.unique(part))

    def of_shard(self, shard: int) -> Records:
        """The duplicates of a shard."""
        first, stop = self.rows.starts[shard : shard + 2]
        row = np.flatnonzero(self.original[first:stop] != KEPT)
        duplicates = np.empty(len(row), DUPLICATE)
        duplicates["row"] = row
        duplicates["of_shard"], duplicates["of_row"] = self.rows.place(self.original[first + row])
        duplicates["likeness"], duplicates["exact"] = (
            self.likeness[first + row],
            self.exact[first + row],
        )
        return duplicates

    def _files(self, keys: int) -> int:
        return (
            keys * _KEYED.itemsize * 4 // self.options.memory + 1
        )  # sorting needs several times the memory of the keys

    def _groups(self, partitions: PartitionedFiles) -> Iterator[Group]:
        """Of rows that share a key, all but the first; with the first, and with the row before it.

        Files have about the same size, unless very many rows share a key. Such a file is read in
        pieces, and the first and the last row of each key are held from one piece to the next.
        """
        piece = self.options.memory // (2 * _KEYED.itemsize)
        for path in partitions.files():
            held = np.zeros(0, _KEYED)
            with path.open("rb") as file:
                while len(read := np.fromfile(file, _KEYED, piece)):
                    group, held = _group(held, read, len(read) == piece)
                    del read  # free its memory before the next is read
                    yield group

    def _keys(self, values: npt.NDArray[np.uint16]) -> Iterator[Numbers]:
        for band in range(self.options.bands):
            key = np.full(len(values), band, np.uint64)
            for place in range(band * self.options.rows, (band + 1) * self.options.rows):
                key = mix(key * np.uint64(HASH_BASE) + values[:, place])
            yield key

    def _mark(
        self, later: Numbers, original: Numbers, alike: float, *, exact: bool = False
    ) -> None:
        self.original[later], self.likeness[later], self.exact[later] = original, alike, exact

    def _settle(self, edges: Records) -> None:
        """Compare pairs of candidates in the order of the later row."""
        for start in range(0, len(edges), READ_ROWS):
            part = edges[start : start + READ_ROWS]
            alike = likeness(self.rows.values(part["later"]), self.rows.values(part["earlier"]))
            triples = zip(
                part["later"].tolist(), part["earlier"].tolist(), alike.tolist(), strict=True
            )
            for later, earlier, share in triples:
                self._settle_one(later, earlier, share)

    def _settle_one(self, later: int, earlier: int, share: float) -> None:
        if self.original[later] != KEPT:
            return
        original = int(self.original[earlier])
        if original != KEPT:  # a dropped row is not an original, but the row that it repeats may be
            earlier = original
            both = self.rows.values(np.array([later, earlier], np.uint64))
            share = float(likeness(both[0], both[1]))
        if share >= self.options.threshold:
            self.original[later], self.likeness[later] = earlier, share


def _add_keys(partitions: PartitionedFiles, keys: Numbers, rows: Numbers) -> None:
    records = np.empty(len(keys), _KEYED)
    records["key"], records["row"] = keys, rows
    partitions.add_by_key(records, keys)


def _pair(later: Numbers, earlier: Numbers) -> Records:
    pairs = np.empty(len(later), _EDGE)
    pairs["later"], pairs["earlier"] = later, earlier
    return pairs


def _group(held: Records, read: Records, more: bool) -> tuple[Group, Records]:
    """Group the rows of a piece that share a key with an earlier row; also return rows to hold."""
    records = np.concatenate((held, read)) if len(held) else read
    order = np.argsort(records["key"], kind="stable")  # the rows of a key keep their order
    keys, rows = records["key"][order], records["row"][order]
    first_of_key = np.append(True, keys[1:] != keys[:-1])
    again = np.flatnonzero(~first_of_key)
    again = again[order[again] >= len(held)]
    starts = np.flatnonzero(first_of_key)
    first = starts[np.searchsorted(starts, again, side="right") - 1]
    last_of_key = np.append(first_of_key[1:], True)
    ends = records[order[first_of_key | last_of_key]] if more else held[:0]
    return (rows[again], rows[first], rows[again - 1]), ends
