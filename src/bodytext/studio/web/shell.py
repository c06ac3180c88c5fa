"""Render the page of a part: the bar with the navigation, and the part's HTML fragment."""

from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse

from bodytext.studio.web.app import STATIC, AppPart

_SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title} · bodytext</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="bodytext-token" content="{token}">
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/style.css">
{styles}<script src="/static/theme.js"></script>
{module}</head>
<body class="part-{name}">
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="/" aria-label="bodytext, start page"><svg viewBox="0 0 32 32" aria-hidden="true"><rect x="3" y="6" width="10" height="3" rx="1.5" class="faint"/><rect x="3" y="12" width="26" height="3.4" rx="1.7"/><rect x="3" y="18" width="22" height="3.4" rx="1.7"/><rect x="3" y="24.4" width="12" height="3" rx="1.5" class="faint"/></svg><span>bodytext</span></a>
<nav aria-label="Parts">{links}</nav>
<div id="bar-slot" class="bar-slot"></div>
<button type="button" class="quiet icon" id="theme" aria-label="Light or dark"></button>
</header>
<main id="main" tabindex="-1">
{fragment}
</main>
<div id="announcer" class="unseen" role="status" aria-live="polite"></div>
</body>
</html>
"""  # noqa: E501 - one drawing


def render_shell(
    request: Request,
    name: str,
    *,
    title: str = "",
    styles: tuple[str, ...] = (),
    fragment: str = "",
) -> HTMLResponse:
    """Return static/NAME.html in the shell, with the module static/NAME.js and style sheets.

    A fragment takes the place of the file; a page of it has no module.
    """
    parts: tuple[AppPart, ...] = request.app.state.parts
    links = [
        f'<a href="{escape(part.path)}"{" aria-current=page" if part.name == name else ""}>{escape(part.title)}</a>'
        for part in parts
        if part.title
    ]
    page = _SHELL.format(
        title=escape(title or name.capitalize()),
        token=escape(request.app.state.policy.token),
        styles="".join(
            f'<link rel="stylesheet" href="/static/{escape(style)}">\n' for style in styles
        ),
        module="" if fragment else f'<script type="module" src="/static/{name}.js"></script>\n',
        name=name,
        links="".join(links) if len(links) > 1 else "",
        fragment=fragment or (STATIC / f"{name}.html").read_text("utf-8"),
    )
    return HTMLResponse(page)
