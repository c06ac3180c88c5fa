"""Render the page of a part: the bar with the navigation, and the part's own template."""

from pathlib import Path

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from bodytext.output.jinja_templates import open_templates


def mark_code(text: str) -> Markup:
    """Show what is between backticks as code."""
    pieces = escape(text).split("`")
    pieces[1::2] = [Markup("<code>{}</code>").format(piece) for piece in pieces[1::2]]
    return Markup("").join(pieces)


ENVIRONMENT = open_templates(
    Path(__file__).parent / "templates", trim_blocks=True, lstrip_blocks=True
)
ENVIRONMENT.filters["mark_code"] = mark_code


def render_shell(
    request: Request,
    name: str,
    *,
    title: str = "",
    styles: tuple[str, ...] = (),
    fragment: str = "",
    **values: object,
) -> HTMLResponse:
    """Return templates/NAME.html in the shell, with the module static/NAME.js and style sheets.

    Another fragment than that of the part has no module; it is rendered with the values.
    """
    shell = ENVIRONMENT.get_template("shell.html")
    known = {"name": name, "title": title or name.capitalize(), "fragment": fragment or name}
    return HTMLResponse(shell.render(request=request, styles=styles, **known, **values))
