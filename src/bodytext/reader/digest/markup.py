"""An article's stored HTML in, its structure out; a structure in, markup that is HTML and XML at once out.

The stored HTML is read again by the parser that reads pages, so that whatever is in it comes out as one of few elements
in their places. Every name that is written is one of ours, every value is escaped or checked. Pictures are those that
somebody has stored; others are left out, and their captions stay.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import numpy as np

from bodytext import Document, parse, select
from bodytext.output.html import escape
from bodytext.views.structure.element import INLINE, Element

Pieces = Sequence[Element | str]
# The address of a picture in -> where the stored one stands; empty where there is none.
FindImage = Callable[[str], str]

_HEADING = re.compile(r"<(/?)h([1-6])>")
_FIRST_HEADING = re.compile(r"\s*<h([1-6])>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,60}\Z")
_NUMBER = re.compile(r"-?\d{1,4}\Z")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?\Z")
_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_COUNTINGS = frozenset("1aAiI")
_MARKS = frozenset({"del", "mark", "em", "strong", "sub", "sup", "code"})
_FLOWING = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "caption", "figcaption", "td", "th", "li", "dd", "dt", "blockquote"}
)


def read_document(html: str, title: str, deeper: int) -> Document:
    """The document of stored HTML, its headings so many levels deeper, without a first one that is the title again."""
    first = _FIRST_HEADING.match(html)
    if first and _plain(_TAG.sub("", first[2])) == _plain(escape(title)):
        html = html[first.end() :]
    html = _HEADING.sub(lambda found: f"<{found[1]}h{min(int(found[2]) + deeper, 6)}>", html)
    page = parse(html)
    return select(page, np.ones(len(page), dtype=np.float32))


def clean_link(url: str) -> str:
    """An address that may stand in a book: one of the web or of mail, written as RFC 3986 wants it; else nothing.

    >>> clean_link("https://news.example/a b?q=ü#x"), clean_link("javascript:alert(1)")
    ('https://news.example/a%20b?q=%C3%BC#x', '')
    """
    try:
        parts = urlsplit(url.strip())
        host = parts.netloc if parts.netloc.isascii() else parts.netloc.encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        return ""
    if parts.scheme.lower() not in {"http", "https"} or not _HOST.match(host) or ".." in host:
        return ""
    path, query, fragment = (
        quote(_BROKEN_PERCENT.sub("%25", part), safe="/:@!$&'()*+,;=~-._%?", errors="replace")
        for part in (parts.path, parts.query, parts.fragment)
    )
    path = path.replace("?", "%3F")
    return (
        f"{parts.scheme.lower()}://{host}{path}" + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else "")
    )


def write_markup(structure: Element, prefix: str = "", find_image: FindImage | None = None) -> str:
    """The blocks of a structure as markup. Names of notes get a prefix, so that many articles may stand on a page."""
    notes = {one.attributes["name"] for one in structure.walk() if one.name == "note"}
    writer = _Writer(prefix, frozenset(name for name in notes if _NAME.match(name)), find_image or (lambda _: ""))
    return writer.write_blocks(structure.children)


@dataclass(frozen=True, slots=True)
class _Writer:
    prefix: str
    notes: frozenset[str]
    find_image: FindImage

    def write_blocks(self, children: Pieces) -> str:
        """Blocks, and inline pieces between them."""
        return "".join(
            self.write_inline([child]) if isinstance(child, str) or child.name in INLINE else self.write_block(child)
            for child in children
        )

    def write_block(self, element: Element) -> str:
        """One block; one in which nothing is left, nothing."""
        special = {
            "dl": self._write_definitions, "figure": self._write_figure, "notes": self._write_notes,
            "ol": self._write_list, "pre": _write_code, "table": self._write_table, "ul": self._write_list,
        }.get(element.name)  # fmt: skip
        if special:
            return special(element)
        if element.name == "hr":
            return "<hr/>\n"
        inner = self.write_blocks(element.children)
        if element.name not in _FLOWING:
            return inner
        return f"<{element.name}>{inner}</{element.name}>\n" if inner.strip() else ""

    def write_inline(self, children: Pieces, *, linked: bool = False) -> str:
        """Inline pieces; a link in a link is its text."""
        return "".join(
            escape(child) if isinstance(child, str) else self._write_piece(child, linked=linked) for child in children
        )

    def _write_piece(self, element: Element, *, linked: bool) -> str:
        name = element.name
        if name == "br":
            return "<br/>"
        if name == "img":
            source = self.find_image(element.attributes.get("src", ""))
            return f'<img src="{escape(source)}" alt="{escape(element.attributes.get("alt", ""))}"/>' if source else ""
        if name == "math":
            return f"<code>{escape(_text_of(element))}</code>"
        inner = self.write_inline(element.children, linked=linked or name in {"a", "noteref"})
        target = self._find_target(element) if not linked else ""
        if target and inner.strip():
            link = f'<a href="{escape(target)}">{inner}</a>'
            return f"<sup>{link}</sup>" if name == "noteref" else link
        return f"<{name}>{inner}</{name}>" if name in _MARKS and inner else inner

    def _find_target(self, element: Element) -> str:
        """Where a link leads that may be written; empty where it is none."""
        if element.name == "noteref":
            name = element.attributes.get("name", "")
            return f"#{self.prefix}note-{name}" if name in self.notes else ""
        return clean_link(element.attributes.get("href", "")) if element.name == "a" else ""

    def _write_list(self, element: Element) -> str:
        name = element.name
        items = [child for child in element.children if isinstance(child, Element) and child.name == "li"]
        written = "".join(self._write_item(item, numbered=name == "ol") for item in items)
        return f"<{name}{_count_attributes(element)}>\n{written}</{name}>\n" if items else ""

    def _write_item(self, item: Element, *, numbered: bool) -> str:
        value = item.attributes.get("value", "")
        said = f' value="{value}"' if numbered and _NUMBER.match(value) else ""
        return f"<li{said}>{self.write_blocks(item.children)}</li>\n"

    def _write_notes(self, element: Element) -> str:
        written: list[str] = []
        named: set[str] = set()
        for note in element.children:
            if isinstance(note, str):
                continue
            name = note.attributes.get("name", "")
            said = f' id="{self.prefix}note-{name}"' if name in self.notes and name not in named else ""
            named.add(name)
            written.append(f"<li{said}>{self.write_blocks(note.children)}</li>\n")
        return f"<ol>\n{''.join(written)}</ol>\n" if written else ""

    def _write_figure(self, element: Element) -> str:
        """A figure with its caption last; a caption whose picture is left out is a paragraph."""
        captions = [one for one in element.children if isinstance(one, Element) and one.name == "figcaption"]
        inner = self.write_blocks([one for one in element.children if one not in captions])
        said = [self.write_inline(one.children) for one in captions]
        caption = "<br/>".join(text for text in said if text.strip())
        if not inner.strip():
            return f"<p><small>{caption}</small></p>\n" if caption else ""
        return f"<figure>\n{inner}" + (f"<figcaption>{caption}</figcaption>\n" if caption else "") + "</figure>\n"

    def _write_definitions(self, element: Element) -> str:
        """Definitions, as far as terms and their texts follow each other as they must; else as paragraphs."""
        parts = [one for one in element.children if isinstance(one, Element)]
        names = "".join("t" if one.name == "dt" else "d" for one in parts)
        if re.fullmatch(r"(?:t+d+)+", names):
            return f"<dl>\n{self.write_blocks(parts)}</dl>\n"
        return "".join(
            f"<p><strong>{self.write_inline(one.children)}</strong></p>\n"
            if one.name == "dt"
            else f"<div>{self.write_blocks(one.children)}</div>\n"
            for one in parts
        )

    def _write_table(self, table: Element) -> str:
        parts = [one for one in table.children if isinstance(one, Element)]
        rows = [self._write_row(row) for row in parts if row.name == "tr"]
        captions = [one for one in parts if one.name == "caption"][:1]
        caption = "".join(f"<caption>{self.write_inline(one.children)}</caption>\n" for one in captions)
        return f"<table>\n{caption}<tbody>\n{''.join(rows)}</tbody>\n</table>\n" if rows else ""

    def _write_row(self, row: Element) -> str:
        cells = [one for one in row.children if isinstance(one, Element) and one.name in {"td", "th"}]
        return "<tr>" + "".join(self._write_cell(cell) for cell in cells) + "</tr>\n"

    def _write_cell(self, cell: Element) -> str:
        spans = [(name, cell.attributes.get(name, "")) for name in ("colspan", "rowspan")]
        said = "".join(f' {name}="{value}"' for name, value in spans if _NUMBER.match(value) and 1 < int(value) <= 1000)
        return f"<{cell.name}{said}>{self.write_blocks(cell.children)}</{cell.name}>"


def _write_code(element: Element) -> str:
    return f"<pre><code>{escape(_text_of(element))}</code></pre>\n"


def _text_of(element: Element) -> str:
    """The text of a leaf, as it stands."""
    return "".join(child for child in element.children if isinstance(child, str))


def _count_attributes(element: Element) -> str:
    if element.name != "ol":
        return ""
    start, kind = (element.attributes.get(name, "") for name in ("start", "type"))
    said = f' start="{start}"' if _NUMBER.match(start) else ""
    said += f' type="{kind}"' if kind in _COUNTINGS and kind else ""
    return said + (' reversed="reversed"' if "reversed" in element.attributes else "")


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
