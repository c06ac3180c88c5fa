"""Divide records among files on disk, so that memory holds those of one file at a time."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]
Records = npt.NDArray[np.void]


class PartitionedFiles:
    """Numbered files that share a name. A record goes to the file of its number."""

    def __init__(self, path: Path, files: int, kind: np.dtype[np.void]) -> None:
        self._paths = [path.with_name(f"{path.name}-{number:05}") for number in range(files)]
        self._kind = kind

    def add_by_key(self, records: Records, keys: Numbers) -> None:
        """Add records by the highest 32 bits of their keys.

        Equal keys go to the same file, and hashes evenly to all files.
        """
        self.add(records, (keys >> np.uint64(32)) * np.uint64(len(self._paths)) >> np.uint64(32))

    def add(self, records: Records, numbers: Numbers) -> None:
        """Append each record to the file of its number. The records of a file keep their order."""
        order = np.argsort(numbers, kind="stable")
        bounds = np.searchsorted(numbers[order], np.arange(len(self._paths) + 1))
        for number in np.flatnonzero(np.diff(bounds)):
            with self._paths[number].open("ab") as file:
                records[order[bounds[number] : bounds[number + 1]]].tofile(file)

    def files(self) -> Iterator[Path]:
        """The files that are not empty, in order. Each is removed when the next is asked for."""
        for path in self._paths:
            if path.exists():
                yield path
                path.unlink()

    def read(self) -> Iterator[Records]:
        """The records of each file."""
        for path in self.files():
            yield np.fromfile(path, self._kind)
