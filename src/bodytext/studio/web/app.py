"""create_app: parts (each a name, a path and routes) + a policy -> the app that a server runs.

A part is made by a module of its own, which gives it its routes and takes what they need as arguments:

    workspace = Workspace()                                     # bodytext.studio.web.workspace: opened pages, the model
    app = create_app([inspector_part(workspace), ...], Policy(port))
    run(app, ...)                                               # bodytext.studio.web.server

Parts with a title stand in the navigation. Routes that answer with a page call `render_shell` of `bodytext.studio.web.shell`;
all others answer with JSON. An error is raised as `Refusal(status, words)` and reaches the client as {"error": words}.
Every request passes `bodytext.studio.web.security.Guard` first, so a route need not ask where it comes from; bodies are read
with `await request.body()`, which the guard cuts off at its limit.

In the browser a part is an HTML fragment NAME.html and an ES module NAME.js in static/; `static/shell.js` has what
modules share: `request` (JSON with the token), `announce` (for screen readers), `make` (elements);
`static/pageview.js` shows a page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the app."""

    name: str
    routes: Sequence[BaseRoute]
    title: str = ""  # in the navigation; a part without one is not in it
    path: str = "/"  # where the navigation leads


class Refusal(HTTPException):
    """What a route cannot do, with what to say about it."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(status, words)


class _Static(StaticFiles):
    """Our own files: asked for again each time, so that a new version is never mixed with an old one."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "no-cache"
        return response


def create_app(parts: Sequence[Part], policy: Policy) -> Starlette:
    """The app of these parts, guarded."""
    routes = [route for part in parts for route in part.routes]
    app = Starlette(
        routes=[*routes, Mount("/static", _Static(directory=STATIC))],
        middleware=[Middleware(Drain), Middleware(Guard, policy=policy)],
        exception_handlers={HTTPException: _tell, Exception: _tell_mistake},
    )
    app.state.parts = tuple(parts)
    app.state.policy = policy
    return app


def _tell(_: Request, error: Exception) -> Response:
    status, words = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, str(error))
    return JSONResponse({"error": words}, status, getattr(error, "headers", None))


def _tell_mistake(_: Request, __: Exception) -> Response:
    words = "this is a mistake in bodytext, not in your page; what went wrong stands where the server runs"
    return JSONResponse({"error": words}, 500)
