"""Write the expected outputs of the pages in tests/pages again, after a format or a metadata field changed.

    python tests/expected_pages.py               every page
    python tests/expected_pages.py everything    these pages

The page `everything` has a file for each format, the others have Markdown. All blocks of a page are
kept, so no method has a say. Read the difference before you commit it: a person vouches for these files.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from bodytext import Document, parse
from bodytext.output.formats import FORMATS, RenderOptions, render
from bodytext.selection import select_all

PAGES = Path(__file__).parent / "pages"
ADDRESS = "https://example.org/articles/gear.html"
EVERYTHING = "everything"  # the page with every structure
NAMES = sorted(folder.name for folder in PAGES.iterdir() if (folder / "page.html").exists())


def keep_all(html: bytes | str, url: str = ADDRESS) -> Document:
    """Make a document of all blocks of a page."""
    page = parse(html, url=url)
    return select_all(page)


def list_formats(name: str) -> list[str]:
    """List the formats for which a page has expected outputs."""
    return list(FORMATS.own) if name == EVERYTHING else ["markdown"]


def find_expected(name: str, format_name: str) -> Path:
    """Return the file with the expected output of a page in a format."""
    return PAGES / name / f"expected{FORMATS[format_name].suffix}"


def render_page(name: str, format_name: str) -> str:
    """Render a page as its expected output has it."""
    document = keep_all((PAGES / name / "page.html").read_bytes())
    written = render(document, format_name, RenderOptions(source="page.html"))
    if format_name == "json":
        value = json.loads(written)
        del value["metadata"]["sources"]  # confidences change more often than the format
        written = json.dumps(value, indent=1, ensure_ascii=False)
    return f"{written}\n"


def describe_mismatch(name: str, format_name: str) -> str:
    """Say how to write an expected output that is missing or differs."""
    path = find_expected(name, format_name).relative_to(PAGES.parents[1])
    return f"{path} is missing or differs; to write it again: python tests/expected_pages.py {name}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the expected outputs of the named pages, or of all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="folders in tests/pages")
    names = parser.parse_args(arguments).names or NAMES
    for name in names:
        if name not in NAMES:
            parser.error(f"{name}: there is no tests/pages/{name}/page.html")
    for name in names:
        for format_name in list_formats(name):
            expected = render_page(name, format_name).encode("utf-8")
            find_expected(name, format_name).write_bytes(expected)


if __name__ == "__main__":
    main()
