"""Run `bodytext serve`, which starts the HTTP service."""

import argparse
import math
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, print_message
from bodytext.cli.options import add_model, at_least_one, port, positive_number

if TYPE_CHECKING:
    from bodytext.studio.service.service_routes import ServiceOptions

PORT = 8765


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Starts a small HTTP service on this machine: POST a page to /extract and get its body text "
        "as JSON, Markdown, text or any other format. / has examples, /openapi.json describes it, "
        "/health and /metrics show its state."
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen at; default: this machine only"
    )
    parser.add_argument(
        "--port", type=port, default=PORT, help=f"default {PORT}; 0 for any free port"
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME[:PORT]",
        help="a name that clients use for the service, such as api.example.org; may be repeated",
    )
    parser.add_argument(
        "--workers",
        type=at_least_one,
        default=2,
        help="pages worked on at the same time; default 2",
    )
    parser.add_argument(
        "--seconds", type=positive_number, default=10.0, help="the limit for a page; default 10"
    )
    parser.add_argument(
        "--megabytes",
        type=positive_number,
        default=20.0,
        help="the limit for a page, unpacked; default 20",
    )
    parser.add_argument(
        "--fetch",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether to fetch addresses; default: only for clients on this machine",
    )
    add_model(parser)
    parser.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ValueError("the service needs starlette and uvicorn: pip install 'bodytext[web]'")
    from bodytext.studio.service.service_server import ListenOptions, serve

    listen = ListenOptions(options.host, options.port, tuple(options.name), options.fetch)
    serve(listen, _service_options(options), print_message)
    return DONE


def _service_options(options: argparse.Namespace) -> "ServiceOptions":
    from bodytext.methods.learned.weights import read_weights
    from bodytext.studio.service.service_limits import MIB, ServiceLimits
    from bodytext.studio.service.service_routes import ServiceOptions

    read_weights(options.model or "")
    limits = ServiceLimits(page_bytes=math.ceil(options.megabytes * MIB), seconds=options.seconds)
    return ServiceOptions(options.workers, options.model or "", limits)


COMMAND = Command("start the HTTP service", add_options)
