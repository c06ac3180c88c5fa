"""Draw what units change: docs/pictures/units.png shows the Markdown of examples/units.html, rendered.

On the left each block is judged by its own score, on the right tables, lists and lead-ins are judged as a whole. The
scores are those of the network in the package, the threshold is that of "precision". Needs what the tests need, and Chromium.
"""

import sys
from pathlib import Path

import numpy as np
from markdown_it import MarkdownIt
from playwright.sync_api import sync_playwright

from bodytext.kernel import decide
from bodytext.methods.learned.decision import RULE
from bodytext.methods.learned.features import read_features
from bodytext.methods.learned.method import Learned
from bodytext.methods.learned.network import read_blocks
from bodytext.methods.learned.weights import read_network
from bodytext.methods.scores import Scores
from bodytext.output.markdown import to_markdown
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.selection import select

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser.conftest import launch  # noqa: E402

PICTURE = ROOT / "docs" / "pictures" / "units.png"
STYLE = """
body { display: flex; gap: 24px; margin: 16px; font: 14px/1.4 sans-serif; width: 920px }
section { flex: 1; border: 1px solid #bbb; border-radius: 6px; padding: 4px 16px }
h6 { margin: 8px 0; color: #666; font-size: 12px; text-transform: uppercase }
h1 { font-size: 20px } h2 { font-size: 16px } pre { background: #eee; padding: 8px }
td, th { border: 1px solid #bbb; padding: 2px 10px } table { border-collapse: collapse }
"""


def score_blocks(page: Page) -> Scores:
    """Return the scores of the blocks before they are made consistent."""
    features = read_features(page)
    output = read_blocks(read_network(""), features)
    no_copies = np.arange(len(page), dtype=np.intp)
    return Scores(decide(output.logits, features.words, no_copies, RULE)[1])


def main() -> None:
    """Render both answers side by side."""
    page = parse((ROOT / "examples" / "units.html").read_bytes())
    renderer = MarkdownIt("commonmark").enable("table")
    columns = ""
    for title, scores in (("Blocks", score_blocks(page)), ("Units", Learned().score(page))):
        rendered = renderer.render(to_markdown(select(page, scores, "precision")))
        columns += f"<section><h6>{title}</h6>{rendered}</section>"
    with sync_playwright() as playwright:
        browser = launch(playwright)
        tab = browser.new_page(viewport={"width": 960, "height": 400})
        tab.set_content(f"<!DOCTYPE html><style>{STYLE}</style>{columns}")
        tab.screenshot(path=PICTURE, full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
