"""Prediction files + labels -> scores. Reads only files; scores are kept beside the predictions and read again."""

import hashlib
import json
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from bodytext.studio.evaluation.metrics import (
    Overlap,
    compare_shingles,
    compare_sizes,
    compare_words,
    has_words,
    is_exact,
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
    """How well a system did on a page. Numbers that the labels cannot give are NaN."""

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
    """How well a system did on a set."""

    system: str
    version: str
    pages: tuple[PageScore, ...]

    def mean(self, metric: str, page_type: str = "") -> float:
        """The mean of a metric over all pages that have it, or over those of one type.

        The shingle F1 is that of the mean precision and recall, as the article benchmark has it.
        """
        if metric == "shingle_f1":
            return Overlap(self.mean("shingle_precision", page_type), self.mean("shingle_recall", page_type)).f1
        values = [getattr(one, metric) for one in self.pages if page_type in ("", one.page_type)]
        known = [value for value in values if not math.isnan(value)]
        return sum(known) / len(known) if known else math.nan

    @property
    def failures(self) -> int:
        """Pages on which the system crashed, raised or took too long."""
        return sum(bool(one.error) for one in self.pages)


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
    """The metrics that want a reference text, by name."""
    if reference is None:
        return dict.fromkeys(_REFERENCE_METRICS, math.nan)
    words, shingles = compare_words(text, reference), compare_shingles(text, reference)
    # The article benchmark leaves pages out of a mean that they say nothing about.
    kept = shingles.precision if has_words(text) else math.nan
    found = shingles.recall if has_words(reference) else math.nan
    numbers = (words.precision, words.recall, words.f1, kept, found, shingles.f1)
    others = (float(is_exact(text, reference)), rouge_lsum(text, reference), *compare_sizes(text, reference))
    return dict(zip(_REFERENCE_METRICS, (*numbers, *others), strict=True))


def score_system(task: Task, pages: Sequence[LabelledPage], digest: str) -> SystemScore:
    """The scores of one system's prediction file. A page without a prediction counts as an empty text."""
    kept, mark = task.path.with_suffix(".scores.json"), _mark(task.path, digest)
    if kept.is_file():
        stored = json.loads(kept.read_text("utf-8"))
        if stored["mark"] == mark:
            types = {page.identity: page.page_type for page in pages}  # a relabelled page is scored as it was
            scores = tuple(PageScore(**(one | {"page_type": types[one["identity"]]})) for one in stored["pages"])
            return SystemScore(task.system, task.version, scores)
    predictions = read_predictions(task.path, task.version)
    scores = tuple(
        score_page(page, predictions.get(page.identity, Prediction(page.identity, "", "", 0.0, "no prediction")))
        for page in pages
    )
    kept.write_text(json.dumps({"mark": mark, "pages": [asdict(one) for one in scores]}), "utf-8")
    return SystemScore(task.system, task.version, scores)


def score_all(tasks: Sequence[Task], pages: Sequence[LabelledPage], digest: str, workers: int) -> list[SystemScore]:
    """The scores of every system, in the order of the tasks."""
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(score_system, tasks, [pages] * len(tasks), [digest] * len(tasks)))


def _mark(path: Path, digest: str) -> str:
    return f"{FORM}-{digest}-{hashlib.sha256(path.read_bytes()).hexdigest()}"
