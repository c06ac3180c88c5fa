"""Show a profile's filters for new articles, and how phone apps connect."""

from bodytext.reader.pages.actions import ActionResult, Fields
from bodytext.reader.pages.fever import read_password
from bodytext.reader.pages.html_builder import Html, el, el_if
from bodytext.reader.pages.layout import render_form
from bodytext.reader.pages.reader_request import ReaderRequest, read_number
from bodytext.reader.store.filters import Filter, Filters

_VERBS = {"hide": "Hidden", "save": "Saved"}
_EXPLANATION = "For new articles whose titles have all these words. As in a search, quotes make a phrase, and -word leaves out."


def render_filters(request: ReaderRequest) -> Html:
    """Render the filters, and the form that adds one."""
    filters = Filters(request.store, request.profile.id).list_all()
    return el(
        "section.filters",
        el("h2", "Filters"),
        el("p.faint", _EXPLANATION),
        render_form(
            request,
            "filter",
            el("input", type="text", name="words", placeholder="Words in the title",
               aria_label="Words in the title", required=True, autocomplete="off"),
            el("button.button", "Hide", type="submit", name="do", value="hide"),
            el("button.button", "Save", type="submit", name="do", value="save"),
            el("p.wrong", hidden=True, role="alert"),
            name="form.line",
            data_reload=True,
        ),
        el_if(filters, "ul", [_render_filter(request, one) for one in filters]),
    )  # fmt: skip


def _render_filter(request: ReaderRequest, one: Filter) -> Html:
    return el(
        "li.interest",
        el("span.name", one.words, dir="auto"),
        el("span.faint", _VERBS[one.action]),
        render_form(
            request,
            "filter",
            el("input", type="hidden", name="filter", value=one.id),
            el("button.quiet.icon", "\u00d7", type="submit", name="do", value="remove",
               aria_label=f"Remove the filter {one.words}"),
            data_reload=True,
        ),
    )  # fmt: skip


def change_filter(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Add or remove a filter."""
    filters = Filters(request.store, request.profile.id)
    if fields.get("do") == "remove":
        filters.remove(read_number(fields.get("filter", "")))
        return ActionResult("Removed")
    filters.add(fields.get("words", ""), fields.get("do", ""))
    return ActionResult("New articles are filtered")


def render_phone(request: ReaderRequest) -> Html:
    """Render what a phone app needs to connect."""
    words = (
        "Apps with the Fever API (Reeder, ReadKit, Unread, Fluent Reader, FeedMe and others) show your articles if the "
        "reader runs with --phone PORT."
    )
    return el(
        "section.phone",
        el("h2", "Phone apps"),
        el("p.faint", words),
        el(
            "details",
            el("summary", "Show what to enter"),
            el("dl",
               el("dt", "Server"), el("dd", "http://THIS-MACHINE:PORT/fever/"),
               el("dt", "User"), el("dd", request.profile.name, dir="auto"),
               el("dt", "Password"), el("dd", el("code", read_password(request.store)))),
        ),
    )  # fmt: skip
