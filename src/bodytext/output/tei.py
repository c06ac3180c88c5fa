"""Document -> XML-TEI (P5): a header with what is known about the page, and its text in nested divisions.

Only elements of the corpus customisation are used, so that common validators accept it: a table is a list of rows, each
a list of cells; a figure, and a piece of code, is an `ab` with that type; a formula is a `seg`.
"""

from collections.abc import Callable, Sequence

from bodytext.document import Document
from bodytext.output.facts import as_text, read_facts
from bodytext.output.html import escape
from bodytext.output.references import Choice, choose
from bodytext.views.structure.element import INLINE, Element

Pieces = Sequence[Element | str]

_RENDS = {"strong": "bold", "em": "italic", "code": "code", "sub": "sub", "sup": "sup", "mark": "mark"}


def to_tei(document: Document, *, links: Choice = "keep", images: Choice = "keep") -> str:
    """The document as a TEI document."""
    entry = _write_entry(choose(document.structure, links, images))
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<TEI xmlns="http://www.tei-c.org/ns/1.0">',
            *_write_header(document),
            "<text>",
            "<body>",
            *entry,
            *_write_comments(document),
            "</body>",
            "</text>",
            "</TEI>",
        ]
    )


def _write_header(document: Document) -> list[str]:
    facts = read_facts(document)

    def fact(name: str, form: str) -> list[str]:
        value = facts.get(name, [])
        return [form.format(escape(one)) for one in ([value] if isinstance(value, str) else value)]

    url = fact("url", '<ptr target="{}"/>')
    keywords = fact("tags", "<term>{}</term>") + fact("categories", "<term>{}</term>")
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
        "<sourceDesc>",
        f"<bibl>{''.join(url)}</bibl>",
        "</sourceDesc>",
        "</fileDesc>",
        "<profileDesc>",
        *fact("description", "<abstract><p>{}</p></abstract>"),
        *fact("language", '<langUsage><language ident="{}"/></langUsage>'),
        *(["<textClass>", f"<keywords>{''.join(keywords)}</keywords>", "</textClass>"] if keywords else []),
        "</profileDesc>",
        "</teiHeader>",
    ]


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
            lines.append(f'<div type="section">\n<head rend="{child.name}">{_write_line(child.children)}</head>')
        else:
            lines.append(_write_flow([child]))
    return [*lines, *("</div>" for _ in levels), "</div>"]


def _write_comments(document: Document) -> list[str]:
    """The comments in a division of their own; the posts of a forum are its text already."""
    comments = document.comments if document.page_type != "forum" else ()
    if not comments:
        return []
    lines = ['<div type="comments">']
    for one in comments:
        lines.append('<div type="comment">')
        signed = [f"<name>{escape(one.author)}</name>"] if one.author else []
        signed += [f"<date>{escape(one.date or one.date_text)}</date>"] if one.date or one.date_text else []
        lines += [f"<opener>{' '.join(signed)}</opener>"] if signed else []
        lines += [f"<p>{escape(part)}</p>" for part in one.text.split("\n") if part.strip()] or ["<p/>"]
        lines.append("</div>")
    return [*lines, "</div>"]


def _write_flow(children: Pieces) -> str:
    """Blocks and inline pieces as they come."""
    return "".join(
        _write_inline(child) if isinstance(child, str) or child.name in INLINE else _write_block(child)
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
    said = f' subtype="{escape(language)}"' if language else ""
    return f'<ab type="code"{said} xml:space="preserve">{escape("".join(map(str, element.children)))}</ab>'


def _write_list(element: Element) -> str:
    step = -1 if "reversed" in element.attributes else 1
    number = int(element.attributes.get("start", "1" if step > 0 else str(len(element.children))))
    items = []
    for item in _elements(element):
        if "value" in item.attributes:
            number = int(item.attributes["value"])
        said = f' n="{number}"' if element.name == "ol" else ""
        items.append(f"<item{said}>{_write_flow(item.children)}</item>")
        number += step
    kind = element.attributes.get("type", "")
    subtype = f' subtype="{kind}"' if kind else ""
    rend = "numbered" if element.name == "ol" else "bulleted"
    return f'<list rend="{rend}"{subtype}>{"".join(items)}</list>'


def _write_glossary(element: Element) -> str:
    """Terms and definitions; as labels of items where each term has one definition, which is all that TEI knows."""
    names = [one.name for one in _elements(element)]
    is_paired = names == ["dt", "dd"] * (len(names) // 2)
    lines = []
    for one in _elements(element):
        if one.name == "dd":
            lines.append(f"<item>{_write_flow(one.children)}</item>")
        else:
            label = f"<label>{_write_line(one.children)}</label>"
            lines.append(label if is_paired else f"<item>{label}</item>")
    return f'<list type="gloss">{"".join(lines)}</list>'


def _write_table(element: Element) -> str:
    lines = []
    for one in _elements(element):
        if one.name == "caption":
            lines.append(f"<head>{_write_line(one.children)}</head>")
        else:
            cells = "".join(_write_cell(cell) for cell in _elements(one))
            lines.append(f'<item><list type="row">{cells}</list></item>')
    return f'<list type="table">{"".join(lines)}</list>'


def _write_cell(cell: Element) -> str:
    said = ["header"] if cell.name == "th" else []
    said += [f"{name}-{value}" for name, value in cell.attributes.items()]
    rend = f' rend="{" ".join(said)}"' if said else ""
    return f"<item{rend}>{_write_flow(cell.children)}</item>"


def _write_figure(element: Element) -> str:
    lines = []
    for one in _elements(element):
        if one.name in INLINE:
            lines.append(_write_inline(one))
        elif one.name in {"p", "figcaption"}:
            kind = ' type="caption"' if one.name == "figcaption" else ""
            lines.append(f"<ab{kind}>{_write_line(one.children)}</ab>")
        else:
            lines.append(_write_block(one))
    return f'<ab type="figure">{"".join(lines)}</ab>'


def _write_notes(element: Element) -> str:
    notes = [
        f'<note xml:id="{_note_id(one)}" n="{escape(one.attributes["name"])}" place="foot">'
        f"{_write_flow(one.children)}</note>"
        for one in _elements(element)
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
    name, said = piece.name, piece.attributes
    if name == "br":
        return "<lb/>"
    if name == "img":
        text = f"<desc>{escape(said['alt'])}</desc>" if said["alt"] else ""
        return f'<graphic url="{escape(said["src"])}">{text}</graphic>'
    inner = _write_line(piece.children)
    if name == "math":
        return f'<seg type="formula" subtype="TeX">{inner}</seg>'
    if name in {"a", "noteref"}:
        target = escape(said["href"]) if name == "a" else f"#{_note_id(piece)}"
        return f'<ref target="{target}">{inner}</ref>'
    return f"<del>{inner}</del>" if name == "del" else f'<hi rend="{_RENDS[name]}">{inner}</hi>'


def _note_id(element: Element) -> str:
    """A name that XML accepts for any name of a note."""
    return "note-" + "-".join(f"{ord(character):x}" for character in element.attributes["name"])


def _elements(element: Element) -> list[Element]:
    return [child for child in element.children if isinstance(child, Element)]
