"""The icons of the reader's buttons."""

from bodytext.reader.pages.html_builder import Html

_PATHS = {
    "front": "M4 5h16v14H4zM8 9h8M8 12.5h8M8 16h5",
    "saved": "M7 4h10v16l-5-4-5 4z",
    "search": "M10.5 4.5a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM15 15l5 5",
    "feeds": "M5 19.2a.8.8 0 1 0 0-.1M5 12.5a6.5 6.5 0 0 1 6.5 6.5M5 6a13 13 0 0 1 13 13",
    "you": "M12 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM5 20c0-4 3-6 7-6s7 2 7 6",
    "update": "M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4",
    "like": "M7.5 10.5v9H4v-9zM7.5 10.5 11 3.8c1.6 0 2.7 1.2 2.4 2.8l-.6 3.4h5.4a2 2 0 0 1 2 2.4l-1.2 5.5"
    "a2 2 0 0 1-2 1.6H7.5",
    "dislike": "M16.5 13.5v-9H20v9zM16.5 13.5 13 20.2c-1.6 0-2.7-1.2-2.4-2.8l.6-3.4H5.8a2 2 0 0 1-2-2.4L5 6.1"
    "a2 2 0 0 1 2-1.6h9.5",
    "hide": "M4 12s3-5.5 8-5.5 8 5.5 8 5.5-3 5.5-8 5.5S4 12 4 12zM5 19 19 5",
    "next": "M5 12h14M13 6l6 6-6 6",
    "out": "M10 5H5v14h14v-5M14 5h5v5M19 5l-8 8",
    "export": "M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14",
    "play": "M8 5.5v13l11-6.5z",
    "sound": "M5 9.5v5h3.5L13 18V6L8.5 9.5zM16 9a4.5 4.5 0 0 1 0 6",
    "picture": "M4 5h16v14H4zM4 16l5-5 4 4 3-2.5 4 3.5M15.5 9.2h.01",
    "check": "M5 12.5l4.5 4.5L19 7.5",
}


def icon(name: str) -> Html:
    """Return an icon, which screen readers skip."""
    return Html(
        f'<svg class="icon-{name}" viewBox="0 0 24 24" aria-hidden="true"><path d="{_PATHS[name]}"/></svg>'
    )
