"""Run `bodytext evaluate`, which measures methods and peers on labelled pages."""

import argparse
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, print_message, print_text
from bodytext.cli.options import add_option, at_least_one
from bodytext.sources.storage import require

if TYPE_CHECKING:
    from bodytext.document import Document

DOCUMENTS, METADATA, STRUCTURE = SUBJECTS = ("documents", "metadata", "structure")
_NO_MATPLOTLIB = "figures need matplotlib: pip install 'bodytext[report]'"


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
    add_option(parser, "--systems", "names separated by commas; default: all installed systems", "")
    add_option(parser, "--predictions DIR", "where predictions are kept", Path("predictions"), Path)
    add_option(
        parser, "--report DIR", "write tables, figures and the worst pages there", None, Path
    )
    add_option(parser, "--workers", "pages to work on at a time", 2, at_least_one)
    parser.set_defaults(run=_evaluate)


def _evaluate(options: argparse.Namespace) -> int:
    subject = options.sets[0] if options.sets and options.sets[0] in SUBJECTS else ""
    words = ["bodytext evaluate", *(Path(name).name for name in options.sets)]
    if options.systems:
        words += ["--systems", options.systems]
    command = " ".join([*words, "--report OUT"])  # as reports show it
    options.command = command.encode("utf-8", "replace").decode()
    options.sets = [*map(Path, options.sets[bool(subject) :])] or [_find_labelled()]
    options.systems = tuple(filter(None, options.systems.split(",")))
    if subject == DOCUMENTS:
        _write_documents(options)
    elif subject:
        _write_set_reports(options, subject)
    else:
        _evaluate_sets(options)
    return DONE


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


def _write_set_reports(options: argparse.Namespace, subject: str) -> None:
    if subject == METADATA:
        from bodytext.studio.evaluation.metadata_evaluation import report_on
    else:
        from bodytext.studio.evaluation.structure_audit import report_on
    for folder in options.sets:
        report = report_on(folder, options.predictions, options.systems, options.command)
        if options.report:
            options.report.mkdir(parents=True, exist_ok=True)
            (options.report / f"{folder.resolve().name}.md").write_text(report, "utf-8")
        print_text(report)


def _write_documents(options: argparse.Namespace) -> None:
    if find_spec("matplotlib") is None:
        raise ValueError(_NO_MATPLOTLIB)
    require("jinja2", extra="report", purpose="a report")
    from bodytext.studio.evaluation.documents.documents_report import write_documents

    output = options.report or Path("documents")
    write_documents(
        options.sets,
        output,
        options.predictions,
        options.command,
        systems=options.systems,
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


def _evaluate_sets(options: argparse.Namespace) -> None:
    if options.report:
        require("jinja2", extra="report", purpose="a report")
    if options.report and find_spec("matplotlib") is None:
        print_message(f"no figures, only tables: {_NO_MATPLOTLIB}")
    for folder in options.sets:
        output = options.report
        if output and len(options.sets) > 1:
            output /= folder.resolve().name
        _evaluate_set(options, folder, output)


def _evaluate_set(options: argparse.Namespace, folder: Path, output: Path | None) -> None:
    """Evaluate one set, print the short table, and write the report if there is a folder."""
    from bodytext.studio.evaluation.evaluation import evaluate, explain_missing
    from bodytext.studio.evaluation.tables import to_short_table

    evaluation = evaluate(folder, options.predictions, options.systems, options.workers)
    print_text(to_short_table(evaluation))
    if evaluation.missing:
        print_message(explain_missing(evaluation.missing))
    if output:
        from bodytext.studio.evaluation.report import write_report

        write_report(evaluation, output, options.command)
        print_text(f"written to {output}")


COMMAND = Command("measure methods and peers on labelled pages", add_options)
