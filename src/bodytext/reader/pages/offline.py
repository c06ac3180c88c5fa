"""Make the reader an app that can be installed, and read without the server or a network."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

_WORKER = Path(__file__).parent / "static" / "offline.js"
_MANIFEST = {
    "name": "bodytext reader",
    "short_name": "Reader",
    "start_url": "/",
    "scope": "/",
    "display": "standalone",
    "background_color": "#ffffff",
    "theme_color": "#ffffff",
    "icons": [{"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"}],
    "shortcuts": [{"name": "Saved", "url": "/saved"}, {"name": "Subscriptions", "url": "/feeds"}],
}


def offline_routes() -> list[Route]:
    """Return the routes of the manifest, and of the script that answers without a network."""
    return [
        Route("/manifest.webmanifest", _send_manifest, methods=["GET"]),
        Route("/offline.js", _send_worker, methods=["GET"]),
    ]


def _send_manifest(_: Request) -> Response:
    return JSONResponse(_MANIFEST, media_type="application/manifest+json")


def _send_worker(_: Request) -> Response:
    return FileResponse(_WORKER, media_type="text/javascript")
