"""Show a profile: its interests, and the other profiles to choose from."""

from starlette.responses import Response

from bodytext.corpus.progress import format_count
from bodytext.reader.pages.actions import ActionResult, Fields
from bodytext.reader.pages.filters_page import render_filters, render_phone
from bodytext.reader.pages.html_builder import Html, el, el_if
from bodytext.reader.pages.layout import PageInfo, render, render_choice, render_form
from bodytext.reader.pages.reader_request import ReaderRequest, respond_page
from bodytext.reader.profiles.profiles import (
    Profile,
    add_profile,
    list_profiles,
    remove_profile,
    rename_profile,
)
from bodytext.reader.profiles.scores import Interest

_KINDS = {"term": "Subjects", "category": "Categories", "source": "Sources"}
_EXPLANATION = "They order \u201cFor you\u201d. Learnt interests fade by half every month; those that you set by hand stay."
_NO_INTERESTS = "None yet. The reader learns from what you read, finish, save, like or hide."
_BUTTONS = (
    ("less", "\u2212", "Less of "),
    ("more", "+", "More of "),
    ("remove", "\u00d7", "Forget "),
)
_SHOWN_AT_ONCE = 40  # of a kind
_SET_WEIGHT = 0.75  # of an interest that is set by hand
_STEPS = {"more": 0.25, "less": -0.25}
_SHOWN_WEIGHT = 0.005  # a smaller weight is shown as 0


def show_profile(request: ReaderRequest) -> Response:
    """Show the profile."""
    profile = request.profile
    interests = list(filter(_is_shown, profile.list_interests()))
    counts = request.store.states.count(profile.id)
    read = counts["articles"] - counts["unread"]
    facts = f"{format_count(read, 'articles')} opened, {counts['saved']:,} saved"
    words = f"{facts}. None of this leaves this machine."
    return respond_page(
        render(
            request,
            PageInfo(profile.name, "you", "person"),
            el("header.head", el("h1", profile.name, dir="auto"), el("p.faint", words)),
            _render_profiles(request, profile),
            _render_interests(request, interests),
            render_filters(request),
            render_phone(request),
        )
    )


def _is_shown(interest: Interest) -> bool:
    return bool(interest.fixed) or abs(interest.weight) >= _SHOWN_WEIGHT


def _render_profiles(request: ReaderRequest, own: Profile) -> Html:
    profiles = list_profiles(request.store)
    choices = [
        render_choice("profile", profile.id, profile.name, chosen=profile.id == own.id, dir="auto")
        for profile in profiles
    ]
    question = f"Remove {own.name}, with its saved articles and its interests?"
    remove = el_if(len(profiles) > 1, "button.quiet", "Remove", type="submit", name="do", value="remove",
                   formnovalidate=True, data_confirm=question)  # fmt: skip
    switch = render_form(
        request,
        "settings",
        el("div.choices", choices, role="group", aria_label="Profiles"),
        name="form.switch",
        data_reload=True,
    )
    change = render_form(
        request,
        "profile",
        el("input", type="text", name="name", placeholder="A name", aria_label="A name",
           maxlength=60, autocomplete="off"),
        el("button.button", "Add", type="submit", name="do", value="add"),
        el("button.button", "Rename", type="submit", name="do", value="rename"),
        remove,
        name="form.line",
        data_reload=True,
    )  # fmt: skip
    return el(
        "section.profiles",
        el("h2", "Profiles"),
        el("p.faint", "Each profile has its own interests, saved articles and front page."),
        switch,
        change,
    )


def _render_interests(request: ReaderRequest, interests: list[Interest]) -> Html:
    groups: dict[str, list[Interest]] = {}
    for interest in interests:
        groups.setdefault(interest.kind, []).append(interest)
    kinds = [
        el("div.kind", el("h3", title), _render_kind(request, groups[kind]))
        for kind, title in _KINDS.items()
        if kind in groups
    ]
    return el(
        "section.interests",
        el("h2", "Your interests"),
        el("p.faint", _EXPLANATION),
        _render_add(request),
        kinds or el("p.faint", _NO_INTERESTS),
        _render_forget(request) if interests else None,
    )


def _render_add(request: ReaderRequest) -> Html:
    return render_form(
        request,
        "interest",
        el("input", type="hidden", name="kind", value="term"),
        el("input", type="text", name="name", placeholder="A subject", aria_label="A subject",
           required=True, autocomplete="off"),
        el("button.button", "I like it", type="submit", name="do", value="like"),
        el("button.button", "Not for me", type="submit", name="do", value="dislike"),
        name="form.line",
        data_reload=True,
    )  # fmt: skip


def _render_forget(request: ReaderRequest) -> Html:
    return render_form(
        request,
        "interest",
        el("button.quiet", "Forget all interests", type="submit", name="do", value="forget",
           data_confirm="Forget all interests? Saved articles stay."),
        data_reload=True,
    )  # fmt: skip


def _render_kind(request: ReaderRequest, interests: list[Interest]) -> list[Html]:
    """Render the strongest interests, and the others in a menu."""
    lines = [_render_interest(request, interest) for interest in interests]
    strongest, others = el("ul", lines[:_SHOWN_AT_ONCE]), lines[_SHOWN_AT_ONCE:]
    if not others:
        return [strongest]
    summary = el("summary", format_count(len(others), "weaker interests"))
    return [strongest, el("details", summary, el("ul", others))]


def _render_interest(request: ReaderRequest, interest: Interest) -> Html:
    title = interest.title or interest.name
    side = "less" if interest.weight < 0 else "more"
    weight = f"{interest.weight:+.2f}"
    buttons = [
        el(
            "button.quiet.icon",
            sign,
            type="submit",
            name="do",
            value=action,
            aria_label=label + title,
        )
        for action, sign, label in _BUTTONS
    ]
    return el(
        f"li.interest.{side}",
        el("span.name", title, dir="auto", title="set by hand" if interest.fixed else "learnt"),
        el("meter", min=0, max=1, value=weight[1:], aria_label=f"{title}: {weight}"),
        el("span.weight", weight.replace("-", "\u2212"), " set" if interest.fixed else ""),
        render_form(
            request,
            "interest",
            el("input", type="hidden", name="kind", value=interest.kind),
            el("input", type="hidden", name="name", value=interest.name),
            el("input", type="hidden", name="weight", value=f"{interest.weight:.3f}"),
            buttons,
            data_reload=True,
        ),
    )


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
