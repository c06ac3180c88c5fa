"""Measure how far our parser agrees with a conforming one (lexbor) on real pages, and write results/agreement.md.

Both sides read the same decoded source. Lexbor's tree is split into blocks by the package's own table of block tags.
One <br> is a line break, and two end a block. A button or a drawing ends one too, but in running text only if it has a
text. On both sides, invisible characters (`bodytext.kernel.words`) are removed, white space is collapsed, and the
content of <template>, which selectolax does not show, is left out.
Characters are matched in order, by blocks, then words, then characters, so the figures are lower bounds of a longest
common subsequence.

There are two controls. Since real pages are mostly well formed, tags are moved at random, alike for both sides. And one
visible character is removed for lexbor alone, which the comparison must notice.
"""

import gzip
import hashlib
import os
import platform
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from importlib.metadata import version
from pathlib import Path

import numpy as np
from selectolax.lexbor import (
    LEXBOR_VERSION_MAJOR,
    LEXBOR_VERSION_MINOR,
    LexborHTMLParser,
    LexborNode,
)

from bodytext import kernel
from bodytext.kernel.html import (
    BLOCK_TAGS,
    INSET_TAGS,
    KINDS,
    PARAGRAPH_OVERRIDES,
    PIECE_TAGS,
    RUNNING_TEXT,
    TAG,
    TAGS,
    UNKNOWN,
    Flag,
    Kind,
)
from bodytext.kernel.scanner import are_apart
from bodytext.kernel.words import LETTER_OF, Letter
from bodytext.page.encoding import decode
from bodytext.page.parser import parse
from bodytext.page.tables import Page

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "results" / "agreement.md"
SCANNER = tuple(
    ROOT / "src" / "bodytext" / name
    for name in (
        "kernel/scanner.py",
        "kernel/scanner_native.pyx",
        "kernel/tokens.py",
        "kernel/html.py",
        "page/tables.py",
        "kernel/words.py",
    )
)
CORPORA = ("wcxb-dev", "news-multilingual")
EDITS = 10  # random tag edits in a mutated page
LARGEST_GRID = 4_000_000  # characters times characters that are still aligned one by one
WORST = 15
MINIMUM_CHARACTERS, MINIMUM_BLOCKS = 0.9995, 0.99

_LINE_MARK = "\0"  # invisible, hence in no text
_INVISIBLE = re.compile(
    "["
    + "".join(
        re.escape(chr(code)) for code, letter in enumerate(LETTER_OF) if letter == Letter.INVISIBLE
    )
    + "]"
    r"|[\U00040000-\U0010ffff]"
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
_SILENT = frozenset({"script", "style"})
_UNSEEN = frozenset({"iframe", "noembed", "noframes", "template", "title"})
_PREFORMATTED = frozenset({"listing", "plaintext", "pre", "textarea", "xmp"})
_INTEGRATION = frozenset({"desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "title"})
_HTML_ENCODINGS = frozenset({"text/html", "application/xhtml+xml"})
_PLACES = frozenset(
    {"form", "frameset", "math", "noscript", "pre", "ruby", "select", "svg", "table"}
)


@dataclass(frozen=True, slots=True)
class _State:
    """The state that the content of an element inherits."""

    foreign: bool = False
    preformatted: bool = False
    insets: frozenset[str] = frozenset()  # the buttons and drawings around it
    kind: int = Kind.OTHER


class Reader:
    """Reads block texts from lexbor's tree, without recursion."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.pieces: list[str] = []
        self.breaks = 0
        self.begun_preformatted = False
        self.texts = 0
        self.insets: frozenset[str] = frozenset()  # around the text before
        self.before = ""  # the text before
        # Since then, one of PIECE_TAGS was closed (1), and then one was opened (2).
        self.piece = 0

    def read(self, body: LexborNode) -> list[str]:
        """Return the folded texts of the blocks under an element, in order."""
        above: list[tuple[LexborNode, _State, int]] = []
        node, state = body, _State()
        while True:
            texts, child = self.texts, self.enter(node, state)
            if child is not None:
                above.append((node, state, texts))
                node, state = child, _inside(node, state)
                continue
            self.leave(node)
            while above and node.next is None:
                node, state, texts = above.pop()
                self.leave(node)
                self.end_at(node, state)
                if _name(node) in INSET_TAGS and self.texts > texts:
                    self.end_block()
            if not above:
                self.end_block()
                return self.blocks
            node = node.next  # type: ignore[assignment]

    def enter(self, node: LexborNode, state: _State) -> LexborNode | None:
        """Read a node; return its first child if it is to be visited."""
        if node.is_text_node:
            self.add(node.text_content or "", state)
        if not node.is_element_node:
            return None
        tag = _name(node)
        if tag == "title" and state.foreign and RUNNING_TEXT >> state.kind & 1:
            return None  # a tooltip
        self.breaks += tag == "br"
        if tag == "img":
            self.pieces.append(" ")
        if tag in PIECE_TAGS and self.piece:
            self.piece = 2
        self.end_at(node, state)
        if tag in _SILENT or (tag in _UNSEEN and not state.foreign):
            return None
        return node.first_child

    def leave(self, node: LexborNode) -> None:
        """Note the end of an element."""
        self.piece |= _name(node) in PIECE_TAGS

    def end_at(self, node: LexborNode, around: _State) -> None:
        """End the block where a block element opens or closes."""
        is_apart = _name(node) in INSET_TAGS and not RUNNING_TEXT >> around.kind & 1
        if is_apart or _name(node) in BLOCK_TAGS:
            self.end_block()

    def add(self, text: str, state: _State) -> None:
        """Append a text to the open block, or begin one."""
        shown = _INVISIBLE.sub("", text).replace("^", "")  # it may be ours: 10<sup>15</sup>
        if not shown.strip():
            if shown:
                self.pieces.append(" ")
            return
        if state.insets != self.insets or (self.breaks > 1 and not state.preformatted):
            self.end_block()
        elif self.breaks:
            self.pieces.append(_LINE_MARK)
        elif self.piece > 1 and not state.preformatted:
            is_apart = are_apart(self.before.encode(), text.encode())
            self.pieces.append(" " if is_apart else "")
        self.before, self.piece = text, 0
        if not "".join(self.pieces).strip(" \0"):
            self.begun_preformatted = state.preformatted
        self.pieces.append(shown)
        self.breaks, self.insets = 0, state.insets
        self.texts += 1

    def end_block(self) -> None:
        """Close the open block and keep it if it has a text."""
        text = _fold("".join(self.pieces), _LINE_MARK, flat=self.begun_preformatted)
        if text:
            self.blocks.append(text)
        self.pieces, self.breaks = [], 0


def _name(node: LexborNode) -> str:
    return (node.tag or "").lower()


def _inside(node: LexborNode, state: _State) -> _State:
    tag, foreign = _name(node), state.foreign
    insets = state.insets | ({tag} & INSET_TAGS) if not foreign else state.insets
    if not foreign:
        foreign = tag in {"svg", "math"}
    elif tag == "annotation-xml":
        foreign = (node.attributes.get("encoding") or "").lower() not in _HTML_ENCODINGS
    else:
        foreign = tag not in _INTEGRATION
    preformatted = state.preformatted or (tag in _PREFORMATTED and not state.foreign)
    kind = KINDS[TAG.get(tag, UNKNOWN)]
    if kind == Kind.OTHER or (kind == Kind.PARAGRAPH and state.kind not in PARAGRAPH_OVERRIDES):
        kind = state.kind
    return _State(foreign, preformatted, insets, kind)


def _fold(text: str, mark: str, *, flat: bool) -> str:
    """Collapse white space; keep lines unless the text is preformatted, where line ends of the source are not <br>."""
    if flat:
        return " ".join(text.replace(mark, " ").split())
    lines = (" ".join(line.split()) for line in text.split(mark))
    return "\n".join(line for line in lines if line)


def lexbor_blocks(source: bytes) -> list[str]:
    """Return the folded block texts of a page by lexbor."""
    root = LexborHTMLParser(source.decode("utf-8")).root
    node = root.first_child if root is not None else None
    while node is not None and _name(node) != "body":
        node = node.next
    return Reader().read(node) if node is not None else []


def our_blocks(page: Page) -> list[tuple[str, int]]:
    """Return the folded block texts of a page by our parser, each with its row; hidden words too, as in a tree."""
    texts = []
    runs, shown_flags = page.runs, page.runs.flags & ~int(Flag.HIDDEN | Flag.SPOKEN)
    shown_runs = np.stack(runs._replace(flags=shown_flags))
    page = replace(page, tables=(page.tables[0], shown_runs, page.tables[2]))
    flags = page.runs.flags[page.blocks.first_run].tolist() if len(page) else []
    for block, text in enumerate(page.texts()):
        bare = _INVISIBLE.sub("", text).replace("^", "")
        shown = _fold(bare, "\n", flat=bool(flags[block] & Flag.PRE))
        if shown and not flags[block] & Flag.TEMPLATE:
            texts.append((shown, block))
    return texts


def squeeze(blocks: list[str]) -> str:
    """Return the text of blocks without white space."""
    return "".join("".join(blocks).split())


def _hunks(ours: list[str], theirs: list[str]) -> Iterator[tuple[slice, slice]]:
    """The places where two sequences differ, in order."""
    shortest, head, tail = min(len(ours), len(theirs)), 0, 0
    while head < shortest and ours[head] == theirs[head]:
        head += 1
    while tail < shortest - head and ours[-1 - tail] == theirs[-1 - tail]:
        tail += 1
    middle = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    for kind, first, stop, their_first, their_stop in SequenceMatcher(
        None, *middle, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            yield slice(head + first, head + stop), slice(head + their_first, head + their_stop)


def _unmatched(ours: list[str], theirs: list[str]) -> tuple[int, int]:
    """The numbers of characters in a hunk of blocks that have no partner, ours and theirs."""
    if squeeze(ours) == squeeze(theirs):
        return 0, 0
    extra = missing = 0
    words, their_words = " ".join(ours).split(), " ".join(theirs).split()
    for mine, other in _hunks(words, their_words):
        left, right = "".join(words[mine]), "".join(their_words[other])
        same = 0
        if len(left) * len(right) <= LARGEST_GRID:
            same = sum(
                match.size
                for match in SequenceMatcher(
                    None, left, right, autojunk=False
                ).get_matching_blocks()
            )
        extra, missing = extra + len(left) - same, missing + len(right) - same
    return extra, missing


@dataclass
class Tally:
    """The sums over pages, and the differences by cause with an example each."""

    pages: int = 0
    equal_pages: int = 0
    characters: list[int] = field(default_factory=lambda: [0, 0])  # ours, lexbor's
    unmatched: list[int] = field(default_factory=lambda: [0, 0])
    blocks: list[int] = field(default_factory=lambda: [0, 0])
    unequal: list[int] = field(default_factory=lambda: [0, 0])
    causes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    worst: list[tuple[int, int, str]] = field(default_factory=list)

    def add(self, name: str, source: bytes) -> None:
        """Compare one page."""
        page = parse(source.decode("utf-8"))
        rows, theirs = our_blocks(page), lexbor_blocks(source)
        ours = [text for text, _ in rows]
        self.pages += 1
        self.equal_pages += ours == theirs
        _accumulate(self.characters, len(squeeze(ours)), len(squeeze(theirs)))
        _accumulate(self.blocks, len(ours), len(theirs))
        hunks = list(_hunks(ours, theirs)) if ours != theirs else []
        characters = blocks = 0
        for mine, other in hunks:
            extra, missing = _unmatched(ours[mine], theirs[other])
            _accumulate(self.unmatched, extra, missing)
            _accumulate(self.unequal, mine.stop - mine.start, other.stop - other.start)
            characters, blocks = (
                characters + extra + missing,
                blocks + max(_length(mine), _length(other)),
            )
        if hunks:
            self.worst.append((blocks, characters, name))
            self.explain(page, rows, theirs, hunks)

    def explain(
        self,
        page: Page,
        rows: list[tuple[str, int]],
        theirs: list[str],
        hunks: list[tuple[slice, slice]],
    ) -> None:
        """Count each differing hunk of a page under its cause."""
        ours = [text for text, _ in rows]
        gone = {text for mine, _ in hunks for text in ours[mine]}
        come = {text for _, other in hunks for text in theirs[other]}
        for mine, other in hunks:
            near = rows[min(mine.start, len(rows) - 1)][1] if rows else -1
            cause = f"{_shape(ours[mine], theirs[other], gone & come)}, {_place(page, near)}"
            self.causes[cause] += max(_length(mine), _length(other))
            self.examples.setdefault(cause, f"{_brief(ours[mine])} against {_brief(theirs[other])}")

    def share(self, total: list[int], lost: list[int]) -> float:
        """Return the lower of the two shares, ours and lexbor's, that have a partner on the other side."""
        return min(
            (1 - missed / whole if whole else 1.0)
            for whole, missed in zip(total, lost, strict=True)
        )


def _accumulate(pair: list[int], ours: int, theirs: int) -> None:
    pair[0] += ours
    pair[1] += theirs


def _length(part: slice) -> int:
    return int(part.stop - part.start)


def _shape(ours: list[str], theirs: list[str], moved: set[str]) -> str:
    if squeeze(ours) == squeeze(theirs):
        return (
            "white space or line breaks" if len(ours) == len(theirs) else "other block boundaries"
        )
    if any(text in moved for text in ours + theirs):
        return "text in another place"
    if not ours or not theirs:
        return "text of lexbor alone" if theirs else "text of ours alone"
    return "other characters"


def _place(page: Page, block: int) -> str:
    """Name the nearest element around a block that HTML has special rules for."""
    node = int(page.blocks.node[block]) if block >= 0 else -1
    while node >= 0:
        if (tag := TAGS[page.nodes.tag[node]]) in _PLACES:
            return f"at a {tag}"
        node = int(page.nodes.parent[node])
    return "elsewhere"


def _brief(blocks: list[str]) -> str:
    text = " / ".join(blocks[:2]).replace("\n", " ").replace("|", "¦").replace("`", "'")
    return f"`{text[:50]}`" if text else "nothing"


def mutate(text: str, chance: random.Random) -> str:
    """Delete, double, or move some of the tags of a page."""
    for _ in range(EDITS):
        tags = [match.span() for match in _TAG.finditer(text)]
        if not tags:
            break
        start, end = chance.choice(tags)
        target = chance.choice((start, end, chance.choice(tags)[1]))
        text = (
            text[:start] + text[end:]
            if target == start
            else text[:target] + text[start:end] + text[target:]
        )
    return text


def notices_damage(source: bytes, chance: random.Random) -> bool | None:
    """Whether removing one visible character for lexbor alone is noticed; None if no text can be damaged safely."""
    text = source.decode("utf-8")
    whole = [block for block in lexbor_blocks(source) if len(block) > 40 and text.count(block) == 1]
    whole = [block for block in whole if f">{block}<" in text]
    if not whole:
        return None
    block = chance.choice(whole)
    damaged = text.replace(block, block[:20].rstrip()[:-1] + block[20:]).encode()
    return [shown for shown, _ in our_blocks(parse(text))] != lexbor_blocks(damaged)


def _find_pages() -> list[Path]:
    folder = Path(os.environ.get("BODYTEXT_DATA", ROOT / "../shared/data"))
    pages = [
        path for corpus in CORPORA for path in sorted((folder / corpus / "html").glob("*.html.gz"))
    ]
    if not pages:
        print(
            f"no pages under {folder}: set BODYTEXT_DATA to the folder that holds {CORPORA}",
            file=sys.stderr,
        )
        sys.exit(2)
    return pages


def _scanner_digest() -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in SCANNER)).hexdigest()[:16]


def _summary(title: str, tally: Tally) -> list[str]:
    characters = tally.share(tally.characters, tally.unmatched)
    blocks = tally.share(tally.blocks, tally.unequal)
    lines = [
        f"## {title}",
        "",
        "| | agreement | ours | lexbor's | ours without a partner | lexbor's without a partner |",
        "|---|---|---|---|---|---|",
    ]
    for name, share, total, lost in (
        ("non-space characters in order", characters, tally.characters, tally.unmatched),
        ("blocks equal in order", blocks, tally.blocks, tally.unequal),
    ):
        lines.append(
            f"| {name} | {share:.4%} | {total[0]:,} | {total[1]:,} | {lost[0]:,} | {lost[1]:,} |"
        )
    lines += ["", f"{tally.equal_pages:,} of {tally.pages:,} pages are equal in every block.", ""]
    if not tally.worst:
        return [*lines, "No differences, so there are no causes and no worst pages to list.", ""]
    lines += ["| cause | blocks | example: ours against lexbor's |", "|---|---|---|"]
    lines += [
        f"| {cause} | {count:,} | {tally.examples[cause]} |"
        for cause, count in tally.causes.most_common()
    ]
    lines += [
        "",
        "| worst pages | differing blocks | characters without a partner |",
        "|---|---|---|",
    ]
    worst = sorted(tally.worst, reverse=True)[:WORST]
    return [
        *lines,
        *(f"| {name} | {blocks:,} | {characters:,} |" for blocks, characters, name in worst),
        "",
    ]


def _measure(pages: list[Path]) -> tuple[Tally, Tally, Counter[bool | None], str]:
    real, mutated, noticed = Tally(), Tally(), Counter[bool | None]()
    digest = hashlib.sha256()
    for number, path in enumerate(pages, 1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(pages)} pages", end="", file=sys.stderr)
        raw = gzip.decompress(path.read_bytes())
        digest.update(raw)
        name, source = (
            f"{path.parent.parent.name}/{path.name.removesuffix('.html.gz')}",
            decode(raw).source,
        )
        chance = random.Random(name)
        real.add(name, source)
        mutated.add(name, mutate(source.decode("utf-8"), chance).encode())
        noticed[notices_damage(source, chance)] += 1
    return real, mutated, noticed, digest.hexdigest()


def main() -> None:
    """Measure every page and write the report."""
    pages, scanner = _find_pages(), _scanner_digest()
    real, mutated, noticed, digest = _measure(pages)
    if scanner != _scanner_digest():
        print(
            "the scanner's sources changed during the measurement: nothing written, run it again",
            file=sys.stderr,
        )
        sys.exit(1)
    versions = (
        f"bodytext {version('bodytext')} (kernel: {kernel.describe()}), selectolax {version('selectolax')} "
        f"(lexbor {LEXBOR_VERSION_MAJOR}.{LEXBOR_VERSION_MINOR}), Python {platform.python_version()}"
    )
    control = (
        f"One visible character removed for lexbor alone: noticed on {noticed[True]:,} of "
        f"{noticed[True] + noticed[False]:,} pages; {noticed[None]:,} pages have no text that can be damaged safely."
    )
    lines = [
        "# Agreement with a conforming parser",
        "",
        f"`python benchmarks/agreement.py`, {datetime.now(UTC).date()}, {versions}.",
        f"{len(pages):,} pages, SHA-256 of their bytes in order {digest[:16]}; of the scanner's sources {scanner}.",
        f"Wanted: {MINIMUM_CHARACTERS:.2%} of characters and {MINIMUM_BLOCKS:.0%} of blocks.",
        "The first lines of the script say what is counted. An agreement is the lower of the two sides' shares.",
        "",
        *_summary("The pages as they are", real),
        *_summary(f"The same pages after {EDITS} random tag edits, alike for both", mutated),
        "## Does the comparison notice damage?",
        "",
        control,
        "",
    ]
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join(lines), encoding="utf-8")
    print(f"characters {real.share(real.characters, real.unmatched):.4%}, blocks", end=" ")
    print(f"{real.share(real.blocks, real.unequal):.4%}, report in {REPORT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
