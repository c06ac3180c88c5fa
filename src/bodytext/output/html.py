"""Document -> HTML: a page of semantic tags alone, safe to show anywhere."""

import re
from collections.abc import Sequence

from bodytext.document import Document
from bodytext.output.facts import as_text, read_facts
from bodytext.output.references import Choice, choose
from bodytext.views.structure.element import INLINE, Element

Pieces = Sequence[Element | str]

# What is written, all of it: every name comes from these tables and every value is escaped, so that no word of a page
# can become a tag or an attribute.
_MARKS = frozenset({"del", "mark", "em", "strong", "sub", "sup", "code"})
_ATTRIBUTES = {
    "ol": ("start", "type", "reversed"),
    "li": ("value",),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
}
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def to_html(document: Document, *, links: Choice = "keep", images: Choice = "keep") -> str:
    """The document as a whole page, with what is known about it in the head."""
    facts = read_facts(document)
    language = f' lang="{escape(as_text(facts["language"]))}"' if "language" in facts else ""
    head = ['<meta charset="utf-8">', f"<title>{escape(as_text(facts.get('title')))}</title>"]
    named = {"author": "authors", "date": "date", "description": "description", "keywords": "tags"}
    head += [
        f'<meta name="{name}" content="{escape(as_text(facts[fact]))}">'
        for name, fact in named.items()
        if fact in facts
    ]
    url = as_text(facts.get("url"))
    if url.startswith(("http://", "https://")):
        head.append(f'<link rel="canonical" href="{escape(url)}">')
    body = write_blocks(choose(document.structure, links, images).children)
    lines = ["<!DOCTYPE html>", f"<html{language}>", "<head>", *head, "</head>", "<body>", body, "</body>", "</html>"]
    return "\n".join(line for line in lines if line)


def escape(text: str) -> str:
    """A text for HTML, as content or as an attribute's value."""
    return _FORBIDDEN.sub("", text).translate(_ESCAPES)


def write_blocks(children: Pieces) -> str:
    """Blocks as HTML, a line each; inline pieces before, between or behind them as they are."""
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
    if name == "hr":
        return "<hr>"
    if name == "pre":
        language = element.attributes.get("language", "")
        said = f' class="language-{escape(language)}"' if language else ""
        return f"<pre><code{said}>{escape(''.join(map(str, children)))}\n</code></pre>"
    if name == "table":
        return _write_table(element)
    if name == "notes":
        items = [
            f'<li id="note-{escape(one.attributes["name"])}">{write_blocks(one.children)}</li>'
            for one in _elements(children)
        ]
        return "\n".join(["<ol>", *items, "</ol>"])
    tag = f"{name}{_attributes(element)}"
    if name in {"ul", "ol", "dl", "blockquote", "figure"}:
        return f"<{tag}>\n{write_blocks(children)}\n</{name}>"
    return f"<{tag}>{write_blocks(children)}</{name}>"


def write_line(children: Pieces) -> str:
    """Inline pieces as HTML."""
    return "".join([escape(child) if isinstance(child, str) else _write_inline(child) for child in children])


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
    rows = [one for one in _elements(table.children) if one.name == "tr"]
    heads = 0
    while heads < len(rows) and all(cell.name == "th" for cell in _elements(rows[heads].children)):
        heads += 1
    lines = ["<table>"]
    lines += [write_block(one) for one in _elements(table.children) if one.name == "caption"]
    for name, part in (("thead", rows[:heads]), ("tbody", rows[heads:])):
        if part:
            lines += [f"<{name}>", *(f"<tr>{_write_cells(row)}</tr>" for row in part), f"</{name}>"]
    return "\n".join([*lines, "</table>"])


def _write_cells(row: Element) -> str:
    return "".join(write_block(cell) for cell in _elements(row.children))


def _attributes(element: Element) -> str:
    allowed = _ATTRIBUTES.get(element.name, ())
    return "".join(f' {name}="{escape(value)}"' for name, value in element.attributes.items() if name in allowed)


def _elements(children: Pieces) -> list[Element]:
    return [child for child in children if isinstance(child, Element)]
