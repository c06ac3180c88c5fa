"""Every tool for a user of a screen reader, and for one without a mouse.

Each test walks Chromium's accessibility tree in every state of a tool, and follows the Tab key. The last ones do the
main job of each tool by keyboard alone.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.accessibility import find_faults, find_focus_faults, list_live, read_tree
from browser.conftest import Started
from browser.reader_server import RunningReader, allow, serve
from labelling_pages import write_folder
from loopback.server import Web

EXAMPLES = Path(__file__).parents[2] / "examples"
Command = Callable[..., Started]


@pytest.fixture
def page(page: Page) -> Page:
    """Return a page without movements, so that what has the focus is where it stays."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(reduced_motion="reduce")
    return page


def expect_accessible(page: Page, state: str) -> None:
    assert find_faults(page) == [], state


def expect_focus(page: Page, state: str) -> None:
    assert find_focus_faults(page) == [], state


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


@pytest.fixture
def inspector(page: Page, command: Command) -> Page:
    started = command("inspect", str(EXAMPLES / "newspaper.html"), "--no-browser")
    page.goto(started.address)
    expect(page.locator("#answer-line")).to_contain_text("blocks kept")
    page.wait_for_selector("#view-a.pageview:not(.loading)")
    return page


@pytest.fixture
def labelling(page: Page, command: Command, tmp_path: Path) -> tuple[Page, Path]:
    folder = write_folder(tmp_path / "pages", 2)
    options = ("--annotator", "ann", "--order", "name", "--no-browser")
    page.goto(command("label", str(folder), *options).address)
    wait_for_page(page, "page0.html")
    return page, folder


def wait_for_page(page: Page, name: str) -> None:
    expect(page.locator("#page-name")).to_have_text(name)
    expect(page.locator("#view")).not_to_have_class(re.compile("loading"))


def test_a_nameless_control_is_found(page: Page) -> None:
    """The walk sees what it is for."""
    page.set_content(
        "<style>:focus { outline: none }</style><main><h1>One</h1><h3>Three</h3><button></button>"
        "<input placeholder=''><div tabindex=0>Words</div></main><a href='/'>Out</a>"
    )
    faults = " ".join(find_faults(page))
    for words in (
        "a button in",
        "a textbox in",
        "generic '' can be focused",
        "link 'Out' is in no landmark",
        "heading 'Three' is of level 3",
    ):
        assert words in faults
    assert any("does not show the focus" in fault for fault in find_focus_faults(page))


def test_the_inspector_speaks(inspector: Page) -> None:
    expect_focus(inspector, "a page")
    inspector.locator("#view-a iframe").focus()
    inspector.keyboard.press("Home")
    filled = {
        "Block": "#panel-block .reasons li",
        "Result": "#panel-result .result-text",
        "About": "#panel-about .meta td",
        "Figures": "#panel-figures .descent .chosen",
        "All blocks": "#panel-list .line",
    }
    for tab, sign in filled.items():
        inspector.get_by_role("tab", name=tab, exact=True).click()
        inspector.wait_for_selector(sign)
        expect_accessible(inspector, tab)
        expect_focus(inspector, tab)
    inspector.select_option("#other", "finn")
    inspector.wait_for_selector("#view-b.pageview:not(.loading)")
    expect_accessible(inspector, "two methods")
    # The answer is read out again when the threshold changes.
    legend = inspector.locator("#legend[aria-live=polite]")
    before = legend.inner_text()
    inspector.keyboard.press("+")
    expect(legend).not_to_have_text(before)
    inspector.set_viewport_size({"width": 390, "height": 844})
    for state in ("the sheet is open", "the sheet is closed"):
        expect_accessible(inspector, state)
        expect_focus(inspector, state)
        inspector.keyboard.press("Escape")
    inspector.get_by_role("link", name="Open another").click()
    inspector.wait_for_selector("#start:not([hidden])")
    expect_accessible(inspector, "start")
    expect_focus(inspector, "start")


def test_the_labelling_tool_speaks(labelling: tuple[Page, Path]) -> None:
    page, _ = labelling
    expect_focus(page, "a page")
    page.locator("#view iframe").focus()
    page.keyboard.press("Home")
    expect(page.locator("#block h2")).to_have_text("Block 1")
    for tab in ("This page", "Queue", "Train"):
        page.get_by_role("tab", name=tab, exact=True).click()
        expect_accessible(page, tab)
        expect_focus(page, tab)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    expect_accessible(page, "keys")
    page.keyboard.press("Escape")
    assert any(node.role == "status" for node in list_live(page))
    page.keyboard.press("n")
    wait_for_page(page, "page1.html")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="All pages are done")).to_be_visible()
    expect_accessible(page, "done")
    expect_focus(page, "done")


def test_the_service_speaks(page: Page, command: Command) -> None:
    page.goto(command("serve", "--port", "0", "--workers", "1").address)
    expect(page.get_by_role("row", name="threshold")).to_be_visible()
    expect_accessible(page, "form")
    # Its main job, by keyboard alone.
    tab_to(page, "#html")
    page.keyboard.insert_text((EXAMPLES / "article.html").read_text("utf-8"))
    for selector in ("#format", "#threshold", "button[type=submit]"):
        tab_to(page, selector)
    page.keyboard.press("Enter")
    expect(page.locator("#announcer")).to_contain_text("The answer is below: article, expected F1")
    expect_accessible(page, "answer")
    expect_focus(page, "answer")
    tab_to(page, "#text")
    expect(page.locator("#text:focus")).to_contain_text("## What the villages sent")


def test_the_reader_speaks(reader: RunningReader, page: Page) -> None:
    article = f"/article/{reader.find('Eels remember')}"
    places = ("/", "/saved", "/search?q=the", "/feeds", "/you", article, "/highlights", "/plain")
    for place in (*places, "/article/999999", "/?category=science"):
        page.goto(reader.address + place)
        expect_accessible(page, place)
    for place in (
        "/?category=science",
        "/feeds",
        "/you",
        article,
    ):  # "/" has too many cards to walk
        page.goto(reader.address + place)
        expect_focus(page, place)
    page.locator(".look summary").click()
    expect_accessible(page, "appearance")
    page.goto(reader.address)
    expect(page.locator(".scripted")).to_be_visible()
    page.get_by_role("button", name="Newest").click()
    expect(page.locator(".scripted .day").first).to_be_visible()  # else the keys are not heard
    expect_accessible(page, "newest")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect_accessible(page, "keys")


def test_the_reader_without_feeds_speaks(page: Page, web: Web, tmp_path: Path) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as reader:
        page.goto(reader.address)
        expect_accessible(page, "first page")
        expect_focus(page, "first page")
        # A problem is read out.
        page.get_by_label("Address of a site or feed").fill(web.url("nowhere.test", "/"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("the host is not known")
        assert any(node.role == "alert" for node, _ in read_tree(page).walk())


def test_a_page_is_inspected_by_keyboard_alone(page: Page, command: Command) -> None:
    """Open a page, find the reasons for a block, compare methods, read the result."""
    page.goto(command("inspect", str(EXAMPLES), "--no-browser").address)
    page.wait_for_selector("#shelf-list a")
    tab_to(page, "#shelf-list a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#view-a.pageview:not(.loading)")
    expect(page.locator("#answer-line")).to_contain_text("blocks kept")
    tab_to(page, "#method")
    tab_to(page, "#other")
    page.keyboard.press("f")  # finn
    page.wait_for_selector("#view-b.pageview:not(.loading)")
    page.keyboard.press("Shift+Tab")
    tab_to(page, "#threshold")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#threshold-value")).to_have_text("0.51")
    page.keyboard.press("n")  # the next difference
    expect(page.locator("#announcer")).to_contain_text(re.compile(r"^Block \d+ of \d+, "))
    expect(page.locator("#panel-block .reasons li").first).to_be_visible()
    tab_to(page, "#tab-block")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel-result .result-text")).not_to_be_empty()
    tab_to(page, "#panel-result input[value=text]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel-result .result-text")).to_have_attribute(
        "aria-label", "The result as markdown"
    )


def test_a_page_is_labelled_by_keyboard_alone(labelling: tuple[Page, Path]) -> None:
    """Label, correct the title, go to the next page, come back by the queue."""
    page, folder = labelling
    keys = page.keyboard
    tab_to(page, "iframe")
    keys.press("Home")
    keys.press("c")
    expect(page.locator("#announcer")).to_contain_text("content")
    tab_to(page, "#field-title")
    keys.press("Control+a")
    keys.type("Harbour")
    tab_to(page, "#next")
    keys.press("Enter")
    wait_for_page(page, "page1.html")
    labels = json.loads((folder / "labels" / "ann" / "page0.html.json").read_text("utf-8"))
    source = (folder / "page0.html").read_bytes()
    assert (labels["done"], labels["title"]) == (True, "Harbour")
    assert "Harbour" in [source[start:end].decode() for start, end, _ in labels["ranges"]]
    tab_to(page, "#tab-page")
    keys.press("ArrowRight")
    expect(page.locator("#panel-queue")).to_be_visible()
    tab_to(page, ".queue-list button:not([aria-current=true])")
    keys.press("Enter")
    wait_for_page(page, "page0.html")


def test_the_place_in_the_queue_is_kept_when_its_pages_are_read_again(
    labelling: tuple[Page, Path],
) -> None:
    page, _ = labelling
    page.locator("#tab-queue").click()
    button = page.locator(".queue-list button:not([aria-current=true])").first
    button.focus()
    old = button.element_handle()
    with page.expect_response("**/api/label"):
        page.locator("#tab-queue").dispatch_event("chosen")
    page.wait_for_function("button => !button.isConnected", arg=old)
    expect(button).to_be_focused()


def test_news_are_read_by_keyboard_alone(page: Page, web: Web, tmp_path: Path) -> None:
    """Subscribe, open an article, like and save it, correct its category, search."""
    with serve(tmp_path / "new.sqlite", allow(web)) as reader:
        keys = page.keyboard
        page.goto(reader.address)
        expect(page.locator(".scripted")).to_be_visible()
        tab_to(page, "input[name=address]")
        keys.type(web.url("skarv.test", "/"))
        keys.press("Enter")
        expect(page.locator(".card")).to_have_count(3)
        tab_to(page, ".card h3 a")
        keys.press("Enter")
        expect(page.locator(".scripted h1")).to_be_visible()
        title = page.locator("h1").inner_text()
        tab_to(page, ".mark[name=saved]")
        keys.press("Enter")
        expect(page.locator(".mark[name=saved]")).to_have_attribute("aria-pressed", "true")
        tab_to(page, ".mark[name=liked]")
        keys.press(" ")
        expect(page.locator(".mark[name=liked]").first).to_have_attribute("aria-pressed", "true")
        keys.press("c")
        expect(page.locator(".category .choice:focus")).to_have_count(1)
        tab_to(page, ".category .choice[value=science]")
        keys.press("Enter")
        expect(page.locator(".category summary")).to_have_text("Science")
        with page.expect_navigation():  # back to the list
            keys.press("Escape")
        expect(page.locator(".scripted .card").first).to_be_visible()
        keys.press("/")
        expect(page.locator("input[type=search]:focus")).to_have_count(1)
        keys.type(title.split()[2])
        keys.press("Enter")
        expect(page.locator(".card.kept h3").first).to_be_visible()
