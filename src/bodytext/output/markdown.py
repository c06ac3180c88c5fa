"""Write a document as Markdown.

This is CommonMark with GFM's tables and strikethrough, footnotes, and TeX between dollar signs.

What Markdown cannot say is written as HTML inside it: tables with spans, captions or lists in their
cells, definition lists, figures with captions, lists that do not count 1, 2, 3; sub, sup and mark.
"""

import re
from collections.abc import Callable, Collection, Sequence

from bodytext.kernel import MarkdownLines
from bodytext.kernel.markdown_lines import indent, join_link, write_destination, write_heading
from bodytext.output.format import Format
from bodytext.output.front_matter import find_headline, write_front_matter
from bodytext.output.html import elements_of, write_block
from bodytext.output.readable import Readable
from bodytext.output.references import Choice, check_choices, choose
from bodytext.views.structure.element import INLINE, Element

Pieces = Sequence[Element | str]

_TICKS = re.compile(r"`+")
_CODE = re.compile(r"<pre>.*?(?:</pre>|\Z)", re.DOTALL)
# After a mark with a colon a line of one word is the address of a link, and 'Ibid. (p. 5)' one with a title.
_ADDRESS = re.compile(r"[^ \n]++(?=\n|\Z)|[^ \n]++ [\"'(].*[\"')]\Z", re.DOTALL)
_MOST_PADDING = 4  # times the cells of a table; GFM pads every row to the longest, and a page could make that endless


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
    body = writer.write_blocks(structure.children)
    if not writer.references:
        return body
    definitions = [
        f"[{number}]: {write_destination(address)}" for address, number in writer.references.items()
    ]
    return body + "\n\n" + "\n".join(definitions)


def _keep_or_drop(choice: Choice) -> Choice:
    return "drop" if choice == "drop" else "keep"


class _MarkdownWriter:
    """Writes elements, and collects the addresses for the end."""

    def __init__(self, referenced: Collection[str] = ()) -> None:
        """Take the names of the elements whose addresses go to the end: a, img."""
        self.references: dict[str, int] = {}
        self._referenced = referenced
        write_link = self._write_link if referenced else None
        self._lines = MarkdownLines(write_link=write_link)
        self._write_in_cell = MarkdownLines("<br>", write_link).write

    def write_blocks(self, children: Pieces) -> str:
        """Blocks as Markdown."""
        return self._lines.write_blocks(children, self._write_other)

    # Blocks that are more than lines

    def _write_other(self, element: Element) -> str:
        return _WRITERS[element.name](self, element)

    # Twice: every other one is next to one
    def write_quote(self, element: Element) -> str:
        text = self.write_blocks(element.children)
        quoted = "> " + text.replace("\n", "\n> ")
        return quoted.replace("\n> \n", "\n>\n").replace("\n> \n", "\n>\n")

    def write_code(self, element: Element) -> str:
        text = "".join(map(str, element.children))
        longest = max(map(len, _TICKS.findall(text)), default=0) if "```" in text else 0
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

    def write_html(self, element: Element) -> str:
        return write_html_block(element)

    def write_rule(self, _: Element) -> str:
        return "---"

    def write_notes(self, element: Element) -> str:
        notes = []
        for note in _blocks(element):
            text = self.write_blocks(note.children)
            if any(block.name == "p" for block in elements_of(note)[:1]):
                text = _part_from_mark(text)
            notes.append(f"[^{note.attributes['name']}]: {indent(text, '    ')}")
        return "\n\n".join(notes)

    def _write_link(self, name: str, text: str, address: str) -> str:
        if name in self._referenced:
            return f"{text}[{self.references.setdefault(address, len(self.references) + 1)}]"
        return join_link(name, text, address)


_WRITERS: dict[str, Callable[[_MarkdownWriter, Element], str]] = {
    "blockquote": _MarkdownWriter.write_quote,
    "pre": _MarkdownWriter.write_code,
    "table": _MarkdownWriter.write_table,
    "figure": _MarkdownWriter.write_html,
    "dl": _MarkdownWriter.write_html,
    "ul": _MarkdownWriter.write_html,
    "ol": _MarkdownWriter.write_html,
    "hr": _MarkdownWriter.write_rule,
    "notes": _MarkdownWriter.write_notes,
}


def _part_from_mark(text: str) -> str:
    """A note, with a space after what readers without footnotes would take for the address of a link."""
    first, gap, rest = text.partition("\n\n")
    if match := _ADDRESS.match(first):
        end = match.end() - (match.end() < len(first))  # before the backslash of a line break
        first = f"{first[:end]} &#32;{first[end:]}"
    return first + gap + rest


def write_html_block(element: Element) -> str:
    """A block as HTML inside Markdown: without blank lines, which would end it."""
    html = write_block(element)
    if "<pre>" not in html:  # most
        return html
    return _CODE.sub(lambda code: code[0].replace("\n", "&#10;"), html)


def _blocks(element: Element) -> list[Element]:
    return [
        child
        for child in element.children
        if isinstance(child, Element) and child.name not in INLINE
    ]


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
    stream_suffixes=(".md", ".markdown"),
)
