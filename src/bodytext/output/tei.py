"""Write a document as XML-TEI (P5): a header with facts, and the text in nested divisions.

Only elements of the corpus customisation are used, so that common validators accept it: a table is
a list of rows, each a list of cells; a figure, and a piece of code, is an `ab` with that type; a
formula is a `seg`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from bodytext.output.facts import Fact, as_text, name_facts, read_facts
from bodytext.output.format import Format
from bodytext.output.html import elements_of, escape
from bodytext.output.readable import Readable
from bodytext.output.references import Choice, choose
from bodytext.page.urls import is_web_address
from bodytext.views.structure.element import INLINE, Element

if TYPE_CHECKING:
    from bodytext.views.comments import Post

Pieces = Sequence[Element | str]

_RENDS = {
    "strong": "bold",
    "em": "italic",
    "code": "code",
    "sub": "sub",
    "sup": "sup",
    "mark": "mark",
}
# The facts that TEI has elements for; a metadata field without one is a note.
_PLACED = frozenset(
    "title authors site_name license date modified url description language tags categories".split()  # noqa: SIM905
)


def to_tei(document: Readable, *, links: Choice = "keep", images: Choice = "keep") -> str:
    """The document as a TEI document."""
    entry = _write_entry(choose(document.structure, links, images))
    # The posts of a forum are its text already.
    comments = _write_comments(document.comments) if document.page_type != "forum" else []
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<TEI xmlns="http://www.tei-c.org/ns/1.0">',
            *_write_header(read_facts(document)),
            "<text>",
            "<body>",
            *entry,
            *comments,
            "</body>",
            "</text>",
            "</TEI>",
        ]
    )


def _write_header(facts: Mapping[str, Fact]) -> list[str]:
    def fact(name: str, template: str) -> list[str]:
        value = facts.get(name, [])
        return [
            template.format(escape(text)) for text in ([value] if isinstance(value, str) else value)
        ]

    has_address = is_web_address(as_text(facts.get("url")))
    url = fact("url", '<ptr target="{}"/>') if has_address else []
    keywords = fact("tags", "<term>{}</term>") + fact("categories", "<term>{}</term>")
    others = [name for name in name_facts("tei") if name not in _PLACED]
    notes = [note for name in others for note in fact(name, f'<note type="{name}">{{}}</note>')]
    return [
        "<teiHeader>",
        "<fileDesc>",
        "<titleStmt>",
        f'<title type="main">{escape(as_text(facts.get("title")))}</title>',
        *fact("authors", "<author>{}</author>"),
        "</titleStmt>",
        "<publicationStmt>",
        f"<publisher>{escape(as_text(facts.get('site_name')))}</publisher>",
        *fact("license", "<availability><p>{}</p></availability>"),
        *fact("date", '<date type="publication">{}</date>'),
        *fact("modified", '<date type="update">{}</date>'),
        "</publicationStmt>",
        *_wrap("notesStmt", notes),
        "<sourceDesc>",
        f"<bibl>{''.join(url)}</bibl>",
        "</sourceDesc>",
        "</fileDesc>",
        "<profileDesc>",
        *fact("description", "<abstract><p>{}</p></abstract>"),
        *fact("language", '<langUsage><language ident="{}"/></langUsage>'),
        *_wrap("textClass", [f"<keywords>{''.join(keywords)}</keywords>"] if keywords else []),
        "</profileDesc>",
        "</teiHeader>",
    ]


def _wrap(name: str, lines: list[str]) -> list[str]:
    """Lines inside an element; nothing where there are none."""
    return [f"<{name}>", *lines, f"</{name}>"] if lines else []


def _write_entry(structure: Element) -> list[str]:
    """The body text; a heading opens a division in those of higher headings."""
    lines = ['<div type="entry">']
    levels: list[int] = []
    for child in structure.children:
        if isinstance(child, Element) and child.name[1:].isdigit():
            level = int(child.name[1:])
            while levels and levels[-1] >= level:
                levels.pop()
                lines.append("</div>")
            levels.append(level)
            lines.append(
                f'<div type="section">\n<head rend="{child.name}">{_write_line(child.children)}</head>'
            )
        else:
            lines.append(_write_flow([child]))
    return [*lines, *("</div>" for _ in levels), "</div>"]


def _write_comments(comments: "Sequence[Post]") -> list[str]:
    """The comments in a division of their own."""
    lines: list[str] = []
    for comment in comments:
        lines.append('<div type="comment">')
        lines += _write_opener(comment.author, comment.date or comment.date_text)
        lines += [
            f"<p>{escape(part)}</p>" for part in comment.text.split("\n") if part.strip()
        ] or ["<p/>"]
        lines.append("</div>")
    return ['<div type="comments">', *lines, "</div>"] if lines else []


def _write_opener(author: str, date: str) -> list[str]:
    """Who wrote a comment, and when."""
    parts = [f"<name>{escape(author)}</name>"] if author else []
    parts += [f"<date>{escape(date)}</date>"] if date else []
    return [f"<opener>{' '.join(parts)}</opener>"] if parts else []


def _write_flow(children: Pieces) -> str:
    """Blocks and inline pieces as they come."""
    return "".join(
        _write_inline(child)
        if isinstance(child, str) or child.name in INLINE
        else _write_block(child)
        for child in children
    )


def _write_block(element: Element) -> str:
    writer = _WRITERS.get(element.name)
    if writer:
        return writer(element)
    if element.name[1:].isdigit():  # a heading inside an item, a quote, a cell
        return f'<label rend="{element.name}">{_write_line(element.children)}</label>'
    return f"<p>{_write_line(element.children)}</p>"


def _write_rule(_: Element) -> str:
    return '<milestone unit="section" rend="rule"/>'


def _write_quote(element: Element) -> str:
    return f"<quote>{_write_flow(element.children)}</quote>"


def _write_code(element: Element) -> str:
    language = element.attributes.get("language", "")
    subtype = f' subtype="{escape(language)}"' if language else ""
    return f'<ab type="code"{subtype} xml:space="preserve">{escape("".join(map(str, element.children)))}</ab>'


def _write_list(element: Element) -> str:
    step = -1 if "reversed" in element.attributes else 1
    number = int(element.attributes.get("start", "1" if step > 0 else str(len(element.children))))
    items = []
    for item in elements_of(element):
        if "value" in item.attributes:
            number = int(item.attributes["value"])
        label = f' n="{number}"' if element.name == "ol" else ""
        items.append(f"<item{label}>{_write_flow(item.children)}</item>")
        number += step
    kind = element.attributes.get("type", "")
    subtype = f' subtype="{kind}"' if kind else ""
    rend = "numbered" if element.name == "ol" else "bulleted"
    return f'<list rend="{rend}"{subtype}>{"".join(items)}</list>'


def _write_glossary(element: Element) -> str:
    """Terms and definitions; TEI takes terms as labels only if each has one definition."""
    names = [part.name for part in elements_of(element)]
    is_paired = names == ["dt", "dd"] * (len(names) // 2)
    lines = []
    for part in elements_of(element):
        if part.name == "dd":
            lines.append(f"<item>{_write_flow(part.children)}</item>")
        else:
            label = f"<label>{_write_line(part.children)}</label>"
            lines.append(label if is_paired else f"<item>{label}</item>")
    return f'<list type="gloss">{"".join(lines)}</list>'


def _write_table(element: Element) -> str:
    lines = []
    for part in elements_of(element):
        if part.name == "caption":
            lines.append(f"<head>{_write_line(part.children)}</head>")
        else:
            cells = "".join(map(_write_cell, elements_of(part)))
            lines.append(f'<item><list type="row">{cells}</list></item>')
    return f'<list type="table">{"".join(lines)}</list>'


def _write_cell(cell: Element) -> str:
    words = ["header"] if cell.name == "th" else []
    words += [f"{name}-{value}" for name, value in cell.attributes.items()]
    rend = f' rend="{" ".join(words)}"' if words else ""
    return f"<item{rend}>{_write_flow(cell.children)}</item>"


def _write_figure(element: Element) -> str:
    lines = []
    for part in elements_of(element):
        if part.name in INLINE:
            lines.append(_write_inline(part))
        elif part.name in {"p", "figcaption"}:
            kind = ' type="caption"' if part.name == "figcaption" else ""
            lines.append(f"<ab{kind}>{_write_line(part.children)}</ab>")
        else:
            lines.append(_write_block(part))
    return f'<ab type="figure">{"".join(lines)}</ab>'


def _write_notes(element: Element) -> str:
    notes = [
        f'<note xml:id="{_note_id(note)}" n="{escape(note.attributes["name"])}" place="foot">'
        f"{_write_flow(note.children)}</note>"
        for note in elements_of(element)
    ]
    return "".join(notes)


_WRITERS: dict[str, Callable[[Element], str]] = {
    "ul": _write_list,
    "ol": _write_list,
    "dl": _write_glossary,
    "table": _write_table,
    "figure": _write_figure,
    "blockquote": _write_quote,
    "pre": _write_code,
    "notes": _write_notes,
    "hr": _write_rule,
}


def _write_line(children: Pieces) -> str:
    return "".join(map(_write_inline, children))


def _write_inline(piece: Element | str) -> str:
    if isinstance(piece, str):
        return escape(piece)
    name, attributes = piece.name, piece.attributes
    if name == "br":
        return "<lb/>"
    if name == "img":
        text = f"<desc>{escape(attributes['alt'])}</desc>" if attributes["alt"] else ""
        return f'<graphic url="{escape(attributes["src"])}">{text}</graphic>'
    inner = _write_line(piece.children)
    if name == "math":
        return f'<seg type="formula" subtype="TeX">{inner}</seg>'
    if name in {"a", "noteref"}:
        target = escape(attributes["href"]) if name == "a" else f"#{_note_id(piece)}"
        return f'<ref target="{target}">{inner}</ref>'
    return f"<del>{inner}</del>" if name == "del" else f'<hi rend="{_RENDS[name]}">{inner}</hi>'


def _note_id(element: Element) -> str:
    """An id that XML accepts, for any name of a note."""
    return "note-" + "-".join(f"{ord(character):x}" for character in element.attributes["name"])


FORMAT = Format(
    to_tei,
    suffix=".tei.xml",
    media_type="application/tei+xml",
    description="XML-TEI P5, for corpora",
    options=("links", "images"),
)
