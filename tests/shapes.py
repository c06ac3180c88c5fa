"""Compare pieces of HTML by their shape: a list of opening tags, texts with their marks, and closing tags.

Two pieces of HTML have the same shape if they mean the same. Differences that Markdown cannot express are removed: a
paragraph alone in an item or a cell is the same as its bare text, a header cell in the body of a table is the same as a
plain cell, and the order in which marks are nested does not matter.
"""

import re

from lxml import etree
from lxml import html as lxml_html
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

_MARKS = {"a", "del", "s", "mark", "em", "strong", "sub", "sup", "code"}
_ITEMS = {"li", "dd", "td", "th"}
_SILENT = {"body", "thead", "tbody", "code"}
_PLAIN_CELLS = {"th": "td", "/th": "/td"}
_KEPT = ("start", "type", "reversed", "value", "colspan", "rowspan", "src", "alt")
_RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
_WITH_NOTES = (
    MarkdownIt("commonmark", {"html": True})
    .enable("table")
    .enable("strikethrough")
    .use(footnote_plugin)
)

Shape = list[tuple[str, ...]]


def render_markdown(text: str, *, footnotes: bool = False) -> str:
    """Render Markdown as CommonMark, with the tables and strikethrough of GFM."""
    html: str = (_WITH_NOTES if footnotes else _RENDERER).render(text)
    return html


def shape(html: str) -> Shape:
    """Return the shape of a piece of HTML."""
    if not html.strip():
        return []
    body = lxml_html.document_fromstring(f"<html><body>{html}</body></html>").find("body")
    events: Shape = []
    _walk(body, frozenset(), events, pre=False)
    return _settle(events)


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return re.findall(r"\w+", text)


def seen_words(html: str) -> list[str]:
    """Return the words that a reader of the HTML sees, in order."""
    return words("".join(map(_read_event, shape(html))))


def _read_event(event: tuple[str, ...]) -> str:
    if event[0] == "text":
        return event[1]
    return "" if event[0] == "img" else " "


def _walk(element: etree._Element, marks: frozenset[str], events: Shape, *, pre: bool) -> None:
    name = element.tag
    if name in _MARKS and not pre:
        marks |= {_mark(element)}
    elif name == "br":
        events.append(("br",))
    elif name == "img":
        events.append(("img", _address(element.get("src", "")), element.get("alt", "")))
    elif name not in _SILENT and not _is_bare(element):
        attributes = [f"{key}={element.get(key)}" for key in _KEPT if element.get(key) is not None]
        events.append((name, *attributes))
    if _is_bare(element):
        events.append(("line",))
    pre = pre or name == "pre"
    _add_text(element.text, marks, events, pre=pre)
    for child in element:
        if isinstance(child.tag, str):
            _walk(child, marks, events, pre=pre)
        _add_text(child.tail, marks, events, pre=pre)
    if name == "pre":
        code = element.find("code")
        events.append(("language", code.get("class", "") if code is not None else ""))
    if name not in _MARKS | _SILENT | {"br", "img", "hr"} and not _is_bare(element):
        events.append((f"/{name}",))


def _is_bare(element: etree._Element) -> bool:
    """Return whether a paragraph in an item or a cell could do without its tags."""
    return element.tag == "p" and element.getparent().tag in _ITEMS


def _mark(element: etree._Element) -> str:
    if element.tag == "a":
        return f"a={_address(element.get('href', ''))}"
    return "del" if element.tag == "s" else str(element.tag)


def _address(value: str) -> str:
    return str(_RENDERER.normalizeLink(value))


def _add_text(text: str | None, marks: frozenset[str], events: Shape, *, pre: bool) -> None:
    if not text:
        return
    text = text if pre else re.sub(r"\s+", " ", text)
    key = ",".join(sorted(marks))
    if events and events[-1][0] == "text" and events[-1][2] == key:
        events[-1] = ("text", events[-1][1] + text, key)
    else:
        events.append(("text", text, key))


def _settle(events: Shape) -> Shape:
    """Drop what Markdown cannot express, and white space next to blocks."""
    settled: Shape = []
    for index, event in enumerate(events):
        name = event[0]
        if name == "text":
            before = settled[-1] if settled else ("",)
            after = events[index + 1] if index + 1 < len(events) else ("",)
            in_code = bool(settled) and settled[-1][0] == "pre"
            text = event[1] if in_code else _trim(event[1], before, after)
            if text:
                settled.append(("text", text, event[2]))
        elif name == "line":
            if settled and settled[-1][0] == "text":
                settled.append(event)
        else:
            settled.append((_PLAIN_CELLS.get(name, name), *event[1:]))
    return _drop_padding(settled)


def _trim(text: str, before: tuple[str, ...], after: tuple[str, ...]) -> str:
    inline = {"text", "img"}
    if before[0] not in inline:
        text = text.lstrip()
    return text if after[0] in inline else text.rstrip()


def _drop_padding(events: Shape) -> Shape:
    """Drop empty cells at the ends of rows, and rows of empty cells: GFM needs both."""
    settled: Shape = []
    for event in events:
        settled.append(event)
        if event == ("/tr",):
            while settled[-3:] == [("td",), ("/td",), ("/tr",)]:
                del settled[-3:-1]
            if settled[-2:] == [("tr",), ("/tr",)]:
                del settled[-2:]
    return settled
