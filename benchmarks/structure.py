"""Measure headings, list items, table cells, code lines and links in our Markdown and that of peers.

The references are the Markdown of WCXB's development split. All Markdown is read in the same way: markdown-it-py
renders it (CommonMark, with tables and strikethrough of GFM, HTML passed through), and the pieces are taken from the
HTML. A piece is its words in lower case. A line of code is its text with white space collapsed. A link is its words and
its absolute URL without scheme, "www.", fragment and last slash. The multisets of pieces are compared page by page. The
converters get the HTML that we write, so that they differ from us only in the conversion.

`python benchmarks/structure.py [--method NAME] [--step N]` writes results/structure/structure.md. The times of Markdown
and of text are measured on every sixth page.
"""

import argparse
import gc
import json
import os
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urljoin

import bodytext
from bodytext import Document
from bodytext.methods import DEFAULT
from bodytext.output.html import write_blocks
from bodytext.output.markdown import to_markdown
from bodytext.studio.labels.labelled_set import LabelledPage, read_labelled

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
KINDS = ("headings", "list items", "table cells", "code lines", "links")
PASSES, TIMED = 5, 200

Pieces = dict[str, Counter[str]]
System = Callable[[LabelledPage, bytes, Document], str]

_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"^https?://(?:www\.)?|#.*$|/(?=#|$)")


def systems() -> dict[str, System]:
    """All systems that are measured, by name."""
    import html_to_markdown
    import turbohtml
    from markitdown import MarkItDown, StreamInfo
    from trafilatura import extract

    converter = MarkItDown()

    def run_trafilatura(page: LabelledPage, html: bytes, _: Document) -> str:
        options = {
            "include_links": True,
            "include_tables": True,
            "include_formatting": True,
            "include_images": False,
        }
        return extract(html, url=page.url, output_format="markdown", **options) or ""

    def run_turbohtml(_: LabelledPage, html: bytes, __: Document) -> str:
        content = turbohtml.parse(html).main_content()
        return content.to_markdown() if content is not None else ""

    def run_markitdown(_: LabelledPage, __: bytes, document: Document) -> str:
        from io import BytesIO

        html = f"<html><body>{write_blocks(document.structure.children)}</body></html>"
        stream = StreamInfo(mimetype="text/html", extension=".html", charset="utf-8")
        return str(converter.convert_stream(BytesIO(html.encode()), stream_info=stream).markdown)

    def run_html_to_markdown(_: LabelledPage, __: bytes, document: Document) -> str:
        written = html_to_markdown.convert(write_blocks(document.structure.children))
        return written if isinstance(written, str) else written.content or ""

    return {
        "bodytext": lambda _, __, document: to_markdown(document),
        "trafilatura": run_trafilatura,
        "turbohtml": run_turbohtml,
        "markitdown": run_markitdown,
        "html-to-markdown": run_html_to_markdown,
    }


class Reader:
    """Reads Markdown as multisets of pieces."""

    def __init__(self) -> None:
        from markdown_it import MarkdownIt

        self._renderer = (
            MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
        )

    def read(self, markdown: str, address: str) -> Pieces:
        """The pieces of each kind, normalised."""
        from lxml import html as lxml_html

        rendered = self._renderer.render(markdown)
        root = lxml_html.document_fromstring(f"<html><body>{rendered}</body></html>")
        pieces: Pieces = {kind: Counter() for kind in KINDS}
        for element in root.iter():
            name = element.tag
            if name in {"h1", "h2", "h3", "h4", "h5", "h6"}:
                pieces["headings"][normalise(_text(element))] += 1
            elif name == "li":
                pieces["list items"][normalise(_text(element, stop=("ul", "ol")))] += 1
            elif name in {"td", "th"}:
                pieces["table cells"][normalise(_text(element))] += 1
            elif name == "pre":
                lines = (
                    " ".join(line.split()) for line in "".join(element.itertext()).splitlines()
                )
                pieces["code lines"].update(lines)
            elif name == "a" and element.get("href"):
                target = _ADDRESS.sub("", urljoin(address, element.get("href")))
                words = normalise(_text(element))
                if words:
                    pieces["links"][f"{words} {target}"] += 1
        for counts in pieces.values():
            del counts[""]
        return pieces


def _text(element: object, stop: tuple[str, ...] = ()) -> str:
    """The text of an element, without that of inner elements with these names."""
    pieces: list[str] = []
    waiting: list[object] = [element]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif isinstance(node.tag, str) and (node is element or node.tag not in stop):  # type: ignore[attr-defined]
            inner = [node.text or ""]  # type: ignore[attr-defined]
            for child in node:  # type: ignore[attr-defined]
                inner += [child, child.tail or ""]
            waiting.extend(
                reversed([" ", *inner] if node.tag in {"p", "br", "li", "div"} else inner)  # type: ignore[attr-defined]
            )
    return "".join(pieces)


def normalise(text: str) -> str:
    """The words of a text in lower case."""
    return " ".join(_WORD.findall(text.lower()))


def compare(found: Counter[str], wanted: Counter[str]) -> tuple[int, int, int]:
    """The numbers of pieces that are right, found and wanted."""
    return sum((found & wanted).values()), sum(found.values()), sum(wanted.values())


def f1(right: int, found: int, wanted: int) -> float:
    """The harmonic mean of precision and recall; 1 where nothing is wanted and nothing found."""
    return 2 * right / (found + wanted) if found + wanted else 1.0


def read_pages(step: int) -> Iterator[tuple[LabelledPage, str]]:
    """The pages with reference Markdown."""
    folder = DATA / "wcxb-dev"
    if not folder.is_dir():
        sys.exit(f"no pages in {DATA}; set BODYTEXT_DATA to the folder that holds wcxb-dev")
    for page in read_labelled(folder)[::step]:
        labels = json.loads((folder / "ground-truth" / f"{page.identity}.json").read_text("utf-8"))
        reference = labels["ground_truth"].get("main_content_markdown")
        if reference:
            yield page, reference


Counts = dict[str, dict[str, list[tuple[int, int, int]]]]


def measure(method: str, step: int) -> tuple[int, Counts]:
    """The numbers of right, found and wanted pieces by system, kind and page."""
    reader, chosen = Reader(), systems()
    counts: Counts = {name: {kind: [] for kind in KINDS} for name in chosen}
    pages = 0
    for page, reference in read_pages(step):
        pages += 1
        html = page.read()
        document = bodytext.extract(html, url=page.url, method=method)
        wanted = reader.read(reference, page.url)
        for name, run in chosen.items():
            found = reader.read(run(page, html, document), page.url)
            for kind in KINDS:
                counts[name][kind].append(compare(found[kind], wanted[kind]))
        if pages % 100 == 0:
            print(pages, file=sys.stderr)
    return pages, counts


def measure_time(method: str) -> tuple[float, float]:
    """The milliseconds a page for text and for Markdown, the best of several passes."""
    htmls = [page.read() for page in read_labelled(DATA / "wcxb-dev")[::6]][:TIMED]
    best = {"text": float("inf"), "markdown": float("inf")}
    for _ in range(PASSES):
        for name, write in (("text", str), ("markdown", to_markdown)):
            gc.collect()
            started = time.process_time()
            for html in htmls:
                write(bodytext.extract(html, url="https://example.org/", method=method))
            best[name] = min(best[name], (time.process_time() - started) / len(htmls) * 1000)
    return best["text"], best["markdown"]


def to_tables(counts: Counts) -> list[str]:
    """F1 over all pieces, and the mean over the pages that have the kind in their reference."""
    lines = []
    for title, score in (
        ("All pieces of all pages together", _pooled),
        ("Mean over the pages whose reference has any", _mean),
    ):
        lines += [
            "",
            f"**{title}**, F1:",
            "",
            f"| system | {' | '.join(KINDS)} |",
            "|---" * (len(KINDS) + 1) + "|",
        ]
        for name, kinds in counts.items():
            lines.append(
                f"| {name} | " + " | ".join(f"{score(kinds[kind]):.3f}" for kind in KINDS) + " |"
            )
    lines += ["", "Precision and recall over all pieces:", "", f"| system | {' | '.join(KINDS)} |"]
    lines.append("|---" * (len(KINDS) + 1) + "|")
    for name, kinds in counts.items():
        cells = []
        for kind in KINDS:
            right, found, wanted = (sum(column) for column in zip(*kinds[kind], strict=True))
            cells.append(f"{right / max(found, 1):.2f} / {right / max(wanted, 1):.2f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _pooled(triples: list[tuple[int, int, int]]) -> float:
    right, found, wanted = (sum(column) for column in zip(*triples, strict=True))
    return f1(right, found, wanted)


def _mean(triples: list[tuple[int, int, int]]) -> float:
    scores = [f1(*triple) for triple in triples if triple[2]]
    return sum(scores) / max(len(scores), 1)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", default=DEFAULT)
    parser.add_argument("--step", type=int, default=1, help="take every Nth page")
    options = parser.parse_args()
    pages, counts = measure(options.method, options.step)
    text_ms, markdown_ms = measure_time(options.method)
    more = 100 * (markdown_ms / text_ms - 1)
    wanted = {
        kind: sum(triple[2] for triple in next(iter(counts.values()))[kind]) for kind in KINDS
    }
    names = ("trafilatura", "turbohtml", "markitdown", "html-to-markdown", "markdown-it-py")
    lines = [
        "# Structure",
        "",
        "Made by `python benchmarks/structure.py`; its first lines say what is compared and how.",
        f"{pages:,} pages of wcxb-dev; method {options.method}; {datetime.now(UTC):%Y-%m-%d}; "
        + ", ".join(
            [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in names)]
        ),
        "In the references: "
        + ", ".join(f"{count:,} {kind}" for kind, count in wanted.items())
        + ".",
        *to_tables(counts),
        "",
        f"CPU a page: text {text_ms:.2f} ms, Markdown {markdown_ms:.2f} ms, {more:.0f} % more ({TIMED} pages).",
    ]
    output = ROOT / "results" / "structure"
    output.mkdir(parents=True, exist_ok=True)
    (output / "structure.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
