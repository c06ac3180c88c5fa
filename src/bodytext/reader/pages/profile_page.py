"""A visit in, what the reader knows about who reads out: interests to see and to change, profiles to choose from."""

from itertools import groupby

from starlette.responses import Response

from bodytext.reader.pages.actions import ActionResult, Fields
from bodytext.reader.pages.html_builder import Html, el
from bodytext.reader.pages.layout import PageInfo, choice, form, render
from bodytext.reader.pages.reader_request import ReaderRequest, answer_page
from bodytext.reader.pages.time_format import count
from bodytext.reader.profiles.profiles import Profile, add_profile, list_profiles, remove_profile, rename_profile
from bodytext.reader.profiles.scores import Interest

_KINDS = {"term": "Subjects", "category": "Categories", "source": "Sources"}
_SHOWN_AT_ONCE = 40  # of a kind
_STEPS = {"more": 0.25, "less": -0.25}
_SHOWN_WEIGHT = 0.005  # what is less shows as 0


def show_person(request: ReaderRequest) -> Response:
    """The page of who reads."""
    profile = request.profile
    interests = [one for one in profile.list_interests() if one.fixed or abs(one.weight) >= _SHOWN_WEIGHT]
    counts = request.store.states.count(profile.id)
    read = counts["articles"] - counts["unread"]
    words = f"{count(read, 'article')} opened, {counts['saved']:,} saved. Nothing of this leaves this machine."
    return answer_page(
        render(
            request,
            PageInfo(profile.name, "you", "person"),
            el("header.head", el("h1", profile.name, dir="auto"), el("p.faint", words)),
            _render_profiles(request, profile),
            _render_interests(request, interests),
        )
    )


def _render_profiles(request: ReaderRequest, own: Profile) -> Html:
    every = list_profiles(request.store)
    switch = form(
        request,
        "settings",
        el("div.choices", [choice("profile", one.id, one.name, chosen=one.id == own.id, dir="auto") for one in every],
           role="group", aria_label="Who reads"),
        name="form.switch",
        data_reload=True,
    )  # fmt: skip
    change = form(
        request,
        "profile",
        el("input", type="text", name="name", placeholder="A name", aria_label="A name", maxlength=60,
           autocomplete="off"),
        el("button.button", "Add", type="submit", name="do", value="add"),
        el("button.button", "Rename", type="submit", name="do", value="rename"),
        el("button.quiet", "Remove", type="submit", name="do", value="remove", formnovalidate=True,
           data_confirm=f"Remove {own.name}, with all that is saved and learnt?") if len(every) > 1 else None,
        name="form.line",
        data_reload=True,
    )  # fmt: skip
    return el(
        "section.profiles",
        el("h2", "Who reads"),
        el("p.faint", "Each has interests, saved articles and a front page of their own."),
        switch,
        change,
    )


def _render_interests(request: ReaderRequest, interests: list[Interest]) -> Html:
    order = list(_KINDS)
    ordered = sorted(interests, key=lambda one: order.index(one.kind))
    groups = {kind: list(found) for kind, found in groupby(ordered, key=lambda one: one.kind)}
    empty = el("p.faint", "Nothing yet. What you open, read to the end, save, like or hide teaches it.")
    add = form(
        request,
        "interest",
        el("input", type="hidden", name="kind", value="term"),
        el("input", type="text", name="name", placeholder="A subject", aria_label="A subject", required=True,
           autocomplete="off"),
        el("button.button", "I like it", type="submit", name="do", value="like"),
        el("button.button", "Not for me", type="submit", name="do", value="dislike"),
        name="form.line",
        data_reload=True,
    )  # fmt: skip
    return el(
        "section.interests",
        el("h2", "What you are interested in"),
        el(
            "p.faint",
            "This orders \u201cFor you\u201d. What was learnt fades by half every month; what you set by hand stays.",
        ),
        add,
        [
            el("div.kind", el("h3", title), _render_kind(request, groups[kind]))
            for kind, title in _KINDS.items()
            if kind in groups
        ]
        or empty,
        form(
            request,
            "interest",
            el("button.quiet", "Forget all of it", type="submit", name="do", value="forget",
               data_confirm="Forget all interests? What is saved stays."),
            data_reload=True,
        )
        if interests
        else None,
    )  # fmt: skip


def _render_kind(request: ReaderRequest, interests: list[Interest]) -> list[Html]:
    """The strongest, and the others where one asks for them."""
    lines = [_render_interest(request, one) for one in interests]
    first, others = lines[:_SHOWN_AT_ONCE], lines[_SHOWN_AT_ONCE:]
    more = [el("details", el("summary", f"{count(len(others), 'weaker one')}"), el("ul", others))] if others else []
    return [el("ul", first), *more]


def _render_interest(request: ReaderRequest, one: Interest) -> Html:
    title = one.title or one.name
    side = "less" if one.weight < 0 else "more"
    return el(
        f"li.interest.{side}",
        el("span.name", title, dir="auto", title="set by hand" if one.fixed else "learnt"),
        el("meter", min=0, max=1, value=f"{abs(one.weight):.2f}", aria_label=f"{title}: {one.weight:+.2f}"),
        el("span.weight", f"{one.weight:+.2f}".replace("-", "\u2212"), " set" if one.fixed else ""),
        form(
            request,
            "interest",
            el("input", type="hidden", name="kind", value=one.kind),
            el("input", type="hidden", name="name", value=one.name),
            el("input", type="hidden", name="weight", value=f"{one.weight:.3f}"),
            el("button.quiet.icon", "\u2212", type="submit", name="do", value="less", aria_label=f"Less of {title}"),
            el("button.quiet.icon", "+", type="submit", name="do", value="more", aria_label=f"More of {title}"),
            el("button.quiet.icon", "\u00d7", type="submit", name="do", value="remove", aria_label=f"Forget {title}"),
            data_reload=True,
        ),
    )


def change_interest(request: ReaderRequest, fields: Fields) -> ActionResult:
    """Change an interest by hand, or forget it, or all."""
    what, kind, name = fields.get("do", ""), fields.get("kind", ""), fields.get("name", "").strip()
    if what == "forget":
        request.profile.forget()
        return ActionResult("All is forgotten")
    if what == "remove":
        request.profile.remove_interest(kind, name)
        return ActionResult("Forgotten")
    if what in {"like", "dislike"}:
        weight = 0.75 if what == "like" else -0.75
    else:
        weight = min(max(_read_weight(fields) + _STEPS.get(what, 0.0), -1.0), 1.0)
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
    name, what = fields.get("name", ""), fields.get("do", "add")
    if what == "remove":
        remove_profile(request.store, request.profile.id)
        first = list_profiles(request.store)[0]
        return ActionResult("Removed", settings=request.settings.change(profile=str(first.id)), path="/you")
    if what == "rename":
        rename_profile(request.store, request.profile.id, name)
        return ActionResult("Renamed", path="/you")
    added = add_profile(request.store, name)
    return ActionResult(f"Welcome, {added.name}", settings=request.settings.change(profile=str(added.id)), path="/you")
