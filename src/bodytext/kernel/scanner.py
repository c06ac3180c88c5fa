"""UTF-8 bytes of a page -> integer arrays, in plain Python: the specification of `scan.pyx`, its fallback and oracle.

One pass, no tree and no backtracking. The open elements are a stack; for each tag the depth of its topmost open
element is known, and so are, for each depth, the nearest special, barrier and scope elements at or below it. Every
"is X open in scope" of the HTML standard is then one comparison, and hostile nesting costs nothing.

Deviations from the standard's tree construction, all chosen because a flat table of text has no use for more:
formatting elements that are closed across a block stay open in the table (links alone are tracked exactly), text that
stands directly in a table is not moved in front of it, implied table rows make no node, `noscript` is markup and
stays where it is, a `<table>` closes a `<p>` in every mode, NUL is dropped everywhere, and frames are left out.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import (
    CONCEALING,
    GAPS,
    KINDS,
    LINES_SHIFT,
    MOST_LINES,
    PARAGRAPH_OVERRIDES,
    RULES,
    SPOKEN_CLASSES,
    TAG,
    TAG_FLAGS,
    UNKNOWN,
    Flag,
    Kind,
    NodeFlag,
    TagRule,
)
from bodytext.kernel.tokens import read_attributes, unescape
from bodytext.kernel.words import measure

Table = npt.NDArray[np.int32]

NAME = "python"

_LINE_MARK = "\0"  # NUL is dropped from every text, so it can stand for a line break until the text is folded

DEAD = -1  # a stack entry whose element was closed while others above it stay open
LONGEST_NAME = 64  # a longer tag name is read as unknown and matches no end tag
UNKNOWN_REACH = 64  # how far up the stack the end tag of an unknown element is looked for

_TAG_NAME = re.compile(rb"[A-Za-z][^\t\n\f\r />]*")
_SCRIPT_POINT = re.compile(rb"<!--|-->|</?script(?=[\t\n\f\r />])", re.IGNORECASE)
_COMMENT_END = re.compile(rb"--!?>")
_LEADING_LINES = re.compile(r"\A(?:[^\S\n]*+\n)++")
_SPACES = re.compile(rb"[\t\n\f\r ]+")
_SPOKEN_CLASS = "|".join(SPOKEN_CLASSES).encode()
_FIRST_SPOKEN = re.compile(rb"(?:" + _SPOKEN_CLASS + rb")(?:[\t\n\f\r ]|\Z)")
_LAST_SPOKEN = re.compile(rb"[\t\n\f\r ](?:" + _SPOKEN_CLASS + rb")\Z")
_CONCEALING = {words.encode(): flag for words, flag in CONCEALING.items()}

_ATTRIBUTE_FLAGS = {b"hidden": NodeFlag.HIDDEN, b"href": NodeFlag.LINK}
_VOID, _RAW, _RAW_TEXT = int(TagRule.VOID), int(TagRule.RAW), int(TagRule.RAW_TEXT)
_BLOCK, _SPECIAL, _BARRIER, _SCOPE = int(TagRule.BLOCK), int(TagRule.SPECIAL), int(TagRule.BARRIER), int(TagRule.SCOPE)
_MARKER, _FORMATTING, _CLOSES_P = int(TagRule.MARKER), int(TagRule.FORMATTING), int(TagRule.CLOSES_P)
_HEAD, _HEADING = int(TagRule.HEAD), int(TagRule.HEADING)
_FOREIGN_ONLY, _INTEGRATION = int(TagRule.FOREIGN_ONLY), int(TagRule.INTEGRATION)
_FOREIGN, _SILENT, _PRE = int(Flag.FOREIGN), int(Flag.SILENT), int(Flag.PRE)
_KIND_SHIFT = 24  # the kind of a block travels in the top bits of the inherited flags
_KIND_MASK = 15
_SPOKEN = int(Flag.SPOKEN)
_FLAG_MASK = (1 << _KIND_SHIFT) - 1 | _SPOKEN
_LEFT_OUT = (int(Flag.HIDDEN | Flag.SPOKEN), int(Flag.HIDDEN), 0)

_HEADING_TAGS = tuple(TAG[f"h{level}"] for level in range(1, 7))
_SECTIONS = (TAG["tbody"], TAG["thead"], TAG["tfoot"])
_CELLS = (TAG["td"], TAG["th"])
_TERMS = (TAG["dt"], TAG["dd"])
_RUBY = (TAG["rb"], TAG["rp"], TAG["rt"], TAG["rtc"])
_FRAMES = (TAG["frame"], TAG["frameset"])
_TABLE_PARTS = frozenset({TAG["caption"], TAG["col"], TAG["colgroup"], TAG["tr"], *_SECTIONS, *_CELLS})


def count_sequences(data: bytes) -> int:
    """How many characters of UTF-8 take several bytes; -1 where the bytes are no UTF-8."""
    try:
        return sum(not character.isascii() for character in data.decode("utf-8"))
    except UnicodeDecodeError:
        return -1


def nearest_marked(marked: npt.NDArray[np.bool_], parent: Table) -> Table:
    """For each node the nearest marked one at or above it, or -1. Parents come before their children."""
    nearest: list[int] = []
    for node, (mark, above) in enumerate(zip(marked.tolist(), parent.tolist(), strict=True)):
        nearest.append(node if mark else nearest[above] if above >= 0 else -1)
    return np.array(nearest, dtype=np.int32)


def write_texts(
    source: bytes, runs: Sequence[Table], blocks: Sequence[Table], gaps: bytes, folded: bytes
) -> tuple[bytes, Table]:
    """The texts of blocks as one UTF-8 buffer, and for each block where its text starts and ends in it.

    Runs are given by their start, end and flags, blocks by their first and stop runs; `gaps` says what comes before
    each block (an index into GAPS), `folded` whether its line breaks become spaces. White space is folded; in <pre>
    it is kept, but for blank lines before the text and what follows it. An empty block gets no gap.
    """
    buffer = bytearray()
    rows = list(zip(*(column.tolist() for column in runs), strict=True))
    spans = np.zeros((2, len(gaps)), dtype=np.int32)
    for index, (first, stop) in enumerate(zip(*(column.tolist() for column in blocks), strict=True)):
        text = _read_block(source, rows[first:stop], b" " if folded[index] else b"\n")
        if text and buffer:
            buffer += GAPS[gaps[index]].encode()
        spans[0, index] = len(buffer)
        buffer += text
        spans[1, index] = len(buffer)
    return bytes(buffer), spans


def find_originals(source: bytes, runs: Sequence[Table], blocks: Sequence[Table]) -> Table:
    """For each block of a valid source the place of the first one of them that has the same text."""
    count = len(blocks[0])
    buffer, spans = write_texts(source, runs, blocks, bytes(count), b"\1" * count)
    first: dict[bytes, int] = {}
    places = [first.setdefault(buffer[start:end], block) for block, (start, end) in enumerate(spans.T.tolist())]
    return np.array(places, dtype=np.int32)


def _read_block(source: bytes, runs: list[tuple[int, int, int]], line_break: bytes) -> bytes:
    pieces: list[str] = []
    preformatted = bool(runs) and runs[0][2] & _PRE
    # Hidden words inside a block that is shown are left out, and those for screen readers inside one that is seen.
    runs = next((shown for left in _LEFT_OUT if (shown := [run for run in runs if not run[2] & left])), [])
    for start, end, flags in runs:
        lines = flags >> LINES_SHIFT & MOST_LINES if pieces else 0
        if preformatted:
            pieces.append("\n" * lines)
        elif pieces:
            pieces.append(_LINE_MARK if lines else " " if flags & Flag.SPACE else "")
        text = source[start:end].decode("utf-8", "replace")
        pieces.append((text if flags & Flag.VERBATIM else unescape(text)).replace("\0", ""))
    joined = "".join(pieces)
    if preformatted:
        return _LEADING_LINES.sub("", joined.replace("\r\n", "\n").replace("\r", "\n").rstrip()).encode()
    folded = (" ".join(line.split()) for line in joined.split(_LINE_MARK))
    return line_break.join(line.encode() for line in folded if line)


def scan(source: bytes) -> tuple[Table, Table, Table, int]:
    """Nodes, runs and blocks, a row a column of `bodytext.page.tables`, and the number of tags in the page."""
    scanner = _Scanner(source)
    scanner.read()
    return _table(scanner.nodes, 7), _table(scanner.runs, 8), _table(scanner.blocks, 4), scanner.tags


def _table(rows: list[list[int]], columns: int) -> Table:
    return np.array(rows, dtype=np.int32).reshape(len(rows), columns).T.copy()


class _OpenElement:
    """An open element: its tag, its node, and the depths of what the standard asks about at or below it."""

    __slots__ = ("barrier", "link", "mask", "node", "same", "scope", "special", "tag")

    def __init__(self, tag: int, node: int, mask: int) -> None:
        self.tag, self.node, self.mask = tag, node, mask
        self.same = self.link = 0
        self.special = self.barrier = self.scope = -1


class _Scanner:
    def __init__(self, source: bytes) -> None:
        self.source, self.length = source, len(source)
        self.nodes: list[list[int]] = []
        self.runs: list[list[int]] = []
        self.blocks: list[list[int]] = []
        self.tags = self.tags_before = 0
        self.stack: list[_OpenElement] = []
        self.last: dict[int, int] = {}
        self.body = self.head = self.form = -1
        self.link = 0
        self.at_break, self.line_breaks, self.space = True, 0, False
        self.at = 0
        self.push(TAG["html"], 0, 0, 0)

    # Reading: from one "<" to the next.

    def read(self) -> None:
        source, position = self.source, 0
        text_start = 0
        while True:
            opening = source.find(b"<", position)
            if opening < 0 or opening + 1 >= self.length:
                break
            following = source[opening + 1]
            if not (following in b"!?/" or 0x41 <= (following & 0xDF) <= 0x5A):
                position = opening + 1
                continue
            if following == 0x2F and opening + 2 >= self.length:
                break
            if text_start < opening:
                self.at = text_start
                self.text(text_start, opening)
            position = text_start = self.markup(opening)
        if text_start < self.length:
            self.at = text_start
            self.text(text_start, self.length)
        while self.stack:
            self.pop()

    def markup(self, opening: int) -> int:
        """Read what begins with "<" at an offset; return the offset behind it."""
        self.at = opening
        source, following = self.source, self.source[opening + 1]
        if following == 0x21:
            return self.declaration(opening)
        if following == 0x3F:
            return self.find(b">", opening + 2)
        if following == 0x2F:
            letter = source[opening + 2]
            if letter == 0x3E:
                return opening + 3
            if not 0x41 <= (letter & 0xDF) <= 0x5A:
                return self.find(b">", opening + 2)
            return self.end_tag(opening)
        return self.start_tag(opening)

    def find(self, needle: bytes, position: int) -> int:
        """The offset behind the next needle, or the page's end."""
        found = self.source.find(needle, position)
        return self.length if found < 0 else found + len(needle)

    def declaration(self, opening: int) -> int:
        source = self.source
        if source.startswith(b"<!--", opening):
            if source.startswith(b">", opening + 4):
                return opening + 5
            if source.startswith(b"->", opening + 4):
                return opening + 6
            end = _COMMENT_END.search(source, opening + 4)
            return end.end() if end else self.length
        if self.in_foreign_element() and source.startswith(b"<![CDATA[", opening):
            end_at = self.find(b"]]>", opening + 9)
            closed = end_at - 3 if source.startswith(b"]]>", end_at - 3) and end_at - 3 >= opening + 9 else end_at
            if opening + 9 < closed:
                self.text(opening + 9, closed, escapable=False)
            return end_at
        return self.find(b">", opening + 2)

    def in_foreign_element(self) -> bool:
        """Whether the element at the top is of SVG or MathML, though it may hold HTML."""
        top = self.stack[-1]
        holds_html = RULES[max(top.tag, 0)] & _INTEGRATION and len(self.stack) > 1
        return bool(top.mask & _FOREIGN or (holds_html and self.stack[-2].mask & _FOREIGN))

    # Tags.

    def start_tag(self, opening: int) -> int:
        name, name_end = self.tag_name(opening + 1)
        flags, position, self_closing = self.attributes(name_end)
        if position < 0:
            return self.length
        self.tags += 1
        tag = TAG.get(name, UNKNOWN)
        opened = self.open(tag, opening, position, (flags, self_closing))
        if opened and RULES[tag] & (_RAW | _RAW_TEXT):
            return self.raw_content(tag, name, position)
        return position

    def end_tag(self, opening: int) -> int:
        name, name_end = self.tag_name(opening + 2)
        _, position, _ = self.attributes(name_end)
        if position < 0:
            return self.length
        self.tags += 1
        self.close(TAG.get(name, UNKNOWN), name)
        return position

    def tag_name(self, start: int) -> tuple[str, int]:
        end = _TAG_NAME.match(self.source, start).end()  # type: ignore[union-attr]
        return self.source[start:end].lower().decode("latin-1") if end - start <= LONGEST_NAME else "", end

    def attributes(self, position: int) -> tuple[int, int, int]:
        """The node's flags, the offset behind the tag (-1 at the page's end), 1 for a self-closing tag."""
        flags = seen = 0
        for name_start, name_end, value_start, value_end in read_attributes(self.source, position):
            if value_end < 0:
                return flags, name_start, name_end
            if name_end - name_start not in (4, 5, 6, 11):
                continue
            name = self.source[name_start:name_end].lower()
            if name == b"style" and not seen & 1:
                seen |= 1
                style = _SPACES.sub(b"", self.source[value_start:value_end]).lower()
                for declaration in style.split(b";"):
                    for words, flag in _CONCEALING.items():
                        flags |= flag if declaration.startswith(words) else 0
            elif name == b"class" and not seen & 4:
                seen |= 4
                value = self.source[value_start:value_end]
                flags |= NodeFlag.SPOKEN if _FIRST_SPOKEN.match(value) or _LAST_SPOKEN.search(value) else 0
            elif name == b"aria-hidden" and not seen & 2:
                seen |= 2
                flags |= NodeFlag.ARIA_HIDDEN if self.source[value_start:value_end].lower() == b"true" else 0
            else:
                flags |= _ATTRIBUTE_FLAGS.get(name, 0)
        raise AssertionError  # pragma: no cover: read_attributes always ends with an end

    def raw_content(self, tag: int, name: str, position: int) -> int:
        """Read the content of the raw-text element just opened; return the offset behind its end tag."""
        if tag == TAG["plaintext"]:
            if position < self.length:
                self.text(position, self.length, escapable=False)
            return self.length
        end = self.script_end(position) if tag == TAG["script"] else self.raw_end(name, position)
        if RULES[tag] & _RAW_TEXT and position < end:
            self.text(position, end, escapable=bool(RULES[tag] & TagRule.ESCAPABLE))
        if end >= self.length:
            return self.length
        _, behind, _ = self.attributes(end + 2 + len(name))
        if behind < 0:
            return self.length
        self.tags += 1
        self.close(tag, name)
        return behind

    def raw_end(self, name: str, position: int) -> int:
        """Where the end tag of a raw-text element begins, or the page's end."""
        pattern = re.compile(rb"</" + name.encode() + rb"(?=[\t\n\f\r />])", re.IGNORECASE)
        match = pattern.search(self.source, position)
        return match.start() if match else self.length

    def script_end(self, position: int) -> int:
        """Where a script's end tag begins: inside <!-- a nested <script> hides one </script>."""
        escaped = nested = False
        while match := _SCRIPT_POINT.search(self.source, position):
            point, position = match.group().lower(), match.end()
            if point == b"</script":
                if not nested:
                    return match.start()
                nested = False
            elif point == b"-->":
                escaped = nested = False
            elif point == b"<script":
                nested = nested or escaped
            else:  # "<!-->" and "<!--->" open and close at once
                escaped = True
                position -= 2
        return self.length

    # Opening elements.

    def open(self, tag: int, start: int, end: int, attributes: tuple[int, int]) -> bool:
        """Apply a start tag to the stack; say whether it opened an HTML element that wants an end."""
        flags, self_closing = attributes
        if self.stack[-1].mask & _FOREIGN:
            if not RULES[tag] & TagRule.BREAKOUT:
                self.insert(tag, (start, end, flags), closed=bool(self_closing))
                return False
            self.leave_foreign()
        if tag in _FRAMES:
            return False
        if tag in (TAG["html"], TAG["head"], TAG["body"]):
            return self.open_frame(tag, start, end, flags)
        if self.body < 0:
            self.enter_body(tag)
        if not self.make_room(tag):
            return False
        if tag == TAG["br"]:
            self.line_breaks += 1
        closed = bool(RULES[tag] & _VOID) or (bool(self_closing) and bool(TAG_FLAGS[tag] & _FOREIGN))
        opened = self.insert(tag, (start, end, flags), closed=closed)
        if tag == TAG["form"]:
            self.form = len(self.stack) - 1
        elif tag == TAG["a"]:
            self.link = flags & NodeFlag.LINK
        return opened

    def leave_foreign(self) -> None:
        while self.stack[-1].mask & _FOREIGN:
            self.pop()

    def open_frame(self, tag: int, start: int, end: int, flags: int) -> bool:
        """<html>, <head> and <body> are opened once; later ones are ignored."""
        if tag == TAG["html"]:
            self.place(0, start, end)
        elif tag == TAG["body"]:
            if self.depth("template") >= 0:
                return False
            if self.body < 0:
                self.open_body(start, end, flags)
            else:
                self.place(self.body, start, end)
        elif self.head < 0 and self.body < 0:
            self.insert(tag, (start, end, flags), closed=False)
            self.head = len(self.stack) - 1
        return False

    def place(self, node: int, start: int, end: int) -> None:
        """Give an implied node the offsets of the tag that turned up later."""
        if self.nodes[node][4] == self.nodes[node][5]:
            self.nodes[node][4:6] = start, end

    def open_body(self, start: int, end: int, flags: int) -> None:
        while len(self.stack) > 1:
            self.pop()
        self.body = len(self.nodes)
        self.insert(TAG["body"], (start, end, flags), closed=False)

    def enter_body(self, tag: int) -> None:
        """Open the body where a tag cannot stand in the head."""
        if not RULES[tag] & _HEAD:
            self.enter_body_for_content()

    def enter_body_for_content(self) -> None:
        top = self.stack[-1].tag
        if top in (TAG["head"], TAG["html"]):
            self.open_body(self.at, self.at, 0)

    def make_room(self, tag: int) -> bool:
        """Close what a start tag closes; False where the standard ignores the tag."""
        if tag in _TABLE_PARTS:
            return self.enter_table(tag)
        if tag == TAG["form"] and self.form >= 0 and self.depth("template") < 0:
            return False
        if tag in (TAG["select"], TAG["input"]) and self.in_scope(TAG["select"]):
            self.pop_to(self.depth("select"))
            if tag == TAG["select"]:
                return False
        if tag == TAG["li"]:
            self.close_barrier((TAG["li"],))
        elif tag in _TERMS:
            self.close_barrier(_TERMS)
        rules = RULES[tag]
        if rules & _CLOSES_P and self.in_button_scope():
            self.pop_to(self.depth("p"))
        if rules & _HEADING and RULES[max(self.stack[-1].tag, 0)] & _HEADING:
            self.pop()
        self.close_sibling(tag)
        return True

    def close_sibling(self, tag: int) -> None:
        """Close the element of the same sort that a start tag ends."""
        if tag == TAG["a"]:
            self.close_formatting(tag, 0)
            self.link = 0
        elif tag in (TAG["option"], TAG["optgroup"]):
            if self.stack[-1].tag == TAG["option"]:
                self.pop()
            if tag == TAG["optgroup"] and self.stack[-1].tag == tag:
                self.pop()
        elif tag == TAG["button"]:
            if self.in_scope(tag):
                self.pop_to(self.depth("button"))
        elif tag in _RUBY and self.in_scope(TAG["ruby"]):
            kept = TAG["rtc"] if tag in (TAG["rt"], TAG["rp"]) else 0
            while RULES[max(self.stack[-1].tag, 0)] & TagRule.IMPLIED_END and self.stack[-1].tag != kept:
                self.pop()

    def enter_table(self, tag: int) -> bool:
        """Close the cells, rows and sections that a part of a table ends; False outside of any table."""
        table = max(self.depth("table"), self.depth("template"))
        if table < 0:
            return False
        context = table
        if tag not in _SECTIONS and tag not in (TAG["caption"], TAG["colgroup"]):
            context = max(context, *(self.last.get(section, -1) for section in _SECTIONS))
        if tag in _CELLS:
            context = max(context, self.depth("tr"))
        while len(self.stack) - 1 > context:
            self.pop()
        return True

    def close_barrier(self, tags: tuple[int, ...]) -> None:
        """Close an open item or term, unless another list or block hides it."""
        barrier = self.stack[-1].barrier
        if barrier >= 0 and self.stack[barrier].tag in tags:
            self.pop_to(barrier)

    def insert(self, tag: int, opening: tuple[int, int, int], *, closed: bool) -> bool:
        """Append a node; push it unless it is closed already."""
        start, end, flags = opening
        if closed:
            parent = self.stack[-1].node
            self.nodes.append([tag, parent, len(self.runs), len(self.runs), start, end, flags])
            self.mark_break(tag)
            return False
        self.push(tag, start, end, flags)
        self.mark_break(tag)
        return True

    def mark_break(self, tag: int) -> None:
        if RULES[max(tag, 0)] & _BLOCK:
            self.at_break = True

    def push(self, tag: int, start: int, end: int, flags: int) -> None:
        below = self.stack[-1] if self.stack else None
        depth = len(self.stack)
        entry = _OpenElement(tag, len(self.nodes), _inherit(below.mask if below else 0, tag, flags))
        rules = RULES[tag]
        if bool(rules & _FOREIGN_ONLY) != bool(below and below.mask & _FOREIGN):
            rules &= ~(_SPECIAL | _BARRIER | _SCOPE)
        entry.special = depth if rules & _SPECIAL else below.special if below else -1
        entry.barrier = depth if rules & _BARRIER else below.barrier if below else -1
        entry.scope = depth if rules & _SCOPE else below.scope if below else -1
        entry.same = self.last.get(tag, -1)
        self.last[tag] = depth
        if rules & _MARKER:
            entry.link, self.link = self.link, 0
        parent = below.node if below else -1
        self.nodes.append([tag, parent, len(self.runs), len(self.runs), start, end, flags])
        self.stack.append(entry)

    # Closing elements.

    def pop(self) -> None:
        entry = self.stack.pop()
        self.nodes[entry.node][3] = len(self.runs)
        if entry.tag != DEAD:
            self.last[entry.tag] = entry.same
            if RULES[entry.tag] & _MARKER:
                self.link = entry.link
            self.mark_break(entry.tag)
        if self.form == len(self.stack):
            self.form = -1

    def pop_to(self, depth: int) -> None:
        """Close everything down to a depth, that one too."""
        while len(self.stack) > depth:
            self.pop()

    def depth(self, name: str) -> int:
        return self.last.get(TAG[name], -1)

    def in_scope(self, tag: int) -> bool:
        found = self.last.get(tag, -1)
        return found >= 0 and found >= self.stack[-1].scope

    def in_button_scope(self) -> bool:
        return self.in_scope(TAG["p"]) and self.depth("p") > self.depth("button")

    def close(self, tag: int, name: str) -> None:
        """Apply an end tag to the stack."""
        if tag in (TAG["html"], TAG["body"]):
            return
        if tag in (TAG["br"], TAG["p"]):
            self.leave_foreign()
        if tag == TAG["br"]:
            if self.body < 0:
                self.enter_body_for_content()
            self.line_breaks += 1
            return
        if tag == TAG["p"] and not self.in_button_scope():
            self.at_break = True
            return
        if tag == TAG["form"]:
            self.close_form()
            return
        if RULES[tag] & _FORMATTING:
            self.close_formatting(tag, NodeFlag.CLOSED)
            if tag == TAG["a"]:
                self.link = 0
            return
        depth = self.matching(tag, name)
        if depth > 0:
            self.nodes[self.stack[depth].node][6] |= NodeFlag.CLOSED
            self.pop_to(depth)

    def matching(self, tag: int, name: str) -> int:
        """The depth of the element that an end tag closes, or -1 where the standard ignores the end tag."""
        if tag == UNKNOWN:
            return self.matching_unknown(name)
        depth, top = self.last.get(tag, -1), self.stack[-1]
        rules = RULES[tag]
        if rules & _HEADING:
            depth = max(self.last.get(heading, -1) for heading in _HEADING_TAGS)
            return depth if depth >= top.scope else -1
        if tag in _TABLE_PARTS or tag == TAG["table"]:
            table = max(self.depth("table"), self.depth("template"))
            if depth < table and (tag == TAG["tr"] or tag in _SECTIONS):  # an implied row ends its cell
                depth = max(self.depth("td"), self.depth("th"))
            return depth if depth >= table else -1
        if tag in (TAG["template"], TAG["head"]):
            return depth
        if tag == TAG["li"] and depth < max(self.depth("ul"), self.depth("ol")):
            return -1
        limit = top.scope if rules & _SPECIAL and not rules & _INTEGRATION else top.special
        return depth if depth >= limit else -1

    def matching_unknown(self, name: str) -> int:
        top = len(self.stack) - 1 if name else 0
        for depth in range(top, max(top - UNKNOWN_REACH, 0), -1):
            entry = self.stack[depth]
            if entry.tag == UNKNOWN and self.tag_name(self.nodes[entry.node][4] + 1)[0] == name:
                return depth
            if entry.special == depth:
                return -1
        return -1

    def close_form(self) -> None:
        depth = self.form
        if depth < 0 or depth < self.stack[-1].scope:
            return
        self.form = -1
        while RULES[max(self.stack[-1].tag, 0)] & TagRule.IMPLIED_END:
            self.pop()
        self.nodes[self.stack[depth].node][6] |= NodeFlag.CLOSED
        if depth == len(self.stack) - 1:
            self.pop()
        else:
            self.bury(depth)

    def close_formatting(self, tag: int, flag: int) -> None:
        depth, top = self.last.get(tag, -1), self.stack[-1]
        if depth < 0 or depth < top.scope:
            return
        self.nodes[self.stack[depth].node][6] |= flag
        if depth > top.special:
            self.pop_to(depth)
        else:
            self.bury(depth)

    def bury(self, depth: int) -> None:
        """Close an element whose descendants stay open: no end tag finds it any more."""
        entry = self.stack[depth]
        self.last[entry.tag] = entry.same
        entry.tag = DEAD

    # Text.

    def text(self, start: int, end: int, *, escapable: bool = True) -> None:
        """Make a run of a stretch of text, and a block where one begins."""
        mask = self.stack[-1].mask
        if mask & _SILENT:
            return
        text = self.characters(start, end, escapable=escapable)
        words, chars, size = measure(text)
        if not chars and not mask & _PRE:
            self.space = self.space or any(map(str.isspace, text))
            return
        if self.body < 0:
            self.enter_body_for_content()
            mask = self.stack[-1].mask
        flags = mask & _FLAG_MASK | (int(Flag.LINK) if self.link else 0)
        if not words:  # a mark alone, such as a colon, parts what stands around it
            flags &= ~_SPOKEN
        if self.space:
            flags |= Flag.SPACE
        if not escapable:
            flags |= Flag.VERBATIM
        if self.at_break or (self.line_breaks > 1 and not mask & _PRE):
            self.begin_block(mask >> _KIND_SHIFT & _KIND_MASK)
        elif self.line_breaks:
            flags |= Flag.LINE | min(self.line_breaks, MOST_LINES) << LINES_SHIFT
        tags, self.tags_before = self.tags - self.tags_before, self.tags
        self.runs.append([start, end, tags, words, chars, size, self.stack[-1].node, flags])
        self.blocks[-1][1] = len(self.runs)
        self.at_break, self.line_breaks, self.space = False, 0, False

    def begin_block(self, kind: int) -> None:
        run, holder = len(self.runs), self.stack[max(self.stack[-1].special, 0)].node
        self.blocks.append([run, run, kind, holder])

    def characters(self, start: int, end: int, *, escapable: bool) -> str:
        text = self.source[start:end].decode("utf-8", "replace")
        return unescape(text) if escapable else text


def _inherit(mask: int, tag: int, flags: int) -> int:
    """The flags and the kind that the content of an element has, from those around it."""
    kind = mask >> _KIND_SHIFT & _KIND_MASK
    own = KINDS[tag]
    if own and (own != Kind.PARAGRAPH or kind in PARAGRAPH_OVERRIDES):
        kind = own
    inherited = mask & _FLAG_MASK
    if inherited & _FOREIGN:
        if RULES[tag] & _INTEGRATION:
            inherited &= ~_FOREIGN
        elif tag in (TAG["script"], TAG["style"]):
            inherited |= _SILENT
    else:
        inherited |= TAG_FLAGS[tag]
    if tag != TAG["body"]:  # a body hidden until its script has run is the page all the same
        inherited |= Flag.HIDDEN if flags & NodeFlag.HIDDEN else 0
        inherited |= Flag.ARIA_HIDDEN if flags & NodeFlag.ARIA_HIDDEN else 0
        inherited |= Flag.SPOKEN if flags & NodeFlag.SPOKEN else 0
    return inherited | kind << _KIND_SHIFT
