"""Keep the settings of one device in a cookie.

They are not in the database: a phone and a computer need different sizes, pages look right without
a script, and the settings hold when the server starts on another port.
"""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

COOKIE = "bodytext-reader"
YEAR = 365 * 86400  # seconds
_LONGEST_COOKIE = 500  # characters
_LONGEST_NUMBER = 10  # digits of a profile's number
THEMES = ("auto", "light", "sepia", "dark")
SIZES = (1, 2, 3, 4, 5, 6, 7)
WIDTHS = (1, 2, 3)
SUMMARIES = (1, 3, 5)
ORDERS = ("personal", "newest")
_CHOICES: dict[str, tuple[str | int, ...]] = {
    "theme": THEMES, "size": SIZES, "width": WIDTHS, "summary": SUMMARIES, "order": ORDERS,
    "pictures": (0, 1), "unread": (0, 1),
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
    pictures: int = 0  # 1 shows them
    unread: int = 0  # 1 shows only articles that were not opened

    def change(self, **values: str) -> "DisplaySettings":
        """Return changed settings; unknown names and values change nothing."""
        valid: dict[str, Any] = {}
        for name, value in values.items():
            if name == "profile" and value.isdecimal() and len(value) < _LONGEST_NUMBER:
                valid[name] = int(value)
            for choice in _CHOICES.get(name, ()):
                if str(choice) == value:
                    valid[name] = choice
        if values.get("size") in {"+", "-"}:
            step = 1 if values["size"] == "+" else -1
            valid["size"] = min(max(self.size + step, SIZES[0]), SIZES[-1])
        return replace(self, **valid)

    def write(self) -> str:
        """Write the settings that differ from the defaults, as the value of a cookie."""
        defaults = asdict(DisplaySettings())
        values = asdict(self).items()
        return urlencode({name: value for name, value in values if value != defaults[name]})


def read_settings(cookie: str) -> DisplaySettings:
    """Read the settings of a cookie, which anybody may have written."""
    names = {setting.name for setting in fields(DisplaySettings)}
    return DisplaySettings().change(
        **{name: value for name, value in parse_qsl(cookie[:_LONGEST_COOKIE]) if name in names}
    )
