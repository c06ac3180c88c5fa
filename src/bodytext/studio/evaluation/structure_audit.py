"""Count what the answers of systems tear apart, on pages with or without labels.

Our own systems say which blocks they keep. Of a peer only the text is known: its words are aligned
with those of the page, as references are for training. This is not exact. So each of our systems is
also measured by its text alone, in a row of its own that shows what the alignment adds.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bodytext.batch.ordered import end_with_parent
from bodytext.methods import METHODS, as_method
from bodytext.methods.scores import BOUNDARY
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.sources.files import find_pages
from bodytext.studio.evaluation.evaluation import make_tasks
from bodytext.studio.evaluation.predictions import Task, predict
from bodytext.studio.evaluation.structure_faults import (
    FAULTS,
    WHOLE_LIST,
    WHOLE_TABLE,
    inspect_answer,
)
from bodytext.studio.evaluation.tables import Cell, Table, describe_set, lay_out
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import LabelledPage, digest_of, name_set
from bodytext.studio.training.alignment import label_blocks

SYSTEMS = ("learned", "trafilatura", "readability-lxml")
BY_TEXT = "{}, by its text"
ANSWER = "answers"
_COLUMNS = (*FAULTS, WHOLE_TABLE, WHOLE_LIST, ANSWER)


@dataclass(frozen=True, slots=True)
class StructureAudit:
    """The faults of every system on a set of pages, and the systems that are not installed."""

    name: str
    digest: str
    pages: int
    counts: dict[str, Counter[str]]  # by system
    missing: tuple[str, ...]


def audit_structure(
    folder: Path, predictions: Path, systems: Sequence[str] = (), workers: int = 2
) -> StructureAudit:
    """Run the systems on every page of a folder, and count the faults. Answers on file are used."""
    name, pages = name_set(folder), _read_pages(folder)
    tasks, missing = make_tasks(predictions / name, systems or SYSTEMS)
    texts = [_predict(task, pages, workers) for task in tasks]
    names = [task.system for task in tasks]
    counts: dict[str, Counter[str]] = {}
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        answers = zip(*texts, strict=True) if texts else repeat(())
        for found in pool.map(_count_faults, pages, repeat(names), answers, chunksize=8):
            for system, faults in found.items():
                counts.setdefault(system, Counter()).update(faults)
    return StructureAudit(name, digest_of(pages), len(pages), counts, tuple(missing))


def _read_pages(folder: Path) -> list[LabelledPage]:
    """Return the pages of a labelled set, or all page files of a folder, without labels."""
    try:
        return read_set(folder)
    except ValueError:
        files = find_pages(folder, lambda _: None) if folder.is_dir() else []
        if not files:
            raise
        return [
            LabelledPage(str(file.relative_to(folder)), file, "", "", None, (), (), "", "")
            for file in files
        ]


def _predict(task: Task, pages: list[LabelledPage], workers: int) -> list[str]:
    answers = predict(task, pages, workers=workers, report=lambda: None)
    return [answers[page.identity].text for page in pages]


def _count_faults(
    source: LabelledPage, systems: Sequence[str], texts: Sequence[str]
) -> dict[str, Counter[str]]:
    """Return the faults of each system on one page."""
    page = parse(source.read())
    if not len(page):
        return {}
    answers = _find_kept(page, systems, texts)
    return {
        system: Counter(
            [finding.name for finding in inspect_answer(page, kept)] + [ANSWER] * bool(kept.any())
        )
        for system, kept in answers
    }


def _find_kept(
    page: Page, systems: Sequence[str], texts: Sequence[str]
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """Yield the blocks that each system keeps; those of ours exactly and by their texts."""
    blocks = page.texts()
    for system, text in zip(systems, texts, strict=True):
        is_ours = system in METHODS
        if is_ours:
            yield system, as_method(system).score(page).values >= BOUNDARY
        yield BY_TEXT.format(system) if is_ours else system, label_blocks(blocks, text)


def to_markdown(audit: StructureAudit, command: str) -> str:
    """The report on one set."""
    lines = describe_set(audit.name, audit.pages, audit.digest, command, audit.missing)
    rows = tuple(
        (Cell(system), *(Cell(f"{1000 * faults[name] / audit.pages:.1f}") for name in _COLUMNS))
        for system, faults in audit.counts.items()
    )
    note = (
        "For each 1,000 pages. The last three columns are no faults: they show how many tables and "
        "lists a system keeps, and how often it answers. docs/evaluation.md says what counts."
    )
    return lay_out(lines, [Table("Whole answers", note, ("system", *_COLUMNS), rows)])


def report_on(folder: Path, predictions: Path, systems: Sequence[str], command: str) -> str:
    """Audit a set, and return the report."""
    return to_markdown(audit_structure(folder, predictions, systems), command)
