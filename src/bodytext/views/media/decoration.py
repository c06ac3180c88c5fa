"""Distinguish the images of an article from decoration.

Decoration is not part of the article: tracking pixels, spacers, icons, emoji, buttons, logos,
portraits of authors.
"""

import re
from string import ascii_lowercase, ascii_uppercase

from bodytext.views.media.images import Attributes

_LARGEST_ICON = 32  # pixels; tracking pixels are smaller still
_LARGEST_PORTRAIT = 64  # pixels of a square

_MOST_DIGITS = 6
_PIXELS = re.compile(r"[ \t\n\f\r]*(\d{1,6})(?:\.\d*)?(?:px)?[ \t\n\f\r]*")
_STYLE_PIXELS = re.compile(
    r"(?:^|;)\s*(width|height)\s*:\s*(\d{1,6})(?:\.\d*)?(?:px)?\s*(?:!important\s*)?(?=;|$)"
)
_WORD = (
    "avatar|gravatar|userpic|headshot|icons?|emoji|emoticon|smiley|smilies|sprite|spinner|loader|spacer|badge|"
    "favicon|tracking|pixel|rating|stars|captcha|chevron|arrow|zoom|loading|logo|masthead|button|btn|qr-?codes?|flags?"
)
# Every match of the two expressions below has one of these between signs.
_PLAIN_WORDS = _WORD.replace("?", "").replace("qr-codes", "qr|qrcode|qrcodes").split("|")
_HINTS = frozenset(
    hint.encode() for word in _PLAIN_WORDS for hint in (word, f"{word}s", word.removesuffix("s"))
)
_SPACED = bytes.maketrans(
    b"/_.-" + ascii_uppercase.encode(), b"    " + ascii_lowercase.encode()
)  # of UTF-8, and in lower case
_IN_NAME = re.compile(rf"(?:^|[\s_-])(?:{_WORD}|wp-smiley)(?:$|[\s_-])", re.IGNORECASE)
_IN_ADDRESS = re.compile(
    rf"(?:^|[/_.-])(?:{_WORD})(?:s?[/_.-]|$)|gravatar\.com/|/s\.w\.org/", re.IGNORECASE
)
_LONGEST_ADDRESS = 2_000  # characters that are looked at


def read_size(attributes: Attributes) -> tuple[int | None, int | None]:
    """Width and height in pixels; those of an inline style take precedence over the attributes."""
    width, height = (
        _read_pixels(attributes.get("width", "")),
        _read_pixels(attributes.get("height", "")),
    )
    if "style" in attributes:
        styled = dict(_STYLE_PIXELS.findall(attributes["style"].lower()))
        width = int(styled["width"]) if "width" in styled else width
        height = int(styled["height"]) if "height" in styled else height
    return width, height


def _read_pixels(value: str) -> int | None:
    if value.isdecimal() and len(value) <= _MOST_DIGITS:  # most
        return int(value)
    match = _PIXELS.fullmatch(value) if value else None
    return int(match[1]) if match else None


def is_tiny(width: int | None, height: int | None) -> bool:
    """Whether every size that is stated is an icon's or a tracking pixel's."""
    if width is None:
        return height is not None and height <= _LARGEST_ICON
    return width <= _LARGEST_ICON and (height is None or height <= _LARGEST_ICON)


def is_portrait(width: int | None, height: int | None) -> bool:
    """Whether an image is a small square."""
    return width is not None and width == height and width <= _LARGEST_PORTRAIT


def is_decoration(attributes: Attributes, source: str) -> bool:
    """Whether the size, class, id or address of an image says that it is not part of an article."""
    size = read_size(attributes)
    return is_tiny(*size) or is_portrait(*size) or is_called_decoration(attributes, source)


def is_called_decoration(attributes: Attributes, source: str) -> bool:
    """Whether the class, the id or the address of an image has a word for decoration in it."""
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"[:_LONGEST_ADDRESS]
    path = source[:_LONGEST_ADDRESS].partition("?")[0]
    path = path.partition("//")[2] or path
    text = f"{names}/{path}".encode("utf-8", "replace").translate(_SPACED)
    if _HINTS.isdisjoint(text.split()) and b"gravatar com " not in text and b"s w org " not in text:
        return False  # most images: the expressions below cost far more than this
    return bool(_IN_NAME.search(names) or _IN_ADDRESS.search(path))
