"""Labelled sets -> how often each system reads the title, the authors and the date of a page as the labels have them.

One normalisation for labels and all systems, in `normalise_title`, `normalise_authors` and `normalise_date`. A field
is measured on the pages whose label has it; no page is left out because a system failed on it.
"""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bodytext.studio.evaluation.metadata_peers import METADATA_PEERS, MetadataPeer
from bodytext.studio.evaluation.metrics import bootstrap_interval
from bodytext.studio.evaluation.predictions import Prediction, Task, predict
from bodytext.studio.evaluation.tables import UNKNOWN, Cell, Table, lay_out
from bodytext.studio.labels.labelled_set import LabelledPage, digest_of, read_labelled

FIELDS = ("title", "authors", "date")
_OURS = METADATA_PEERS[0].name
_WORKERS = 2

_WORD = re.compile(r"\w+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
# The words for "and" where labels and systems join names by them.
_BETWEEN_NAMES = re.compile(r"\s*[;&|\n、]\s*|\s*,?\s+(?:and|und|et|y|e|og|och|en|ve|и|та|і)\s+", re.IGNORECASE)
_LETTERS_BEHIND_A_NAME = re.compile(r"(?:[A-Z][a-z]?\.?){1,6}[®™]?")


@dataclass(frozen=True, slots=True)
class MetadataScore:
    """One system on one set: for each field and page whether it is right; None where the label lacks the field."""

    peer: MetadataPeer
    version: str
    right: dict[str, list[float]]
    answered: dict[str, tuple[int, int]]  # where the label has none: pages with an answer, pages
    milliseconds: float
    failures: int
    misses: dict[str, list[tuple[str, str, str]]]  # page, label, answer

    def rate(self, field: str) -> float:
        """The share of pages on which a field is right; NaN for a system that does not read it."""
        values = self.right[field]
        return sum(values) / len(values) if values and field in self.peer.fields else math.nan


@dataclass(frozen=True, slots=True)
class MetadataEvaluation:
    """A set and what came of it."""

    name: str
    digest: str
    pages: int
    outcomes: tuple[MetadataScore, ...]
    missing: tuple[str, ...]


def normalise_title(title: str) -> str:
    r"""Words alone, in lower case: neither quotation marks nor dashes nor white space count.

    >>> normalise_title("  “Nürnberg”—a\u00adgain ") == normalise_title('"NÜRNBERG" - again')
    True
    """
    return " ".join(_WORD.findall(_INVISIBLE.sub("", unicodedata.normalize("NFKC", title)).casefold()))


def normalise_authors(authors: Sequence[str]) -> frozenset[str]:
    """The names as a set, each as a title is normalised; letters behind a name (MD, PhD) do not count.

    >>> sorted(normalise_authors(["Ann Lee, MD and Bo Ek"])), sorted(normalise_authors(["bo ek", "Ann Lee"]))
    (['ann lee', 'bo ek'], ['ann lee', 'bo ek'])
    """
    names = set()
    for group in authors:
        for one in _BETWEEN_NAMES.split(group):
            first, *others = (part.strip() for part in one.split(","))
            names.update([first, *(part for part in others if not _LETTERS_BEHIND_A_NAME.fullmatch(part))])
    return frozenset(name for name in map(normalise_title, names) if name)


def normalise_date(date: str) -> str:
    """The day, as it is written: no zone is converted.

    >>> normalise_date("2024-05-02T23:30:00+09:00")
    '2024-05-02'
    """
    return date.strip()[:10]


_NORMALISE: dict[str, Callable[[Any], Any]] = {
    "title": normalise_title,
    "authors": normalise_authors,
    "date": normalise_date,
}


def evaluate_metadata(folder: Path, predictions: Path, systems: Sequence[str] = ()) -> MetadataEvaluation:
    """Ask every installed system, or the named ones, for the metadata of every page. Answers on file are used."""
    known = [peer.name for peer in METADATA_PEERS]
    if unknown := [name for name in systems if name not in known]:
        raise ValueError(f"there is no system {unknown[0]!r} for metadata; choose of {', '.join(known)}")
    name, pages = folder.resolve().name, read_labelled(folder)
    labels = {page.identity: _read_label(folder, page) for page in pages}
    chosen = [peer for peer in METADATA_PEERS if not systems or peer.name in systems]
    missing = tuple(peer.name for peer in chosen if not peer.version)
    if len(missing) == len(chosen):
        raise ValueError(f"not installed: {', '.join(missing)}; pip install 'bodytext[evaluate]' gets them")
    outcomes = []
    for peer in chosen:
        if peer.version:
            task = Task(peer.system, peer.version, predictions / name / "metadata" / f"{peer.name}.jsonl")
            outcomes.append(_compare(peer, predict(task, pages, workers=_WORKERS, tick=lambda: None), labels))
    digest = hashlib.sha256(json.dumps(labels, sort_keys=True).encode()).hexdigest()[:16]
    return MetadataEvaluation(
        name, f"{digest_of(pages)}, of the metadata {digest}", len(pages), tuple(outcomes), missing
    )


def _read_label(folder: Path, page: LabelledPage) -> dict[str, Any]:
    """The fields of a page's label; those it lacks are missing here too."""
    path = folder / "ground-truth" / f"{page.identity}.json"
    if not path.is_file():
        raise ValueError(f"{folder}: labels of metadata are read from ground-truth/ID.json only")
    truth = json.loads(path.read_text("utf-8"))["ground_truth"]
    authors = truth.get("authors") or ([truth["author"]] if truth.get("author") else [])
    found = {"title": truth.get("title"), "authors": authors, "date": truth.get("publish_date")}
    return {field: value for field, value in found.items() if value}


def _compare(
    peer: MetadataPeer, predictions: dict[str, Prediction], labels: dict[str, dict[str, Any]]
) -> MetadataScore:
    right: dict[str, list[float]] = {field: [] for field in FIELDS}
    misses: dict[str, list[tuple[str, str, str]]] = {field: [] for field in FIELDS}
    answered = dict.fromkeys(FIELDS, (0, 0))
    for identity, label in labels.items():
        answer = json.loads(predictions[identity].text or "{}")
        for field in FIELDS:
            value = answer.get(field) or ""
            if field not in label:
                count, total = answered[field]
                answered[field] = count + bool(value), total + 1
                continue
            normalise = _NORMALISE[field]
            hit = normalise(value) == normalise(label[field])
            right[field].append(float(hit))
            if not hit:
                misses[field].append((identity, str(label[field]), str(value)))
    seconds = sum(one.seconds for one in predictions.values()) / max(len(predictions), 1)
    failures = sum(bool(one.error) for one in predictions.values())
    return MetadataScore(peer, peer.version, right, answered, 1000 * seconds, failures, misses)


def to_tables(evaluation: MetadataEvaluation) -> list[Table]:
    """The rates, what ours has ahead of each other system, and the answers where labels have none."""
    return [_rates(evaluation), _differences(evaluation), _unlabelled(evaluation)]


def _rates(evaluation: MetadataEvaluation) -> Table:
    outcomes = evaluation.outcomes
    best = {field: max((_known(one.rate(field)) for one in outcomes), default=0.0) for field in FIELDS}
    rows = []
    for one in outcomes:
        cells = [Cell(one.peer.name)]
        for field in FIELDS:
            rate = one.rate(field)
            shown = UNKNOWN if math.isnan(rate) else f"{rate:.3f} ({_interval(one.right[field], '.3f')})"
            cells.append(Cell(shown, rate == best[field]))
        cells += [
            Cell(f"{one.milliseconds:.1f}"),
            Cell(str(one.failures)),
            Cell(f"{one.peer.distribution} {one.version}"),
        ]
        rows.append(tuple(cells))
    counts = [f"{field} ({len(outcomes[0].right[field]):,})" for field in FIELDS] if outcomes else list(FIELDS)
    note = (
        "The share of the pages with a label (their number in parentheses) on which a field is exactly right after "
        "normalisation, with the interval that holds it in 95 % of resamplings of the pages. A failure counts as "
        "no answer. CPU milliseconds a page, reading and parsing included."
    )
    return Table("Exact matches", note, ("system", *counts, "CPU ms", "failures", "version"), tuple(rows))


def _differences(evaluation: MetadataEvaluation) -> Table:
    base = next((one for one in evaluation.outcomes if one.peer.name == _OURS), None)
    rows = []
    for other in evaluation.outcomes if base else ():
        if other is base or base is None:
            continue
        cells = [Cell(other.peer.name)]
        for field in FIELDS:
            pairs = [mine - theirs for mine, theirs in zip(base.right[field], other.right[field], strict=True)]
            known = field in other.peer.fields and pairs
            cells.append(Cell(f"{sum(pairs) / len(pairs):+.3f} ({_interval(pairs, '+.3f')})" if known else UNKNOWN))
        rows.append(tuple(cells))
    note = "Ours less the other, page by page: above 0 ours is better; an interval without 0 is unlikely to be chance."
    return Table(f"{_OURS} against the others", note, ("system", *FIELDS), tuple(rows))


def _unlabelled(evaluation: MetadataEvaluation) -> Table:
    rows = []
    for one in evaluation.outcomes:
        counts = [one.answered[field] if field in one.peer.fields else (0, 0) for field in FIELDS]
        shown = (f"{count:,} of {total:,}" if total else UNKNOWN for count, total in counts)
        rows.append((Cell(one.peer.name), *map(Cell, shown)))
    note = (
        "How many pages whose label lacks the field got an answer. Some of these answers are right: labels leave out "
        "what their makers did not see."
    )
    return Table("Answers where the label has none", note, ("system", *FIELDS), tuple(rows))


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _interval(values: Sequence[float], form: str) -> str:
    low, high = bootstrap_interval(values)
    return UNKNOWN if math.isnan(low) else f"{low:{form}} to {high:{form}}"


def to_markdown(evaluation: MetadataEvaluation, command: str) -> str:
    """The report on one set."""
    lines = [
        ("Command", command),
        ("Date", datetime.now(UTC).date().isoformat()),
        ("Data set", evaluation.name),
        ("Pages", f"{evaluation.pages:,}"),
        ("Digest of the data", evaluation.digest),
    ]
    if evaluation.missing:
        lines.append(("Not installed", ", ".join(evaluation.missing)))
    return lay_out(lines, to_tables(evaluation))


def to_misses(evaluation: MetadataEvaluation) -> str:
    """Every page that ours got wrong, a line each with tabs between: field, page, label, answer."""
    lines = []
    for one in evaluation.outcomes:
        if one.peer.name == _OURS:
            lines += ["\t".join(map(_fold, (field, *miss))) for field in FIELDS for miss in one.misses[field]]
    return "\n".join(lines) + "\n"


def _fold(text: str) -> str:
    return " ".join(text.split())


def write_metadata(
    folders: Sequence[Path], output: str | None, predictions: Path, command: str, systems: Sequence[str] = ()
) -> Iterator[str]:
    """Evaluate each set and give its report, also as a file in an output folder; our misses lie by the predictions."""
    for folder in folders:
        evaluation = evaluate_metadata(folder, predictions, systems)
        misses = predictions / evaluation.name / "metadata" / "misses.tsv"
        misses.write_text(to_misses(evaluation), "utf-8", "replace")
        report = to_markdown(evaluation, command)
        if output:
            Path(output).mkdir(parents=True, exist_ok=True)
            (Path(output) / f"{evaluation.name}.md").write_text(report, "utf-8")
        yield report
