"""The service's page for people, and its form to try it."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from browser.accessibility import find_faults
from browser.conftest import Started

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "article.html"


def test_the_page_has_examples_and_a_form_that_works(
    page: Page, command: Callable[..., Started]
) -> None:
    started = command("serve", "--port", "0", "--workers", "1")
    page.goto(started.address)
    expect(page.get_by_label("Commands")).to_contain_text(
        f"{started.origin}/extract?format=markdown"
    )
    expect(page.get_by_role("row", name="threshold")).to_contain_text("precision, balanced, recall")
    page.get_by_label("A page's HTML").fill(EXAMPLE.read_text())
    page.get_by_role("button", name="Extract").click()
    expect(page.get_by_label("The answer")).to_contain_text("## What the villages sent")
    expect(page.locator("#about")).to_contain_text("article · expected F1 0.")
    page.get_by_label("Format").select_option("json")
    page.get_by_label("A page's HTML").fill("http://127.0.0.1/")
    page.get_by_role("button", name="Extract").click()
    expect(page.get_by_role("alert")).to_contain_text("loopback")


def test_the_reference_is_a_page_without_faults(
    page: Page, command: Callable[..., Started]
) -> None:
    started = command("serve", "--port", "0", "--workers", "1")
    page.goto(started.address)
    page.get_by_role("link", name="reference").click()
    expect(page.get_by_role("heading", name="POST /batch")).to_be_visible()
    expect(page.get_by_label("Commands").first).to_contain_text(f"{started.origin}/extract?url=")
    assert find_faults(page) == []
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width
