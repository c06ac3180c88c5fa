"""Some shards' rows and what duplicates what -> a part of the corpus: what is kept, what was dropped, what failed."""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from importlib import import_module
from pathlib import Path
from typing import Any

from bodytext.corpus.columns import COLUMNS, DROPPED, ERROR, FORMATS, read_batches
from bodytext.corpus.durable import write_json, write_whole
from bodytext.corpus.tasks import ROWS

DATA, DROPPED_ROWS, ERRORS = "data", "dropped", "errors"  # folders of a corpus
_FOLDERS = {DATA: COLUMNS, DROPPED_ROWS: (*COLUMNS, DROPPED), ERRORS: (*COLUMNS, ERROR)}
REPEATS = ".repeats"  # of a shard: its duplicates, a line of JSON each: the row, and the reason for which it is dropped


def finish_part(job: Mapping[str, Any], tick: Any) -> None:
    """Write a part's files. The job names the corpus, the part, the shards' files and the format."""
    corpus, name, form = Path(job["corpus"]), job["name"], FORMATS[job["format"]]
    with ExitStack() as stack:
        targets = {}
        for folder, columns in _FOLDERS.items():
            path = stack.enter_context(write_whole(corpus / folder / (name + form.suffix)))
            targets[folder] = stack.enter_context(closing(form(path, columns)))
        for done, batch in enumerate(_read_rows(map(Path, job["shards"])), 1):
            _sort_out(batch, targets)
            tick(done)
    write_json(Path(job["output"]), {})


def _read_rows(stems: Iterator[Path]) -> Iterator[Any]:
    """The batches of shards, duplicates dropped."""
    for stem in stems:
        repeats = read_repeats(stem.with_suffix(REPEATS))
        row = 0
        for batch in read_batches(stem.with_suffix(ROWS)):
            yield _drop(batch, {at - row: repeats[at] for at in range(row, row + len(batch)) if at in repeats})
            row += len(batch)


def read_repeats(path: Path) -> dict[int, str]:
    """The rows of a shard that are duplicates, with the reason for which they are dropped."""
    if not path.exists():
        return {}
    return dict(map(json.loads, path.read_text("utf-8").splitlines()))


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
    in_error, dropped = (_is_set(batch.column(name)) for name in (ERROR, DROPPED))
    arrow = import_module("pyarrow")
    for folder, chosen in ((DATA, ~in_error & ~dropped), (DROPPED_ROWS, dropped & ~in_error), (ERRORS, in_error)):
        targets[folder].add(batch if chosen.all() else batch.filter(arrow.array(chosen)))


def _is_set(column: Any) -> Any:
    return import_module("pyarrow.compute").not_equal(column, "").to_numpy(zero_copy_only=False)
