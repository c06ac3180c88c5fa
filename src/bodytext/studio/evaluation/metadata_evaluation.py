"""Measure how often each system reads the title, the authors and the date of a page as labelled."""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any

from bodytext.studio.evaluation.metadata_peers import METADATA_PEERS, MetadataPeer
from bodytext.studio.evaluation.metrics import bootstrap_interval
from bodytext.studio.evaluation.peers import name_missing
from bodytext.studio.evaluation.predictions import Prediction, Task, predict
from bodytext.studio.evaluation.tables import (
    UNKNOWN,
    Cell,
    Table,
    describe_set,
    lay_out,
)
from bodytext.studio.labels.labelled_set import (
    LabelledPage,
    digest_of,
    name_set,
    read_label,
    read_labelled,
)

FIELDS = ("title", "authors", "date")
_OURS = METADATA_PEERS[0].name
_WORKERS = 2

_WORD = re.compile(r"\w+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
# Punctuation and words for "and" between names.
_BETWEEN_NAMES = re.compile(
    r"(?:(?<!\s)[^\S\n]*+)?[;&|\n、]\s*+"
    r"|(?:,|(?<!\s))\s++(?:and|und|et|y|e|og|och|en|ve|и|та|і)\s++",
    re.IGNORECASE,
)
_LETTERS_AFTER_A_NAME = re.compile(r"(?:[A-Z][a-z]?\.?){1,6}[®™]?")


@dataclass(slots=True)
class FieldScore:
    """The answers of one system for one field."""

    hits: list[float] = dataclass_field(default_factory=list)  # 1 or 0 for each labelled page
    # Page, label, answer
    misses: list[tuple[str, str, str]] = dataclass_field(default_factory=list)
    unlabelled: int = 0  # pages whose label lacks the field
    answered: int = 0  # of these, pages with an answer

    def add(self, page: str, label: Any, answer: Any, normalise: Callable[[Any], Any]) -> None:
        """Compare the answer for a page with its label; an empty label is a missing one."""
        if not label:
            self.unlabelled += 1
            self.answered += bool(answer)
            return
        is_right = normalise(answer) == normalise(label)
        self.hits.append(float(is_right))
        if not is_right:
            self.misses.append((page, str(label), str(answer)))


@dataclass(frozen=True, slots=True)
class MetadataScore:
    """The scores of one system on one set."""

    peer: MetadataPeer
    version: str
    fields: dict[str, FieldScore]
    milliseconds: float
    failures: int

    def rate(self, field: str) -> float:
        """The share of pages on which a field is right; NaN if the system does not read it."""
        hits = self.fields[field].hits
        return sum(hits) / len(hits) if hits and field in self.peer.fields else math.nan


@dataclass(frozen=True, slots=True)
class MetadataEvaluation:
    """A labelled set, the scores of every system on it, and the systems that are not installed."""

    name: str
    digest: str
    pages: int
    scores: tuple[MetadataScore, ...]
    missing: tuple[str, ...]


def normalise_title(title: str) -> str:
    r"""The words in lower case; quotation marks, dashes and white space do not count.

    >>> normalise_title("  “Nürnberg”—a\u00adgain ") == normalise_title('"NÜRNBERG" - again')
    True
    """
    return " ".join(
        _WORD.findall(_INVISIBLE.sub("", unicodedata.normalize("NFKC", title)).casefold())
    )


def normalise_authors(authors: Sequence[str]) -> frozenset[str]:
    """The names as a set, normalised like titles; letters after a name (MD, PhD) do not count.

    >>> sorted(normalise_authors(["Ann Lee, MD and Bo Ek"])), sorted(normalise_authors(["bo ek", "Ann Lee"]))
    (['ann lee', 'bo ek'], ['ann lee', 'bo ek'])
    """
    names = set()
    for group in authors:
        for name in _BETWEEN_NAMES.split(group):
            first, *others = (part.strip() for part in name.split(","))
            names.update(
                [first, *(part for part in others if not _LETTERS_AFTER_A_NAME.fullmatch(part))]
            )
    return frozenset(name for name in map(normalise_title, names) if name)


def normalise_date(date: str) -> str:
    """The day as written; time zones are not converted.

    >>> normalise_date("2024-05-02T23:30:00+09:00")
    '2024-05-02'
    """
    return date.strip()[:10]


_NORMALISE: dict[str, Callable[[Any], Any]] = {
    "title": normalise_title,
    "authors": normalise_authors,
    "date": normalise_date,
}


def evaluate_metadata(
    folder: Path, predictions: Path, systems: Sequence[str] = ()
) -> MetadataEvaluation:
    """Run the named systems, or all installed ones, on every page. Answers on file are used."""
    peers = _choose_peers(systems)
    installed = [peer for peer in peers if peer.version]
    missing = tuple(peer.name for peer in peers if not peer.version)
    name, pages = name_set(folder), read_labelled(folder)
    labels = {page.identity: _read_label(folder, page) for page in pages}
    if not installed:
        raise ValueError(name_missing(missing, (peer.distribution for peer in peers)))
    scores = []
    for peer in installed:
        task = Task(
            peer.system, peer.version, predictions / name / "metadata" / f"{peer.name}.jsonl"
        )
        answers = predict(task, pages, workers=_WORKERS, report=lambda: None)
        scores.append(_score(peer, answers, labels))
    digest = hashlib.sha256(json.dumps(labels, sort_keys=True).encode()).hexdigest()[:16]
    digests = f"{digest_of(pages)}, of the metadata {digest}"
    return MetadataEvaluation(name, digests, len(pages), tuple(scores), missing)


def _choose_peers(systems: Sequence[str]) -> list[MetadataPeer]:
    known = [peer.name for peer in METADATA_PEERS]
    if unknown := [name for name in systems if name not in known]:
        raise ValueError(
            f"there is no system {unknown[0]!r} for metadata; choose one of {', '.join(known)}"
        )
    return [peer for peer in METADATA_PEERS if not systems or peer.name in systems]


def _read_label(folder: Path, page: LabelledPage) -> dict[str, Any]:
    """The fields of a page's label, without those that it lacks."""
    path = folder / "ground-truth" / f"{page.identity}.json"
    if not path.is_file():
        raise ValueError(f"{folder}: labels of metadata are read from ground-truth/ID.json only")
    truth = read_label(path).part("ground_truth")
    author = truth.text("author")
    authors = list(truth.texts("authors")) or ([author] if author else [])
    label = {"title": truth.text("title"), "authors": authors, "date": truth.text("publish_date")}
    return {field: value for field, value in label.items() if value}


def _score(
    peer: MetadataPeer, predictions: dict[str, Prediction], labels: dict[str, dict[str, Any]]
) -> MetadataScore:
    fields = {field: FieldScore() for field in FIELDS}
    for page, label in labels.items():
        answer = json.loads(predictions[page].text or "{}")
        for field, normalise in _NORMALISE.items():
            fields[field].add(page, label.get(field), answer.get(field) or "", normalise)
    seconds = sum(prediction.seconds for prediction in predictions.values()) / max(
        len(predictions), 1
    )
    failures = sum(bool(prediction.error) for prediction in predictions.values())
    return MetadataScore(peer, peer.version, fields, 1000 * seconds, failures)


def to_tables(evaluation: MetadataEvaluation) -> list[Table]:
    """The rates, the differences from ours, and the answers without a label."""
    return [_rates(evaluation), _differences(evaluation), _unlabelled(evaluation)]


def _rates(evaluation: MetadataEvaluation) -> Table:
    scores = evaluation.scores
    best = {field: max(_known(score.rate(field)) for score in scores) for field in FIELDS}
    rows = [
        (
            Cell(score.peer.name),
            *(_rate_cell(score, field, best[field]) for field in FIELDS),
            Cell(f"{score.milliseconds:.1f}"),
            Cell(str(score.failures)),
            Cell(f"{score.peer.distribution} {score.version}"),
        )
        for score in scores
    ]
    fields = [f"{field} ({len(scores[0].fields[field].hits):,})" for field in FIELDS]
    note = (
        "The share of the labelled pages (their number in parentheses) on which a field is "
        "exactly right after normalisation, with the interval that contains it in 95 % of "
        "resamplings of the pages. A failure counts as no answer. CPU milliseconds a page include "
        "reading and parsing."
    )
    heading = ("system", *fields, "CPU ms", "failures", "version")
    return Table("Exact matches", note, heading, tuple(rows))


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _rate_cell(score: MetadataScore, field: str, best: float) -> Cell:
    rate = score.rate(field)
    if math.isnan(rate):
        return Cell(UNKNOWN)
    return Cell(f"{rate:.3f} ({_interval(score.fields[field].hits, '.3f')})", rate == best)


def _differences(evaluation: MetadataEvaluation) -> Table:
    base = [score for score in evaluation.scores if score.peer.name == _OURS]
    others = [score for score in evaluation.scores if base and score is not base[0]]
    note = "Ours minus the other, page by page. Above 0 ours is better; an interval without 0 is unlikely to be chance."

    def compare(other: MetadataScore, field: str) -> str:
        hits = zip(base[0].fields[field].hits, other.fields[field].hits, strict=True)
        pairs = [ours - theirs for ours, theirs in hits]
        if not pairs:
            return UNKNOWN
        return f"{sum(pairs) / len(pairs):+.3f} ({_interval(pairs, '+.3f')})"

    return _field_table(f"{_OURS} against the others", note, others, compare)


def _unlabelled(evaluation: MetadataEvaluation) -> Table:
    note = (
        "How many pages whose label lacks the field got an answer. Some of these answers are "
        "right: labels lack what their authors did not see."
    )

    def count(score: MetadataScore, field: str) -> str:
        found = score.fields[field]
        return f"{found.answered:,} of {found.unlabelled:,}" if found.unlabelled else UNKNOWN

    return _field_table("Answers where the label has none", note, evaluation.scores, count)


def _field_table(
    title: str,
    note: str,
    scores: Sequence[MetadataScore],
    write: Callable[[MetadataScore, str], str],
) -> Table:
    """A table with a cell for each system and each field that it reads."""
    rows = [
        [write(score, field) if field in score.peer.fields else UNKNOWN for field in FIELDS]
        for score in scores
    ]
    named = zip(scores, rows, strict=True)
    cells = [(Cell(score.peer.name), *map(Cell, row)) for score, row in named]
    return Table(title, note, ("system", *FIELDS), tuple(cells))


def _interval(values: Sequence[float], form: str) -> str:
    low, high = bootstrap_interval(values)
    return UNKNOWN if math.isnan(low) else f"{low:{form}} to {high:{form}}"


def to_markdown(evaluation: MetadataEvaluation, command: str) -> str:
    """The report on one set."""
    lines = describe_set(
        evaluation.name, evaluation.pages, evaluation.digest, command, evaluation.missing
    )
    return lay_out(lines, to_tables(evaluation))


def to_misses(evaluation: MetadataEvaluation) -> str:
    """The pages that ours got wrong, one on each line: field, page, label, answer."""
    lines = []
    for score in evaluation.scores:
        if score.peer.name == _OURS:
            lines += [
                "\t".join(map(_fold, (field, *miss)))
                for field in FIELDS
                for miss in score.fields[field].misses
            ]
    return "\n".join(lines) + "\n"


def _fold(text: str) -> str:
    return " ".join(text.split())


def report_on(folder: Path, predictions: Path, systems: Sequence[str], command: str) -> str:
    """Evaluate a set, write our misses beside the answers, and return the report."""
    evaluation = evaluate_metadata(folder, predictions, systems)
    misses = predictions / evaluation.name / "metadata" / "misses.tsv"
    misses.write_text(to_misses(evaluation), "utf-8", "replace")
    return to_markdown(evaluation, command)
