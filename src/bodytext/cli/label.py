"""Run `bodytext label`, with which people label pages in the browser."""

import argparse
import getpass
from itertools import combinations
from pathlib import Path

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, NOTHING_FOUND, print_message, print_text
from bodytext.cli.options import add_flag, add_model, add_option, add_server, count, require_web
from bodytext.sources.files import find_pages, has_file
from bodytext.sources.source_kinds import is_page
from bodytext.studio.labels.store import LabelStore, check_annotator, open_store

_ORDERS = ("doubt", "name")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Opens a browser in which you mark each block of a page as content, comment or neither, "
        "starting from the model's answer. Every change is saved at once, in PAGES/labels. "
        "Then: bodytext train --labels PAGES"
    )
    parser.add_argument(
        "pages",
        type=Path,
        metavar="PAGES",
        help="a folder of pages, or a text file that lists them",
    )
    add_option(parser, "--annotator NAME", "who labels; default: your name on this machine", "")
    add_option(
        parser, "--labels FOLDER", "where to keep the labels; default PAGES/labels", None, Path
    )
    add_option(
        parser,
        "--order",
        "least confident first (default), or by name or as listed",
        choices=_ORDERS,
    )
    add_flag(parser, "--blind", "start without the model's answer, for an honest second opinion")
    add_model(parser)
    add_server(parser)
    add_option(
        parser, "--epochs", "how many epochs to train; default: chosen by the training", 0, count
    )
    add_flag(parser, "--agreement", "print how far annotators agree (Cohen's kappa)")
    add_option(
        parser,
        "--export SET",
        "write the labels as a labelled set; to NAME.txt, the density and bytes of each line",
        None,
        Path,
    )
    parser.set_defaults(run=_label)


def _label(options: argparse.Namespace) -> int:
    folder, listed = _find_pages(options.pages)
    store = open_store(folder, options.labels)
    if options.annotator:
        check_annotator(options.annotator)
    if options.agreement:
        return _print_agreement(store)
    if options.export:
        return _export(store, options.export, options.annotator)
    paths = find_pages(store.pages, print_message) if listed is None else listed
    if not paths:
        raise ValueError(f"{folder}: no .html, .htm or .xhtml files in this folder")
    return _serve(store, paths, options, is_list=listed is not None)


def _find_pages(pages: Path) -> tuple[Path, list[Path] | None]:
    """Return the folder that holds the pages, and the pages if a file lists them."""
    if pages.is_dir():
        return pages, None
    if not pages.is_file():
        raise ValueError(f"{pages}: there is no such folder or file")
    if is_page(pages.name):
        return pages.parent, [pages]
    return pages.parent, _read_list(pages)


def _read_list(file: Path) -> list[Path]:
    """Return the pages that a file lists, one path per line."""
    try:
        lines = [line.strip() for line in file.read_text("utf-8").splitlines()]
    except UnicodeDecodeError:
        raise ValueError(
            f"{file}: not a list of pages; give a folder, or a text file with one path per line"
        ) from None
    folder = file.parent.resolve()
    paths: dict[Path, None] = {}
    for line in lines:
        if not line or line.startswith("#"):
            continue
        path = file.parent / line
        if not has_file(path):
            raise ValueError(
                f"{file}: {path}: there is no such file; a list has one path per line, relative to the list's folder"
            )
        if not path.resolve().is_relative_to(folder):
            raise ValueError(
                f"{file}: {path} is not below {file.parent}; put the list in a folder above all its pages"
            )
        paths[file.parent / path.resolve().relative_to(folder)] = None
    return list(paths)


def _print_agreement(store: LabelStore) -> int:
    from bodytext.studio.labels.agreement import compare_annotators, to_table

    annotators = store.annotators()
    for annotator in annotators:
        _report_broken(store, annotator)
    printed = False
    for pair in combinations(annotators, 2):
        agreements = list(compare_annotators(store, *pair))
        if agreements:
            printed = True
            print_text(to_table(agreements, pair))
    if not printed:
        number = len(annotators)
        print_message(
            f"{store.folder}: no page that two annotators have done; {number} have labelled here",
        )
    return DONE if printed else NOTHING_FOUND


def _report_broken(store: LabelStore, annotator: str) -> None:
    """Name the labels that cannot be read; all others are used."""
    for broken in store.find_broken(annotator):
        print_message(f"left out: {annotator}'s labels of {broken.page}: {broken.reason}")


def _export(store: LabelStore, output: Path, annotator: str) -> int:
    from bodytext.studio.labels.conversion import export_lines, export_set

    export = export_lines if output.suffix == ".txt" else export_set
    number, left = export(store, output, annotator)
    for page in left:
        print_message(f"left out: {page.page}: {page.reason}")
    if not number:
        print_message(f"{store.folder}: no page is labelled and done; nothing was written")
        return NOTHING_FOUND
    print_text(f"{number} labelled pages written to {output}")
    return DONE


def _serve(
    store: LabelStore, paths: list[Path], options: argparse.Namespace, *, is_list: bool
) -> int:
    require_web("labelling")
    from bodytext.studio.inspector.inspector_routes import inspector_part
    from bodytext.studio.labelling.labelling_routes import labelling_part
    from bodytext.studio.labelling.labelling_session import LabellingSession
    from bodytext.studio.labelling.training_jobs import TrainingJobs
    from bodytext.studio.labelling.training_routes import training_part
    from bodytext.studio.web.app import create_app
    from bodytext.studio.web.security import Policy
    from bodytext.studio.web.server import run
    from bodytext.studio.web.workspace import Workspace

    workspace = Workspace(options.model or "")
    annotator = options.annotator or _user_name()
    entries = workspace.add_files(paths, store.pages)
    session = LabellingSession(workspace, store, annotator, entries, blind=options.blind)
    _report_broken(store, annotator)
    if not options.blind and set(store.annotators()) - {annotator}:
        print_message("others have labelled here; to measure agreement, start with --blind")
    session.queue.order = options.order or _ORDERS[is_list]
    session.queue.measure()
    training = training_part(store, TrainingJobs(session, options.epochs))
    parts = [labelling_part(session), inspector_part(workspace, path="/inspect"), training]

    folder = store.folder / annotator
    print_message(f"{len(paths):,} pages; {annotator}'s labels are kept in {folder}")
    run(
        lambda port: create_app(parts, Policy(port)),
        options.port,
        browser=not options.no_browser,
    )
    return DONE


def _user_name() -> str:
    """Return the user's name on this machine if it can name an annotator."""
    try:
        return check_annotator(getpass.getuser())
    except (OSError, KeyError, ImportError, ValueError):
        return "me"


COMMAND = Command("mark in the browser what is content on your own pages, for train", add_options)
