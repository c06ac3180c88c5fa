"""bodytext serve: starts the HTTP service; pages in, their body text out, for people who are not in Python."""

import argparse
import math
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bodytext.cli.options import add_model, amount, port, some
from bodytext.cli.speech import DONE, say

if TYPE_CHECKING:
    from bodytext.studio.service.service_routes import Settings

PORT = 8765


def add(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Starts a small HTTP service on this machine: POST a page to /extract and get its body text as JSON, Markdown, "
        "text or any other format. / shows how, /openapi.json describes it, /health and /metrics tell how it is."
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at; default this machine alone")
    parser.add_argument("--port", type=port, default=PORT, help=f"default {PORT}; 0 takes one that is free")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME[:PORT]",
        help="a name that clients know the service by, as in api.example.org; may be given again",
    )
    parser.add_argument("--workers", type=some, default=2, help="pages that are worked on at a time; default 2")
    parser.add_argument("--seconds", type=amount, default=10.0, help="for a page; default 10")
    parser.add_argument("--megabytes", type=amount, default=20.0, help="of a page, unpacked; default 20")
    parser.add_argument(
        "--fetch",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether to fetch addresses; default only for clients on this machine",
    )
    add_model(parser)
    parser.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    if sys.platform == "win32":
        raise ValueError("the service runs on Linux and macOS; on Windows it does in WSL or in a container")
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ValueError("the service wants starlette and uvicorn: pip install 'bodytext[web]'")
    from bodytext.studio.service.start import Start, serve

    start = Start(options.host, options.port, tuple(options.name), options.fetch)
    serve(start, _read_settings(options), say)
    return DONE


def _read_settings(options: argparse.Namespace) -> "Settings":
    from bodytext.methods.learned.method import read_weights
    from bodytext.studio.service.limits import MIB, Limits
    from bodytext.studio.service.service_routes import Settings

    read_weights(options.model or "")
    limits = Limits(page_bytes=math.ceil(options.megabytes * MIB), seconds=options.seconds)
    return Settings(options.workers, options.model or "", limits)
