"""clean_css: an author's CSS -> the same without what loads anything or takes text out of the reader's reach.

The frame's policy forbids every load already; this is the second wall. What a sanitised page cannot do, its style must
not count on: a fixed layer that a script would close stays in the flow, and links, which have lost their targets, are
still styled as links.
"""

import re

_NOTHING = "url(data:,)"
_LIMIT = 2_000_000  # characters of one sheet; the largest real ones are half of it
# A letter that is written as an escape could spell `url` or `@import` past the patterns below.
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|([g-zG-Z@]))")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_IMPORT = re.compile(r"@(?:import|charset|namespace)\b[^;{}]*+;?", re.IGNORECASE)
_FONT = re.compile(r"@font-face\s*+\{[^}]*+\}?", re.IGNORECASE)  # its file stands elsewhere
_ADDRESS = re.compile(
    r"\b(?:url|src)\(\s*+(?:\"[^\"\n]*+\"?|'[^'\n]*+'?|[^)\"']*+)[^)]*+\)?|\b(?:-webkit-)?image-set\([^;{}]*+",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"url\(\s*+[\"']?data:image/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,]", re.IGNORECASE)
_FIXED = re.compile(r"(position\s{0,9}:\s{0,9})(?:-webkit-)?(?:fixed|sticky)", re.IGNORECASE)
_LINK = re.compile(r":(?:any-)?link\b", re.IGNORECASE)


def clean_css(css: str) -> str:
    """A sheet, or the declarations of a style attribute, made harmless."""
    css = _COMMENT.sub(" ", css[:_LIMIT].replace("\0", ""))
    css = _ESCAPE.sub(_unescape, css)
    css = _FONT.sub(" ", _IMPORT.sub(" ", css))
    css = _ADDRESS.sub(lambda found: found[0] if _PICTURE.match(found[0]) else _NOTHING, css)
    css = _FIXED.sub(r"\1static", css)
    css = _LINK.sub("[data-bt-link]", css)
    return css.replace("<", "\\3c ")  # no tag can end or begin in it; in CSS the sign stands in strings alone


def _unescape(found: re.Match[str]) -> str:
    if found[2]:
        return found[2]
    code = int(found[1], 16)
    return chr(code) if code < 128 and (chr(code).isalnum() or chr(code) in "@():-") else found[0]
