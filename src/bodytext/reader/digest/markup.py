"""Write a tree of elements as markup that is HTML and XML at once.

Every name that is written comes from a table of this module, and every value is escaped or checked:
whatever is in a tree, no part of it becomes a tag or an attribute.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote, urlsplit, urlunsplit

from bodytext.output.html import escape
from bodytext.reader.store.body import LINKED_MEDIA
from bodytext.views.structure.element import HEADINGS, INLINE, Element

Pieces = Sequence[Element | str]
# From the address of an image to its place in the file; empty if it has none.
ImageLocator = Callable[[str], str]

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,60}\Z")
_NUMBER = re.compile(r"-?\d{1,4}\Z")
_SPAN = re.compile(r"(?!0{0,3}1?\Z)\d{1,3}\Z|1000\Z")  # 2 to 1000
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}\Z")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?\Z")
_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_NUMBERING = re.compile(r"[1aAiI]\Z")
_DEFINITIONS = re.compile(r"(?:(?:dt )+(?:dd )+)+")
_MARKS = frozenset({"del", "mark", "em", "strong", "sub", "sup", "code"})
_FLOWS = HEADINGS | {"p", "caption", "figcaption", "td", "th", "li", "dd", "dt", "blockquote"}


def clean_link(url: str) -> str:
    """Return an address of the web as RFC 3986 wants it written; nothing for any other address.

    >>> clean_link("https://news.example/a b?q=ü#x"), clean_link("javascript:alert(1)")
    ('https://news.example/a%20b?q=%C3%BC#x', '')
    """
    try:
        parts = urlsplit(url.strip())
        host = parts.netloc
        if not host.isascii():
            host = host.encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        return ""
    if parts.scheme.lower() not in {"http", "https"} or not _HOST.match(host) or ".." in host:
        return ""
    path, query, fragment = (
        quote(_BROKEN_PERCENT.sub("%25", part), safe="/:@!$&'()*+,;=~-._%?", errors="replace")
        for part in (parts.path, parts.query, parts.fragment)
    )
    return urlunsplit((parts.scheme.lower(), host, path.replace("?", "%3F"), query, fragment))


def write_markup(body: Element, prefix: str = "", locate_image: ImageLocator = lambda _: "") -> str:
    """Write a body. The names of its notes get a prefix: a page may have many articles."""
    return BookWriter(body, prefix, locate_image).write_blocks(body.children)


class MarkupWriter:
    """Writes elements as plain tags: without images, links and media, which subclasses write."""

    def __init__(self, body: Element, prefix: str = "") -> None:
        notes = (element for element in body.walk() if element.name == "note")
        names = (note.attributes.get("name", "") for note in notes)
        self._notes = {name for name in names if _NAME.match(name)}
        self._prefix = prefix
        self._writers: dict[str, Callable[[Element], str]] = {
            "dl": self._write_definitions,
            "figure": self._write_figure,
            "hr": lambda _: "<hr/>\n",
            "notes": self._write_notes,
            "ol": self._write_list,
            "ul": self._write_list,
            "p": self.write_paragraph,
            "pre": self.write_code,
            "table": self.write_table,
            **dict.fromkeys(LINKED_MEDIA, self.write_medium),
        }

    # What differs between pages and books.

    def write_text(self, text: str) -> str:
        """Write a text."""
        return escape(text)

    def write_image(self, _: Element) -> str:
        """Write an image, or nothing."""
        return ""

    def write_link(self, _: str, inner: str) -> str:
        """Write a link to an address, or its inner markup alone."""
        return inner

    def write_medium(self, _: Element) -> str:
        """Write a video, a sound or an embed, or nothing."""
        return ""

    def write_code(self, element: Element) -> str:
        """Write a block of code."""
        language = element.attributes.get("language", "")
        attribute = f' class="language-{escape(language)}"' if _LANGUAGE.match(language) else ""
        return f"<pre><code{attribute}>{escape(_read_text(element))}</code></pre>\n"

    # Blocks.

    def write_blocks(self, children: Pieces) -> str:
        """Write blocks, and inline pieces between them."""
        return "".join(map(self._write_child, children))

    def _write_child(self, child: Element | str) -> str:
        if isinstance(child, str) or child.name in INLINE:
            return self.write_line([child])
        return self.write_block(child)

    def write_block(self, element: Element) -> str:
        """Write one block; nothing for a block without content."""
        if element.name in self._writers:
            return self._writers[element.name](element)
        inner = self.write_blocks(element.children)
        return _wrap(element.name, inner) if element.name in _FLOWS else inner

    def write_paragraph(self, element: Element) -> str:
        """Write a paragraph."""
        return _wrap("p", self.write_blocks(element.children))

    def _write_list(self, element: Element) -> str:
        items = "".join(self._write_item(item, element.name) for item in _select(element, "li"))
        return _wrap(element.name, items and f"\n{items}", _write_numbering(element))

    def _write_item(self, item: Element, list_name: str) -> str:
        value = _write_attributes(item.attributes, {"value": _NUMBER}) if list_name == "ol" else ""
        return f"<li{value}>{self.write_blocks(item.children)}</li>\n"

    def _write_notes(self, element: Element) -> str:
        unused = set(self._notes)
        items = ""
        for note in _select(element, "note"):
            name = note.attributes.get("name", "")
            identity = f' id="{self._prefix}note-{name}"' if name in unused else ""
            unused.discard(name)
            items += f"<li{identity}>{self.write_blocks(note.children)}</li>\n"
        return _wrap("ol", items and f"\n{items}")

    def _write_figure(self, element: Element) -> str:
        """Write a figure, its caption last. Without its image, the caption is a paragraph."""
        inner = "".join(map(self._write_figure_part, element.children))
        captions = (self.write_line(caption.children) for caption in _select(element, "figcaption"))
        caption = "<br/>".join(text for text in captions if text.strip())
        if not inner.strip():
            return _wrap("p", caption and f"<small>{caption}</small>")
        return f"<figure>\n{inner}{_wrap('figcaption', caption)}</figure>\n"

    def _write_figure_part(self, piece: Element | str) -> str:
        """Write a part of a figure but its caption; an image needs no paragraph there."""
        if isinstance(piece, str) or piece.name in INLINE:
            return self.write_line([piece])
        if piece.name == "figcaption":
            return ""
        return self.write_blocks(piece.children) if _is_image(piece) else self.write_block(piece)

    def _write_definitions(self, element: Element) -> str:
        """Write definitions, as paragraphs if they are not terms that their definitions follow."""
        parts = _select(element, "dt", "dd")
        if _DEFINITIONS.fullmatch("".join(f"{part.name} " for part in parts)):
            return f"<dl>\n{self.write_blocks(parts)}</dl>\n"
        return "".join(map(self._write_loose_definition, parts))

    def _write_loose_definition(self, part: Element) -> str:
        if part.name == "dt":
            return f"<p><strong>{self.write_line(part.children)}</strong></p>\n"
        return f"<div>{self.write_blocks(part.children)}</div>\n"

    def write_table(self, table: Element) -> str:
        """Write a table."""
        rows = "".join(map(self._write_row, _select(table, "tr")))
        captions = (self.write_line(caption.children) for caption in _select(table, "caption")[:1])
        caption = "".join(f"<caption>{text}</caption>\n" for text in captions)
        return _wrap("table", rows and f"\n{caption}<tbody>\n{rows}</tbody>\n")

    def _write_row(self, row: Element) -> str:
        return f"<tr>{''.join(map(self._write_cell, _select(row, 'td', 'th')))}</tr>\n"

    def _write_cell(self, cell: Element) -> str:
        spans = _write_attributes(cell.attributes, {"colspan": _SPAN, "rowspan": _SPAN})
        return f"<{cell.name}{spans}>{self.write_blocks(cell.children)}</{cell.name}>"

    # Inline pieces.

    def write_line(self, children: Pieces, *, linked: bool = False) -> str:
        """Write inline pieces; a link within a link is its text."""
        return "".join(
            self.write_text(child)
            if isinstance(child, str)
            else self._write_inline(child, linked=linked)
            for child in children
        )

    def _write_inline(self, element: Element, *, linked: bool) -> str:
        name = element.name
        if name == "br":
            return "<br/>"
        if name == "img":
            return self.write_image(element)
        if name == "math":
            return f"<code>{escape(_read_text(element))}</code>"
        if name in {"a", "noteref"}:
            inner = self.write_line(element.children, linked=True)
            return inner if linked or not inner.strip() else self._write_reference(element, inner)
        inner = self.write_line(element.children, linked=linked)
        return f"<{name}>{inner}</{name}>" if name in _MARKS and inner else inner

    def _write_reference(self, element: Element, inner: str) -> str:
        """Write a link, or the mark of a note."""
        if element.name == "a":
            return self.write_link(element.attributes.get("href", ""), inner)
        name = element.attributes.get("name", "")
        if name not in self._notes:
            return inner
        return f'<sup><a href="#{self._prefix}note-{name}">{inner}</a></sup>'


class BookWriter(MarkupWriter):
    """Writes elements for a book or a file: its images are stored in it, and links are clean."""

    def __init__(self, body: Element, prefix: str, locate_image: ImageLocator) -> None:
        super().__init__(body, prefix)
        self._locate_image = locate_image

    def write_image(self, element: Element) -> str:
        """Write an image that is stored."""
        place = self._locate_image(element.attributes.get("src", ""))
        text = escape(element.attributes.get("alt", ""))
        return f'<img src="{escape(place)}" alt="{text}"/>' if place else ""

    def write_link(self, address: str, inner: str) -> str:
        """Write a link to the web."""
        target = clean_link(address)
        return f'<a href="{escape(target)}">{inner}</a>' if target else inner


def _wrap(name: str, inner: str, attributes: str = "") -> str:
    """Write an element on a line; nothing if there is nothing in it."""
    return f"<{name}{attributes}>{inner}</{name}>\n" if inner.strip() else ""


def _select(element: Element, *names: str) -> list[Element]:
    return [
        child for child in element.children if isinstance(child, Element) and child.name in names
    ]


def _is_image(element: Element) -> bool:
    """Whether an element is a paragraph that holds nothing but an image."""
    if element.name != "p" or len(element.children) != 1:
        return False
    only = element.children[0]
    return isinstance(only, Element) and only.name == "img"


def _write_numbering(element: Element) -> str:
    """Write the attributes of a numbered list."""
    if element.name != "ol":
        return ""
    attributes = _write_attributes(element.attributes, {"start": _NUMBER, "type": _NUMBERING})
    if "reversed" in element.attributes:
        attributes += ' reversed="reversed"'
    return attributes


def _write_attributes(attributes: Mapping[str, str], allowed: Mapping[str, re.Pattern[str]]) -> str:
    """Write the attributes whose values have the form that is allowed."""
    values = ((name, attributes.get(name, ""), pattern) for name, pattern in allowed.items())
    return "".join(f' {name}="{value}"' for name, value, pattern in values if pattern.match(value))


def _read_text(element: Element) -> str:
    return "".join(child for child in element.children if isinstance(child, str))
