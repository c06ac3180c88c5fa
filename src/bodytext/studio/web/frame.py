"""write_frame: Page -> HTML for a sandboxed frame: the page as its author styled it, made harmless, its blocks marked.

The HTML is written anew from the page's tables, not cut out of the source: elements by a list of harmless ones, their
attributes by another, text with its signs escaped. So what is not on the lists cannot be in the frame, however broken
the page is, and each piece of text is known to be of its block. Nothing of the page's own runs or loads: the frame is
shown with sandbox="allow-same-origin" and never allow-scripts, and comes with FRAME_POLICY.

Marks: the element that holds one block and nothing else has data-bt-b="NUMBER"; a block that shares its element has
each piece of its text in <bt-run data-bt-b="NUMBER">. What the page hides has data-bt-hidden and is shown where the
root has data-bt-reveal. `static/pageview.js` reads the marks and colours by data-bt-s; `static/frame.css` says how that
looks.
"""

import re
from collections.abc import Iterator
from html import escape

import numpy as np

from bodytext.kernel.html import TAGS, Flag, NodeFlag
from bodytext.page.tables import Page, or_above, tag_mask
from bodytext.studio.web.app import STATIC
from bodytext.studio.web.stylesheets import clean_css

FRAME_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox allow-same-origin"
)
DEEPEST = 250  # elements in each other; browsers have a limit of 512, real pages stay below 100
MOST_PIECES = 300_000  # elements and texts; beyond, a browser would be busy for minutes
_FIRST_CHUNK, _LARGEST_CHUNK = 500, 16_000  # pieces sent together: the top of a page soon, the rest in few pieces
_LONGEST_VALUE = 4_000  # characters of an attribute
_LONGEST_PICTURE = 1_000_000  # characters of a picture that stands in its address

# Elements that are shown as they are. All others are left out, and what they hold stands in what is around them.
_SHOWN = """
    a abbr acronym address article aside b bdi bdo big blockquote body br caption center cite code col colgroup data dd
    del details dfn dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr html i
    img input ins kbd label legend li main mark menu meter mi mn mo ms mtext math nav nobr ol optgroup option output p
    picture pre progress q rb rp rt rtc ruby s samp search section select small span strike strong sub summary sup table
    tbody td tfoot th thead time tr tt u ul var wbr
"""
_SHOWN_NAMES = frozenset(_SHOWN.split())
# Elements that do something are shown as ones that do nothing.
_INSTEAD = {"form": "div", "dialog": "div", "marquee": "div", "slot": "span", "button": "bt-button"}
_INSTEAD |= dict.fromkeys(("textarea", "xmp", "plaintext", "listing"), "pre")
_NAMES: list[str] = [_INSTEAD.get(name, name if name in _SHOWN_NAMES else "") for name in TAGS]
_VOID = frozenset({"br", "col", "hr", "img", "input", "wbr"})
_UNSEEN = tag_mask("noscript template svg canvas audio video object applet noembed noframes iframe datalist")
_STYLE, _BUTTON = TAGS.index("style"), TAGS.index("button")
_FORMULA = """
    menclose mfenced mfrac mmultiscripts mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable
    mtd mtr munder munderover semantics
"""
_FORMULA_NAMES = frozenset(_FORMULA.split())
_OWN_NAME = re.compile(rb"<([a-zA-Z][a-zA-Z0-9-]{0,40})(?=[\s/>])")
_CUSTOM = re.compile(r"(?!bt-|xml|annotation-|color-profile|font-face|missing-glyph)[a-z][a-z0-9]*(?:-[a-z0-9]+)+")

_ATTRIBUTES = """
    align alt border bgcolor cellpadding cellspacing class clear color colspan cols dir disabled face height id lang max
    min nowrap noshade placeholder reversed rowspan rows scope size span start title type valign value width
"""
_KEPT = frozenset(_ATTRIBUTES.split())
_DOCTYPE = re.compile(rb"\s*+(?:(?><!--.*?-->)\s*+|<\?[^>]*+>\s*+)*+<!doctype\s++html", re.IGNORECASE | re.DOTALL)
_HEAD_BYTES = 4_096  # in which a document type is looked for
_INPUTS = frozenset({"text", "search", "checkbox", "radio", "submit", "button", "reset", "email", "number", "range"})


def write_frame(page: Page, *, styled: bool = True) -> Iterator[str]:
    """The page's frame, piece by piece; `styled` leaves the author's style in."""
    yield from _Frame(page, styled=styled).write()


class _Frame:
    """A frame in the making: what of the page's tables it needs, as lists, and the elements that are open."""

    def __init__(self, page: Page, *, styled: bool) -> None:
        self.page, self.styled = page, styled
        nodes, runs, blocks = page.nodes, page.runs, page.blocks
        unseen = _UNSEEN[nodes.tag]
        inside = or_above(unseen, nodes.parent)
        self.outermost = (unseen & ~(inside[np.maximum(nodes.parent, 0)] & (nodes.parent >= 0))).tolist()
        self.inside = inside.tolist()
        self.tag, self.parent = nodes.tag.tolist(), nodes.parent.tolist()
        self.first_run, self.stop_run = nodes.first_run.tolist(), nodes.stop_run.tolist()
        self.start, self.flags = nodes.start.tolist(), nodes.flags.tolist()
        self.run_columns = tuple(column.tolist() for column in (runs.start, runs.end, runs.node, runs.flags))
        self.block_of = np.repeat(np.arange(len(page)), blocks.stop_run - blocks.first_run).tolist()
        self.own = self._own_blocks()
        self.path: list[tuple[int, str]] = []  # open nodes, each with the name it was written under or ""
        self.marked = -1  # the block whose element is open
        self.parted = True  # nothing or white space was written last
        self.pieces: list[str] = []
        self.done = 0  # runs

    def _own_blocks(self) -> dict[int, int]:
        """Nodes that hold one block and nothing else, and its number."""
        nodes, blocks = self.page.nodes, self.page.blocks
        holder = blocks.node
        alone = (nodes.first_run[holder] == blocks.first_run) & (nodes.stop_run[holder] == blocks.stop_run)
        alone &= ~tag_mask("html body")[nodes.tag[holder]]
        return dict(zip(holder[alone].tolist(), np.flatnonzero(alone).tolist(), strict=True))

    def write(self) -> Iterator[str]:
        head = self.page.source[:_HEAD_BYTES]
        yield "<!doctype html>\n" if _DOCTYPE.match(head) else ""
        chunk = _FIRST_CHUNK
        for step, _ in enumerate(self._steps()):
            if len(self.pieces) > chunk:
                yield self._flush()
                chunk = min(2 * chunk, _LARGEST_CHUNK)
            if step >= MOST_PIECES:
                break
        self._close(1)
        left = len(self.page) - self.block_of[self.done] if self.done < len(self.block_of) else 0
        if left:
            words = f"{left:,} more blocks are not shown: the page is too large for a frame"
            self.pieces.append(f"<bt-end>{words}</bt-end>")
        self._close(0)
        yield self._flush()

    def _steps(self) -> Iterator[None]:
        """Write elements and runs in the page's order, a step each."""
        for node, first_run in enumerate(self.first_run):
            yield from self._write_runs(first_run)
            self._open(node)
            yield
        yield from self._write_runs(len(self.block_of))

    def _write_runs(self, stop: int) -> Iterator[None]:
        while self.done < stop:
            self._write_run(self.done)
            self.done += 1
            yield

    def _flush(self) -> str:
        text = "".join(self.pieces)
        self.pieces.clear()
        return text

    def _close(self, depth: int) -> None:
        """Close elements until so many are open."""
        while len(self.path) > depth:
            node, name = self.path.pop()
            if name:
                self.pieces.append(f"</{name}>")
            if self.own.get(node, -1) == self.marked:
                self.marked = -1

    def _close_to(self, node: int) -> None:
        """Close elements until the node is the innermost."""
        while self.path and self.path[-1][0] != node:
            self._close(len(self.path) - 1)

    def _open(self, node: int) -> None:
        self._close_to(self.parent[node])
        tag = self.tag[node]
        if tag == _STYLE and not self.inside[node]:
            self._write_style(node)
        name = self._name(node)
        if not name or len(self.path) >= DEEPEST or (name == "input" and self._is_hidden_input(node)):
            self.path.append((node, ""))
            return
        self._part(node)
        if name == "img" and self._write_blank(node):
            self.path.append((node, ""))
            return
        attributes = self._attributes(node, name)
        if TAGS[tag] == "html" and not self.styled:
            attributes += " data-bt-plain"
        self.pieces.append(f"<{name}{attributes}>")
        if TAGS[tag] == "html":
            self._write_head()
        if name in _VOID:
            self.path.append((node, ""))
            self.parted = self.parted or name == "br"
            return
        self.path.append((node, name))
        self.marked = self.own.get(node, self.marked)

    def _is_hidden_input(self, node: int) -> bool:
        return self.page.attributes(node).get("type", "").strip().lower() in {"hidden", "image", "file"}

    def _write_blank(self, node: int) -> bool:
        """Of a picture that stands elsewhere, what it is said to show."""
        given = self.page.attributes(node)
        if _is_inline(given.get("src", "")):
            return False
        words = " ".join(given.get("alt", "")[:_LONGEST_VALUE].split())
        kind = f' class="{escape(given["class"][:_LONGEST_VALUE])}"' if "class" in given else ""
        if words:
            self.pieces.append(f"<bt-image{kind}>{escape(words)}</bt-image>")
        return True

    def _name(self, node: int) -> str:
        """What an element is written as, or nothing."""
        if self.inside[node]:
            shown = self.outermost[node] and self.first_run[node] < self.stop_run[node]
            return "bt-hidden" if shown else ""
        tag: int = self.tag[node]
        if tag == _BUTTON and self.first_run[node] == self.stop_run[node]:
            return "span"  # what it showed was a drawing
        if tag:
            return _NAMES[tag]
        found = _OWN_NAME.match(self.page.source, self.start[node])
        name = found[1].decode().lower() if found else ""
        if name in _FORMULA_NAMES or _CUSTOM.fullmatch(name):
            return name
        return "span" if self.first_run[node] < self.stop_run[node] else ""

    def _part(self, node: int) -> None:
        """White space before an element, where the source has some."""
        start = self.start[node]
        if not self.parted and start and self.page.source[start - 1] in b" \t\r\n\f":
            self.pieces.append(" ")
            self.parted = True

    def _attributes(self, node: int, name: str) -> str:
        page, written = self.page, ""
        given = page.attributes(node) if page.nodes.start[node] < page.nodes.end[node] else {}
        if name == "bt-hidden":
            given = {}
        if name == "input":
            kind = given.get("type", "text").lower()
            given = given | {"type": kind if kind in _INPUTS else "text"}
        for key, value in given.items():
            if key in _KEPT and len(value) <= _LONGEST_VALUE:
                written += f' {key}="{escape(value)}"'
            elif key == "style" and self.styled:
                written += f' style="{escape(clean_css(value[:_LONGEST_VALUE]))}"'
        written += _special(name, given)
        if self.flags[node] & NodeFlag.HIDDEN or name == "bt-hidden":
            written += " data-bt-hidden"
        if "hidden" in given:
            written += " hidden"
        block = self.own.get(node)
        return written if block is None else f'{written} data-bt-b="{block}"'

    def _write_head(self) -> None:
        """Our own style: what every frame needs; `pageview.js` and the author's sheets come on top of it."""
        sheet = (STATIC / "frame.css").read_text("utf-8")
        self.pieces.append(f'<meta charset="utf-8"><style data-bt-own>{sheet}</style>')

    def _write_style(self, node: int) -> None:
        given = self.page.attributes(node)
        if not self.styled or given.get("type", "text/css").strip().lower() not in {"", "text/css"}:
            return
        media = f' media="{escape(given["media"][:_LONGEST_VALUE])}"' if "media" in given else ""
        self.pieces.append(f"<style{media}>{clean_css(self.page.content(node))}</style>")

    def _write_run(self, run: int) -> None:
        start, end, node, flags = (column[run] for column in self.run_columns)
        self._close_to(node)
        text = self.page.source[start:end].decode("utf-8", "replace").replace("\0", "")
        if flags & Flag.VERBATIM:
            text = text.replace("&", "&amp;")
        text = text.replace("<", "&lt;").replace(">", "&gt;")
        if flags & Flag.SPACE and not self.parted:
            self.pieces.append(" ")
        block = self.block_of[run]
        marked = block == self.marked
        self.pieces.append(text if marked else f'<bt-run data-bt-b="{block}">{text}</bt-run>')
        self.parted = text[-1:].isspace()


def _is_inline(source: str) -> bool:
    """Whether a picture stands in its own address."""
    return source[:11].lower() == "data:image/" and len(source) <= _LONGEST_PICTURE


def _special(name: str, given: dict[str, str]) -> str:
    """What some elements need to be shown and to do nothing."""
    if name == "img":
        return f' src="{escape(given["src"])}"'
    if name == "a":
        return " data-bt-link" if "href" in given else ""
    if name in {"input", "select", "fieldset"}:
        return ' disabled tabindex="-1"'
    return " open" if name == "details" else ""
