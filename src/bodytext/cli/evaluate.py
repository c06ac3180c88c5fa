"""bodytext evaluate: labelled pages in, tables and figures of every system out."""

import argparse
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from bodytext.cli.commands import Command
from bodytext.cli.console import DONE, print_message, print_text
from bodytext.cli.options import at_least_one


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Measures every installed system on a labelled set; with the word 'documents' first, makes the tables and "
        "figures of the methods' documents again; with 'metadata' first, measures title, authors and date instead."
    )
    parser.add_argument(
        "sets", nargs="*", metavar="[documents|metadata] SET", help="labelled pages; default the folder labelled"
    )
    parser.add_argument("--systems", default="", help="names with commas between; default all that are installed")
    parser.add_argument("--predictions", metavar="DIR", default="predictions", help="where predictions are kept")
    parser.add_argument("--report", metavar="DIR", help="write tables, figures and the worst pages there")
    parser.add_argument("--workers", type=at_least_one, default=2, help="pages that are worked on at a time; default 2")
    parser.set_defaults(run=_evaluate)


def _evaluate(options: argparse.Namespace) -> int:
    documents, metadata = options.sets[:1] == ["documents"], options.sets[:1] == ["metadata"]
    sets = [Path(one) for one in options.sets[documents or metadata :]] or [_find_own()]
    chosen = ("--systems", options.systems) if options.systems else ()
    command = " ".join(("bodytext evaluate", *(Path(one).name for one in options.sets), *chosen, "--report OUT"))
    systems = [name for name in options.systems.split(",") if name]
    if metadata:
        from bodytext.studio.evaluation.metadata_evaluation import write_metadata

        for report in write_metadata(sets, options.report, Path(options.predictions), command, systems):
            print_text(report)
        return DONE
    has_figures = find_spec("matplotlib") is not None
    if documents and not has_figures:
        raise ValueError("figures want matplotlib: pip install 'bodytext[evaluate]'")
    if options.report and not has_figures:
        print_message("no figures, only tables: figures want matplotlib: pip install 'bodytext[evaluate]'")
    if documents:
        from bodytext.studio.evaluation.documents.documents_report import write_documents

        output = Path(options.report or "documents")
        write_documents(sets, output, Path(options.predictions), command, systems)
        print_text(f"written to {output}")
        return DONE
    for folder in sets:
        output = Path(options.report) / folder.resolve().name if options.report and len(sets) > 1 else options.report
        _evaluate_set(folder, options, systems, (command, output))
    return DONE


def _find_own() -> Path:
    """The project's own labelled pages, which its source has and its package has not."""
    own = Path("labelled")
    if not own.is_dir():
        raise ValueError(
            "there is no folder labelled here: it is part of bodytext's source, so run this in a checkout, or name a "
            "labelled set: bodytext evaluate SET (docs/evaluation.md); `bodytext label` makes one of your own pages"
        )
    return own


def _evaluate_set(
    folder: Path, options: argparse.Namespace, systems: Sequence[str], report: tuple[str, str | Path | None]
) -> None:
    """Evaluate one set, print the short table, and write the report where one is wanted."""
    from bodytext.studio.evaluation.evaluation import evaluate
    from bodytext.studio.evaluation.report import write_report
    from bodytext.studio.evaluation.tables import to_short_table

    command, output = report
    done = evaluate(folder, Path(options.predictions), systems, options.workers)
    print_text(to_short_table(done))
    if done.missing:
        print_message(f"not installed: {', '.join(done.missing)}; pip install 'bodytext[evaluate]' gets them")
    if output:
        write_report(done, Path(output), command)
        print_text(f"written to {output}")


COMMAND = Command("measure methods and peers on labelled pages", add_options)
