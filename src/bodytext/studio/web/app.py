"""Build the web app from its parts.

A part has a name, routes and, if the navigation shows it, a title and a path. A module of its own
makes each part:

    workspace = Workspace()                      # bodytext.studio.web.workspace
    app = create_app([inspector_part(workspace), ...], Policy(port))
    run(lambda port: app, port)                  # bodytext.studio.web.server

Routes that return a page call `render_shell` of `bodytext.studio.web.shell`; all others return
JSON. A route raises `Refusal(status, message)` for an error, and the client receives {"error":
message}. Every request passes `bodytext.studio.web.security.Guard` first, so a route need not ask
where it comes from. The guard also limits the size of the body that `await request.body()` returns.

In the browser a part is a template NAME.html in templates/ and an ES module NAME.js in static/.
Modules share `static/shell.js`: `request` (JSON with the token), `announce` (for screen readers)
and `make` (elements). `static/pageview.js` shows a page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from http.client import METHOD_NOT_ALLOWED, NOT_FOUND
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from bodytext.studio.web.connection import Drain
from bodytext.studio.web.security import Guard, Policy

STATIC = Path(__file__).parent / "static"
_LONGEST_PATH = 100  # characters of it in a message


@dataclass(frozen=True, slots=True)
class AppPart:
    """A part of the app."""

    name: str
    routes: Sequence[BaseRoute]
    title: str = ""  # in the navigation; empty to leave the part out
    path: str = "/"  # where the navigation leads


class Refusal(HTTPException):
    """A request that a route refuses, with the status and the message for the client."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)


class _Static(StaticFiles):
    """Our own files. Browsers ask for them each time, so that versions never mix."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "no-cache"
        return response


def create_app(parts: Sequence[AppPart], policy: Policy) -> Starlette:
    """Return the app of these parts; the guard checks every request."""
    routes = [route for part in parts for route in part.routes]
    app = Starlette(
        routes=[*routes, Mount("/static", _Static(directory=STATIC))],
        middleware=[Middleware(Drain), Middleware(Guard, policy=policy)],
        exception_handlers={HTTPException: _send_refusal, Exception: _send_failure},
    )
    # A redirect would name http and the port, whatever the proxy before us has.
    app.router.redirect_slashes = False
    app.state.parts = tuple(parts)
    app.state.policy = policy
    return app


def _send_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it handles no other
    message = error.detail
    if not isinstance(error, Refusal):  # of the router, which says no more than the status
        path = request.url.path[:_LONGEST_PATH]
        if error.status_code == NOT_FOUND:
            message = f"there is no {path} here; open / in a browser to see what there is"
        elif error.status_code == METHOD_NOT_ALLOWED:
            allowed = (error.headers or {}).get("Allow", "another method")
            message = f"{path} takes {allowed}, not {request.method}"
    return JSONResponse({"error": message}, error.status_code, error.headers)


def _send_failure(_: Request, __: Exception) -> Response:
    message = "this is a fault in bodytext, not in your page; the terminal where the server runs shows the details"
    return JSONResponse({"error": message}, 500)
