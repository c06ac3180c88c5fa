"""Write a document as Markdown.

This is CommonMark with GFM's tables and strikethrough, footnotes, and TeX between dollar signs.

What Markdown cannot say is written as HTML inside it: tables with spans, captions or lists in their
cells, definition lists, figures with captions, lists that do not count 1, 2, 3; sub, sup and mark.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count, repeat

from bodytext.kernel import MarkdownLines
from bodytext.kernel.markdown_lines import join_link, write_destination
from bodytext.output.format import Format
from bodytext.output.front_matter import find_headline, write_front_matter
from bodytext.output.html import elements_of, write_block
from bodytext.output.readable import Readable
from bodytext.output.references import Choice, check_choices, choose
from bodytext.views.structure.element import INLINE, Element

Pieces = Sequence[Element | str]

_START = re.compile(
    r"^(?:(#{1,6}(?=[ \t]|$)|>|[-+](?=[ \t]|$)|=++[ \t]*+$|~~~|[-:|](?=[-:| \t]*+$))|(\d{1,9})([.)])(?=[ \t]|$))",
    re.MULTILINE,
)
_STARTS = frozenset("#>+-=~:|0123456789")
_TICKS = re.compile(r"`+")
_CODE = re.compile(r"<pre>.*?(?:</pre>|\Z)", re.DOTALL)
_LISTS = frozenset({"ul", "ol"})
_HASHES = {f"h{level}": "#" * level for level in range(1, 7)}
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
    return write_heading("h1", MarkdownLines().write([headline]))


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
            f"[{number}]: {write_destination(address)}"
            for address, number in writer.references.items()
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
        write_link = self._write_link if referenced else None
        lines = MarkdownLines(write_link=write_link)
        self._write_line, self._write_each = lines.write, lines.write_each
        self._write_in_cell = MarkdownLines("<br>", write_link).write

    # Blocks.

    def write_blocks(self, children: Pieces) -> list[str]:
        """Each block as Markdown."""
        written: list[str] = []
        before, other = "", False
        for child, line in zip(children, self._write_each(children), strict=True):
            if isinstance(child, str) or child.name in INLINE:
                continue
            name = child.name
            if name in _LISTS:
                other = name == before and not other  # a list right after another has other markers
                block = self._write_list(child, other=other)
            elif name in _WRITERS:
                block = _WRITERS[name](self, child)
            else:
                text = self._write_line(child.children) if line is None else line
                block = _finish_paragraph(text) if name == "p" else write_heading(name, text)
            if block:
                written.append(block)
            before = name
        return written

    def _write_list(self, element: Element, *, other: bool) -> str:
        start = int(element.attributes.get("start", "1")) if element.attributes else 1
        items = elements_of(element)
        if not _is_plain_list(element, items, start):
            return write_html_block(element)
        lines = self._write_each(items)
        held = [_blocks(item) for item, line in zip(items, lines, strict=True) if line is None]
        is_loose = not all(map(_are_lists, held))
        if element.name == "ul":
            marks: Iterator[str] = repeat("* " if other else "- ")
        else:
            marks = _number(start, ") " if other else ". ")
        written = [
            _finish_item(
                self._write_parts(item, is_loose=is_loose)
                if line is None
                else _finish_paragraph(line),
                mark,
            )
            for item, line, mark in zip(items, lines, marks, strict=False)
        ]
        return ("\n\n" if is_loose else "\n").join(written)

    def _write_parts(self, item: Element, *, is_loose: bool) -> str:
        line = [child for child in item.children if isinstance(child, str) or child.name in INLINE]
        parts = [_finish_paragraph(self._write_line(line))] if line else []
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
        table = [[self._write_cell(cell) for cell in _blocks(row)] for row in rows]
        width = max(map(len, table))
        if any(cell.name == "td" and cell.children for cell in _blocks(rows[0])):
            table.insert(0, [""] * width)
        lines = ["| " + " | ".join(cells + [""] * (width - len(cells))) + " |" for cells in table]
        lines.insert(1, "| " + " | ".join(["---"] * width) + " |")
        return "\n".join(lines)

    def _write_cell(self, cell: Element) -> str:
        return self._write_in_cell(cell.children).replace("|", "\\|")

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

    def _write_link(self, name: str, text: str, address: str) -> str:
        if name in self._referenced:
            return f"{text}[{self.references.setdefault(address, len(self.references) + 1)}]"
        return join_link(name, text, address)


_WRITERS: dict[str, Callable[[_MarkdownWriter, Element], str]] = {
    "blockquote": _MarkdownWriter.write_quote,
    "pre": _MarkdownWriter.write_code,
    "table": _MarkdownWriter.write_table,
    "figure": _MarkdownWriter.write_figure,
    "dl": _MarkdownWriter.write_figure,
    "hr": _MarkdownWriter.write_rule,
    "notes": _MarkdownWriter.write_notes,
}


def _finish_paragraph(text: str) -> str:
    """A line that stands for itself: what would begin another block is escaped."""
    if text and (text[0] in _STARTS or "\n" in text):
        text = _START.sub(_escape_start, text)
    return text


def write_heading(name: str, text: str) -> str:
    """A line as a heading."""
    if "\n" in text:
        text = text.replace("\n", " ")
    if text.endswith("#"):
        text = text[:-1] + "\\#"
    return f"{_HASHES[name]} {text}"


def _finish_item(body: str, mark: str) -> str:
    if body.startswith("---"):
        body = "___" + body[3:]
    return mark + (_indent(body, " " * len(mark)) if "\n" in body else body)


def write_html_block(element: Element) -> str:
    """A block as HTML inside Markdown: without blank lines, which would end it."""
    html = write_block(element)
    if "<pre>" not in html:  # most
        return html
    return _CODE.sub(lambda code: code[0].replace("\n", "&#10;"), html)


def _escape_start(match: re.Match[str]) -> str:
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def _indent(text: str, indent: str) -> str:
    """Indent all lines but the first and the blank ones."""
    blank = f"\n{indent}\n"
    return text.replace("\n", "\n" + indent).replace(blank, "\n\n").replace(blank, "\n\n")


def _number(start: int, end: str) -> Iterator[str]:
    return (f"{number}{end}" for number in count(start))


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


FORMAT = Format(
    to_markdown,
    suffix=".md",
    media_type="text/markdown",
    description="CommonMark with tables, footnotes and formulas",
    options=("links", "images", "title", "front_matter"),
    stream_suffixes=(".md",),
)
