"""Count on how many of html5lib's cases our parser gives the text of the tree that is asked for.

The cases are the test suite for the standard's tree construction. They are not part of this repository: the sources of
html5lib on PyPI have them, in html5lib/tests/testdata/tree-construction. Cases about fragments, about scripts that run
and without any text are left out. A tree is split into blocks as in agreement.py, which says what is counted. For each
case that differs the report says what lexbor gives: some cases are older than today's standard.

    pip download --no-deps --no-binary :all: html5lib==1.1 && tar xzf html5lib-1.1.tar.gz
    python benchmarks/tree_construction.py html5lib-1.1/html5lib/tests/testdata/tree-construction
"""

import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from agreement import ROOT, Reader, lexbor_blocks, our_blocks, squeeze
from bodytext.page.parser import parse

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

REPORT = ROOT / "results" / "tree_construction.md"

_CASE = re.compile(r"(?:\A|\n)#data\n")
_SECTION = re.compile(
    r"(?:\A|\n)#(errors|new-errors|document-fragment|script-on|script-off|document)(?=\n|\Z)"
)
_ITEM = re.compile(r"(?:\A|\n)\| ")
_ELEMENT = re.compile(r"<(?:svg |math )?([^!?>][^>]*)>\Z")


@dataclass
class Node:
    """A node of a tree that a case asks for, with the part of lexbor's interface that the comparison reads."""

    tag: str | None = None
    text_content: str | None = None
    first_child: "Node | None" = None
    last_child: "Node | None" = None
    next: "Node | None" = None
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def is_text_node(self) -> bool:
        """Whether it is a text."""
        return self.text_content is not None

    @property
    def is_element_node(self) -> bool:
        """Whether it is an element."""
        return self.tag is not None

    def append(self, child: "Node") -> None:
        """Add a child after the others."""
        if self.last_child is None:
            self.first_child = child
        else:
            self.last_child.next = child
        self.last_child = child


def read_cases(text: str) -> Iterator[tuple[str, str]]:
    """Yield the source and the tree of each case in a file that is a whole page without scripts."""
    for case in _CASE.split(text)[1:]:
        source, *sections = _SECTION.split(case)
        named = dict(zip(sections[::2], sections[1::2], strict=True))
        if "document" in named and not {"document-fragment", "script-on"} & named.keys():
            yield source, named["document"].strip("\n")


def read_tree(tree: str) -> list[str]:
    """Return the blocks of the body of a tree."""
    above = [Node("")]
    body = None
    for item in _ITEM.split(tree)[1:]:
        written = item.lstrip(" ")
        depth = (len(item) - len(written)) // 2
        element = _ELEMENT.match(written)
        node = Node()
        if element:
            node.tag = element[1]
        elif written.startswith('"'):
            node.text_content = written[1:].removesuffix('"')
        elif written == "content":
            node.tag = "template"
        elif "=" in written and not written.startswith("<!"):
            name, _, value = written.partition("=")
            above[depth].attributes[name] = value.strip('"')
            continue
        above[depth].append(node)
        above[depth + 1 :] = [node]
        if node.tag == "body" and depth == 1:
            body = node
    return Reader().read(cast("LexborNode", body)) if body else []


def main() -> None:
    """Compare all cases in a folder and write the report."""
    if len(sys.argv) != 2:
        print("name the folder with html5lib's .dat files", file=sys.stderr)
        sys.exit(2)
    files = sorted(Path(sys.argv[1]).glob("*.dat"))
    cases = same = same_blocks = 0
    digest = hashlib.sha256()
    lines: list[str] = []
    for path in files:
        content = path.read_bytes()
        digest.update(content)
        for source, tree in read_cases(content.decode("utf-8")):
            wanted, theirs = read_tree(tree), lexbor_blocks(source.encode())
            ours = [text for text, _ in our_blocks(parse(source))]
            cases += bool(ours or wanted)
            same += bool(ours) and squeeze(ours) == squeeze(wanted)
            same_blocks += bool(ours) and ours == wanted
            if ours != wanted:
                lines.append(
                    f"| {path.stem} | `{_brief(source)}` | {_brief(wanted)} | {_brief(ours)} "
                    f"| {'as ours' if theirs == ours else _brief(theirs)} |"
                )
    if not cases:
        print(f"no cases in {sys.argv[1]}", file=sys.stderr)
        sys.exit(2)
    report = [
        "# The text of html5lib's cases",
        "",
        f"`python benchmarks/tree_construction.py FOLDER`, {datetime.now(UTC).date()}.",
        f"{len(files)} files, SHA-256 {digest.hexdigest()[:16]}, with {cases:,} cases that are whole pages with text.",
        "The first lines of the script say where the cases are from and what is counted.",
        "",
        f"- the same text: {same:,} cases, {same / cases:.2%}",
        f"- the same blocks too: {same_blocks:,} cases, {same_blocks / cases:.2%}",
        "",
        "| file | case | asked for | ours | lexbor's |",
        "|---|---|---|---|---|",
        *lines,
        "",
    ]
    REPORT.write_text("\n".join(report), encoding="utf-8")
    print(f"{cases:,} cases: text {same / cases:.2%}, blocks {same_blocks / cases:.2%}")


def _brief(value: str | list[str]) -> str:
    text = value if isinstance(value, str) else " / ".join(value) or "nothing"
    return text.replace("\0", "␀").replace("\n", " ").replace("|", "¦")[:120]


if __name__ == "__main__":
    main()
