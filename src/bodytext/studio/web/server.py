"""Run an app on loopback until Ctrl-C, and open the browser at its address."""

import contextlib
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from bodytext.studio.web.connection import Connection

ADDRESS = "127.0.0.1"
CLOSING_SECONDS = 2  # that open responses may take after Ctrl-C


def run(
    make_app: Callable[[int], ASGIApp], port: int = 0, *, browser: bool = True, path: str = "/"
) -> None:
    """Print the address, and serve the app that `make_app` returns for the port until Ctrl-C.

    Port 0 is any free one; the path is what the browser opens.
    """
    with open_socket(port) as listening:
        port = int(listening.getsockname()[1])
        address = f"http://{ADDRESS}:{port}{path}"
        server = uvicorn.Server(configure(make_app(port)))
        opener = threading.Thread(target=_open_browser, args=(address,), daemon=True)
        sys.stderr.write(f"bodytext: open {address} in a browser; Ctrl-C stops\n")
        sys.stderr.flush()
        if browser:
            opener.start()
        # Uvicorn raises it again after it has closed everything.
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    sys.stderr.write("bodytext: stopped\n")


def configure(app: ASGIApp) -> uvicorn.Config:
    """Configure uvicorn: quiet, anonymous, quick to close."""
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


def open_socket(port: int, host: str = ADDRESS, *, option: str = "--port") -> socket.socket:
    """Return a listening socket, on loopback by default. Connections wait until the app is ready."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, *_, address = found[0]
        return socket.create_server((str(address[0]), port), family=family, backlog=1024)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]  # the address is named here
        raise ValueError(
            f"cannot listen at port {port} of {host} ({reason}); "
            f"choose another with {option}, or 0 for a free one"
        ) from None


def _open_browser(address: str) -> None:
    with contextlib.suppress(webbrowser.Error, OSError):  # the address is printed
        # Without a screen Python finds lynx or w3m, which would take over the terminal, unless
        # BROWSER asks for one.
        if type(webbrowser.get()) is not webbrowser.GenericBrowser or "BROWSER" in os.environ:
            webbrowser.open(address)
