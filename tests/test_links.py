"""Every relative link in the Markdown pages of the repository leads to a file and a heading that exist."""

import importlib
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
site = importlib.import_module("docs_site")

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


HEADING = re.compile(r"^#{1,6} +(.+?)#*$", re.MULTILINE)
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


def all_links_of(page: Path) -> list[str]:
    """The links of a page, without those in code."""
    matches = LINK.finditer(site.CODE.sub("", page.read_text("utf-8")))
    return [match[1] or match[2] for match in matches]


def links_of(page: Path) -> list[str]:
    """The relative links of a page, without fragments."""
    return [link.partition("#")[0] for link in all_links_of(page) if not ELSEWHERE.match(link)]


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    seen: Counter[str] = Counter()
    anchors = set()
    for heading in HEADING.findall(FENCED.sub("", page.read_text("utf-8"))):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        anchors.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return anchors


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES])
def test_every_link_leads_to_a_file(page: str) -> None:
    missing = [
        link for link in links_of(ROOT / page) if not (ROOT / page).parent.joinpath(link).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES])
def test_every_anchor_is_a_heading(page: str) -> None:
    missing = []
    for link in all_links_of(ROOT / page):
        target, _, anchor = link.partition("#")
        path = (ROOT / page).parent / target if target else ROOT / page
        if anchor and path.suffix == ".md" and not (target and ELSEWHERE.match(target)):
            missing += [link] if anchor not in anchors_of(path) else []
    assert missing == []


def test_anchors_are_those_of_headings(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A & `b_c`, [d](e)\n\n```\n# no heading\n```\n\n## Same\n\n## Same\n", "utf-8"
    )
    assert anchors_of(page) == {"a--b_c-d", "same", "same-1"}


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
