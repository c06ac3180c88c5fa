"""Render the templates of the reader's pages.

Everything that a template shows is escaped. An address that is not our own passes the filter
`href`, which leaves out what leads neither to this server nor to the web.
"""

import re
from pathlib import Path

from jinja2.ext import Extension
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from bodytext.corpus.progress import format_count
from bodytext.output.jinja_templates import open_templates
from bodytext.reader.collection.image_kinds import is_tracker
from bodytext.reader.collection.images import key_of
from bodytext.reader.pages.reader_request import ReaderRequest
from bodytext.reader.pages.time_format import (
    format_age,
    format_ago,
    format_date,
    format_reading_time,
    format_timestamp,
)
from bodytext.reader.store.articles import FOUND, FOUND_END
from bodytext.reader.store.records import RIGHT_TO_LEFT, Card
from bodytext.studio.web.app import Refusal

# Pages load from this server alone, pictures too; forms are sent to it alone.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
TEMPLATES = Path(__file__).parent / "templates"
WEB = ("http://", "https://")
_LINE_BREAK = re.compile(r"(?<=[>}])[ \t]*\n\s*(?=[<{])")
_OTHER_HOST = re.compile(r"/[\t\n\r]*[/\\]")  # browsers pass over these characters
_LONG = re.compile(r"(\S{20})")  # characters that fit on the tiniest screen


class _Indented(Extension):
    """Makes comments of line breaks between tags, which would be spaces on the page."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        del name, filename
        return _LINE_BREAK.sub(r"{#\g<0>#}", source)


def is_link_target(url: str) -> bool:
    """Whether an address may be in a link: a path of this server, or a page of the web."""
    own = url.startswith(("/", "?", "#")) and not _OTHER_HOST.match(url)
    return own or url.lower().startswith(WEB)


def is_page(url: str) -> bool:
    """Whether an article has a page; the address of a note without one is its place in the feed."""
    return is_link_target(url) and "#" not in url


def href(url: str) -> Markup:
    """Write the attribute of a link; nothing if the address may not be in one."""
    return Markup(' href="{}"').format(url) if is_link_target(url) else Markup()


def capitalise(words: str) -> str:
    """Make the first letter a capital.

    >>> capitalise("because")
    'Because'
    """
    return words[:1].upper() + words[1:]


def split_words(text: str) -> Markup:
    """Split long words, so that they wrap at the edge of the screen without a style."""
    return Markup("<wbr>").join(_LONG.sub("\\1\0", text).split("\0"))


def mark_matches(snippet: str) -> Markup:
    """Mark the words of a snippet that match a search."""
    marked = escape(snippet).replace(FOUND, Markup("<mark>"))
    return marked.replace(FOUND_END, Markup("</mark>"))


def picture_key(card: Card) -> str:
    """Return the key of a card's lead picture; nothing if it has none to show."""
    url = card.lead_image
    return key_of(url) if url.startswith(WEB) and not is_tracker(url) else ""


ENVIRONMENT = open_templates(TEMPLATES, extensions=[_Indented])
_FILTERS = (
    capitalise, format_age, format_ago, format_count, format_date, format_reading_time,
    format_timestamp, href, split_words,
)  # fmt: skip
ENVIRONMENT.filters.update({function.__name__: function for function in _FILTERS})
ENVIRONMENT.tests["page_address"] = is_page
ENVIRONMENT.globals.update(
    RIGHT_TO_LEFT=RIGHT_TO_LEFT, mark_matches=mark_matches, picture_key=picture_key
)


def render_part(name: str, *values: object) -> str:
    """Render a part of an article's body."""
    part = getattr(ENVIRONMENT.get_template("body.html").module, name)
    return str(part(*values))


def respond(request: ReaderRequest, name: str, /, status: int = 200, **values: object) -> Response:
    """Respond with a page: a template with these values."""
    template = ENVIRONMENT.get_template(f"{name}.html")
    html = template.render(request=request, settings=request.settings, **values)
    # Without any referrer a browser does not say which page sent a form, and it is refused.
    headers = {"content-security-policy": PAGE_POLICY, "referrer-policy": "same-origin"}
    return HTMLResponse(html, status, headers)


def show_refusal(request: ReaderRequest, refusal: Refusal) -> Response:
    """Show why a request was refused."""
    return respond(request, "refusal", refusal.status_code, reason=refusal.detail)
