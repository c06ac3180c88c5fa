"""The main way through each tool in a second engine: Firefox, where it is installed."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser.conftest import Started
from browser.firefox import Window, find_firefox, open_firefox
from browser.reader_news import make_web
from browser.reader_server import allow, serve
from labelling_pages import write_folder

EXAMPLES = Path(__file__).parents[2] / "examples"
FRAME = "iframe"
BLOCK = "[data-bt-b]"


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    program = find_firefox()
    if program is None:
        pytest.skip(
            "no Firefox: on Debian install firefox-esr, or name its program in BODYTEXT_FIREFOX"
        )
    with open_firefox(program, tmp_path_factory.mktemp("firefox") / "profile") as window:
        window.resize(1280, 900)
        yield window


def test_a_page_is_inspected(window: Window, command: Callable[..., Started]) -> None:
    window.go_to(command("inspect", str(EXAMPLES / "article.html"), "--no-browser").address)
    window.wait_for("document.querySelector('#view-a.pageview:not(.loading)') !== null")
    window.click(BLOCK, FRAME, text="For ninety years")
    window.wait_for_text("#panel-block", "For ninety years")
    window.press("j")
    window.wait_for_text("#panel-block", "The keeper of the lamp")
    window.click("[role=tab]", text="Result")
    window.wait_for_text("#panel-result .result-text", "For ninety years")


def test_a_page_is_labelled(
    window: Window, command: Callable[..., Started], tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "pages", 2)
    options = ("--annotator", "ann", "--order", "name", "--no-browser")
    window.go_to(command("label", str(folder), *options).address)
    window.wait_for_text("#page-name", "page0.html")
    window.wait_for("!document.querySelector('#view').classList.contains('loading')")
    window.click("label", text="Neither")
    window.click(BLOCK, FRAME, text="paragraph 1")
    window.wait_for_text(".saving", "Saved")
    window.click("button", text="Done, next page")
    window.wait_for_text("#page-name", "page1.html")
    labels = json.loads((folder / "labels" / "ann" / "page0.html.json").read_text("utf-8"))
    source = (folder / "page0.html").read_bytes()
    texts = {source[start:end].decode(): label for start, end, label in labels["ranges"]}
    assert labels["done"]
    assert not any("paragraph 1" in text for text in texts)
    assert any("paragraph 2" in text for text in texts)


def test_the_service_extracts(window: Window, command: Callable[..., Started]) -> None:
    window.go_to(command("serve", "--port", "0", "--workers", "1").address)
    window.fill("textarea", "<article><p>A harbour master wrote down every ship.</p></article>")
    window.click("button", text="Extract")
    window.wait_for("document.body.innerText.includes('expected F1')")
    window.wait_for("document.body.innerText.includes('wrote down every ship')")


def test_news_are_read(window: Window, tmp_path: Path) -> None:
    with make_web() as web, serve(tmp_path / "new.sqlite", allow(web)) as reader:
        window.go_to(reader.address)
        window.fill(
            "form input[type=text], form input[type=url], form input:not([type])",
            web.url("skarv.test", "/"),
        )
        window.click("button", text="Subscribe")
        window.wait_for("document.querySelectorAll('.card').length === 3")
        window.click(".card a", text="The night the tide barrier closed")
        window.wait_for_text(".scripted h1", "The night the tide barrier closed")
        window.wait_for_text(".body", "For eleven years")
        window.press("\ue00c")  # Escape: back to the list
        window.wait_for_text(".card.read h3", "The night the tide barrier closed")
