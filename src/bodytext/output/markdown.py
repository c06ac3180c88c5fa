"""Write a document as Markdown.

This is CommonMark with GFM's tables and strikethrough, footnotes, and TeX between dollar signs.

What Markdown cannot say is written as HTML inside it: tables with spans, captions or lists in their
cells, definition lists, figures with captions, lists that do not count 1, 2, 3; sub, sup and mark.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count, repeat

from bodytext.output.format import Format
from bodytext.output.front_matter import find_headline, write_front_matter
from bodytext.output.html import elements_of, write_block
from bodytext.output.readable import Readable
from bodytext.output.references import Choice, check_choices, choose
from bodytext.views.structure.element import INLINE, Element

Pieces = Sequence[Element | str]

_SPECIAL = re.compile(
    r"[`*\[\]]"  # code, emphasis, links
    r"|\\(?=[!-/:-@\[-`{-~\n]|$)"  # a backslash where it would escape
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore that is not inside a word
    r"|<(?=[A-Za-z/!?]|$)|&(?=#?\w{1,40};)|~(?![\d\s])"  # tags, references, strikethrough
)
_START = re.compile(
    r"^(?:(#{1,6}(?=[ \t]|$)|>|[-+](?=[ \t]|$)|=++[ \t]*+$|~~~|[-:|](?=[-:| \t]*+$))|(\d{1,9})([.)])(?=[ \t]|$))",
    re.MULTILINE,
)
_STARTS = frozenset("#>+-=~:|0123456789")
_REFERENCE = re.compile(r"&(?=#?\w{1,40};)")
_TICKS = re.compile(r"`+")
_CODE = re.compile(r"<pre>.*?(?:</pre>|\Z)", re.DOTALL)
# In TeX, what would be a tag or a link to Markdown; a space after it means nothing there.
_LIVE = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(\[])")
_HARD_BREAK = "\\\n"
_BRACKETED = frozenset({"a", "img", "noteref"})  # begin with a bracket
_LISTS = frozenset({"ul", "ol"})
_HASHES = {f"h{level}": "#" * level for level in range(1, 7)}
_DELIMITERS = {"em": "*", "strong": "**", "del": "~~"}
_MOST_PADDING = 4  # times the cells of a table; GFM pads every row to the longest, and a page could make that endless
_MOST_START = 999_999_999  # CommonMark's limit for the number of an item


def to_markdown(
    document: Readable,
    *,
    links: Choice = "keep",
    images: Choice = "keep",
    title: bool = False,
    front_matter: bool = False,
) -> str:
    """The document's structure as Markdown, on request below its headline and its metadata."""
    body = write_markdown(document.structure, links=links, images=images)
    if not title and not front_matter:  # most
        return body
    parts = [write_front_matter(document)] if front_matter else []
    if title:
        parts.append(_write_headline(document))
    return "\n\n".join(part for part in (*parts, body) if part)


def _write_headline(document: Readable) -> str:
    """The headline as a heading; nothing where the text begins with it."""
    headline = find_headline(document)
    first = document.structure.children[:1]
    if not headline or any(child.text == headline for child in first if isinstance(child, Element)):
        return ""
    return _MarkdownWriter().write_heading(Element("h1", [headline]))


def write_markdown(structure: Element, *, links: Choice = "keep", images: Choice = "keep") -> str:
    """A structure as Markdown."""
    check_choices(links, images)
    choices = {"a": links, "img": images}
    writer = _MarkdownWriter([name for name, choice in choices.items() if choice == "references"])
    # Markdown has references of its own, so that only those to be dropped are dropped here.
    structure = choose(structure, _keep_or_drop(links), _keep_or_drop(images))
    blocks = writer.write_blocks(structure.children)
    if writer.references:
        definitions = [
            f"[{number}]: {_destination(address)}" for address, number in writer.references.items()
        ]
        blocks.append("\n".join(definitions))
    return "\n\n".join(blocks)


def _keep_or_drop(choice: Choice) -> Choice:
    return "drop" if choice == "drop" else "keep"


class _MarkdownWriter:
    """Writes elements, and collects the addresses for the end."""

    def __init__(self, referenced: Collection[str] = ()) -> None:
        """Take the names of the elements whose addresses go to the end: a, img."""
        self.references: dict[str, int] = {}
        self._referenced = referenced
        self._break = _HARD_BREAK

    # Blocks.

    def write_blocks(self, children: Pieces) -> list[str]:
        """Each block as Markdown."""
        written: list[str] = []
        before, other = "", False
        for child in children:
            if isinstance(child, str):
                continue
            name = child.name
            if name == "p":
                block = self._write_paragraph(child.children)
            elif name in _LISTS:
                other = name == before and not other  # a list right after another has other markers
                block = self._write_list(child, other=other)
            elif name in INLINE:
                continue
            else:
                block = _WRITERS[name](self, child)
            if block:
                written.append(block)
            before = name
        return written

    def _write_paragraph(self, children: Pieces) -> str:
        text = self.write_line(children)
        if text and (text[0] in _STARTS or "\n" in text):
            text = _START.sub(_escape_start, text)
        return text

    def write_heading(self, element: Element) -> str:
        text = self.write_line(element.children)
        if "\n" in text:
            text = text.replace("\n", " ")
        if text.endswith("#"):
            text = text[:-1] + "\\#"
        return f"{_HASHES[element.name]} {text}"

    def _write_list(self, element: Element, *, other: bool) -> str:
        start = int(element.attributes.get("start", "1")) if element.attributes else 1
        items = elements_of(element)
        if not _is_plain_list(element, items, start):
            return write_html_block(element)
        inner = [not _is_text(item) and _blocks(item) for item in items]
        is_loose = not all(_are_lists(blocks) for blocks in inner if blocks)
        if element.name == "ul":
            marks: Iterator[str] = repeat("* " if other else "- ")
        else:
            marks = _number(start, ") " if other else ". ")
        rows = zip(items, inner, marks, strict=False)
        written = [
            self._write_item(item, mark, has_blocks=bool(blocks), is_loose=is_loose)
            for item, blocks, mark in rows
        ]
        return ("\n\n" if is_loose else "\n").join(written)

    def _write_item(self, item: Element, mark: str, *, has_blocks: bool, is_loose: bool) -> str:
        if has_blocks:
            body = self._write_parts(item, is_loose=is_loose)
        else:
            body = self._write_paragraph(item.children)
        if body.startswith("---"):
            body = "___" + body[3:]
        return mark + (_indent(body, " " * len(mark)) if "\n" in body else body)

    def _write_parts(self, item: Element, *, is_loose: bool) -> str:
        line = [child for child in item.children if isinstance(child, str) or child.name in INLINE]
        parts = [self._write_paragraph(line)] if line else []
        parts += self.write_blocks(item.children)
        return ("\n\n" if is_loose else "\n").join(parts)

    # Twice: every other one is next to one
    def write_quote(self, element: Element) -> str:
        text = "\n\n".join(self.write_blocks(element.children))
        quoted = "> " + text.replace("\n", "\n> ")
        return quoted.replace("\n> \n", "\n>\n").replace("\n> \n", "\n>\n")

    def write_code(self, element: Element) -> str:
        text = "".join(map(str, element.children))
        longest = max(map(len, _TICKS.findall(text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}{element.attributes.get('language', '')}\n{text}\n{fence}"

    def write_table(self, element: Element) -> str:
        rows = elements_of(element)
        if not _is_plain_table(rows):
            return write_html_block(element)
        self._break = "<br>"
        table = [[self._write_cell(cell) for cell in _blocks(row)] for row in rows]
        self._break = _HARD_BREAK
        width = max(map(len, table))
        if any(cell.name == "td" and cell.children for cell in _blocks(rows[0])):
            table.insert(0, [""] * width)
        lines = ["| " + " | ".join(cells + [""] * (width - len(cells))) + " |" for cells in table]
        lines.insert(1, "| " + " | ".join(["---"] * width) + " |")
        return "\n".join(lines)

    def _write_cell(self, cell: Element) -> str:
        return self.write_line(cell.children).replace("|", "\\|")

    def write_figure(self, element: Element) -> str:
        return write_html_block(element)

    def write_rule(self, _: Element) -> str:
        return "---"

    def write_notes(self, element: Element) -> str:
        notes = []
        for note in _blocks(element):
            text = "\n\n".join(self.write_blocks(note.children))
            notes.append(f"[^{note.attributes['name']}]: {_indent(text, '    ')}")
        return "\n\n".join(notes)

    # Lines.

    def write_line(
        self, children: Pieces, before: str = "", after: str = "", edge: str = ""
    ) -> str:
        """Inline pieces; `before` and `after` are the characters around them, if there are any.

        `edge` is the delimiter between those characters and the pieces; it runs together with one
        of its kind.
        """
        if len(children) == 1:
            only = children[0]
            if isinstance(only, str):
                return escape(only)
            if only.name not in _DELIMITERS:
                return self._write_inline(only, after_tick=before == "`")
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
        self, element: Element, before: str, after: str, *, clash: bool
    ) -> tuple[str, bool]:
        """An emphasis between delimiters if these work, else as HTML; and whether they do."""
        delimiter = _DELIMITERS[element.name]
        inner = self.write_line(element.children, before, after, delimiter[0])
        text = inner.strip(delimiter[0])
        if text and not clash and _opens(before, text[0]) and _opens(after, text[-1]):
            return f"{delimiter}{inner}{delimiter}", True
        return f"<{element.name}>{inner}</{element.name}>", False

    def _write_inline(self, element: Element, *, after_tick: bool = False) -> str:
        name = element.name
        if name == "a":
            text = self.write_line(element.children, "[", "]")
            return self._write_link(name, f"[{text}]", element.attributes["href"])
        if name == "img":
            return self._write_link(
                name, f"![{escape(element.attributes['alt'])}]", element.attributes["src"]
            )
        if name == "br":
            return self._break
        if name == "code" and not after_tick:
            return _write_code_span("".join(map(str, element.children)))
        if name in {"math", "noteref"}:
            return _write_sign(element)
        return f"<{name}>{self.write_line(element.children, '>', '<')}</{name}>"

    def _write_link(self, name: str, text: str, address: str) -> str:
        if name in self._referenced:
            return f"{text}[{self.references.setdefault(address, len(self.references) + 1)}]"
        if "&" in address or "(" in address or ")" in address:
            address = _destination(address)
        return f"{text}({address})"


_WRITERS: dict[str, Callable[[_MarkdownWriter, Element], str]] = {
    **dict.fromkeys(_HASHES, _MarkdownWriter.write_heading),
    "blockquote": _MarkdownWriter.write_quote,
    "pre": _MarkdownWriter.write_code,
    "table": _MarkdownWriter.write_table,
    "figure": _MarkdownWriter.write_figure,
    "dl": _MarkdownWriter.write_figure,
    "hr": _MarkdownWriter.write_rule,
    "notes": _MarkdownWriter.write_notes,
}


def escape(text: str) -> str:
    r"""Escape a text so that Markdown reads it as text.

    >>> escape("snake_case, *stars*, [1], <b>, 5 < 6, AT&T, &amp;")
    'snake_case, \\*stars\\*, \\[1\\], \\<b>, 5 < 6, AT&T, \\&amp;'
    """
    if (
        "[" in text or "_" in text or "*" in text or "&" in text or "<" in text
        or "]" in text or "`" in text or "\\" in text or "~" in text
    ):  # fmt: skip
        return _SPECIAL.sub(r"\\\g<0>", text)
    return text  # most texts: looking for a character is far faster than the expression


def write_html_block(element: Element) -> str:
    """A block as HTML inside Markdown: without blank lines, which would end it."""
    return _CODE.sub(lambda code: code[0].replace("\n", "&#10;"), write_block(element))


def _escape_start(match: re.Match[str]) -> str:
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def _indent(text: str, indent: str) -> str:
    """Indent all lines but the first and the blank ones."""
    blank = f"\n{indent}\n"
    return text.replace("\n", "\n" + indent).replace(blank, "\n\n").replace(blank, "\n\n")


def _number(start: int, end: str) -> Iterator[str]:
    return (f"{number}{end}" for number in count(start))


def _is_text(element: Element) -> bool:
    """Whether an element holds nothing but one text."""
    return len(element.children) == 1 and isinstance(element.children[0], str)


def _are_lists(blocks: Sequence[Element]) -> bool:
    return all(block.name in _LISTS for block in blocks)


def _blocks(element: Element) -> list[Element]:
    return [
        child
        for child in element.children
        if isinstance(child, Element) and child.name not in INLINE
    ]


def _is_plain_list(element: Element, items: Sequence[Element], start: int) -> bool:
    attributes = element.attributes
    if attributes and ("type" in attributes or "reversed" in attributes):
        return False
    if any("value" in item.attributes for item in items if item.attributes):
        return False
    return 0 <= start <= _MOST_START - len(items)


def _is_plain_table(rows: Sequence[Element]) -> bool:
    """Whether GFM can write the table: rows of lines, no caption, no spans, and not much to pad."""
    if not rows or any(row.name != "tr" for row in rows):
        return False
    widths = [len(row.children) for row in rows]
    if len(rows) * max(widths) > _MOST_PADDING * sum(widths):
        return False
    return not any(cell.attributes or _blocks(cell) for row in rows for cell in _blocks(row))


def _look_around(
    children: Pieces, index: int, outside: tuple[str, str], edge: str
) -> tuple[str, str, bool]:
    """The characters around an emphasis, and whether delimiters follow it; see `write_line`."""
    before, after = outside
    if edge != _DELIMITERS[children[index].name][0]:  # type: ignore[union-attr]
        before, after = before if index else edge or before, edge or after
    if index + 1 == len(children):
        return before, after, False
    after = _first_character(children[index + 1])
    return before, after, after in {"*", "~"}


def _escape_last(parts: list[str]) -> None:
    """Escape the exclamation mark at the end: with a bracket after it, it would begin an image."""
    if parts:
        parts[-1] = parts[-1][:-1] + "\\!"


def _first_character(child: Element | str) -> str:
    """The character that a piece begins with, as far as it matters to the emphasis before it."""
    if isinstance(child, str):
        return escape(child[:2])[:1]
    return {"em": "*", "strong": "*", "del": "~", "br": "\n"}.get(child.name, "<")


def _opens(outer: str, inner: str) -> bool:
    """Whether a delimiter between these characters belongs to the inner one in CommonMark."""
    if inner.isspace():
        return False
    return not _is_punctuation(inner) or not outer or outer.isspace() or _is_punctuation(outer)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _write_sign(element: Element) -> str:
    """A formula between dollar signs, or the mark of a footnote."""
    if element.name == "noteref":
        return f"[^{element.attributes['name']}]"
    sign = "$$" if element.attributes.get("display") else "$"
    tex = _LIVE.sub(r"\g<0> ", "".join(map(str, element.children)))
    return f"{sign}{tex}{sign}"


def _write_code_span(text: str) -> str:
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _destination(address: str) -> str:
    """An address as a link's destination."""
    address = _REFERENCE.sub("&amp;", address) if "&" in address else address
    return f"<{address}>" if "(" in address or ")" in address else address


FORMAT = Format(
    to_markdown,
    suffix=".md",
    media_type="text/markdown",
    description="CommonMark with tables, footnotes and formulas",
    options=("links", "images", "title", "front_matter"),
    stream_suffixes=(".md",),
)
