"""DisplaySettings: a cookie in, how one device shows the reader out; and back.

They are kept in a cookie, not in the database: a phone and a desk want other sizes, pages come as they should without
a script, and a server that starts on another port finds them again.
"""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

COOKIE = "bodytext-reader"
YEAR = 365 * 86400
THEMES = ("auto", "light", "sepia", "dark")
SIZES = (1, 2, 3, 4, 5, 6, 7)
WIDTHS = (1, 2, 3)
SUMMARIES = (1, 3, 5)
ORDERS = ("personal", "newest")
_CHOICES: dict[str, tuple[str | int, ...]] = {
    "theme": THEMES, "size": SIZES, "width": WIDTHS, "summary": SUMMARIES, "order": ORDERS, "pictures": (0, 1),
    "unread": (0, 1),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DisplaySettings:
    """How one device shows the reader."""

    profile: int = 1
    theme: str = "auto"
    size: int = 3
    width: int = 2
    summary: int = 3  # sentences on a card
    order: str = "personal"
    pictures: int = 0  # 1: fetched and shown
    unread: int = 0  # 1: only articles that were not opened

    def change(self, **values: str) -> "DisplaySettings":
        """Other settings; what is no setting, or not one of its choices, changes nothing."""
        known: dict[str, Any] = {}
        for name, value in values.items():
            if name == "profile" and value.isdecimal() and len(value) < 10:
                known[name] = int(value)
            known.update([(name, choice) for choice in _CHOICES.get(name, ()) if str(choice) == value])
        if values.get("size") in {"+", "-"}:
            step = 1 if values["size"] == "+" else -1
            known["size"] = min(max(self.size + step, SIZES[0]), SIZES[-1])
        return replace(self, **known)

    def write(self) -> str:
        """The settings as a cookie has them: those that are not the usual ones."""
        usual = asdict(DisplaySettings())
        return urlencode({name: value for name, value in asdict(self).items() if value != usual[name]})


def read_settings(cookie: str) -> DisplaySettings:
    """The settings of a cookie, which anybody may have written."""
    names = {one.name for one in fields(DisplaySettings)}
    return DisplaySettings().change(**{name: value for name, value in parse_qsl(cookie[:500]) if name in names})
