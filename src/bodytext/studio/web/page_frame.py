"""Write a page as harmless HTML for a sandboxed frame, with its style and marks for its blocks.

The HTML is written from the page's tables, not cut out of the source. Elements and attributes
come from lists of harmless ones, and text is escaped. So whatever is not on the lists cannot be in
the frame, however broken the page is, and the block of each piece of text is known. Nothing of the
page runs or loads: the frame is shown with sandbox="allow-same-origin" and never allow-scripts, and
is sent with FRAME_POLICY.

Marks: an element that holds exactly one block has data-bt-b="NUMBER"; a block that shares its
element has each piece of its text in <bt-run data-bt-b="NUMBER">. What the page hides has
data-bt-hidden and is shown when the root has data-bt-reveal. `static/pageview.js` reads the marks
and sets colours by data-bt-s, which `static/frame.css` defines.
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
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin"
)
DEEPEST = 250  # nested elements; browsers stop at 512, real pages stay below 100
MOST_PIECES = 300_000  # elements and texts; with more, a browser would be busy for minutes
_FIRST_CHUNK, _LARGEST_CHUNK = 500, 16_000  # pieces sent together: few at first, for a quick start
_LONGEST_VALUE = 4_000  # characters of an attribute
_LONGEST_PICTURE = 1_000_000  # characters of a picture in a data: address

# Elements that are shown as they are. All others are left out, and their content goes to the
# element around them.
_SHOWN = """
    a abbr acronym address article aside b bdi bdo big blockquote body br caption center cite
    code col colgroup data dd del details dfn dir div dl dt em fieldset figcaption figure font
    footer h1 h2 h3 h4 h5 h6 header hgroup hr html i img input ins kbd label legend li main mark
    menu meter mi mn mo ms mtext math nav nobr ol optgroup option output p picture pre progress
    q rb rp rt rtc ruby s samp search section select small span strike strong sub summary sup
    table tbody td tfoot th thead time tr tt u ul var wbr
"""
_SHOWN_NAMES = frozenset(_SHOWN.split())
# Elements that do something are shown as elements that do nothing.
_INSTEAD = {"form": "div", "dialog": "div", "marquee": "div", "slot": "span", "button": "bt-button"}
_INSTEAD |= dict.fromkeys(("textarea", "xmp", "plaintext", "listing"), "pre")
_NAMES: list[str] = [_INSTEAD.get(name, name if name in _SHOWN_NAMES else "") for name in TAGS]
_VOID = frozenset({"br", "col", "hr", "img", "input", "wbr"})
_UNSEEN = tag_mask(
    "noscript template svg canvas audio video object applet noembed noframes iframe datalist",
)
_HTML, _STYLE, _BUTTON = map(TAGS.index, ("html", "style", "button"))
_FORMULA = """
    menclose mfenced mfrac mmultiscripts mover mpadded mphantom mroot mrow mspace msqrt mstyle
    msub msubsup msup mtable mtd mtr munder munderover semantics
"""
_FORMULA_NAMES = frozenset(_FORMULA.split())
_TAG_NAME = re.compile(rb"<([a-zA-Z][a-zA-Z0-9-]{0,40})(?=[\s/>])")
_CUSTOM = re.compile(
    r"(?!bt-|xml|annotation-|color-profile|font-face|missing-glyph)"
    r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+"
)

_ATTRIBUTES = """
    align alt border bgcolor cellpadding cellspacing class clear color colspan cols dir disabled
    face height id lang max min nowrap noshade placeholder reversed rowspan rows scope size span
    start title type valign value width
"""
_KEPT = frozenset(_ATTRIBUTES.split())
_DOCTYPE = re.compile(
    rb"\s*+(?>(?:(?><!--.*?-->)\s*+|<\?[^>]*+>\s*+)*)<!doctype\s++html",
    re.IGNORECASE | re.DOTALL,
)
_HEAD_BYTES = 4_096  # that are searched for a document type
_INPUT_TYPES = "text search checkbox radio submit button reset email number range"
_INPUTS = frozenset(_INPUT_TYPES.split())


def write_frame(page: Page, *, styled: bool = True) -> Iterator[str]:
    """Yield the page's frame in pieces; `styled` keeps the author's style."""
    yield from _FrameWriter(page, styled=styled).write()


class _FrameWriter:
    """The columns that a frame needs, as lists, and the elements that are open."""

    def __init__(self, page: Page, *, styled: bool) -> None:
        self.page, self.styled = page, styled
        nodes, runs, blocks = page.nodes, page.runs, page.blocks
        unseen = _UNSEEN[nodes.tag]
        inside = or_above(unseen, nodes.parent)
        parent_inside = inside[np.maximum(nodes.parent, 0)] & (nodes.parent >= 0)
        self.outermost = (unseen & ~parent_inside).tolist()
        self.inside = inside.tolist()
        self.tag, self.parent = nodes.tag.tolist(), nodes.parent.tolist()
        self.first_run, self.stop_run = nodes.first_run.tolist(), nodes.stop_run.tolist()
        self.start, self.flags = nodes.start.tolist(), nodes.flags.tolist()
        run_columns = (runs.start, runs.end, runs.node, runs.flags)
        self.run_columns = tuple(column.tolist() for column in run_columns)
        self.block_of = np.repeat(np.arange(len(page)), blocks.stop_run - blocks.first_run).tolist()
        self.own = self._own_blocks()
        self.path: list[tuple[int, str]] = []  # open nodes, each with the name of its end tag or ""
        self.marked = -1  # the block whose own element is open
        self.parted = True  # the last thing written was white space, or nothing
        self.pieces: list[str] = []
        self.done = 0  # runs written

    def _own_blocks(self) -> dict[int, int]:
        """Map nodes that hold exactly one block to its number."""
        nodes, blocks = self.page.nodes, self.page.blocks
        holder = blocks.node
        alone = nodes.first_run[holder] == blocks.first_run
        alone &= nodes.stop_run[holder] == blocks.stop_run
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
            note = f"{left:,} more blocks are not shown: the page is too large for a frame"
            self.pieces.append(f"<bt-end>{note}</bt-end>")
        self._close(0)
        yield self._flush()

    def _steps(self) -> Iterator[None]:
        """Write elements and runs in the page's order, one in each step."""
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
        """Close elements until `depth` are open."""
        while len(self.path) > depth:
            node, name = self.path.pop()
            if name:
                self.pieces.append(f"</{name}>")
            if self.own.get(node, -1) == self.marked:
                self.marked = -1

    def _close_to(self, node: int) -> None:
        """Close elements until the node is the innermost open one."""
        while self.path and self.path[-1][0] != node:
            self._close(len(self.path) - 1)

    def _open(self, node: int) -> None:
        self._close_to(self.parent[node])
        if self.tag[node] == _STYLE and not self.inside[node]:
            self._write_style(node)
        name, end = self._name(node), ""
        if name and len(self.path) < DEEPEST:
            end = self._write_start(node, name)
        self.path.append((node, end))

    def _write_start(self, node: int, name: str) -> str:
        """Write an element's start tag, and return the name in its end tag; "" if it has none."""
        if name == "input" and self._is_hidden_input(node):
            return ""
        self._write_space(node)
        if name == "img" and self._write_alternative(node):
            return ""
        attributes = self._attributes(node, name)
        if self.tag[node] != _HTML:
            self.pieces.append(f"<{name}{attributes}>")
        else:
            self.pieces.append(f"<{name}{attributes}{'' if self.styled else ' data-bt-plain'}>")
            self._write_head()
        if name in _VOID:
            self.parted = self.parted or name == "br"
            return ""
        self.marked = self.own.get(node, self.marked)
        return name

    def _is_hidden_input(self, node: int) -> bool:
        kind = self.page.attributes(node).get("type", "").strip().lower()
        return kind in {"hidden", "image", "file"}

    def _write_alternative(self, node: int) -> bool:
        """Write the alternative text of a picture that would have to load; False for others."""
        given = self.page.attributes(node)
        if _is_inline(given.get("src", "")):
            return False
        text = " ".join(given.get("alt", "")[:_LONGEST_VALUE].split())
        kind = f' class="{escape(given["class"][:_LONGEST_VALUE])}"' if "class" in given else ""
        if text:
            self.pieces.append(f"<bt-image{kind}>{escape(text)}</bt-image>")
        return True

    def _name(self, node: int) -> str:
        """Return the name that an element is written with; "" to leave it out."""
        empty = self.first_run[node] == self.stop_run[node]
        if self.inside[node]:
            return "bt-hidden" if self.outermost[node] and not empty else ""
        tag: int = self.tag[node]
        if tag == _BUTTON and empty:
            return "span"  # it showed a drawing
        return _NAMES[tag] if tag else self._unknown_name(node, empty=empty)

    def _unknown_name(self, node: int, *, empty: bool) -> str:
        """Return the name of an element unknown to HTML: its own if it is harmless."""
        match = _TAG_NAME.match(self.page.source, self.start[node])
        name = match[1].decode().lower() if match else ""
        if name in _FORMULA_NAMES or _CUSTOM.fullmatch(name):
            return name
        return "" if empty else "span"

    def _write_space(self, node: int) -> None:
        """Write white space before an element if the source has some."""
        start = self.start[node]
        if not self.parted and start and self.page.source[start - 1] in b" \t\r\n\f":
            self.pieces.append(" ")
            self.parted = True

    def _attributes(self, node: int, name: str) -> str:
        given = self._given_attributes(node, name)
        written = "".join(self._clean_attribute(key, value) for key, value in given.items())
        written += _special_attributes(name, given)
        if self.flags[node] & NodeFlag.HIDDEN or name == "bt-hidden":
            written += " data-bt-hidden"
        if "hidden" in given:
            written += " hidden"
        block = self.own.get(node)
        return written if block is None else f'{written} data-bt-b="{block}"'

    def _given_attributes(self, node: int, name: str) -> dict[str, str]:
        """Return the attributes in the source; an input gets a harmless type."""
        nodes = self.page.nodes
        given: dict[str, str] = {}
        if name != "bt-hidden" and nodes.start[node] < nodes.end[node]:
            given = self.page.attributes(node)
        if name == "input":
            kind = given.get("type", "text").lower()
            given = given | {"type": kind if kind in _INPUTS else "text"}
        return given

    def _clean_attribute(self, key: str, value: str) -> str:
        if key in _KEPT and len(value) <= _LONGEST_VALUE:
            return f' {key}="{escape(value)}"'
        if key == "style" and self.styled:
            return f' style="{escape(clean_css(value[:_LONGEST_VALUE]))}"'
        return ""

    def _write_head(self) -> None:
        """Write our own style; those of the author and of `pageview.js` come on top of it."""
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
    """Whether a picture is contained in its own address."""
    return source[:11].lower() == "data:image/" and len(source) <= _LONGEST_PICTURE


def _special_attributes(name: str, given: dict[str, str]) -> str:
    """Return what some elements need so that they are shown and do nothing."""
    if name == "img":
        return f' src="{escape(given["src"])}"'
    if name == "a":
        return " data-bt-link" if "href" in given else ""
    if name in {"input", "select", "fieldset"}:
        return ' disabled tabindex="-1"'
    return " open" if name == "details" else ""
