"""Records -> several files on disk, appended as they come, read back a file at a time: what memory does not hold."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]
Records = npt.NDArray[np.void]


class Spill:
    """Files beside each other that share a name; a record's number says into which it goes."""

    def __init__(self, path: Path, files: int, kind: np.dtype[np.void]) -> None:
        self._paths = [path.with_name(f"{path.name}-{number:05}") for number in range(files)]
        self._kind = kind

    def spread(self, records: Records, keys: Numbers) -> None:
        """Adds records by the highest 32 bits of a key: evenly where keys are hashes, equal keys to the same file."""
        self.add(records, (keys >> np.uint64(32)) * np.uint64(len(self._paths)) >> np.uint64(32))

    def add(self, records: Records, which: Numbers) -> None:
        """Appends each record to the file of its number; those of one file stay in their order."""
        order = np.argsort(which, kind="stable")
        bounds = np.searchsorted(which[order], np.arange(len(self._paths) + 1))
        for number in np.flatnonzero(np.diff(bounds)):
            with self._paths[number].open("ab") as file:
                records[order[bounds[number] : bounds[number + 1]]].tofile(file)

    def files(self) -> Iterator[Path]:
        """The files that hold something, in order; each is removed when the next is asked for."""
        for path in self._paths:
            if path.exists():
                yield path
                path.unlink()

    def read(self) -> Iterator[Records]:
        """What each of the files holds."""
        for path in self.files():
            yield np.fromfile(path, self._kind)
