"""Sightings of all shards -> templates: which blocks repeat on a site's pages, and where its varying words stand.

The files of sightings may come in any order and be cut in any way: the templates are the same. They are a folder of
four tables, sorted by site and read where they lie, so that any number of workers share them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from bodytext.corpus.run.spill import Numbers, Records, Spill
from bodytext.corpus.templates.observations import SIGHTING, sample, site_of

LEAST_SHARE = 0.01  # of a site's varying words: places with less are not worth a row
MEMORY = 256 << 20  # bytes that bringing sightings together may take, about

# What is known of a site: where its rows end in the other tables.
_SITE = np.dtype([("site", "<u8"), ("pages", "<u4"), ("varying", "<u4"), ("blocks", "<i8"), ("places", "<i8")])
_COUNTED = np.dtype([("key", "<u8"), ("count", "<u4")])
_TABLES = {"sites": _SITE, "blocks": _COUNTED, "places": _COUNTED, "marks": np.dtype([("key", "<u8")])}
_READ_ROWS = 1 << 18


def merge(surveys: Sequence[Path], work: Path, target: Path, memory: int = MEMORY) -> None:
    """Files of rows of the type SIGHTING -> the folder of templates that `Templates` reads."""
    size = sum(path.stat().st_size for path in surveys)
    work.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=work, prefix="templates-") as folder:
        spill = Spill(Path(folder) / "sites", size * 4 // memory + 1, SIGHTING)
        for path in surveys:
            for rows in _read(path):
                spill.spread(rows, rows["site"])
        made = Path(folder) / "made"
        made.mkdir()
        with _Tables(made) as tables:
            for path in spill.files():
                known = np.zeros(0, SIGHTING)
                for rows in _read(path):  # a site with pages in every shard is sampled on the way
                    known = sample(np.concatenate((known, rows)))
                tables.add(known)
        made.rename(target)


def _read(path: Path) -> Iterator[Records]:
    if path.stat().st_size % SIGHTING.itemsize:
        raise ValueError(f"{path}: is no whole file of a survey; remove it and survey its shard again")
    with path.open("rb") as file:
        while len(rows := np.fromfile(file, SIGHTING, _READ_ROWS)):
            yield rows


class _Tables:
    """The files of a folder of templates while they are written, sites in the order of their numbers."""

    def __init__(self, folder: Path) -> None:
        self._files = {name: (folder / name).open("wb") for name in _TABLES}
        self._ends = {"blocks": 0, "places": 0}

    def __enter__(self) -> "_Tables":
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def add(self, rows: Records) -> None:
        """The templates of sites from a sample of their pages."""
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
        self._files["sites"].write(np.array([(rows["site"][0], len(marks), total, *ends)], _SITE).tobytes())

    def _write(self, name: str, keys: Numbers, counts: npt.NDArray[np.generic]) -> None:
        records = np.empty(len(keys), _COUNTED)
        records["key"], records["count"] = keys, counts
        self._files[name].write(records.tobytes())
        self._ends[name] += len(records)


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """What is known of a site."""

    marks: Numbers  # of the pages it was made from
    blocks: Records  # those on two pages or more, by key, with the number of pages
    places: Records  # those with varying words, by key, with the number of words
    varying: int  # words in all


class Templates:
    """A folder that `merge` wrote, read where it lies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        tables = {name: _open(folder / name, kind) for name, kind in _TABLES.items()}
        self._sites, self._blocks, self._places = tables["sites"], tables["blocks"], tables["places"]
        self._marks = tables["marks"]["key"]
        self._pages = np.cumsum(self._sites["pages"], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._sites)

    def __reduce__(self) -> tuple[type["Templates"], tuple[Path]]:
        return Templates, (self._folder,)  # another process opens the folder itself

    def of(self, url: str) -> Template | None:
        """The template of the site that an address belongs to."""
        site = site_of(url)
        at = int(np.searchsorted(self._sites["site"], np.uint64(site)))
        if not site or at == len(self) or int(self._sites["site"][at]) != site:
            return None
        stop, before = self._sites[at], self._sites[at - 1] if at else np.zeros(1, _SITE)[0]
        marks = self._marks[self._pages[at] - stop["pages"] : self._pages[at]]
        blocks = self._blocks[before["blocks"] : stop["blocks"]]
        return Template(marks, blocks, self._places[before["places"] : stop["places"]], int(stop["varying"]))


def _open(path: Path, kind: np.dtype[np.void]) -> Records:
    size = path.stat().st_size
    if size % kind.itemsize:
        raise ValueError(f"{path}: is no whole table of templates; remove its folder and survey again")
    return np.memmap(path, kind, "r") if size else np.zeros(0, kind)
