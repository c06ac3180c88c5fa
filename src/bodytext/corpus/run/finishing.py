"""Write a part of the corpus: files of the kept, dropped and failed rows of some shards."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bodytext.corpus.atomic_files import write_atomically, write_json
from bodytext.corpus.duplicates.search import DUPLICATE
from bodytext.corpus.record_counts import RecordCounts
from bodytext.corpus.report import corpus_files
from bodytext.corpus.run.columns import (
    COLUMNS,
    DROPPED,
    ERROR,
    FORMATS,
    is_kept,
    is_set,
    read_batches,
    read_places,
)
from bodytext.corpus.run.tasks import ROWS
from bodytext.corpus.workers.child import Tick

_FOLDERS = {
    corpus_files.KEPT: COLUMNS,
    corpus_files.DROPPED: (*COLUMNS, DROPPED),
    corpus_files.FAILED: (*COLUMNS, ERROR),
}
REPEATS = ".repeats"  # of a shard: its rows that are duplicates, of the type DUPLICATE
PLACES_HELD = 64  # shards whose rows' places are in memory at a time


def stem_of(work: Path, shard: int) -> Path:
    """The path of a shard's files without their suffixes."""
    return work / "shards" / f"{shard:07}"


def finish_part(job: Mapping[str, Any], tick: Tick) -> None:
    """Write a part's files. The job names the folders, the part, its shards and the format."""
    corpus, name, file_type = Path(job["corpus"]), job["name"], FORMATS[job["format"]]
    with ExitStack() as stack:
        targets = {}
        for folder, columns in _FOLDERS.items():
            path = stack.enter_context(
                write_atomically(corpus / folder / (name + file_type.suffix))
            )
            targets[folder] = stack.enter_context(closing(file_type(path, columns)))
        counts, done = RecordCounts(), 0
        for batch in _read_rows(Path(job["work"]), range(*job["shards"])):
            _distribute(batch, targets)
            _count(batch, counts)
            done += batch.num_rows
            tick(done)
    write_json(Path(job["output"]), counts.to_json())


def _read_rows(work: Path, shards: Iterable[int]) -> Iterator[Any]:
    """The batches of shards, with duplicates dropped."""
    places = lru_cache(PLACES_HELD)(
        lambda shard: list(read_places(stem_of(work, shard).with_suffix(ROWS)))
    )
    for shard in shards:
        stem = stem_of(work, shard)
        path = stem.with_suffix(REPEATS)
        repeats = np.fromfile(path, DUPLICATE) if path.exists() else np.zeros(0, DUPLICATE)
        seen = 0  # kept rows of the batches before: only kept rows were compared and counted
        for batch in read_batches(stem.with_suffix(ROWS)):
            kept = np.flatnonzero(is_kept(batch))
            here = repeats[(repeats["row"] >= seen) & (repeats["row"] < seen + len(kept))]
            reasons = {
                kept[repeat["row"] - seen]: _explain(repeat, places(int(repeat["of_shard"])))
                for repeat in here
            }
            yield _drop(batch, reasons)
            seen += len(kept)


def _explain(repeat: Any, places: Sequence[tuple[str, int]]) -> str:
    """The reason why a duplicate is dropped."""
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


def _distribute(batch: Any, targets: Mapping[str, Any]) -> None:
    """Add each row to the file where it belongs."""
    in_error, kept = is_set(batch, ERROR), is_kept(batch)
    arrow = import_module("pyarrow")
    for folder, chosen in zip(_FOLDERS, (kept, ~kept & ~in_error, in_error), strict=True):
        targets[folder].add(batch if chosen.all() else batch.filter(arrow.array(chosen)))


def _count(batch: Any, counts: RecordCounts) -> None:
    lengths = import_module("pyarrow.compute").utf8_length(batch.column("text"))
    columns = (batch.column(DROPPED), batch.column(ERROR), lengths)
    for dropped, error, characters in zip(*(column.to_pylist() for column in columns), strict=True):
        counts.add(dropped, error, characters)
