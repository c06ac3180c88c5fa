"""Remove from an author's CSS whatever loads anything or puts text out of the reader's reach.

The frame's policy forbids every load already; this is the second barrier. The style must also fit a
page without scripts: a fixed layer that a script would close stays in the flow, and links without
targets still look like links.
"""

import re

_EMPTY_URL = "url(data:,)"
_LIMIT = 2_000_000  # characters of one sheet; the largest real ones are half of it
# A letter written as an escape could hide `url` or `@import` from the patterns below.
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|([g-zG-Z@]))")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_IMPORT = re.compile(r"@(?:import|charset|namespace)\b[^;{}]*+;?", re.IGNORECASE)
_FONT = re.compile(r"@font-face\s*+\{[^}]*+\}?", re.IGNORECASE)  # its file would have to be loaded
_ADDRESS = re.compile(
    r"\b(?:url|src)\(\s*+(?:\"[^\"\n]*+\"?|'[^'\n]*+'?|[^)\"']*+)[^)]*+\)?|\b(?:-webkit-)?image-set\([^;{}]*+",
    re.IGNORECASE,
)
_PICTURE = re.compile(
    r"url\(\s*+[\"']?data:image/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,]", re.IGNORECASE
)
_FIXED = re.compile(r"(position\s{0,9}:\s{0,9})(?:-webkit-)?(?:fixed|sticky)", re.IGNORECASE)
_LINK = re.compile(r":(?:any-)?link\b", re.IGNORECASE)


def clean_css(css: str) -> str:
    """Make a style sheet, or the declarations of a style attribute, harmless."""
    css = _COMMENT.sub(" ", css[:_LIMIT].replace("\0", ""))
    css = _ESCAPE.sub(_unescape, css)
    css = _FONT.sub(" ", _IMPORT.sub(" ", css))
    css = _ADDRESS.sub(lambda match: match[0] if _PICTURE.match(match[0]) else _EMPTY_URL, css)
    css = _FIXED.sub(r"\1static", css)
    css = _LINK.sub("[data-bt-link]", css)
    # So that it contains no tag; in CSS the sign occurs only in strings.
    return css.replace("<", "\\3c ")


def _unescape(match: re.Match[str]) -> str:
    if match[2]:
        return match[2]
    code = int(match[1], 16)
    return chr(code) if code < 128 and (chr(code).isalnum() or chr(code) in "@():-") else match[0]
