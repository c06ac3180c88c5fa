"""Show a profile: its interests, filters, highlights and notes, and the other profiles."""

from starlette.responses import PlainTextResponse, Response

from bodytext.reader.pages.actions import ActionResult, Fields
from bodytext.reader.pages.fever import read_password
from bodytext.reader.pages.reader_request import ReaderRequest, read_number
from bodytext.reader.pages.rendering import respond
from bodytext.reader.profiles.profiles import (
    add_profile,
    list_profiles,
    remove_profile,
    rename_profile,
)
from bodytext.reader.profiles.scores import Interest
from bodytext.reader.store.filters import Filters
from bodytext.reader.store.highlights import Highlights

_SHOWN_AT_ONCE = 40  # of a kind
_SET_WEIGHT = 0.75  # of an interest that is set by hand
_STEPS = {"more": 0.25, "less": -0.25}
_SHOWN_WEIGHT = 0.005  # a smaller weight is shown as 0


def show_profile(request: ReaderRequest) -> Response:
    """Show the profile, and how phone apps connect."""
    return respond(
        request,
        "profile",
        counts=request.store.states.count(request.profile.id),
        profiles=list_profiles(request.store),
        interests=list(filter(_is_shown, request.profile.list_interests())),
        shown_at_once=_SHOWN_AT_ONCE,
        filters=Filters(request.store, request.profile.id).list_all(),
        password=read_password(request.store),
    )


def _is_shown(interest: Interest) -> bool:
    return bool(interest.fixed) or abs(interest.weight) >= _SHOWN_WEIGHT


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


def change_filter(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Add or remove a filter."""
    filters = Filters(request.store, request.profile.id)
    if fields.get("do") == "remove":
        filters.remove(read_number(fields.get("filter", "")))
        return ActionResult("Removed")
    filters.add(fields.get("words", ""), fields.get("do", ""))
    return ActionResult("New articles are filtered")


def change_interest(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Change an interest by hand, or forget one or all of them."""
    action, kind = fields.get("do", ""), fields.get("kind", "")
    name = fields.get("name", "").strip()
    if action == "forget":
        request.profile.forget()
        return ActionResult("All interests are forgotten")
    if action == "remove":
        request.profile.remove_interest(kind, name)
        return ActionResult("Forgotten")
    if action in {"like", "dislike"}:
        weight = _SET_WEIGHT if action == "like" else -_SET_WEIGHT
    else:
        weight = min(max(_read_weight(fields) + _STEPS.get(action, 0.0), -1.0), 1.0)
    request.profile.set_interest(kind, name, weight)
    return ActionResult(f"{name}: {weight:+.2f}" if kind != "source" else f"{weight:+.2f}")


def _read_weight(fields: Fields) -> float:
    try:
        weight = float(fields.get("weight", "0"))
    except ValueError:
        return 0.0
    return weight if -1 <= weight <= 1 else 0.0


def change_profile(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Add, rename or remove a profile."""
    name, action = fields.get("name", ""), fields.get("do", "add")
    if action == "remove":
        remove_profile(request.store, request.profile.id)
        first = list_profiles(request.store)[0]
        settings = request.settings.change(profile=str(first.id))
        return ActionResult("Removed", settings=settings, path="/you")
    if action == "rename":
        rename_profile(request.store, request.profile.id, name)
        return ActionResult("Renamed", path="/you")
    added = add_profile(request.store, name)
    settings = request.settings.change(profile=str(added.id))
    return ActionResult(f"Welcome, {added.name}", settings=settings, path="/you")
