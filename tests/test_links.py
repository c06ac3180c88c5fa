"""Every relative link in the Markdown pages of the repository leads to a file that exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PLACES = (
    "*.md",
    "docs/**/*.md",
    "results/**/*.md",
    "labelled/*.md",
    "examples/**/*.md",
    "benchmarks/**/*.md",
)
PAGES = sorted(page for place in PLACES for page in ROOT.glob(place))
LINK = re.compile(r"\]\(([^)\s]+)[^)]*\)|\b(?:src|href)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#|//", re.IGNORECASE)
CODE = re.compile(r"^```.*?^```|^(?: {4}|\t).*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def links_of(page: Path) -> list[str]:
    """The relative links of a page, without code and without fragments."""
    matches = LINK.finditer(CODE.sub("", page.read_text("utf-8")))
    links = [match[1] or match[2] for match in matches]
    return [link.partition("#")[0] for link in links if not ELSEWHERE.match(link)]


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES])
def test_every_link_leads_to_a_file(page: str) -> None:
    missing = [
        link for link in links_of(ROOT / page) if not (ROOT / page).parent.joinpath(link).exists()
    ]
    assert missing == []


def test_links_are_recognised(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        'A [link](a.md#part), ![a picture](b.png "title"), <img src="c.png">, [web](https://example.org), [here](#x),\n'
        "`[code](d.md)`\n\n    [more code](e.md)\n",
        "utf-8",
    )
    assert links_of(page) == ["a.md", "b.png", "c.png"]


def test_the_index_of_results_names_every_page_and_no_picture_is_unused() -> None:
    results = ROOT / "results"
    index = {(results / link).resolve() for link in links_of(results / "README.md")}
    assert [
        page
        for page in results.rglob("*.md")
        if page.resolve() not in {*index, results / "README.md"}
    ] == []
    shown = {(page.parent / link).resolve() for page in PAGES for link in links_of(page)}
    pictures = [
        path for path in results.rglob("*") if path.suffix in {".png", ".svg", ".jpg", ".webp"}
    ]
    assert [picture for picture in pictures if picture not in shown] == []
