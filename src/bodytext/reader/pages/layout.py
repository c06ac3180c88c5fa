"""render: a request, a title and what is to be shown -> the whole page: bar, navigation, menu of how it looks."""

from dataclasses import dataclass

from bodytext.reader.pages.display_settings import SUMMARIES, THEMES, WIDTHS
from bodytext.reader.pages.html_builder import Html, Piece, el, join
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.reader_request import ReaderRequest

_PLACES = (
    ("front", "/", "Front page"),
    ("saved", "/saved", "Saved"),
    ("search", "/search", "Search"),
    ("feeds", "/feeds", "Subscriptions"),
    ("you", "/you", "You"),
)
_BRAND = Html(
    '<svg viewBox="0 0 32 32" aria-hidden="true"><rect x="3" y="6" width="10" height="3" rx="1.5" class="faint"/>'
    '<rect x="3" y="12" width="26" height="3.4" rx="1.7"/><rect x="3" y="18" width="22" height="3.4" rx="1.7"/>'
    '<rect x="3" y="24.4" width="12" height="3" rx="1.5" class="faint"/></svg>'
)
_THEME_NAMES = {"auto": "As the system", "light": "Light", "sepia": "Sepia", "dark": "Dark"}
_WIDTH_NAMES = {1: "Narrow", 2: "Medium", 3: "Wide"}


@dataclass(frozen=True, slots=True)
class PageInfo:
    """What a page says of itself."""

    title: str
    place: str = ""  # of _PLACES, or "article"
    kind: str = ""  # a class of the body


def render(request: ReaderRequest, frame: PageInfo, *content: Piece) -> Html:
    """The whole page."""
    settings = request.settings
    problem = request.ask("problem") if request.is_own else ""  # of a form that was sent without a script
    head = join(
        el("meta", charset="utf-8"),
        el("title", f"{frame.title} · bodytext"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1, viewport-fit=cover"),
        el("meta", name="bodytext-token", content=request.token),
        el("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        el("link", rel="stylesheet", href="/static/style.css"),
        el("link", rel="stylesheet", href="/reader/reader.css"),
        el("script", type="module", src="/reader/reader.js"),
    )
    body = el(
        f"body.reader{'.' + frame.kind if frame.kind else ''}",
        el("a.skip", "Skip to the content", href="#main"),
        _render_bar(request, frame),
        el("main", el("p.notice.bad", problem, role="alert") if problem else None, *content, id="main", tabindex="-1"),
        el("div.unseen", id="announcer", role="status", aria_live="polite"),
        data_place=frame.place,
    )
    page = el(
        "html",
        el("head", head),
        body,
        lang="en",
        data_theme=settings.theme,
        data_size=settings.size,
        data_width=settings.width,
        data_pictures=settings.pictures,
    )
    return Html(f"<!doctype html>\n{page}")


def form(
    request: ReaderRequest, action: str, *children: Piece, name: str = "form", **attributes: str | int | bool | None
) -> Html:
    """A form that changes something. A script sends it without leaving the page; without one the page comes back."""
    hidden = {"token": request.token, "back": request.here}
    return el(
        name,
        [el("input", type="hidden", name=key, value=value) for key, value in hidden.items()],
        *children,
        method="post",
        action=f"/do/{action}",
        **attributes,
    )


def choice(name: str, value: str | int, words: Piece, *, chosen: bool = False, **more: str | int | bool | None) -> Html:
    """A button of a form that sends one value."""
    return el(
        "button.choice",
        words,
        type="submit",
        name=name,
        value=value,
        aria_pressed="true" if chosen else "false",
        **more,
    )


def _render_bar(request: ReaderRequest, frame: PageInfo) -> Html:
    links = [
        el(
            "a",
            icon(name),
            el("span", title),
            href=path,
            aria_current="page" if frame.place == name else None,
            class_=f"to-{name}",
        )
        for name, path, title in _PLACES
    ]
    search = el(
        "form.find",
        icon("search"),
        el("input", type="search", name="q", placeholder="Search", aria_label="Search all articles",
           value=request.ask("q") if frame.place == "search" else "", autocomplete="off", enterkeyhint="search"),
        role="search", method="get", action="/search",
    )  # fmt: skip
    return el(
        "header.bar",
        el("a.brand", _BRAND, el("span", "bodytext"), href="/", aria_label="bodytext reader, front page"),
        el("nav", links, aria_label="Places"),
        search,
        _render_update(request),
        _render_look(request),
    )


def _plain_path(request: ReaderRequest) -> str:
    article = request.http.path_params.get("article")
    return f"/plain/{article}" if article else "/plain"


def _render_update(request: ReaderRequest) -> Html:
    status = request.context.updater.status
    return form(
        request,
        "update",
        el("button.quiet.icon", icon("update"), type="submit", title="Look for news (u)", aria_label="Look for news"),
        el("span.update-words", status.tell() if status.running else "", role="status"),
        name=f"form.update{'.running' if status.running else ''}",
        data_ended=status.ended,
    )


def _render_look(request: ReaderRequest) -> Html:
    """How it looks: a menu that opens without a script."""
    settings = request.settings
    themes = [
        choice("theme", one, [el(f"i.dot.{one}"), _THEME_NAMES[one]], chosen=settings.theme == one) for one in THEMES
    ]
    widths = [choice("width", one, _WIDTH_NAMES[one], chosen=settings.width == one) for one in WIDTHS]
    sizes = [
        choice("size", "-", el("span.small-a", "A"), aria_label="Smaller text"),
        choice("size", "+", el("span.large-a", "A"), aria_label="Larger text"),
    ]
    pictures = [
        choice("pictures", value, words, chosen=settings.pictures == value) for value, words in ((0, "Off"), (1, "On"))
    ]
    summaries = [choice("summary", one, str(one), chosen=settings.summary == one) for one in SUMMARIES]
    rows = (
        ("Colours", "themes", themes, ""),
        ("Text size", "sizes", sizes, ""),
        ("Column", "widths", widths, ""),
        ("Pictures", "pictures", pictures, "Fetched by this server, never by the page. Trackers are left out."),
        ("Sentences of a summary", "summaries", summaries, ""),
    )
    return el(
        "details.menu.look",
        el("summary.quiet.icon", el("span.aa", "Aa"), aria_label="How it looks", title="How it looks"),
        form(
            request,
            "settings",
            [
                el(
                    "div.row",
                    el("span.label", label),
                    el(f"div.choices.{kind}", buttons, role="group", aria_label=label),
                    el("p.faint", note) if note else None,
                )
                for label, kind, buttons, note in rows
            ],
            el("a.words-alone", "Words alone, for tiny screens", href=_plain_path(request)),
            name="form.sheet",
        ),
    )
