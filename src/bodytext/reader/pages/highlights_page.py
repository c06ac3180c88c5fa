"""Show highlights and notes: those of an article below its text, and all of them on a page."""

from starlette.responses import PlainTextResponse, Response

from bodytext.reader.pages.actions import ActionResult, Fields
from bodytext.reader.pages.html_builder import Html, Piece, el, el_if
from bodytext.reader.pages.layout import PageInfo, render, render_form
from bodytext.reader.pages.list_pages import render_empty
from bodytext.reader.pages.reader_request import ReaderRequest, read_number, respond_page
from bodytext.reader.pages.time_format import format_ago
from bodytext.reader.store.highlights import LONGEST_NOTE, Highlight, Highlights

_ADVICE = "Mark a passage while you read: its button appears, or press e."


def show_highlights(request: ReaderRequest) -> Response:
    """Show all highlights of the profile, the last ones first."""
    highlights = Highlights(request.store, request.profile.id).list_all()
    content: list[Piece] = [el("header.head", el("h1", "Highlights and notes"))]
    if highlights:
        content.append(
            el("ul.highlights", [_render(request, one, titled=True) for one in highlights])
        )
        link = el("a.button", "Download as Markdown", href="/highlights.md", download=True)
        content.append(el("nav.turn", link))
    else:
        content.append(render_empty("check", "Nothing marked yet.", _ADVICE))
    return respond_page(render(request, PageInfo("Highlights", "saved", "person"), content))


def download_highlights(request: ReaderRequest) -> Response:
    """Send all highlights as Markdown."""
    lines: list[str] = []
    for one in Highlights(request.store, request.profile.id).list_all():
        lines += [f"## {one.title}", "", *([f"> {one.quote}", ""] if one.quote else [])]
        lines += [one.note, ""] if one.note else []
    headers = {"content-disposition": 'attachment; filename="highlights.md"'}
    return PlainTextResponse("\n".join(lines), headers=headers, media_type="text/markdown")


def render_highlights(request: ReaderRequest, article: int) -> Html:
    """Render the highlights of an article, and the form that adds one."""
    highlights = Highlights(request.store, request.profile.id).list_all(article)
    form = render_form(
        request,
        "highlight",
        el("input", type="hidden", name="article", value=article),
        el("input", type="hidden", name="quote", value=""),
        el("textarea", name="note", rows=2, maxlength=LONGEST_NOTE, placeholder="A note",
           aria_label="A note on this article"),
        el("button.button", "Keep the note", type="submit", name="do", value="add"),
        name="form.note-form",
        data_reload=True,
    )  # fmt: skip
    return el(
        "details.notes",
        el("summary", f"Notes ({len(highlights)})" if highlights else "Notes"),
        el_if(highlights, "ul.highlights", [_render(request, one) for one in highlights]),
        form,
        open=bool(highlights),
    )


def _render(request: ReaderRequest, one: Highlight, *, titled: bool = False) -> Html:
    title = el("a", one.title, href=f"/article/{one.article}", dir="auto") if titled else None
    return el(
        "li",
        el_if(one.quote, "blockquote", one.quote, dir="auto", data_quote=True),
        el_if(one.note, "p", one.note, dir="auto"),
        render_form(
            request,
            "highlight",
            el("input", type="hidden", name="highlight", value=one.id),
            title,
            el("span.faint", format_ago(one.moment)),
            el("button.quiet.small", "Remove", type="submit", name="do", value="remove"),
            name="form.line",
            data_reload=True,
        ),
    )


def change_highlight(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Add or remove a highlight."""
    highlights = Highlights(request.store, request.profile.id)
    if fields.get("do") == "remove":
        highlights.remove(read_number(fields.get("highlight", "")))
        return ActionResult("Removed")
    article = read_number(fields.get("article", ""))
    highlights.add(article, fields.get("quote", ""), fields.get("note", ""))
    return ActionResult("Kept")
