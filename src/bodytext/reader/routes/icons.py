"""The drawings of the reader's buttons, by name."""

from bodytext.reader.routes.markup import Html

_PATHS = {
    "front": "M4 5h16v14H4zM8 9h8M8 12.5h8M8 16h5",
    "saved": "M7 4h10v16l-5-4-5 4z",
    "search": "M10.5 4.5a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM15 15l5 5",
    "feeds": "M5 19.2a.8.8 0 1 0 0-.1M5 12.5a6.5 6.5 0 0 1 6.5 6.5M5 6a13 13 0 0 1 13 13",
    "you": "M12 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM5 20c0-4 3-6 7-6s7 2 7 6",
    "update": "M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4",
    "more": "M5.5 12h.01M12 12h.01M18.5 12h.01",
    "like": "M12 19.5S4.5 15 4.5 9.6A3.9 3.9 0 0 1 12 8a3.9 3.9 0 0 1 7.5 1.6C19.5 15 12 19.5 12 19.5z",
    "dislike": "M5 12h14",
    "hide": "M4 12s3-5.5 8-5.5 8 5.5 8 5.5-3 5.5-8 5.5S4 12 4 12zM5 19 19 5",
    "back": "M19 12H5M11 6l-6 6 6 6",
    "next": "M5 12h14M13 6l6 6-6 6",
    "out": "M10 5H5v14h14v-5M14 5h5v5M19 5l-8 8",
    "export": "M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14",
    "play": "M8 5.5v13l11-6.5z",
    "sound": "M5 9.5v5h3.5L13 18V6L8.5 9.5zM16 9a4.5 4.5 0 0 1 0 6",
    "picture": "M4 5h16v14H4zM4 16l5-5 4 4 3-2.5 4 3.5M15.5 9.2h.01",
    "check": "M5 12.5l4.5 4.5L19 7.5",
    "plus": "M12 5v14M5 12h14",
}


def icon(name: str) -> Html:
    """A drawing, which says nothing to a screen reader."""
    return Html(f'<svg class="icon-{name}" viewBox="0 0 24 24" aria-hidden="true"><path d="{_PATHS[name]}"/></svg>')
