"""Show all highlights and notes, and change them."""

from starlette.responses import PlainTextResponse, Response

from bodytext.reader.pages.actions import ActionResult, Fields
from bodytext.reader.pages.reader_request import ReaderRequest, read_number
from bodytext.reader.pages.rendering import respond
from bodytext.reader.store.highlights import Highlights


def show_highlights(request: ReaderRequest) -> Response:
    """Show all highlights of the profile, the last ones first."""
    highlights = Highlights(request.store, request.profile.id).list_all()
    return respond(request, "highlights", highlights=highlights)


def download_highlights(request: ReaderRequest) -> Response:
    """Send all highlights as Markdown."""
    lines: list[str] = []
    for one in Highlights(request.store, request.profile.id).list_all():
        lines += [f"## {one.title}", "", *([f"> {one.quote}", ""] if one.quote else [])]
        lines += [one.note, ""] if one.note else []
    headers = {"content-disposition": 'attachment; filename="highlights.md"'}
    return PlainTextResponse("\n".join(lines), headers=headers, media_type="text/markdown")


def change_highlight(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Add or remove a highlight."""
    highlights = Highlights(request.store, request.profile.id)
    if fields.get("do") == "remove":
        highlights.remove(read_number(fields.get("highlight", "")))
        return ActionResult("Removed")
    article = read_number(fields.get("article", ""))
    highlights.add(article, fields.get("quote", ""), fields.get("note", ""))
    return ActionResult("Kept")
