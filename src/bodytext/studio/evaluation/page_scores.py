"""Score files of predictions against labels; scores are read again until either changes."""

import hashlib
import json
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bodytext.batch.ordered import end_with_parent
from bodytext.studio.evaluation.metrics import (
    Overlap,
    compare_shingles,
    compare_sizes,
    compare_words,
    has_words,
    is_exact,
    mean_of,
    rouge_lsum,
    snippet_rates,
)
from bodytext.studio.evaluation.predictions import Prediction, Task, read_predictions
from bodytext.studio.labels.labelled_set import LabelledPage

_REFERENCE_METRICS = (
    *("precision", "recall", "f1", "shingle_precision", "shingle_recall", "shingle_f1"),
    *("exact", "rouge", "accuracy", "noise"),
)
FORM = 2  # of the score files; a change of any metric raises it


@dataclass(frozen=True, slots=True)
class PageScore:
    """The metrics of one system on one page; those that the labels do not allow are NaN."""

    identity: str
    page_type: str
    precision: float
    recall: float
    f1: float
    shingle_precision: float
    shingle_recall: float
    shingle_f1: float
    exact: float
    rouge: float
    accuracy: float
    noise: float
    present: float
    absent: float
    seconds: float
    error: str


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The metrics of one system on all pages of a set."""

    system: str
    version: str
    pages: tuple[PageScore, ...]

    def mean(self, metric: str, page_type: str = "") -> float:
        """The mean of a metric over all pages that have it, or over those of one page type.

        The shingle F1 is computed from the mean precision and recall, as in the article benchmark.
        """
        if metric == "shingle_f1":
            return Overlap(
                self.mean("shingle_precision", page_type), self.mean("shingle_recall", page_type)
            ).f1
        return mean_of(
            getattr(page, metric) for page in self.pages if page_type in ("", page.page_type)
        )

    @property
    def failures(self) -> int:
        """Pages on which the system crashed, raised or took too long."""
        return sum(bool(page.error) for page in self.pages)


def score_page(page: LabelledPage, prediction: Prediction) -> PageScore:
    """All metrics of one prediction."""
    present, absent = snippet_rates(prediction.text, page.present, page.absent)
    return PageScore(
        identity=page.identity,
        page_type=page.page_type,
        **_compare(prediction.text, page.reference),
        present=present,
        absent=absent,
        seconds=prediction.seconds,
        error=prediction.error,
    )


def _compare(text: str, reference: str | None) -> dict[str, float]:
    """The metrics that need a reference text, by name."""
    if reference is None:
        return dict.fromkeys(_REFERENCE_METRICS, math.nan)
    words, shingles = compare_words(text, reference), compare_shingles(text, reference)
    # The article benchmark leaves a page out of a mean for which it has no words.
    precision = shingles.precision if has_words(text) else math.nan
    recall = shingles.recall if has_words(reference) else math.nan
    numbers = (words.precision, words.recall, words.f1, precision, recall, shingles.f1)
    others = (
        float(is_exact(text, reference)),
        rouge_lsum(text, reference),
        *compare_sizes(text, reference),
    )
    return dict(zip(_REFERENCE_METRICS, (*numbers, *others), strict=True))


def score_system(task: Task, pages: Sequence[LabelledPage], digest: str) -> SystemScore:
    """The scores of a prediction file; a page without a prediction counts as an empty text."""
    file, mark = task.path.with_suffix(".scores.json"), _mark(task.path, digest)
    stored = _read_stored(file)
    if stored.get("mark") == mark:
        types = {page.identity: page.page_type for page in pages}  # types may have changed
        scores = [
            PageScore(**(values | {"page_type": types[values["identity"]]}))
            for values in stored["pages"]
        ]
    else:
        predictions = read_predictions(task.path, task.version)
        scores = [
            score_page(page, predictions.get(page.identity, _no_prediction(page))) for page in pages
        ]
        file.write_text(
            json.dumps({"mark": mark, "pages": [asdict(score) for score in scores]}), "utf-8"
        )
    return SystemScore(task.system, task.version, tuple(scores))


def _read_stored(file: Path) -> dict[str, Any]:
    """The stored scores; none if the file is damaged."""
    try:
        stored = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    except (ValueError, RecursionError):
        return {}
    return stored if isinstance(stored, dict) else {}


def _no_prediction(page: LabelledPage) -> Prediction:
    return Prediction(page.identity, "", "", 0.0, "no prediction")


def score_all(
    tasks: Sequence[Task], pages: Sequence[LabelledPage], digest: str, workers: int
) -> list[SystemScore]:
    """The scores of every system, in the order of the tasks."""
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        return list(pool.map(score_system, tasks, [pages] * len(tasks), [digest] * len(tasks)))


def _mark(path: Path, digest: str) -> str:
    return f"{FORM}-{digest}-{hashlib.sha256(path.read_bytes()).hexdigest()}"
