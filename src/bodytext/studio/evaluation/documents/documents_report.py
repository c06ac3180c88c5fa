"""Write documents.md and documents.html with the tables and figures of all five documents."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from matplotlib import rc_context

from bodytext.studio.evaluation.documents import cuter, density, finn, runs, spread
from bodytext.studio.evaluation.documents.compared import compare_pages, system_parts
from bodytext.studio.evaluation.documents.density import STUDIED_PAGES
from bodytext.studio.evaluation.documents.page_layouts import SINGLE, PageLayout, measure_layout
from bodytext.studio.evaluation.documents.sections import as_html, as_markdown
from bodytext.studio.evaluation.documents.settings import (
    CAPTION,
    SETTINGS,
    SettingScores,
    measure_settings,
    settings_table,
)
from bodytext.studio.evaluation.documents.titles import Summarise, TitlePage, measure_titles
from bodytext.studio.evaluation.evaluation import Evaluation, evaluate
from bodytext.studio.evaluation.plots import STYLE
from bodytext.studio.training.examples import TrainingExample, read_examples

TITLE = "The five documents, remade on real pages"
PAGES_SHOWN = 4  # in figures of single pages, taken from the sets in turn
SHOWN_WORDS = (300, 1200)  # of content: the usual length of an article


@dataclass(slots=True)
class Findings:
    """The measurements of all pages, for the sections."""

    shares: list[runs.Share] = field(default_factory=list)
    timed: list[list[runs.TimedPage]] = field(default_factory=list)  # by set
    layouts: dict[tuple[str, str], PageLayout] = field(default_factory=dict)
    stops: list[SettingScores] = field(default_factory=list)
    shown: list[list[TrainingExample]] = field(default_factory=list)  # by set
    titles: dict[tuple[str, str], TitlePage] = field(default_factory=dict)
    languages: dict[tuple[str, str], str] = field(default_factory=dict)
    settings: list[SettingScores] = field(default_factory=list)
    studied: dict[str, list[TrainingExample]] = field(default_factory=dict)  # articles by set


def write_documents(  # noqa: PLR0913
    folders: Sequence[Path],
    output: Path,
    predictions: Path,
    command: str,
    *,
    systems: Sequence[str] = (),
    summarise: Summarise | None = None,
) -> None:
    """Make every table and figure, with the named systems or all installed ones.

    With `summarise`, the noise of summaries is measured too.
    """
    output.mkdir(parents=True, exist_ok=True)
    evaluations = [evaluate(folder, predictions, systems) for folder in folders]
    findings = read_findings(folders, summarise)
    shown = runs.take_turns(findings.shown, PAGES_SHOWN)
    errors = [errors for folder in folders if (errors := density.read_errors(folder))]
    _say("timing the searches of document 000")
    with rc_context(STYLE):
        sections = [
            runs.report(
                findings.shares,
                runs.choose_timed(findings.timed),
                compare_pages(evaluations, findings.languages),
                output,
                system_parts(evaluations, cuter.trained_on({each.name for each in evaluations})),
            ),
            cuter.report(
                evaluations,
                findings.layouts,
                findings.titles,
                output,
                [settings_table(findings.settings, list(SETTINGS), CAPTION, "setting")],
            ),
            spread.report(findings.stops, shown, output),
            density.report(errors, shown, findings.studied, output),
            finn.report(shown, output),
        ]
    preface = _preface(evaluations, command)
    (output / "documents.md").write_text(as_markdown(TITLE, preface, sections), "utf-8")
    (output / "documents.html").write_text(as_html(TITLE, preface, sections), "utf-8")


def read_findings(folders: Sequence[Path], summarise: Summarise | None = None) -> Findings:
    """Read, label and measure every page once."""
    findings = Findings()
    for folder in folders:
        _say(f"labelling the pages of {folder.name}")
        findings.timed.append([])
        findings.shown.append([])
        for example in read_examples(folder):
            findings.stops.append(spread.measure_stops(example))
            findings.settings.append(measure_settings(example))
            findings.languages[folder.name, example.source.identity] = _find_language(example)
            if example.source.page_type == "article" and example.labels.any():
                _add_article(findings, folder.name, example)
                if example.source.title:
                    titles = measure_titles(example, summarise)
                    findings.titles[folder.name, example.source.identity] = titles
    return findings


def _add_article(findings: Findings, name: str, example: TrainingExample) -> None:
    layout = measure_layout(example)
    findings.layouts[name, example.source.identity] = layout
    findings.shares.append(runs.measure_share(example, name))
    findings.timed[-1].append(runs.read_timed(example))
    studied = findings.studied.setdefault(name, [])
    if len(studied) < STUDIED_PAGES:
        studied.append(example)
    shown = findings.shown[-1]
    is_new_site = example.source.domain not in {other.source.domain for other in shown}
    if (
        len(shown) < PAGES_SHOWN
        and is_new_site
        and layout.kind() == SINGLE
        and _has_usual_length(example)
    ):
        shown.append(example)


def _find_language(example: TrainingExample) -> str:
    """The language of a page, by its label or its text; nothing if no identifier is installed."""
    if example.source.language:
        return example.source.language
    from bodytext.corpus.stages.language import identify

    try:
        return identify(example.source.reference or "").language
    except ValueError:
        return ""


def _has_usual_length(example: TrainingExample) -> bool:
    words = int(np.where(example.labels, example.page.per_block(example.page.runs.words), 0).sum())
    return SHOWN_WORDS[0] <= words <= SHOWN_WORDS[1]


def _preface(evaluations: Sequence[Evaluation], command: str) -> list[str]:
    sets = "; ".join(
        f"{each.name}, {len(each.pages):,} pages, digest {each.digest}" for each in evaluations
    )
    missing = sorted({system for evaluation in evaluations for system in evaluation.missing})
    preface = [f"Made by: {command}", f"Pages: {sets}."]
    if missing:
        preface.append(f"Not installed, so not compared: {', '.join(missing)}.")
    return preface


def _say(message: str) -> None:
    sys.stderr.write(message + "\n")
