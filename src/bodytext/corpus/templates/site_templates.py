"""Make the templates of sites from observations: blocks that repeat, places where words vary.

Templates are a folder of four tables, sorted by site and mapped into memory, so that any number of
workers share them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from bodytext.corpus.partitions import Numbers, PartitionedFiles, Records
from bodytext.corpus.templates.observations import OBSERVATION, sample, site_of

LEAST_SHARE = 0.01  # of a site's varying words: a place with fewer is not worth a row
MEMORY = 256 << 20  # bytes that merging may take, about

# A row for each site, with the ends of its rows in the other tables.
_SITE = np.dtype(
    [("site", "<u8"), ("pages", "<u4"), ("varying", "<u4"), ("blocks", "<i8"), ("places", "<i8")]
)
_COUNTED = np.dtype([("key", "<u8"), ("count", "<u4")])
_TABLES = {
    "sites": _SITE,
    "blocks": _COUNTED,
    "places": _COUNTED,
    "marks": np.dtype([("key", "<u8")]),
}
_READ_ROWS = 1 << 18


def merge(surveys: Sequence[Path], work: Path, target: Path, memory: int = MEMORY) -> None:
    """Make the folder that `Templates` reads, from files of rows of the type OBSERVATION."""
    size = sum(path.stat().st_size for path in surveys)
    work.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=work, prefix="templates-") as folder:
        partitions = PartitionedFiles(Path(folder) / "sites", size * 4 // memory + 1, OBSERVATION)
        for path in surveys:
            for rows in _read(path):
                partitions.add_by_key(rows, rows["site"])
        made = Path(folder) / "made"
        made.mkdir()
        with _Tables(made) as tables:
            for path in partitions.files():
                sampled = np.zeros(0, OBSERVATION)
                for rows in _read(path):  # sampling each time bounds very large sites
                    sampled = sample(np.concatenate((sampled, rows)))
                tables.add(sampled)
        made.rename(target)


def _read(path: Path) -> Iterator[Records]:
    if path.stat().st_size % OBSERVATION.itemsize:
        raise ValueError(
            f"{path}: this file of observations is not complete; remove it, and run the command again"
        )
    with path.open("rb") as file:
        while len(rows := np.fromfile(file, OBSERVATION, _READ_ROWS)):
            yield rows


class _Tables:
    """The files of templates that are being written, in the order of the sites' numbers."""

    def __init__(self, folder: Path) -> None:
        self._files = {name: (folder / name).open("wb") for name in _TABLES}
        self._ends = {"blocks": 0, "places": 0}

    def __enter__(self) -> "_Tables":
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def add(self, rows: Records) -> None:
        """Add the templates of sites, given a sample of their pages."""
        bounds = np.flatnonzero(np.diff(rows["site"], prepend=0, append=0))
        for first, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            self._add_site(rows[first:stop])

    def _add_site(self, rows: Records) -> None:
        marks = np.unique(rows["mark"])
        if len(marks) < 2:
            return
        block, which, count = np.unique(rows["block"], return_inverse=True, return_counts=True)
        varying = rows[count[which] == 1]
        place, which = np.unique(varying["place"], return_inverse=True)
        words = np.bincount(which, varying["words"], minlength=len(place))
        total = max(int(words.sum()), 1)
        large = words >= LEAST_SHARE * total
        self._write("blocks", block[count > 1], count[count > 1])
        self._write("places", place[large], words[large])
        self._files["marks"].write(marks.tobytes())
        ends = (self._ends["blocks"], self._ends["places"])
        self._files["sites"].write(
            np.array([(rows["site"][0], len(marks), total, *ends)], _SITE).tobytes()
        )

    def _write(self, name: str, keys: Numbers, counts: npt.NDArray[np.generic]) -> None:
        records = np.empty(len(keys), _COUNTED)
        records["key"], records["count"] = keys, counts
        self._files[name].write(records.tobytes())
        self._ends[name] += len(records)


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """What the pages of a site have in common."""

    marks: Numbers  # of the pages that it was made from
    blocks: Records  # that are on two pages or more, by key, with the number of pages
    places: Records  # with varying words, by key, with the number of words
    varying: int  # the number of all varying words


class Templates:
    """The templates in a folder that `merge` wrote."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        tables = {name: _open(folder / name, kind) for name, kind in _TABLES.items()}
        self._sites, self._blocks, self._places = (
            tables["sites"],
            tables["blocks"],
            tables["places"],
        )
        self._marks = tables["marks"]["key"]
        self._pages = np.cumsum(self._sites["pages"], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._sites)

    def __reduce__(self) -> tuple[type["Templates"], tuple[Path]]:
        return Templates, (self._folder,)  # another process opens the folder again

    def of(self, url: str) -> Template | None:
        """The template of the site of an address, if there is one."""
        site = site_of(url)
        at = int(np.searchsorted(self._sites["site"], np.uint64(site)))
        if not site or at == len(self) or int(self._sites["site"][at]) != site:
            return None
        stop, before = self._sites[at], self._sites[at - 1] if at else np.zeros(1, _SITE)[0]
        marks = self._marks[self._pages[at] - stop["pages"] : self._pages[at]]
        blocks = self._blocks[before["blocks"] : stop["blocks"]]
        return Template(
            marks, blocks, self._places[before["places"] : stop["places"]], int(stop["varying"])
        )


def _open(path: Path, kind: np.dtype[np.void]) -> Records:
    size = path.stat().st_size
    if size % kind.itemsize:
        raise ValueError(
            f"{path}: this table of templates is not complete; remove its folder, and run the command again"
        )
    return np.memmap(path, kind, "r") if size else np.zeros(0, kind)
