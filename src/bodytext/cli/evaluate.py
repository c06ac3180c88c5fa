"""Run `bodytext evaluate`, which measures methods and peers on labelled pages."""

import argparse
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, print_message, print_text
from bodytext.cli.options import at_least_one

if TYPE_CHECKING:
    from bodytext.document import Document

DOCUMENTS, METADATA, STRUCTURE = SUBJECTS = ("documents", "metadata", "structure")
_NO_MATPLOTLIB = "figures need matplotlib: pip install 'bodytext[evaluate]'"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command to the parser."""
    parser.description = (
        "Measures every installed system on a labelled set. With the word 'documents' first, it "
        "remakes the tables and figures of the methods' documents. With 'metadata' first, it "
        "measures title, authors and date instead. With 'structure' first, it counts torn tables "
        "and lists, headings and lead-ins without their text, gaps and islands, for each 1,000 "
        "pages; those pages need no labels."
    )
    parser.add_argument(
        "sets",
        nargs="*",
        metavar="[documents|metadata|structure] SET",
        help="labelled pages; default: the folder labelled",
    )
    parser.add_argument(
        "--systems", default="", help="names separated by commas; default: all installed systems"
    )
    parser.add_argument(
        "--predictions", metavar="DIR", default="predictions", help="where predictions are kept"
    )
    parser.add_argument(
        "--report", metavar="DIR", help="write tables, figures and the worst pages there"
    )
    parser.add_argument(
        "--workers", type=at_least_one, default=2, help="pages to work on at a time; default 2"
    )
    parser.set_defaults(run=_evaluate)


@dataclass(frozen=True, slots=True)
class _EvaluationRequest:
    """The options of the command, read."""

    sets: tuple[Path, ...]
    systems: tuple[str, ...]
    predictions: Path
    report: Path | None
    workers: int
    command: str  # as reports show it


def _evaluate(options: argparse.Namespace) -> int:
    subject = options.sets[0] if options.sets and options.sets[0] in SUBJECTS else ""
    request = _read_request(options, subject)
    if subject == METADATA:
        _evaluate_metadata(request)
    elif subject == STRUCTURE:
        _audit_structure(request)
    elif subject == DOCUMENTS:
        _write_documents(request)
    else:
        _evaluate_sets(request)
    return DONE


def _read_request(options: argparse.Namespace, subject: str) -> _EvaluationRequest:
    names = options.sets[1:] if subject else options.sets
    words = ["bodytext evaluate", *(Path(name).name for name in options.sets)]
    if options.systems:
        words += ["--systems", options.systems]
    return _EvaluationRequest(
        sets=tuple(map(Path, names)) or (_find_labelled(),),
        systems=tuple(name for name in options.systems.split(",") if name),
        predictions=Path(options.predictions),
        report=Path(options.report) if options.report else None,
        workers=options.workers,
        command=" ".join([*words, "--report OUT"]),
    )


def _find_labelled() -> Path:
    """The project's own labelled pages, which are in its repository but not in the package."""
    folder = Path("labelled")
    if not folder.is_dir():
        raise ValueError(
            "there is no folder labelled here: it is part of bodytext's source, so run this in a "
            "checkout, or name a labelled set: bodytext evaluate SET (docs/evaluation.md); "
            "`bodytext label` makes one of your own pages"
        )
    return folder


def _evaluate_metadata(request: _EvaluationRequest) -> None:
    from bodytext.studio.evaluation.metadata_evaluation import write_metadata

    reports = write_metadata(
        request.sets, request.report, request.predictions, request.command, request.systems
    )
    for report in reports:
        print_text(report)


def _audit_structure(request: _EvaluationRequest) -> None:
    from bodytext.studio.evaluation.structure_audit import write_audits

    reports = write_audits(
        request.sets, request.report, request.predictions, request.command, request.systems
    )
    for report in reports:
        print_text(report)


def _write_documents(request: _EvaluationRequest) -> None:
    if find_spec("matplotlib") is None:
        raise ValueError(_NO_MATPLOTLIB)
    from bodytext.studio.evaluation.documents.documents_report import write_documents

    output = request.report or Path("documents")
    write_documents(
        request.sets,
        output,
        request.predictions,
        request.command,
        systems=request.systems,
        summarise=_summarise,
    )
    print_text(f"written to {output}")


def _summarise(title: str, document: "Document", language: str) -> list[str]:
    """Return the sentences of an article, the best first, as the reader does for its summaries."""
    from bodytext.reader.analysis import Frequencies, analyse, find_asides

    text, media = str(document), map(asdict, document.media)
    asides = find_asides(document.structure, media)
    found = analyse(title, text, language, Frequencies(), asides)
    return [text[slice(*found.sentences[number])] for number in found.ranking]


def _evaluate_sets(request: _EvaluationRequest) -> None:
    if request.report and find_spec("matplotlib") is None:
        print_message(f"no figures, only tables: {_NO_MATPLOTLIB}")
    for folder in request.sets:
        output = request.report
        if output and len(request.sets) > 1:
            output /= folder.resolve().name
        _evaluate_set(request, folder, output)


def _evaluate_set(request: _EvaluationRequest, folder: Path, output: Path | None) -> None:
    """Evaluate one set, print the short table, and write the report if there is a folder."""
    from bodytext.studio.evaluation.evaluation import evaluate
    from bodytext.studio.evaluation.report import write_report
    from bodytext.studio.evaluation.tables import to_short_table

    evaluation = evaluate(folder, request.predictions, request.systems, request.workers)
    print_text(to_short_table(evaluation))
    if evaluation.missing:
        print_message(
            f"not installed: {', '.join(evaluation.missing)}; pip install 'bodytext[evaluate]' installs them"
        )
    if output:
        write_report(evaluation, output, request.command)
        print_text(f"written to {output}")


COMMAND = Command("measure methods and peers on labelled pages", add_options)
