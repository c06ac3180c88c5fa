"""Write a document as HTML: a page of semantic tags alone, safe to show anywhere."""

import re
from collections.abc import Mapping, Sequence

from bodytext.output.facts import Fact, as_text, name_facts, read_facts
from bodytext.output.format import Format
from bodytext.output.readable import Readable
from bodytext.output.references import Choice, choose
from bodytext.page.urls import is_web_address
from bodytext.views.structure.element import INLINE, LINES, Element

Pieces = Sequence[Element | str]

# Every name that is written comes from a table here and every value is escaped, so that no word of
# a page can become a tag or an attribute.
_MARKS = frozenset({"del", "mark", "em", "strong", "sub", "sup", "code"})
_ATTRIBUTES = {
    "ol": ("start", "type", "reversed"),
    "li": ("value",),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
}
_NO_META = frozenset({"title", "language", "url"})  # facts that have other places
_META_NAMES = {"authors": "author", "tags": "keywords"}
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}  # in this order


def to_html(document: Readable, *, links: Choice = "keep", images: Choice = "keep") -> str:
    """The document as a whole page, with the known facts about it in the head."""
    facts = read_facts(document)
    language = f' lang="{escape(as_text(facts["language"]))}"' if "language" in facts else ""
    body = write_blocks(choose(document.structure, links, images).children)
    head = _write_head(facts)
    lines = [
        "<!DOCTYPE html>",
        f"<html{language}>",
        "<head>",
        *head,
        "</head>",
        "<body>",
        body,
        "</body>",
        "</html>",
    ]
    return "\n".join(line for line in lines if line)


def _write_head(facts: Mapping[str, Fact]) -> list[str]:
    lines = ['<meta charset="utf-8">', f"<title>{escape(as_text(facts.get('title')))}</title>"]
    names = [name for name in name_facts("html") if name in facts and name not in _NO_META]
    lines += [
        f'<meta name="{_META_NAMES.get(name, name)}" content="{escape(as_text(facts[name]))}">'
        for name in names
    ]
    url = as_text(facts.get("url"))
    if is_web_address(url):
        lines.append(f'<link rel="canonical" href="{escape(url)}">')
    return lines


def escape(text: str) -> str:
    """Escape a text for HTML, as content or as the value of an attribute."""
    if not text.isprintable():  # what is forbidden is not, and looking is far faster
        text = _FORBIDDEN.sub("", text)
    if "&" in text or "<" in text or ">" in text or '"' in text:
        for character, reference in _ESCAPES.items():
            text = text.replace(character, reference)
    return text


def write_blocks(children: Pieces) -> str:
    """Blocks as HTML, one per line; inline pieces before, between or after them as they are."""
    written: list[str] = []
    line: list[Element | str] = []
    for child in children:
        if isinstance(child, str) or child.name in INLINE:
            line.append(child)
            continue
        if line:
            written.append(write_line(line))
            line = []
        written.append(write_block(child))
    if line:
        written.append(write_line(line))
    return "\n".join(written)


def write_block(element: Element) -> str:
    """One block as HTML."""
    name, children = element.name, element.children
    if name in LINES:  # most
        return f"<{name}>{write_line(children)}</{name}>"
    if name == "hr":
        return "<hr>"
    if name == "pre":
        return _write_code(element)
    if name == "table":
        return _write_table(element)
    if name == "notes":
        return _write_notes(element)
    tag = f"{name}{_attributes(element)}" if element.attributes else name
    inner = write_blocks(children)
    if name in {"ul", "ol", "dl", "blockquote", "figure"}:
        inner = f"\n{inner}\n"
    return f"<{tag}>{inner}</{name}>"


def _write_code(element: Element) -> str:
    language = element.attributes.get("language", "")
    css_class = f' class="language-{escape(language)}"' if language else ""
    return f"<pre><code{css_class}>{escape(''.join(map(str, element.children)))}\n</code></pre>"


def _write_notes(element: Element) -> str:
    items = [
        f'<li id="note-{escape(note.attributes["name"])}">{write_blocks(note.children)}</li>'
        for note in elements_of(element)
    ]
    return "\n".join(["<ol>", *items, "</ol>"])


def write_line(children: Pieces) -> str:
    """Inline pieces as HTML."""
    return "".join(
        [escape(child) if isinstance(child, str) else _write_inline(child) for child in children]
    )


def _write_inline(element: Element) -> str:
    name = element.name
    if name == "br":
        return "<br>"
    if name == "img":
        return f'<img src="{escape(element.attributes["src"])}" alt="{escape(element.attributes["alt"])}">'
    if name == "math":
        tex = escape("".join(map(str, element.children)))
        return f"\\[{tex}\\]" if element.attributes.get("display") else f"\\({tex}\\)"
    inner = write_line(element.children)
    if name == "noteref":
        return f'<sup><a href="#note-{escape(element.attributes["name"])}">{inner}</a></sup>'
    if name == "a":
        return f'<a href="{escape(element.attributes["href"])}">{inner}</a>'
    return f"<{name}>{inner}</{name}>" if name in _MARKS else inner


def _write_table(table: Element) -> str:
    parts = elements_of(table)
    rows = [part for part in parts if part.name == "tr"]
    heads = 0
    while heads < len(rows) and _is_head(rows[heads]):
        heads += 1
    lines = ["<table>", *(write_block(part) for part in parts if part.name == "caption")]
    for name, part in (("thead", rows[:heads]), ("tbody", rows[heads:])):
        if part:
            lines += [f"<{name}>", *map(_write_row, part), f"</{name}>"]
    return "\n".join([*lines, "</table>"])


def _is_head(row: Element) -> bool:
    return all(cell.name == "th" for cell in elements_of(row))


def _write_row(row: Element) -> str:
    return f"<tr>{''.join(map(write_block, elements_of(row)))}</tr>"


def _attributes(element: Element) -> str:
    allowed = _ATTRIBUTES.get(element.name, ())
    return "".join(
        f' {name}="{escape(value)}"'
        for name, value in element.attributes.items()
        if name in allowed
    )


def elements_of(element: Element) -> list[Element]:
    """The elements right in an element."""
    return [child for child in element.children if isinstance(child, Element)]


FORMAT = Format(
    to_html,
    suffix=".html",
    media_type="text/html",
    description="a page of semantic tags alone, safe to show anywhere",
    options=("links", "images"),
    other_suffixes=(".htm",),
)
