"""bodytext label: a folder or a list of pages in, people's labels of them in a folder of JSON files out."""

import argparse
import getpass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.cli.options import add_model, add_server, count
from bodytext.cli.speech import DONE, NOTHING_FOUND, say, write_out
from bodytext.sources.files import find_pages
from bodytext.sources.kinds import is_page
from bodytext.studio.labels.store import LabelStore, check_annotator, open_store

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_ORDERS = ("doubt", "name")


def add(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Opens a browser in which you say what on a page is content, comment or neither, starting from what "
        "the model says. Every change is saved at once, in PAGES/labels. Then: bodytext train --labels PAGES"
    )
    parser.add_argument("pages", type=Path, metavar="PAGES", help="a folder of pages, or a text file that lists them")
    parser.add_argument(
        "--annotator", default="", metavar="NAME", help="who labels; default: your name on this machine"
    )
    parser.add_argument("--labels", type=Path, metavar="FOLDER", help="where labels are kept; default PAGES/labels")
    parser.add_argument("--order", choices=_ORDERS, help="least confident first (default), or by name or as listed")
    add_model(parser)
    add_server(parser)
    parser.add_argument(
        "--epochs", type=count, default=0, help="how long a training lasts; default: what it finds right"
    )
    parser.add_argument("--agreement", action="store_true", help="print how far annotators agree (Cohen's kappa)")
    parser.add_argument("--export", type=Path, metavar="SET", help="write the labels as a labelled set of its own")
    parser.set_defaults(run=_label)


def _label(options: argparse.Namespace) -> int:
    folder, listed = _find(options.pages)
    store = open_store(folder, options.labels)
    if options.annotator:
        check_annotator(options.annotator)
    if options.agreement:
        return _agree(store)
    if options.export:
        return _export(store, options.export, options.annotator)
    paths = listed if listed is not None else list(find_pages(store.pages))
    if not paths:
        raise ValueError(f"{folder}: no .html, .htm or .xhtml files in this folder")
    return _serve(store, paths, options, listed is not None)


def _find(pages: Path) -> tuple[Path, list[Path] | None]:
    """The folder that pages' paths are below, and the pages where a file lists them."""
    if pages.is_dir():
        return pages, None
    if not pages.is_file():
        raise ValueError(f"{pages}: there is no such folder or file")
    folder = pages.parent
    if is_page(pages.name):
        return folder, [pages]
    try:
        names = [line.strip() for line in pages.read_text("utf-8").splitlines()]
    except UnicodeDecodeError:
        raise ValueError(f"{pages}: is no list of pages; name a folder, or a text file with a path a line") from None
    listed = [folder / name for name in names if name and not name.startswith("#")]
    for path in listed:
        if not path.is_file():
            raise ValueError(
                f"{pages}: {path}: there is no such file; a list has a path a line, from its own folder on"
            )
        if not path.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"{pages}: {path} is not below {folder}; put the list into a folder above all its pages")
    return folder, [folder / path.resolve().relative_to(folder.resolve()) for path in dict.fromkeys(listed)]


def _agree(store: LabelStore) -> int:
    from bodytext.studio.labels.agreement import compare_annotators, to_table

    names = store.annotators()
    for name in names:
        _tell_broken(store, name)
    found = False
    for one, other in combinations(names, 2):
        agreements = list(compare_annotators(store, one, other))
        if agreements:
            found = True
            write_out(to_table(agreements, (one, other)))
    if not found:
        say(f"{store.folder}: no page that two annotators have done; {len(names)} have labelled here")
    return DONE if found else NOTHING_FOUND


def _tell_broken(store: LabelStore, annotator: str) -> None:
    """Say which labels cannot be read; all others are used."""
    for one in store.find_broken(annotator):
        say(f"left out: {annotator}'s labels of {one.page}: {one.reason}")


def _export(store: LabelStore, output: Path, annotator: str) -> int:
    from bodytext.studio.labels.reading import export_set

    number, left = export_set(store, output, annotator)
    for one in left:
        say(f"left out: {one.page}: {one.reason}")
    if not number:
        say(f"{store.folder}: no page is labelled and done; nothing was written")
        return NOTHING_FOUND
    write_out(f"{number} labelled pages written to {output}")
    return DONE


def _serve(store: LabelStore, paths: list[Path], options: argparse.Namespace, is_list: bool) -> int:
    try:
        from bodytext.studio.inspector.inspector_routes import inspector_part
        from bodytext.studio.labelling.labelling_routes import Desk, labelling_part
        from bodytext.studio.labelling.teaching import Teacher, teaching_part
        from bodytext.studio.web.app import create_app
        from bodytext.studio.web.security import Policy
        from bodytext.studio.web.server import Start, run
        from bodytext.studio.web.workspace import Workspace
    except ModuleNotFoundError as missing:
        raise ValueError(
            f"labelling needs {missing.name}: pip install 'bodytext[web]', or in a checkout pip install -e '.[web]'"
        ) from None
    workspace = Workspace(options.model or "")
    desk = Desk(workspace, store, options.annotator or _own_name(), workspace.add_files(paths, store.pages))
    _tell_broken(store, desk.annotator)
    desk.queue.order = options.order or _ORDERS[is_list]
    desk.queue.measure()
    parts = [labelling_part(desk), inspector_part(workspace), teaching_part(desk, Teacher(desk, options.epochs))]

    def make_app(port: int) -> "ASGIApp":
        return create_app(parts, Policy(port))

    say(f"{len(paths):,} pages; {desk.annotator}'s labels are kept in {store.folder / desk.annotator}")
    run(make_app, Start(options.port, browser=not options.no_browser, path="/label"))
    return DONE


def _own_name() -> str:
    """The user's name on this machine, as far as it can be an annotator's."""
    try:
        return check_annotator(getpass.getuser())
    except (OSError, KeyError, ImportError, ValueError):
        return "me"
