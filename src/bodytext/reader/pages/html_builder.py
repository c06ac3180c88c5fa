"""el: a name, children and attributes -> HTML; whatever is not HTML already is escaped."""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

_BARE = frozenset({"img", "input", "link", "meta", "br", "hr", "wbr"})  # have no end
_LEADING = frozenset({"href", "src", "action"})  # attributes that a browser goes to
_ADDRESSES = ("http://", "https://")


class Html(str):
    """Text that is HTML: made here, or known to be harmless."""

    __slots__ = ()


Piece: TypeAlias = "str | Html | Iterable[Piece] | None"
Value: TypeAlias = "str | int | bool | None"


def el(name: str, /, *children: Piece, **attributes: Value) -> Html:
    """An element, its name with its classes; attributes that are None or False are left out.

    Addresses lead to this server or to the web: there are no others, whatever a feed says.

    >>> el("a.quiet", "<b>", href="/saved", data_key="s", hidden=False)
    '<a class="quiet" href="/saved" data-key="s">&lt;b&gt;</a>'
    >>> el("a", "x", href="javascript:alert(1)")
    '<a>x</a>'
    """
    tag, *classes = name.split(".")
    if classes:
        attributes = {"class": " ".join(classes), **attributes}
    said = "".join(_write(key.strip("_").replace("_", "-"), value) for key, value in attributes.items())
    if tag in _BARE:
        return Html(f"<{tag}{said}>")
    return Html(f"<{tag}{said}>{join(*children)}</{tag}>")


def join(*pieces: Piece) -> Html:
    """Pieces one after the other."""
    written: list[str] = []
    for piece in pieces:
        if isinstance(piece, Html):
            written.append(piece)
        elif isinstance(piece, str):
            written.append(escape(piece))
        elif piece is not None:
            written.append(join(*piece))
    return Html("".join(written))


def is_leading_somewhere(url: str) -> bool:
    """Whether an address may be in a link: a path of ours, or a page of the web."""
    own = url.startswith(("/", "?", "#")) and not url.startswith(("//", "/\\"))
    return own or url.lower().startswith(_ADDRESSES)


def _write(name: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    if name in _LEADING and not is_leading_somewhere(str(value)):
        return ""
    return f' {name}="{escape(str(value))}"'
