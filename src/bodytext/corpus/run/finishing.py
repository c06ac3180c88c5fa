"""Some shards' rows and what duplicates what -> a part of the corpus: what is kept, what was dropped, what failed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bodytext.corpus.duplicates.search import DUPLICATE
from bodytext.corpus.run.columns import COLUMNS, DROPPED, ERROR, FORMATS, is_kept, is_set, read_batches, read_places
from bodytext.corpus.run.durable import write_json, write_whole
from bodytext.corpus.run.tally import Tally
from bodytext.corpus.run.tasks import ROWS

DATA, DROPPED_ROWS, ERRORS = "data", "dropped", "errors"  # folders of a corpus
_FOLDERS = {DATA: COLUMNS, DROPPED_ROWS: (*COLUMNS, DROPPED), ERRORS: (*COLUMNS, ERROR)}
REPEATS = ".repeats"  # of a shard: which of its rows are duplicates, as `duplicates` tells it
PLACES_HELD = 64  # shards whose rows' places are held in memory at a time


def stem_of(work: Path, shard: int) -> Path:
    """What the names of a shard's files begin with."""
    return work / "shards" / f"{shard:07}"


def finish_part(job: Mapping[str, Any], tick: Callable[[int], None]) -> None:
    """Write a part's files. The job names the corpus, the work folder, the part, its shards and the format."""
    corpus, name, form = Path(job["corpus"]), job["name"], FORMATS[job["format"]]
    with ExitStack() as stack:
        targets = {}
        for folder, columns in _FOLDERS.items():
            path = stack.enter_context(write_whole(corpus / folder / (name + form.suffix)))
            targets[folder] = stack.enter_context(closing(form(path, columns)))
        tally, done = Tally(), 0
        for batch in _read_rows(Path(job["work"]), range(*job["shards"])):
            _sort_out(batch, targets)
            _count(batch, tally)
            done += batch.num_rows
            tick(done)
    write_json(Path(job["output"]), tally.to_json())


def _read_rows(work: Path, shards: Iterable[int]) -> Iterator[Any]:
    """The batches of shards, duplicates dropped."""
    places = lru_cache(PLACES_HELD)(lambda shard: list(read_places(stem_of(work, shard).with_suffix(ROWS))))
    for shard in shards:
        stem = stem_of(work, shard)
        path = stem.with_suffix(REPEATS)
        repeats = np.fromfile(path, DUPLICATE) if path.exists() else np.zeros(0, DUPLICATE)
        seen = 0  # of the rows that are kept so far: those alone were compared, and are counted by themselves
        for batch in read_batches(stem.with_suffix(ROWS)):
            kept = np.flatnonzero(is_kept(batch))
            here = repeats[(repeats["row"] >= seen) & (repeats["row"] < seen + len(kept))]
            reasons = {kept[one["row"] - seen]: _explain(one, places(int(one["of_shard"]))) for one in here}
            yield _drop(batch, reasons)
            seen += len(kept)


def _explain(repeat: Any, places: Sequence[tuple[str, int]]) -> str:
    """Why a duplicate is dropped."""
    source, offset = places[repeat["of_row"]]
    if repeat["exact"]:
        return f"duplicate: of {source} at {offset}"
    return f"near duplicate: {repeat['likeness']:.2f} like {source} at {offset}"


def _drop(batch: Any, repeats: Mapping[int, str]) -> Any:
    if not repeats:
        return batch
    place = batch.schema.get_field_index(DROPPED)
    reasons = batch.column(place).to_pylist()
    for row, reason in repeats.items():
        reasons[row] = reason
    return batch.set_column(place, DROPPED, import_module("pyarrow").array(reasons))


def _sort_out(batch: Any, targets: Mapping[str, Any]) -> None:
    """Add each row to the file where it belongs."""
    in_error, kept = is_set(batch, ERROR), is_kept(batch)
    arrow = import_module("pyarrow")
    for folder, chosen in ((DATA, kept), (DROPPED_ROWS, ~kept & ~in_error), (ERRORS, in_error)):
        targets[folder].add(batch if chosen.all() else batch.filter(arrow.array(chosen)))


def _count(batch: Any, tally: Tally) -> None:
    lengths = import_module("pyarrow.compute").utf8_length(batch.column("text"))
    columns = (batch.column(DROPPED), batch.column(ERROR), lengths)
    for dropped, error, characters in zip(*(column.to_pylist() for column in columns), strict=True):
        tally.add(dropped, error, characters)
