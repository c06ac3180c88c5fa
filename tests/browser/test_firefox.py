"""The main ways through each tool in a second engine: Firefox, where it is installed."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser.conftest import Started
from browser.firefox import Window, find, find_firefox, open_firefox
from browser.reader_server import RunningReader, allow, serve
from browser.test_inspector import LONG
from labelling_pages import write_folder
from loopback.server import Web

EXAMPLES = Path(__file__).parents[2] / "examples"
FRAME = "iframe"
BLOCK = "[data-bt-b]"
ESCAPE, HOME = "\ue00c", "\ue011"  # as WebDriver names these keys


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


@pytest.fixture(autouse=True)
def wide(window: Window) -> None:
    """Begin with a large window: a test may have made it small."""
    window.resize(1280, 900)


def wait_for_page(window: Window, name: str) -> None:
    """Wait until the labelling tool shows a page."""
    window.wait_for_text("#page-name", name)
    window.wait_for("document.querySelector('#view.pageview:not(.loading)') !== null")


def is_in_view(selector: str, text: str, frame: str = FRAME) -> str:
    """An expression that holds if a text in a frame is in its visible part."""
    element = find(selector, frame, text)
    return (
        f"(() => {{ const box = {element}.getBoundingClientRect(), high = {find(frame)}.clientHeight; "
        "return box.height > 0 && box.bottom > 0 && box.top < high; })()"
    )


def test_a_page_is_inspected(window: Window, command: Callable[..., Started]) -> None:
    window.go_to(command("inspect", str(EXAMPLES / "article.html"), "--no-browser").address)
    window.wait_for("document.querySelector('#view-a.pageview:not(.loading)') !== null")
    window.click(BLOCK, FRAME, text="For ninety years")
    window.wait_for_text("#panel-block", "For ninety years")
    window.press("j")
    window.wait_for_text("#panel-block", "The keeper of the lamp")
    window.click("[role=tab]", text="Result")
    window.wait_for_text("#panel-result .result-text", "For ninety years")


def test_the_inspector_opens_on_the_answer(
    window: Window, command: Callable[..., Started], tmp_path: Path
) -> None:
    """Kept text is in view at first; Plain is offered where the style hides it; the slider is named as the reason."""
    path = tmp_path / "long.html"
    path.write_text(LONG.replace("{style}", ""), "utf-8")
    window.go_to(command("inspect", str(path), "--no-browser").address)
    window.wait_for_text("#answer-line", "of 97 blocks kept")
    window.wait_for(is_in_view(BLOCK, "Paragraph 1:"))
    window.click("button", text="top of page")
    window.wait_for(is_in_view(BLOCK, "Part 0 of the paper"))
    window.evaluate(
        "(() => { const slider = document.getElementById('threshold'); slider.value = 1; "
        "slider.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    window.wait_for_text("#note", "A threshold of 1.00 keeps no block")
    path.write_text(LONG.replace("{style}", "main { display: none }"), "utf-8")
    window.go_to(command("inspect", str(path), "--no-browser").address)
    window.click("#plain-show")
    window.wait_for(is_in_view(BLOCK, "Paragraph 1:"))


def test_a_phone_shows_reasons_in_a_sheet(window: Window, command: Callable[..., Started]) -> None:
    window.resize(390, 844)
    window.go_to(command("inspect", str(EXAMPLES / "article.html"), "--no-browser").address)
    window.wait_for_text("#answer-line", "blocks kept")
    window.wait_for("!document.getElementById('method').checkVisibility()")
    window.click("#fold")
    window.wait_for("document.getElementById('method').checkVisibility()")
    window.click("#fold")
    window.click(BLOCK, FRAME, text="For ninety years")
    window.wait_for("document.getElementById('side').classList.contains('open')")
    window.wait_for_text("#panel-block .reasons li:last-child", "= a score of")
    window.click("#sheet-close")
    window.wait_for(
        "!document.getElementById('panel-block').checkVisibility({visibilityProperty: true})"
    )
    assert window.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_page_is_labelled(
    window: Window, command: Callable[..., Started], tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "pages", 2)
    options = ("--annotator", "ann", "--order", "name", "--no-browser")
    window.go_to(command("label", str(folder), *options).address)
    wait_for_page(window, "page0.html")
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


def test_undo_survives_a_reload(
    window: Window, command: Callable[..., Started], tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "pages", 1)
    options = ("--annotator", "ann", "--order", "name", "--no-browser")
    address = command("label", str(folder), *options).address
    window.go_to(address)
    wait_for_page(window, "page0.html")
    window.press(HOME, "c", "j", "m")
    window.wait_for_text(".saving", "Saved")
    window.go_to(address)
    window.wait_for("document.querySelector('#undo:enabled') !== null")
    window.click("#undo")
    window.wait_for("document.querySelector('#redo:enabled') !== null")
    window.wait_for_text(".saving", "Saved")
    labels = json.loads((folder / "labels" / "ann" / "page0.html.json").read_text("utf-8"))
    assert labels["ranges"][0][2] == "content"
    assert labels["ranges"][1][2] != "comment"


def test_a_second_annotator_starts_blindly_and_settles(
    window: Window, command: Callable[..., Started], tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "pages", 2)
    options = ("--order", "name", "--no-browser")
    window.go_to(command("label", str(folder), "--annotator", "ann", *options).address)
    wait_for_page(window, "page0.html")
    window.press("n")
    window.wait_for_text("#page-name", "page1.html")
    second = command("label", str(folder), "--annotator", "bob", "--blind", *options)
    window.go_to(second.address)
    window.wait_for_text("#page-sure", "blind: without the model's answer")
    wait_for_page(window, "page0.html")
    window.click(BLOCK, FRAME, text="paragraph 0")
    window.wait_for_text(".saving", "Saved")
    window.press("n")
    window.wait_for_text("#page-name", "page1.html")
    window.click("[role=tab]", text="Queue")
    window.click("summary", text="Agreement with other annotators")
    window.click(".gains button", text="page0.html")
    window.wait_for_text("#settle h2", "ann differs in")
    wait_for_page(window, "page0.html")
    window.click("#settle button", text="Take all of ann's")
    window.wait_for_text("#settle h2", "ann agrees")


def test_the_service_extracts(window: Window, command: Callable[..., Started]) -> None:
    window.go_to(command("serve", "--port", "0", "--workers", "1").address)
    window.fill("textarea", "<article><p>A harbour master wrote down every ship.</p></article>")
    window.click("button", text="Extract")
    window.wait_for("document.body.innerText.includes('expected F1')")
    window.wait_for("document.body.innerText.includes('wrote down every ship')")


def test_news_are_read(window: Window, web: Web, tmp_path: Path) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as reader:
        window.go_to(reader.address)
        window.fill("input[name=address]", web.url("skarv.test", "/"))
        window.click("button", text="Subscribe")
        window.wait_for("document.querySelectorAll('.card').length === 3")
        window.click(".card a", text="The night the tide barrier closed")
        window.wait_for_text(".scripted h1", "The night the tide barrier closed")
        window.wait_for_text(".body", "For eleven years")
        window.press(ESCAPE)  # back to the list
        window.wait_for_text(".card.read h3", "The night the tide barrier closed")


def test_feeds_are_put_into_folders(window: Window, reader: RunningReader) -> None:
    window.go_to(f"{reader.address}/feeds")
    window.wait_for("document.documentElement.classList.contains('scripted')")
    window.click(".settings summary", text="of Meridian")
    window.fill(".settings[open] input[name=folder]", "World")
    window.click(".settings[open] button")
    window.wait_for_text(".folder h2 a", "World")
    # The page is a new one: a click while it loads may be lost.
    window.wait_for("document.readyState === 'complete'")
    window.wait_for("document.documentElement.classList.contains('scripted')")
    window.click(".folder h2 a", text="World")
    window.wait_for_text("h1", "World")
    window.wait_for("document.querySelectorAll('.card').length === 3")


def test_passages_and_notes_are_kept(window: Window, reader: RunningReader) -> None:
    window.go_to(f"{reader.address}/article/{reader.find('Eels remember')}")
    window.wait_for("document.documentElement.classList.contains('scripted')")
    window.evaluate("getSelection().selectAllChildren(document.querySelector('.body p'))")
    window.wait_for("document.querySelector('.mark-passage').checkVisibility()")
    window.press("e")
    window.wait_for("document.querySelectorAll('.highlights blockquote').length === 1")
    window.wait_for("!('highlights' in CSS) || CSS.highlights.get('kept')?.size === 1")
    window.fill("textarea[name=note]", "Ask Ines")
    window.click("button", text="Keep the note")
    window.wait_for("document.querySelectorAll('.highlights li').length === 2")
    window.go_to(f"{reader.address}/highlights")
    window.wait_for_text(".highlights", "Ask Ines")


def test_pages_are_saved_and_filters_set(window: Window, reader: RunningReader, web: Web) -> None:
    window.go_to(f"{reader.address}/saved")
    window.wait_for("document.documentElement.classList.contains('scripted')")
    window.fill("main input[name=address]", web.url("rivage.test", "/culture/librairie"))
    window.click("button", text="Save it")
    window.wait_for_text(".card h3", "La librairie")
    window.go_to(f"{reader.address}/you")
    window.wait_for("document.documentElement.classList.contains('scripted')")
    window.fill("input[name=words]", "chess")
    window.click(".filters button", text="Hide")
    window.wait_for_text(".filters .interest", "chess")
