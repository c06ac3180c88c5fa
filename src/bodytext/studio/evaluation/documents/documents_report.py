"""Labelled sets + predictions -> documents.md and documents.html with the figures of all five documents beside them."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bodytext.studio.evaluation.documents import cuter, density, finn, runs, spread
from bodytext.studio.evaluation.documents.page_layouts import SINGLE, PageLayout, measure_layout
from bodytext.studio.evaluation.documents.sections import Section, as_html, as_markdown
from bodytext.studio.evaluation.evaluation import Evaluation, evaluate
from bodytext.studio.training.examples import TrainingExample, read_examples

TITLE = "The five documents, made again on real pages"
PAGES_SHOWN = 4  # in figures of single pages, by turns from each set
SHOWN_WORDS = (300, 1200)  # of content: an article of usual length


@dataclass(slots=True)
class Findings:
    """What one reading of the sets gives to the sections."""

    shares: list[runs.Share] = field(default_factory=list)
    timed: list[list[runs.TimedPage]] = field(default_factory=list)  # a list a set
    builds: dict[tuple[str, str], PageLayout] = field(default_factory=dict)
    stops: list[spread.StopScores] = field(default_factory=list)
    shown: list[list[TrainingExample]] = field(default_factory=list)  # a list a set


def write_documents(
    folders: Sequence[Path], output: Path, predictions: Path, command: str, systems: Sequence[str] = ()
) -> None:
    """Make every table and figure. Predictions on file are used; `systems` are those predicted, or all installed."""
    output.mkdir(parents=True, exist_ok=True)
    evaluations = [evaluate(folder, predictions, systems) for folder in folders]
    findings = read_findings(folders)
    shown = _by_turns(findings.shown)
    errors = [found for folder in folders if (found := density.read_errors(folder))]
    _say("timing the searches of document 000")
    sections = [
        runs.report(findings.shares, runs.choose_timed(findings.timed), output),
        cuter.report(evaluations, findings.builds, output),
        spread.report(findings.stops, shown, output),
        density.report(errors, shown, output),
        finn.report(shown, output),
    ]
    _write(output, _preface(evaluations, command), sections)


def read_findings(folders: Sequence[Path]) -> Findings:
    """Read and label every page once."""
    findings = Findings()
    for folder in folders:
        _say(f"labelling the pages of {folder.name}")
        findings.timed.append([])
        findings.shown.append([])
        for example in read_examples(folder):
            findings.stops.append(spread.measure_stops(example))
            if example.source.page_type == "article" and example.labels.any():
                _add_article(findings, folder.name, example)
    return findings


def _add_article(findings: Findings, name: str, example: TrainingExample) -> None:
    build = measure_layout(example)
    findings.builds[name, example.source.identity] = build
    findings.shares.append(runs.measure_share(example, name))
    findings.timed[-1].append(runs.read_timed(example))
    shown = findings.shown[-1]
    new_site = example.source.domain not in {one.source.domain for one in shown}
    if len(shown) < PAGES_SHOWN and new_site and build.kind() == SINGLE and _is_usual(example):
        shown.append(example)


def _is_usual(example: TrainingExample) -> bool:
    words = int(np.where(example.labels, example.page.per_block(example.page.runs.words), 0).sum())
    return SHOWN_WORDS[0] <= words <= SHOWN_WORDS[1]


def _by_turns(sets: Sequence[Sequence[TrainingExample]]) -> list[TrainingExample]:
    return [pages[turn] for turn in range(PAGES_SHOWN) for pages in sets if turn < len(pages)][:PAGES_SHOWN]


def _preface(evaluations: Sequence[Evaluation], command: str) -> list[str]:
    sets = "; ".join(f"{one.name}, {len(one.pages):,} pages, digest {one.digest}" for one in evaluations)
    missing = sorted({system for one in evaluations for system in one.missing})
    preface = [f"Made by: {command}", f"Pages: {sets}."]
    return [*preface, f"Not installed, so not compared: {', '.join(missing)}."] if missing else preface


def _write(output: Path, preface: Sequence[str], sections: Sequence[Section]) -> None:
    (output / "documents.md").write_text(as_markdown(TITLE, preface, sections), "utf-8")
    (output / "documents.html").write_text(as_html(TITLE, preface, sections), "utf-8")


def _say(message: str) -> None:
    sys.stderr.write(message + "\n")
