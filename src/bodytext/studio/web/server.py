"""run: an app for a port -> a server on loopback until Ctrl-C, with the browser opened at its address."""

import contextlib
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from bodytext.studio.web.connection import Connection

ADDRESS = "127.0.0.1"
CLOSING_SECONDS = 2  # how long open answers may take after Ctrl-C


@dataclass(frozen=True, slots=True)
class Start:
    """How a server is started."""

    port: int = 0  # 0: any that is free
    browser: bool = True
    path: str = "/"  # where the browser goes


def run(make_app: Callable[[int], ASGIApp], start: Start) -> None:
    """Serve the app that `make_app` makes for the port, until Ctrl-C. The address is printed."""
    with open_socket(start.port) as listening:
        port = int(listening.getsockname()[1])
        address = f"http://{ADDRESS}:{port}{start.path}"
        server = uvicorn.Server(configure(make_app(port)))
        opener = threading.Thread(target=_open_browser, args=(address,), daemon=True)
        sys.stderr.write(f"bodytext: open {address} in a browser; Ctrl-C stops\n")
        sys.stderr.flush()
        if start.browser:
            opener.start()
        with contextlib.suppress(KeyboardInterrupt):  # uvicorn has closed everything and raises what it had held back
            server.run(sockets=[listening])
    sys.stderr.write("bodytext: stopped\n")


def configure(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn runs: quietly, telling nobody what it is, and closing soon."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
        lifespan="on",
        http=Connection,
        ws="none",
    )


def open_socket(port: int) -> socket.socket:
    """A listening socket on loopback. It takes connections at once: what comes before the app is ready waits."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise ValueError(
            f"port {port} is not to be had ({error.strerror}); name another with --port, or none for a free one"
        ) from None
    return listening


def _open_browser(address: str) -> None:
    with contextlib.suppress(webbrowser.Error, OSError):  # the address is printed
        # Without a screen Python finds lynx or w3m, which would take the terminal over. Who names one wants it.
        if type(webbrowser.get()) is not webbrowser.GenericBrowser or "BROWSER" in os.environ:
            webbrowser.open(address)
