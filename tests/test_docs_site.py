"""The site of the documentation: its pages, where links lead, and that it builds without a warning."""

import importlib
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
site = importlib.import_module("docs_site")

REPOSITORY = "https://git.example/bodytext"
FILES = {"README.md", "docs/python.md", "docs/README.md", "results/README.md", "results/speed.md"}
NAV = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
# Elements that tell whether two readers of Markdown agree; the site's has no <p> in some items.
COMPARED = ("h1", "h2", "h3", "h4", "li", "table", "tr", "td", "th", "pre", "blockquote", "img")


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("python.md#chunks", "python.md#chunks"),
        ("../results/speed.md", "../results/speed.md"),
        ("../results", "../results/README.md"),
        ("../src/bodytext/extraction.py#L3", f"{REPOSITORY}/blob/main/src/bodytext/extraction.py#L3"),
        ("../src/bodytext/methods", f"{REPOSITORY}/tree/main/src/bodytext/methods"),
        ("https://example.org/a.md", "https://example.org/a.md"),
        ("#here", "#here"),
    ],
)  # fmt: skip
def test_links_lead_to_the_site_or_to_the_repository(link: str, target: str) -> None:
    text = f"A [link]({link}) and `[code]({link})`.\n\n    [code]({link})\n"
    expected = f"A [link]({target}) and `[code]({link})`.\n\n    [code]({link})\n"
    assert site.replace_links(text, "docs/page.md", FILES, REPOSITORY) == expected


def test_every_page_in_docs_is_in_the_navigation() -> None:
    named = re.findall(r"(\S+\.md)$", NAV, re.MULTILINE)
    files = site.list_files()
    assert sorted(set(named)) == sorted(named)
    assert set(named) <= set(files)
    assert {path for path in files if path.startswith("docs/") and path.endswith(".md")} <= set(
        named
    )


@pytest.mark.slow
def test_the_site_builds(tmp_path: Path) -> None:
    pytest.importorskip("material")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    for path in site.list_files():
        if path.endswith(".md"):
            check_page(path, tmp_path)


def check_page(path: str, built: Path) -> None:
    """The page shows what its Markdown says, and loads nothing from elsewhere."""
    html = pytest.importorskip("lxml.html")
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    page = html.fromstring(
        (built / re.sub(r"README$", "index", path.removesuffix(".md")))
        .with_suffix(".html")
        .read_bytes()
    )
    loaded = page.xpath("//script/@src | //link[@rel != 'canonical']/@href | //img/@src")
    assert [address for address in loaded if re.match(r"\w+:|//", address)] == [], path
    written = html.fromstring(f"<div>{markdown.render((ROOT / path).read_text('utf-8'))}</div>")
    article = page.xpath("//article")[0]
    assert count_elements(article) == count_elements(written), path


def count_elements(root: object) -> Counter[str]:
    found = (element.tag for element in root.iter())  # type: ignore[attr-defined]
    return Counter(tag for tag in found if tag in COMPARED)
