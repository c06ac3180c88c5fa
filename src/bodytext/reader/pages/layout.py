"""Render the frame of a page: its bar, its navigation and the menu of its appearance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bodytext.reader.pages.display_settings import SUMMARIES, THEMES, WIDTHS
from bodytext.reader.pages.html_builder import Html, Piece, Value, el, el_if, join
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.reader_request import ReaderRequest

_SECTIONS = (
    ("front", "/", "Front page"),
    ("saved", "/saved", "Saved"),
    ("search", "/search", "Search"),
    ("feeds", "/feeds", "Subscriptions"),
    ("you", "/you", "You"),
)
_BRAND = Html(
    '<svg viewBox="0 0 32 32" aria-hidden="true">'
    '<rect x="3" y="6" width="10" height="3" rx="1.5" class="faint"/>'
    '<rect x="3" y="12" width="26" height="3.4" rx="1.7"/>'
    '<rect x="3" y="18" width="22" height="3.4" rx="1.7"/>'
    '<rect x="3" y="24.4" width="12" height="3" rx="1.5" class="faint"/></svg>'
)
_THEME_NAMES = {"auto": "System", "light": "Light", "sepia": "Sepia", "dark": "Dark"}
_WIDTH_NAMES = {1: "Narrow", 2: "Medium", 3: "Wide"}


@dataclass(frozen=True, slots=True)
class PageInfo:
    """What the frame of a page needs to know about the page."""

    title: str
    section: str = ""  # one of _SECTIONS, or "article"
    kind: str = ""  # a class of the body


def render(request: ReaderRequest, page: PageInfo, *content: Piece) -> Html:
    """Render a whole page around its content."""
    settings = request.settings
    # A form that was sent without a script comes back with its problem in the query.
    problem = request.read_query("problem") if request.is_from_user else ""
    head = join(
        el("meta", charset="utf-8"),
        el("title", f"{page.title} · bodytext"),
        el(
            "meta",
            name="viewport",
            content="width=device-width, initial-scale=1, viewport-fit=cover",
        ),
        el("meta", name="bodytext-token", content=request.token),
        el("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        el("link", rel="manifest", href="/manifest.webmanifest"),
        el("link", rel="stylesheet", href="/static/style.css"),
        el("link", rel="stylesheet", href="/reader/reader.css"),
        el("script", type="module", src="/reader/reader.js"),
    )
    notice = el_if(problem, "p.notice.bad", problem, role="alert")
    body = el(
        ".".join(filter(None, ["body", "reader", page.kind])),
        el("a.skip", "Skip to content", href="#main"),
        _render_bar(request, page),
        el("main", notice, *content, id="main", tabindex="-1"),
        el("div.unseen", id="announcer", role="status", aria_live="polite"),
        data_section=page.section,
    )
    html = el(
        "html",
        el("head", head),
        body,
        lang="en",
        data_theme=settings.theme,
        data_size=settings.size,
        data_width=settings.width,
        data_pictures=settings.pictures,
    )
    return Html(f"<!doctype html>\n{html}")


def render_form(
    request: ReaderRequest, action: str, *children: Piece, name: str = "form", **attributes: Value
) -> Html:
    """Render a form that changes something. A script sends it without leaving the page."""
    hidden = {"token": request.token, "back": request.path}
    return el(
        name,
        [el("input", type="hidden", name=key, value=value) for key, value in hidden.items()],
        *children,
        method="post",
        action=f"/do/{action}",
        **attributes,
    )


def render_choice(
    name: str, value: str | int, words: Piece, *, chosen: bool = False, **more: Value
) -> Html:
    """Render a button that sends one value of a form."""
    return el(
        "button.choice",
        words,
        type="submit",
        name=name,
        value=value,
        aria_pressed=chosen,
        **more,
    )


def _render_bar(request: ReaderRequest, page: PageInfo) -> Html:
    links = [
        el(
            "a",
            icon(name),
            el("span", title),
            href=path,
            aria_current="page" if page.section == name else None,
            class_=f"to-{name}",
        )
        for name, path, title in _SECTIONS
    ]
    words = request.read_query("q") if page.section == "search" else ""
    search = el(
        "form.find",
        icon("search"),
        el("input", type="search", name="q", value=words, placeholder="Search",
           aria_label="Search all articles", autocomplete="off", enterkeyhint="search"),
        role="search", method="get", action="/search",
    )  # fmt: skip
    return el(
        "header.bar",
        el(
            "a.brand",
            _BRAND,
            el("span", "bodytext"),
            href="/",
            aria_label="bodytext reader, front page",
        ),
        el("nav", links, aria_label="Sections"),
        search,
        _render_update(request),
        _render_appearance(request),
    )


def _plain_path(request: ReaderRequest) -> str:
    article = request.http.path_params.get("article")
    return f"/plain/{article}" if article else "/plain"


def _render_update(request: ReaderRequest) -> Html:
    status = request.context.scheduler.status
    return render_form(
        request,
        "update",
        el("button.quiet.icon", icon("update"), type="submit", title="Check for news (u)",
           aria_label="Check for news"),
        el("span.update-words", status.describe() if status.running else "", role="status"),
        name=f"form.update{'.running' if status.running else ''}",
        data_ended=status.ended,
    )  # fmt: skip


def _render_appearance(request: ReaderRequest) -> Html:
    """Render the menu of the appearance, which opens without a script."""
    settings = request.settings
    themes = _render_choices(
        "theme",
        settings.theme,
        {theme: [el(f"i.dot.{theme}"), _THEME_NAMES[theme]] for theme in THEMES},
    )
    widths = _render_choices(
        "width", settings.width, {width: _WIDTH_NAMES[width] for width in WIDTHS}
    )
    sizes = [
        render_choice("size", "-", el("span.small-a", "A"), aria_label="Smaller text"),
        render_choice("size", "+", el("span.large-a", "A"), aria_label="Larger text"),
    ]
    pictures = _render_choices("pictures", settings.pictures, {0: "Off", 1: "On"})
    summaries = _render_choices(
        "summary", settings.summary, {count: str(count) for count in SUMMARIES}
    )
    note = "Fetched by this server, not by your browser. Trackers are omitted."
    rows = (
        ("Colours", "themes", themes, ""),
        ("Text size", "sizes", sizes, ""),
        ("Column", "widths", widths, ""),
        ("Pictures", "pictures", pictures, note),
        ("Sentences per summary", "summaries", summaries, ""),
    )
    return el(
        "details.menu.look",
        el("summary.quiet.icon", el("span.aa", "Aa"), aria_label="Appearance", title="Appearance"),
        render_form(
            request,
            "settings",
            [_render_row(*row) for row in rows],
            el("a.text-only", "Text only, for tiny screens", href=_plain_path(request)),
            name="form.sheet",
        ),
    )


def _render_choices(name: str, current: str | int, choices: Mapping[Any, Piece]) -> list[Html]:
    return [
        render_choice(name, value, words, chosen=value == current)
        for value, words in choices.items()
    ]


def _render_row(label: str, kind: str, buttons: list[Html], note: str) -> Html:
    choices = el(f"div.choices.{kind}", buttons, role="group", aria_label=label)
    return el("div.row", el("span.label", label), choices, el_if(note, "p.faint", note))
