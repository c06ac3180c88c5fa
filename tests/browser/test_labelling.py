"""Labelling in a real browser: mouse, keyboard, reloads, two windows, training, a phone."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from bodytext.methods.learned.weights import shipped_weights
from browser.conftest import Started
from labelling_pages import write_folder

OFFER = "Subscribe now"
TRAINING_MS = 180_000  # a few seconds, on a busy machine

Command = Callable[..., Started]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "pages", 3)


def start(command: Command, folder: Path, *options: str) -> str:
    return command(
        "label", str(folder), "--annotator", "ann", "--order", "name", "--no-browser", *options
    ).address


def open_tool(page: Page, address: str) -> None:
    page.goto(address)
    wait_for_page(page)


def wait_for_page(page: Page, name: str = "") -> None:
    expect(page.locator("#page-name")).to_have_text(name or re.compile(r"\.html$"))
    expect(page.locator("#view")).not_to_have_class(re.compile("loading"))


def block(page: Page, text: str) -> Locator:
    return page.frame_locator("#view iframe").locator("[data-bt-b]").filter(has_text=text).last


def drag(page: Page, first: str, last: str, *, leave: bool = False) -> None:
    """Drag from the middle of a block to the middle of another; or release the button outside, and come back.

    It uses the browser's own protocol: Playwright's mouse waits for a script in the frame, where none may run.
    """
    session = page.context.new_cdp_session(page)
    begin, end = show_both(page, first, last)
    outside = {"x": 0.0, "y": 0.0, "width": 2.0, "height": 2.0}
    press = (("mouseMoved", begin, 0), ("mousePressed", begin, 1), ("mouseMoved", end, 1))
    inside = (*press, ("mouseReleased", end, 0))
    released_outside = (
        *press,
        ("mouseMoved", outside, 1),
        ("mouseReleased", outside, 0),
        ("mouseMoved", end, 0),
    )
    for kind, box, buttons in released_outside if leave else inside:
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        button = {
            "button": "none" if kind == "mouseMoved" else "left",
            "buttons": buttons,
            "clickCount": 1,
        }
        session.send("Input.dispatchMouseEvent", {"type": kind, **place, **button})


def show_both(page: Page, first: str, last: str) -> tuple[Any, Any]:
    """Return the places of two blocks, in a window and at a scroll position that show both."""
    page.set_viewport_size({"width": 1280, "height": 1400})  # enough for any font
    block(page, first).evaluate(
        "(element) => element.scrollIntoView({block: 'start', behavior: 'instant'})"
    )
    view = page.locator("#view iframe").bounding_box()
    begin, end = (block(page, text).bounding_box() for text in (first, last))
    assert view
    assert begin
    assert end
    for box in (begin, end):
        assert view["y"] < box["y"] + box["height"] / 2 < view["y"] + view["height"], (
            "both blocks do not fit"
        )
    return begin, end


def expect_label(page: Page, text: str, label: str) -> None:
    look = {"content": "keep", "comment": "comment", "neither": "drop"}[label]
    expect(block(page, text)).to_have_attribute("data-bt-s", re.compile(rf"\b{look}\b"))


def label_shown(page: Page, text: str) -> str:
    """Return the label of a block, once it is coloured: blocks that are not visible are coloured later."""
    expect(block(page, text)).to_have_attribute("data-bt-s", re.compile("keep|drop"))
    return (
        "content" if "keep" in (block(page, text).get_attribute("data-bt-s") or "") else "neither"
    )


def expect_saved(page: Page) -> None:
    expect(page.locator(".saving")).to_have_text("Saved")


def stored(folder: Path, name: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(
        (folder / "labels" / "ann" / f"{name}.json").read_text("utf-8")
    )
    return values


def labelled(folder: Path, name: str) -> dict[str, str]:
    """Return the labelled ranges of the page's text and their labels."""
    source = (folder / name).read_bytes()
    return {
        source[start:end].decode(): label for start, end, label in stored(folder, name)["ranges"]
    }


def label_of(folder: Path, name: str, words: str) -> str:
    return next(
        (label for text, label in labelled(folder, name).items() if words in text), "neither"
    )


def test_labelling_by_mouse(page: Page, command: Command, folder: Path) -> None:
    open_tool(page, start(command, folder))
    wait_for_page(page, "page0.html")
    expect_label(page, "paragraph 0", "content")
    before = label_shown(page, OFFER)
    after = {"content": "neither", "neither": "content"}[before]
    block(page, OFFER).click()
    expect_label(page, OFFER, after)
    expect_saved(page)
    assert label_of(folder, "page0.html", OFFER) == after
    assert label_of(folder, "page0.html", "paragraph 0") == "content"

    page.get_by_role("radio", name="Neither x").check(force=True)
    drag(page, "paragraph 0", "paragraph 2")
    for number in range(3):
        expect_label(page, f"paragraph {number}", "neither")
    expect_label(page, "paragraph 3", "content")
    page.get_by_role("button", name="Undo").click()
    expect_label(page, "paragraph 1", "content")
    page.get_by_role("button", name="Redo").click()
    expect_label(page, "paragraph 1", "neither")
    page.get_by_role("radio", name="Comment m").check(force=True)
    block(page, "paragraph 0").click()
    block(page, "paragraph 1").click(modifiers=["Shift"])
    expect_label(page, "paragraph 1", "comment")

    page.get_by_label("Title").fill("A better title")
    page.get_by_label("Authors").fill("Ann Lee, Bo Ek")
    page.get_by_label("Page type").select_option("forum")
    page.get_by_role("button", name="Done, next page").click()
    wait_for_page(page, "page1.html")
    values = stored(folder, "page0.html")
    assert (values["title"], values["authors"], values["page_type"]) == (
        "A better title",
        ["Ann Lee", "Bo Ek"],
        "forum",
    )
    assert (values["done"], values["annotator"]) == (True, "ann")
    assert label_of(folder, "page0.html", "paragraph 1") == "comment"
    assert label_of(folder, "page0.html", "paragraph 2") == "neither"
    expect(page.locator("#bar-slot")).to_contain_text("1 of 3 done")
    page.get_by_role("button", name="Back").click()
    wait_for_page(page, "page0.html")
    expect_label(page, "paragraph 1", "comment")


def test_releasing_the_button_outside_the_page_labels_nothing(
    page: Page, command: Command, folder: Path
) -> None:
    open_tool(page, start(command, folder))
    wait_for_page(page, "page0.html")
    drag(page, "paragraph 0", "paragraph 2", leave=True)
    expect(block(page, "paragraph 2")).to_have_attribute("data-bt-hover", "")
    expect(page.frame_locator("#view iframe").locator("[data-bt-group]")).to_have_count(0)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_links_to_the_inspector_and_to_the_queue(
    page: Page, command: Command, folder: Path
) -> None:
    open_tool(page, start(command, folder))
    wait_for_page(page, "page0.html")
    page.get_by_role("tab", name="Queue").click()
    expect(page.locator("#panel-queue [aria-current=true]")).to_contain_text("page0.html")
    page.locator("#page-name").click()
    expect(page.locator("#legend")).to_contain_text("kept")  # the inspector shows this page
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("paragraph 1")
    page.go_back()
    wait_for_page(page, "page0.html")


def test_labelling_by_keyboard_alone(page: Page, command: Command, folder: Path) -> None:
    open_tool(page, start(command, folder))
    keys = page.keyboard
    keys.press("Home")
    # For screen readers
    expect(page.locator("#announcer")).to_have_text(re.compile(r"^neither\. Harbour"))
    keys.press("c")
    expect_saved(page)
    keys.press("j")
    keys.press("Shift+ArrowDown")
    keys.press("Shift+ArrowDown")
    expect(page.locator("#announcer")).to_have_text("3 blocks chosen")
    keys.press("m")
    keys.press("Escape")
    expect_saved(page)
    assert [
        label_of(folder, "page0.html", f">{word}<".strip("><"))
        for word in ("Storm", "Boats", "Wall")
    ] == ["comment"] * 3
    keys.press("u")
    keys.press("Control+z")
    keys.press("r")
    expect_saved(page)
    assert label_of(folder, "page0.html", "Storm") == "neither"
    assert labelled(folder, "page0.html")["Harbour"] == "content"


def test_elements_fields_and_pages_by_keyboard(page: Page, command: Command, folder: Path) -> None:
    open_tool(page, start(command, folder))
    keys = page.keyboard
    keys.press("Home")
    keys.press("c")
    expect_saved(page)
    assert labelled(folder, "page0.html")["Harbour"] == "content"
    keys.press("g")  # the whole menu
    keys.press("g")
    keys.press("x")
    expect_saved(page)
    assert "Harbour" not in labelled(folder, "page0.html")
    keys.press("Escape")
    keys.press("End")
    keys.press(" ")
    expect_saved(page)
    assert labelled(folder, "page0.html")["Imprint and contact"] == "content"
    keys.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    keys.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    keys.press("t")
    expect(page.get_by_label("Title")).to_be_focused()
    keys.press("Control+a")
    keys.type("Typed c m x n")
    keys.press("Escape")
    expect_saved(page)
    assert stored(folder, "page0.html")["title"] == "Typed c m x n"
    keys.press("t")
    keys.press("End")
    keys.type("!")
    keys.press("Control+Enter")  # at once, from the field
    wait_for_page(page, "page1.html")
    assert (stored(folder, "page0.html")["done"], stored(folder, "page0.html")["title"]) == (
        True,
        "Typed c m x n!",
    )
    expect(page.get_by_label("Title")).to_have_value("Storm of the town")
    keys.press("s")
    wait_for_page(page, "page2.html")
    keys.press("p")
    wait_for_page(page, "page1.html")
    assert not (folder / "labels" / "ann" / "page1.html.json").exists()  # opened, but not labelled


def test_a_reload_loses_nothing(page: Page, command: Command, folder: Path) -> None:
    open_tool(page, start(command, folder))
    page.keyboard.press("s")
    wait_for_page(page, "page1.html")
    page.keyboard.press("Home")
    page.keyboard.press("c")
    page.reload()  # immediately
    wait_for_page(page, "page1.html")
    expect_label(page, "Imprint", "neither")
    expect_saved(page)
    assert labelled(folder, "page1.html")["Harbour"] == "content"


def test_unsaved_changes_are_kept_until_the_server_answers(
    new_page: Page, command: Command, folder: Path
) -> None:
    page = new_page
    open_tool(page, start(command, folder))
    page.route(
        "**/api/label/pages/*",
        lambda route: route.abort() if route.request.method == "PUT" else route.fallback(),
    )
    page.on("dialog", lambda dialog: dialog.accept())  # it asks before leaving the page
    page.keyboard.press("Home")
    page.keyboard.press("c")
    expect(page.locator(".saving")).to_contain_text("Not saved: the server does not answer")
    assert not (folder / "labels").exists()
    page.reload()
    wait_for_page(page, "page0.html")
    expect(page.locator(".toast")).to_contain_text("Your unsaved changes are back")
    page.unroute("**/api/label/pages/*")
    expect_saved(page)
    assert labelled(folder, "page0.html")["Harbour"] == "content"


def test_restarting_a_killed_server_loses_nothing(
    new_page: Page, command: Command, folder: Path
) -> None:
    page = new_page
    arguments = ("label", str(folder), "--annotator", "ann", "--order", "name", "--no-browser")
    first = command(*arguments)
    open_tool(page, first.address)
    page.keyboard.press("Home")
    page.keyboard.press("c")
    expect_saved(page)
    first.process.kill()
    first.process.join()
    page.keyboard.press("j")
    page.keyboard.press("m")
    expect(page.locator(".saving")).to_contain_text("Not saved: the server does not answer")
    command(*arguments, "--port", str(first.port))
    # The new server has another token
    expect(page.locator(".saving")).to_contain_text("load the page again")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    wait_for_page(page, "page0.html")
    expect_saved(page)
    labels = labelled(folder, "page0.html")
    assert (labels["Harbour"], labels["Storm"]) == ("content", "comment")


def test_two_windows_with_a_conflict(
    new_context: Callable[..., BrowserContext], command: Command, folder: Path
) -> None:
    address = start(command, folder)
    mine, theirs = new_context().new_page(), new_context().new_page()
    for window in (mine, theirs):
        open_tool(window, address)
    theirs.keyboard.press("Home")
    theirs.keyboard.press("c")
    expect_saved(theirs)
    mine.keyboard.press("End")
    mine.keyboard.press("m")
    dialog = mine.get_by_role("dialog", name="This page was changed elsewhere")
    expect(dialog).to_be_visible()
    rows = ("What differs", "Harbour.*neither.*content", "Imprint and contact.*comment.*neither")
    expect(dialog.get_by_role("row")).to_have_text([re.compile(row) for row in rows])
    # Nothing was overwritten
    assert set(labelled(folder, "page0.html").items()) >= {("Harbour", "content")}
    assert "Imprint and contact" not in labelled(folder, "page0.html")
    mine.keyboard.press("Escape")
    expect(dialog).to_be_visible()  # a version must be chosen
    dialog.get_by_role("button", name="Keep this version").click()
    expect_saved(mine)
    assert labelled(folder, "page0.html")["Imprint and contact"] == "comment"
    assert "Harbour" not in labelled(folder, "page0.html")
    mine.keyboard.press("u")
    expect_saved(mine)
    assert labelled(folder, "page0.html")["Harbour"] == "content"

    mine.keyboard.press("End")
    mine.keyboard.press("c")
    expect_saved(mine)
    theirs.keyboard.press("j")
    theirs.keyboard.press("m")
    theirs.get_by_role("button", name="Use the saved version").click()
    expect_saved(theirs)
    expect_label(theirs, "Imprint and contact", "content")
    assert "Storm" not in labelled(folder, "page0.html")
    theirs.keyboard.press("u")
    expect_saved(theirs)
    assert labelled(folder, "page0.html")["Storm"] == "comment"  # the other version is not lost


def test_a_window_without_changes_shows_those_of_another(
    new_context: Callable[..., BrowserContext], command: Command, folder: Path
) -> None:
    address = start(command, folder)
    first, second = new_context().new_page(), new_context().new_page()
    for window in (first, second):
        open_tool(window, address)
    first.keyboard.press("Home")
    first.keyboard.press("c")
    expect_saved(first)
    expect_label(second, "paragraph 0", "content")
    second.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(second.locator(".toast")).to_contain_text("changed elsewhere")
    second.keyboard.press("End")
    second.keyboard.press("c")
    expect_saved(second)
    assert {"Harbour", "Imprint and contact"} <= set(labelled(folder, "page0.html"))


def test_a_model_trained_on_the_labels_changes_its_answer(
    page: Page, command: Command, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="training needs torch: pip install 'bodytext[train]'")
    folder = write_folder(tmp_path / "pages", 8)
    origin = start(command, folder, "--epochs", "16")
    open_tool(page, origin)
    before = label_shown(page, OFFER)
    after = {"content": "neither", "neither": "content"}[before]
    page.get_by_role("tab", name="Train", exact=True).click()
    expect(page.get_by_role("button", name="Train on these labels").first).to_be_disabled()
    for number in range(6):
        wait_for_page(page, f"page{number}.html")
        block(page, OFFER).click()
        expect_label(page, OFFER, after)
        page.keyboard.press("n")
    wait_for_page(page, "page6.html")
    expect_label(page, OFFER, before)
    page.get_by_role("tab", name="This page").click()
    page.get_by_role("tab", name="Train", exact=True).click()
    expect(page.locator("#panel-train")).to_contain_text("6 pages are done, of 2 sites")
    page.get_by_role("button", name="Train on these labels").first.click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator("#train-outcome")).to_be_visible(timeout=TRAINING_MS)
    expect(page.locator("#train-outcome")).to_contain_text(
        "each page by a network that had not seen its site"
    )
    rows = page.locator(".gains tbody tr").all_inner_texts()
    assert [row.split()[:2] for row in rows] == [["site0.example", "3"], ["site1.example", "3"]]
    expect_label(page, OFFER, after)  # a page without labels, by the new model
    assert page.locator("#train-model").input_value() == "model-1.npz"
    card = json.loads((folder / "models" / "model-1.json").read_text("utf-8"))
    assert card["pages"] == 6
    page.goto(f"{origin}api/pages")
    assert str(folder / "models" / "model-1.npz") in page.inner_text("body")  # in the inspector too


def test_training_can_be_stopped_and_density_networks_can_be_trained(
    page: Page, command: Command, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="training needs torch: pip install 'bodytext[train]'")
    folder = write_folder(tmp_path / "pages", 5, sites=4)
    open_tool(page, start(command, folder, "--epochs", "1000"))
    for number in range(4):
        wait_for_page(page, f"page{number}.html")
        page.keyboard.press("n")
    wait_for_page(page, "page4.html")
    page.get_by_role("tab", name="Train", exact=True).click()
    page.get_by_role("button", name="Train on these labels").first.click()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#panel-train")).to_contain_text("Stopped; nothing has changed.")
    assert not list(folder.glob("models/*"))
    page.get_by_label("Cost of a wrongly kept line").fill("5")
    page.get_by_role("button", name="Train them and count their errors").click()
    expect(page.locator("#density-errors tbody tr")).to_have_count(7, timeout=TRAINING_MS)
    card = json.loads((folder / "models" / "density-1.json").read_text("utf-8"))
    assert card["false_positive_cost"] == 5


def test_a_phone_shows_all(
    new_context: Callable[..., BrowserContext], command: Command, folder: Path
) -> None:
    phone = new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ).new_page()
    open_tool(phone, start(command, folder))
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    expect(phone.get_by_role("button", name="Done, next page")).to_be_in_viewport()
    after = {"content": "neither", "neither": "content"}[label_shown(phone, OFFER)]
    block(phone, OFFER).tap()
    expect_label(phone, OFFER, after)
    expect_saved(phone)


def test_all_pages_done(page: Page, command: Command, folder: Path) -> None:
    # It cannot be labelled, and is skipped
    (folder / "page0a.html").write_bytes(b"%PDF-1.7 \0\1\2")
    open_tool(page, start(command, folder))
    for number in range(3):
        wait_for_page(page, f"page{number}.html")
        page.keyboard.press("n")
    expect(page.get_by_role("heading", name="All pages are done")).to_be_visible()
    page.get_by_role("button", name="Go back to the pages").click()
    expect(page.get_by_role("button", name=re.compile("page1.html"))).to_contain_text("done")


def test_undo_survives_a_reload(page: Page, command: Command, folder: Path) -> None:
    open_tool(page, start(command, folder))
    keys = page.keyboard
    keys.press("Home")
    keys.press("c")
    keys.press("j")
    keys.press("m")
    expect_saved(page)
    page.reload()
    wait_for_page(page, "page0.html")
    page.get_by_role("button", name="Undo").click()
    expect_saved(page)
    labels = labelled(folder, "page0.html")
    assert (labels.get("Harbour"), labels.get("Storm")) == ("content", None)
    page.reload()
    wait_for_page(page, "page0.html")
    page.get_by_role("button", name="Redo").click()
    expect_saved(page)
    assert labelled(folder, "page0.html")["Storm"] == "comment"
    path = folder / "labels" / "ann" / "page0.html.json"
    path.write_text(path.read_text("utf-8").replace("Ann Lee", "Bo Ek"), "utf-8")
    page.reload()
    wait_for_page(page, "page0.html")
    # What was changed elsewhere is not undone blindly.
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_a_second_annotator_starts_blindly_and_settles_the_differences(
    page: Page, command: Command, folder: Path
) -> None:
    open_tool(page, start(command, folder))
    page.keyboard.press("n")
    wait_for_page(page, "page1.html")
    second = command(
        "label", str(folder), "--annotator", "bob", "--order", "name", "--blind", "--no-browser"
    )
    open_tool(page, second.address)
    expect(page.locator("#page-sure")).to_have_text("blind: without the model's answer")
    expect(page.get_by_role("button", name="Reset to the model's answer")).to_be_hidden()
    expect_label(page, "paragraph 0", "neither")
    block(page, "paragraph 0").click()
    expect_label(page, "paragraph 0", "content")
    expect(page.locator("#block-bytes")).to_have_text(
        re.compile(r"^density 0\.\d\d: \d+ bytes of text in \d+ of HTML$")
    )
    expect(page.locator("#settle")).to_be_hidden()  # not before one's own labels are done
    page.keyboard.press("n")
    wait_for_page(page, "page1.html")
    page.get_by_role("tab", name="Queue").click()
    page.get_by_text("Agreement with other annotators").click()
    page.locator(".gains").get_by_role("button", name="page0.html").click()
    wait_for_page(page, "page0.html")
    expect(page.locator("#settle h2")).to_contain_text("ann differs in")
    page.get_by_role("button", name=re.compile("Take ann's label of: .*paragraph 1")).click()
    expect_label(page, "paragraph 1", "content")
    expect(page.locator(".settle-list")).not_to_contain_text("paragraph 1")
    page.get_by_role("button", name="Take all of ann's").click()
    expect(page.locator("#settle h2")).to_have_text("ann agrees")
    expect_saved(page)
    ann, bob = (
        json.loads((folder / "labels" / name / "page0.html.json").read_text("utf-8"))["ranges"]
        for name in ("ann", "bob")
    )
    assert [label for *_, label in bob] == [label for *_, label in ann]


def test_a_model_that_got_worse_is_used_only_if_asked(
    page: Page, command: Command, folder: Path
) -> None:
    made = folder / "models" / "model-1.npz"
    made.parent.mkdir()
    made.write_bytes(Path(shipped_weights()).read_bytes())
    rows = [("", 3, 1.0, 1.0), ("a.example", 3, 0.992, 0.952)]
    names = ("site", "pages", "before", "after")
    outcome = {
        "all": dict(zip(names, ("", 6, 0.996, 0.976), strict=True)),
        "sites": [dict(zip(names, row, strict=True)) for row in rows],
        "claim": "each page by a network that had not seen its site",
        "worse": True,
        "enough": 10,
    }
    ended = {"state": "done", "method": "learned", "outcome": outcome, "file": str(made)}

    def answer(route: Route) -> None:
        if route.request.method == "GET":
            route.fulfill(json=route.fetch().json() | ended)
        else:
            route.fallback()

    page.route("**/api/training?count", answer)
    open_tool(page, start(command, folder))
    page.get_by_role("tab", name="Train", exact=True).click()
    told = page.locator("#train-outcome")
    expect(told).to_contain_text("It got worse")
    expect(told.locator(".gain")).to_have_text("\N{MINUS SIGN}0.020")
    expect(told).to_contain_text("6 pages are too few to tell")
    expect(told).to_contain_text("The mean fell. So the model in use has not changed.")
    assert page.locator("#train-model").input_value() == ""
    page.get_by_role("button", name="Use it anyway").click()
    expect(page.locator("#train-model")).to_have_value("model-1.npz")
    expect(page.get_by_role("button", name="Use it anyway")).to_be_disabled()


def test_every_block_is_coloured_on_a_page_that_is_shown_again(
    page: Page, command: Command, folder: Path
) -> None:
    """Also a block of several pieces, as many as the block with its number on the page before."""
    open_tool(page, start(command, folder))
    for key, name in (("s", "page1.html"), ("p", "page0.html")):
        page.keyboard.press(key)
        wait_for_page(page, name)
        bare = page.frame_locator("#view iframe").locator("[data-bt-b]:not([data-bt-s])")
        expect(bare).to_have_count(0)
