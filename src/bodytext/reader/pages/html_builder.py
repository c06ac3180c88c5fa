"""Build HTML from elements; everything that is not HTML yet is escaped."""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

# Elements without an end tag
_VOID = frozenset({"img", "input", "link", "meta", "br", "hr", "wbr"})
_ADDRESSES = frozenset({"href", "src", "action"})  # attributes that are addresses
_WEB = ("http://", "https://")


class Html(str):
    """Text that is HTML: made here, or known to be safe."""

    __slots__ = ()


Piece: TypeAlias = "str | Html | Iterable[Piece] | None"
Value: TypeAlias = "str | int | bool | None"


def el(name: str, /, *children: Piece, **attributes: Value) -> Html:
    """Write an element. Classes follow its name; attributes that are None or False are omitted.

    Addresses that lead neither to this server nor to the web are omitted too.

    >>> el("a.quiet", "<b>", href="/saved", data_key="s", hidden=False)
    '<a class="quiet" href="/saved" data-key="s">&lt;b&gt;</a>'
    >>> el("a", "x", href="javascript:alert(1)")
    '<a>x</a>'
    """
    tag, *classes = name.split(".")
    if classes:
        attributes = {"class": " ".join(classes), **attributes}
    written = "".join(_write_attribute(key, value) for key, value in attributes.items())
    if tag in _VOID:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{join(*children)}</{tag}>")


def el_if(condition: object, name: str, /, *children: Piece, **attributes: Value) -> Html | None:
    """Write an element if a condition holds."""
    return el(name, *children, **attributes) if condition else None


def join(*pieces: Piece) -> Html:
    """Join pieces, and escape those that are not HTML."""
    written: list[str] = []
    for piece in pieces:
        if isinstance(piece, Html):
            written.append(piece)
        elif isinstance(piece, str):
            written.append(escape(piece))
        elif piece is not None:
            written.append(join(*piece))
    return Html("".join(written))


def is_link_target(url: str) -> bool:
    """Whether an address may be in a link: a path of this server, or a page of the web."""
    own = url.startswith(("/", "?", "#")) and not url.startswith(("//", "/\\"))
    return own or url.lower().startswith(_WEB)


def _write_attribute(key: str, value: Value) -> str:
    name = key.strip("_").replace("_", "-")
    if isinstance(value, bool) and name.startswith("aria-"):
        return f' {name}="{str(value).lower()}"'  # the absence of such an attribute has another meaning
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    if name in _ADDRESSES and not is_link_target(str(value)):
        return ""
    return f' {name}="{escape(str(value))}"'
