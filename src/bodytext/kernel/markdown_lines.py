"""Write lines, and the blocks that are made of them, as Markdown: the specification of `markdown_lines_native.pyx`."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import count, repeat
from typing import Any

from bodytext.kernel.elements import INLINE

Pieces = Sequence[Any]  # texts and elements
WriteLink = Callable[[str, str, str], str]
WriteOther = Callable[[Any], str]

HARD_BREAK = "\\\n"
SPECIAL = "`*[]\\_<&~"  # characters that may need to be escaped
_ESCAPED = re.compile(
    r"[`*\[\]]"  # code, emphasis, links
    r"|\\(?=[!-/:-@\[-`{-~\n]|$)"  # a backslash where it would escape
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore that is not inside a word
    r"|<(?=[A-Za-z/!?]|$)|&(?=#?\w{1,40};)|~(?![\d\s])"  # tags, references, strikethrough
)
_REFERENCE = re.compile(r"&(?=#?\w{1,40};)")
_TICKS = re.compile(r"`+")
# In TeX, what would be a tag or a link to Markdown; a space after it means nothing there.
_LIVE = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(\[])")
_BRACKETED = frozenset({"a", "img", "noteref"})  # begin with a bracket
_START = re.compile(
    r"^(?:(#{1,6}(?=[ \t]|$)|>|[-+](?=[ \t]|$)|=++[ \t]*+$|~~~|[-:|](?=[-:| \t]*+$))"
    r"|(\d{1,9})([.)])(?=[ \t]|$)|(\[\^\w++\])(:))",
    re.MULTILINE,
)
STARTS = "#>+-=~:|[0123456789"  # characters that may begin another block
HASHES = {f"h{level}": "#" * level for level in range(1, 7)}
_LISTS = ("ul", "ol")
_MOST_START = 999_999_999  # CommonMark's limit for the number of an item
_DELIMITERS = {"em": "*", "strong": "**", "del": "~~"}


class MarkdownLines:
    """Writes lines, one after the other."""

    def __init__(self, line_break: str = HARD_BREAK, write_link: WriteLink | None = None) -> None:
        """Take what a line break is written as, and what writes links and images.

        That takes the name of an element, its text in brackets and its address. By default they are
        written one after the other.
        """
        self._break, self._write_link = line_break, write_link or join_link

    def write(self, children: Pieces) -> str:
        """Inline pieces as Markdown, in which every text is read as text."""
        return self._write_pieces(children)

    def write_blocks(self, children: Pieces, write_other: WriteOther) -> str:
        """The blocks among some pieces as Markdown.

        `write_other` writes those that are no paragraphs, headings or lists, and lists that
        Markdown has no place for.
        """
        return "\n\n".join(self._write_blocks(children, write_other))

    def _write_blocks(self, children: Pieces, write_other: WriteOther) -> list[str]:
        written: list[str] = []
        before, other = "", False
        for child in children:
            if isinstance(child, str) or child.name in INLINE:
                continue
            if child.name in _LISTS:
                # A list right after another has other markers.
                other = child.name == before and not other
                block = self._write_list(child, write_other, other=other)
            else:
                block = self._write_block(child, write_other)
            if block:
                written.append(block)
            before = child.name
        return written

    def _write_block(self, element: Any, write_other: WriteOther) -> str:
        if element.name == "p":
            return finish_paragraph(self.write(element.children))
        if element.name in HASHES:
            return write_heading(element.name, self.write(element.children))
        return write_other(element)

    def _write_list(self, element: Any, write_other: WriteOther, *, other: bool) -> str:
        items = [child for child in element.children if not isinstance(child, str)]
        start = find_start(element, items)
        if start is None:
            return write_other(element)
        if element.name == "ul":
            marks: Iterator[str] = repeat("* " if other else "- ")
        else:
            marks = (f"{number}{') ' if other else '. '}" for number in count(start))
        gap = "\n\n" if any(map(_is_loose, items)) else "\n"
        written = [
            _finish_item(gap.join(self._write_parts(item, write_other)), mark)
            for item, mark in zip(items, marks, strict=False)
        ]
        return gap.join(written)

    def _write_parts(self, item: Any, write_other: WriteOther) -> list[str]:
        """The line of an item, if it has one, and its blocks."""
        line = [child for child in item.children if isinstance(child, str) or child.name in INLINE]
        parts = [finish_paragraph(self.write(line))] if line else []
        return parts + self._write_blocks(item.children, write_other)

    def _write_pieces(
        self, children: Pieces, before: str = "", after: str = "", edge: str = ""
    ) -> str:
        """Inline pieces; `before` and `after` are the characters around them, if there are any.

        `edge` is the delimiter between those characters and the pieces; it runs together with one
        of its kind.
        """
        parts: list[str] = []
        last, delimited = before, False
        for index, child in enumerate(children):
            if isinstance(child, str):
                part, delimited = escape(child), False
            elif child.name in _DELIMITERS:
                left, right, meets = _look_around(children, index, (last, after), edge)
                part, delimited = self._write_emphasis(child, left, right, clash=delimited or meets)
            else:
                if last == "!" and child.name in _BRACKETED:
                    _escape_last(parts)
                part, delimited = self._write_inline(child, after_tick=last == "`"), False
            parts.append(part)
            last = part[-1:] or last
        return "".join(parts)

    def _write_emphasis(
        self, element: Any, before: str, after: str, *, clash: bool
    ) -> tuple[str, bool]:
        """An emphasis between delimiters if these work, else as HTML; and whether they do."""
        delimiter = _DELIMITERS[element.name]
        inner = self._write_pieces(element.children, before, after, delimiter[0])
        text = inner.strip(delimiter[0])
        if text and not clash and opens(before, text[0]) and opens(after, text[-1]):
            return f"{delimiter}{inner}{delimiter}", True
        return f"<{element.name}>{inner}</{element.name}>", False

    def _write_inline(self, element: Any, *, after_tick: bool = False) -> str:
        name = element.name
        if name == "a":
            text = self._write_pieces(element.children, "[", "]")
            return self._write_link(name, f"[{text}]", element.attributes["href"])
        if name == "img":
            text = escape(element.attributes["alt"])
            return self._write_link(name, f"![{text}]", element.attributes["src"])
        if name == "br":
            return self._break
        if name == "code" and not after_tick:
            return write_code_span(element)
        if name in {"math", "noteref"}:
            return write_sign(element)
        return f"<{name}>{self._write_pieces(element.children, '>', '<')}</{name}>"


def finish_paragraph(text: str) -> str:
    """A line that stands for itself: what would begin another block is escaped."""
    if text and (text[0] in STARTS or "\n" in text):
        text = _START.sub(_escape_start, text)
    return text


def _escape_start(match: re.Match[str]) -> str:
    sign, number, point, note, colon = match.groups("")
    return f"\\{sign}" if sign else f"{number}{note}\\{point}{colon}"


def write_heading(name: str, text: str) -> str:
    """A line as a heading."""
    text = text.replace("\n", " ")
    if text.endswith("#"):
        text = text[:-1] + "\\#"
    return f"{HASHES[name]} {text}"


def find_start(element: Any, items: Sequence[Any]) -> int | None:
    """The number of the first item of a list; None where Markdown cannot count as it does."""
    attributes = element.attributes
    start = int(attributes.get("start", "1"))
    if "type" in attributes or "reversed" in attributes:
        return None
    if any("value" in item.attributes for item in items):
        return None
    return start if 0 <= start <= _MOST_START - len(items) else None


def _is_loose(item: Any) -> bool:
    """Whether an item holds blocks that are no lists."""
    names = (child.name for child in item.children if not isinstance(child, str))
    return any(name not in INLINE and name not in _LISTS for name in names)


def _finish_item(body: str, mark: str) -> str:
    if body.startswith("---"):
        body = "___" + body[3:]
    return mark + indent(body, " " * len(mark))


def indent(text: str, space: str) -> str:
    """Indent all lines but the first and the blank ones."""
    blank = f"\n{space}\n"
    return text.replace("\n", "\n" + space).replace(blank, "\n\n").replace(blank, "\n\n")


def escape(text: str) -> str:
    r"""Escape a text so that Markdown reads it as text.

    >>> escape("snake_case, *stars*, [1], <b>, 5 < 6, AT&T, &amp;")
    'snake_case, \\*stars\\*, \\[1\\], \\<b>, 5 < 6, AT&T, \\&amp;'
    """
    return _ESCAPED.sub(_put_backslash, text)  # a template would take longer


def _put_backslash(match: re.Match[str]) -> str:
    return "\\" + match[0]


def join_link(_: str, text: str, address: str) -> str:
    """A link or an image: its text in brackets, and its address."""
    return f"{text}({write_destination(address)})"


def write_destination(address: str) -> str:
    """An address as a link's destination."""
    address = _REFERENCE.sub("&amp;", address) if "&" in address else address
    return f"<{address}>" if "(" in address or ")" in address else address


def write_sign(element: Any) -> str:
    """A formula between dollar signs, or the mark of a footnote."""
    if element.name == "noteref":
        return f"[^{element.attributes['name']}]"
    sign = "$$" if element.attributes.get("display") else "$"
    tex = _LIVE.sub(r"\g<0> ", "".join(map(str, element.children)))
    return f"{sign}{tex}{sign}"


def write_code_span(element: Any) -> str:
    """A span of code, between more ticks than it has."""
    text = "".join(map(str, element.children))
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def find_first(child: Any) -> str:
    """The character that a piece begins with, as far as it matters to the emphasis before it."""
    if isinstance(child, str):
        return escape(child[:2])[:1]
    return {"em": "*", "strong": "*", "del": "~", "br": "\n"}.get(child.name, "<")


def opens(outer: str, inner: str) -> bool:
    """Whether a delimiter between these characters belongs to the inner one in CommonMark."""
    if inner.isspace():
        return False
    return not _is_punctuation(inner) or not outer or outer.isspace() or _is_punctuation(outer)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _look_around(
    children: Pieces, index: int, outside: tuple[str, str], edge: str
) -> tuple[str, str, bool]:
    """The characters around an emphasis, and whether delimiters follow it; see `_write_pieces`."""
    before, after = outside
    if edge != _DELIMITERS[children[index].name][0]:
        before, after = before if index else edge or before, edge or after
    if index + 1 == len(children):
        return before, after, False
    after = find_first(children[index + 1])
    return before, after, after in {"*", "~"}


def _escape_last(parts: list[str]) -> None:
    """Escape the exclamation mark at the end: with a bracket after it, it would begin an image."""
    while parts and not parts[-1]:
        parts.pop()
    if parts:
        parts[-1] = parts[-1][:-1] + "\\!"
