"""Run `bodytext serve`, which starts the HTTP service."""

import argparse
import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, print_message
from bodytext.cli.options import (
    add_model,
    add_option,
    at_least_one,
    port,
    positive_number,
    require_web,
)

if TYPE_CHECKING:
    from bodytext.studio.service.service_routes import ServiceOptions

PORT = 8765
KEY_VARIABLE = "BODYTEXT_KEY"
SHORTEST_KEY = 16  # characters
_ORIGIN = re.compile(r"https?://[a-z0-9.\-\[\]:]+")
_KEY = re.compile(r"[!-~]+")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Starts a small HTTP service on this machine: POST a page to /extract and get its body text "
        "as JSON, Markdown, text or any other format. / has examples, /openapi.json describes it, "
        "/health and /metrics show its state."
    )
    add_option(
        parser, "--host", "the address to listen at; default: this machine only", "127.0.0.1"
    )
    add_option(parser, "--port", f"default {PORT}; 0 for any free port", PORT, port)
    add_option(
        parser,
        "--name NAME[:PORT]",
        "a name that clients use for the service, such as api.example.org; may be repeated",
        [],
        action="append",
    )
    add_option(parser, "--workers", "pages worked on at the same time", 2, at_least_one)
    add_option(parser, "--seconds", "the limit for a page", 10.0, positive_number)
    add_option(parser, "--megabytes", "the limit for a page, unpacked", 20.0, positive_number)
    parser.add_argument(
        "--fetch",
        action=argparse.BooleanOptionalAction,
        help="whether to fetch addresses; default: only for clients on this machine",
    )
    add_option(
        parser,
        "--key-file FILE",
        f"a file with the key that requests must have; default: ${KEY_VARIABLE}, if it is set",
        None,
        Path,
    )
    add_option(
        parser,
        "--origin ORIGIN",
        "a site whose pages may use the service, such as https://app.example; may be repeated",
        [],
        _read_origin,
        action="append",
    )
    add_model(parser)
    parser.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    require_web("the service")
    from bodytext.studio.service.service_server import ListenOptions, serve

    listen = ListenOptions(
        options.host, options.port, tuple(options.name), options.fetch, tuple(options.origin)
    )
    serve(listen, _service_options(options), print_message)
    return DONE


def _service_options(options: argparse.Namespace) -> "ServiceOptions":
    from bodytext.methods.learned.weights import read_weights
    from bodytext.studio.service.service_limits import MIB, ServiceLimits
    from bodytext.studio.service.service_routes import ServiceOptions

    read_weights(options.model or "")
    limits = ServiceLimits(page_bytes=math.ceil(options.megabytes * MIB), seconds=options.seconds)
    key = _read_key(options.key_file)
    return ServiceOptions(options.workers, options.model or "", limits, key=key)


def _read_origin(value: str) -> str:
    if not _ORIGIN.fullmatch(value.lower()):
        raise argparse.ArgumentTypeError(
            f"{value} is not an origin; it should be like https://app.example, without a path"
        )
    return value.lower()


def _read_key(path: Path | None) -> str:
    """Return the key of the file, else that of the environment, else an empty one."""
    try:
        key = os.environ.get(KEY_VARIABLE, "") if path is None else path.read_text("ascii").strip()
    except (OSError, UnicodeError) as error:
        raise ValueError(f"--key-file {path}: cannot be read: {error}") from None
    if path is None and not key:
        return ""
    if len(key) < SHORTEST_KEY or not _KEY.fullmatch(key):
        raise ValueError(
            f"a key has {SHORTEST_KEY} or more letters, digits and signs, and no spaces; "
            "python -c 'import secrets; print(secrets.token_urlsafe())' makes one"
        )
    return key


COMMAND = Command("start the HTTP service", add_options)
