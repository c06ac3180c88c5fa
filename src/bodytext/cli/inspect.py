"""Run `bodytext inspect`, which shows pages and their blocks in the browser."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, print_message
from bodytext.cli.inputs import STANDARD_INPUT, read_standard
from bodytext.cli.options import add_model, add_private, add_server, require_web
from bodytext.page.urls import is_web_address
from bodytext.sources.source_kinds import is_page

if TYPE_CHECKING:
    from bodytext.studio.web.workspace import PageEntry, Workspace


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.add_argument(
        "page",
        nargs="?",
        default="",
        metavar="PAGE",
        help="an HTML file, a folder of them, a URL, or - for standard input",
    )
    add_model(parser)
    add_private(parser)
    add_server(parser)
    parser.set_defaults(run=_inspect)


def _inspect(options: argparse.Namespace) -> int:
    require_web("the inspector")
    from bodytext.studio.inspector.inspector_routes import inspector_part
    from bodytext.studio.web.app import create_app
    from bodytext.studio.web.security import Policy
    from bodytext.studio.web.server import run
    from bodytext.studio.web.workspace import Workspace

    workspace = Workspace(options.model or "")
    path = _open_page(workspace, options.page, allow_private=options.allow_private)
    run(
        lambda port: create_app([inspector_part(workspace)], Policy(port)),
        options.port,
        browser=not options.no_browser,
        path=path,
    )
    return DONE


def _open_page(workspace: "Workspace", page: str, *, allow_private: bool) -> str:
    """Add a page or a folder to the workspace, and return the path that the browser opens."""
    from bodytext.sources.fetch import FetchLimits
    from bodytext.sources.files import find_pages
    from bodytext.studio.web.workspace import UnreadableError

    if not page:
        return "/"
    path = Path(page)
    try:
        if page == STANDARD_INPUT:
            return _check(workspace, workspace.add("standard input", read_standard().html))
        if _names_host(page) and not path.exists():
            limits = FetchLimits(allow_private=allow_private)
            return _check(workspace, workspace.fetch(page, limits))
        if path.exists() and not path.is_dir():
            return _check(workspace, workspace.add_files([path], path)[0])
    except UnreadableError as problem:
        raise ValueError(str(problem)) from None
    if not path.exists():
        raise ValueError(f"{page}: there is no such file or folder; a URL begins with https://")
    entries = workspace.add_files(find_pages(path, print_message), path)
    if not entries:
        raise ValueError(f"{page}: no .html, .htm or .xhtml files in this folder")
    return "/"


def _names_host(page: str) -> bool:
    """Return whether an argument is an address, with or without https://.

    >>> _names_host("example.org/a.html"), _names_host("page.html"), _names_host("pages/a.html")
    (True, False, False)
    """
    host = page.partition("/")[0]
    return is_web_address(page) or ("." in host.strip(".") and not is_page(host))


def _check(workspace: "Workspace", entry: "PageEntry") -> str:
    """Return a page's path; an UnreadableError says here, not in the browser, what is wrong."""
    workspace.open(entry.key)
    return f"/pages/{entry.key}"


COMMAND = Command(
    "see pages in the browser: blocks, scores, reasons, results, figures", add_options
)
