"""bodytext inspect: a page, a folder or an address in, the inspector in the browser out."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.cli.inputs import STANDARD_INPUT, is_address, read_standard
from bodytext.cli.options import add_model, add_server
from bodytext.cli.speech import DONE

if TYPE_CHECKING:
    from bodytext.studio.web.workspace import Entry, Workspace


def add(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.add_argument(
        "page",
        nargs="?",
        default="",
        metavar="PAGE",
        help="an HTML file, a folder of them, a URL, or - for standard input",
    )
    add_model(parser)
    add_server(parser)
    parser.set_defaults(run=_inspect)


def _inspect(options: argparse.Namespace) -> int:
    try:
        from bodytext.studio.inspector.inspector_routes import inspector_part
        from bodytext.studio.web.app import create_app
        from bodytext.studio.web.security import Policy
        from bodytext.studio.web.server import Start, run
        from bodytext.studio.web.workspace import Workspace
    except ModuleNotFoundError as missing:
        raise ValueError(
            f"the inspector needs {missing.name}: pip install 'bodytext[web]', or in a checkout pip install -e '.[web]'"
        ) from None
    workspace = Workspace(options.model or "")
    path = _open_page(workspace, options.page)
    start = Start(options.port, browser=not options.no_browser, path=path)
    run(lambda port: create_app([inspector_part(workspace)], Policy(port)), start)
    return DONE


def _open_page(workspace: "Workspace", page: str) -> str:
    """Where the browser goes to see a page, which the workspace then holds."""
    from bodytext.sources.files import find_pages
    from bodytext.studio.web.workspace import UnreadableError

    if not page:
        return "/"
    path = Path(page)
    try:
        if page == STANDARD_INPUT:
            return _check(workspace, workspace.add("standard input", read_standard().html))
        if is_address(page) and not path.exists():
            return _check(workspace, workspace.fetch(page))
        if path.exists() and not path.is_dir():
            return _check(workspace, workspace.add_files([path], path)[0])
    except UnreadableError as problem:
        raise ValueError(str(problem)) from None
    if not path.exists():
        raise ValueError(f"{page}: there is no such file or folder; a URL begins with https://")
    entries = workspace.add_files(find_pages(path), path)
    if not entries:
        raise ValueError(f"{page}: no .html, .htm or .xhtml files in this folder")
    return "/"


def _check(workspace: "Workspace", entry: "Entry") -> str:
    """Where the browser sees a page; an UnreadableError says now, not there, that it cannot be shown."""
    workspace.open(entry.key)
    return f"/pages/{entry.key}"
